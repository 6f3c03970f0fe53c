//! Which part of the reply is the question.

use std::ops::Range;

use super::Span;
use super::judge::Verdict;
use super::lexicon::{Cue, Cues, Marked};
use super::page::{Ending, LineKind, Page};

pub(super) fn find(text: &str, page: &Page, marked: &Marked, verdict: &Verdict) -> Span {
    let end = page.sentences[last_item(page, verdict.sentence)].source.end;
    let start = match verdict.first {
        first if first != verdict.sentence => lead(page, marked, first),
        _ => begin(page, marked, verdict.sentence),
    };
    let start = start.min(end);
    let piece = text[start..end].trim_end_matches([':', ';', '：', '；', ' ', '*', '_']);
    of(text, start..start + piece.len())
}

/// What is listed after "please send me:" is what is wanted.
fn last_item(page: &Page, sentence: usize) -> usize {
    if page.sentences[sentence].ending != Ending::Colon {
        return sentence;
    }
    let items = (sentence + 1..page.sentences.len())
        .take_while(|&index| matches!(page.line_of(&page.sentences[index]).kind, LineKind::Item { .. }));
    items.last().unwrap_or(sentence)
}

/// What stands in these bytes of the reply.
pub(super) fn of(text: &str, place: Range<usize>) -> Span {
    let before = text[..place.start].chars().count();
    let inside = &text[place];
    Span { start: before, end: before + inside.chars().count(), text: inside.to_owned() }
}

/// Several questions begin with the sentence that leads to them, if it is half of the question.
fn lead(page: &Page, marked: &Marked, first: usize) -> usize {
    let before = first.checked_sub(1).filter(|&before| {
        page.sentences[before].ending == Ending::Colon
            && marked.cues(before).has(Cue::Leave)
            && !marked.cues(before).has(Cue::Request)
    });
    match before {
        Some(before) => page.sentences[before].source.start,
        // The number of the first question belongs to it as much as that of the second.
        None => page.line_of(&page.sentences[first]).source.start,
    }
}

/// A question may begin within a sentence, behind a colon: "One thing is missing: which version is it?"
fn begin(page: &Page, marked: &Marked, index: usize) -> usize {
    let sentence = &page.sentences[index];
    let said = page.text_of(sentence);
    let asks = Cues::of(&[Cue::Asking, Cue::Leave, Cue::Request, Cue::Confirm, Cue::Pick, Cue::Asks, Cue::Which]);
    let colon =
        said.match_indices([':', '：']).map(|(at, mark)| at + mark.len()).take_while(|&at| at < said.len()).last();
    let begun = colon.filter(|&colon| {
        let rest = &said[colon..];
        let start = sentence.said.start + colon + rest.len() - rest.trim_start().len();
        rest.chars().any(char::is_alphanumeric)
            && marked.hits(index).iter().any(|hit| asks.has(hit.cue) && hit.start >= start && hit.start <= start + 12)
    });
    match begun {
        Some(colon) => {
            let rest = &said[colon..];
            let start = sentence.said.start + colon + rest.len() - rest.trim_start().len();
            page.source(&(start..sentence.said.end)).start
        }
        None => sentence.source.start,
    }
}
