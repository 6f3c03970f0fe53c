//! The questions of an FAQ: each stands out, and what follows is its answer, or what the answer is about.

use super::listed::has_lettered;
use super::{speaks_of_itself, survey};
use crate::detect::lexicon::{Cue, Cues, Marked};
use crate::detect::page::{Ending, LineKind, Page};

/// What such a list is called.
const NAMES: [&str; 16] = [
    "faq",
    "frequently asked",
    "häufige fragen",
    "häufig gestellte",
    "questions fréquentes",
    "preguntas frecuentes",
    "perguntas frequentes",
    "domande frequenti",
    "частые вопросы",
    "частых вопрос",
    "вопросы и ответы",
    "常见问题",
    "常見問題",
    "よくある質問",
    "자주 묻는",
    "časté dotazy",
];
/// What an agent asks the human with.
const DIRECTED: Cues = Cues::of(&[Cue::Leave, Cue::Address, Cue::Which, Cue::Choose, Cue::Course, Cue::Consent]);

/// Which sentences are such questions.
pub(super) fn find(page: &Page, marked: &Marked) -> Vec<bool> {
    let mut found = vec![false; page.sentences.len()];
    let asked: Vec<usize> = (0..page.sentences.len()).filter(|&index| stands_out(page, index)).collect();
    // "a) … b) …" is what may be answered, unless it was made for others.
    let made = asked.first().is_some_and(|&first| survey::is_named(&page.said[..page.sentences[first].said.start]));
    let is_answer = |&index: &usize| goes_on(page, index) && (made || !has_lettered(page, index));
    let answered: Vec<usize> = asked.iter().copied().filter(is_answer).collect();
    let Some(&first) = answered.first() else { return found };
    let before = &page.said[..page.sentences[first].said.start];
    let is_named = NAMES.iter().any(|name| before.contains(name));
    // Who asks in a list may explain, too; but then he speaks of himself, or of what is not known, and of his own deeds.
    let explains = |&index: &usize| {
        let next = page.text_of(&page.sentences[index + 1]);
        speaks_of_itself(next) || [index, index + 1].iter().any(|&near| marked.cues(near).has(Cue::Gap))
    };
    let directed = answered.iter().filter(|&&index| marked.cues(index).any(DIRECTED)).count();
    let is_plain = 2 * directed <= answered.len() && !answered.iter().any(explains);
    if answered.len() >= 2 && answered.len() == asked.len() && (is_named || is_plain) {
        answered.into_iter().for_each(|index| found[index] = true);
        // "Questions:" alone would ask.
        if let Some(lead) = first.checked_sub(1).filter(|_| is_named) {
            found[lead] = true;
        }
    }
    found
}

/// A question that begins an item, or is a line in bold, a heading, or a "Q:".
fn stands_out(page: &Page, index: usize) -> bool {
    let sentence = &page.sentences[index];
    let line = page.line_of(sentence);
    let begins = index == 0 || page.sentences[index - 1].line != sentence.line;
    let is_set_off = line.bold || matches!(line.kind, LineKind::Item { .. } | LineKind::Heading);
    let is_marked = ["q:", "q.", "f:", "p:", "в:", "问：", "问:", "q："]
        .iter()
        .any(|mark| page.text_of(sentence).starts_with(mark));
    sentence.ending == Ending::Question && begins && (is_set_off || is_marked)
}

/// Something is said after it, in its item or before the next one.
fn goes_on(page: &Page, index: usize) -> bool {
    let Some(next) = page.sentences.get(index + 1) else { return false };
    let (line, after) = (page.line_of(&page.sentences[index]), page.line_of(next));
    let is_below = match (line.kind, after.kind) {
        (LineKind::Item { indent }, LineKind::Item { indent: inner }) => {
            next.line == page.sentences[index].line || inner > indent
        }
        (LineKind::Item { .. }, _) => line.paragraph == after.paragraph,
        _ => true,
    };
    // "Weather? (rain fills the ponds)": what is meant by it.
    let is_meant = next.line == page.sentences[index].line && page.text_of(next).starts_with(['(', '（']);
    is_below && !is_meant && next.ending != Ending::Question
}
