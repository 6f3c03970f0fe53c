//! What an agent has said so far in a turn, as much of it as is good to hold: an agent may say gigabytes. All of it is in
//! the log.

use std::collections::VecDeque;

#[derive(Debug, Default)]
pub(super) struct SoFar {
    said: VecDeque<String>,
    bytes: usize,
    /// The message that is being written.
    unfinished: String,
    has_left_out: bool,
}

/// The newest of this many bytes, and one whole message in any case.
const MOST: usize = 4 * 1024 * 1024;
const LEFT_OUT: &str = "[… what came before is left out here; the messages of the turn have it]";

impl SoFar {
    pub fn piece(&mut self, text: &str) {
        self.unfinished.push_str(text);
        if self.unfinished.len() > 2 * MOST {
            let cut = (self.unfinished.len() - MOST..).find(|&at| self.unfinished.is_char_boundary(at));
            self.unfinished.drain(..cut.unwrap_or(0));
            self.has_left_out = true;
        }
    }

    /// The message that was being written is begun anew. Whether anything of it was said.
    pub fn begin_anew(&mut self) -> bool {
        !std::mem::take(&mut self.unfinished).is_empty()
    }

    pub fn message(&mut self, text: Option<String>) {
        self.unfinished.clear();
        self.bytes += text.as_ref().map_or(0, String::len);
        self.said.extend(text);
        while self.bytes > MOST && self.said.len() > 1 {
            self.bytes -= self.said.pop_front().map_or(0, |oldest| oldest.len());
            self.has_left_out = true;
        }
    }

    pub fn text(&self) -> String {
        let left_out = self.has_left_out.then_some(LEFT_OUT);
        let unfinished = (!self.unfinished.is_empty()).then_some(self.unfinished.as_str());
        let pieces = left_out.into_iter().chain(self.said.iter().map(String::as_str)).chain(unfinished);
        pieces.collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_has_an_end_and_says_so() {
        let mut so_far = SoFar::default();
        so_far.message(Some("first".to_owned()));
        so_far.message(Some("second".to_owned()));
        so_far.piece("thi");
        assert_eq!(so_far.text(), "first\nsecond\nthi");
        assert!(so_far.begin_anew() && !so_far.begin_anew());
        assert_eq!(so_far.text(), "first\nsecond");
        for _ in 0..100 {
            so_far.message(Some("é".repeat(100_000)));
        }
        so_far.message(Some("last".to_owned()));
        let text = so_far.text();
        assert!(text.len() <= MOST + LEFT_OUT.len() + 100, "{}", text.len());
        assert!(text.starts_with(LEFT_OUT) && text.ends_with("last"));
        for _ in 0..100 {
            so_far.piece(&"é".repeat(100_000));
        }
        assert!(so_far.text().len() <= 4 * MOST);
    }

    #[test]
    fn one_message_is_whole_however_long() {
        let mut so_far = SoFar::default();
        so_far.message(Some("x".repeat(MOST + 1)));
        assert_eq!(so_far.text().len(), MOST + 1);
    }
}
