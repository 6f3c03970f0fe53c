//! Whether what is said after a question has settled it.

use super::is_own_step;
use crate::detect::lexicon::{Cue, Cues, Marked};
use crate::detect::page::{CODE, Ending, Page};

/// The next sentence begins like an answer.
pub(super) fn is_answered(page: &Page, marked: &Marked, index: usize) -> bool {
    let next = index + 1;
    let near = page.sentences.get(next).is_some_and(|after| {
        page.line_of(after).paragraph <= page.line_of(&page.sentences[index]).paragraph + 1
            && after.ending != Ending::Question
    });
    // What is left to the human is not answered by a measurement: that only says why it is asked.
    let for_human = Cues::of(&[Cue::Leave, Cue::Consent, Cue::Course, Cue::Choose]);
    let is_shown = |next| {
        let cues = marked.cues(index);
        let is_told = cues.has(Cue::Reported) || !(cues.has(Cue::Address) || is_own_step(page, marked, index));
        marked.cues(next).has(Cue::Shown) && is_told && !cues.any(for_human)
    };
    near && (marked.cues(next).has(Cue::Answer) || is_shown(next))
}

/// "Want to try it? Run `npm start`.": what the human may want is told at once.
pub(super) fn is_told_how(page: &Page, marked: &Marked, index: usize) -> bool {
    const WANTS: &[&str] = &[
        "want to ",
        "need to ",
        "möchtest du es ",
        "willst du es ",
        "tu veux ",
        "envie de ",
        "¿quieres ",
        "quieres ",
        "quer ",
        "vuoi ",
        "хотите ",
        "хочешь ",
    ];
    let (said, next) = (page.text_of(&page.sentences[index]), index + 1);
    let same_line = page.sentences.get(next).is_some_and(|next| next.line == page.sentences[index].line);
    let asked = Cues::of(&[Cue::Request, Cue::Confirm, Cue::Pick, Cue::Wait]);
    same_line
        && WANTS.iter().any(|wants| said.starts_with(wants))
        && !marked.cues(next).any(asked)
        && page.text_of(&page.sentences[next]).contains(CODE)
        && marked.first(next, Cues::of(&[Cue::Deed])).is_some_and(|deed| deed.start == page.sentences[next].said.start)
}

/// "Happy to do either — which do you prefer?": what is behind the dash has nothing to do with an offer.
pub(super) fn asks_behind_dash(page: &Page, marked: &Marked, index: usize) -> bool {
    let sentence = &page.sentences[index];
    let said = page.text_of(sentence);
    let dash = [said.rfind(" - "), said.rfind('—'), said.rfind('–')].into_iter().flatten().max();
    let Some(dash) = dash.map(|at| sentence.said.start + at) else { return false };
    let direct = Cues::of(&[Cue::Choose, Cue::Which, Cue::Course]);
    let behind = |cues: Cues| marked.hits(index).iter().any(|hit| cues.has(hit.cue) && hit.start > dash);
    behind(direct) && behind(Cues::of(&[Cue::Address])) && !behind(Cues::of(&[Cue::Offer, Cue::Closer, Cue::Idle]))
}

/// "I had asked: shall I drop it? You said yes.": it was put before, and was answered. So was what the human asked.
pub(super) fn is_recalled(page: &Page, marked: &Marked, index: usize) -> bool {
    const NOT_YET: &[&str] = &[
        "said you'd",
        "said you would",
        "said you'll",
        "think about",
        " yet",
        "noch nicht",
        "noch nichts",
        "noch kein",
        "aún no",
        "todavía no",
        "ainda não",
        "ещё не",
        "пока не",
        "まだ",
        "아직",
    ];
    let paragraph = page.line_of(&page.sentences[index]).paragraph;
    let leads = |&before: &usize| page.sentences[before].ending == Ending::Colon;
    let before = index.checked_sub(1).filter(leads);
    let recap = [before, Some(index)].into_iter().flatten();
    let Some(recap) = recap.filter_map(|near| marked.first(near, Cues::of(&[Cue::Recap]))).next() else { return false };
    let mut after = (index + 1..page.sentences.len().min(index + 3))
        .take_while(|&after| page.line_of(&page.sentences[after]).paragraph <= paragraph + 1)
        .filter(|&after| page.sentences[after].ending != Ending::Question);
    let is_theirs = page.said[recap.start..recap.end].ends_with([':', '：']);
    after.any(|after| {
        let said = page.text_of(&page.sentences[after]);
        is_theirs || (marked.cues(after).has(Cue::Told) && !NOT_YET.iter().any(|word| said.contains(word)))
    })
}

/// Soon after it, the agent says what it decided.
pub(super) fn is_decided(page: &Page, marked: &Marked, index: usize) -> bool {
    let paragraph = page.line_of(&page.sentences[index]).paragraph;
    (index + 1..page.sentences.len().min(index + 4))
        .take_while(|&after| page.line_of(&page.sentences[after]).paragraph <= paragraph + 1)
        .any(|after| {
            let cues = marked.cues(after);
            // "I'll start with the first, as soon as you agree" has decided nothing.
            let waits = cues.any(Cues::of(&[Cue::Confirm, Cue::Wait, Cue::Condition, Cue::Address]));
            cues.has(Cue::Decision)
                && !waits
                && page.sentences[after].ending != Ending::Question
                && !says_how_to_start(page, marked, index, after)
        })
}

/// "Shall I start? I'll begin with the schema.": what comes after a yes.
fn says_how_to_start(page: &Page, marked: &Marked, index: usize, after: usize) -> bool {
    const START: &[&str] = &[
        "start",
        "begin",
        "proceed",
        "go ahead",
        "implement",
        "anfangen",
        "beginnen",
        "loslegen",
        "umsetzen",
        "commenc",
        "lancer",
        "empez",
        "empiez",
        "comenz",
        "começ",
        "inizi",
        "cominci",
        "нача",
        "приступ",
        "开始",
        "继续",
        "执行",
        "实现",
        "实施",
        "始め",
        "開始",
        "進め",
        "시작",
        "진행",
    ];
    const WILL: &[&str] = &[
        "i'll start",
        "i'll begin",
        "ich beginne",
        "ich starte",
        "je commence",
        "empiezo",
        "começo",
        "comincio",
        "начну",
        "我会先",
        "我先从",
    ];
    let has = |said: &str, words: &[&str]| words.iter().any(|word| said.contains(word));
    let decides = marked.first(after, Cues::of(&[Cue::Decision])).map(|hit| &page.said[hit.start..hit.end]);
    marked.cues(index).has(Cue::Leave)
        && has(page.text_of(&page.sentences[index]), START)
        && decides.is_some_and(|decides| has(decides, WILL))
}
