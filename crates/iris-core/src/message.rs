//! A message: one thing an agent said or did in a turn. What is kept of it, and its form in the event log.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What a message is, in words that hold for every kind of agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageType {
    Assistant,
    Thinking,
    ToolUse,
    ToolResult,
    /// What the agent program says of itself: start, retry, compaction, a sub-agent's progress.
    System,
    /// A line of the right form that this version of Iris does not know. Kept and shown, never fatal.
    Unknown,
    /// A line that could not be read at all.
    Garbage,
}

impl MessageType {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Assistant => "assistant",
            Self::Thinking => "thinking",
            Self::ToolUse => "tool_use",
            Self::ToolResult => "tool_result",
            Self::System => "system",
            Self::Unknown => "unknown",
            Self::Garbage => "garbage",
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    #[serde(rename = "type")]
    pub kind: MessageType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The tool call under which a sub-agent said this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The agent's own line, as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

impl Message {
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { kind: MessageType::Assistant, text: Some(text.into()), parent: None, data: None }
    }

    /// Whether this is the agent itself speaking to whoever told it, and not one of its sub-agents.
    pub fn is_reply(&self) -> bool {
        self.kind == MessageType::Assistant && self.parent.is_none()
    }
}
