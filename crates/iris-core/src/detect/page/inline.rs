//! What is said within a line: without marks, with code, addresses and quotations each as one sign.

use super::{CODE, Page, QUOTED};

/// A quotation longer than this is rather two signs that have nothing to do with each other.
const LONGEST_QUOTATION: usize = 400;
const LONGEST_TAG: usize = 200;

pub(super) fn read(line: &str, at: usize, page: &mut Page) {
    let mut rest = line;
    let mut before = ' ';
    while let Some(next) = rest.chars().next() {
        let from = at + line.len() - rest.len();
        let (length, sign) = take(rest, next, before);
        match sign {
            Sign::Nothing => {}
            Sign::Mark(mark) => page.push(mark, from),
            Sign::Space => {
                if !page.said.ends_with([' ', '\n']) && !page.said.is_empty() {
                    page.push(' ', from);
                }
            }
            Sign::Letter if next.is_ascii() => page.push(next.to_ascii_lowercase(), from),
            // The dot of a Turkish capital becomes a mark of its own, which no phrase has.
            Sign::Letter => {
                next.to_lowercase().filter(|&small| small != '\u{307}').for_each(|small| page.push(small, from))
            }
        }
        before = next;
        rest = &rest[length..];
    }
    while page.said.ends_with(' ') {
        page.said.pop();
        page.origin.pop();
    }
}

enum Sign {
    Nothing,
    Space,
    Letter,
    Mark(char),
}

/// How many bytes belong together here, and what they are.
fn take(rest: &str, next: char, before: char) -> (usize, Sign) {
    let one = next.len_utf8();
    let letter = (one, Sign::Letter);
    match next {
        'a'..='z' | 'A'..='Z' if !before.is_alphanumeric() => {
            address(rest).map_or(letter, |length| (length, Sign::Mark(CODE)))
        }
        'a'..='z' | 'A'..='Z' | '0'..='9' => letter,
        ' ' | '\t' | '\u{a0}' | '\u{202f}' | '\u{3000}' => (one, Sign::Space),
        '`' => code(rest).map_or((one, Sign::Nothing), |length| (length, Sign::Mark(CODE))),
        '*' | '~' | '[' | '\u{200b}' | '\u{fe0f}' | '\u{ad}' => (one, Sign::Nothing),
        '_' if !before.is_alphanumeric() || !rest[1..].starts_with(char::is_alphanumeric) => (one, Sign::Nothing),
        ']' => (link(rest).unwrap_or(one), Sign::Nothing),
        '<' => tag(rest).map_or(letter, |length| (length, Sign::Space)),
        '‘' | '‚' | '‹' => {
            let otherwise = if next == '‘' { (one, Sign::Mark('\'')) } else { letter };
            quotation(rest, next, before).map_or(otherwise, |length| (length, Sign::Mark(QUOTED)))
        }
        '’' => (one, Sign::Mark('\'')),
        '"' | '“' | '„' | '«' | '»' | '「' | '『' | '\'' => {
            quotation(rest, next, before).map_or(letter, |length| (length, Sign::Mark(QUOTED)))
        }
        _ => letter,
    }
}

fn code(rest: &str) -> Option<usize> {
    let ticks = rest.bytes().take_while(|&byte| byte == b'`').count();
    let inside = &rest[ticks..];
    let mut from = 0;
    while let Some(at) = inside[from..].find('`') {
        let start = from + at;
        let run = inside[start..].bytes().take_while(|&byte| byte == b'`').count();
        if run == ticks {
            return Some(ticks + start + run);
        }
        from = start + run;
    }
    None
}

/// The target of a link is no part of what is said.
fn link(rest: &str) -> Option<usize> {
    rest.starts_with("](").then(|| rest.find(')').map(|at| at + 1)).flatten()
}

fn tag(rest: &str) -> Option<usize> {
    let named = rest[1..].starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!'));
    let end = rest.find('>').filter(|&end| end <= LONGEST_TAG)?;
    named.then_some(end + 1)
}

fn address(rest: &str) -> Option<usize> {
    let known = ["http://", "https://", "www.", "ftp://", "file://"].iter().any(|start| rest.starts_with(start));
    if !known {
        return None;
    }
    let end = rest.find(|next: char| next.is_whitespace() || !next.is_ascii() || matches!(next, '>' | ')' | '"'));
    // A mark at its end belongs to the sentence.
    Some(rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', ',', '?', '!', ':', ';', '*', '_', '`', '\'']).len())
}

fn quotation(rest: &str, open: char, before: char) -> Option<usize> {
    let inside = &rest[open.len_utf8()..];
    let inside = &inside[..inside.floor_char_boundary(LONGEST_QUOTATION)];
    let end = match open {
        '\'' => return apostrophe(inside, before, "'", 1),
        '‘' => return apostrophe(inside, before, "’", 3),
        '‚' => return apostrophe(inside, before, "‘", 3).or_else(|| apostrophe(inside, before, "’", 3)),
        '‹' => inside.find('›')?,
        '"' => inside.find('"')?,
        '“' => inside.find(['”', '“'])?,
        '„' => inside.find(['“', '”'])?,
        '«' => inside.find('»')?,
        '»' => inside.find('«')?,
        '「' => inside.find('」')?,
        _ => inside.find('』')?,
    };
    let close = inside[end..].chars().next().map_or(0, char::len_utf8);
    Some(open.len_utf8() + end + close)
}

/// A quotation in single marks, told from an apostrophe by what stands around it.
fn apostrophe(inside: &str, before: char, close: &str, open: usize) -> Option<usize> {
    if !matches!(before, ' ' | '(' | '[' | ':' | '*') || inside.starts_with(char::is_whitespace) {
        return None;
    }
    let ends =
        |at: usize| !inside[at + close.len()..].starts_with(char::is_alphanumeric) && !inside[..at].ends_with(' ');
    inside.match_indices(close).map(|(at, _)| at).find(|&at| ends(at)).map(|at| open + at + close.len())
}
