//! What Iris writes to an agent, one line each.

use iris_core::agent::PermissionReply;
use iris_core::id::TurnId;
use serde::Serialize;
use serde_json::json;

/// The id of the one request whose answer says that the agent is ready.
pub(crate) const INITIALIZE: &str = "iris-initialize";

pub(crate) fn initialize(out: &mut Vec<u8>) {
    line(out, &json!({"type": "control_request", "request_id": INITIALIZE, "request": {"subtype": "initialize"}}));
}

#[derive(Serialize)]
struct UserMessage<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    message: UserContent<'a>,
    uuid: &'a TurnId,
}

#[derive(Serialize)]
struct UserContent<'a> {
    role: &'static str,
    content: &'a str,
}

pub(crate) fn user_message(out: &mut Vec<u8>, turn: &TurnId, text: &str) {
    line(out, &UserMessage { kind: "user", message: UserContent { role: "user", content: text }, uuid: turn });
}

pub(crate) fn interrupt(out: &mut Vec<u8>) {
    line(out, &json!({"type": "control_request", "request_id": "iris-interrupt", "request": {"subtype": "interrupt"}}));
}

pub(crate) fn end_session(out: &mut Vec<u8>) {
    line(out, &json!({"type": "control_request", "request_id": "iris-end", "request": {"subtype": "end_session"}}));
}

pub(crate) fn permission_reply(out: &mut Vec<u8>, request: &str, reply: &PermissionReply) {
    let response = match reply {
        PermissionReply::Allow => json!({"behavior": "allow"}),
        PermissionReply::Deny { message } => json!({"behavior": "deny", "message": message}),
    };
    line(
        out,
        &json!({"type": "control_response", "response": {"subtype": "success", "request_id": request, "response": response}}),
    );
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
