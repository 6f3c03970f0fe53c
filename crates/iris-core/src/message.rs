//! A message: one thing an agent said or did in a turn. What is kept of it, and its form in the event log.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A message as an adapter hands it on, with the agent's own line beside what was understood of it.
#[derive(Clone, Debug)]
pub struct Heard {
    pub kind: MessageType,
    pub text: Option<String>,
    /// The tool call under which a sub-agent said this.
    pub parent: Option<String>,
    /// The agent's own line. The adapter has parsed it, so it is JSON, and is not looked at again.
    pub line: Option<String>,
}

impl Heard {
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { kind: MessageType::Assistant, text: Some(text.into()), parent: None, line: None }
    }

    /// Whether this is the agent itself speaking to whoever told it, and not one of its sub-agents.
    pub fn is_reply(&self) -> bool {
        self.kind == MessageType::Assistant && self.parent.is_none()
    }

    /// The form in which it is kept: that of `Message`. Put together by hand, because an agent may say ten thousand
    /// things in a burst and each line would else be parsed twice.
    pub fn to_json(&self) -> String {
        let line = self.line.as_deref().unwrap_or_default();
        let text = self.text.as_deref().unwrap_or_default();
        let mut json = String::with_capacity(line.len() + text.len() + 64);
        json.push_str("{\"type\":\"");
        json.push_str(self.kind.as_str());
        json.push('"');
        for (name, value) in [("text", &self.text), ("parent", &self.parent)] {
            if let Some(value) = value {
                json.push_str(",\"");
                json.push_str(name);
                json.push_str("\":");
                json.push_str(&serde_json::to_string(value).expect("text always has a JSON form"));
            }
        }
        if !line.is_empty() {
            json.push_str(",\"data\":");
            json.push_str(line);
        }
        json.push('}');
        json
    }
}

/// What a message is, in words that hold for every kind of agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageType {
    Assistant,
    Thinking,
    ToolUse,
    ToolResult,
    /// What the agent program says of itself.
    System,
    /// The model's provider did not answer as it should; the agent tries again.
    Retry,
    /// The conversation was shortened to fit.
    Compaction,
    /// The agent went on with another model.
    ModelFallback,
    /// A sub-agent or a background shell: started, going on, ended.
    Task,
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
            Self::Retry => "retry",
            Self::Compaction => "compaction",
            Self::ModelFallback => "model_fallback",
            Self::Task => "task",
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
    /// Whether this is the agent itself speaking to whoever told it, and not one of its sub-agents.
    pub fn is_reply(&self) -> bool {
        self.kind == MessageType::Assistant && self.parent.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_heard_reads_back_as_a_message() {
        let heard = Heard {
            kind: MessageType::ToolUse,
            text: Some("a \"quoted\"\nline \u{1}".to_owned()),
            parent: Some("toolu_1".to_owned()),
            line: Some(r#"{"type":"assistant","n":[1,2]}"#.to_owned()),
        };
        let kept: Message = serde_json::from_str(&heard.to_json()).expect("it is JSON");
        assert_eq!((kept.kind, &kept.text, &kept.parent), (heard.kind, &heard.text, &heard.parent));
        assert_eq!(kept.data.expect("the line").get(), heard.line.as_deref().expect("the line"));
        let bare: Message = serde_json::from_str(&Heard::assistant("hi").to_json()).expect("it is JSON");
        assert!(bare.is_reply() && bare.data.is_none());
    }
}
