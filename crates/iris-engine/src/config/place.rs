//! Where in the file something is.

use saphyr_parser::{Event, Parser};

/// A place in a text and the line it is on. Both numbers begin at 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub line: usize,
    pub column: usize,
    pub text: String,
}

impl Place {
    pub fn new(text: &str, line: usize, column: usize) -> Self {
        let shown = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
        Self { line, column, text: shown.trim_end().to_owned() }
    }
}

/// The place of the value that a key such as `teams.alpha.path` has. No name has a dot in it.
pub(super) fn locate(yaml: &str, key: &str) -> Option<(usize, usize)> {
    // For every mapping that is open: the name whose value comes next, if it was read already.
    let mut open: Vec<Option<String>> = Vec::new();
    // Lists are opaque: no key leads into one.
    let mut lists = 0_usize;
    for event in Parser::new_from_str(yaml) {
        let (event, span) = event.ok()?;
        let is_here = |open: &[Option<String>]| {
            let path: Option<Vec<_>> = open.iter().map(Option::as_deref).collect();
            lists == 0 && path.is_some_and(|path| path.join(".") == key)
        };
        let here = || (span.start.line(), span.start.col() + 1);
        match event {
            Event::SequenceStart(..) | Event::MappingStart(..) | Event::Alias(_) if is_here(&open) => {
                return Some(here());
            }
            Event::SequenceStart(..) => lists += 1,
            Event::SequenceEnd => {
                lists -= 1;
                if lists == 0 {
                    value_ended(&mut open);
                }
            }
            _ if lists > 0 => {}
            Event::MappingStart(..) => open.push(None),
            Event::MappingEnd => {
                open.pop();
                value_ended(&mut open);
            }
            Event::Scalar(..) if is_here(&open) => return Some(here()),
            Event::Scalar(text, ..) => match open.last_mut() {
                Some(name @ None) => *name = Some(text.into_owned()),
                _ => value_ended(&mut open),
            },
            Event::Alias(_) => value_ended(&mut open),
            _ => {}
        }
    }
    None
}

fn value_ended(open: &mut [Option<String>]) {
    if let Some(name) = open.last_mut() {
        *name = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_wherever_it_is_written() {
        let yaml = "a:\n  list: [x, {y: 1}]\n  b: 2\nteams:\n  one: {path: /x, args: [a]}\n  two:\n    path: /y\n";
        assert_eq!(locate(yaml, "a.b"), Some((3, 6)));
        assert_eq!(locate(yaml, "teams.one.path"), Some((5, 15)));
        assert_eq!(locate(yaml, "teams.one.args"), Some((5, 25)));
        assert_eq!(locate(yaml, "teams.two.path"), Some((7, 11)));
        assert_eq!(locate(yaml, "teams.two"), Some((7, 5)));
        assert_eq!(locate(yaml, "a.y"), None);
        assert_eq!(locate("a: [", "a.b"), None);
    }
}
