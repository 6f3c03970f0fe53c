//! A text with its variables filled in, and where everything in it was before.

/// A part of the text, in characters, and what takes its place.
#[derive(Debug)]
pub struct Edit {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

#[derive(Debug)]
pub struct Filled {
    pub text: String,
    /// Whether all of it could be looked at. Otherwise it is no YAML.
    pub is_whole: bool,
    /// Where each edit begins and ends now, and where it did before.
    moved: Vec<(usize, usize, usize, usize)>,
    before: String,
}

impl Filled {
    pub(super) fn unchanged(text: &str) -> Self {
        Self::new(text, Vec::new(), true)
    }

    pub(super) fn new(before: &str, mut edits: Vec<Edit>, is_whole: bool) -> Self {
        edits.sort_by_key(|edit| edit.start);
        let mut text = String::with_capacity(before.len());
        let mut chars = before.chars();
        let (mut read, mut written) = (0, 0);
        let mut moved = Vec::new();
        for edit in edits {
            text.extend(chars.by_ref().take(edit.start - read));
            let begin = written + (edit.start - read);
            text.push_str(&edit.text);
            written = begin + edit.text.chars().count();
            chars.by_ref().take(edit.end - edit.start).for_each(drop);
            read = edit.end;
            moved.push((begin, written, edit.start, edit.end));
        }
        text.extend(chars);
        Self { text, is_whole, moved, before: before.to_owned() }
    }

    /// Where something was: a line and a column, both from 1.
    pub fn place_before(&self, (line, column): (usize, usize)) -> (usize, usize) {
        let lines = self.text.split_inclusive('\n').take(line.saturating_sub(1));
        let now = lines.map(|line| line.chars().count()).sum::<usize>() + column.saturating_sub(1);
        let mut before = now;
        for &(begin, end, old_begin, old_end) in &self.moved {
            if now >= end {
                before = old_end + (now - end);
            } else if now >= begin {
                before = old_begin;
            }
        }
        let passed: Vec<char> = self.before.chars().take(before + self.to_variable(before)).collect();
        let column = passed.iter().rev().take_while(|c| **c != '\n').count() + 1;
        (passed.iter().filter(|c| **c == '\n').count() + 1, column)
    }

    /// How far it is to the variable of an empty value, which is said to be where its name ends.
    fn to_variable(&self, at: usize) -> usize {
        let mut rest = self.before.chars().skip(at).peekable();
        if rest.next_if_eq(&':').is_none() {
            return 0;
        }
        let spaces = std::iter::from_fn(|| rest.next_if_eq(&' ')).count();
        if rest.next() == Some('$') && rest.next() == Some('{') { 1 + spaces } else { 0 }
    }
}
