//! The questions that are open, and the one that is looked at.

use std::collections::{BTreeMap, BTreeSet};

use iris_api::question::{Question, Response};
use serde_json::Value;

use crate::commands::inbox::how::{earlier, takes_several};

#[derive(Debug, Default)]
pub struct Inbox {
    /// Those put to us first, each part by urgency.
    pub questions: Vec<Question>,
    pub is_read: bool,
    /// How many of them are put to us.
    pub own: usize,
    /// The id of the one that is looked at: the list may change under it.
    chosen: Option<String>,
    /// When it became that without being chosen.
    slipped_at: Option<i64>,
    /// How far its text is scrolled.
    pub scroll: usize,
    /// How many of its lines have been on the screen. What was seen stays seen.
    pub seen: usize,
    /// Whose answer is on its way.
    pub sending: BTreeSet<String>,
    /// What was typed in answer to a question and not taken, to be put right.
    pub unsent: BTreeMap<String, String>,
    /// How many questions were closed since a midnight.
    pub decided: Option<(i64, i64)>,
}

/// A key that was meant for the question before is no answer to this one.
pub const DEAF_MS: i64 = 500;

impl Inbox {
    /// Gives what was typed to questions that are not open any more.
    pub fn take(&mut self, mut questions: Vec<Question>, me: &str, now: i64) -> Vec<String> {
        questions.sort_by_key(|question| {
            let deadline = question.deadline.unwrap_or(i64::MAX);
            (!is_own(question, me), !question.blocking, deadline, question.opened_at)
        });
        self.own = questions.iter().filter(|question| is_own(question, me)).count();
        // Where the chosen one was, another one moves up to.
        let was_at = self.at();
        self.questions = questions;
        self.sending.retain(|id| self.questions.iter().any(|question| question.id == *id));
        let (open, late) = std::mem::take(&mut self.unsent).into_iter().partition(|(id, _)| self.find(id).is_some());
        self.unsent = open;
        if self.chosen().is_none() {
            let last = self.questions.len().saturating_sub(1);
            let next = self.questions.get(was_at.min(last)).map(|question| question.id.clone());
            // The first one that comes into an empty list was not there when the key was pressed either.
            self.slipped_at = (self.is_read && next.is_some()).then_some(now);
            self.chosen = next;
            self.unroll();
        }
        self.is_read = true;
        BTreeMap::into_values(late).collect()
    }

    pub fn find(&self, id: &str) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id)
    }

    /// The chosen one comes into view where another one was looked at until now.
    pub fn move_up(&mut self, now: i64) {
        self.slipped_at = Some(now);
        self.unroll();
    }

    pub fn at(&self) -> usize {
        self.questions.iter().position(|question| Some(&question.id) == self.chosen.as_ref()).unwrap_or(0)
    }

    pub fn chosen(&self) -> Option<&Question> {
        self.questions.iter().find(|question| Some(&question.id) == self.chosen.as_ref())
    }

    pub fn choose(&mut self, at: usize) {
        let at = at.min(self.questions.len().saturating_sub(1));
        self.chosen = self.questions.get(at).map(|question| question.id.clone());
        self.slipped_at = None;
        self.unroll();
    }

    /// From its first line again. At another width its lines are others, of which none has been seen.
    pub fn unroll(&mut self) {
        self.scroll = 0;
        self.seen = 0;
    }

    pub fn is_deaf(&self, now: i64) -> bool {
        self.slipped_at.is_some_and(|at| (0..DEAF_MS).contains(&(now - at)))
    }

    /// The open question of a session that comes first.
    pub fn of_session(&self, session: &str) -> Option<&Question> {
        self.questions.iter().find(|question| question.session == session)
    }

    /// Of another day nothing is known until something is closed on it, which is asked for then.
    pub fn decided_since(&self, midnight: i64) -> i64 {
        self.decided.filter(|(since, _)| *since == midnight).map_or(0, |(_, count)| count)
    }
}

/// Put to anybody, to the party we are, or to a job, which has nobody else to answer for it. As in the dashboard.
pub fn is_own(question: &Question, me: &str) -> bool {
    let is_jobs =
        |party: &str| question.job.as_ref().is_some_and(|job| party.strip_prefix("job-") == Some(job.as_str()));
    question.asked_of.as_deref().is_none_or(|party| party == me || is_jobs(party))
}

pub fn is_yes_or_no(question: &Question) -> bool {
    matches!(question.response_type.as_str(), "approval" | "boolean")
}

/// A yes to this takes a second press. What has no known risk is not taken for harmless.
pub fn is_risky(question: &Question) -> bool {
    match question.risk.as_deref() {
        Some("low" | "medium") => is_unknowable(question),
        Some(_) => true,
        None => question.action.is_some(),
    }
}

/// What an agent asks leave for in its own words, and what it will make of its plan: the risk that is named is a guess.
/// As in the dashboard.
pub fn is_unknowable(question: &Question) -> bool {
    question.way == "plan" || (question.response_type == "approval" && question.action.is_none())
}

/// The words that were the answer before, where an answer is written and not chosen.
pub fn written_before(question: &Question) -> Option<String> {
    let is_written = question.options.is_empty() && question.questions.len() == 1 && !is_yes_or_no(question);
    let words = earlier(question).filter(|_| is_written)?.into_iter().next();
    // It is one line that is written in.
    words.filter(|words| !words.contains(char::is_control))
}

/// What a number key says to a question.
pub fn numbered(question: &Question, number: usize) -> Option<Response> {
    let value = match number {
        _ if takes_several(question) => return None,
        1 if is_yes_or_no(question) => Value::Bool(true),
        2 if is_yes_or_no(question) => Value::Bool(false),
        number => Value::from(question.options.get(number.checked_sub(1)?)?.value.as_str()),
    };
    Some(Response { kind: None, value, text: None })
}
