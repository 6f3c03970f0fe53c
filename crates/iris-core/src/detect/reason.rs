//! Which words decided, in one short sentence.

use super::DetectedKind;
use super::judge::Verdict;
use super::lexicon::{Cue, Cues, Hit, Marked};
use super::page::{Ending, Page};

/// Why it asks. The kind says what is asked for, so that the two never contradict each other.
pub(super) fn tell(page: &Page, marked: &Marked, verdict: &Verdict, kind: DetectedKind) -> String {
    let sentence = &page.sentences[verdict.sentence];
    let words = |hit: Hit| page.said[hit.start..hit.end].to_owned();
    let first = |cues: &[Cue]| cues.iter().find_map(|&cue| marked.first(verdict.sentence, Cues::of(&[cue])));
    if let Some(hit) = first(&[Cue::Pattern]) {
        return format!("\"{}\" matches a pattern of the config", words(hit));
    }
    let (told, what): (&[Cue], _) = match kind {
        DetectedKind::Approval if sentence.yes_or_no => return "it is to be answered with a yes or a no".to_owned(),
        DetectedKind::Approval => {
            (&[Cue::Leave, Cue::Confirm, Cue::Consent, Cue::Pick, Cue::Wait], "asks for a yes or a no")
        }
        DetectedKind::Choice => {
            (&[Cue::Pick, Cue::Choose, Cue::Which, Cue::Or, Cue::Leave, Cue::Course, Cue::Confirm], "asks to choose")
        }
        DetectedKind::ErrorRecovery => (
            &[Cue::Course, Cue::Leave, Cue::Pick, Cue::Choose, Cue::Which, Cue::Confirm, Cue::Consent],
            "asks how to go on",
        ),
        _ => (
            &[Cue::Request, Cue::Course, Cue::Which, Cue::Fact, Cue::What, Cue::Pick, Cue::Leave, Cue::Confirm],
            "asks for something",
        ),
    };
    match (first(told), first(&[Cue::Wait]), sentence.ending) {
        (Some(hit), ..) => format!("\"{}\" {what}", words(hit)),
        (None, Some(hit), _) => format!("\"{}\" says that it waits", words(hit)),
        (None, None, Ending::Question) => "a question stands open at the end".to_owned(),
        (None, None, _) => "the last sentence asks".to_owned(),
    }
}
