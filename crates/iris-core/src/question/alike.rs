//! Whether two questions are the very same ask, whoever asks. What is to be approved has a digest for that.

use serde_json::{Value, json};

use super::Detail;
use crate::agent::AskedQuestion;

/// The same words, however they are spaced and written, with the same to choose from: one answer fits both.
pub fn asks_alike(one: &Detail, other: &Detail) -> bool {
    what_is_asked(one).is_some_and(|asked| what_is_asked(other) == Some(asked))
}

/// The same text for what asks alike; nothing for an action, which is never merely alike.
pub fn what_is_asked(detail: &Detail) -> Option<String> {
    let asked = match detail {
        Detail::Approval { .. } | Detail::Visit { .. } => return None,
        Detail::Form { server, message, schema } => json!(["form", server, plain(message), schema.get()]),
        Detail::Choice { .. } | Detail::Asked { .. } => {
            json!([detail.response_type(), detail.questions().iter().map(one).collect::<Vec<_>>()])
        }
    };
    Some(asked.to_string())
}

/// What is said about an option, and which one an agent would take, is no part of what can be chosen.
fn one(asked: &AskedQuestion) -> Value {
    let options: Vec<_> = asked.options.iter().map(|option| (option.value(), option.label.as_str())).collect();
    json!([plain(&asked.question), asked.several, options])
}

fn plain(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    text.trim_end_matches(['?', '？', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;
    use crate::agent::AskedOption;
    use crate::question::ResponseType;

    fn choice(text: &str, options: &[&str]) -> Detail {
        let options = options.iter().map(|&label| AskedOption::of(label)).collect();
        Detail::Choice { questions: vec![AskedQuestion { options, ..AskedQuestion::plain(text) }] }
    }

    fn check(one: &Detail, other: &Detail, expected: bool) {
        assert_eq!(asks_alike(one, other), expected, "{one:?} and {other:?}");
        assert_eq!(asks_alike(other, one), expected, "{other:?} and {one:?}");
    }

    #[test]
    fn the_very_same_ask_is_found_however_it_is_written() {
        let colour = choice("Which colour?", &["Red", "Blue"]);
        check(&colour, &choice("  which  Colour ?", &["Red", "Blue"]), true);
        check(&colour, &choice("Which colours?", &["Red", "Blue"]), false);
        check(&colour, &choice("Which colour?", &["Red", "Green"]), false);
        check(&colour, &choice("Which colour?", &[]), false);
        let Detail::Choice { mut questions } = choice("Which colour?", &["Red", "Blue"]) else { panic!("a choice") };
        questions[0].options[0].description = "as before".to_owned();
        check(&colour, &Detail::Choice { questions: questions.clone() }, true);
        questions[0].several = true;
        check(&colour, &Detail::Choice { questions }, false);
        let words =
            |response| Detail::Asked { response, asked: AskedQuestion::plain("Go?"), free_text: true, approves: false };
        check(&words(ResponseType::Text), &words(ResponseType::Text), true);
        check(&words(ResponseType::Text), &words(ResponseType::Boolean), false);
    }

    #[test]
    fn what_is_approved_and_who_wants_a_form_are_never_merely_alike() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).expect("JSON");
        let approval = Detail::of_command("{}");
        check(&approval, &approval, false);
        let form = |server: &str, schema: &str| Detail::Form {
            server: server.to_owned(),
            message: "Who?".to_owned(),
            schema: raw(schema),
        };
        check(&form("a", "{}"), &form("a", "{}"), true);
        check(&form("a", "{}"), &form("b", "{}"), false);
        check(&form("a", "{}"), &form("a", "[]"), false);
    }
}
