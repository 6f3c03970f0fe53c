//! Lines: which are prose, which are headings, items of a list or quoted, and which are code or tables and left out.

use std::ops::Range;

use super::inline;
use super::is_unspaced;
use super::label;
use super::{CODE, Page, QUOTED};
use crate::detect::window::Window;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::detect) enum LineKind {
    Prose,
    Heading,
    /// An item of a list, so many columns from the left.
    Item {
        indent: usize,
    },
    Quote,
}

#[derive(Debug)]
pub(in crate::detect) struct Line {
    pub kind: LineKind,
    /// What is said in it.
    pub said: Range<usize>,
    /// The whole line in the reply, in bytes, without the space around it.
    pub source: Range<usize>,
    /// Lines with nothing between them have the same number.
    pub paragraph: u32,
    /// All of it is in bold: often a heading.
    pub bold: bool,
    /// It begins with the name of one of several: "Option A: …".
    pub labelled: bool,
    /// It begins with a letter: "a) …", also after a bullet.
    pub lettered: bool,
    /// It goes on in the next line.
    pub runs_on: bool,
}

pub(super) fn read(text: &str, window: &Window, page: &mut Page) {
    let mut fence = window.in_code.then_some(Fence { mark: '`', length: 3 });
    let mut paragraph = page.lines.last().map_or(0, |line| line.paragraph + 1);
    let mut start = window.range.start;
    for line in text[window.range.clone()].split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        let at = start + indent;
        start += line.len();
        if let Some(open) = &fence {
            if open.is_closed_by(trimmed) {
                fence = None;
            } else if page.failed_at.last() != Some(&paragraph) && shows_failure(trimmed) {
                page.failed_at.push(paragraph);
            }
            continue;
        }
        fence = Fence::find(trimmed);
        if fence.is_some() || is_gap(trimmed) {
            paragraph += 1;
            if fence.is_none() && trimmed.len() >= 3 {
                page.rules.push(paragraph);
            }
            continue;
        }
        if !is_table(trimmed) {
            add(trimmed, at, indent, paragraph, page);
        }
    }
}

/// What programs print when they fail. Code that only speaks of errors rarely shouts or names a code.
fn shows_failure(line: &str) -> bool {
    const SHOUTED: &[&str] = &[
        "FATAL",
        "CONFLICT",
        "ERROR",
        "Error:",
        "error:",
        "error[",
        "Exception",
        "Traceback",
        "denied",
        "HTTP 4",
        "HTTP 5",
        "FAILED",
        "Failed",
        "fatal:",
        "panicked",
        "npm ERR",
        "refused",
        "timed out",
        "not found",
        "No such file",
    ];
    SHOUTED.iter().any(|word| line.contains(word))
}

struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn find(line: &str) -> Option<Self> {
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let length = line.chars().take_while(|&next| next == mark).count();
        // A line such as ```code``` is code within a line.
        let rest = &line[length..];
        (length >= 3 && !rest.contains('`')).then_some(Self { mark, length })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let length = line.chars().take_while(|&next| next == self.mark).count();
        length >= self.length && line[length..].trim().is_empty()
    }
}

fn is_gap(line: &str) -> bool {
    line.chars().all(|next| matches!(next, '-' | '*' | '_' | '=' | '─' | '━' | ' '))
}

fn is_table(line: &str) -> bool {
    line.starts_with('|') || line.starts_with('│') || (line.ends_with('|') && line.matches('|').count() > 2)
}

fn add(line: &str, at: usize, indent: usize, paragraph: u32, page: &mut Page) {
    let (kind, skip) = classify(line, indent);
    let content = &line[skip..];
    if page.lines.last().is_some_and(|last| goes_on(last, kind, content, paragraph, page)) {
        let end = page.lines.last().map_or(at, |last| last.source.end);
        if !(page.said.ends_with(is_unspaced) && content.starts_with(is_unspaced)) {
            page.push(' ', end);
        }
        if let Some(last) = page.lines.last_mut() {
            last.runs_on = true;
        }
    } else if let Some(end) = page.lines.last().map(|last| last.source.end) {
        // A line ends where it ends in the reply, not where the next one begins: there may be code in between.
        page.push('\n', end);
    }
    let from = page.said.len();
    inline::read(content, at + skip, page);
    // A lone mark says nothing, and then the space before it is gone, too.
    let end = page.said.len();
    page.lines.push(Line {
        kind,
        said: from.min(end)..end,
        source: at..at + line.len(),
        paragraph,
        bold: content.starts_with("**") && content.trim_end_matches([':', '：']).ends_with("**"),
        labelled: label::begins(content),
        lettered: is_lettered(line),
        runs_on: false,
    });
}

fn is_lettered(line: &str) -> bool {
    let rest = line.trim_start_matches(['-', '*', '+', '•', ' ', '(', '（', '[']);
    let mut letters = rest.chars();
    let letter = letters.next().is_some_and(|first| first.is_alphabetic() && !is_unspaced(first));
    let close = letters.next();
    let close = if close == Some('*') { letters.find(|&next| next != '*') } else { close };
    letter && matches!(close, Some(')' | '）' | '.' | '、' | ']' | '．' | ':' | '：'))
}

/// So wide is a line that a page has broken, in columns.
const WIDE: usize = 66;

/// A sentence that was broken by the width of a page goes on with a small letter, or with any after a wide line.
fn goes_on(last: &Line, kind: LineKind, content: &str, paragraph: u32, page: &Page) -> bool {
    let said = &page.said[last.said.clone()];
    let open = said
        .chars()
        .next_back()
        .is_some_and(|end| end.is_alphanumeric() || is_comma(end) || matches!(end, CODE | QUOTED | ')' | '—' | '–'));
    // A long name was one sign to the reader of the page, but not to the one who broke it.
    let hidden = last.source.len().saturating_sub(said.len());
    // "그래도 안 되면" is half a sentence, too.
    let waits = page.said[last.said.clone()].ends_with(|end| is_comma(end) || matches!(end, '면' | '고' | '며'))
        && content.starts_with(is_unspaced);
    kind == LineKind::Prose
        && last.paragraph == paragraph
        && last.kind != LineKind::Heading
        && open
        && content.chars().next().is_some_and(|first| {
            waits
                || first.is_lowercase()
                || ((first.is_alphanumeric() || matches!(first, '`' | '"' | '“' | '«' | '„' | '(' | '/'))
                    && is_wide(said, hidden))
        })
}

fn is_comma(sign: char) -> bool {
    matches!(sign, ',' | '，' | '、')
}

fn is_wide(said: &str, hidden: usize) -> bool {
    let columns = || said.chars().map(|next| if is_unspaced(next) { 2 } else { 1 }).sum::<usize>();
    said.len() + hidden >= WIDE && columns() + hidden >= WIDE
}

fn classify(line: &str, indent: usize) -> (LineKind, usize) {
    let hashes = line.bytes().take_while(|&byte| byte == b'#').count();
    if (1..=6).contains(&hashes) && line[hashes..].starts_with(' ') {
        return (LineKind::Heading, hashes + 1);
    }
    if let Some(rest) = line.strip_prefix('>') {
        return (LineKind::Quote, line.len() - rest.trim_start_matches(['>', ' ']).len());
    }
    match marker(line) {
        Some(length) => (LineKind::Item { indent }, length),
        None => (LineKind::Prose, 0),
    }
}

/// The number or the letter that an item goes by, and the rest of it: `2` of "2) two".
pub(crate) fn own_name(item: &str) -> Option<(&str, &str)> {
    let (marked, rest) = item.split_at(marker(item)?);
    let name = marked.trim_matches(|next: char| !next.is_ascii_alphanumeric());
    (!name.is_empty() && !rest.trim().is_empty()).then(|| (name, rest.trim()))
}

/// The length of what marks an item: a bullet, a number, a letter, a sign.
pub(in crate::detect) fn marker(line: &str) -> Option<usize> {
    let bold = if line.starts_with("**") { 2 } else { 0 };
    let rest = &line[bold..];
    let first = rest.chars().next()?;
    if bold == 0
        && matches!(first, '-' | '*' | '+' | '•' | '·' | '–' | '‣' | '◦' | '▪' | '●' | '○' | '→' | '☐' | '✅' | '❓')
    {
        let rest = &line[first.len_utf8()..];
        let rest = rest.strip_prefix('\u{fe0f}').unwrap_or(rest);
        return rest.starts_with([' ', '\t']).then(|| line.len() - rest.trim_start().len());
    }
    if ('①'..='⑳').contains(&first) || ('❶'..='❿').contains(&first) {
        return Some(bold + first.len_utf8());
    }
    // A digit in a box is three characters: the digit, a selector and the box.
    if let Some(at) = rest.find('\u{20e3}').filter(|&at| at <= 4) {
        return Some(bold + at + '\u{20e3}'.len_utf8());
    }
    numbered(rest).or_else(|| dashed(rest)).map(|length| bold + length)
}

/// `1 – one`
fn dashed(line: &str) -> Option<usize> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = line[digits..].strip_prefix(' ')?;
    let after = rest.strip_prefix(['–', '-', '—'])?;
    ((1..=2).contains(&digits) && after.starts_with(' ')).then(|| line.len() - after.trim_start().len())
}

/// `1.` `2)` `(3)` `a)` `B.` `4、` `（5）`
fn numbered(line: &str) -> Option<usize> {
    let inner = line.trim_start_matches(['(', '（', '[']);
    let opened = line.len() - inner.len();
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    let length = match digits {
        0 => inner.chars().next().filter(|next| next.is_alphabetic() && !is_unspaced(*next))?.len_utf8(),
        1..=3 => digits,
        _ => return None,
    };
    let close = inner[length..].chars().next()?;
    let after = &inner[length + close.len_utf8()..];
    let closes = match close {
        ')' | '）' | '、' | '．' | ']' => true,
        '.' => after.starts_with([' ', '*']),
        _ => false,
    };
    let fits = closes && (opened == 0 || matches!(close, ')' | '）' | ']'));
    let length = opened + length + close.len_utf8();
    fits.then(|| line.len() - line[length..].trim_start().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<&str>) {
        assert_eq!(marker(line).map(|length| &line[length..]), expected, "{line}");
    }

    #[test]
    fn items_are_marked_in_many_ways() {
        check("- one", Some("one"));
        check("* one", Some("one"));
        check("12. twelve", Some("twelve"));
        check("**1.** bold", Some("** bold"));
        check("**1. bold**", Some("bold**"));
        check("A) first", Some("first"));
        check("(b) second", Some("second"));
        check("3、三", Some("三"));
        check("（2）二", Some("二"));
        check("1️⃣ boxed", Some(" boxed"));
        check("① ringed", Some(" ringed"));
        check("2 – dashed", Some("dashed"));
        check("1.5 seconds", None);
        check("I. am not", Some("am not"));
        check("-5 degrees", None);
        check("**Bold** text", None);
        check("2024 was good", None);
    }

    #[test]
    fn an_item_goes_by_its_number_or_letter() {
        assert_eq!(own_name("2) two"), Some(("2", "two")));
        assert_eq!(own_name("(b) second"), Some(("b", "second")));
        assert_eq!(own_name("0. nothing"), Some(("0", "nothing")));
        assert_eq!(own_name("- one"), None);
        assert_eq!(own_name("3)"), None);
        assert_eq!(own_name("1.5 seconds"), None);
    }
}
