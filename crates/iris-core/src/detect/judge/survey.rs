//! The questions of a survey, a quiz or an interview that the agent wrote down for others.

use crate::detect::lexicon::{Cue, Cues, Marked};
use crate::detect::page::{CODE, Ending, LineKind, Page, Sentence};

/// What such a list is called.
const NAMES: [&str; 31] = [
    "survey",
    "quiz",
    "interview questions",
    "questionnaire",
    "poll ",
    "umfrage",
    "fragebogen",
    "bewerbungsfragen",
    "sondage",
    "encuesta",
    "cuestionario",
    "entrevista",
    "questionário",
    "pesquisa de",
    "sondaggio",
    "questionario",
    "colloquio",
    "опрос",
    "анкет",
    "викторин",
    "собеседован",
    "问卷",
    "测验",
    "面试题",
    "問卷",
    "アンケート",
    "クイズ",
    "面接",
    "설문",
    "퀴즈",
    "면접",
];
/// That it has them.
const HAS: [&str; 28] = [
    " has ",
    " have ",
    "contains",
    "includes",
    " asks",
    " hat ",
    "enthält",
    "umfasst",
    "fragt",
    "contient",
    "comporte",
    "comprend",
    "tiene",
    "contiene",
    "incluye",
    " tem ",
    "contém",
    "inclui",
    " ha ",
    "comprende",
    "содержит",
    "包含",
    "包括",
    "共有",
    "含まれ",
    "あります",
    "포함",
    "있습니다",
];
/// That they are still to be answered.
const OPEN: [&str; 14] = [
    "open ",
    "before i",
    "offen",
    "bevor ich",
    "ouvert",
    "avant",
    "abiert",
    "antes de",
    "em aberto",
    "apert",
    "prima di",
    "прежде чем",
    "открыт",
    "之前",
];

/// Which sentences are such questions, and what leads to them.
pub(super) fn find(page: &Page, marked: &Marked) -> Vec<bool> {
    let mut found = vec![false; page.sentences.len()];
    for lead in 0..found.len() {
        let said = page.text_of(&page.sentences[lead]);
        // What follows is looked at first: most sentences lead to no question.
        let questions = match page.sentences[lead].ending {
            Ending::Question => 0,
            Ending::Colon => listed(page, lead),
            _ if said.contains(CODE) => named_after(page, marked, lead),
            _ => 0,
        };
        if questions >= 2 && is_survey(page, marked, lead) {
            found[lead..=lead + questions].fill(true);
        }
    }
    found
}

fn is_survey(page: &Page, marked: &Marked, lead: usize) -> bool {
    let said = page.text_of(&page.sentences[lead]);
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let is_made = page.sentences[lead].ending != Ending::Colon || has(&HAS) || marked.cues(lead).any(MADE);
    is_made && has(&NAMES) && !has(&OPEN)
}

const MADE: Cues = Cues::of(&[Cue::Done, Cue::Present]);

/// How many items follow, if all of them begin with a question.
fn listed(page: &Page, lead: usize) -> usize {
    let items = page.sentences[lead + 1..].iter();
    let is_asked = |sentence: &&Sentence| {
        matches!(page.line_of(sentence).kind, LineKind::Item { .. }) && sentence.ending == Ending::Question
    };
    items.take_while(is_asked).count()
}

/// "They are in `file`. Among them: how …? What …?": how many follow in the same paragraph, none of them for the human.
fn named_after(page: &Page, marked: &Marked, lead: usize) -> usize {
    let paragraph = page.line_of(&page.sentences[lead]).paragraph;
    let leads = page.sentences.get(lead + 1).is_some_and(|next| page.text_of(next).contains(':'));
    let own = Cues::of(&[Cue::Leave, Cue::Consent, Cue::Course]);
    let is_asked = |&index: &usize| {
        let sentence = &page.sentences[index];
        let in_place = page.line_of(sentence).paragraph == paragraph;
        in_place && matches!(sentence.ending, Ending::Question | Ending::Colon) && !marked.cues(index).any(own)
    };
    if leads { (lead + 1..page.sentences.len()).take_while(is_asked).count() } else { 0 }
}
