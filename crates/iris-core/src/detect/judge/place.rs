//! Where a sentence stands: what comes after it, apart from what is only polite or belongs to it.

use super::{Said, draft, faq, survey};
use crate::detect::lexicon::{Cue, Marked};
use crate::detect::page::{Ending, LineKind, Page, is_unspaced};

/// What "for context" and all after it counts for.
const ASIDE: usize = 100;

/// What comes after a sentence.
pub(super) struct After {
    /// So much is said that is neither a question nor an offer, in letters.
    pub weight: usize,
    /// The next thing said is in the same paragraph.
    pub same_paragraph: bool,
}

pub(super) struct Places {
    /// How much is said from each sentence to the end.
    from: Vec<usize>,
    /// The first sentence after the list that begins with this one, or this one.
    list_end: Vec<usize>,
    paragraph: Vec<u32>,
    leads: Vec<bool>,
    /// It stands after a list of what the agent would do if it were wanted.
    offered: Vec<bool>,
    /// It stands in a list of what the human wanted to have.
    presented: Vec<bool>,
    /// It is one of the questions of a survey, a quiz or an interview that the agent wrote.
    surveyed: Vec<bool>,
    /// It is one of the questions of an FAQ, each with its answer.
    answered: Vec<bool>,
    /// It stands in a text that the agent wrote for others.
    drafted: Vec<bool>,
}

impl Places {
    /// `said` is what each sentence says by itself.
    pub fn find(page: &Page, marked: &Marked, said: &[Said]) -> Self {
        let count = page.sentences.len();
        let mut from = vec![0; count + 1];
        let mut list_end = vec![count; count + 1];
        for index in (0..count).rev() {
            let sentence = &page.sentences[index];
            let silent = said[index] != Said::Nothing || is_bracketed(page, index);
            let weight = if silent { 0 } else { letters(page.text_of(sentence)) };
            from[index] = from[index + 1] + weight;
            if marked.cues(index).has(Cue::Aside) {
                // However much it is: it only goes with what was said before.
                from[index] = from[index].min(ASIDE);
            }
            let is_item = matches!(page.line_of(sentence).kind, LineKind::Item { .. });
            list_end[index] = if is_item { list_end[index + 1].max(index + 1) } else { index };
        }
        list_end[count] = count;
        let paragraph = page.sentences.iter().map(|sentence| page.line_of(sentence).paragraph).collect();
        let leads = page.sentences.iter().map(|sentence| matches!(sentence.ending, Ending::Question | Ending::Colon));
        Self {
            from,
            list_end,
            paragraph,
            leads: leads.collect(),
            offered: find_offered(page, said),
            presented: find_presented(page, marked),
            surveyed: survey::find(page, marked),
            answered: faq::find(page, marked),
            drafted: draft::find(page),
        }
    }

    /// "If you want, I can: 1. … 2. … Tell me which." is an offer to its end, unless it ends with a question.
    pub fn ends_offered_list(&self, index: usize) -> bool {
        self.offered[index]
    }

    pub fn is_presented(&self, index: usize) -> bool {
        self.presented[index]
    }

    pub fn is_in_survey(&self, index: usize) -> bool {
        self.surveyed[index]
    }

    pub fn is_in_faq(&self, index: usize) -> bool {
        self.answered[index]
    }

    pub fn is_in_draft(&self, index: usize) -> bool {
        self.drafted[index]
    }

    pub fn after(&self, index: usize) -> After {
        // What is listed after a question or a colon belongs to it.
        let next = if self.leads[index] { self.list_end[index + 1].max(index + 1) } else { index + 1 };
        let same_paragraph = self.paragraph.get(next).is_some_and(|&next| next == self.paragraph[index]);
        After { weight: self.from[next], same_paragraph }
    }
}

/// "Want to try it? (Needs a browser)": a part of the question.
fn is_bracketed(page: &Page, index: usize) -> bool {
    let sentence = &page.sentences[index];
    let before = index.checked_sub(1).map(|before| &page.sentences[before]);
    let follows = before.is_some_and(|before| before.line == sentence.line && before.ending == Ending::Question);
    let said = page.text_of(sentence);
    follows && said.starts_with(['(', '（']) && said.trim_end_matches('.').ends_with([')', '）'])
}

/// The questions of a survey that was asked for are not questions to the one who asked.
fn find_presented(page: &Page, marked: &Marked) -> Vec<bool> {
    let mut presents = false;
    let sentences = page.sentences.iter().enumerate();
    sentences
        .map(|(index, sentence)| {
            let is_item = matches!(page.line_of(sentence).kind, LineKind::Item { .. });
            if !is_item {
                let cues = marked.cues(index);
                presents = sentence.ending == Ending::Colon && cues.has(Cue::Present) && !cues.has(Cue::Request);
            }
            is_item && presents
        })
        .collect()
}

fn find_offered(page: &Page, said: &[Said]) -> Vec<bool> {
    let mut offers = false;
    let mut after_list = false;
    let sentences = page.sentences.iter().zip(said);
    sentences
        .map(|(sentence, said)| {
            let is_item = matches!(page.line_of(sentence).kind, LineKind::Item { .. });
            let ends = offers && after_list && !is_item && sentence.ending != Ending::Question;
            if is_item {
                after_list = true;
            } else {
                offers = *said == Said::Offer && sentence.ending == Ending::Colon;
                after_list = false;
            }
            ends
        })
        .collect()
}

/// A sign of a script without spaces says as much as two letters.
fn letters(text: &str) -> usize {
    text.chars().map(|next| if is_unspaced(next) { 2 } else { 1 }).sum()
}
