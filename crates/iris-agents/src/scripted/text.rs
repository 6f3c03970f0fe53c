//! Texts of a script: placeholders, and what they stand for in the turn that is playing.

use std::borrow::Cow;
use std::path::Path;
use std::rc::Rc;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A text of the script. `{{name}}` and `$1` are replaced when it is played; anything that stands for nothing (an
/// unknown name, a group the pattern does not have) is kept as written.
#[derive(Debug, Clone, Default)]
pub struct Template {
    raw: String,
    plain: bool,
}

impl Template {
    pub fn new(raw: String) -> Self {
        let plain = !raw.contains("{{") && !raw.contains('$');
        Self { raw, plain }
    }
}

impl<'de> Deserialize<'de> for Template {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

/// What placeholders stand for.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    pub turn: u64,
    pub text: String,
    /// Group 0 is the whole match; empty when the reply was the default.
    pub captures: Vec<Option<String>>,
    pub session: Rc<str>,
    pub cwd: Rc<str>,
    /// Where the conversation is kept, if it is.
    pub journal: Option<Rc<Path>>,
    /// The answer to the last `ask`.
    pub answer: String,
    /// What the last tool, command, MCP call or sub-agent gave back.
    pub result: String,
    /// The reason given with the last denial.
    pub message: String,
    /// The input the last permitted tool really ran with.
    pub input: Value,
}

impl Variables {
    pub fn expand<'t>(&self, template: &'t Template) -> Cow<'t, str> {
        if template.plain { Cow::Borrowed(&template.raw) } else { Cow::Owned(self.replace(&template.raw)) }
    }

    /// Replaces placeholders in every string of a JSON value: tool inputs and MCP arguments.
    pub fn expand_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.replace(text)),
            Value::Array(items) => items.iter().map(|item| self.expand_value(item)).collect(),
            Value::Object(fields) => {
                fields.iter().map(|(key, field)| (key.clone(), self.expand_value(field))).collect()
            }
            other => other.clone(),
        }
    }

    fn replace(&self, text: &str) -> String {
        let mut expanded = String::with_capacity(text.len() + 16);
        let mut rest = text;
        while let Some(start) = rest.find(['{', '$']) {
            let (before, at) = rest.split_at(start);
            expanded.push_str(before);
            match self.placeholder(at) {
                Some((value, length)) => {
                    expanded.push_str(&value);
                    rest = &at[length..];
                }
                None => {
                    expanded.push_str(&at[..1]);
                    rest = &at[1..];
                }
            }
        }
        expanded.push_str(rest);
        expanded
    }

    /// The value of the placeholder that `at` begins with, and how many bytes it takes.
    fn placeholder(&self, at: &str) -> Option<(Cow<'_, str>, usize)> {
        if let Some(inner) = at.strip_prefix("{{") {
            let name = &inner[..inner.find("}}")?];
            return Some((self.quoted(name.trim())?, name.len() + 4));
        }
        let digit = at.strip_prefix('$')?.chars().next()?.to_digit(10)?;
        let group = self.captures.get(digit as usize)?;
        Some((Cow::Borrowed(group.as_deref().unwrap_or_default()), 2))
    }

    /// What others wrote may go where a quote means something: into a shell command or a source file.
    fn quoted(&self, name: &str) -> Option<Cow<'_, str>> {
        if let Some(name) = name.strip_suffix(":sh") {
            return Some(Cow::Owned(format!("'{}'", self.named(name)?.replace('\'', r"'\''"))));
        }
        match name.strip_suffix(":json") {
            Some(name) => Some(Cow::Owned(Value::from(self.named(name)?).to_string())),
            None => self.named(name),
        }
    }

    fn named(&self, name: &str) -> Option<Cow<'_, str>> {
        Some(match name {
            "turn" => Cow::Owned(self.turn.to_string()),
            "text" => Cow::Borrowed(&*self.text),
            "session" => Cow::Borrowed(&*self.session),
            "cwd" => Cow::Borrowed(&*self.cwd),
            "history" => Cow::Owned(self.history()),
            "answer" => Cow::Borrowed(&*self.answer),
            "result" => Cow::Borrowed(&*self.result),
            "message" => Cow::Borrowed(&*self.message),
            "input" => Cow::Owned(self.input.to_string()),
            _ => match self.input.get(name.strip_prefix("input.")?)? {
                Value::String(text) => Cow::Borrowed(&**text),
                other => Cow::Owned(other.to_string()),
            },
        })
    }

    /// Read when it is asked for: few scripts do, and a process that remembers every text is not small.
    fn history(&self) -> String {
        let kept = self.journal.as_deref().map(super::conversation::texts);
        kept.unwrap_or_else(|| vec![self.text.clone()]).join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, expected: &str) {
        let variables = Variables {
            turn: 3,
            text: "build x".to_owned(),
            captures: vec![Some("build x".to_owned()), Some("x".to_owned()), None],
            input: serde_json::json!({"command": "ls", "n": 2, "quote": "it's \"$(x)\""}),
            ..Variables::default()
        };
        assert_eq!(variables.expand(&Template::new(template.to_owned())), expected);
    }

    #[test]
    fn placeholders_are_replaced_and_all_else_is_kept() {
        check("Building $1, turn {{turn}}", "Building x, turn 3");
        check("{{ text }}: {{input.command}} {{input.n}}", "build x: ls 2");
        check("{{input.quote:sh}} {{input.quote:json}} {{x:sh}}", r#"'it'\''s "$(x)"' "it's \"$(x)\"" {{x:sh}}"#);
        check("$2|$9|$HOME|$", "|$9|$HOME|$");
        check("{{nobody}} {{ {x} 木 {{turn", "{{nobody}} {{ {x} 木 {{turn");
        check("ünïcode", "ünïcode");
    }
}
