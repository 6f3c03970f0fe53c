//! What of a reply is still to be printed. Pieces stream by and the whole message follows; between the two, everything
//! is printed once and in order.
//!
//! Pieces may be missing, since nobody keeps them, and they may come late, after the message they are part of.

#[derive(Debug, Default)]
pub struct Reply {
    /// What was printed of the message that is being written.
    streamed: String,
    /// What was printed as part of a whole message before its pieces came. They may still come.
    owed: String,
    /// The pieces that were taken for such late ones since the last whole message.
    late: String,
    /// Pieces were lost on the way, so that no more are printed before the next whole message.
    gap: bool,
    pub said: bool,
}

/// What to print of a whole message.
#[derive(Debug, PartialEq, Eq)]
pub enum Rest<'a> {
    /// Goes on where the pieces ended, and ends there.
    After(&'a str),
    /// It was printed, and so was the beginning of the next one: its pieces were faster than this message.
    Nothing,
    /// What was printed is not how the message begins: it is printed whole, on a line of its own.
    Whole(&'a str),
}

/// More than that is not waited for: pieces that late do not exist.
const MOST_OWED: usize = 256 * 1024;

impl Reply {
    /// A piece came; what to print now.
    pub fn piece(&mut self, text: &str) -> String {
        if self.gap {
            return String::new();
        }
        if !text.is_empty() && self.owed.starts_with(text) {
            self.owed.drain(..text.len());
            self.late.push_str(text);
            return String::new();
        }
        // It belongs to a new message. If late ones were still owed, those taken for late were its beginning.
        let begun = if self.owed.is_empty() { String::new() } else { std::mem::take(&mut self.late) };
        self.owed.clear();
        let now = begun + text;
        self.streamed.push_str(&now);
        self.said |= !now.is_empty();
        now
    }

    /// What was said of the message is void. Whether anything of it was printed.
    pub fn begin_anew(&mut self) -> bool {
        self.owed.clear();
        self.late.clear();
        !std::mem::take(&mut self.streamed).is_empty()
    }

    /// A message is complete; what to print of it.
    pub fn message<'a>(&mut self, text: &'a str) -> Rest<'a> {
        let streamed = std::mem::take(&mut self.streamed);
        self.late.clear();
        self.gap = false;
        self.said |= !text.is_empty();
        if let Some(rest) = text.strip_prefix(streamed.as_str()) {
            self.owe(rest);
            return Rest::After(rest);
        }
        match streamed.strip_prefix(text) {
            Some(next) => {
                self.streamed = next.to_owned();
                Rest::Nothing
            }
            None => Rest::Whole(text),
        }
    }

    /// The connection was lost, and with it the pieces of that time.
    pub fn lost_pieces(&mut self) {
        self.gap = true;
        self.owed.clear();
        self.late.clear();
    }

    fn owe(&mut self, rest: &str) {
        self.owed.push_str(rest);
        if self.owed.len() > MOST_OWED {
            self.owed.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    enum Came {
        Piece(&'static str),
        Message(&'static str),
        Cut,
        Anew,
    }
    use Came::{Anew, Cut, Message, Piece};

    /// Plays what came and gives what is on the screen; `¶` where a message ended.
    fn check(came: &[Came], expected: &str) {
        let mut reply = Reply::default();
        let mut screen = String::new();
        for came in came {
            match came {
                Piece(text) => screen.push_str(&reply.piece(text)),
                Cut => reply.lost_pieces(),
                Anew if reply.begin_anew() => screen.push('/'),
                Anew => {}
                Message(text) => match reply.message(text) {
                    Rest::After(rest) => screen.push_str(&format!("{rest}¶")),
                    Rest::Nothing => {}
                    Rest::Whole(whole) => screen.push_str(&format!("|{whole}¶")),
                },
            }
        }
        assert_eq!(screen, expected);
    }

    #[test]
    fn everything_is_printed_once_and_in_order() {
        check(&[Message("hello")], "hello¶");
        check(&[Piece("hel"), Piece("lo"), Message("hello")], "hello¶");
        check(&[Piece("hello"), Anew, Piece("hello"), Message("hello")], "hello/hello¶");
        check(&[Anew, Piece("hello"), Anew, Anew, Message("hello")], "hello/hello¶");
        check(&[Piece("hel"), Message("hello"), Message("again")], "hello¶again¶");
        check(&[Piece("a"), Message("a"), Piece("a"), Message("a")], "a¶a¶");
    }

    #[test]
    fn late_pieces_are_not_printed_again() {
        check(&[Piece("hel"), Message("hello"), Piece("lo"), Piece("new"), Message("new")], "hello¶new¶");
        check(&[Message("ab"), Message("cd"), Piece("a"), Piece("b"), Piece("c"), Piece("d")], "ab¶cd¶");
        check(&[Message("ab"), Piece("a"), Piece("xyz"), Message("axyz")], "ab¶axyz¶");
    }

    #[test]
    fn the_next_message_may_begin_before_this_one_is_complete() {
        check(&[Piece("ab"), Piece("cd"), Message("ab"), Piece("e"), Message("cde")], "abcde¶");
    }

    #[test]
    fn lost_pieces_are_made_up_for_by_the_message() {
        check(&[Piece("he"), Cut, Piece("o"), Message("hello"), Piece("x"), Message("xy")], "hello¶xy¶");
        check(&[Piece("he"), Piece("o"), Message("hello")], "heo|hello¶");
    }
}
