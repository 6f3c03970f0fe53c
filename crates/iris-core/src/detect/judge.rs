//! Weighs what was found: which sentence asks, which offers, and how sure that is.
//!
//! A sentence starts with what it says, and gains or loses by where it stands and what stands after it. The weights are
//! logits set by hand and checked against labelled replies; `docs/detection.md` says how well they do.

mod answer;
mod draft;
mod example;
mod faq;
mod idle;
mod later;
mod listed;
mod meant;
mod patience;
mod place;
mod plea;
mod reopen;
mod statement;
mod survey;

use super::lexicon::{Cue, Cues, Hit, Marked, is_anything, is_hangul, joins_verbs, only_tries};
use super::page::{Ending, LineKind, Page, QUOTED, is_unspaced};
use super::{deed, options};

use answer::{is_answered, is_decided, is_recalled};
pub(super) use example::is_example;
use idle::{has_nothing_to_do, is_stranded};
use place::Places;
use plea::Plea;
use statement::statement_says;
pub(super) use statement::{is_awaited, is_for_approval};

/// What asks without a question mark.
pub(super) const ASKING: Cues = Cues::of(&[Cue::Request, Cue::Confirm, Cue::Pick, Cue::Wait]);
/// What makes it clear that a question is for the human.
const DIRECT: Cues = Cues::of(&[
    Cue::Leave,
    Cue::Consent,
    Cue::Address,
    Cue::Which,
    Cue::Choose,
    Cue::Fact,
    Cue::Course,
    Cue::Request,
    Cue::Pick,
]);

#[derive(Debug)]
pub(super) struct Verdict {
    /// It asks, if the confidence is high enough.
    pub asks: bool,
    logit: f64,
    /// The sentence that decides.
    pub sentence: usize,
    /// The first sentence, when several questions belong together.
    pub first: usize,
    /// Why nothing is asked; why something is depends on the kind.
    pub reason: String,
    offers: bool,
}

impl Verdict {
    pub fn probability(&self) -> f64 {
        1.0 / (1.0 + (-self.logit).exp())
    }

    /// The same of other sentences.
    pub fn at(&self, first: usize, sentence: usize) -> Self {
        Self { first, sentence, reason: self.reason.clone(), ..*self }
    }

    pub fn offers(&self) -> bool {
        self.offers
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Said {
    Ask(f64),
    Offer,
    Nothing,
}

/// What decides if nothing asks.
const OFFERED: f64 = -2.6;
/// How much weaker the last question may be than the strongest one and still be the one that is asked.
const LAST_WORD: f64 = 3.6;
/// A question is one from here on, when it is a matter of which of several.
const LIKELY: f64 = 0.85;

/// None if no sentence asks or offers, however weakly.
pub(super) fn judge(page: &Page, marked: &Marked) -> Option<Verdict> {
    let mut plain: Vec<Said> = (0..page.sentences.len()).map(|index| plainly(page, marked, index)).collect();
    for index in 1..plain.len() {
        // "Do you need anything else? Maybe the tests or the docs?"
        if plain[index - 1] == Said::Offer && is_example(page, index) {
            plain[index] = Said::Offer;
        }
    }
    let places = Places::find(page, marked, &plain);
    let placed: Vec<Said> =
        plain.iter().enumerate().map(|(index, said)| place(*said, index, page, marked, &places)).collect();
    let asked = |index: usize| match placed[index] {
        Said::Ask(logit) => Some(logit),
        _ => None,
    };
    let best = (0..placed.len()).filter_map(asked).fold(f64::NEG_INFINITY, f64::max);
    let may_be =
        |index: &usize| asked(*index).is_some_and(|logit| logit >= best - LAST_WORD && logit >= LIKELY.min(best));
    // "I'll wait until I hear from you" only says that there was a question.
    let last = (0..placed.len())
        .rev()
        .filter(may_be)
        .find(|&index| !only_waits(page, marked, index))
        .or_else(|| (0..placed.len()).rev().find(may_be));
    let offer = (0..placed.len()).rev().find(|&index| placed[index] == Said::Offer);
    match (last, offer) {
        (Some(sentence), _) if best >= 0.0 => {
            let (first, sentence) = all_of_list(page, marked, &placed, sentence);
            Some(Verdict { asks: true, logit: best, sentence, first, reason: String::new(), offers: false })
        }
        (_, Some(sentence)) => {
            let logit = best.clamp(OFFERED, -0.5);
            let reason = match marked.first(sentence, Cues::of(&[Cue::Offer, Cue::Closer, Cue::Idle])) {
                Some(hit) => format!("\"{}\" offers, nothing waits for it", &page.said[hit.start..hit.end]),
                None => "what it wants holds only under a condition".to_owned(),
            };
            Some(Verdict { asks: false, logit, sentence, first: sentence, reason, offers: true })
        }
        (Some(sentence), None) => {
            let reason = "a question is there, but it is not put to anybody".to_owned();
            Some(Verdict { asks: false, logit: best, sentence, first: sentence, reason, offers: false })
        }
        (None, None) => None,
    }
}

fn only_waits(page: &Page, marked: &Marked, index: usize) -> bool {
    let asks = marked.first(index, ASKING).is_none_or(|hit| hit.cue != Cue::Wait);
    !asks && page.sentences[index].ending != Ending::Question
}

/// What a sentence says, wherever it stands.
fn plainly(page: &Page, marked: &Marked, index: usize) -> Said {
    let cues = marked.cues(index);
    if cues.has(Cue::Pattern) {
        return Said::Ask(2.2);
    }
    if page.text_of(&page.sentences[index]).starts_with('@') {
        // To another agent or another person.
        return Said::Nothing;
    }
    if plea::tries_and_tells(page, marked, index) && !is_awaited(page, marked, index) {
        return Said::Offer;
    }
    if marked.is_question(page, index) {
        question_says(page, marked, index)
    } else if is_marked_so(page, marked, index) {
        Said::Ask(1.6)
    } else if listed::leads_to_wishes(page, marked, index) {
        Said::Ask(2.4)
    } else {
        statement_says(page, marked, index)
    }
}

/// "Push to origin (y/n)" asks; "It has a column for that (y/n)." and "Added a prompt (y/n)." tell.
fn is_marked_so(page: &Page, marked: &Marked, index: usize) -> bool {
    let (sentence, cues) = (&page.sentences[index], marked.cues(index));
    let tells = if sentence.ending == Ending::Full { &[Cue::Reported, Cue::Done][..] } else { &[Cue::Reported] };
    // Whoever waits for the answer rarely puts a full stop behind the marker.
    let goes_on = page.text_of(sentence).rsplit_once('/').is_some_and(|(_, rest)| rest.len() <= 12);
    let stops = sentence.ending == Ending::Full && goes_on;
    let asks = Cues::of(&[Cue::Leave, Cue::Confirm, Cue::Request, Cue::Able, Cue::Address]);
    sentence.yes_or_no && !cues.any(Cues::of(tells)) && (!stops || cues.any(asks))
}

fn question_says(page: &Page, marked: &Marked, index: usize) -> Said {
    let cues = marked.cues(index);
    let plea = plea::find(page, marked, index);
    if plea == Some(Plea::IfItFails) {
        return Said::Offer;
    }
    if plea == Some(Plea::AndTell) {
        return Said::Ask(2.2);
    }
    if names_two_ways(page, marked, index).is_some() || reopen::asks_after_closing(page, marked, index) {
        return Said::Ask(2.4);
    }
    if cues.has(Cue::Idle) && !cues.has(Cue::Closer) {
        return if has_nothing_to_do(page, marked, index) { Said::Ask(1.6) } else { Said::Offer };
    }
    if cues.has(Cue::Closer) && !asks_before_closing(page, marked, index) {
        return if is_stranded(page, marked, index) { Said::Ask(1.6) } else { Said::Offer };
    }
    let marked_so = page.sentences[index].yes_or_no;
    if cues.has(Cue::Offer) && !cues.has(Cue::Leave) && !marked_so && !answer::asks_behind_dash(page, marked, index) {
        return Said::Offer;
    }
    let mut logit = 0.4;
    if marked_so || (cues.has(Cue::Leave) && !asks_itself(marked, index)) {
        logit += 3.0;
    } else if cues.has(Cue::Consent) {
        logit += 2.0;
    }
    if cues.has(Cue::Address) {
        logit += 1.2;
    }
    if cues.any(Cues::of(&[Cue::Which, Cue::Choose, Cue::Course, Cue::Request, Cue::Confirm, Cue::Pick])) {
        logit += 1.0;
    }
    if cues.has(Cue::Reported) && !cues.has(Cue::Leave) {
        logit -= 1.5;
    }
    Said::Ask(logit)
}

/// "Why should we …?" asks nobody, whatever follows.
fn asks_itself(marked: &Marked, index: usize) -> bool {
    let at = |cue| marked.first(index, Cues::of(&[cue])).map(|hit| hit.start);
    at(Cue::Rhetoric).is_some_and(|rhetoric| at(Cue::Leave).is_none_or(|leave| rhetoric < leave))
}

/// "Shall I push it, or is there anything else?" asks before it closes.
fn asks_before_closing(page: &Page, marked: &Marked, index: usize) -> bool {
    let first = |cue| marked.first(index, Cues::of(&[cue]));
    let Some(closer) = first(Cue::Closer) else { return false };
    if is_left_for_more(page, marked, index) || names_one_before(page, marked, index, closer) {
        return true;
    }
    let Some(leave) = first(Cue::Leave) else { return false };
    // "Do you want to change anything, or is there something else?"
    let leads = &page.said[page.sentences[index].said.start..closer.start];
    if leads.split_once(',').is_some_and(|(one, _)| is_anything(one)) {
        return false;
    }
    let between = page.said.get(leave.end..closer.start).unwrap_or_default();
    if joins_verbs(between) || only_tries(between) {
        return false;
    }
    // "o" is "or" only where it cannot be an article, and before a closing phrase it never is.
    let or = first(Cue::Or).is_some_and(|or| leave.end <= or.start && or.end <= closer.start);
    or || between.contains(" o ")
}

/// "从第一阶段开始，还是先做别的？": no word says that leave is asked, but what comes before the "or" has a name.
fn names_one_before(page: &Page, marked: &Marked, index: usize, closer: Hit) -> bool {
    let start = page.sentences[index].said.start;
    let hits = marked.hits(index);
    let Some(or) = hits.iter().find(|hit| hit.cue == Cue::Or && hit.end <= closer.start) else { return false };
    let before = &page.said[start..or.start];
    let open = Cues::of(&[Cue::Closer, Cue::Idle, Cue::Else]);
    let is_open = hits.iter().any(|hit| open.has(hit.cue) && hit.start < or.start) || is_anything(before);
    let named = before.chars().filter(|next| is_unspaced(*next) || is_hangul(*next)).count();
    named >= 4 && !is_open && !only_tries(before)
}

/// "Do you want to use that, or do we keep this and go on with something else?": two ways, and the second ends with it.
pub(super) fn is_left_for_more(page: &Page, marked: &Marked, index: usize) -> bool {
    const ANDS: &[&str] = &[" and ", " und ", " et ", " y ", " e ", " и ", "，", ", "];
    const ORS: &[&str] = &[", or ", ", oder ", ", ou ", ", o ", ", oppure ", ", или ", "，还是", "，還是", "，或者"];
    let Some(closer) = marked.first(index, Cues::of(&[Cue::Closer])) else { return false };
    let sentence = &page.sentences[index];
    let wants = Cues::of(&[Cue::Leave, Cue::Consent, Cue::Wish]);
    let said = &page.said[sentence.said.start..closer.end];
    let Some((at, or)) = ORS.iter().find_map(|or| said.find(or).map(|at| (at, or))) else { return false };
    let (one, other) = (&said[..at], &said[at + or.len()..]);
    let asked = marked.first(index, wants).is_some_and(|hit| hit.end <= sentence.said.start + at);
    asked && ANDS.iter().any(|and| other.contains(and)) && !is_anything(one)
}

/// "What next — the tests, or the docs?": closes nothing, but asks to choose. Where the two begin.
pub(super) fn names_two_ways(page: &Page, marked: &Marked, index: usize) -> Option<usize> {
    let next = marked.first(index, Cues::of(&[Cue::Closer, Cue::Idle]))?;
    let rest = &page.said[next.end..page.sentences[index].said.end];
    let dash = [rest.find(['—', '–', ':', '：']), rest.find(" - ")].into_iter().flatten().min();
    // "What next for the parser - …"
    let lead = dash.filter(|&at| at <= 48 && !rest[..at].contains(','));
    let lead = next.end + lead?;
    let hits = marked.hits(index);
    let rest = &page.said[lead..page.sentences[index].said.end];
    let or = hits.iter().any(|hit| hit.cue == Cue::Or && hit.start > lead)
        || rest.contains("か、")
        || options::has_or_in_one_letter(page, index);
    let open = Cues::of(&[Cue::Closer, Cue::Idle, Cue::Else]);
    let ends_open = hits.iter().any(|hit| open.has(hit.cue) && hit.start > lead);
    (or && !ends_open).then_some(lead)
}

/// What is left of it where it stands.
fn place(said: Said, index: usize, page: &Page, marked: &Marked, places: &Places) -> Said {
    let Said::Ask(mut logit) = said else { return said };
    let cues = marked.cues(index);
    if cues.has(Cue::Pattern) {
        return said;
    }
    if places.ends_offered_list(index) {
        return Said::Offer;
    }
    let sentence = &page.sentences[index];
    let line = page.line_of(sentence);
    let question = marked.is_question(page, index);
    let lettered = question && listed::has_lettered(page, index);
    let itself = question && asks_itself(marked, index) && !lacks_an_answer(page, marked, index) && !lettered;
    let preferred = question && !itself && listed::is_preferred(page, index);
    let posed = preferred || question && (listed::is_posed(page, index) || is_advised(page, marked, index));
    let open =
        question && !itself && (posed || lettered || offers_two(page, marked, index) || has_gap(page, marked, index));
    let after = places.after(index);
    // Whoever waits for a yes says nothing more after it.
    let marked_so = sentence.yes_or_no && (after.weight == 0 || after.same_paragraph);
    let direct = !question || open || marked_so || cues.any(DIRECT) || is_own_step(page, marked, index);
    let strong = cues.any(Cues::of(&[Cue::Leave, Cue::Course])) || !question || marked_so;
    logit += match (after.weight, after.same_paragraph) {
        (0, _) => 2.0,
        (1..=300, true) if !direct && explains_itself(page, index) => 0.6,
        (_, true) if !direct => -0.8,
        (_, false) if !direct => -2.8,
        (1..=160, true) => 1.0,
        (1..=160, false) => 0.6,
        (161..=400, true) => 0.3,
        _ if strong => -0.6,
        _ if cues.has(Cue::Address) && cues.has(Cue::Asking) => -0.5,
        _ => -1.2,
    };
    let is_last = after.weight == 0;
    if itself {
        // Nobody answers himself with nothing.
        logit -= if is_last { 0.4 } else { 2.2 };
    }
    match line.kind {
        LineKind::Heading if is_last => logit -= 0.5,
        LineKind::Heading if cues.has(Cue::Leave) => logit -= 2.5,
        LineKind::Heading => logit -= 3.0,
        LineKind::Quote => logit -= if is_last { 4.0 } else { 7.0 },
        LineKind::Item { .. } if !question && listed::ends_with_report(page, marked, index) => {}
        LineKind::Item { .. } if !question && is_last && names_the_word(page, marked, index) => logit -= 1.5,
        LineKind::Item { .. } if !question => logit -= 4.0,
        LineKind::Item { .. } if !is_last => logit -= 0.7,
        _ if line.bold && !is_last && !cues.has(Cue::Leave) => logit -= 1.5,
        _ => {}
    }
    if open {
        logit += if posed { 3.0 } else { 1.0 };
    }
    if sentence.yes_or_no && !marked_so && !cues.has(Cue::Leave) {
        logit -= 3.0;
    }
    if question && !posed && is_explained(page, marked, index) {
        logit -= 2.5;
    }
    if question && places.is_presented(index) {
        logit -= 3.0;
    }
    if question && is_recalled(page, marked, index) {
        logit -= 7.0;
    }
    if question && answer::is_told_how(page, marked, index) {
        logit -= 7.0;
    }
    if question && is_answered(page, marked, index) {
        logit -= 4.5;
    }
    if (places.is_in_faq(index) && !preferred) || places.is_in_survey(index) || places.is_in_draft(index) {
        logit -= 6.0;
    }
    if is_decided(page, marked, index) {
        logit -= 5.0;
    }
    Said::Ask(logit)
}

/// "- Next: the linker — say "next" to continue": no step of a list, since the word is told.
fn names_the_word(page: &Page, marked: &Marked, index: usize) -> bool {
    let confirm = marked.first(index, Cues::of(&[Cue::Confirm]));
    confirm.is_some_and(|hit| page.said[hit.start..page.sentences[index].said.end].contains(QUOTED))
}

/// "Should it have a start page? … Recommended answer: yes.": an answer is wanted, and not this one for certain.
fn is_advised(page: &Page, marked: &Marked, index: usize) -> bool {
    const NEAR: usize = 24;
    let after = index + 1..page.sentences.len().min(index + NEAR);
    after.into_iter().any(|after| marked.cues(after).has(Cue::Advice))
}

/// "¿Subo el límite?", "Поднять лимит?"
fn is_own_step(page: &Page, marked: &Marked, index: usize) -> bool {
    let first = page.text_of(&page.sentences[index]).split([' ', '?']).next().unwrap_or_default();
    deed::is_own(page, marked, index) || (deed::is_infinitive(first) && !marked.cues(index).has(Cue::Asking))
}

/// "Keep the old one or drop it? The gateway would need a change.": two ways, and nobody says which.
fn offers_two(page: &Page, marked: &Marked, index: usize) -> bool {
    marked.cues(index).has(Cue::Or) || options::has_or_in_one_letter(page, index)
}

/// "What should it show? The spec doesn't say.": why it has to be asked.
fn has_gap(page: &Page, marked: &Marked, index: usize) -> bool {
    let near = index.saturating_sub(1)..page.sentences.len().min(index + 2);
    near.into_iter().any(|near| marked.cues(near).has(Cue::Gap))
}

/// "What does it mean? Nothing in the code reads it.": who asks himself goes on with an answer.
fn lacks_an_answer(page: &Page, marked: &Marked, index: usize) -> bool {
    let next = page.sentences.get(index + 1).filter(|next| next.line == page.sentences[index].line);
    next.is_some_and(|next| marked.cues(index + 1).has(Cue::Gap) && !page.text_of(next).contains(", but "))
}

/// "- Is it encrypted? At rest and in transit.": an item that goes on after its question has answered it.
fn is_explained(page: &Page, marked: &Marked, index: usize) -> bool {
    let sentence = &page.sentences[index];
    let goes_on = page.sentences.get(index + 1).is_some_and(|next| {
        next.line == sentence.line && next.ending != Ending::Question && !page.text_of(next).starts_with(['(', '（'])
    });
    let to_somebody = Cues::of(&[Cue::Leave, Cue::Address, Cue::Which, Cue::Choose, Cue::Course]);
    let is_item = matches!(page.line_of(sentence).kind, LineKind::Item { .. });
    is_item && goes_on && !marked.cues(index).any(to_somebody)
}

/// "Where is the report written? I see no path …": who asks says why, in the first person.
fn explains_itself(page: &Page, index: usize) -> bool {
    page.sentences.get(index + 1).is_some_and(|next| speaks_of_itself(page.text_of(next)))
}

fn speaks_of_itself(said: &str) -> bool {
    const FIRST_PERSON: &[&str] =
        &["i", "i'm", "i've", "my", "ich", "mir", "je", "j'ai", "yo", "no", "eu", "io", "я", "мне", "у"];
    let first = said.split([' ', ',']).next().unwrap_or_default();
    FIRST_PERSON.contains(&first)
        || said.starts_with(['我', '私'])
        || said.starts_with("こちら")
        || said.starts_with("저")
}

/// Several questions in a list are one: the first and the last of them.
fn all_of_list(page: &Page, marked: &Marked, placed: &[Said], sentence: usize) -> (usize, usize) {
    let is_item = |&index: &usize| matches!(page.line_of(&page.sentences[index]).kind, LineKind::Item { .. });
    let asks = |&index: &usize| {
        page.sentences[index].ending == Ending::Question && matches!(placed[index], Said::Ask(logit) if logit > -2.0)
    };
    if page.sentences[sentence].ending != Ending::Question || !is_item(&sentence) {
        return (sentence, sentence);
    }
    let top = (0..sentence).rev().take_while(is_item).last();
    let lead = top.and_then(|top| top.checked_sub(1)).filter(|&lead| page.sentences[lead].ending == Ending::Colon);
    if let (Some(top), Some(lead)) = (top, lead)
        && marked.cues(lead).has(Cue::Leave)
        && (top..=sentence).all(|index| page.sentences[index].ending == Ending::Question)
    {
        // "Should I: 1. …? 2. …?"
        return (top, sentence);
    }
    let first = (0..sentence).rev().take_while(is_item).filter(asks).last();
    let last = (sentence + 1..page.sentences.len()).take_while(is_item).filter(asks).last();
    (first.unwrap_or(sentence), last.unwrap_or(sentence))
}
