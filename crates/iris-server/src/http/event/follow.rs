//! Following the log.
//!
//! A reader has a number and nothing else here: no queue is kept for it. When it is slow it is simply behind, and reads on
//! from the log.

use std::collections::VecDeque;
use std::time::Duration;

use iris_api::event::Delta;
use iris_engine::bus;
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;

use super::Filter;
use crate::{App, wire};

/// What a reader is sent, as JSON.
pub(in crate::http) enum Item {
    Event { seq: i64, json: String },
    Delta { json: String },
}

pub(in crate::http) struct Follower {
    app: App,
    filter: Filter,
    after: i64,
    ready: VecDeque<Item>,
    head: watch::Receiver<i64>,
    deltas: broadcast::Receiver<bus::Delta>,
    closing: watch::Receiver<bool>,
    /// When it last had something new to send.
    woken: Instant,
}

const AT_ONCE: usize = 256;
/// What happens within this time after something else is sent together with what follows: with many readers and much
/// going on, a packet for each event would cost more than the events.
const PACE: Duration = Duration::from_millis(10);

impl Follower {
    pub fn new(app: App, filter: Filter, last: Option<i64>) -> Self {
        let (head, deltas) = app.engine.bus().subscribe();
        // Without a number, the stream starts with what happens next.
        let after = last.or(filter.after).unwrap_or_else(|| app.engine.bus().head());
        let closing = app.closing.clone();
        let woken = Instant::now() - PACE;
        Self { app, filter, after, ready: VecDeque::new(), head, deltas, closing, woken }
    }

    /// The next thing to send; `None` ends the stream, and the reader comes back with its number.
    pub async fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            if *self.closing.borrow() {
                return None;
            }
            if self.after < *self.head.borrow_and_update() {
                tokio::time::sleep_until(self.woken + PACE).await;
                self.woken = Instant::now();
                // Pieces were written before the message they belong to, so they go out before it.
                while let Ok(delta) = self.deltas.try_recv() {
                    self.show(Ok(delta))?;
                }
                self.read().await?;
                continue;
            }
            tokio::select! {
                grown = self.head.changed() => grown.ok()?,
                delta = self.deltas.recv() => self.show(delta)?,
                closed = self.closing.changed() => closed.ok()?,
            }
        }
    }

    async fn read(&mut self) -> Option<()> {
        let engine = &self.app.engine;
        let head = engine.bus().head();
        let read = engine.bus().read_after(engine.store(), self.after, AT_ONCE).await;
        let events = match read {
            Ok(events) => events,
            Err(error) => {
                // The reader is not told of events that cannot be read; it reconnects and asks again.
                tracing::debug!(%error, "a stream of events ends");
                return None;
            }
        };
        // Numbers may have holes, also at the end.
        self.after = events.last().map_or(head, |event| event.seq);
        let taken = events.iter().filter(|event| self.filter.takes(event));
        self.ready.extend(taken.map(|event| {
            let json = serde_json::to_string(&wire::event(event)).expect("an event is plain data");
            Item::Event { seq: event.seq, json }
        }));
        Some(())
    }

    fn show(&mut self, delta: Result<bus::Delta, broadcast::error::RecvError>) -> Option<()> {
        match delta {
            Ok(delta) if self.filter.takes_delta(&delta) => {
                let shape = Delta {
                    team: delta.team.to_string(),
                    session: delta.session.to_string(),
                    turn: delta.turn.to_string(),
                    text: delta.text.to_string(),
                };
                let json = serde_json::to_string(&shape).expect("a delta is plain data");
                self.ready.push_back(Item::Delta { json });
                Some(())
            }
            // Missed pieces are no loss: the whole message follows as an event.
            Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => Some(()),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}
