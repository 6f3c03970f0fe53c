//! What Iris writes to an agent, one line each.

use std::borrow::Cow;

use iris_core::agent::Reply;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::command::{INBOUND, REFUSED};
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

/// Every `claude` process of one user finds the others by their sockets, and a message to one starts a turn in it, whoever
/// sent it. Said here as well as on the command line, so that it holds for settings that a team's `args` name as a file.
pub(crate) fn refuse_peers(out: &mut Vec<u8>) {
    let request = json!({"subtype": "apply_flag_settings", "settings": {INBOUND: REFUSED}});
    line(out, &json!({"type": "control_request", "request_id": "iris-settings", "request": request}));
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

/// `knows_composed`: older versions do not, and read more into a text than was said.
pub(crate) fn user_message(out: &mut Vec<u8>, id: &str, text: &str, knows_composed: bool) {
    let content = if knows_composed { Cow::Borrowed(text) } else { plain(text) };
    let message = UserContent { role: "user", content: &content };
    line(out, &UserMessage { kind: "user", message, uuid: id, client_composed: true });
}

/// A text that older versions take for no more than a text: one that begins with `/` would be a command, and a word that
/// begins with `@` would have the file of that name read, wherever it is and without leave.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.starts_with('/') && !text.contains('@') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 8);
    if text.starts_with('/') {
        plain.push(' ');
    }
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let opens = letter == '@' && plain.chars().next_back().is_none_or(ends_word);
        plain.push(letter);
        if opens && letters.peek().is_some_and(|next| !next.is_whitespace()) {
            plain.push(' ');
        }
    }
    Cow::Owned(plain)
}

/// As they see it, who take more for a space than Rust does.
fn ends_word(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '\u{feff}' | '。' | '、' | '？' | '！')
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(plain(text), expected);
        let mut out = Vec::new();
        user_message(&mut out, "id", text, true);
        let said: Value = serde_json::from_slice(&out).expect("a line");
        assert_eq!(said["message"]["content"], text, "versions that take a text for a text get it as it is");
    }

    #[test]
    fn older_versions_find_no_command_and_no_file_in_a_text() {
        check("hello", "hello");
        check("/clear", " /clear");
        check("@/etc/hostname what?", "@ /etc/hostname what?");
        check("look\n@~/c and @\"b c\"", "look\n@ ~/c and @ \"b c\"");
        check("ada@example.com at @ noon, '@scope/name' @", "ada@example.com at @ noon, '@scope/name' @");
        check("@@x 見て。@y", "@ @ x 見て。@ y");
    }
}
