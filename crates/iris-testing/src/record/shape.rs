//! The shape of a transcript: which lines there are, and which fields they have, whatever is in them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Each kind of line with the fields that any of its lines has.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Shape(BTreeMap<String, BTreeSet<String>>);

/// What differs between two shapes, in words.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Iris may have read it.
    pub gone: Vec<String>,
    /// Nobody reads it yet.
    pub new: Vec<String>,
}

/// Whether these come, and how often, is a matter of time.
const FLEETING: [&str; 5] =
    ["system/task_progress", "system/thinking_tokens", "system/status", "tool_progress", "stream_event/ping"];

/// Deeper than this are the contents of tools, which are theirs.
const DEPTH: usize = 3;

impl Shape {
    pub fn of(transcript: &str) -> Self {
        let mut shape = Self::default();
        for line in transcript.lines() {
            let Ok(line) = serde_json::from_str::<Value>(line) else {
                shape.0.entry("not JSON".to_owned()).or_default();
                continue;
            };
            let kind = kind(&line);
            if !FLEETING.contains(&kind.as_str()) {
                fields(&line, "", DEPTH, shape.0.entry(kind).or_default());
            }
        }
        shape
    }

    /// What `self` has and `later` has not, and the other way round.
    pub fn compare(&self, later: &Self) -> Difference {
        Difference { gone: self.without(later), new: later.without(self) }
    }

    fn without(&self, other: &Self) -> Vec<String> {
        let mut missing = Vec::new();
        for (kind, fields) in &self.0 {
            let Some(others) = other.0.get(kind) else {
                missing.push(format!("lines of the kind `{kind}`"));
                continue;
            };
            // With a field go those inside it; they need not be named.
            let has_parent = |field: &str| field.rsplit_once('.').is_none_or(|(parent, _)| others.contains(parent));
            let gone = fields.difference(others).filter(|field| has_parent(field));
            missing.extend(gone.map(|field| format!("`{field}` in `{kind}`")));
        }
        missing
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.gone.iter().try_for_each(|what| writeln!(to, "  - {what}"))?;
        self.new.iter().try_for_each(|what| writeln!(to, "  + {what}"))
    }
}

/// `result/success`, `control_request/can_use_tool`, `stream_event/message_start`, `assistant/text`, …
fn kind(line: &Value) -> String {
    let inner = [
        &line["subtype"],
        &line["request"]["subtype"],
        &line["response"]["subtype"],
        &line["event"]["type"],
        &line["message"]["content"][0]["type"],
    ];
    let names = [&line["type"]].into_iter().chain(inner).filter_map(Value::as_str);
    names.collect::<Vec<_>>().join("/")
}

/// Models and the like are keys too; what is meant is their kind.
const NAMES_ARE_VALUES: [&str; 2] = ["modelUsage", "model_usage_since_last_result"];

fn fields(value: &Value, path: &str, depth: usize, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields_of) if depth > 0 => {
            for (name, field) in fields_of {
                let named_by_value = NAMES_ARE_VALUES.iter().any(|parent| path.ends_with(parent));
                let name = if named_by_value { "*" } else { name };
                let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                fields(field, &path, depth - 1, found);
                found.insert(path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, path, depth, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_and_what_is_new_is_said() {
        let before = r#"{"type":"result","subtype":"success","usage":{"input_tokens":1},"old":0}
{"type":"keep_alive"}"#;
        let after = r#"{"type":"result","subtype":"success","usage":{"input_tokens":7,"fresh":{"inside":2}}}
{"type":"system","subtype":"status"}"#;
        let difference = Shape::of(before).compare(&Shape::of(after));
        assert_eq!(difference.gone, ["lines of the kind `keep_alive`", "`old` in `result/success`"]);
        assert_eq!(difference.new, ["`usage.fresh` in `result/success`"], "a status comes when it comes");
    }

    #[test]
    fn names_of_models_are_values() {
        let one = r#"{"type":"result","modelUsage":{"a-1":{"costUSD":1}}}"#;
        let other = r#"{"type":"result","modelUsage":{"b-2":{"costUSD":2}}}"#;
        assert_eq!(Shape::of(one), Shape::of(other));
    }
}
