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
}

pub fn mood(session: &Session, question: Option<&Question>, me: &str) -> Mood {
    let now = |word: &str, tone, order| Mood { word: word.to_owned(), tone, order };
    match question {
        Some(question) if is_own(question, me) => return now("NEEDS YOU", Tone::Strong, 0),
        Some(question) => {
            let party = question.asked_of.as_deref().unwrap_or("others");
            return now(&format!("waits: {party}"), Tone::Busy, 2);
        }
        None => {}
    }
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
        "stopped" if session.queued > 0 => now("waits: place", Tone::Busy, 2),
        "stopped" => now("asleep", Tone::Faint, 5),
        other => now(other, Tone::Plain, 3),
    }
}
