//! Following the log.
//!
//! A reader has a number and nothing else here: no queue is kept for it. When it is slow it is simply behind, and reads on
//! from the log.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use iris_api::event::Delta;
use iris_core::event::Recorded;
use iris_engine::bus::{self, Batch};
use iris_engine::turn::follow::Following;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;

use super::Filter;
use crate::App;

/// What a reader is sent, as JSON.
pub(in crate::http) enum Item {
    Event {
        seq: i64,
        kind: Cow<'static, str>,
        json: Arc<String>,
    },
    Delta {
        json: String,
    },
    /// The reader's number is of another log. It goes on behind `head`, and has to read anew what it knows.
    Reset {
        head: i64,
        json: String,
    },
}

pub(in crate::http) struct Follower {
    app: App,
    filter: Filter,
    after: i64,
    /// Nothing was sent yet.
    is_new: bool,
    head: watch::Receiver<i64>,
    deltas: broadcast::Receiver<bus::Delta>,
    /// Pieces that are still to be sent.
    pieces: VecDeque<bus::Delta>,
    over: watch::Receiver<bool>,
    /// When it last had something new to send.
    woken: Instant,
    /// There was more than could be read at once, so what is next happened long ago.
    is_behind: bool,
    /// Whoever reads waits for what it has told, for as long as it reads.
    _following: Option<Following>,
}

/// What is held for one reader that does not take it is about as much, or one event if that is larger.
const AT_ONCE: Batch = Batch { events: 256, bytes: 64 * 1024 };
const MOST_PIECES: usize = 1024;
/// What happens within this time after something else is sent together with what follows: with many readers and much
/// going on, a packet for each event would cost more than the events.
const PACE: Duration = Duration::from_millis(30);

impl Follower {
    pub fn new(app: App, filter: Filter, last: Option<i64>) -> Self {
        let (head, deltas) = app.engine.bus().subscribe();
        // Without a number, the stream starts with what happens next.
        let after = last.or(filter.after).unwrap_or_else(|| app.engine.bus().head());
        let over = app.engine.over();
        let woken = Instant::now() - PACE;
        Self {
            app,
            filter,
            after,
            is_new: true,
            head,
            deltas,
            pieces: VecDeque::new(),
            over,
            woken,
            is_behind: false,
            _following: None,
        }
    }

    /// Of somebody who follows what it tells.
    pub fn of(self, following: Option<Following>) -> Self {
        Self { _following: following, ..self }
    }

    /// What there is to send, and never nothing; `None` ends the stream, and the reader comes back with its number.
    ///
    /// Whoever breaks it off loses no event: the number moves when everything has been gathered.
    pub async fn next(&mut self) -> Option<Vec<Item>> {
        if self.is_new {
            let reset = self.reset().await?;
            self.is_new = false;
            if let Some(reset) = reset {
                return Some(vec![reset]);
            }
        }
        loop {
            // Looked at first: what happened before it is sent.
            let is_over = *self.over.borrow_and_update();
            if self.after < *self.head.borrow_and_update() || !self.pieces.is_empty() {
                if !self.is_behind {
                    tokio::time::sleep_until(self.woken + PACE).await;
                }
                self.gather_pieces()?;
                let items = self.gather().await?;
                if !items.is_empty() {
                    self.woken = Instant::now();
                    return Some(items);
                }
                // A filter that takes little is not tried on a long log without a pause for others.
                tokio::task::yield_now().await;
                continue;
            }
            if is_over {
                return None;
            }
            tokio::select! {
                grown = self.head.changed() => grown.ok()?,
                over = self.over.changed() => over.ok()?,
                delta = self.deltas.recv() => match delta {
                    Ok(delta) => self.take(delta),
                    // Missed pieces are no loss: the whole message follows as an event.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                },
            }
        }
    }

    /// Nobody was ever told a number that the log does not have: a reader that has one would wait for what it takes for
    /// known. What is known here may be behind the log, so that is asked.
    async fn reset(&mut self) -> Option<Option<Item>> {
        let asked = self.after;
        if asked <= *self.head.borrow() {
            return Some(None);
        }
        let head = self.app.engine.bus().newest(self.app.engine.store()).await.ok()?;
        if asked <= head {
            return Some(None);
        }
        self.after = head;
        Some(Some(Item::Reset { head, json: serde_json::json!({ "asked": asked, "head": head }).to_string() }))
    }

    fn take(&mut self, delta: bus::Delta) {
        if self.filter.takes_delta(&delta) {
            self.pieces.push_back(delta);
        }
        // One that is behind reads what is written; missed pieces are no loss.
        if self.pieces.len() > MOST_PIECES {
            self.pieces.pop_front();
        }
    }

    fn gather_pieces(&mut self) -> Option<()> {
        loop {
            match self.deltas.try_recv() {
                Ok(delta) => self.take(delta),
                Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty) => return Some(()),
                Err(TryRecvError::Closed) => return None,
            }
        }
    }

    /// Events and pieces in the order in which they came.
    async fn gather(&mut self) -> Option<Vec<Item>> {
        let mut items = Vec::new();
        let frames = self.app.frames.clone();
        let _look = if self.app.engine.bus().remembers(self.after) { None } else { frames.look().await };
        let events = self.gather_events().await?;
        let frames = frames.of(&events);
        for (event, json) in events.iter().zip(frames) {
            items.extend(self.pieces_before(event.seq));
            items.push(Item::Event { seq: event.seq, kind: event.kind.clone(), json });
        }
        items.extend(self.pieces_before(self.after + 1));
        Some(items)
    }

    async fn gather_events(&mut self) -> Option<Vec<Arc<Recorded>>> {
        let engine = &self.app.engine;
        let head = engine.bus().head();
        if self.after >= head {
            return Some(Vec::new());
        }
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
        self.is_behind = AT_ONCE.is_full(&events);
        Some(events.into_iter().filter(|event| self.filter.takes(event)).collect())
    }

    /// The pieces that came before an event.
    fn pieces_before(&mut self, seq: i64) -> Vec<Item> {
        let count = self.pieces.iter().take_while(|piece| piece.after < seq).count();
        self.pieces.drain(..count).map(|piece| show(&piece)).collect()
    }
}

fn show(delta: &bus::Delta) -> Item {
    let shape = Delta {
        team: delta.team.to_string(),
        session: delta.session.to_string(),
        turn: delta.turn.to_string(),
        text: delta.text.to_string(),
        anew: delta.anew,
    };
    Item::Delta { json: serde_json::to_string(&shape).expect("a delta is plain data") }
}
