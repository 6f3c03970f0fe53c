//! What an agent gives along with a question, written for people, who are not to read JSON.

use serde_json::Value;

/// What is deeper than this is shown as it was given.
const DEEPEST: usize = 4;

/// Words as they are; fields and lists as a list, with what is in them below them.
pub(super) fn write(given: &Value) -> String {
    let mut text = String::new();
    match given {
        Value::Object(_) | Value::Array(_) => list(given, 0, &mut text),
        given => text.push_str(&plain(given)),
    }
    text.truncate(text.trim_end().len());
    text
}

fn list(value: &Value, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let entries: Vec<(Option<&str>, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(name, value)| (Some(name.as_str()), value)).collect(),
        Value::Array(values) => values.iter().map(|value| (None, value)).collect(),
        _ => Vec::new(),
    };
    for (name, value) in entries {
        let name = name.map(|name| format!("{name}: ")).unwrap_or_default();
        let is_deep = matches!(value, Value::Object(_) | Value::Array(_)) && depth < DEEPEST;
        let plain = if is_deep { String::new() } else { plain(value) };
        if is_deep {
            text.push_str(format!("{indent}- {}", name).trim_end());
            text.push('\n');
            list(value, depth + 1, text);
        } else if plain.contains('\n') {
            // As it is, line by line: a difference, a log.
            let block = plain.lines().map(|line| format!("{indent}  {line}\n")).collect::<String>();
            text.push_str(&format!("{indent}- {name}\n{indent}  ```\n{block}{indent}  ```\n"));
        } else {
            text.push_str(&format!("{indent}- {name}{plain}\n"));
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
