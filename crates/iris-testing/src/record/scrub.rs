//! Takes out of a recording what is another each time: ids, times, sizes, places. What stands for an id says which one it
//! is, so that lines that belong together are seen to.

use std::collections::HashMap;
use std::sync::LazyLock;

use anyhow::{Context, Result};
use regex::{Captures, Regex};
use serde_json::{Map, Value, json};

use super::host::Recording;

pub fn scrub(recording: &Recording) -> Result<String> {
    let mut scrubber = Scrubber { places: places(recording), ids: HashMap::new(), counts: HashMap::new() };
    let mut scrubbed = String::new();
    for line in recording.lines.lines().filter(|line| !line.trim().is_empty()) {
        let mut value: Value = serde_json::from_str(line).with_context(|| format!("not JSON: {line}"))?;
        shorten(&mut value);
        scrubber.value("", &mut value);
        scrubbed.push_str(&value.to_string());
        scrubbed.push('\n');
    }
    Ok(scrubbed)
}

/// The longest first, because one may be in another.
fn places(recording: &Recording) -> Vec<(String, &'static str)> {
    let home = recording.home.display().to_string();
    let slug: String = home.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let mut places = vec![(recording.model.clone(), "<model>"), (home, "<home>"), (slug, "<home>")];
    places.sort_by_key(|(place, _)| std::cmp::Reverse(place.len()));
    places
}

/// Of the long lines in which the CLI introduces itself, only what is read or may one day be.
const OF_INIT: [&str; 10] = [
    "type",
    "subtype",
    "session_id",
    "uuid",
    "model",
    "permissionMode",
    "claude_code_version",
    "mcp_servers",
    "capabilities",
    "user_message_uuids",
];
const OF_GREETING: [&str; 5] = ["claude_code_version", "account", "pid", "capabilities", "current_permission_mode"];

fn shorten(line: &mut Value) {
    let keep = |fields: &mut Map<String, Value>, kept: &[&str]| fields.retain(|name, _| kept.contains(&name.as_str()));
    if line["subtype"] == "init"
        && let Some(fields) = line.as_object_mut()
    {
        keep(fields, &OF_INIT);
    }
    let is_greeting = line["response"]["response"].get("models").is_some();
    if is_greeting && let Some(fields) = line["response"]["response"].as_object_mut() {
        keep(fields, &OF_GREETING);
    }
}

struct Scrubber {
    places: Vec<(String, &'static str)>,
    ids: HashMap<String, String>,
    counts: HashMap<String, usize>,
}

/// How much of a text is kept; the CLI's own words can be pages long.
const TEXT_KEPT: usize = 300;

impl Scrubber {
    fn value(&mut self, name: &str, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(name, text),
            Value::Number(number) => {
                *value = self.number(name, number.as_f64().unwrap_or_default()).unwrap_or_else(|| json!(number))
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(name, item)),
            Value::Object(fields) => fields.iter_mut().for_each(|(name, field)| self.value(name, field)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// `None` for a number that says the same each time.
    fn number(&self, name: &str, number: f64) -> Option<Value> {
        let lower = name.to_ascii_lowercase();
        let is_time =
            lower.ends_with("_ms") || lower.ends_with("ms") || lower.contains("time") || lower.contains("duration");
        if is_time || lower == "pid" || lower.ends_with("_at") {
            return Some(json!(0));
        }
        if lower.contains("token") || lower == "bytes" {
            return Some(json!(about(number, 1)));
        }
        // A sum of two turns stays about twice as much as the first.
        lower.contains("cost").then(|| json!(about(number * 1000.0, 1) as f64 / 1000.0))
    }

    fn text(&mut self, name: &str, text: &str) -> String {
        if name == "uuid" {
            return "<uuid>".to_owned();
        }
        let mut text = text.to_owned();
        for (place, word) in &self.places {
            text = text.replace(place, word);
        }
        let text = TIME.replace_all(&text, "<time>").into_owned();
        let text = FIGURE.replace_all(&text, "$1<figure>").into_owned();
        let text = ID.replace_all(&text, |found: &Captures<'_>| self.id(name, &found[0])).into_owned();
        match text.char_indices().nth(TEXT_KEPT) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    /// The field in which it was first seen, and which it is of those: two lines that change places change no other.
    fn id(&mut self, name: &str, id: &str) -> String {
        if let Some(word) = self.ids.get(id) {
            return word.clone();
        }
        let count = self.counts.entry(name.to_owned()).or_insert(0);
        *count += 1;
        let word = format!("<{name}-{count}>");
        self.ids.insert(id.to_owned(), word.clone());
        word
    }
}

/// To so many digits.
fn about(number: f64, digits: i32) -> u64 {
    if number <= 0.0 {
        return 0;
    }
    #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a number of tokens")]
    let unit = 10_f64.powi(number.log10().floor() as i32 - (digits - 1));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of tokens")]
    let rounded = ((number / unit).round() * unit).round() as u64;
    rounded
}

static TIME: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?"));
/// As a tool tells the model what a sub-agent took.
static FIGURE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b((?:duration_ms|subagent_tokens|total_tokens): )\d+"));
/// Of the model, of a session, of a sub-agent, of a run of one.
static ID: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(toolu|msg|req)_[0-9A-Za-z]{16,}|\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\ba[0-9a-f]{16}\b|\b0m[0-9a-z]{7}-[0-9a-f]{8}\b",
    )
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of ours")
}
