//! One variable as it is written, `${NAME:-default}`, and what it stands for. A default may name others, to any depth that
//! somebody might write: `${A:-${B:-c}}`.

use super::{Trouble, quote};

pub enum Fill {
    /// What the environment says.
    Given(String),
    /// What the config says: a default, or a `${` as it stands.
    Written(String),
    Wrong(Trouble),
}

/// What was read, in bytes: how long it is, and where in it what is wrong begins.
pub struct Reading<'a> {
    pub length: usize,
    pub name: &'a str,
    pub fill: Fill,
    pub at: usize,
}

impl Reading<'_> {
    pub fn of_an_escape() -> Self {
        Self { length: 3, name: "", fill: Fill::Written("${".to_owned()), at: 0 }
    }
}

/// Deeper than anybody writes.
const DEEPEST: usize = 16;

/// Of what is none only the beginning is taken, because a bracket further on may have closed what was not meant to reach so
/// far.
pub fn read<'a>(here: &'a str, variable: &impl Fn(&str) -> Option<String>, depth: usize) -> Reading<'a> {
    let wrong = |name, trouble| Reading { length: 2, name, fill: Fill::Wrong(trouble), at: 0 };
    let inside = &here[2..];
    let Some(end) = end_of(inside) else { return wrong("", Trouble::Open) };
    let (name, default) = match inside[..end].split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (&inside[..end], None),
    };
    if let Err(trouble) = check_name(name) {
        return wrong(name, trouble);
    }
    let given = variable(name).filter(|value| !value.is_empty() || default.is_none());
    let (fill, at) = match (given, default) {
        (Some(value), _) => (Fill::Given(value), 0),
        (None, Some(default)) if default.contains("${") && depth == DEEPEST => (Fill::Wrong(Trouble::Deep), 0),
        (None, Some(default)) => {
            let (fill, at) = read_default(default, variable, depth + 1);
            (fill, 2 + name.len() + 2 + at)
        }
        (None, None) => (Fill::Wrong(Trouble::Missing { name: name.to_owned() }), 0),
    };
    let at = if matches!(fill, Fill::Wrong(_)) { at } else { 0 };
    Reading { length: 2 + end + 1, name, fill, at }
}

/// What a default is with the variables that it names, and where in it something is wrong.
fn read_default(default: &str, variable: &impl Fn(&str) -> Option<String>, depth: usize) -> (Fill, usize) {
    let (mut whole, mut rest) = (String::new(), default);
    let (mut written, mut loose) = (String::new(), None);
    while let Some(start) = rest.find("${") {
        let is_escaped = rest[..start].ends_with('$');
        let start = if is_escaped { start - 1 } else { start };
        let (before, here) = rest.split_at(start);
        let at = default.len() - here.len();
        let inner = if is_escaped { Reading::of_an_escape() } else { read(here, variable, depth) };
        if inner.length == default.len() || matches!(inner.fill, Fill::Wrong(_)) {
            return (inner.fill, at + inner.at);
        }
        written.push_str(before);
        whole.push_str(before);
        match inner.fill {
            Fill::Given(value) => {
                loose = loose.or((!quote::is_plain_word(&value)).then(|| (inner.name.to_owned(), at)));
                whole.push_str(&value);
            }
            Fill::Written(text) => {
                written.push_str(&text);
                whole.push_str(&text);
            }
            Fill::Wrong(_) => {}
        }
        rest = &here[inner.length..];
    }
    written.push_str(rest);
    whole.push_str(rest);
    match loose {
        None => (Fill::Written(whole), 0),
        // The words around it mean the same in quotes, so that all of it is one value.
        Some(_) if quote::is_plain_text(&written) => (Fill::Given(whole), 0),
        Some((name, at)) => (Fill::Wrong(Trouble::NotInADefault { name }), at),
    }
}

/// A default may have brackets of its own, if they are closed: `${NAME:-{}}`.
fn end_of(inside: &str) -> Option<usize> {
    let first = inside.find('}')?;
    let mut depth = 0_usize;
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    // The one that closes the variable inside cannot be meant for this one.
    (!inside[..first].contains("${")).then_some(first)
}

fn check_name(name: &str) -> Result<(), Trouble> {
    let is_of_a_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !name.is_empty() && name.chars().all(is_of_a_name) {
        Ok(())
    } else if name.contains(|c: char| c.is_whitespace() || "\"'{,".contains(c)) {
        Err(Trouble::Open)
    } else {
        Err(Trouble::NoName { inside: name.to_owned() })
    }
}
