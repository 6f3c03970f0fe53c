//! Server-sent events: from bytes to frames.

/// One event of the stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    pub event: String,
    pub data: String,
}

/// Holds what has come of the frame that is not complete yet.
#[derive(Debug, Default)]
pub struct Frames {
    line: Vec<u8>,
    event: String,
    data: Option<String>,
}

impl Frames {
    /// Takes the next bytes and returns the frames they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Frame> {
        let mut complete = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.line.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut self.line);
            let line = String::from_utf8_lossy(&line);
            complete.extend(self.take(line.trim_end_matches('\r')));
        }
        self.line.extend_from_slice(rest);
        complete
    }

    fn take(&mut self, line: &str) -> Option<Frame> {
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return self.data.take().map(|data| Frame { event, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match (field, &mut self.data) {
            ("event", _) => self.event = value.to_owned(),
            ("data", Some(data)) => {
                data.push('\n');
                data.push_str(value);
            }
            ("data", none) => *none = Some(value.to_owned()),
            // Numbers are inside the events; an empty field name is a comment, which is a heartbeat.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pieces: &[&str], expected: &[(&str, &str)]) {
        let mut frames = Frames::default();
        let found: Vec<Frame> = pieces.iter().flat_map(|piece| frames.push(piece.as_bytes())).collect();
        let found: Vec<_> = found.iter().map(|frame| (frame.event.as_str(), frame.data.as_str())).collect();
        assert_eq!(found, expected, "{pieces:?}");
    }

    #[test]
    fn frames_come_in_any_pieces() {
        check(&["id: 1\nevent: event\ndata: {}\n\n"], &[("event", "{}")]);
        check(&["ev", "ent: del", "ta\r\nda", "ta: a\r\n\r", "\n"], &[("delta", "a")]);
        check(&[": beat\n\n", ":\n\n", "data: x\n\n"], &[("", "x")]);
        check(&["data: a\ndata: b\n\ndata:c\n\n"], &[("", "a\nb"), ("", "c")]);
        check(&["data: not complete\n"], &[]);
    }
}
