//! One number for what is asked, so that what was approved can be told from everything else.
//!
//! The *digest* of an action is that of its exact bytes: an approval is worth nothing for any other. The *deed* is what
//! is done, without what the agent says about it and without how a command is spaced; a refusal holds for that.

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::Detail;
use super::input::Input;

/// The digest of an action: the tool, the folder it runs in, the exact bytes of its input and of the plan it is about.
pub fn of_action(tool: &str, folder: &str, input: &RawValue, plan: Option<&str>) -> String {
    let parts = [tool, folder, input.get()];
    of_parts("action", &parts.into_iter().chain(plan).collect::<Vec<_>>())
}

/// The digest of an approval that is asked for in words: all that a person is shown.
pub fn of_words(detail: &Detail, context: Option<&str>) -> String {
    let asked = serde_json::to_string(detail).expect("a question is plain data");
    of_parts("words", &[&asked, context.unwrap_or_default()])
}

/// What a question asks for, without the comments on it: the fields `asides` of an action's input.
pub fn deed(detail: &Detail, asides: &[&str]) -> String {
    match detail {
        Detail::Approval { tool, input, folder, plan, .. } => {
            // Also of what cannot be read exactly: a refusal holds for whatever is nearest to it.
            let plain = canonical(&Input::read(input).value, asides);
            let parts = [tool.as_str(), folder, &plain];
            of_parts("deed", &parts.into_iter().chain(plan.as_deref()).collect::<Vec<_>>())
        }
        Detail::Choice { questions } => {
            let asked = serde_json::to_string(questions).expect("questions are plain data");
            of_parts("choice", &[&asked])
        }
        Detail::Form { server, message, schema } => of_parts("form", &[server, message, schema.get()]),
        // However the server words it.
        Detail::Visit { server, url, .. } => of_parts("visit", &[server, url]),
        Detail::Asked { asked, .. } => {
            let asked = serde_json::to_string(asked).expect("a question is plain data");
            of_parts("asked", &[&asked])
        }
    }
}

/// Lengths first, so that no two lists of parts look the same.
pub fn of_parts(what: &str, parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in std::iter::once(&what).chain(parts) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    crate::hex::hex(&hash.finalize())
}

/// Keys in order, spaces in commands as one, asides left out.
fn canonical(input: &Value, asides: &[&str]) -> String {
    match input {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !asides.contains(&name.as_str()));
            let plain = kept.map(|(name, value)| match (name.as_str(), value) {
                ("command", Value::String(command)) => (name.clone(), Value::from(one_spaced(command))),
                _ => (name.clone(), value.clone()),
            });
            sorted(&Value::Object(plain.collect()))
        }
        other => sorted(other),
    }
}

fn one_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// JSON with the keys in order, whatever order the map keeps.
fn sorted(value: &Value) -> String {
    fn order(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let mut names: Vec<_> = fields.keys().collect();
                names.sort();
                Value::Object(names.into_iter().map(|name| (name.clone(), order(&fields[name]))).collect::<Map<_, _>>())
            }
            Value::Array(items) => Value::Array(items.iter().map(order).collect()),
            other => other.clone(),
        }
    }
    order(value).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ToolNature;
    use crate::question::ResponseType;

    fn action(input: &str) -> Detail {
        Detail::of_command(input)
    }

    fn check(one: &str, other: &str, same: bool) {
        let deed = |input| deed(&action(input), &["said", "draft"]);
        assert_eq!(deed(one) == deed(other), same, "{one} and {other}");
    }

    #[test]
    fn a_deed_is_the_same_however_it_is_worded() {
        check(r#"{"command":"rm -rf x"}"#, r#"{"command":"rm  -rf x ","said":"harmless"}"#, true);
        check(r#"{"command":"a","cwd":"/b"}"#, r#"{"cwd":"/b","command":"a"}"#, true);
        check(r#"{"command":"rm -rf x"}"#, r#"{"command":"rm -rf y"}"#, false);
        check(r#"{"plan":"x","draft":"/a"}"#, r#"{"plan":"x","draft":"/b"}"#, true);
        check(r#"{"plan":"x","draft":"/a"}"#, r#"{"plan":"y","draft":"/a"}"#, false);
        check(r#"{"path":"a","description":"1"}"#, r#"{"path":"a","description":"2"}"#, false);
    }

    #[test]
    fn any_other_byte_is_another_digest() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).expect("JSON");
        let first = of_action("Bash", "/p", &raw(r#"{"command":"ls"}"#), None);
        assert_eq!(first, of_action("Bash", "/p", &raw(r#"{"command":"ls"}"#), None));
        for (tool, folder, input) in [
            ("Bash", "/p", r#"{"command": "ls"}"#),
            ("Bash", "/q", r#"{"command":"ls"}"#),
            ("Bas", "h/p", r#"{"command":"ls"}"#),
        ] {
            assert_ne!(first, of_action(tool, folder, &raw(input), None), "{tool} {folder} {input}");
        }
    }

    /// The request for leave to carry out a plan is the same for every plan; the plan is what is approved or refused.
    #[test]
    fn another_plan_is_another_digest_and_another_deed() {
        let plan = |text: &str| {
            let input = RawValue::from_string("{}".to_owned()).expect("JSON");
            let (tool, folder) = ("Plan".to_owned(), "/p".to_owned());
            Detail::Approval {
                tool,
                nature: ToolNature::Plans,
                input,
                folder,
                plan: Some(text.to_owned()),
                reason: None,
            }
        };
        let (one, other) = (plan("1. tidy up"), plan("1. tidy  up"));
        assert_eq!(one.digest(None), plan("1. tidy up").digest(None));
        assert_ne!(one.digest(None), other.digest(None));
        assert_ne!(deed(&one, &[]), deed(&other, &[]));
    }

    #[test]
    fn an_approval_in_words_is_bound_to_all_that_is_shown() {
        let asked = |text: &str, response| Detail::Asked {
            response,
            asked: crate::agent::AskedQuestion::plain(text),
            free_text: false,
            approves: false,
        };
        let first = asked("Deploy?", ResponseType::Approval);
        assert!(first.digest(None).is_some());
        assert_eq!(first.digest(Some("to staging")), first.digest(Some("to staging")));
        assert_ne!(first.digest(Some("to staging")), first.digest(Some("to production")));
        assert_ne!(first.digest(None), asked("Deploy!", ResponseType::Approval).digest(None));
        assert_eq!(asked("Deploy?", ResponseType::Text).digest(None), None, "words are not an approval");
    }
}
