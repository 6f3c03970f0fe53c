//! What an agent said or did, in a line.

use serde_json::Value;

/// What of a tool's input says most, in this order.
const TELLING: [&str; 9] =
    ["command", "file_path", "path", "pattern", "query", "url", "description", "prompt", "skill"];

/// The parts of this type in what an agent program wrote.
pub fn parts<'a>(line: &'a Value, kind: &'a str) -> impl Iterator<Item = &'a Value> {
    let content = line["message"]["content"].as_array();
    content.into_iter().flatten().filter(move |part| part["type"] == kind)
}

/// `Bash: cargo test`: the tool and, if there is one, the part of its input that says most.
pub fn call(name: &str, input: &Value) -> String {
    match TELLING.iter().find_map(|key| input[key].as_str()) {
        Some(part) => format!("{name}: {part}"),
        None => name.to_owned(),
    }
}

/// What an agent does just now, from the newest thing it said.
pub fn step(message: &Value) -> Option<String> {
    let said = message["text"].as_str().filter(|text| !text.is_empty());
    match message["type"].as_str()? {
        "tool_use" => {
            let input = parts(&message["data"], "tool_use").next().map(|part| &part["input"]);
            Some(call(said.unwrap_or("tool"), input.unwrap_or(&Value::Null)))
        }
        "tool_result" => Some("reads what a tool gave back".to_owned()),
        "thinking" => Some("thinks".to_owned()),
        "assistant" | "task" | "retry" | "compaction" | "model_fallback" => said.map(str::to_owned),
        _ => None,
    }
}
