//! Bytes into lines. A line may come in any number of pieces, and any number of lines in one piece.

/// Longer lines are passed over, and said to have been. The largest real ones seen are 1 MB.
const LONGEST_LINE: usize = 64 * 1024 * 1024;
/// What is kept of such a line's beginning and of its end, so that it can be told what it was.
const HEAD: usize = 4 * 1024;
const TAIL: usize = 16 * 1024;
/// A line of which this much has come, and no end, takes its time.
const LONG: usize = 1024 * 1024;
/// A buffer that grew beyond this is given back once it is empty.
const ROOM_KEPT: usize = 32 * 1024;

#[derive(Debug, Default)]
pub(crate) struct Lines {
    buffer: Vec<u8>,
    /// How far the buffer has been searched for the end of a line.
    searched: usize,
    skipping: Option<Skipped>,
}

#[derive(Debug)]
struct Skipped {
    bytes: usize,
    head: Vec<u8>,
    tail: Vec<u8>,
}

impl Skipped {
    fn take(&mut self, piece: &[u8]) {
        self.bytes += piece.len();
        let kept = &piece[piece.len().saturating_sub(TAIL)..];
        let too_many = (self.tail.len() + kept.len()).saturating_sub(TAIL);
        self.tail.drain(..too_many);
        self.tail.extend_from_slice(kept);
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Whole(&'a [u8]),
    /// `head` is how it began, `tail` how it ended.
    TooLong {
        bytes: usize,
        head: &'a [u8],
        tail: &'a [u8],
    },
}

impl Lines {
    /// Where the next bytes are to be read into.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        if self.buffer.is_empty() && self.buffer.capacity() > ROOM_KEPT {
            self.buffer = Vec::new();
        }
        &mut self.buffer
    }

    /// Gives every finished line to `take` and keeps the rest.
    pub fn drain(&mut self, mut take: impl FnMut(Line<'_>)) {
        let mut start = 0;
        while let Some(length) = memchr::memchr(b'\n', &self.buffer[self.searched..]) {
            let end = self.searched + length;
            match self.skipping.take() {
                Some(mut skipped) => {
                    skipped.take(&self.buffer[start..end]);
                    let Skipped { bytes, head, tail } = &skipped;
                    take(Line::TooLong { bytes: *bytes, head, tail });
                }
                None => take(Line::Whole(&self.buffer[start..end])),
            }
            start = end + 1;
            self.searched = start;
        }
        self.buffer.drain(..start);
        self.searched = self.buffer.len();
        if self.buffer.len() > LONGEST_LINE {
            let head = || self.buffer[..HEAD].to_vec();
            let skipped = self.skipping.get_or_insert_with(|| Skipped { bytes: 0, head: head(), tail: Vec::new() });
            skipped.take(&self.buffer);
            self.buffer.clear();
            self.searched = 0;
        }
    }

    /// A line is coming that has not ended for long: whoever writes it is alive.
    pub fn is_long(&self) -> bool {
        self.skipping.is_some() || self.buffer.len() >= LONG
    }

    /// What was left without an end of line when the stream ended.
    pub fn rest(&mut self) -> Option<Vec<u8>> {
        let rest = std::mem::take(&mut self.buffer);
        self.searched = 0;
        (!rest.is_empty()).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pieces: &[&str], expected: &[&str], rest: Option<&str>) {
        let mut lines = Lines::default();
        let mut seen = Vec::new();
        for piece in pieces {
            lines.buffer().extend_from_slice(piece.as_bytes());
            lines.drain(|line| match line {
                Line::Whole(bytes) => seen.push(String::from_utf8_lossy(bytes).into_owned()),
                Line::TooLong { bytes, .. } => seen.push(format!("too long: {bytes}")),
            });
        }
        assert_eq!(seen, expected, "{pieces:?}");
        assert_eq!(lines.rest().map(|rest| String::from_utf8_lossy(&rest).into_owned()).as_deref(), rest);
    }

    #[test]
    fn lines_come_in_any_pieces() {
        check(&["a\nb\n"], &["a", "b"], None);
        check(&["a", "b", "\n", "c"], &["ab"], Some("c"));
        check(&["\n\n"], &["", ""], None);
        check(&["x\ny", "z\n"], &["x", "yz"], None);
        check(&[], &[], None);
    }

    #[test]
    fn a_line_without_end_is_passed_over_and_the_next_is_read() {
        let mut lines = Lines::default();
        let piece = vec![b'x'; 1024 * 1024];
        for _ in 0..70 {
            lines.buffer().extend_from_slice(&piece);
            lines.drain(|_| panic!("no line has ended"));
            assert!(lines.buffer.len() <= LONGEST_LINE);
            assert!(lines.is_long());
        }
        lines.buffer().extend_from_slice(b"the end\nafter\n");
        let mut seen = Vec::new();
        lines.drain(|line| match line {
            Line::Whole(bytes) => seen.push(String::from_utf8_lossy(bytes).into_owned()),
            Line::TooLong { bytes, head, tail } => {
                assert!(head.len() == HEAD && head.iter().all(|byte| *byte == b'x'));
                assert!(tail.len() == TAIL && tail.ends_with(b"xthe end"));
                seen.push(bytes.to_string());
            }
        });
        assert!(!lines.is_long());
        assert_eq!(seen, [(70 * 1024 * 1024 + 7).to_string(), "after".to_owned()]);
    }
}
