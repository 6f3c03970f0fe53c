//! What of a reply is still to be printed. Pieces stream by and the whole message follows; between the two, everything
//! is printed once and in order.
//!
//! Pieces may be missing, since nobody keeps them. Those that come, come before their message and after the one before it.

#[derive(Debug, Default)]
pub struct Reply {
    /// What was printed of the message that is being written.
    streamed: String,
    /// What came of it and is printed only with the whole message, or when that does not come any more.
    held: String,
    /// Pieces were lost on the way, so that no more are printed before the next whole message.
    gap: bool,
    pub said: bool,
}

/// What to print of a whole message.
#[derive(Debug, PartialEq, Eq)]
pub enum Rest<'a> {
    /// Goes on where the pieces ended, and ends there.
    After(&'a str),
    /// What was printed is not how the message begins: it is printed whole, on a line of its own.
    Whole(&'a str),
}

impl Reply {
    /// A piece came; what to print now.
    pub fn piece<'a>(&mut self, text: &'a str) -> &'a str {
        if self.gap {
            return "";
        }
        self.streamed.push_str(text);
        self.said |= !text.is_empty();
        text
    }

    /// A piece came that whoever reads is not to get by itself.
    pub fn hold(&mut self, text: &str) {
        if !self.gap {
            self.held.push_str(text);
        }
    }

    /// Nobody waits for the whole message any more: what was held back of it.
    pub fn let_go(&mut self) -> String {
        self.said |= !self.held.is_empty();
        std::mem::take(&mut self.held)
    }

    /// What was said of the message is void. Whether anything of it was printed.
    pub fn begin_anew(&mut self) -> bool {
        self.held.clear();
        !std::mem::take(&mut self.streamed).is_empty()
    }

    /// A message is complete; what to print of it.
    pub fn message<'a>(&mut self, text: &'a str) -> Rest<'a> {
        let streamed = std::mem::take(&mut self.streamed);
        self.held.clear();
        self.gap = false;
        self.said |= !text.is_empty();
        text.strip_prefix(streamed.as_str()).map_or(Rest::Whole(text), Rest::After)
    }

    /// The connection was lost, and with it the pieces of that time.
    pub fn lost_pieces(&mut self) {
        self.gap = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    enum Came {
        Piece(&'static str),
        Message(&'static str),
        Held(&'static str),
        Cut,
        Anew,
        Over,
    }
    use Came::{Anew, Cut, Held, Message, Over, Piece};

    /// Plays what came and gives what is on the screen; `¶` where a message ended.
    fn check(came: &[Came], expected: &str) {
        let mut reply = Reply::default();
        let mut screen = String::new();
        for came in came {
            match came {
                Piece(text) => screen.push_str(reply.piece(text)),
                Held(text) => reply.hold(text),
                Over => screen.push_str(&reply.let_go()),
                Cut => reply.lost_pieces(),
                Anew if reply.begin_anew() => screen.push('/'),
                Anew => {}
                Message(text) => match reply.message(text) {
                    Rest::After(rest) => screen.push_str(&format!("{rest}¶")),
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
    fn the_next_message_may_begin_as_this_one_does() {
        check(&[Message("ok"), Piece("ok"), Piece(" then"), Message("ok then")], "ok¶ok then¶");
    }

    #[test]
    fn what_is_held_back_is_printed_when_its_message_does_not_come() {
        check(&[Held("hel"), Held("lo"), Message("hello"), Over], "hello¶");
        check(&[Held("hel"), Over, Over], "hel");
        check(&[Message("one"), Held("t"), Held("w"), Over], "one¶tw");
        check(&[Held("void"), Anew, Held("tw"), Over], "tw");
        check(&[Held("he"), Cut, Held("o"), Over], "he");
    }

    #[test]
    fn lost_pieces_are_made_up_for_by_the_message() {
        check(&[Piece("he"), Cut, Piece("o"), Message("hello"), Piece("x"), Message("xy")], "hello¶xy¶");
        check(&[Piece("he"), Piece("o"), Message("hello")], "heo|hello¶");
    }
}
