//! What tools answer: the JSON Schemas, and what it looks like when a call is not carried out.

use serde_json::{Value, json};

/// Why a call was not carried out, in words a model can act on.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub why: String,
    /// The answer as far as there is one: a tell that did not end well has one.
    pub answer: Option<Value>,
}

impl From<String> for Refusal {
    fn from(why: String) -> Self {
        Self { why, answer: None }
    }
}

pub(super) fn tell() -> Value {
    let status = ["completed", "async", "mcp_timeout", "failed", "terminated", "cancelled"];
    object(
        &["status", "from", "to", "sessionId", "turnId"],
        json!({
            "status": { "type": "string", "enum": status,
                        "description": "async: accepted, not waited for. mcp_timeout: still at work." },
            "from": text(),
            "to": text(),
            "sessionId": text(),
            "turnId": text(),
            "position": { "type": "integer", "description": "How many turns come before it." },
            "note": { "type": "string", "description": "What it waits for: other turns, a person, a limit." },
            "response": { "type": "string", "description": "What the team answered." },
            "partialResponse": { "type": "string", "description": "What it had said so far." },
            "durationMs": whole(),
            "error": text(),
            "reason": { "type": "string", "description": "Why it was terminated." },
            "exitCode": maybe("integer"),
            "signal": maybe("integer"),
            "stderr": text(),
            "usage": usage(),
        }),
    )
}

pub(super) fn teams() -> Value {
    list(
        "teams",
        &["name", "you"],
        json!({
            "name": text(),
            "description": maybe("string"),
            "you": { "type": "boolean", "description": "Whether it is your own." },
            "state": state(),
        }),
    )
}

pub(super) fn name() -> Value {
    object(
        &["team", "party"],
        json!({
            "team": maybe("string"),
            "party": { "type": "string", "description": "Whom you speak as: a team, or a person." },
        }),
    )
}

pub(super) fn wake() -> Value {
    object(&["team", "wasAwake"], json!({ "team": text(), "wasAwake": yes_or_no(), "state": state() }))
}

pub(super) fn wake_all() -> Value {
    list("teams", &["team"], json!({ "team": text(), "wasAwake": yes_or_no(), "state": state(), "error": text() }))
}

pub(super) fn is_awake() -> Value {
    object(&["team", "awake"], json!({ "team": text(), "awake": yes_or_no(), "state": state() }))
}

pub(super) fn sleep() -> Value {
    object(&["team", "stopped"], json!({ "team": text(), "stopped": yes_or_no() }))
}

pub(super) fn cancel() -> Value {
    let turns = json!({ "type": "array", "items": text(), "description": "The turns that were broken off." });
    object(&["team", "cancelled"], json!({ "team": text(), "cancelled": turns }))
}

pub(super) fn report() -> Value {
    object(
        &["team", "queued"],
        json!({ "team": text(), "state": state(), "queued": whole(), "lastTurn": { "anyOf": [turn(), { "type": "null" }] } }),
    )
}

pub(super) fn read() -> Value {
    object(
        &["team", "sessionId", "total", "turns", "next"],
        json!({
            "team": text(),
            "sessionId": text(),
            "total": { "type": "integer", "description": "How many turns are on record." },
            "turns": { "type": "array", "items": turn(), "description": "Oldest first." },
            "next": { "anyOf": one_of(&["integer", "null"]),
                      "description": "Give it as `before` for the turns before these, or as `after` if you gave that; \
                                      null if there are no more." },
        }),
    )
}

pub(super) fn clear() -> Value {
    object(&["team", "cleared"], json!({ "team": text(), "cleared": whole() }))
}

pub(super) fn fork() -> Value {
    object(
        &["team", "sessionId", "fromTeam"],
        json!({
            "team": text(),
            "sessionId": text(),
            "fromTeam": { "type": "string", "description": "Give this as fromTeam to speak in the copy." },
        }),
    )
}

pub(super) fn reboot() -> Value {
    object(
        &["team", "hadSession", "sessionId"],
        json!({ "team": text(), "hadSession": yes_or_no(), "sessionId": text(), "forgotten": whole() }),
    )
}

pub(super) fn delete() -> Value {
    object(&["team", "hadSession"], json!({ "team": text(), "hadSession": yes_or_no(), "forgotten": whole() }))
}

pub(super) fn status() -> Value {
    list(
        "teams",
        &["team", "awake"],
        json!({ "team": text(), "awake": yes_or_no(), "state": state(), "queued": whole() }),
    )
}

fn turn() -> Value {
    object(
        &["number", "turnId", "state", "message"],
        json!({
            "number": whole(),
            "turnId": text(),
            "state": text(),
            "message": text(),
            "response": maybe("string"),
            "error": maybe("string"),
            "reason": maybe("string"),
            "usage": { "anyOf": [usage(), { "type": "null" }] },
        }),
    )
}

fn usage() -> Value {
    let properties = json!({
        "inputTokens": whole(),
        "outputTokens": whole(),
        "cacheReadTokens": whole(),
        "cacheWriteTokens": whole(),
        "costUsd": { "type": "number" },
        "model": text(),
    });
    json!({ "type": "object", "properties": properties, "description": "What the turn cost." })
}

fn state() -> Value {
    json!({ "anyOf": one_of(&["string", "null"]),
            "description": "stopped, spawning, idle, processing, waiting_for_input or waiting_for_approval (of a \
                            person), or terminating; null if you never spoke." })
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn whole() -> Value {
    json!({ "type": "integer" })
}

fn yes_or_no() -> Value {
    json!({ "type": "boolean" })
}

fn maybe(kind: &str) -> Value {
    json!({ "anyOf": one_of(&[kind, "null"]) })
}

/// What may be of several kinds is said of each by itself: a list as its `type` makes some clients refuse the tool.
pub(super) fn one_of(kinds: &[&str]) -> Value {
    kinds.iter().map(|kind| json!({ "type": kind })).collect()
}

fn list(name: &str, required: &[&str], properties: Value) -> Value {
    object(&[name], json!({ name: { "type": "array", "items": object(required, properties) } }))
}

fn object(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}
