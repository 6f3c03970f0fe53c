//! What kind of answer is wanted, and what there is to choose from.

use super::DetectedKind;
use super::judge::Verdict;
use super::lexicon::{Cue, Cues, Marked};
use super::options;
use super::page::{Ending, LineKind, Page};

pub(super) struct Found {
    pub kind: DetectedKind,
    pub options: Vec<String>,
}

pub(super) fn tell(text: &str, page: &Page, marked: &Marked, verdict: &Verdict) -> Found {
    let index = verdict.sentence;
    let cues = marked.cues(index);
    let options = options::find(text, page, marked, verdict);
    let goes_on =
        cues.any(Cues::of(&[Cue::Leave, Cue::Consent, Cue::Course, Cue::Which, Cue::Pick, Cue::Confirm, Cue::Or]))
            || !options.is_empty();
    let wants = cues.has(Cue::Request) && !cues.any(Cues::of(&[Cue::Leave, Cue::Course, Cue::Pick]));
    let kind = if goes_on && !wants && has_failed(page, marked, index) {
        DetectedKind::ErrorRecovery
    } else if !options.is_empty() || cues.has(Cue::Pick) {
        DetectedKind::Choice
    } else if verdict.first == index && asks_for_yes(page, cues, index) {
        DetectedKind::Approval
    } else {
        DetectedKind::Blocking
    };
    Found { kind, options }
}

fn asks_for_yes(page: &Page, cues: Cues, index: usize) -> bool {
    let question = page.sentences[index].ending == Ending::Question || cues.has(Cue::Asks);
    match question {
        true => {
            let open = cues.any(Cues::of(&[Cue::Course, Cue::Which, Cue::Idle]));
            cues.has(Cue::Confirm) || (cues.any(Cues::of(&[Cue::Leave, Cue::Consent])) && !open)
        }
        false => cues.has(Cue::Confirm) && !cues.has(Cue::Request),
    }
}

/// Just before it, something went wrong and was not put right.
fn has_failed(page: &Page, marked: &Marked, index: usize) -> bool {
    let prose = |&before: &usize| !matches!(page.line_of(&page.sentences[before]).kind, LineKind::Item { .. });
    (0..index)
        .rev()
        .filter(prose)
        .take(3)
        .take_while(|&before| !marked.cues(before).has(Cue::Done) || marked.cues(before).has(Cue::Failure))
        .any(|before| marked.cues(before).has(Cue::Failure) && !marked.cues(before).has(Cue::Done))
}
