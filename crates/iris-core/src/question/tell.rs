//! What an agent is told about an answer that it can no longer get where it asked: its process ended meanwhile, or it did
//! not wait for it.

use super::{Answer, Detail, QuestionState, words_to};

/// What is known when the agent is told.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    pub text: &'a str,
    pub detail: &'a Detail,
    pub state: QuestionState,
    pub answer: Option<&'a Answer>,
    pub by: &'a str,
    /// It was being passed on when the process ended, so it may have reached the agent.
    pub in_doubt: bool,
}

/// The words of the turn by which the conversation goes on.
pub fn tell_back(told: &Told<'_>) -> String {
    let Told { text, detail, state, answer, by, in_doubt } = *told;
    let asked = match detail {
        Detail::Approval { tool, input, plan, .. } => {
            let plan = plan.as_ref().map(|plan| format!("for exactly this plan:\n{plan}\n")).unwrap_or_default();
            format!("You asked leave to use {tool} with exactly this input:\n{}\n{plan}", input.get())
        }
        _ => format!("You asked: {text}\n"),
    };
    let said = match (state, answer) {
        (QuestionState::Defaulted, Some(answer)) => {
            format!("Nobody answered in time, so your default holds: {}", words_to(detail, answer))
        }
        (_, Some(Answer::Approve { note })) if matches!(detail, Detail::Approval { .. }) => {
            let note = note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
            format!("{by} approved it{note}.")
        }
        (_, Some(Answer::Refuse { why })) if matches!(detail, Detail::Approval { .. }) => {
            let why = why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
            format!("{by} refused it{why}. Do not do it, in this way or another.")
        }
        (_, Some(answer)) => format!("{by} answered: {}", words_to(detail, answer)),
        (state, None) => format!("It was {state}, without an answer."),
    };
    let next = match (detail, answer, in_doubt) {
        (_, None, _) => "Nobody will answer it: go on without, or end your work and say what is missing.",
        (_, _, true) => {
            "This was being passed on to you when your work was interrupted. You may have had it already: look at what \
             is done before you do anything a second time."
        }
        (Detail::Approval { .. }, Some(Answer::Approve { .. }), false) => {
            "Your work was interrupted before it could run, so it has not run. Call the tool again with exactly this \
             input; it will be let through once."
        }
        _ => "Go on with that.",
    };
    format!("[Iris] {asked}{said}\n{next}")
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::agent::AskedQuestion;

    #[test]
    fn the_agent_learns_what_it_asked_and_what_was_said() {
        let detail = Detail::Choice { questions: vec![AskedQuestion::plain("Which colour?")] };
        let answer = Answer::Choose { values: vec!["Blue".to_owned()], note: None };
        let told = Told {
            text: "Which colour?",
            detail: &detail,
            state: QuestionState::Answered,
            answer: Some(&answer),
            by: "user",
            in_doubt: false,
        };
        assert_eq!(tell_back(&told), "[Iris] You asked: Which colour?\nuser answered: Blue\nGo on with that.");
        assert!(tell_back(&Told { in_doubt: true, ..told }).contains("a second time"));

        let detail = Detail::Choice {
            questions: vec![AskedQuestion::plain("Which colour?"), AskedQuestion::plain("How many?")],
        };
        let answer = Answer::Choose { values: vec!["Red, Blue".to_owned(), "2".to_owned()], note: None };
        let text = detail.text();
        let several = Told { text: &text, detail: &detail, answer: Some(&answer), ..told };
        assert_eq!(
            tell_back(&several),
            "[Iris] You asked: Which colour? How many?\nuser answered: \"Which colour?\": Red, Blue; \"How many?\": 2\nGo \
             on with that."
        );

        let detail = Detail::of_command(r#"{"command":"make"}"#);
        let yes = Answer::Approve { note: None };
        let words = tell_back(&Told { detail: &detail, answer: Some(&yes), ..told });
        assert!(words.contains(r#"{"command":"make"}"#) && words.contains("let through once"), "{words}");
        let no = Answer::Refuse { why: None };
        let words = tell_back(&Told { detail: &detail, answer: Some(&no), ..told });
        assert!(words.contains("refused it. Do not do it"), "{words}");
    }
}
