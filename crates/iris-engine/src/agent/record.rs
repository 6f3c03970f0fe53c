//! What an agent says in a turn: shown while it is written, kept, and written down in batches.

use std::sync::Arc;
use std::time::Duration;

use iris_core::event::Said;
use iris_core::message::Heard;
use iris_store::turn as turns;
use tokio::time::Instant;

use super::run::Runner;
use crate::bus::Delta;

/// What was said is written down in batches: at most this long after it was said, or when there is this much of it.
pub(super) const SAVE_AFTER: Duration = Duration::from_millis(10);
const SAVE_AT: usize = 256;
const MOST_HELD: usize = 64;
const LONGEST_HELD: usize = 4096;

/// A piece of text that waits for messages that were said before it to be written down: whoever reads along would else see
/// it before them.
pub(super) struct Held {
    /// How many those are.
    behind: usize,
    text: String,
    anew: bool,
}

impl Runner {
    pub(super) fn keep(&mut self, message: &Heard) {
        let Some(current) = &mut self.current else { return };
        if current.unsaved.is_empty() {
            current.unsaved_since = Instant::now();
        }
        let said = Said::from(message);
        current.unsaved_bytes += said.as_str().len();
        current.unsaved.push(said);
        current.heard_messages += 1;
    }

    pub(super) fn show(&mut self, text: &str, anew: bool) {
        let Some(current) = &mut self.current else { return };
        let (behind, is_full) = (current.heard_messages, current.held.len() >= MOST_HELD);
        match current.held.last_mut() {
            Some(held) if held.behind == behind && !held.anew && !anew && held.text.len() < LONGEST_HELD => {
                held.text.push_str(text);
            }
            _ if behind == current.saved_messages => self.announce(text, anew),
            // A database that takes nothing may hold them up for long. They are no loss: the whole message follows.
            _ if is_full => {}
            _ => {
                current.held.push(Held { behind, text: text.to_owned(), anew });
                // Whoever reads along waits for that.
                self.save();
            }
        }
    }

    /// A batch was written. What is whole by now needs its pieces no more.
    pub(super) fn show_held(&mut self) {
        let Some(current) = &mut self.current else { return };
        current.saved_messages = current.saving_messages;
        let saved = current.saved_messages;
        let (due, held) = std::mem::take(&mut current.held)
            .into_iter()
            .filter(|held| held.behind >= saved)
            .partition(|held| held.behind == saved);
        current.held = held;
        let due: Vec<Held> = due;
        due.iter().for_each(|held| self.announce(&held.text, held.anew));
    }

    fn announce(&self, text: &str, anew: bool) {
        let Some(current) = &self.current else { return };
        self.engine.bus.show(Delta {
            team: self.team.clone(),
            session: self.session.clone(),
            turn: current.id.clone(),
            text: text.into(),
            anew,
            after: self.engine.bus.head(),
        });
    }

    /// Starts writing a batch of what was said, unless one is being written.
    pub(super) fn save_if_due(&mut self) {
        let Some(current) = &self.current else { return };
        if current.unsaved.len() >= SAVE_AT || current.unsaved_since.elapsed() >= SAVE_AFTER {
            self.save();
        }
    }

    fn save(&mut self) {
        let Some(current) = &mut self.current else { return };
        if current.unsaved.is_empty() || self.saving.is_some() {
            return;
        }
        current.unsaved_bytes = 0;
        current.saving_messages = current.heard_messages;
        let messages = std::mem::take(&mut current.unsaved);
        let (engine, session, epoch, turn) =
            (Arc::clone(&self.engine), self.session.clone(), self.epoch, current.id.clone());
        self.saving = Some(Box::pin(async move {
            engine.persist_apart("turn.record", move |tx| turns::record(tx, &session, epoch, &turn, &messages)).await
        }));
    }
}
