//! What an agent said or did, in a line.

use crate::message::{Message, MessageType};

/// `Bash: cargo test`: the tool and, if that is known, what the call goes by.
pub fn call(name: &str, about: Option<&str>) -> String {
    match about {
        Some(about) => format!("{name}: {about}"),
        None => name.to_owned(),
    }
}

/// What an agent does just now, from the newest thing it said.
pub fn step(message: &Message) -> Option<String> {
    let said = message.text.as_deref().filter(|text| !text.is_empty());
    match message.kind {
        MessageType::ToolUse => Some(match message.calls.first() {
            Some(first) => call(&first.name, first.meaning.about.as_deref()),
            None => said.unwrap_or("tool").to_owned(),
        }),
        MessageType::ToolResult => Some("reads what a tool gave back".to_owned()),
        MessageType::Thinking => Some("thinks".to_owned()),
        MessageType::Assistant
        | MessageType::Task
        | MessageType::Retry
        | MessageType::Compaction
        | MessageType::ModelFallback => said.map(str::to_owned),
        MessageType::System | MessageType::Unknown | MessageType::Garbage => None,
    }
}
