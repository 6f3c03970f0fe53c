//! What Iris writes to an agent, one line each.

use std::borrow::Cow;

use iris_core::agent::Reply;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::tools;

/// The id of the one request whose answer says that the agent is ready.
pub(crate) const INITIALIZE: &str = "iris-initialize";

/// The greeting: which tools Iris brings, and what is added to the agent's instructions. Said here and not on the command
/// line, where every user of the machine could read it.
pub(crate) fn initialize(out: &mut Vec<u8>, instructions: Option<&str>) {
    let mut request = json!({
        "subtype": "initialize",
        "sdkMcpServers": [tools::SERVER],
        // Otherwise an interrupt would also end the work that goes on in the background.
        "perTaskStopAffordance": true,
    });
    if let Some(instructions) = instructions {
        request["appendSystemPrompt"] = Value::from(instructions);
    }
    line(out, &json!({"type": "control_request", "request_id": INITIALIZE, "request": request}));
}

#[derive(Serialize)]
struct UserMessage<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    message: UserContent<'a>,
    uuid: &'a str,
    /// Somebody wrote this text: it is not a command of the CLI's, whatever it begins with.
    client_composed: bool,
}

#[derive(Serialize)]
struct UserContent<'a> {
    role: &'static str,
    content: &'a str,
}

/// `knows_composed`: older versions do not, but take no text that begins with a space for a command.
pub(crate) fn user_message(out: &mut Vec<u8>, id: &str, text: &str, knows_composed: bool) {
    let is_at_risk = text.starts_with('/') && !knows_composed;
    let content = if is_at_risk { Cow::Owned(format!(" {text}")) } else { Cow::Borrowed(text) };
    let message = UserContent { role: "user", content: &content };
    line(out, &UserMessage { kind: "user", message, uuid: id, client_composed: true });
}

pub(crate) fn interrupt(out: &mut Vec<u8>) {
    line(out, &json!({"type": "control_request", "request_id": "iris-interrupt", "request": {"subtype": "interrupt"}}));
}

pub(crate) fn end_session(out: &mut Vec<u8>) {
    line(out, &json!({"type": "control_request", "request_id": "iris-end", "request": {"subtype": "end_session"}}));
}

/// The answer to a request for permission or to questions. It repeats the input, as older versions want it, and byte by
/// byte: what was approved is what runs.
pub(crate) fn reply(out: &mut Vec<u8>, request: &str, input: &RawValue, reply: &Reply) {
    match reply {
        Reply::Allow => respond(out, request, &Allowed { behavior: "allow", updated_input: input }),
        Reply::AllowExactly { input } => match serde_json::from_str::<&RawValue>(input) {
            Ok(input) => respond(out, request, &Allowed { behavior: "allow", updated_input: input }),
            Err(error) => deny(out, request, &format!("what was approved cannot be read ({error})")),
        },
        Reply::Deny { message } => deny(out, request, message),
        Reply::Answers(answers) => {
            let mut updated: Value = serde_json::from_str(input.get()).unwrap_or_default();
            let answers: serde_json::Map<_, _> =
                answers.iter().map(|(question, answer)| (question.clone(), Value::from(answer.as_str()))).collect();
            if let Some(fields) = updated.as_object_mut() {
                fields.insert("answers".to_owned(), Value::Object(answers));
            }
            respond(out, request, &json!({"behavior": "allow", "updatedInput": updated}));
        }
        Reply::Form { .. } => deny(out, request, "this was not a form"),
    }
}

#[derive(Serialize)]
struct Allowed<'a> {
    behavior: &'static str,
    #[serde(rename = "updatedInput")]
    updated_input: &'a RawValue,
}

fn deny(out: &mut Vec<u8>, request: &str, message: &str) {
    respond(out, request, &json!({"behavior": "deny", "message": message}));
}

/// The answer to a tool server that wants something filled in.
pub(crate) fn form(out: &mut Vec<u8>, request: &str, reply: &Reply) {
    match reply {
        Reply::Form { content } => respond(out, request, &json!({"action": "accept", "content": content})),
        Reply::Allow => respond(out, request, &json!({"action": "accept"})),
        _ => respond(out, request, &json!({"action": "decline"})),
    }
}

/// An answer of the MCP server on the pipe.
pub(crate) fn rpc(out: &mut Vec<u8>, request: &str, id: Option<&RawValue>, result: Result<Value, (i32, String)>) {
    let mut message = match result {
        Ok(result) => json!({"jsonrpc": "2.0", "result": result}),
        Err((code, message)) => json!({"jsonrpc": "2.0", "error": {"code": code, "message": message}}),
    };
    message["id"] = id.and_then(|id| serde_json::from_str(id.get()).ok()).unwrap_or(Value::Null);
    respond(out, request, &json!({ "mcp_response": message }));
}

fn respond(out: &mut Vec<u8>, request: &str, response: &impl Serialize) {
    let response = Success { subtype: "success", request_id: request, response };
    line(out, &ControlResponse { kind: "control_response", response });
}

#[derive(Serialize)]
struct ControlResponse<T> {
    #[serde(rename = "type")]
    kind: &'static str,
    response: T,
}

#[derive(Serialize)]
struct Success<'a, T> {
    subtype: &'static str,
    request_id: &'a str,
    response: T,
}

pub(crate) fn refuse(out: &mut Vec<u8>, request: &str, subtype: &str) {
    let error = format!("Iris does not serve control requests of the kind '{subtype}'");
    line(
        out,
        &json!({"type": "control_response", "response": {"subtype": "error", "request_id": request, "error": error}}),
    );
}

fn line(out: &mut Vec<u8>, value: &impl Serialize) {
    serde_json::to_writer(&mut *out, value).expect("writing plain data to memory cannot fail");
    out.push(b'\n');
}
