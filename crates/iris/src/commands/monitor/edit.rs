//! A line that is being typed.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::text;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Editor {
    line: Vec<char>,
    at: usize,
}

/// What a key made of the line.
#[derive(Debug, PartialEq, Eq)]
pub enum Typed {
    On,
    Done(String),
    Left(String),
}

/// More than anybody types; a message of any length goes by `iris tell TEAM -`.
const LONGEST: usize = 8000;

impl Editor {
    pub fn with(text: &str) -> Self {
        let line: Vec<char> = text.chars().take(LONGEST).collect();
        Self { at: line.len(), line }
    }

    pub fn press(&mut self, key: KeyEvent) -> Typed {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => return Typed::Done(self.line.iter().collect()),
            KeyCode::Esc => return Typed::Left(self.line.iter().collect()),
            KeyCode::Char(c) if control => self.control(c),
            KeyCode::Char(c) => self.insert(c),
            KeyCode::Backspace if self.at > 0 => {
                self.at -= 1;
                self.line.remove(self.at);
            }
            KeyCode::Delete if self.at < self.line.len() => drop(self.line.remove(self.at)),
            KeyCode::Left => self.at = self.at.saturating_sub(1),
            KeyCode::Right => self.at = (self.at + 1).min(self.line.len()),
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = self.line.len(),
            _ => {}
        }
        Typed::On
    }

    /// What was pasted is one line, so that nothing is sent that nobody has looked at.
    pub fn paste(&mut self, pasted: &str) {
        pasted.trim_end().chars().for_each(|c| self.insert(if matches!(c, '\n' | '\r') { ' ' } else { c }));
    }

    fn insert(&mut self, c: char) {
        if self.line.len() < LONGEST {
            self.line.insert(self.at, c);
            self.at += 1;
        }
    }

    fn control(&mut self, c: char) {
        match c {
            'a' => self.at = 0,
            'e' => self.at = self.line.len(),
            'k' => self.line.truncate(self.at),
            'u' => {
                self.line.drain(..self.at);
                self.at = 0;
            }
            'w' => {
                let before = &self.line[..self.at];
                let word = before.iter().rposition(|c| *c != ' ').map_or(0, |last| last + 1);
                let start = before[..word].iter().rposition(|c| *c == ' ').map_or(0, |space| space + 1);
                self.line.drain(start..self.at);
                self.at = start;
            }
            _ => {}
        }
    }

    /// The part of the line that fits around the place of typing, and the cell of that place.
    pub fn shown(&self, room: usize) -> (String, usize) {
        let room = room.max(2);
        let piece = |part: &[char]| text::shown(&part.iter().collect::<String>());
        let mut from = 0;
        while text::cells(&piece(&self.line[from..self.at])) >= room {
            from += 1;
        }
        let before = piece(&self.line[from..self.at]);
        let at = text::cells(&before);
        (text::cut(&(before + &piece(&self.line[self.at..])), room), at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[(KeyCode, KeyModifiers)]) -> Editor {
        let mut editor = Editor::default();
        for (code, modifiers) in keys {
            assert_eq!(editor.press(KeyEvent::new(*code, *modifiers)), Typed::On);
        }
        editor
    }

    fn check(line: &str, then: &[(KeyCode, KeyModifiers)], expected: &str) {
        let mut editor = Editor::default();
        editor.paste(line);
        for (code, modifiers) in then {
            editor.press(KeyEvent::new(*code, *modifiers));
        }
        let sent = editor.press(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
        assert_eq!(sent, Typed::Done(expected.to_owned()));
    }

    #[test]
    fn a_line_is_edited_as_in_a_shell() {
        let (none, control) = (KeyModifiers::NONE, KeyModifiers::CONTROL);
        check("run teh tests", &[], "run teh tests");
        check("run teh", &[(KeyCode::Backspace, none), (KeyCode::Char('!'), none)], "run te!");
        check("run the tests", &[(KeyCode::Char('w'), control)], "run the ");
        check("run the tests", &[(KeyCode::Char('u'), control)], "");
        check("bc", &[(KeyCode::Home, none), (KeyCode::Char('a'), none)], "abc");
        check("abc", &[(KeyCode::Left, none), (KeyCode::Char('k'), control)], "ab");
        check("two\nlines\n", &[], "two lines");
        assert_eq!(typed(&[]).press(KeyEvent::new(KeyCode::Esc, none)), Typed::Left(String::new()));
    }

    #[test]
    fn a_long_line_is_shown_around_the_place_of_typing() {
        let mut editor = Editor::default();
        editor.paste("0123456789");
        assert_eq!(editor.shown(5), ("6789".to_owned(), 4));
        editor.press(KeyEvent::new(KeyCode::Home, KeyModifiers::NONE));
        assert_eq!(editor.shown(5), ("0123…".to_owned(), 0));
    }
}
