//! A reply as it is said: lines without code, tables and marks, and the sentences in them.
//!
//! The text is rewritten in small letters with one space between words, so that phrases can be looked up as they are.
//! Every byte of it knows where it came from.

mod inline;
mod label;
mod line;
mod marker;
mod sentence;

use std::ops::Range;

use super::window::Window;

pub(crate) use line::own_name;
pub(super) use line::{Line, LineKind, marker};
pub(super) use sentence::{Ending, Sentence};

/// Stands for a piece of code or an address.
pub(super) const CODE: char = '\u{1}';
/// Stands for something quoted.
pub(super) const QUOTED: char = '\u{2}';

/// So many sentences are looked at. Nobody writes more in as much as is read of a reply, but for a row of "ok? ok? ok?".
const MOST: usize = 600;

#[derive(Debug, Default)]
pub(super) struct Page {
    /// What is said, in small letters.
    pub said: String,
    /// For each byte of `said`, where it came from; one more for the end.
    origin: Vec<u32>,
    pub lines: Vec<Line>,
    pub sentences: Vec<Sentence>,
    /// The paragraphs before which code shows that something failed.
    pub failed_at: Vec<u32>,
    /// The paragraphs that begin after a rule across the page.
    pub rules: Vec<u32>,
}

impl Page {
    pub fn read(text: &str, windows: &[Window]) -> Self {
        let mut page = Self::default();
        for window in windows {
            line::read(text, window, &mut page);
        }
        page.origin.push(windows.last().map_or(0, |window| as_offset(window.range.end)));
        sentence::cut(text, &mut page);
        let count = page.sentences.len();
        if count > MOST {
            // As with long replies: a question stands at the end, or before a long appendix.
            page.sentences.drain(MOST / 4..count - (MOST - MOST / 4));
        }
        page
    }

    /// Where a piece of what is said stands in the reply, in bytes.
    pub fn source(&self, said: &Range<usize>) -> Range<usize> {
        let start = self.origin[said.start] as usize;
        // What follows a removed mark begins behind it, so the end is that of the last byte.
        let end = said.end.checked_sub(1).map_or(start, |last| self.after(last));
        start..end.max(start)
    }

    /// The end, in the reply, of the character that the byte belongs to.
    fn after(&self, byte: usize) -> usize {
        let from = self.origin[byte];
        let next = self.origin[byte + 1..].iter().find(|&&next| next != from);
        next.map_or(from as usize, |&next| next as usize)
    }

    pub fn text_of(&self, sentence: &Sentence) -> &str {
        &self.said[sentence.said.clone()]
    }

    pub fn line_of(&self, sentence: &Sentence) -> &Line {
        &self.lines[sentence.line]
    }

    fn push(&mut self, character: char, from: usize) {
        self.said.push(character);
        self.origin.extend(std::iter::repeat_n(as_offset(from), character.len_utf8()));
    }
}

/// A reply of more than 4 GB is cut; nobody has seen one.
fn as_offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Whether words run together here, so that a phrase may begin anywhere.
pub(super) fn is_unspaced(character: char) -> bool {
    matches!(character as u32, 0x0E00..=0x0E7F | 0x1100..=0x11FF | 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF)
}

pub(super) fn is_word(character: char) -> bool {
    (character.is_alphanumeric() || character == '_') && !is_unspaced(character)
}
