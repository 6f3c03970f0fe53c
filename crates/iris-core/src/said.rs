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
            Some(first) => {
                let served = first.meaning.served.as_ref().map(|served| format!("{} ({})", served.tool, served.server));
                call(served.as_deref().unwrap_or(&first.name), first.meaning.about.as_deref())
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: serde_json::Value, expected: &str) {
        let message: Message = serde_json::from_value(message).expect("a message");
        assert_eq!(step(&message).as_deref(), Some(expected));
    }

    #[test]
    fn a_tool_of_a_server_is_named_with_its_server() {
        let uses = |name: &str, meaning: serde_json::Value| serde_json::json!({"type": "tool_use", "calls": [{"id": "1", "name": name, "input": {}, "meaning": meaning}]});
        check(uses("Bash", serde_json::json!({"about": "cargo test"})), "Bash: cargo test");
        let served = serde_json::json!({"about": "May I?", "served": {"server": "iris", "tool": "ask_question"}});
        check(uses("mcp__iris__ask_question", served), "ask_question (iris): May I?");
    }
}
