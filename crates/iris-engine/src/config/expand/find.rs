//! Where in a text variables are named, and what each of them stands for.

use saphyr_parser::ScalarStyle;

use super::filled::Edit;
use super::read::{Fill, Reading, read};
use super::{Trouble, quote};

/// A text in which each variable is a word of the same length, so that everything is where it was.
pub struct Found {
    pub masked: String,
    pub variables: Vec<Variable>,
    first: u32,
}

pub struct Variable {
    /// In characters, from the beginning of the text.
    at: usize,
    length: usize,
    /// Of what is wrong with it, if something is: that may be inside its default.
    pub line: usize,
    pub column: usize,
    name: String,
    pub fill: Fill,
}

pub fn find(text: &str, variable: impl Fn(&str) -> Option<String>) -> Found {
    let mut found = Found { masked: String::with_capacity(text.len()), variables: Vec::new(), first: unused(text) };
    let mut begin = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let mut rest = line;
        while let Some(start) = rest.find("${") {
            let is_escaped = rest[..start].ends_with('$');
            let start = if is_escaped { start - 1 } else { start };
            let here = &rest[start..];
            let Reading { length, name, fill, at } =
                if is_escaped { Reading::of_an_escape() } else { read(here, &variable, 0) };
            found.masked.push_str(&rest[..start]);
            let column = line[..line.len() - here.len()].chars().count();
            let (length, at) = (here[..length].chars().count(), here[..at].chars().count());
            let word = found.word(found.variables.len());
            found.masked.extend(std::iter::repeat_n(word, length));
            found.variables.push(Variable {
                at: begin + column,
                length,
                line: index + 1,
                column: column + at + 1,
                name: name.to_owned(),
                fill,
            });
            rest = &here[here.char_indices().nth(length).map_or(here.len(), |(at, _)| at)..];
        }
        found.masked.push_str(rest);
        begin += line.chars().count();
    }
    found
}

/// The first of the characters that are for private use, and that nobody uses in this text.
fn unused(text: &str) -> u32 {
    const PRIVATE: u32 = 0x10_0000;
    text.chars().map(|c| u32::from(c) + 1).max().unwrap_or_default().max(PRIVATE)
}

impl Found {
    fn word(&self, index: usize) -> char {
        u32::try_from(index).ok().and_then(|index| char::from_u32(self.first + index)).unwrap_or(char::MAX)
    }

    fn index(&self, c: char) -> Option<usize> {
        let index = u32::from(c).checked_sub(self.first)? as usize;
        (index < self.variables.len()).then_some(index)
    }

    /// Each once, in their order.
    pub fn in_value(&self, value: &str) -> Vec<&Variable> {
        let mut found: Vec<usize> = value.chars().filter_map(|c| self.index(c)).collect();
        found.dedup();
        found.into_iter().map(|index| &self.variables[index]).collect()
    }

    /// What the environment says, if the value is one variable and nothing else.
    pub fn given_alone(&self, value: &str) -> Option<&str> {
        let mut chars = value.chars();
        let first = self.index(chars.next()?)?;
        let is_alone = chars.all(|c| self.index(c) == Some(first));
        self.variables[first].given().filter(|_| is_alone)
    }

    /// What a value is once everything is filled in.
    pub fn fill_value(&self, value: &str) -> String {
        let mut filled = String::new();
        let mut before = None;
        for c in value.chars() {
            match self.index(c) {
                None => filled.push(c),
                index if index == before => {}
                Some(index) => filled.push_str(self.variables[index].text()),
            }
            before = self.index(c);
        }
        filled
    }
}

impl Variable {
    fn text(&self) -> &str {
        match &self.fill {
            Fill::Given(text) | Fill::Written(text) => text,
            Fill::Wrong(_) => "",
        }
    }

    fn given(&self) -> Option<&str> {
        if let Fill::Given(value) = &self.fill { Some(value) } else { None }
    }

    /// Why it cannot be filled in, if it cannot.
    pub fn trouble(&self, style: ScalarStyle) -> Option<Trouble> {
        let is_in_a_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        match &self.fill {
            Fill::Wrong(trouble) => Some(trouble.clone()),
            // Nothing can be escaped there, and how far a line is set in is for the YAML to say.
            Fill::Given(value) if is_in_a_block && (value.starts_with(' ') || quote::has_controls(value)) => {
                Some(Trouble::NotInABlock { name: self.name.clone() })
            }
            _ => None,
        }
    }

    /// Whether it is the same without quotes, wherever it stands.
    pub fn is_plain_word(&self) -> bool {
        match &self.fill {
            Fill::Given(value) => quote::is_plain_word(value),
            // Behind a `#` it would be a comment, which nobody writes there.
            Fill::Written(text) => {
                text.starts_with(['"', '\'', '[', '{']) || !(text.starts_with('#') || text.contains(" #"))
            }
            Fill::Wrong(_) => true,
        }
    }

    /// Whether single quotes are not enough: they know no escapes, and spaces at the end of a line are lost.
    pub fn needs_escapes(&self) -> bool {
        self.given().is_some_and(|value| quote::has_controls(value) || value.trim() != value || value.is_empty())
    }

    pub fn is_empty(&self) -> bool {
        self.given() == Some("")
    }

    pub fn filled_in(&self, style: ScalarStyle) -> Edit {
        let text = match (self.given(), style) {
            (Some(value), ScalarStyle::DoubleQuoted) => quote::escaped(value),
            (Some(value), ScalarStyle::SingleQuoted) => value.replace('\'', "''"),
            _ => self.text().to_owned(),
        };
        Edit { start: self.at, end: self.at + self.length, text }
    }
}
