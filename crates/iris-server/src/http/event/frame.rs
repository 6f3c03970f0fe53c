//! Events as they are sent, written once for all who read them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};

use iris_core::event::Recorded;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::wire;

/// The newest ones. Whoever is far behind has its own written.
#[derive(Clone, Debug)]
pub(crate) struct Frames {
    kept: Arc<Mutex<Kept>>,
    looks: Arc<Semaphore>,
}

impl Default for Frames {
    fn default() -> Self {
        Self { kept: Arc::default(), looks: Arc::new(Semaphore::new(LOOKS)) }
    }
}

#[derive(Debug, Default)]
struct Kept {
    /// In the order of their numbers.
    frames: VecDeque<(i64, Arc<String>)>,
    bytes: usize,
    /// Large ones that are on their way to somebody, of any age.
    large: HashMap<i64, Weak<String>>,
}

const MOST_BYTES: usize = 1024 * 1024;
const LARGE: usize = 64 * 1024;
/// How many read from the store at the same time: each holds what it read until it is written for all.
const LOOKS: usize = 8;

pub(super) fn is_large(json: &str) -> bool {
    json.len() >= LARGE
}

impl Frames {
    /// For whoever is about to read from the store, until it has its frames.
    pub async fn look(&self) -> Option<SemaphorePermit<'_>> {
        self.looks.acquire().await.ok()
    }

    /// One for each event.
    pub fn of(&self, events: &[Arc<Recorded>]) -> Vec<Arc<String>> {
        let mut kept = self.kept.lock().expect("nothing panics while it holds the frames");
        events.iter().map(|event| kept.find(event.seq).unwrap_or_else(|| kept.write(event))).collect()
    }
}

impl Kept {
    fn find(&self, seq: i64) -> Option<Arc<String>> {
        match self.frames.binary_search_by_key(&seq, |(seq, _)| *seq) {
            Ok(at) => Some(Arc::clone(&self.frames[at].1)),
            Err(_) => self.large.get(&seq)?.upgrade(),
        }
    }

    fn write(&mut self, event: &Recorded) -> Arc<String> {
        let mut json = serde_json::to_string(&wire::event(event)).expect("an event is plain data");
        json.shrink_to_fit();
        let json = Arc::new(json);
        if is_large(&json) {
            self.large.retain(|_, json| json.strong_count() > 0);
            self.large.insert(event.seq, Arc::downgrade(&json));
        }
        if self.frames.back().is_none_or(|(newest, _)| *newest < event.seq) {
            self.bytes += json.len();
            self.frames.push_back((event.seq, Arc::clone(&json)));
            while self.bytes > MOST_BYTES {
                let Some((_, oldest)) = self.frames.pop_front() else { break };
                self.bytes -= oldest.len();
            }
        }
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iris_core::event::Subject;
    use std::borrow::Cow;

    fn event(seq: i64, bytes: usize) -> Arc<Recorded> {
        let body = format!("\"{}\"", "x".repeat(bytes)).into();
        Arc::new(Recorded { seq, at: 0, kind: Cow::Borrowed("message"), subject: Subject::default(), body })
    }

    #[test]
    fn what_was_written_for_one_is_there_for_the_next() {
        let frames = Frames::default();
        let events = [event(1, 1), event(3, 1)];
        let (first, second) = (frames.of(&events), frames.of(&events));
        assert!(first.iter().zip(&second).all(|(one, other)| Arc::ptr_eq(one, other)));
        assert!(first[1].contains("\"seq\":3"), "{}", first[1]);
        // Older than what is kept: written, but in nobody's way.
        assert!(frames.of(&[event(2, 1)])[0].contains("\"seq\":2"));
        assert!(Arc::ptr_eq(&frames.of(&events)[1], &first[1]));
    }

    #[test]
    fn what_is_large_and_old_is_written_once_for_those_who_have_it() {
        let frames = Frames::default();
        frames.of(&[event(9, 1)]);
        let first = frames.of(&[event(1, 2 * MOST_BYTES)]);
        assert!(Arc::ptr_eq(&first[0], &frames.of(&[event(1, 2 * MOST_BYTES)])[0]));
        drop(first);
        frames.of(&[event(2, LARGE)]);
        assert_eq!(frames.kept.lock().expect("no panic").large.len(), 1, "what nobody has is forgotten");
    }

    #[test]
    fn only_so_much_is_kept() {
        let frames = Frames::default();
        for seq in 0..10 {
            frames.of(&[event(seq, MOST_BYTES / 4)]);
        }
        let kept = frames.kept.lock().expect("no panic");
        assert!(kept.bytes <= MOST_BYTES && kept.frames.len() == 3, "{}", kept.frames.len());
    }
}
