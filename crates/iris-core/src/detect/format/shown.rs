//! Whether a block asks, or is only shown: an example, a fixture, the seed of a survey. What is said around it decides.

use std::ops::Range;

use super::block::Block;
use crate::detect::DetectSettings;
use crate::detect::judge::ASKING;
use crate::detect::lexicon::{self, Cue, Cues, Marked};
use crate::detect::page::{Ending, Page};
use crate::detect::window::Window;

#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    /// What leads to it says that it was made, or that it follows.
    pub is_presented: bool,
    /// What leads to it speaks of no question, and after it work is said to be done.
    pub is_reported: bool,
    /// Nothing is said after it, or that somebody waits.
    pub is_last: bool,
    /// What leads to it speaks of a question.
    pub is_called_question: bool,
}

pub(super) fn look(text: &str, block: &Block, next: Option<Around>, settings: &DetectSettings) -> Around {
    let (before, leads) = said(text, &block.before, settings);
    let (after, follows) = said(text, &block.after, settings);
    let lead = before.sentences.len().checked_sub(1).filter(|&last| before.sentences[last].ending == Ending::Colon);
    let lead = lead.filter(|&last| !leads.cues(last).any(WANTS));
    let is_called_question = lead.is_some_and(|last| {
        let said = before.text_of(&before.sentences[last]);
        QUESTIONS.iter().any(|word| said.contains(word))
    });
    let any = |marked: &Marked, cues: Cues| (0..after.sentences.len()).any(|index| marked.cues(index).any(cues));
    let waits = any(&follows, ASKING);
    let is_done = any(&follows, Cues::of(&[Cue::Done]));
    Around {
        is_presented: lead.is_some_and(|last| leads.cues(last).any(Cues::of(&[Cue::Done, Cue::Present]))) && !waits,
        is_reported: lead.is_some() && !is_called_question && is_done && !waits,
        is_last: (after.sentences.is_empty() || waits) && next.is_none_or(|next| next.is_last),
        is_called_question,
    }
}

/// What an agent says that comes to a question.
const WANTS: Cues = Cues::of(&[
    Cue::Leave,
    Cue::Choose,
    Cue::Course,
    Cue::Request,
    Cue::Confirm,
    Cue::Pick,
    Cue::Wait,
    Cue::Gap,
    Cue::Failure,
]);

const QUESTIONS: [&str; 18] = [
    "question",
    "decision",
    "decide",
    "frage",
    "entscheid",
    "pregunta",
    "pergunta",
    "domanda",
    "decisi",
    "décision",
    "вопрос",
    "решени",
    "问题",
    "問題",
    "決定",
    "质问",
    "質問",
    "질문",
];

fn said(text: &str, range: &Range<usize>, settings: &DetectSettings) -> (Page, Marked) {
    let page = Page::read(text, &[Window { range: range.clone(), in_code: false }]);
    let marked = lexicon::mark(&page, settings);
    (page, marked)
}
