//! Asking the person behind the host: permission for a tool, or a question.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::tool::ToolResult;
use super::wait::Woken;
use super::{Cut, Played, Player, Scene};
use crate::scripted::input::{Response, text_of};
use crate::scripted::script::{Ask, Delay, Permission};

/// What the person decided.
enum Decision {
    /// With the input to go on with, which may differ from the one asked for.
    Allowed(Value),
    Denied {
        message: String,
        source: &'static str,
    },
}

impl Player {
    pub fn permission(&mut self, scene: &mut Scene, permission: &'static Permission) -> Played {
        let input = scene.variables.expand_value(&permission.input);
        let id = self.tool_use(scene, &permission.tool, &input);
        let request = json!({
            "display_name": permission.tool,
            "description": describe(&input),
            "permission_suggestions": [{
                "type": "addRules", "rules": [{"toolName": permission.tool}],
                "behavior": "allow", "destination": "localSettings",
            }],
            "decision_reason": "This command requires approval",
            "decision_reason_type": "other",
        });
        match self.can_use_tool(scene, &id, &permission.tool, &input, request)? {
            Decision::Allowed(input) => {
                scene.variables.input = input;
                let result = self.permitted(scene, permission)?;
                self.close_tool(scene, &id, result, accepted(&id));
                self.play(&permission.then, scene)
            }
            Decision::Denied { message, source } => {
                self.deny(scene, &id, &permission.tool, &input, message, source);
                self.play(&permission.denied, scene)
            }
        }
    }

    fn permitted(&mut self, scene: &mut Scene, permission: &Permission) -> Played<ToolResult> {
        if permission.run {
            let command = text_of(&scene.variables.input, "command");
            let deadline = Self::deadline(Delay(std::time::Duration::from_secs(120)));
            return self.run_command(scene, &command, deadline);
        }
        let text = scene.variables.expand(&permission.result).into_owned();
        scene.variables.result.clone_from(&text);
        Ok(ToolResult::text(text, false))
    }

    pub fn ask(&mut self, scene: &mut Scene, ask: &'static Ask) -> Played {
        let questions: Vec<Value> = std::iter::once(ask).chain(&ask.and).map(|ask| question(scene, ask)).collect();
        let input = json!({"questions": questions});
        let id = self.tool_use(scene, "AskUserQuestion", &input);
        let request = json!({"display_name": "AskUserQuestion", "requires_user_interaction": true});
        match self.can_use_tool(scene, &id, "AskUserQuestion", &input, request)? {
            Decision::Allowed(answered) => {
                let (answer, told) = read_answers(&questions, &answered);
                scene.variables.answer = answer;
                scene.variables.input = answered.clone();
                let result = ToolResult { content: Value::from(told), is_error: false, detail: answered };
                self.close_tool(scene, &id, result, accepted(&id));
                self.play(&ask.then, scene)
            }
            Decision::Denied { message, source } => {
                scene.variables.answer.clear();
                self.deny(scene, &id, "AskUserQuestion", &input, message, source);
                self.play(&ask.denied, scene)
            }
        }
    }

    fn can_use_tool(
        &mut self,
        scene: &mut Scene,
        id: &str,
        tool: &str,
        input: &Value,
        mut request: Value,
    ) -> Played<Decision> {
        request["subtype"] = Value::from("can_use_tool");
        request["tool_name"] = Value::from(tool);
        request["input"] = input.clone();
        request["tool_use_id"] = Value::from(id);
        if let Some(lane) = &scene.lane {
            request["agent_id"] = Value::from(&*lane.agent_id);
        }
        let denied = |message: String, source| Ok(Decision::Denied { message, source });
        let mut answer = match self.request(request)? {
            Woken::Answer(Response::Success(answer)) => answer,
            Woken::Answer(Response::Error(error)) => {
                return denied(format!("Tool permission request failed: Error: {error}"), "config");
            }
            _ => {
                return denied(
                    "Tool permission request failed: AbortError: Tool permission stream closed before response received"
                        .to_owned(),
                    "config",
                );
            }
        };
        if answer.get("behavior").and_then(Value::as_str) == Some("allow") {
            let updated = answer.get_mut("updatedInput").map(Value::take);
            return Ok(Decision::Allowed(updated.filter(Value::is_object).unwrap_or_else(|| input.clone())));
        }
        if answer.get("interrupt").and_then(Value::as_bool) == Some(true) {
            scene.denials.push(denial(tool, id, input));
            return Err(Cut::Interrupted);
        }
        denied(text_of(&answer, "message"), "user_reject")
    }

    fn deny(&mut self, scene: &mut Scene, id: &str, tool: &str, input: &Value, message: String, source: &str) {
        scene.denials.push(denial(tool, id, input));
        scene.variables.message.clone_from(&message);
        let meta = json!([{
            "id": id, "non_execution_kind": "permission-rule",
            "permission_decision": {"decision": "reject", "source": source},
        }]);
        self.close_tool(scene, id, ToolResult::text(message, true), meta);
    }
}

fn question(scene: &Scene, ask: &Ask) -> Value {
    let text = |template| scene.variables.expand(template);
    let options: Vec<Value> = ask
        .options
        .iter()
        .map(|choice| json!({"label": text(&choice.label), "description": text(&choice.description)}))
        .collect();
    json!({
        "question": text(&ask.question), "header": text(&ask.header),
        "options": options, "multiSelect": ask.multi,
    })
}

/// The answers joined for `{{answer}}`, and the sentence the real CLI tells the model.
fn read_answers(questions: &[Value], answered: &Value) -> (String, String) {
    let (mut answers, mut pairs, mut chosen) = (Vec::new(), Vec::new(), true);
    for question in questions {
        let name = text_of(question, "question");
        let answer = match answered.get("answers").and_then(|answers| answers.get(&name)) {
            None | Some(Value::Null) => continue,
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(several)) => {
                let texts: Vec<Cow<'_, str>> =
                    several.iter().map(|one| one.as_str().map_or_else(|| one.to_string().into(), Cow::from)).collect();
                texts.join(", ")
            }
            Some(other) => other.to_string(),
        };
        let labels = question["options"].as_array();
        chosen &= answer
            .split(", ")
            .all(|part| labels.is_some_and(|labels| labels.iter().any(|option| option["label"] == part)));
        pairs.push(format!("\"{name}\"=\"{answer}\""));
        answers.push(answer);
    }
    let pairs = pairs.join(", ");
    let told = if chosen {
        format!("Your questions have been answered: {pairs}. You can now continue with these answers in mind.")
    } else {
        format!(
            "The user answered: {pairs}. Read the answers carefully — they may request clarification, changes, or that \
             you not proceed — and follow what they actually say."
        )
    };
    (answers.join(", "), told)
}

fn accepted(id: &str) -> Value {
    json!([{"id": id, "permission_decision": {"decision": "accept", "source": "user_temporary"}}])
}

fn denial(tool: &str, id: &str, input: &Value) -> Value {
    json!({"tool_name": tool, "tool_use_id": id, "tool_input": input})
}

/// The line a person reads first: the command or the file, where there is one.
fn describe(input: &Value) -> String {
    ["command", "file_path", "url"]
        .iter()
        .find_map(|field| input.get(field).and_then(Value::as_str))
        .map_or_else(|| input.to_string(), str::to_owned)
}
