//! What an agent process can say, in words that hold for every kind of agent, and how it can end.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::message::Heard;

/// One thing that came out of an agent, parsed and typed by the adapter of its kind.
#[derive(Debug)]
pub enum AgentOutput {
    /// It is up and takes messages.
    Ready,
    /// Something worth keeping.
    Message(Heard),
    /// A piece of text of a message that is still being written. Shown, never stored.
    Delta(String),
    /// It asks leave to use a tool, and waits.
    PermissionAsked(PermissionRequest),
    /// It no longer waits for that answer.
    PermissionWithdrawn { request: String },
    /// It is alive and has nothing to say.
    Heartbeat,
    /// The turn is over, one way or the other.
    TurnEnded(TurnEnd),
}

#[derive(Debug)]
pub struct PermissionRequest {
    pub request: String,
    pub tool: String,
    pub input: Box<RawValue>,
}

/// Iris's answer to a request for permission.
#[derive(Debug, PartialEq, Eq)]
pub enum PermissionReply {
    Allow,
    Deny { message: String },
}

/// What the agent said at the end of a turn.
#[derive(Clone, Debug, Default)]
pub struct TurnEnd {
    pub error: Option<String>,
    /// It ended because it was interrupted.
    pub aborted: bool,
    pub text: Option<String>,
    pub usage: Usage,
}

/// What a turn cost. Figures of this turn, not running totals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
    #[serde(default)]
    pub cache_read_tokens: u64,
    #[serde(default)]
    pub cache_write_tokens: u64,
    #[serde(default)]
    pub cost_usd: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// How a process ended, with its last words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentExit {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The tail of what it wrote to stderr.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

impl AgentExit {
    pub fn describe(&self) -> String {
        let how = match (self.code, self.signal) {
            (_, Some(signal)) => format!("killed by signal {signal}"),
            (Some(code), None) => format!("exit code {code}"),
            (None, None) => "ended for an unknown reason".to_owned(),
        };
        match self.stderr.trim() {
            "" => how,
            tail => format!("{how}; it last said: {tail}"),
        }
    }
}
