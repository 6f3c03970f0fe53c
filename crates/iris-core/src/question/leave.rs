//! Leave that an agent asks for in words, with options of its own: which of them refuses, and what is kept of an answer.

use super::answer::{choose as choose_one, yes_or_no};
use super::{Answer, AnswerError, Detail, fit};
use crate::agent::{AskedOption, AskedQuestion};

/// One of the options; or a no, also where none is called so.
pub(super) fn choose(asked: &AskedQuestion, answer: Answer) -> Result<Answer, AnswerError> {
    let questions = std::slice::from_ref(asked);
    let bare = yes_or_no(answer.clone()).ok().filter(is_refusal);
    match (choose_one(questions, answer, false), bare) {
        (Err(_), Some(no)) => choose_one(questions, no, false),
        (chosen, _) => chosen,
    }
}

/// What a rule that is made of an answer says. A refusal holds for more than the very same bytes, so an option that refuses
/// is kept as what it is.
pub fn decision(detail: &Detail, answer: &Answer) -> Answer {
    match (detail, answer) {
        (Detail::Asked { asked, approves: true, .. }, Answer::Choose { values, note })
            if asked
                .options
                .iter()
                .any(|option| values.iter().any(|value| option.value() == value) && refuses(option)) =>
        {
            Answer::Refuse { why: note.clone() }
        }
        _ => answer.clone(),
    }
}

/// The same for whoever asks again: in the words of an option, if one is called no.
pub fn told(detail: &Detail, decision: &Answer) -> Answer {
    let is_kept = is_refusal(decision) && matches!(detail, Detail::Asked { approves: true, .. });
    Some(decision.clone()).filter(|_| is_kept).and_then(|no| fit(detail, no).ok()).unwrap_or_else(|| decision.clone())
}

fn is_refusal(answer: &Answer) -> bool {
    matches!(answer, Answer::Refuse { .. })
}

/// Only what plainly refuses. Whatever is taken for a refusal by mistake is asked for again when the rule is taken back;
/// nothing is let through by it.
fn refuses(option: &AskedOption) -> bool {
    says_no(&option.label) || says_no(option.value())
}

/// Whether the words of an option refuse.
pub fn says_no(words: &str) -> bool {
    const WHOLE: &[&str] = &[
        "no",
        "n",
        "false",
        "stop",
        "cancel",
        "abort",
        "reject",
        "refuse",
        "deny",
        "decline",
        "disallow",
        "never",
        "skip",
        "nope",
        "no thanks",
        "not now",
        "not yet",
        "don't",
        "do not",
    ];
    const BEGINNING: &[&str] =
        &["no,", "no.", "no;", "no:", "no!", "no -", "no –", "no —", "no (", "don't ", "do not ", "not now"];
    let words = words.trim().to_lowercase().replace('’', "'");
    WHOLE.contains(&words.trim_end_matches(['.', '!']))
        || BEGINNING.iter().any(|beginning| words.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::{ResponseType, hear, type_of};
    use serde_json::{Value, json};

    fn leave(options: &[&str]) -> Detail {
        let options = options.iter().map(|&label| AskedOption::of(label)).collect();
        let asked = AskedQuestion { options, ..AskedQuestion::plain("May I?") };
        Detail::Asked { response: ResponseType::Choice, asked, free_text: false, approves: true }
    }

    /// What is taken, what a rule of it says, and what whoever asks again is told.
    #[track_caller]
    fn check(options: &[&str], value: Value, expected: [&str; 3]) {
        let detail = leave(options);
        let answer = hear(&detail, &value, Some("why".to_owned())).expect("it fits");
        let decision = decision(&detail, &answer);
        let again = told(&detail, &decision);
        assert_eq!(
            [answer, decision, again].map(|answer| answer.words()),
            expected.map(|words| format!("{words} (why)"))
        );
    }

    #[test]
    fn an_option_that_refuses_is_kept_as_a_refusal_and_others_as_what_they_are() {
        let plain = ["Go ahead", "Stop"];
        check(&plain, json!("Stop"), ["Stop", "no", "no"]);
        check(&plain, json!(false), ["no", "no", "no"]);
        check(&plain, json!("no"), ["no", "no", "no"]);
        check(&plain, json!("go ahead"), ["Go ahead", "Go ahead", "Go ahead"]);
        let named = ["yes", "no"];
        check(&named, json!(false), ["no", "no", "no"]);
        check(&named, json!(true), ["yes", "yes", "yes"]);
        check(&["Yes", "Yes, on staging", "No, keep it"], json!("Yes, on staging"), ["Yes, on staging"; 3]);
        check(&["Yes", "No, keep it"], json!(["No, keep it"]), ["No, keep it", "no", "no"]);
    }

    #[test]
    fn words_that_are_no_option_approve_nothing() {
        for value in [json!("maybe tomorrow"), json!(true), json!("yes"), json!(["Go ahead", "Stop"])] {
            assert!(hear(&leave(&["Go ahead", "Stop"]), &value, None).is_err(), "{value}");
        }
        assert!(!leave(&["Go ahead", "Stop"]).takes_words());
    }

    #[test]
    fn words_that_were_told_are_no_yes() {
        let told = Answer::Choose { values: vec!["no, never do that".to_owned()], note: None };
        assert_eq!(type_of(ResponseType::Approval, &told), ResponseType::Text);
        assert_eq!(type_of(ResponseType::Approval, &Answer::Refuse { why: None }), ResponseType::Approval);
    }

    #[test]
    fn only_what_plainly_refuses_is_a_refusal() {
        for words in ["No", "no.", "Stop", "Cancel", "Don’t do it", "Do not deploy", "No, keep the data", "Not now"] {
            assert!(says_no(words), "{words}");
        }
        for words in ["Yes", "Go ahead", "Stop the server", "Nothing else", "No problem, go ahead", "Keep it", "Now"] {
            assert!(!says_no(words), "{words}");
        }
    }
}
