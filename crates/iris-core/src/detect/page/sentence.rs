//! Sentences: where one ends, in scripts with and without spaces.

use std::ops::Range;

use super::{CODE, Page, QUOTED, is_unspaced, marker};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::detect) enum Ending {
    Question,
    Full,
    Colon,
    /// A semicolon, or the end of the line with nothing before it.
    Open,
}

#[derive(Debug)]
pub(in crate::detect) struct Sentence {
    /// What is said, with the mark that ends it.
    pub said: Range<usize>,
    /// Where it stands in the reply, in bytes, with the marks of emphasis around it left out.
    pub source: Range<usize>,
    /// The line it begins in.
    pub line: usize,
    pub ending: Ending,
    /// It ends with "(y/n)", or that stands just after it.
    pub yes_or_no: bool,
}

pub(super) fn cut(text: &str, page: &mut Page) {
    let mut sentences = Vec::new();
    let mut line = 0;
    while line < page.lines.len() {
        let first = line;
        while page.lines[line].runs_on && line + 1 < page.lines.len() {
            line += 1;
        }
        let run = page.lines[first].said.start..page.lines[line].said.end;
        cut_run(text, page, run, first, line, &mut sentences);
        line += 1;
    }
    for sentence in &mut sentences {
        sentence.source = trim(text, page.source(&sentence.said));
    }
    mark(text, &mut sentences);
    page.sentences = sentences;
}

/// A marker by itself is no sentence: it belongs to the one before it.
fn mark(text: &str, sentences: &mut Vec<Sentence>) {
    let mut index = 0;
    while index < sentences.len() {
        match marker::find(&text[sentences[index].source.clone()]) {
            Some(0) if index > 0 => {
                sentences[index - 1].yes_or_no = true;
                sentences.remove(index);
            }
            found => {
                sentences[index].yes_or_no |= found.is_some();
                index += 1;
            }
        }
    }
}

/// Emphasis and space at the ends are no part of a sentence, and no half character is.
fn trim(text: &str, source: Range<usize>) -> Range<usize> {
    let (start, end) = (text.floor_char_boundary(source.start), text.ceil_char_boundary(source.end));
    let piece = &text[start..end];
    let outside = |next: char| next.is_whitespace() || matches!(next, '*' | '_' | '~');
    // A picture before a sentence is no part of it either.
    let picture = |next: char| !next.is_ascii() && !next.is_alphanumeric() && !"¿¡«“„「『（《’".contains(next);
    let from = start + piece.len() - piece.trim_start_matches(|next| outside(next) || picture(next)).len();
    let to = start + piece.trim_end_matches(outside).len();
    from..to.max(from)
}

fn cut_run(text: &str, page: &Page, run: Range<usize>, first: usize, last: usize, sentences: &mut Vec<Sentence>) {
    let mut add = |said: Range<usize>, ending: Ending| {
        let piece = &page.said[said.clone()];
        let start = said.start + piece.len() - piece.trim_start().len();
        let end = said.start + piece.trim_end().len();
        if start < end && page.said[start..end].chars().any(|next| next.is_alphanumeric()) {
            let line = (first..=last).rfind(|&line| page.lines[line].said.start <= start).unwrap_or(first);
            sentences.push(Sentence { said: start..end, source: 0..0, line, ending, yes_or_no: false });
        } else if ending == Ending::Question {
            // A mark that was cut off from its words, as in "Really!?".
            if let Some(before) = sentences.last_mut().filter(|before| before.said.start >= run.start) {
                before.ending = Ending::Question;
                before.said.end = end.max(before.said.end);
            }
        }
    };
    let said = &page.said[run.clone()];
    let mut start = run.start;
    let mut characters = said.char_indices().peekable();
    while let Some((at, next)) = characters.next() {
        let rest = &said[at + next.len_utf8()..];
        let Some(ending) = ends(&said[..at], next, rest) else { continue };
        let mut end = run.start + at + next.len_utf8();
        if is_picture(next) && goes_on(text, page, end) {
            continue;
        }
        if matches!(next, '?' | '？') && is_title(text, page, start..end) {
            continue;
        }
        // Marks in a row and what closes after them belong to the sentence.
        while let Some(&(at, next)) = characters.peek() {
            if !matches!(next, '?' | '？' | '!' | '！' | '.' | ')' | '）' | '"' | '”' | '」' | '»') {
                break;
            }
            end = run.start + at + next.len_utf8();
            characters.next();
        }
        let ending = if page.said[start..end].contains(['?', '？', '؟']) && ending == Ending::Full {
            marked_at_end(&page.said[start..end])
        } else {
            ending
        };
        add(start..end, ending);
        start = end;
    }
    let ending = if said.ends_with([':', '：']) { Ending::Colon } else { Ending::Open };
    add(start..run.end, ending);
}

fn is_picture(mark: char) -> bool {
    matches!(mark, '\u{2600}'..='\u{27bf}' | '\u{1f300}'..='\u{1faff}')
}

/// A picture among words does not end them: "Should I push 😀 now?". What follows it begins small, in the reply itself.
fn goes_on(text: &str, page: &Page, end: usize) -> bool {
    let rest = &page.said[end..];
    let next = end + rest.len() - rest.trim_start().len();
    let from = page.origin.get(next).and_then(|&from| text.get(from as usize..));
    from.and_then(|rest| rest.chars().next()).is_some_and(char::is_lowercase)
}

/// "The line between **Who pays?** and **Refunds**": a name that stands out among words, and they go on after it.
fn is_title(text: &str, page: &Page, said: Range<usize>) -> bool {
    let of = |at: usize| page.origin.get(at).map(|&from| from as usize);
    let (Some(from), Some(mark)) = (of(said.start), of(said.end - 1)) else { return false };
    let (Some(before), Some(rest)) = (text.get(from..mark), text.get(mark..)) else { return false };
    let after = rest.strip_prefix(['?', '？']).unwrap_or(rest);
    let words = after.trim_start_matches(['*', '_']);
    let goes_on =
        words.strip_prefix([' ', ',']).is_some_and(|words| words.trim_start().starts_with(char::is_lowercase));
    let opened = before.rfind(['*', '_']).map(|at| before[..at].trim_end_matches(['*', '_']));
    words.len() < after.len()
        && goes_on
        && opened.is_some_and(|lead| lead.ends_with(' ') && lead.contains(char::is_alphabetic))
}

fn marked_at_end(sentence: &str) -> Ending {
    let end = sentence.trim_end_matches([')', '）', '"', '”', '」', '»', '.', '!', '！', '。']);
    if end.ends_with(['?', '？', '؟']) { Ending::Question } else { Ending::Full }
}

/// Whether the sentence ends with this mark.
fn ends(before: &str, mark: char, rest: &str) -> Option<Ending> {
    let next = rest.chars().next();
    match mark {
        '？' | '؟' => Some(Ending::Question),
        '。' | '！' => Some(Ending::Full),
        '；' => Some(Ending::Open),
        '?' => next
            .is_none_or(|next| {
                !next.is_ascii_alphanumeric() && !matches!(next, '.' | ':' | '=' | '[' | '/' | '&' | '_' | ',')
                    || next == '.' && rest.len() == 1
            })
            .then_some(Ending::Question),
        '!' => next
            .is_none_or(|next| {
                next.is_whitespace() || !next.is_ascii() || matches!(next, '?' | '!' | ')' | CODE | QUOTED)
            })
            .then_some(Ending::Full),
        ';' => next.is_none_or(char::is_whitespace).then_some(Ending::Open),
        _ if is_picture(mark) => {
            // A picture after words ends them: "All done 🎉 If you want more …".
            (next == Some(' ') && before.ends_with(' ') && before.contains(char::is_alphanumeric))
                .then_some(Ending::Full)
        }
        '.' | '…' => is_full_stop(before, rest).then_some(Ending::Full),
        _ => None,
    }
}

/// Words that end with a dot and go on.
const SHORT: &[&str] = &[
    "e.g", "i.e", "etc", "vs", "cf", "approx", "incl", "resp", "z.b", "bzw", "d.h", "u.a", "ca", "ggf", "evtl", "usw",
    "p.ej", "ej", "т.е", "т.д", "напр", "p.ex", "ex", "mr", "dr", "no", "nr", "st", "fig", "al", "tzv", "např", "tj",
    "np", "m.in",
];

fn is_full_stop(before: &str, rest: &str) -> bool {
    let mut following = rest.chars();
    match following.next() {
        None => return true,
        Some(next) if is_unspaced(next) => return !before.ends_with(|last: char| last.is_ascii_digit()),
        Some(')' | '"' | '”' | '»') => {}
        Some(next) if !next.is_whitespace() => return false,
        Some(_) => {}
    }
    let word = before.rsplit([' ', '(', '\n']).next().unwrap_or(before);
    let is_number = !word.is_empty()
        && word.len() <= 2
        && word.bytes().all(|byte| byte.is_ascii_digit())
        && before.len() == word.len();
    !(SHORT.contains(&word) || is_number)
}
