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

/// A conversation with a version that does not name the messages which a turn answers, with a first turn behind it.
fn old_reader() -> Reader {
    let mut reader = Reader::new(Tools::new([].into()));
    reader.tell(&TurnId::new("t1"), "hello", &mut Vec::new());
    let id = reader.told.as_ref().expect("told").0.clone();
    hear(&mut reader, &echo(&id));
    hear(&mut reader, r#"{"type":"result","subtype":"success"}"#);
    reader
}

fn echo(id: &str) -> String {
    format!(r#"{{"type":"user","isReplay":true,"uuid":"{id}","message":{{"role":"user","content":"hello"}}}}"#)
}

fn hear(reader: &mut Reader, line: &str) -> Vec<AgentOutput> {
    let mut outputs = Vec::new();
    reader.read(line.as_bytes(), &mut outputs, &mut Vec::new());
    outputs
}

const NOTIFIED: &str = r#"{"type":"system","subtype":"task_notification","task_id":"b1","status":"completed"}"#;
const INIT: &str = r#"{"type":"system","subtype":"init"}"#;
const PIECE: &str =
    r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"w"}}}"#;
const SAID: &str = r#"{"type":"assistant","message":{"content":[{"type":"text","text":"words"}]}}"#;
const OWN_END: &str = r#"{"type":"result","subtype":"success","origin":{"kind":"task-notification"}}"#;

const RETRY: &str = r#"{"type":"system","subtype":"api_retry","attempt":1,"max_retries":3,"error_status":529}"#;

fn is_aside(outputs: &[AgentOutput]) -> bool {
    let [AgentOutput::Message(heard)] = outputs else { panic!("{outputs:?}") };
    assert_eq!(heard.is_reply(), !heard.aside && heard.kind == MessageType::Assistant);
    heard.aside
}

fn answers(outputs: &[AgentOutput]) -> &[String] {
    let [AgentOutput::TurnEnded(end)] = outputs else { panic!("{outputs:?}") };
    &end.answers
}

/// A message that comes while the agent begins a turn of its own may be taken into that.
#[test]
fn a_turn_of_its_own_answers_the_message_that_it_took_in() {
    let mut reader = old_reader();
    reader.tell(&TurnId::new("t2"), "hello", &mut Vec::new());
    let id = reader.told.as_ref().expect("told").0.clone();
    assert!(is_aside(&hear(&mut reader, NOTIFIED)));
    let begun = hear(&mut reader, INIT);
    assert!(
        is_aside(&begun) && format!("{begun:?}").contains("began a turn by itself (task-notification)"),
        "{begun:?}"
    );
    assert!(is_aside(&hear(&mut reader, RETRY)));
    assert!(matches!(hear(&mut reader, PIECE).as_slice(), [AgentOutput::Heartbeat]));
    assert!(is_aside(&hear(&mut reader, SAID)));
    hear(&mut reader, &echo(&id));
    assert!(!is_aside(&hear(&mut reader, RETRY)));
    assert!(matches!(hear(&mut reader, PIECE).as_slice(), [AgentOutput::Delta(_)]));
    assert!(!is_aside(&hear(&mut reader, SAID)));
    assert_eq!(answers(&hear(&mut reader, OWN_END)), ["t2"]);
    assert!(matches!(hear(&mut reader, INIT).as_slice(), [AgentOutput::BeganOwn(_)]), "nothing is told any more");
}

#[test]
fn a_turn_of_its_own_does_not_answer_a_message_that_waits_behind_it() {
    let mut reader = old_reader();
    reader.tell(&TurnId::new("t2"), "hello", &mut Vec::new());
    let id = reader.told.as_ref().expect("told").0.clone();
    hear(&mut reader, INIT);
    // Whose turn this is shows with its first whole message.
    assert!(!is_aside(&hear(&mut reader, RETRY)));
    assert!(matches!(hear(&mut reader, PIECE).as_slice(), [AgentOutput::Delta(_)]));
    assert!(is_aside(&hear(&mut reader, SAID)));
    assert!(answers(&hear(&mut reader, OWN_END)).is_empty());
    hear(&mut reader, INIT);
    assert!(matches!(hear(&mut reader, PIECE).as_slice(), [AgentOutput::Delta(_)]));
    hear(&mut reader, &echo(&id));
    assert!(!is_aside(&hear(&mut reader, SAID)));
}

/// Older versions say nothing while a command runs or a sub-agent writes, which may be for minutes.
#[test]
fn a_command_that_runs_is_no_silence() {
    let check = |version: bool, tool: &str, input: serde_json::Value, expected: Option<u64>| {
        let mut reader = Reader::new(Tools::new([].into()));
        reader.names_version = version;
        let call = serde_json::json!({"type": "assistant", "message": {"content": [
            {"type": "tool_use", "id": "c1", "name": tool, "input": input}]}});
        hear(&mut reader, &call.to_string());
        let rest = |outputs: Vec<AgentOutput>| match outputs.last() {
            Some(AgentOutput::Rests(rest)) => Some(rest.0),
            _ => None,
        };
        assert_eq!(rest(hear(&mut reader, r#"{"type":"system","subtype":"status"}"#)), expected, "{call}");
        let result =
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c1","content":"x"}]}}"#;
        assert_eq!(rest(hear(&mut reader, result)), None, "it is over");
    };
    check(false, "Bash", serde_json::json!({"command": "make"}), Some(120_000));
    check(false, "Bash", serde_json::json!({"command": "make", "timeout": 300_000}), Some(300_000));
    check(false, "Bash", serde_json::json!({"command": "make", "timeout": 9_000_000}), Some(600_000));
    check(false, "Bash", serde_json::json!({"command": "make", "run_in_background": true}), None);
    check(true, "Bash", serde_json::json!({"command": "make"}), None);
    check(false, "Agent", serde_json::json!({"prompt": "dig"}), Some(300_000));
    check(false, "Agent", serde_json::json!({"prompt": "dig", "run_in_background": true}), None);
    check(false, "Read", serde_json::json!({"file_path": "a"}), None);
}

/// Older versions say that it has, and no more, if a turn that runs already speaks of it.
#[test]
fn a_task_that_ended_in_a_turn_does_not_go_on_after_it() {
    let mut reader = Reader::new(Tools::new([].into()));
    let (mut outputs, mut replies) = (Vec::new(), Vec::new());
    for line in [
        r#"{"type":"system","subtype":"task_started","task_id":"a","description":"dig"}"#,
        r#"{"type":"system","subtype":"task_updated","task_id":"a","patch":{"status":"completed","end_time":1794978745563}}"#,
        r#"{"type":"result","subtype":"success"}"#,
    ] {
        reader.read(line.as_bytes(), &mut outputs, &mut replies);
    }
    let said = outputs.iter().filter_map(|output| match output {
        AgentOutput::Background(tasks) => Some(tasks.clone()),
        _ => None,
    });
    assert_eq!(said.collect::<Vec<_>>(), [vec!["dig".to_owned()], Vec::new()], "its end may lead to a turn");
    assert!(matches!(outputs.last(), Some(AgentOutput::Background(_))), "after the turn: {outputs:?}");
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
    let spaced: &[u8] = br#"{ "type" : "result", "result": "xxx"#;
    let beginning: &[u8] = br#"{"duration_api_ms":1,"result":"xxx"#;
    for (head, tail) in [(head, b"".as_slice()), (beginning, tail), (spaced, b"")] {
        let ended = Reader::too_long(70_000_000, head, tail);
        let [AgentOutput::Message(_), AgentOutput::TurnEnded(end)] = ended.as_slice() else { panic!("{ended:?}") };
        assert!(end.error.as_deref().is_some_and(|error| error.contains("70000000 bytes")), "{end:?}");
    }
}

/// A rule of the team's own settings refuses a tool: the line has a `message` that is a text, and is no garbage.
#[test]
fn a_line_is_known_though_one_of_its_fields_is_something_else() {
    let check = |line: &str, kind: MessageType, text: Option<&str>| {
        let outputs = hear(&mut Reader::new(Tools::new([].into())), line);
        let [AgentOutput::Message(heard)] = outputs.as_slice() else { panic!("{outputs:?}") };
        assert_eq!((heard.kind, heard.text.as_deref(), heard.line.as_deref()), (kind, text, Some(line)));
    };
    check(
        r#"{"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"t","message":"it has been denied"}"#,
        MessageType::System,
        Some("a rule does not allow Bash to be used in this way"),
    );
    check(r#"{"type":"system","subtype":"news","event":"a word"}"#, MessageType::System, Some("news"));
    check(r#"{"type":"novelty","request":"a word"}"#, MessageType::Unknown, Some("novelty"));
    check(r#"{"type":"assistant","message":"a word"}"#, MessageType::Unknown, None);
}

/// 2.1.197 cuts long output of a tool wherever it happens to be.
#[test]
fn a_result_that_was_cut_in_the_middle_of_a_letter_is_a_result() {
    let line = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c1","content":"x\ud83d\ude00\ud83d\n..."}]}}"#;
    let outputs = hear(&mut Reader::new(Tools::new([].into())), line);
    let [AgentOutput::Message(heard)] = outputs.as_slice() else { panic!("{outputs:?}") };
    assert_eq!((heard.kind, heard.text.as_deref()), (MessageType::ToolResult, Some("x\u{1f600}\u{fffd}\n...")));
    assert_eq!(heard.results[0].call, "c1");
}

#[test]
fn a_turn_whose_end_cannot_be_read_has_ended() {
    let outputs = hear(&mut old_reader(), r#"{"type":"result","subtype":"success","result":["not","a","text"]}"#);
    let [AgentOutput::Message(garbage), AgentOutput::TurnEnded(end)] = outputs.as_slice() else {
        panic!("{outputs:?}")
    };
    assert_eq!(garbage.kind, MessageType::Garbage);
    assert!(end.error.as_deref().is_some_and(|error| error.contains("its answer was lost")), "{end:?}");
}

/// With a subscription, it says with every turn how much of it is used.
#[test]
fn a_limit_is_for_people_when_it_is_near() {
    let check = |status: &str, expected: &str, noise: bool| {
        let line =
            format!(r#"{{"type":"rate_limit_event","rate_limit_info":{{"status":"{status}","resetsAt":1795022254}}}}"#);
        let outputs = hear(&mut Reader::new(Tools::new([].into())), &line);
        let [AgentOutput::Message(heard)] = outputs.as_slice() else { panic!("{outputs:?}") };
        assert_eq!((heard.text.as_deref(), heard.noise), (Some(expected), noise), "{status}");
    };
    check("allowed", "rate limit", true);
    check("allowed_warning", "a limit of the account is nearly reached", false);
    check("rejected", "a limit of the account was reached", false);
}

/// What waits for an answer has one, though it cannot be told what it wants.
#[test]
fn a_request_that_cannot_be_read_is_refused() {
    let (mut outputs, mut replies) = (Vec::new(), Vec::new());
    let line = r#"{"type":"control_request","request_id":"r1","request":{"subtype":["not","a","text"]}}"#;
    Reader::new(Tools::new([].into())).read(line.as_bytes(), &mut outputs, &mut replies);
    assert!(matches!(outputs.as_slice(), [AgentOutput::Message(heard)] if heard.kind == MessageType::Unknown));
    let said = String::from_utf8(replies).expect("text");
    assert!(said.contains(r#""request_id":"r1""#) && said.contains(r#""subtype":"error""#), "{said}");
}
