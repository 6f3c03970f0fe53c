//! What a call of the model holds: its messages, as far as a script or a test cares.

use serde::Deserialize;
use serde_json::{Value, json};

/// The body of a call.
#[derive(Clone, Debug, Deserialize)]
pub struct Call {
    pub model: String,
    #[serde(default)]
    pub stream: bool,
    #[serde(default)]
    pub system: Value,
    #[serde(default)]
    pub tools: Vec<Value>,
    pub messages: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// `user`, `assistant`, or `system`: newer CLIs speak of their surroundings in the midst of the conversation.
    pub role: String,
    pub blocks: Vec<Block>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Text(String),
    ToolUse {
        name: String,
        input: Value,
    },
    ToolResult {
        text: String,
        is_error: bool,
    },
    /// A picture, a thought, or what has not been invented yet: its type.
    Other(String),
}

impl Call {
    pub fn messages(&self) -> Vec<Message> {
        self.messages.iter().map(Message::read).collect()
    }

    pub fn tool_names(&self) -> Vec<String> {
        self.tools.iter().map(|tool| text_of(&tool["name"])).collect()
    }

    pub fn system_text(&self) -> String {
        texts(&self.system).join("\n")
    }

    /// Made up, but the same for the same call: four bytes a token, as people say.
    pub fn input_tokens(&self) -> usize {
        let bytes = |value: &Value| value.to_string().len();
        let parts = [&self.system].into_iter().chain(&self.tools).chain(&self.messages);
        parts.map(bytes).sum::<usize>() / 4 + 1
    }
}

impl Message {
    fn read(message: &Value) -> Self {
        let blocks = match &message["content"] {
            Value::String(text) => vec![Block::Text(text.clone())],
            Value::Array(blocks) => blocks.iter().map(Block::read).collect(),
            _ => Vec::new(),
        };
        Self { role: text_of(&message["role"]), blocks }
    }

    pub fn texts(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            _ => None,
        })
    }
}

impl Block {
    fn read(block: &Value) -> Self {
        match block["type"].as_str().unwrap_or_default() {
            "text" => Block::Text(text_of(&block["text"])),
            "tool_use" => Block::ToolUse { name: text_of(&block["name"]), input: block["input"].clone() },
            "tool_result" => Block::ToolResult {
                text: texts(&block["content"]).join("\n"),
                is_error: block["is_error"].as_bool().unwrap_or_default(),
            },
            other => Block::Other(other.to_owned()),
        }
    }

    /// What a person would say about it in a line.
    fn brief(&self) -> String {
        match self {
            Block::Text(text) => beginning(text, BRIEF),
            Block::ToolUse { name, input } => format!("<{name}> {}", beginning(&input.to_string(), BRIEF)),
            Block::ToolResult { text, is_error: false } => format!("<result> {}", beginning(text, BRIEF)),
            Block::ToolResult { text, is_error: true } => format!("<error> {}", beginning(text, BRIEF)),
            Block::Other(kind) => format!("<{kind}>"),
        }
    }
}

const BRIEF: usize = 160;

/// What the person said last. The CLI's own notes come as texts of the user too, in angle brackets.
pub fn last_user_text(messages: &[Message]) -> String {
    let texts = messages.iter().rev().filter(|message| message.role == "user").flat_map(|m| m.texts().rev());
    texts.into_iter().find(|text| !text.starts_with("<system-reminder>")).unwrap_or_default().to_owned()
}

/// The whole conversation in short, as a JSON array of `[role, block, block, …]`: it shows what a resumed session knows.
pub fn digest(messages: &[Message]) -> String {
    let lines = messages.iter().map(|message| {
        let words = std::iter::once(message.role.clone()).chain(message.blocks.iter().map(Block::brief));
        json!(words.collect::<Vec<_>>())
    });
    Value::Array(lines.collect()).to_string()
}

pub fn beginning(text: &str, count: usize) -> String {
    text.chars().take(count).collect()
}

/// A text, or the texts of an array of blocks: the API takes both in several places.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(blocks) => blocks.iter().filter_map(|block| Some(block["text"].as_str()?.to_owned())).collect(),
        _ => Vec::new(),
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
