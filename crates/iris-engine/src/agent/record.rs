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
const SAVE_AFTER: Duration = Duration::from_millis(10);
const SAVE_AT: usize = 256;
/// While one batch is being written, this much more may be read; then the agent has to wait.
const MOST_UNSAVED: usize = 4096;
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// A database that takes nothing may hold pieces up for long. More are no loss: the whole message follows.
const MOST_HELD: usize = 64;
const LONGEST_HELD: usize = 4096;

/// What was said in a turn and is not written down yet.
pub(super) struct Record {
    pub(super) unsaved: Vec<Said>,
    bytes: usize,
    since: Instant,
    /// How many messages were heard, how many of them are in the batch that is being written or before it, and how many
    /// are written.
    heard: usize,
    saving: usize,
    saved: usize,
    held: Vec<Held>,
}

/// A piece of text that waits for messages that were said before it to be written down: whoever reads along would else see
/// it before them.
struct Held {
    /// How many those are.
    behind: usize,
    piece: Piece,
}

#[derive(Debug, PartialEq, Eq)]
struct Piece {
    text: String,
    /// What was shown of this message is void.
    anew: bool,
}

impl Record {
    pub(super) fn new(now: Instant) -> Self {
        Self { unsaved: Vec::new(), bytes: 0, since: now, heard: 0, saving: 0, saved: 0, held: Vec::new() }
    }

    pub(super) fn has_room(&self) -> bool {
        self.unsaved.len() < MOST_UNSAVED && self.bytes < MOST_BYTES
    }

    /// When it has to be written down.
    pub(super) fn due_at(&self) -> Option<Instant> {
        (!self.unsaved.is_empty()).then_some(self.since + SAVE_AFTER)
    }

    fn is_due(&self) -> bool {
        self.unsaved.len() >= SAVE_AT || self.since.elapsed() >= SAVE_AFTER
    }

    fn keep(&mut self, said: Said) {
        if self.unsaved.is_empty() {
            self.since = Instant::now();
        }
        self.bytes += said.as_str().len();
        self.unsaved.push(said);
        self.heard += 1;
    }

    /// The piece, if it can be shown now. Else it waits.
    fn show(&mut self, piece: Piece) -> Option<Piece> {
        let behind = self.heard;
        if behind == self.saved {
            return Some(piece);
        }
        let has_room = self.held.len() < MOST_HELD;
        match self.held.last_mut() {
            Some(last) if last.behind == behind && !piece.anew && last.piece.text.len() < LONGEST_HELD => {
                last.piece.text.push_str(&piece.text);
            }
            _ if has_room => self.held.push(Held { behind, piece }),
            _ => {}
        }
        None
    }

    /// The next batch, which is written from now on.
    fn take(&mut self) -> Vec<Said> {
        self.bytes = 0;
        self.saving = self.heard;
        std::mem::take(&mut self.unsaved)
    }

    /// The batch is written: what waited for it. What is whole by now needs its pieces no more.
    fn saved(&mut self) -> Vec<Piece> {
        self.saved = self.saving;
        self.held.retain(|held| held.behind >= self.saved);
        let due = self.held.iter().take_while(|held| held.behind == self.saved).count();
        self.held.drain(..due).map(|held| held.piece).collect()
    }
}

impl Runner {
    pub(super) fn keep(&mut self, message: &Heard) {
        if let Some(current) = &mut self.current {
            current.record.keep(Said::from(message));
        }
    }

    pub(super) fn show(&mut self, text: &str, anew: bool) {
        let Some(current) = &mut self.current else { return };
        match current.record.show(Piece { text: text.to_owned(), anew }) {
            Some(piece) => self.announce(&piece),
            // Whoever reads along waits for what is before it.
            None => self.save(),
        }
    }

    /// A batch was written.
    pub(super) fn show_held(&mut self) {
        let Some(current) = &mut self.current else { return };
        for piece in current.record.saved() {
            self.announce(&piece);
        }
    }

    fn announce(&self, piece: &Piece) {
        let Some(current) = &self.current else { return };
        self.engine.bus.show(Delta {
            team: self.team.clone(),
            session: self.session.clone(),
            turn: current.id.clone(),
            text: piece.text.as_str().into(),
            anew: piece.anew,
            after: self.engine.bus.head(),
        });
    }

    pub(super) fn save_if_due(&mut self) {
        if self.current.as_ref().is_some_and(|current| current.record.is_due()) {
            self.save();
        }
    }

    /// Starts writing a batch of what was said, unless one is being written.
    fn save(&mut self) {
        let Some(current) = self.current.as_mut().filter(|current| !current.record.unsaved.is_empty()) else { return };
        if self.saving.is_some() {
            return;
        }
        let messages = current.record.take();
        let (engine, session, epoch, turn) =
            (Arc::clone(&self.engine), self.session.clone(), self.epoch, current.id.clone());
        self.saving = Some(Box::pin(async move {
            engine.persist_apart("turn.record", move |tx| turns::record(tx, &session, epoch, &turn, &messages)).await
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(record: &mut Record, text: &str) {
        record.keep(Said::from(&Heard::system(text)));
    }

    fn piece(text: &str) -> Piece {
        Piece { text: text.to_owned(), anew: false }
    }

    #[tokio::test]
    async fn a_piece_is_shown_after_the_messages_before_it() {
        let mut record = Record::new(Instant::now());
        assert_eq!(record.show(piece("at once")), Some(piece("at once")));
        said(&mut record, "first");
        assert_eq!((record.show(piece("se")), record.show(piece("cond"))), (None, None));
        assert_eq!(record.take().len(), 1);
        said(&mut record, "second");
        assert_eq!(record.show(piece("third")), None);
        assert_eq!(record.saved(), [piece("second")], "and not what comes after the second");
        record.take();
        assert_eq!(record.saved(), [piece("third")]);
        assert_eq!(record.show(piece(" goes on")), Some(piece(" goes on")));
    }

    #[tokio::test]
    async fn what_is_whole_needs_no_pieces_and_few_are_held() {
        let mut record = Record::new(Instant::now());
        said(&mut record, "first");
        record.show(piece("second"));
        said(&mut record, "second");
        for _ in 0..10 * MOST_HELD {
            record.show(piece(&"x".repeat(LONGEST_HELD)));
        }
        assert_eq!(record.held.len(), MOST_HELD);
        record.take();
        assert!(!record.saved().contains(&piece("second")));
        assert!(record.held.is_empty());
    }
}
