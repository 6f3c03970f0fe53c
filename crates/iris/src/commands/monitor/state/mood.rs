//! What a session is up to, in a word, and where that is known from. What no event says is not said here.

use iris_api::question::Question;
use iris_api::session::Session;

use super::inbox::is_own;
use crate::printer::Tone;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mood {
    pub word: String,
    pub tone: Tone,
    /// What needs somebody comes first, then what moves, then what rests.
    pub order: u8,
    /// It asks something and goes on meanwhile, as in the inbox.
    pub mark: &'static str,
}

/// Only what its agent waits for is what a session is up to. What it asks without waiting is a mark beside that.
pub fn mood(session: &Session, open: &[Question], me: &str) -> Mood {
    match blocks(open, &session.id) {
        Some(question) if is_own(question, me) => now("NEEDS YOU", Tone::Strong, 0),
        Some(question) => {
            let party = question.asked_of.as_deref().unwrap_or("others");
            now(&format!("waits: {party}"), Tone::Busy, 2)
        }
        None => {
            let asks = |question: &Question| question.session == session.id && is_own(question, me);
            let mark = if open.iter().any(asks) { "?" } else { " " };
            Mood { mark, ..of_state(session) }
        }
    }
}

/// What the state comes from, in words: why a process ended, else what happened. As in the dashboard.
pub fn source(session: &Session) -> String {
    let Some(source) = &session.state_source else { return String::new() };
    let what = source.kind.replace(['.', '_'], " ");
    match (source.kind.starts_with("session."), source.cause.as_deref()) {
        (true, Some("asked")) => "put to sleep".to_owned(),
        (true, Some("idle")) => "long idle".to_owned(),
        (true, Some(why)) => why.replace('_', " "),
        (_, None | Some("completed")) => what,
        (false, Some(ending)) => format!("turn {}", ending.replace('_', " ")),
    }
}

/// The first question that the agent of this session waits for.
pub fn blocks<'a>(open: &'a [Question], session: &str) -> Option<&'a Question> {
    open.iter().find(|question| question.blocking && question.session == session)
}

fn now(word: &str, tone: Tone, order: u8) -> Mood {
    Mood { word: word.to_owned(), tone, order, mark: " " }
}

fn of_state(session: &Session) -> Mood {
    if session.held_until.is_some() {
        return now("paused", Tone::Bad, 1);
    }
    match session.state.as_str() {
        // The question has been answered, or has not come in yet.
        "waiting_for_input" | "waiting_for_approval" => now("waiting", Tone::Busy, 3),
        "processing" => now("working", Tone::Busy, 3),
        "spawning" => now("starting", Tone::Busy, 3),
        "terminating" => now("stopping", Tone::Busy, 3),
        "idle" if session.background > 0 => now(&format!("{} in backgr.", session.background), Tone::Busy, 3),
        "idle" => now("idle", Tone::Good, 4),
        "stopped" if session.waits_for.as_deref() == Some("team") => now("waits: team", Tone::Bad, 2),
        "stopped" if session.queued > 0 => now("waits: place", Tone::Busy, 2),
        "stopped" => now("asleep", Tone::Faint, 5),
        other => now(other, Tone::Plain, 3),
    }
}
