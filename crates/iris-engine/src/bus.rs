//! The bus: what happened, for whoever listens.
//!
//! Listeners hold a number, not a queue. They are woken when the log grows and read on from their number: from the tail
//! that is kept in memory if they are close behind, from the store if they are not. A slow or dead listener therefore
//! costs nothing, and loses nothing.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use iris_core::event::Recorded;
use iris_core::id::{SessionId, TurnId};
use iris_core::team::TeamName;
use iris_store::{Store, StoreError, event};
use tokio::sync::{broadcast, watch};

#[derive(Debug)]
pub struct Bus {
    tail: Mutex<Tail>,
    head: watch::Sender<i64>,
    deltas: broadcast::Sender<Delta>,
}

/// A piece of text that an agent is writing just now. Shown, never stored; a listener that is slow misses some.
#[derive(Clone, Debug)]
pub struct Delta {
    pub team: TeamName,
    pub session: SessionId,
    pub turn: TurnId,
    pub text: Arc<str>,
    /// What was shown of this message is void: it is begun anew.
    pub anew: bool,
    /// The end of the log when it was shown: what is numbered up to there came before it, the rest comes after it.
    pub after: i64,
}

/// How much is read at once: so many events, and no more when there are so many bytes of them. One at least is read, however
/// large it is.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    pub events: usize,
    pub bytes: usize,
}

impl Batch {
    /// Whether there may be more than these.
    pub fn is_full(self, events: &[Arc<Recorded>]) -> bool {
        events.len() >= self.events || events.iter().map(|event| event.body.len()).sum::<usize>() >= self.bytes
    }
}

#[derive(Debug, Default)]
struct Tail {
    events: VecDeque<Arc<Recorded>>,
    bytes: usize,
}

/// With these, messages were taken out of the log.
const FORGETTING: [&str; 2] = ["session.deleted", "session.cache_cleared"];
const TAIL_EVENTS: usize = 2048;
const TAIL_BYTES: usize = 2 * 1024 * 1024;
const WAITING_DELTAS: usize = 256;

impl Bus {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            tail: Mutex::default(),
            head: watch::Sender::new(0),
            deltas: broadcast::Sender::new(WAITING_DELTAS),
        })
    }

    /// Called by the store after each commit, in commit order.
    pub fn announce(&self, events: &[Arc<Recorded>]) {
        let Some(last) = events.last() else { return };
        self.tail.lock().expect("nothing panics while it holds the tail").push(events);
        self.head.send_if_modified(|head| {
            let grew = last.seq > *head;
            *head = last.seq.max(*head);
            grew
        });
    }

    /// The log has grown by another's hand, or was there before this daemon.
    pub fn grown_to(&self, seq: i64) {
        self.head.send_if_modified(|head| {
            let grew = seq > *head;
            *head = seq.max(*head);
            grew
        });
    }

    pub fn show(&self, delta: Delta) {
        // Nobody may be listening, which is fine: a delta is only for those who watch.
        self.deltas.send(delta).ok();
    }

    /// Subscribe first, then look, then wait: in that order nothing is missed.
    pub fn subscribe(&self) -> (watch::Receiver<i64>, broadcast::Receiver<Delta>) {
        (self.head.subscribe(), self.deltas.subscribe())
    }

    pub fn head(&self) -> i64 {
        *self.head.borrow()
    }

    /// The end of the log, of which the head may not know yet: a commit comes before its announcement, and other nodes write
    /// too.
    pub async fn newest(&self, store: &Store) -> Result<i64, StoreError> {
        Ok(self.head().max(store.read(event::newest).await?))
    }

    /// Whether what comes after a number is in memory.
    pub fn remembers(&self, after: i64) -> bool {
        self.tail.lock().expect("nothing panics while it holds the tail").reaches(after.saturating_add(1), self.head())
    }

    /// Events after a number, from memory or from the store.
    pub async fn read_after(&self, store: &Store, after: i64, most: Batch) -> Result<Vec<Arc<Recorded>>, StoreError> {
        let head = self.head();
        let kept = self.tail.lock().expect("nothing panics while it holds the tail").after(after, head, most);
        if let Some(events) = kept {
            return Ok(events);
        }
        let limit = i64::try_from(most.events).unwrap_or(i64::MAX);
        let events = store.read(move |tx| event::list_some_after(tx, after, limit, most.bytes)).await?;
        Ok(events.into_iter().map(Arc::new).collect())
    }
}

impl Tail {
    fn push(&mut self, events: &[Arc<Recorded>]) {
        for event in events {
            // A number that another node took is missing here: what came before is then of no use. What was said in a
            // session that was forgotten is in the log no longer, and must not be here either.
            let has_gap = self.events.back().is_some_and(|last| last.seq + 1 != event.seq);
            if has_gap || FORGETTING.contains(&&*event.kind) {
                self.events.clear();
                self.bytes = 0;
            }
            self.bytes += event.body.len();
            self.events.push_back(Arc::clone(event));
        }
        while self.events.len() > TAIL_EVENTS || self.bytes > TAIL_BYTES {
            let Some(oldest) = self.events.pop_front() else { break };
            self.bytes -= oldest.body.len();
        }
    }

    /// Not if the tail does not reach back that far, or does not know the newest because another node wrote it.
    fn reaches(&self, next: i64, head: i64) -> bool {
        self.events.front().is_some_and(|first| first.seq <= next)
            && self.events.back().is_some_and(|last| last.seq >= head)
    }

    /// `None` if it does not reach that far.
    fn after(&self, after: i64, head: i64, most: Batch) -> Option<Vec<Arc<Recorded>>> {
        let first = self.events.front()?.seq;
        // Whoever asks may name any number at all.
        let next = after.saturating_add(1);
        if !self.reaches(next, head) {
            return None;
        }
        let skip = usize::try_from(next - first).unwrap_or(usize::MAX);
        let mut held = 0;
        let some = self.events.iter().skip(skip).take(most.events).take_while(|event| {
            let is_room = held < most.bytes;
            held += event.body.len();
            is_room
        });
        Some(some.cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iris_core::event::Subject;
    use std::borrow::Cow;

    fn event(seq: i64, bytes: usize) -> Arc<Recorded> {
        let body = "x".repeat(bytes).into();
        Arc::new(Recorded { seq, at: 0, kind: Cow::Borrowed("message"), subject: Subject::default(), body })
    }

    const ALL: Batch = Batch { events: 100, bytes: usize::MAX };

    #[test]
    fn no_more_is_read_than_the_last_of_enough_bytes() {
        let mut tail = Tail::default();
        tail.push(&[event(1, 10), event(2, 1000), event(3, 10), event(4, 10)]);
        for (events, bytes, read) in [(9, 1, 1), (9, 10, 1), (9, 11, 2), (9, 1020, 3), (9, 9999, 4), (2, 9999, 2)] {
            let most = Batch { events, bytes };
            let some = tail.after(0, 4, most).expect("it is all there");
            assert_eq!((some.len(), most.is_full(&some)), (read, read < 4), "{most:?}");
        }
    }

    fn seqs(tail: &Tail, after: i64) -> Option<Vec<i64>> {
        tail.after(after, 0, ALL).map(|events| events.iter().map(|event| event.seq).collect())
    }

    #[test]
    fn a_reader_close_behind_reads_from_memory_and_others_are_sent_to_the_log() {
        let mut tail = Tail::default();
        assert_eq!(seqs(&tail, 0), None);
        tail.push(&[event(5, 1), event(6, 1), event(7, 1)]);
        assert_eq!(seqs(&tail, 3), None);
        assert_eq!(seqs(&tail, 4), Some(vec![5, 6, 7]));
        assert_eq!(seqs(&tail, 6), Some(vec![7]));
        assert_eq!(seqs(&tail, 9), Some(vec![]));
        assert_eq!((seqs(&tail, i64::MAX), seqs(&tail, i64::MIN)), (Some(vec![]), None));
        assert!(tail.after(6, 8, ALL).is_none(), "event 8 is another node's, and only the log has it");
    }

    #[test]
    fn what_was_forgotten_is_read_no_longer() {
        for kind in FORGETTING {
            let mut tail = Tail::default();
            let forgotten = Recorded { kind: Cow::Borrowed(kind), ..(*event(3, 1)).clone() };
            tail.push(&[event(1, 1), event(2, 1), Arc::new(forgotten), event(4, 1)]);
            assert_eq!((seqs(&tail, 1), seqs(&tail, 2)), (None, Some(vec![3, 4])), "{kind}");
        }
    }

    #[test]
    fn a_gap_empties_the_tail_and_bytes_bound_it() {
        let mut tail = Tail::default();
        tail.push(&[event(1, 1), event(2, 1), event(4, 1)]);
        assert_eq!(seqs(&tail, 1), None);
        assert_eq!(seqs(&tail, 3), Some(vec![4]));
        tail.push(&[event(5, TAIL_BYTES), event(6, 10)]);
        assert_eq!(seqs(&tail, 5), Some(vec![6]));
        assert!(tail.bytes <= TAIL_BYTES);
    }
}
