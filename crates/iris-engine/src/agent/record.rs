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

impl Runner {
    pub(super) fn keep(&mut self, message: &Heard) {
        let Some(current) = &mut self.current else { return };
        if current.unsaved.is_empty() {
            current.unsaved_since = Instant::now();
        }
        let said = Said::from(message);
        current.unsaved_bytes += said.as_str().len();
        current.unsaved.push(said);
    }

    pub(super) fn show(&self, text: &str, anew: bool) {
        let Some(current) = &self.current else { return };
        self.engine.bus.show(Delta {
            team: self.team.clone(),
            session: self.session.clone(),
            turn: current.id.clone(),
            text: text.into(),
            anew,
        });
    }

    /// Starts writing a batch of what was said, unless one is being written.
    pub(super) fn save_if_due(&mut self) {
        let Some(current) = &mut self.current else { return };
        let due = current.unsaved.len() >= SAVE_AT || current.unsaved_since.elapsed() >= SAVE_AFTER;
        if current.unsaved.is_empty() || !due || self.saving.is_some() {
            return;
        }
        current.unsaved_bytes = 0;
        let messages = std::mem::take(&mut current.unsaved);
        let (engine, session, epoch, turn) =
            (Arc::clone(&self.engine), self.session.clone(), self.epoch, current.id.clone());
        self.saving = Some(Box::pin(async move {
            engine.persist_apart("turn.record", move |tx| turns::record(tx, &session, epoch, &turn, &messages)).await
        }));
    }
}
