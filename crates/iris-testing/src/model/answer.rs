//! From a step to the message that the API would give. Pure but for the ids, which must be new in a resumed session too.

use serde_json::{Value, json};
use uuid::Uuid;

use super::history::{self, Call, Message};
use super::step::{AnswerStep, Text, ToolCall};

pub struct Answer {
    id: String,
    model: String,
    pub content: Vec<Content>,
    stop_reason: String,
    input_tokens: usize,
    output_tokens: usize,
}

pub enum Content {
    Thinking(String),
    Text(String),
    ToolUse { id: String, call: ToolCall },
}

/// The API signs thoughts; nobody checks it here.
pub const SIGNATURE: &str = "bWFkZSB1cA==";

impl Answer {
    pub fn compose(step: &AnswerStep, call: &Call, messages: &[Message]) -> Self {
        let mut content: Vec<Content> = step.thinking.clone().map(Content::Thinking).into_iter().collect();
        content.extend(step.text.as_ref().map(|text| Content::Text(write(text, messages))));
        let tool_use = |call: &ToolCall| Content::ToolUse { id: new_id("toolu"), call: call.clone() };
        content.extend(step.tools.iter().map(tool_use));
        if let (true, Some(stop)) = (content.is_empty(), &step.stop) {
            content.push(Content::Text(format!("stopped by {stop}")));
        }
        let natural = if step.tools.is_empty() { "end_turn" } else { "tool_use" };
        Self {
            id: new_id("msg"),
            model: call.model.clone(),
            stop_reason: step.stop.clone().unwrap_or_else(|| natural.to_owned()),
            input_tokens: call.input_tokens(),
            output_tokens: content.iter().map(Content::size).sum::<usize>() / 4 + 1,
            content,
        }
    }

    /// The answer in one piece.
    pub fn whole(&self) -> Value {
        let mut message = self.start();
        message["content"] = self.content.iter().map(Content::whole).collect();
        message["stop_reason"] = json!(self.stop_reason);
        message["usage"] = self.usage(self.output_tokens);
        message
    }

    /// What is known before the first word.
    pub fn start(&self) -> Value {
        json!({
            "id": self.id, "type": "message", "role": "assistant", "model": self.model, "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": self.usage(1),
        })
    }

    /// What is known after the last word.
    pub fn end(&self) -> Value {
        json!({
            "type": "message_delta",
            "delta": {"stop_reason": self.stop_reason, "stop_sequence": null},
            "usage": self.usage(self.output_tokens),
        })
    }

    fn usage(&self, output_tokens: usize) -> Value {
        json!({
            "input_tokens": self.input_tokens, "output_tokens": output_tokens,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        })
    }
}

impl Content {
    fn whole(&self) -> Value {
        match self {
            Content::Thinking(text) => json!({"type": "thinking", "thinking": text, "signature": SIGNATURE}),
            Content::Text(text) => json!({"type": "text", "text": text}),
            Content::ToolUse { id, call } => {
                json!({"type": "tool_use", "id": id, "name": call.tool, "input": call.input})
            }
        }
    }

    fn size(&self) -> usize {
        match self {
            Content::Thinking(text) | Content::Text(text) => text.len(),
            Content::ToolUse { call, .. } => call.tool.len() + call.input.to_string().len(),
        }
    }
}

fn write(text: &Text, messages: &[Message]) -> String {
    match text {
        Text::Given(text) => text.clone(),
        // Words, so that it can also come slowly.
        Text::Big(size) => "0123456 ".chars().cycle().take(*size).collect(),
        Text::Echo => history::digest(messages),
    }
}

fn new_id(prefix: &str) -> String {
    format!("{prefix}_{}", Uuid::new_v4().simple())
}
