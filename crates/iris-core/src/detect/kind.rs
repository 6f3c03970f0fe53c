//! What kind of answer is wanted, and what there is to choose from.

use super::DetectedKind;
use super::judge::{Verdict, is_awaited, is_for_approval};
use super::lexicon::{Cue, Cues, Hit, Marked};
use super::page::Page;
use super::{deed, failure, options};

pub(super) struct Found {
    pub kind: DetectedKind,
    pub options: Vec<String>,
}

pub(super) fn tell(text: &str, page: &Page, marked: &Marked, verdict: &Verdict) -> Found {
    let index = verdict.sentence;
    let cues = marked.cues(index);
    if page.sentences[index].yes_or_no {
        return Found { kind: DetectedKind::Approval, options: Vec::new() };
    }
    if asks_for_either(page, marked, index) || (!marked.is_question(page, index) && is_awaited(page, marked, index)) {
        return Found { kind: DetectedKind::Blocking, options: Vec::new() };
    }
    // "Send me the path, or put the file into the repository": either will do, and neither has to be chosen.
    let either = !marked.is_question(page, index) && cues.has(Cue::Request) && !cues.any(PICKS);
    let options = if either { Vec::new() } else { options::find(text, page, marked, verdict) };
    if verdict.first != index && options.is_empty() {
        return Found { kind: DetectedKind::Blocking, options };
    }
    let question = marked.is_question(page, index);
    let asks = Cues::of(&[Cue::Leave, Cue::Consent, Cue::Course, Cue::Which, Cue::Choose, Cue::Pick, Cue::Confirm]);
    let goes_on = (question && (cues.any(asks) || is_bare(page, marked, index)))
        || cues.any(Cues::of(&[Cue::Pick, Cue::Confirm]))
        || !options.is_empty();
    let clearly = if question { Cues::of(&[Cue::Leave, Cue::Course, Cue::Pick]) } else { Cues::of(&[Cue::Pick]) };
    let wants = cues.has(Cue::Request) && !cues.any(clearly);
    let kind = if goes_on && !wants && failure::came_before(page, marked, index, &options) {
        DetectedKind::ErrorRecovery
    } else if options.is_empty() && question && is_unsaid(page, marked, index) {
        DetectedKind::Blocking
    } else if options.is_empty() && !question && cues.has(Cue::Confirm) && only_decides(marked, index) {
        DetectedKind::Approval
    } else if !options.is_empty() || cues.any(Cues::of(&[Cue::Pick, Cue::Choose])) {
        DetectedKind::Choice
    } else if asks_for_yes(page, marked, index) {
        DetectedKind::Approval
    } else {
        DetectedKind::Blocking
    };
    Found { kind, options }
}

const PICKS: Cues = Cues::of(&[Cue::Pick, Cue::Choose, Cue::Which]);

/// "Should refunds be counted? The spec doesn't say.": a fact is missing, not a yes.
fn is_unsaid(page: &Page, marked: &Marked, index: usize) -> bool {
    let next = page.sentences.get(index + 1).filter(|next| next.line == page.sentences[index].line);
    next.is_some() && marked.cues(index + 1).has(Cue::Gap)
}

/// "I'm waiting for your decision" with nothing to choose from: whether to begin.
fn only_decides(marked: &Marked, index: usize) -> bool {
    let hits = marked.hits(index);
    let confirms =
        |pick: &Hit| hits.iter().any(|hit| hit.cue == Cue::Confirm && hit.start < pick.end && pick.start < hit.end);
    hits.iter().filter(|hit| hit.cue == Cue::Pick).all(confirms)
}

fn asks_for_yes(page: &Page, marked: &Marked, index: usize) -> bool {
    let cues = marked.cues(index);
    match marked.is_question(page, index) {
        true => {
            let open = cues.any(Cues::of(&[Cue::What, Cue::Fact, Cue::Which, Cue::Idle]))
                || (cues.has(Cue::Course) && !cues.has(Cue::Leave));
            let leave = cues.any(Cues::of(&[Cue::Leave, Cue::Consent]))
                || is_bare(page, marked, index)
                || deed::is_own(page, marked, index);
            cues.has(Cue::Confirm) || (leave && !open)
        }
        false => is_for_approval(page, marked, index) || (cues.has(Cue::Confirm) && !requests_more(marked, index)),
    }
}

/// "I'm waiting for your approval" also begins as "I'm waiting for …" does, and wants a yes and nothing more.
fn requests_more(marked: &Marked, index: usize) -> bool {
    let hits = marked.hits(index);
    let is_part = |request: &Hit| {
        let mut confirms = hits.iter().filter(|hit| hit.cue == Cue::Confirm);
        confirms.any(|confirm| confirm.start < request.end && request.start < confirm.end)
    };
    hits.iter().filter(|hit| hit.cue == Cue::Request).any(|request| !is_part(request))
}

/// "Send me the file, or tell me which folder it is in": two ways to say the same thing, and nothing to choose from.
fn asks_for_either(page: &Page, marked: &Marked, index: usize) -> bool {
    let hits = marked.hits(index);
    let wants = |hit: &&Hit| hit.cue == Cue::Request;
    let says = |hit: &&Hit| matches!(hit.cue, Cue::Request | Cue::Pick | Cue::Which);
    let chooses = |hit: &&Hit| matches!(hit.cue, Cue::Leave | Cue::Course | Cue::Choose);
    hits.iter().filter(|hit| hit.cue == Cue::Or).any(|or| {
        let (before, after) = (|hit: &&Hit| hit.end <= or.start, |hit: &&Hit| hit.start >= or.end);
        hits.iter().filter(before).any(|hit| wants(&hit))
            && hits.iter().filter(after).any(|hit| says(&hit))
            && !(marked.is_question(page, index) && hits.iter().any(|hit| chooses(&hit)))
    })
}

/// What begins with one speaks of a thing: "Il login funziona?" asks how it is.
const ARTICLES: &[&str] =
    &["the", "der", "die", "das", "le", "la", "les", "el", "los", "las", "o", "a", "os", "as", "il", "lo", "i", "gli"];

/// "Rebase it now?": a few words without one that asks want a yes. So does an infinitive in Russian and Ukrainian.
fn is_bare(page: &Page, marked: &Marked, index: usize) -> bool {
    let cues = marked.cues(index);
    let said = page.text_of(&page.sentences[index]);
    let first = said.split([' ', '?']).next().unwrap_or_default();
    let infinitive = deed::is_infinitive(first);
    let short = said.split_whitespace().count() <= 4 && said.is_ascii() && !ARTICLES.contains(&first);
    let addressed = marked.first(index, Cues::of(&[Cue::Address])).is_some_and(|hit| {
        // "now" at the end presses, and speaks to nobody.
        page.said[hit.end..page.sentences[index].said.end].contains(char::is_alphanumeric)
    });
    infinitive || (short && !addressed && !cues.any(Cues::of(&[Cue::Asking, Cue::Request])))
}
