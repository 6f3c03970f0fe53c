//! Finding the script in a conversation, and the step whose turn it is. Pure.

use super::history::{self, Message};
use super::step::{AnswerStep, Hindrance, Step, Text};

/// What answers a call, and what goes wrong before.
#[derive(Clone, Debug, PartialEq)]
pub struct Cue {
    pub hindrances: Vec<Hindrance>,
    pub answer: AnswerStep,
    /// Calls with the same place are attempts at the same answer.
    pub place: Place,
}

/// Where in which script. The conversation's own id is added by who counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Place {
    script: String,
    message: usize,
    answer: usize,
}

pub fn find_cue(messages: &[Message]) -> Cue {
    let Some((index, script)) = find_script(messages) else {
        let text = format!("You said: {}", history::beginning(&history::last_user_text(messages), 200));
        return Cue { hindrances: Vec::new(), answer: say(&text), place: Place::default() };
    };
    let answered = messages[index + 1..].iter().filter(|message| message.role == "assistant").count();
    let place = Place { script: script.to_owned(), message: index, answer: answered };
    match parse(script) {
        Ok(steps) => nth(steps, answered, place),
        Err(error) => {
            Cue { hindrances: Vec::new(), answer: say(&format!("the script cannot be read: {error}")), place }
        }
    }
}

const OPENING: &str = "MODEL[";

/// The newest text with a script in it. A message that comes in the midst of a turn reaches the model as the system's.
/// The first opening in a text counts: a script for a sub-agent is inside the script that starts it.
fn find_script(messages: &[Message]) -> Option<(usize, &str)> {
    let asked = messages.iter().enumerate().rev().filter(|(_, message)| message.role != "assistant");
    asked.into_iter().find_map(|(index, message)| {
        let text = message.texts().rev().find(|text| text.contains(OPENING))?;
        let start = text.find(OPENING)? + OPENING.len() - 1;
        Some((index, &text[start..]))
    })
}

/// The array at the beginning; what follows it is none of ours.
fn parse(script: &str) -> Result<Vec<Step>, serde_json::Error> {
    let mut values = serde_json::Deserializer::from_str(script).into_iter();
    values.next().unwrap_or_else(|| Ok(Vec::new()))
}

/// Only answers are counted, because a hindrance leaves no message in the conversation.
fn nth(steps: Vec<Step>, wanted: usize, place: Place) -> Cue {
    let mut answered = 0;
    let mut hindrances = Vec::new();
    for step in steps {
        match step {
            Step::Hindrance(hindrance) => hindrances.push(hindrance),
            Step::Answer(answer) if answered == wanted => return Cue { hindrances, answer, place },
            Step::Answer(_) => {
                answered += 1;
                hindrances.clear();
            }
        }
    }
    let is_next = answered == wanted && !hindrances.is_empty();
    if is_next {
        return Cue { hindrances, answer: say("recovered"), place };
    }
    Cue { hindrances: Vec::new(), answer: say("the script has ended"), place }
}

fn say(text: &str) -> AnswerStep {
    AnswerStep { text: Some(Text::Given(text.to_owned())), ..AnswerStep::default() }
}

#[cfg(test)]
mod tests {
    use super::super::history::{Block, Message};
    use super::super::step::HindranceKind;
    use super::*;

    #[test]
    fn a_step_answers_its_call() {
        let script = r#"do it: MODEL[{"text":"one"},{"text":"two"}] and no more]"#;
        check(&[("user", script)], "one");
        check(&[("user", script), ("assistant", "one"), ("user", "result")], "two");
        check(&[("user", script), ("assistant", "one"), ("assistant", "two")], "the script has ended");
    }

    #[test]
    fn the_newest_script_counts() {
        let (old, new) = (r#"MODEL[{"text":"old"}]"#, r#"MODEL[{"text":"new"}]"#);
        check(&[("user", old), ("assistant", "old"), ("user", new)], "new");
        check(&[("user", old), ("assistant", new), ("user", "go on")], "the script has ended");
        check(&[("user", old), ("assistant", "a tool"), ("system", new)], "new");
    }

    #[test]
    fn a_script_in_a_script_is_for_the_sub_agent() {
        let inner = r#"MODEL[{"text":"inner"}]"#;
        let outer = format!("MODEL[{}]", serde_json::json!({"text": inner}));
        check(&[("user", &outer)], inner);
        check(&[("user", inner)], "inner");
    }

    #[test]
    fn without_a_script_it_says_what_it_heard() {
        check(&[("user", "hello")], "You said: hello");
        check(&[("user", "hello"), ("system", "surroundings")], "You said: hello");
        check(&[("user", "hello"), ("user", "<system-reminder>a note</system-reminder>")], "You said: hello");
        check(&[], "You said: ");
    }

    #[test]
    fn a_hindrance_is_no_step_of_its_own() {
        let script = r#"MODEL[{"http":529,"times":2},{"cut":true},{"text":"one"},{"text":"two"},{"http":500}]"#;
        check_hindrances(&[("user", script)], 2, "one");
        check_hindrances(&[("user", script), ("assistant", "one")], 0, "two");
        check_hindrances(&[("user", script), ("assistant", "one"), ("assistant", "two")], 1, "recovered");
        let more = [("user", script), ("assistant", "one"), ("assistant", "two"), ("assistant", "recovered")];
        check_hindrances(&more, 0, "the script has ended");
    }

    #[test]
    fn a_slip_in_a_script_is_said() {
        for slip in [
            r#"MODEL[{"txt":"one"}]"#,
            r#"MODEL[{"text":"one""#,
            r#"MODEL[{}]"#,
            r#"MODEL[{"text":"one","times":2}]"#,
            r#"MODEL[{"input":{}}]"#,
            r#"MODEL[{"http":200}]"#,
            r#"MODEL[{"http":500,"cut":true}]"#,
            r#"MODEL[{"text":"one","echo":true}]"#,
        ] {
            let said = text(&find_cue(&messages(&[("user", slip)])));
            assert!(said.starts_with("the script cannot be read: "), "{slip}: {said}");
        }
    }

    #[test]
    fn headers_and_message_go_with_the_status() {
        let script = r#"MODEL[{"http":429,"headers":{"retry-after":"1"},"message":"slow down"}]"#;
        let cue = find_cue(&messages(&[("user", script)]));
        let HindranceKind::Http { status, headers, message } = &cue.hindrances[0].kind else { panic!("{cue:?}") };
        assert_eq!((*status, headers["retry-after"].as_str(), message.as_str()), (429, "1", "slow down"));
    }

    fn check(conversation: &[(&str, &str)], expected: &str) {
        assert_eq!(text(&find_cue(&messages(conversation))), expected, "{conversation:?}");
    }

    fn check_hindrances(conversation: &[(&str, &str)], count: usize, expected: &str) {
        check(conversation, expected);
        assert_eq!(find_cue(&messages(conversation)).hindrances.len(), count, "{conversation:?}");
    }

    fn text(cue: &Cue) -> String {
        match &cue.answer.text {
            Some(Text::Given(text)) => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn messages(conversation: &[(&str, &str)]) -> Vec<Message> {
        let message = |(role, text): &(&str, &str)| Message {
            role: (*role).to_owned(),
            blocks: vec![Block::Text((*text).to_owned())],
        };
        conversation.iter().map(message).collect()
    }
}
