//! Where in the file something is.

use std::collections::BTreeSet;

use saphyr_parser::{Event, Parser, ScalarStyle};

/// A place in a text and the line it is on. Both numbers begin at 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub line: usize,
    pub column: usize,
    /// The line, or what is around the place if it is longer than anybody reads.
    pub text: String,
    /// How many characters of that are before the place.
    pub before: usize,
}

/// How much of a line is shown, at either side of a place.
const SIDE: usize = 120;

impl Place {
    pub fn new(text: &str, line: usize, column: usize) -> Self {
        let shown = text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim_end();
        let before = column.saturating_sub(1);
        let skipped = before.saturating_sub(SIDE);
        let mut chars = shown.chars().skip(skipped);
        let mut text: String = chars.by_ref().take(before - skipped + SIDE).collect();
        if chars.next().is_some() {
            text.push('…');
        }
        if skipped > 0 {
            text.insert(0, '…');
        }
        Self { line, column, text, before: before - skipped + usize::from(skipped > 0) }
    }
}

/// A line and a column, both from 1.
pub(super) type Spot = (usize, usize);

/// The place of the value that a key such as `teams.alpha.path` has. No name has a dot in it.
pub(super) fn locate(yaml: &str, key: &str) -> Option<Spot> {
    walk(yaml, |path, part, spot| (part == Part::Value && path == key).then_some(spot))
}

/// The place of the name itself.
pub(super) fn locate_name(yaml: &str, key: &str) -> Option<Spot> {
    walk(yaml, |path, part, spot| (part == Part::Name && path == key).then_some(spot))
}

/// The place of one of the items, from 0, of the list that a key has.
pub(super) fn locate_item(yaml: &str, key: &str, item: usize) -> Option<Spot> {
    walk(yaml, |path, part, spot| (part == Part::Item(item) && path == key).then_some(spot))
}

/// Every key and every item of a list (`teams.a.args.0`), in the order of the file, and the line it is on.
pub(super) fn outline(yaml: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    walk(yaml, |path, part, (line, _)| {
        match part {
            Part::Name => found.push((path.to_owned(), line)),
            Part::Item(item) => found.push((format!("{path}.{item}"), line)),
            Part::Value => {}
        }
        None::<()>
    });
    found
}

/// The key that begins at a place, or whose value does. A mapping begins where its first key does: that key is meant.
pub(super) fn find_key_at(yaml: &str, wanted: Spot) -> Option<String> {
    let mut found = None;
    walk(yaml, |path, _, spot| {
        if spot == wanted && !path.is_empty() {
            found = Some(path.to_owned());
        }
        None::<()>
    });
    found
}

/// The lines, from 1, that are within a text of several lines: nothing in them is a key or a comment.
pub fn lines_of_texts(yaml: &str) -> BTreeSet<usize> {
    let lines: Vec<&str> = yaml.lines().collect();
    let is_empty = |at: usize| lines.get(at - 1).is_none_or(|line| line.trim().is_empty());
    let indent = |at: usize| lines.get(at - 1).map_or(0, |line| line.len() - line.trim_start_matches(' ').len());
    let mut found = BTreeSet::new();
    for (event, span) in Parser::new_from_str(yaml).map_while(Result::ok) {
        let Event::Scalar(text, style, ..) = event else { continue };
        let (start, end) = (span.start.line(), span.end.line());
        match style {
            ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => found.extend(start + 1..=end),
            // It begins with its first line and ends before what follows, which is further out. The empty lines behind
            // it are part of it only if it was said to keep them.
            ScalarStyle::Literal | ScalarStyle::Folded if !text.trim().is_empty() => {
                let keeps_all = text.ends_with("\n\n");
                let is_in = |at: &usize| is_empty(*at) || indent(*at) >= span.start.col();
                let own: Vec<usize> = (start..=end).take_while(is_in).collect();
                let last = own.iter().rposition(|at| keeps_all || !is_empty(*at)).map_or(0, |last| last + 1);
                found.extend(&own[..last]);
            }
            _ => {}
        }
    }
    found
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Name,
    Value,
    /// Of a list, by its number from 0.
    Item(usize),
}

/// Calls for every name and value in the file, with the path of its key, until something is found.
fn walk<T>(yaml: &str, mut visit: impl FnMut(&str, Part, Spot) -> Option<T>) -> Option<T> {
    // For every mapping that is open: the name whose value comes next, if it was read already.
    let mut open: Vec<Option<String>> = Vec::new();
    // Lists are opaque: no key leads into one, so what is in it belongs to the list. How deep in one we are, and how many
    // items of it there were.
    let (mut depth, mut items) = (0_usize, 0_usize);
    for event in Parser::new_from_str(yaml) {
        let (event, span) = event.ok()?;
        let spot = (span.start.line(), span.start.col() + 1);
        let is_name = depth == 0 && matches!(event, Event::Scalar(..)) && open.last().is_some_and(Option::is_none);
        if let (Some(slot), Event::Scalar(text, ..), true) = (open.last_mut(), &event, is_name) {
            *slot = Some(text.to_string());
        }
        if matches!(event, Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) | Event::Alias(_)) {
            let path = open.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(".");
            let part = match depth {
                0 if is_name => Part::Name,
                1 => Part::Item(items),
                _ => Part::Value,
            };
            items += usize::from(depth == 1);
            if let Some(found) = visit(&path, part, spot) {
                return Some(found);
            }
        }
        match event {
            Event::SequenceStart(..) if depth == 0 => (depth, items) = (1, 0),
            Event::SequenceStart(..) | Event::MappingStart(..) if depth > 0 => depth += 1,
            Event::SequenceEnd | Event::MappingEnd if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    value_ended(&mut open);
                }
            }
            _ if depth > 0 => {}
            Event::MappingStart(..) => open.push(None),
            Event::MappingEnd => {
                open.pop();
                value_ended(&mut open);
            }
            Event::Scalar(..) | Event::Alias(_) if !is_name => value_ended(&mut open),
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
        assert_eq!(locate_name(yaml, "teams.two"), Some((6, 3)));
        assert_eq!(locate_item(yaml, "a.list", 0), Some((2, 10)));
        assert_eq!(locate_item(yaml, "a.list", 1), Some((2, 13)));
        assert_eq!(locate_item(yaml, "a.list", 2), None);
        assert_eq!(locate(yaml, "a.y"), None);
        assert_eq!(locate("a: [", "a.b"), None);
    }

    #[test]
    fn a_place_says_which_key_it_is_about() {
        let yaml = "a:\n  list: [x, {y: 1}]\n  b: 2\nc:\n";
        for (spot, key) in [((3, 6), "a.b"), ((3, 3), "a.b"), ((2, 10), "a.list"), ((2, 17), "a.list"), ((4, 1), "c")] {
            assert_eq!(find_key_at(yaml, spot).as_deref(), Some(key), "{spot:?}");
        }
        assert_eq!(find_key_at(yaml, (9, 9)), None);
    }
}
