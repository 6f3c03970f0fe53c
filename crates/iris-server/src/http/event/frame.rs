//! Events as they are sent, written once for all who read them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use iris_core::event::Recorded;

use crate::wire;

/// The newest ones. Whoever is far behind has its own written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    /// In the order of their numbers.
    frames: VecDeque<(i64, Arc<str>)>,
    bytes: usize,
}

const MOST_BYTES: usize = 1024 * 1024;

impl Frames {
    /// One for each event.
    pub fn of(&self, events: &[Arc<Recorded>]) -> Vec<Arc<str>> {
        let mut kept = self.0.lock().expect("nothing panics while it holds the frames");
        events.iter().map(|event| kept.find(event.seq).unwrap_or_else(|| kept.write(event))).collect()
    }
}

impl Kept {
    fn find(&self, seq: i64) -> Option<Arc<str>> {
        let at = self.frames.binary_search_by_key(&seq, |(seq, _)| *seq).ok()?;
        Some(Arc::clone(&self.frames[at].1))
    }

    fn write(&mut self, event: &Recorded) -> Arc<str> {
        let json = serde_json::to_string(&wire::event(event)).expect("an event is plain data");
        let json: Arc<str> = json.into();
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
    fn only_so_much_is_kept() {
        let frames = Frames::default();
        for seq in 0..10 {
            frames.of(&[event(seq, MOST_BYTES / 4)]);
        }
        let kept = frames.0.lock().expect("no panic");
        assert!(kept.bytes <= MOST_BYTES && kept.frames.len() == 3, "{}", kept.frames.len());
    }
}
