//! One line of the agent into typed output. Parsing only: what follows from it is decided in iris-core.

use std::collections::{BTreeMap, HashMap};

use iris_core::agent::{AgentOutput, Introduction, Limit, Reply, ToolAnswer, TurnEnd, Usage};
use iris_core::call::ToolNature;
use iris_core::duration::Millis;
use iris_core::id::TurnId;
use iris_core::message::{Heard, MessageType};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::tools::Tools;
use super::wire::{Greeting, Line, RateLimitLine, ResultLine, SystemLine};
use super::{ask, explain, speak, tools, write};

/// The conversation with one agent process, as far as it has to be remembered to understand the next line.
#[derive(Debug)]
pub(crate) struct Reader {
    tools: Tools,
    /// The running total at the end of the last turn; the agent reports totals, Iris shows differences.
    cost_so_far: f64,
    introduced: bool,
    /// The requests that wait for an answer.
    open: HashMap<String, Open>,
    /// The plans of this turn, by the call that asks leave for them. The request for leave does not always hold its own.
    plans: HashMap<String, String>,
    /// How long it says that it waits before it tries again.
    rest: Option<Millis>,
    /// The message that was sent last, and the turn it was for. The agent passes over a message whose id it has seen, and
    /// a turn may be told twice, so the ids are not the same.
    told: Option<(String, TurnId)>,
    /// Its turn has not ended yet.
    is_told: bool,
    /// The turn of that message has begun. Before, the agent has nothing to interrupt and forgets that it was asked.
    begun: bool,
    /// The interrupt has to be said again when it has.
    interrupt_again: bool,
    /// It says which version it is, as those do that take a text for a text if they are told to.
    names_version: bool,
    /// The sub-agents and shells that have started and not ended. Older versions do not say which of them go on in the
    /// background; those that are left when a turn ends do.
    tasks: BTreeMap<String, String>,
    /// What was said last to go on in the background.
    in_background: usize,
    /// When the limit that was reached last is lifted, in milliseconds since 1970.
    limit_resets_at: Option<i64>,
    /// What the agent itself thinks with.
    model: Option<String>,
    /// What a turn that it begins by itself now would be about.
    began_after: Option<&'static str>,
}

#[derive(Debug)]
enum Open {
    /// The answer has to repeat the input.
    Use(Box<RawValue>),
    Form,
}

/// Lines that say no more than that the agent lives, as they begin. Two come with every turn.
const SIGNS_OF_LIFE: [&[u8]; 2] = [br#"{"type":"command_lifecycle","#, br#"{"type":"keep_alive""#];

/// How much of an unreadable line is kept.
const GARBAGE_KEPT: usize = 2000;

impl Reader {
    pub fn new(tools: Tools) -> Self {
        Self {
            tools,
            cost_so_far: 0.0,
            introduced: false,
            open: HashMap::new(),
            plans: HashMap::new(),
            rest: None,
            told: None,
            is_told: false,
            begun: false,
            interrupt_again: false,
            names_version: false,
            tasks: BTreeMap::new(),
            in_background: 0,
            limit_resets_at: None,
            model: None,
            began_after: None,
        }
    }

    /// Reads a line. What Iris can answer by itself is answered at once, into `replies`: an agent must never wait for an
    /// answer that cannot come.
    pub fn read(&mut self, bytes: &[u8], outputs: &mut Vec<AgentOutput>, replies: &mut Vec<u8>) {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        if SIGNS_OF_LIFE.iter().any(|sign| bytes.starts_with(sign)) {
            return outputs.push(AgentOutput::Heartbeat);
        }
        let parsed = std::str::from_utf8(bytes).ok().and_then(|text| Some((text, serde_json::from_str(text).ok()?)));
        match parsed {
            Some((text, line)) => self.understand(text, line, outputs, replies),
            None => outputs.push(garbage(bytes)),
        }
    }

    /// A line that was longer than what is read. If it was the end of a turn, the turn has ended all the same.
    /// Where it says so differs from version to version: before its text or after it.
    pub fn too_long(bytes: usize, head: &[u8], tail: &[u8]) -> Vec<AgentOutput> {
        let text = format!("a line of {bytes} bytes was passed over: it is longer than Iris reads");
        let ends = [head, tail].iter().any(|part| memchr::memmem::find(part, br#""type":"result""#).is_some());
        let end = ends.then(|| TurnEnd { error: Some(format!("its answer was lost: {text}")), ..TurnEnd::default() });
        let said = Heard::new(MessageType::Garbage, Some(text));
        [AgentOutput::Message(said)].into_iter().chain(end.map(AgentOutput::TurnEnded)).collect()
    }

    pub fn tell(&mut self, turn: &TurnId, text: &str, out: &mut Vec<u8>) {
        let id = Uuid::new_v4().to_string();
        write::user_message(out, &id, text, self.names_version);
        self.told = Some((id, turn.clone()));
        (self.is_told, self.begun, self.interrupt_again, self.began_after) = (true, false, false, None);
    }

    pub fn interrupt(&mut self, out: &mut Vec<u8>) {
        write::interrupt(out);
        self.interrupt_again = !self.begun;
    }

    /// A turn begins. Older versions do not say with which message: with the one that was told last, then.
    fn begin(&mut self, messages: Option<&[String]>, replies: &mut Vec<u8>) {
        self.begun |= match messages {
            Some(messages) => self.told.iter().any(|(id, _)| messages.contains(id)),
            None => !self.names_version,
        };
        if self.begun && std::mem::take(&mut self.interrupt_again) {
            write::interrupt(replies);
        }
    }

    /// The turns whose messages a turn's end answers.
    fn answered(&self, messages: &[String]) -> Vec<String> {
        let told = self.told.iter().filter(|(id, _)| messages.contains(id));
        told.map(|(_, turn)| turn.to_string()).collect()
    }

    /// Answers a request for permission or a question. One that was withdrawn is passed over.
    pub fn reply(&mut self, request: &str, reply: &Reply, out: &mut Vec<u8>) {
        match self.open.remove(request) {
            Some(Open::Use(input)) => write::reply(out, request, &input, reply),
            Some(Open::Form) => write::form(out, request, reply),
            None => {}
        }
    }

    pub fn answer_tool(&mut self, request: &str, answer: &ToolAnswer, out: &mut Vec<u8>) {
        self.tools.answer(request, answer, out);
    }

    fn understand(&mut self, text: &str, line: Line<'_>, outputs: &mut Vec<AgentOutput>, replies: &mut Vec<u8>) {
        let output = match line.kind.as_ref() {
            "assistant" | "user" => {
                self.note_model(&line);
                let said = speak::read(text, line);
                said.iter().for_each(|heard| self.note_plans(heard));
                said.map_or(AgentOutput::Heartbeat, AgentOutput::Message)
            }
            "result" => {
                outputs.extend(self.left_in_background());
                self.plans.clear();
                self.turn_end(text)
            }
            "stream_event" => delta(&line),
            "system" => self.system(text, line, replies),
            "control_response" => self.control_response(&line),
            "control_request" => self.control_request(text, line, replies),
            "control_cancel_request" => self.withdrawn(line.request_id.unwrap_or_default().into_owned()),
            "rate_limit_event" => self.rate_limit(text),
            "command_lifecycle" | "keep_alive" | "tool_progress" => AgentOutput::Heartbeat,
            other => message(MessageType::Unknown, Some(other.to_owned()), None, text),
        };
        outputs.push(output);
        outputs.extend(self.rest.take().map(AgentOutput::Rests));
        if self.in_background > self.tasks.len() {
            outputs.extend(self.left_in_background());
        }
    }

    fn note_plans(&mut self, heard: &Heard) {
        for call in heard.calls.iter().filter(|call| call.meaning.nature == ToolNature::Plans) {
            if let Some(plan) = &call.meaning.about {
                self.plans.insert(call.id.clone(), plan.clone());
            }
        }
    }

    /// The model of the agent itself; its sub-agents may have others.
    fn note_model(&mut self, line: &Line<'_>) {
        let model =
            line.message.as_ref().filter(|_| line.parent_tool_use_id.is_none()).and_then(|said| said.model.as_deref());
        // What the program says by itself has a name in angle brackets.
        if let Some(model) = model.filter(|model| !model.starts_with('<') && self.model.as_deref() != Some(model)) {
            self.model = Some(model.to_owned());
        }
    }

    /// What goes on in the background, if this version does not say so itself and it has changed.
    fn left_in_background(&mut self) -> Option<AgentOutput> {
        let changed = !self.names_version && self.in_background != self.tasks.len();
        self.in_background = self.tasks.len();
        changed.then(|| AgentOutput::Background(self.tasks.values().cloned().collect()))
    }

    fn note_task(&mut self, subtype: &str, line: &SystemLine<'_>) {
        let Some(id) = line.task_id.as_deref() else { return };
        match subtype {
            "task_started" => {
                drop(self.tasks.insert(id.to_owned(), line.description.clone().unwrap_or_default().into()))
            }
            "task_notification" => {
                self.tasks.remove(id);
                self.began_after = Some("task-notification");
            }
            _ => {}
        }
    }

    fn control_response(&mut self, line: &Line<'_>) -> AgentOutput {
        let Some(response) = &line.response else { return AgentOutput::Heartbeat };
        if response.request_id.as_deref() != Some(write::INITIALIZE) {
            return AgentOutput::Heartbeat;
        }
        if response.subtype.as_deref() == Some("error") {
            let obstacle = Some(explain::refusal(response.error.as_deref()));
            return AgentOutput::Ready(Introduction { obstacle, version: None });
        }
        let greeting = response.response.and_then(|said| serde_json::from_str::<Greeting>(said.get()).ok());
        let greeting = greeting.unwrap_or_default();
        let (obstacle, version) = (explain::obstacle(&greeting), greeting.claude_code_version);
        self.names_version = version.is_some();
        AgentOutput::Ready(Introduction { obstacle, version })
    }

    fn withdrawn(&mut self, request: String) -> AgentOutput {
        self.open.remove(&request);
        self.tools.forget(&request);
        AgentOutput::Withdrawn { request }
    }

    fn rate_limit(&mut self, text: &str) -> AgentOutput {
        if let Ok(line) = serde_json::from_str::<RateLimitLine>(text) {
            let rejected = line.rate_limit_info.status.as_deref() == Some("rejected");
            let resets_at = line.rate_limit_info.resets_at.filter(|_| rejected);
            #[expect(clippy::cast_possible_truncation, reason = "a time in this millennium")]
            let resets_at = resets_at.map(|seconds| (seconds * 1000.0) as i64);
            self.limit_resets_at = resets_at;
        }
        message(MessageType::System, Some("rate limit".to_owned()), None, text)
    }

    fn system(&mut self, text: &str, line: Line<'_>, replies: &mut Vec<u8>) -> AgentOutput {
        let subtype = line.subtype.unwrap_or_default();
        if subtype == "init" {
            self.begin(line.user_message_uuids.as_deref(), replies);
            // The same introduction comes at the start of every turn and is long; the first of a process is enough.
            let introduced = std::mem::replace(&mut self.introduced, true);
            if !self.is_told {
                return AgentOutput::BeganOwn(self.began_after.take().unwrap_or("agent"));
            }
            if introduced {
                return AgentOutput::Heartbeat;
            }
        }
        let parent = line.parent_tool_use_id.map(|parent| parent.into_owned());
        let known = serde_json::from_str::<SystemLine<'_>>(text).unwrap_or_default();
        let (kind, said) = match subtype.as_ref() {
            "background_tasks_changed" => {
                let name = |task: super::wire::BackgroundTask| task.description.or(task.task_id).unwrap_or_default();
                return AgentOutput::Background(known.tasks.into_iter().map(name).collect());
            }
            "api_retry" => {
                self.rest = known.retry_delay_ms.map(|delay| Millis(delay.max(0.0) as u64));
                (MessageType::Retry, explain::retry(&known))
            }
            "compact_boundary" => (MessageType::Compaction, "the conversation was shortened to fit".to_owned()),
            "model_fallback" => (MessageType::ModelFallback, explain::fallback(&known)),
            task if task.starts_with("task_") => {
                self.note_task(task, &known);
                let parent = parent.or_else(|| known.tool_use_id.as_ref().map(|id| id.clone().into_owned()));
                return message(MessageType::Task, Some(explain::task(task, &known)), parent, text);
            }
            other => (MessageType::System, other.to_owned()),
        };
        let is_init = subtype == "init";
        let model = known.model.filter(|_| is_init).map(|model| model.into_owned());
        let noise = is_init || subtype == "status";
        AgentOutput::Message(Heard { parent, noise, model, line: own(text), ..Heard::new(kind, Some(said)) })
    }

    fn turn_end(&mut self, text: &str) -> AgentOutput {
        let Ok(result) = serde_json::from_str::<ResultLine<'_>>(text) else {
            return garbage(text.as_bytes());
        };
        let answers = self.answered(&result.user_message_uuids);
        self.is_told &= result.origin.is_some() && answers.is_empty();
        let total = result.total_cost_usd.unwrap_or(self.cost_so_far);
        // The total goes on over a restart of the agent and starts anew when it clears its conversation, so what it says
        // of this turn alone is better, where it says it.
        let cost_usd = match &result.model_usage_since_last_result {
            Some(models) => models.values().filter_map(|usage| usage["costUSD"].as_f64()).sum(),
            None if total >= self.cost_so_far => total - self.cost_so_far,
            None => total,
        };
        // An empty sum is a negative zero.
        let cost_usd = cost_usd + 0.0;
        self.cost_so_far = total;
        let failed = result.is_error || result.subtype.as_deref().is_some_and(|subtype| subtype.starts_with("error"));
        let error = failed.then(|| explain::failure(&result));
        let limit = error.as_ref().filter(|_| explain::is_limit(&result)).map(|error| Limit {
            resets_at: self.limit_resets_at.or_else(|| explain::reset_time(&result)),
            what: error.clone(),
        });
        let models = result.model_usage_since_last_result.or(result.model_usage).unwrap_or_default();
        // What the sums are kept under may say more than the message: which window it has, for instance.
        let own = self.model.as_deref().and_then(|own| models.keys().find(|name| name.starts_with(own)));
        let model = own.or(self.model.as_ref()).or_else(|| models.keys().next()).cloned();
        AgentOutput::TurnEnded(TurnEnd {
            error,
            aborted: result.terminal_reason.as_deref().is_some_and(|reason| reason.starts_with("aborted")),
            text: result.result.map(|said| said.into_owned()),
            usage: Usage {
                input_tokens: result.usage.input_tokens,
                output_tokens: result.usage.output_tokens,
                cache_read_tokens: result.usage.cache_read_input_tokens,
                cache_write_tokens: result.usage.cache_creation_input_tokens,
                cost_usd,
                model,
                incomplete: false,
            },
            own: result.origin.map(|origin| origin.kind.unwrap_or_else(|| "unknown".to_owned())),
            answers,
            limit,
        })
    }

    fn control_request(&mut self, text: &str, line: Line<'_>, replies: &mut Vec<u8>) -> AgentOutput {
        let (Some(id), Some(request)) = (line.request_id, line.request) else {
            return message(MessageType::Unknown, Some("control_request".to_owned()), None, text);
        };
        match (request.subtype.as_ref(), request.input) {
            // Iris's own tools decide for themselves what they do for whom.
            ("can_use_tool", Some(input)) if request.tool_name.as_deref().is_some_and(|tool| self.tools.own(tool)) => {
                write::reply(replies, &id, input, &Reply::Allow);
                AgentOutput::Heartbeat
            }
            ("can_use_tool", Some(input)) => {
                self.open.insert(id.clone().into_owned(), Open::Use(input.to_owned()));
                let plan = request.tool_use_id.as_deref().and_then(|call| self.plans.remove(call));
                ask::permission(id.into_owned(), input, &request, plan)
            }
            ("elicitation", _) => {
                self.open.insert(id.clone().into_owned(), Open::Form);
                ask::form(id.into_owned(), &request)
            }
            ("mcp_message", _) => match self.tools.hear(&id, &request, replies) {
                tools::Said::Call(call) => AgentOutput::ToolCalled(call),
                tools::Said::Withdrawn { request } => AgentOutput::Withdrawn { request },
                tools::Said::Answered => AgentOutput::Heartbeat,
            },
            (subtype, _) => {
                write::refuse(replies, &id, subtype);
                message(MessageType::Unknown, Some(format!("control_request {subtype}")), None, text)
            }
        }
    }
}

fn delta(line: &Line<'_>) -> AgentOutput {
    let text = line
        .event
        .as_ref()
        .and_then(|event| event.delta.as_ref())
        .filter(|delta| delta.kind.as_deref() == Some("text_delta") && line.parent_tool_use_id.is_none());
    match text.and_then(|delta| delta.text.as_deref()) {
        Some(text) => AgentOutput::Delta(text.to_owned()),
        None => AgentOutput::Heartbeat,
    }
}

fn message(kind: MessageType, text: Option<String>, parent: Option<String>, line: &str) -> AgentOutput {
    AgentOutput::Message(Heard { parent, line: own(line), ..Heard::new(kind, text) })
}

/// The line as it is kept.
fn own(line: &str) -> Option<String> {
    Some(line.trim().to_owned())
}

fn garbage(bytes: &[u8]) -> AgentOutput {
    let kept = &bytes[..bytes.len().min(GARBAGE_KEPT)];
    let text = Some(String::from_utf8_lossy(kept).into_owned());
    AgentOutput::Message(Heard::new(MessageType::Garbage, text))
}

#[cfg(test)]
mod tests {
    use iris_core::agent::{PermissionRequest, ToolEffect, ToolSpec, Wanted};

    use super::super::meaning::EXIT_PLAN;
    use super::*;

    /// A tool server of the agent's wants something filled in: the message is a text there, and the answer has another form.
    #[test]
    fn a_form_is_read_and_answered() {
        let mut reader = Reader::new(Tools::new(std::sync::Arc::new([])));
        let line = r#"{"type":"control_request","request_id":"r1","request":{"subtype":"elicitation","mcp_server_name":"lab","message":"Your name?","mode":"form","requested_schema":{"type":"object","properties":{"name":{"type":"string"}}}}}"#;
        let (mut outputs, mut replies) = (Vec::new(), Vec::new());
        reader.read(line.as_bytes(), &mut outputs, &mut replies);
        let [AgentOutput::FormAsked(form)] = outputs.as_slice() else { panic!("{outputs:?}") };
        assert_eq!((form.server.as_str(), form.message.as_str()), ("lab", "Your name?"));
        let Wanted::Fields(schema) = &form.wanted else { panic!("{form:?}") };
        assert!(schema.get().contains("properties") && replies.is_empty());
        let content = serde_json::Map::from_iter([("name".to_owned(), "Ada".into())]);
        reader.reply("r1", &Reply::Form { content }, &mut replies);
        let said = String::from_utf8(replies).expect("text");
        assert!(said.contains(r#""action":"accept""#) && said.contains(r#""name":"Ada""#), "{said}");
    }

    /// It asks for no fields, so a form would hide where it leads, and nothing filled in would be a yes.
    #[test]
    fn an_address_is_read_and_answered_with_yes_or_no() {
        let line = r#"{"type":"control_request","request_id":"r1","request":{"subtype":"elicitation","mcp_server_name":"lab","message":"Sign in","mode":"url","url":"https://x.example/in","elicitation_id":"e1"}}"#;
        let check = |reply: &Reply, expected: &str| {
            let mut reader = Reader::new(Tools::new(std::sync::Arc::new([])));
            let (mut outputs, mut replies) = (Vec::new(), Vec::new());
            reader.read(line.as_bytes(), &mut outputs, &mut replies);
            let [AgentOutput::FormAsked(form)] = outputs.as_slice() else { panic!("{outputs:?}") };
            assert!(matches!(&form.wanted, Wanted::Visit { url } if url == "https://x.example/in"), "{form:?}");
            reader.reply("r1", reply, &mut replies);
            let said = String::from_utf8(replies).expect("text");
            assert!(said.contains(expected) && !said.contains("content"), "{said}");
        };
        check(&Reply::Allow, r#"{"action":"accept"}"#);
        check(&Reply::Deny { message: "no".to_owned() }, r#"{"action":"decline"}"#);
    }

    /// A plan belongs to the call that asks leave for it; another's is not taken for it.
    #[test]
    fn a_plan_is_known_by_its_call() {
        let mut reader = Reader::new(Tools::new(std::sync::Arc::new([])));
        let mut outputs = Vec::new();
        for (call, plan) in [("one", "1. tidy up"), ("two", "1. burn it")] {
            let said = serde_json::json!({"type": "assistant", "message": {"role": "assistant", "content": [
                {"type": "tool_use", "id": call, "name": EXIT_PLAN, "input": {"plan": plan}}]}});
            reader.read(said.to_string().as_bytes(), &mut outputs, &mut Vec::new());
        }
        outputs.clear();
        for call in ["one", "three"] {
            let asked = serde_json::json!({"type": "control_request", "request_id": call, "request":
                {"subtype": "can_use_tool", "tool_name": EXIT_PLAN, "input": {}, "tool_use_id": call}});
            reader.read(asked.to_string().as_bytes(), &mut outputs, &mut Vec::new());
        }
        let plans: Vec<_> = outputs.iter().map(|output| asked(output).plan.clone()).collect();
        assert_eq!(plans, [Some("1. tidy up".to_owned()), None]);
    }

    fn asked(output: &AgentOutput) -> &PermissionRequest {
        let AgentOutput::PermissionAsked(asked) = output else { panic!("{output:?}") };
        asked
    }

    /// A server of somebody else's may be called nearly as Iris's own is.
    #[test]
    fn only_tools_of_its_own_are_used_unasked() {
        let (input, output) = (serde_json::json!({}), serde_json::json!({}));
        let (title, description, effect) = ("Tell", "tells", ToolEffect::Tells);
        let spec = ToolSpec { name: "team_tell", title, description, input, output, effect };
        let mut reader = Reader::new(Tools::new(std::sync::Arc::new([spec])));
        let mut is_asked = |tool: &str| {
            let asked = serde_json::json!({"type": "control_request", "request_id": "r", "request":
                {"subtype": "can_use_tool", "tool_name": tool, "input": {}}});
            let mut outputs = Vec::new();
            reader.read(asked.to_string().as_bytes(), &mut outputs, &mut Vec::new());
            matches!(outputs.as_slice(), [AgentOutput::PermissionAsked(_)])
        };
        assert!(!is_asked("mcp__iris__team_tell"));
        for other in ["mcp__iris__evil__burn", "mcp__iris__burn", "mcp__irises__team_tell", "team_tell"] {
            assert!(is_asked(other), "{other}");
        }
    }

    /// A refusal holds for the same command with other comments, also where not every reader takes these for the same.
    #[test]
    fn comments_are_known_also_beside_what_cannot_be_read() {
        let mut reader = Reader::new(Tools::new(std::sync::Arc::new([])));
        let line = r#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls","description":"\ud83d"}}}"#;
        let mut outputs = Vec::new();
        reader.read(line.as_bytes(), &mut outputs, &mut Vec::new());
        assert_eq!(asked(&outputs[0]).meaning.asides, ["description", "timeout"]);
    }

    /// What was approved is written back byte by byte, also what JSON would put in another form.
    #[test]
    fn approved_bytes_are_written_as_they_are() {
        let mut reader = Reader::new(Tools::new(std::sync::Arc::new([])));
        let input = r#"{"z":1.50,  "command":"ls","n":12345678901234567890123,"a":1e2}"#;
        let line = format!(
            r#"{{"type":"control_request","request_id":"r1","request":{{"subtype":"can_use_tool","tool_name":"Bash","input":{input}}}}}"#
        );
        let mut replies = Vec::new();
        reader.read(line.as_bytes(), &mut Vec::new(), &mut replies);
        reader.reply("r1", &Reply::AllowExactly { input: input.to_owned() }, &mut replies);
        let said = String::from_utf8(replies).expect("text");
        assert!(said.contains(input), "{said}");
    }

    /// Whether an interrupt is said again when a turn begins, which the agent says in this way.
    fn check(init: impl Fn(&str) -> String, expected: bool) {
        let mut reader = Reader::new(Tools::new(std::sync::Arc::new([])));
        let greeted = format!(
            r#"{{"type":"control_response","response":{{"request_id":"{}","response":{{"claude_code_version":"2"}}}}}}"#,
            write::INITIALIZE
        );
        reader.read(greeted.as_bytes(), &mut Vec::new(), &mut Vec::new());
        reader.tell(&TurnId::new("turn"), "hello", &mut Vec::new());
        let told = reader.told.as_ref().expect("told").0.clone();
        reader.interrupt(&mut Vec::new());
        let mut said = Vec::new();
        for _ in 0..2 {
            reader.read(init(&told).as_bytes(), &mut Vec::new(), &mut said);
        }
        let times = String::from_utf8(said).expect("text").matches("\"interrupt\"").count();
        assert_eq!(times, usize::from(expected), "once, if it begins with {}", init(&told));
    }

    /// An agent forgets an interrupt that it hears before it has begun with the message.
    #[test]
    fn an_interrupt_that_came_too_early_is_said_again() {
        check(|told| format!(r#"{{"type":"system","subtype":"init","user_message_uuids":["{told}"]}}"#), true);
        check(|_| r#"{"type":"system","subtype":"init","user_message_uuids":["another"]}"#.to_owned(), false);
        check(|_| r#"{"type":"system","subtype":"init"}"#.to_owned(), false);
    }

    #[test]
    fn the_model_of_a_turn_is_that_of_the_agent_itself() {
        let mut reader = Reader::new(Tools::new([].into()));
        let (mut outputs, mut replies) = (Vec::new(), Vec::new());
        for line in [
            r#"{"type":"assistant","message":{"model":"opus","content":[]}}"#,
            r#"{"type":"assistant","parent_tool_use_id":"t","message":{"model":"haiku","content":[]}}"#,
            r#"{"type":"assistant","message":{"model":"<synthetic>","content":[]}}"#,
            r#"{"type":"result","subtype":"success","modelUsageSinceLastResult":{"haiku":{"costUSD":1},"opus":{"costUSD":2}}}"#,
        ] {
            reader.read(line.as_bytes(), &mut outputs, &mut replies);
        }
        let Some(AgentOutput::TurnEnded(end)) = outputs.pop() else { panic!("{outputs:?}") };
        assert_eq!(end.usage.model.as_deref(), Some("opus"));
    }

    #[test]
    fn a_turn_whose_end_is_too_long_to_be_read_has_ended() {
        let quoted = br#"{"type":"assistant","message":{"content":"\"type\":\"result\""}}"#;
        let said = Reader::too_long(70_000_000, quoted, quoted);
        assert!(matches!(said.as_slice(), [AgentOutput::Message(_)]), "{said:?}");
        let head: &[u8] = br#"{"type":"result","result":"xxx"#;
        let tail: &[u8] = br#"xxx","type":"result","uuid":"1"}"#;
        for (head, tail) in [(head, b"".as_slice()), (br#"{"duration_api_ms":1,"result":"xxx"#, tail)] {
            let ended = Reader::too_long(70_000_000, head, tail);
            let [AgentOutput::Message(_), AgentOutput::TurnEnded(end)] = ended.as_slice() else { panic!("{ended:?}") };
            assert!(end.error.as_deref().is_some_and(|error| error.contains("70000000 bytes")), "{end:?}");
        }
    }
}
