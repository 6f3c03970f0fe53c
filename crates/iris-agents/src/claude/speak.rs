//! What the agent, its sub-agents and their tools say: lines of type `assistant` and `user`, as messages.

use iris_core::call::{Call, CallResult};
use iris_core::message::{Heard, MessageType};
use serde_json::value::RawValue;

use super::meaning;
use super::wire::{Block, Content, Line};

/// Nothing for what was told to the agent and is only repeated.
pub(super) fn read(text: &str, line: Line<'_>) -> Option<Heard> {
    if line.is_replay {
        return None;
    }
    let heard = match line.message.map(|said| said.content) {
        Some(Content::Blocks(blocks)) => describe(&line.kind, blocks),
        Some(Content::Text(said)) => Heard::system(said),
        None => Heard::new(MessageType::Unknown, None),
    };
    let parent = line.parent_tool_use_id.map(|parent| parent.into_owned());
    // What a sub-agent was told is in the call that started it.
    let noise = heard.kind == MessageType::System && line.kind == "user" && parent.is_some();
    Some(Heard { parent, noise, line: Some(text.trim().to_owned()), ..heard })
}

/// The CLI writes one block per line. Should several come, texts are joined and the first names the kind.
fn describe(line_kind: &str, blocks: Vec<Block<'_>>) -> Heard {
    let kind = match (line_kind, blocks.first().map(|block| block.kind.as_ref())) {
        (_, Some("thinking")) => MessageType::Thinking,
        (_, Some("tool_use")) => MessageType::ToolUse,
        (_, Some("tool_result")) => MessageType::ToolResult,
        ("assistant", Some("text")) => MessageType::Assistant,
        ("user", Some("text")) => MessageType::System,
        _ => MessageType::Unknown,
    };
    let mut heard = Heard::new(kind, None);
    let is_one = blocks.len() == 1;
    for mut block in blocks {
        heard.calls.extend(call(&block));
        let result = result(&mut block);
        let text = block.into_text().map(|text| text.into_owned());
        heard.results.extend(result.map(|result| CallResult { text: text.clone().filter(|_| !is_one), ..result }));
        heard.text = match (heard.text, text) {
            (Some(all), Some(next)) => Some(all + "\n" + &next),
            (all, next) => all.or(next),
        };
    }
    heard
}

fn call(block: &Block<'_>) -> Option<Call> {
    if block.kind != "tool_use" {
        return None;
    }
    let none = || RawValue::from_string("{}".to_owned()).expect("an empty object is JSON");
    let input = block.input.map_or_else(none, ToOwned::to_owned);
    let name = block.name.as_deref().unwrap_or_default().to_owned();
    let meaning = meaning::of(&name, &serde_json::from_str(input.get()).unwrap_or_default());
    Some(Call { id: block.id.as_deref().unwrap_or_default().to_owned(), name, input, meaning })
}

/// Without its text.
fn result(block: &mut Block<'_>) -> Option<CallResult> {
    if block.kind != "tool_result" {
        return None;
    }
    let call = block.tool_use_id.take().unwrap_or_default().into_owned();
    Some(CallResult { call, text: None, is_error: block.is_error.unwrap_or_default() })
}

#[cfg(test)]
mod tests {
    use iris_core::call::ToolNature;
    use serde_json::{Value, json};

    use super::*;

    fn heard(line: Value) -> Heard {
        let text = line.to_string();
        read(&text, serde_json::from_str(&text).expect("a line")).expect("something was said")
    }

    fn said(kind: &str, content: Value) -> Heard {
        heard(json!({"type": kind, "message": {"content": content}}))
    }

    #[test]
    fn a_call_is_told_with_what_it_means() {
        let heard =
            said("assistant", json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]));
        let [call] = heard.calls.as_slice() else { panic!("{heard:?}") };
        assert_eq!((heard.kind, heard.text.as_deref()), (MessageType::ToolUse, Some("Bash")));
        assert_eq!((call.id.as_str(), call.name.as_str(), call.input.get()), ("t1", "Bash", r#"{"command":"ls"}"#));
        assert_eq!((call.meaning.nature, call.meaning.about.as_deref()), (ToolNature::Shell, Some("ls")));
    }

    #[test]
    fn a_result_is_the_text_of_its_message() {
        let heard = said(
            "user",
            json!([{"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": [
            {"type": "text", "text": "one"}, {"type": "image"}]}]),
        );
        assert_eq!((heard.kind, heard.text.as_deref()), (MessageType::ToolResult, Some("one\n[image]")));
        assert_eq!(heard.results, [CallResult { call: "t1".to_owned(), text: None, is_error: true }]);
    }

    #[test]
    fn of_several_results_each_has_its_own_text() {
        let result = |call: &str, text: &str| json!({"type": "tool_result", "tool_use_id": call, "content": text});
        let heard = said("user", json!([result("a", "x"), result("b", "y")]));
        let each: Vec<_> = heard.results.iter().map(|one| (one.call.as_str(), one.text.as_deref())).collect();
        assert_eq!(each, [("a", Some("x")), ("b", Some("y"))]);
        assert_eq!(heard.text.as_deref(), Some("x\ny"));
    }

    #[test]
    fn plain_text_is_nothing_but_text() {
        let heard = said("assistant", json!([{"type": "text", "text": "hi"}]));
        assert!(heard.is_reply() && heard.calls.is_empty() && heard.results.is_empty() && !heard.noise);
        let told = heard_from_sub_agent(json!([{"type": "text", "text": "dig"}]));
        assert!(told.kind == MessageType::System && told.noise);
    }

    fn heard_from_sub_agent(content: Value) -> Heard {
        heard(json!({"type": "user", "parent_tool_use_id": "t1", "message": {"content": content}}))
    }
}
