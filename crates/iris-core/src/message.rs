//! A message: one thing an agent said or did in a turn. What is kept of it, and its form in the event log.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::call::{Call, CallResult};

/// A message as an adapter hands it on, with the agent's own line beside what was understood of it.
#[derive(Clone, Debug)]
pub struct Heard {
    pub kind: MessageType,
    pub text: Option<String>,
    /// The tool call under which a sub-agent said this.
    pub parent: Option<String>,
    pub calls: Vec<Call>,
    pub results: Vec<CallResult>,
    /// What the agent program says of itself, and nobody needs to read: that it began, say.
    pub noise: bool,
    /// Said in a turn that the agent had begun by itself, before it came to what it was told.
    pub aside: bool,
    /// What the agent thinks with from now on, if it names it.
    pub model: Option<String>,
    /// The agent's own line. The adapter has parsed it, so it is JSON, and is not looked at again.
    pub line: Option<String>,
}

impl Heard {
    pub fn new(kind: MessageType, text: Option<String>) -> Self {
        let (calls, results) = (Vec::new(), Vec::new());
        Self { kind, text, parent: None, calls, results, noise: false, aside: false, model: None, line: None }
    }

    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(MessageType::Assistant, Some(text.into()))
    }

    /// A word of Iris's own about the agent.
    pub fn system(text: impl Into<String>) -> Self {
        Self::new(MessageType::System, Some(text.into()))
    }

    /// Whether this is the agent itself speaking to whoever told it, and not one of its sub-agents or an aside.
    pub fn is_reply(&self) -> bool {
        self.kind == MessageType::Assistant && self.parent.is_none() && !self.aside
    }

    /// The form in which it is kept: that of `Message`. Put together by hand, because an agent may say ten thousand
    /// things in a burst and each line would else be parsed twice. What only calls have costs only those.
    pub fn to_json(&self) -> String {
        let line = self.line.as_deref().unwrap_or_default();
        let text = self.text.as_deref().unwrap_or_default();
        let mut json = String::with_capacity(line.len() + text.len() + 64);
        json.push_str("{\"type\":\"");
        json.push_str(self.kind.as_str());
        json.push('"');
        for (name, value) in [("text", &self.text), ("parent", &self.parent), ("model", &self.model)] {
            if let Some(value) = value {
                push(&mut json, name, value);
            }
        }
        if !self.calls.is_empty() {
            push(&mut json, "calls", &self.calls);
        }
        if !self.results.is_empty() {
            push(&mut json, "results", &self.results);
        }
        for (name, holds) in [("noise", self.noise), ("aside", self.aside)] {
            if holds {
                push(&mut json, name, &true);
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

fn push(json: &mut String, name: &str, value: &impl Serialize) {
    json.push_str(",\"");
    json.push_str(name);
    json.push_str("\":");
    json.push_str(&serde_json::to_string(value).expect("plain data always has a JSON form"));
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
    /// The calls of tools it makes. None in what was kept before calls were told: then there is only its text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// What came back of calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<CallResult>,
    /// What the agent program says of itself, and nobody needs to read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub noise: bool,
    /// Said in a turn that the agent had begun by itself, before it came to what it was told.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    /// What the agent thinks with from now on, if it names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's own line, as it came: for whoever knows that kind of agent. Nobody here looks into it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

impl Message {
    /// One that this version of Iris cannot read.
    pub fn unknown() -> Self {
        let (calls, results) = (Vec::new(), Vec::new());
        let kind = MessageType::Unknown;
        Self { kind, text: None, parent: None, calls, results, noise: false, aside: false, model: None, data: None }
    }

    /// Whether this is the agent itself speaking to whoever told it, and not one of its sub-agents or an aside.
    pub fn is_reply(&self) -> bool {
        self.kind == MessageType::Assistant && self.parent.is_none() && !self.aside
    }

    /// Whether this is a word of Iris's own: there is no line of the agent's behind it.
    pub fn is_own(&self) -> bool {
        self.kind == MessageType::System && self.data.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::{Meaning, ToolNature};

    #[test]
    fn what_was_heard_reads_back_as_a_message() {
        let heard = Heard {
            parent: Some("toolu_1".to_owned()),
            calls: vec![Call {
                id: "toolu_2".to_owned(),
                name: "Shell".to_owned(),
                input: RawValue::from_string(r#"{"z":1.50, "command":"ls"}"#.to_owned()).expect("JSON"),
                meaning: Meaning { about: Some("ls".to_owned()), ..ToolNature::Shell.into() },
            }],
            results: vec![CallResult { call: "toolu_0".to_owned(), text: None, is_error: true }],
            noise: true,
            aside: true,
            model: Some("opus".to_owned()),
            line: Some(r#"{"type":"assistant","n":[1,2]}"#.to_owned()),
            ..Heard::new(MessageType::ToolUse, Some("a \"quoted\"\nline \u{1}".to_owned()))
        };
        let kept: Message = serde_json::from_str(&heard.to_json()).expect("it is JSON");
        assert_eq!((kept.kind, &kept.text, &kept.parent), (heard.kind, &heard.text, &heard.parent));
        let [call] = kept.calls.as_slice() else { panic!("{kept:?}") };
        assert_eq!((call.input.get(), &call.meaning), (heard.calls[0].input.get(), &heard.calls[0].meaning));
        assert_eq!((&kept.results, &kept.model), (&heard.results, &heard.model));
        assert!(kept.noise && kept.aside);
        assert_eq!(kept.data.expect("the line").get(), heard.line.as_deref().expect("the line"));
        let bare: Message = serde_json::from_str(&Heard::assistant("hi").to_json()).expect("it is JSON");
        assert!(bare.is_reply() && bare.data.is_none());
        assert_eq!(Heard::assistant("hi").to_json(), r#"{"type":"assistant","text":"hi"}"#);
    }
}
