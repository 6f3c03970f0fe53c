//! An action as people read it before they decide. Other inputs never look the same: a field is `name: text`, or
//! `name = JSON` if it is no text, and of a text with several lines each begins with `| `.

use serde_json::Value;
use serde_json::value::RawValue;

use super::input::Input;
use crate::visible::exact;

/// Each field on lines of its own, whole. A text is shown as the text it is, so that nothing hides in the escapes of JSON.
pub fn shown(input: &RawValue, plan: Option<&str>) -> String {
    // No field is called so: a name with spaces is quoted.
    let plan = plan.map(|plan| text("plan as the agent wrote it", plan));
    let input = fields(input);
    let parts: Vec<_> = plan.into_iter().chain(Some(input).filter(|input| !input.is_empty())).collect();
    exact(&parts.join("\n")).into_owned()
}

fn fields(input: &RawValue) -> String {
    // What cannot be read exactly is shown as it was written, so that nothing of it is left out.
    let Input { value: Value::Object(fields), is_exact: true } = Input::read(input) else {
        return input.get().to_owned();
    };
    let lines = fields.iter().map(|(field, value)| match value {
        Value::String(value) => text(&name(field), value),
        other => format!("{} = {other}", name(field)),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn text(name: &str, text: &str) -> String {
    if text.contains('\n') {
        let lines = text.split('\n').map(|line| format!("\n| {line}"));
        format!("{name}:{}", lines.collect::<String>())
    } else {
        format!("{name}: {text}")
    }
}

/// As it is if it is a plain word; else in quotes, so that nothing in it passes for the end of the name or the line.
fn name(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '$');
    if !name.is_empty() && name.chars().all(is_plain) { name.to_owned() } else { Value::from(name).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Map, json};

    fn of(input: &Value) -> String {
        shown(&RawValue::from_string(input.to_string()).expect("JSON"), None)
    }

    #[track_caller]
    fn check(input: &Value, expected: &str) {
        assert_eq!(of(input), expected);
    }

    #[test]
    fn a_field_is_a_line_and_no_text_makes_another() {
        check(&json!({"command": "ls", "description": "list files"}), "command: ls\ndescription: list files");
        check(&json!({"command": "ls\ndescription: list files"}), "command:\n| ls\n| description: list files");
        let forged = json!({"content": "x\nfile_path: README.md", "file_path": "a"});
        check(&forged, "content:\n| x\n| file_path: README.md\nfile_path: a");
        check(&json!({"a": "", "b": "x\n"}), "a: \nb:\n| x\n| ");
        check(&json!({"a: x\nb": "y", "| z": 1}), "\"a: x\\nb\": y\n\"| z\" = 1");
        check(&json!({"timeout": 5, "of": "5"}), "of: 5\ntimeout = 5");
        check(&json!({"a": "\u{202e}", "b": "\\u{202e}"}), "a: \\u{202e}\nb: \\u{5c}u{202e}");
        check(&json!({"command": "echo a\u{1b}[2K"}), "command: echo a\\u{1b}[2K");
        check(&json!({}), "");
        let plan = shown(&RawValue::from_string("{}".to_owned()).expect("JSON"), Some("1. look\r\n2. tell"));
        assert_eq!(plan, "plan as the agent wrote it:\n| 1. look\\u{d}\n| 2. tell");
    }

    fn value() -> impl Strategy<Value = Value> {
        let word = "[ab|:=\" \n\\\\u{}\u{202e}0-9]{0,6}";
        prop_oneof![
            word.prop_map(Value::from),
            (0..100).prop_map(Value::from),
            Just(Value::Null),
            Just(json!({"a": "b"})),
            Just(json!(["a\n"])),
        ]
    }

    fn input() -> impl Strategy<Value = Value> {
        let fields = proptest::collection::btree_map("[ab|:= \n\"]{0,3}", value(), 0..4);
        fields.prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>()))
    }

    /// The fields, read back from what is shown. If that gives what was there, no two inputs are shown alike.
    fn fields_of(shown: &str) -> Value {
        let mut fields = Map::new();
        let mut lines = crate::visible::read_back(shown);
        lines.push('\n');
        let mut lines = lines.split_terminator('\n').peekable();
        while let Some(line) = lines.next().filter(|_| !shown.is_empty()) {
            let (name, rest) = if line.starts_with('"') {
                let mut names = serde_json::Deserializer::from_str(line).into_iter::<String>();
                let name = names.next().expect("a name").expect("a name");
                (name, &line[names.byte_offset()..])
            } else {
                let end = line.find([':', ' ']).expect("an end of the name");
                (line[..end].to_owned(), &line[end..])
            };
            let mut more = Vec::new();
            while let Some(line) = lines.next_if(|line| line.starts_with("| ")) {
                more.push(&line[2..]);
            }
            let value = match (rest.strip_prefix(" = "), rest.strip_prefix(": ")) {
                (Some(other), _) => serde_json::from_str(other).expect("JSON"),
                (None, Some(text)) => Value::from(text),
                (None, None) => Value::from(more.join("\n")),
            };
            fields.insert(name, value);
        }
        Value::Object(fields)
    }

    proptest! {
        #[test]
        fn what_is_shown_can_be_read_back(input in input()) {
            prop_assert_eq!(fields_of(&of(&input)), input);
        }
    }
}
