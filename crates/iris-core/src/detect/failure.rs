//! Whether something went wrong just before it was asked.

use super::lexicon::{Cue, Cues, Hit, Marked};
use super::page::{LineKind, Page};

/// Just before it, something went wrong and was not put right. "Raise the timeout" as an option is no failure.
pub(super) fn came_before(page: &Page, marked: &Marked, index: usize, options: &[String]) -> bool {
    let options: Vec<String> = options.iter().map(|option| option.to_lowercase()).collect();
    let is_option = |before: usize, hit: &Hit| {
        let sentence = &page.sentences[before];
        let found = options.iter().filter_map(|option| Some((page.text_of(sentence).find(option)?, option.len())));
        let mut found = found.map(|(at, length)| (sentence.said.start + at, sentence.said.start + at + length));
        found.any(|(from, to)| from <= hit.start && hit.end <= to)
    };
    let prose = |&before: &usize| !matches!(page.line_of(&page.sentences[before]).kind, LineKind::Item { .. });
    let failed = |before: usize| {
        let found = diagnosis(page, before);
        hits(page, marked, before).any(|hit| found.is_none_or(|found| hit.start < found) && !is_option(before, hit))
    };
    let mut said = (0..index).rev().filter(prose).take(3).take_while(|&before| !is_done(page, marked, before));
    let from = said.clone().last().map_or(0, |first| page.line_of(&page.sentences[first]).paragraph);
    let until = page.line_of(&page.sentences[index]).paragraph;
    page.failed_at.iter().any(|&at| (from..=until).contains(&at))
        || said.any(failed)
        || clause(page, marked, index).is_some()
}

/// "The upload failed, retry or skip?": where the clause ends that a question begins with and that only states a failure.
pub(super) fn clause(page: &Page, marked: &Marked, index: usize) -> Option<usize> {
    hits(page, marked, index).filter_map(|hit| clause_with(page, marked, index, hit)).max()
}

/// What may follow a failure in the same clause. In "error handling, sync or async?" another word does, and nothing failed.
const GOES_ON: &[&str] = &[
    "in", "with", "by", "on", "at", "after", "for", "to", "due", "because", "again", "twice", "left", "mit", "bei",
    "avec", "con", "com",
];

fn clause_with(page: &Page, marked: &Marked, index: usize, hit: &Hit) -> Option<usize> {
    let rest = &page.said[hit.end..page.sentences[index].said.end];
    let (at, mark) = rest.match_indices([',', ':', ';', '—', '–', '，', '：']).next()?;
    let end = hit.end + at + mark.len();
    let goes_on = rest[..at].split_whitespace().next().is_none_or(|word| GOES_ON.contains(&word));
    // "If it failed, …", "Should failed builds, …": what asks has begun, or nothing has failed yet.
    let other = Cues::of(&[Cue::Condition, Cue::Or, Cue::Leave, Cue::Asking, Cue::Which, Cue::What, Cue::Course]);
    // "Merge conflict": the word before it belongs to it.
    let is_other = |found: &Hit| other.has(found.cue) && found.start < end && found.end + 1 != hit.start;
    (goes_on && !marked.hits(index).iter().any(is_other)).then_some(end)
}

fn hits<'a>(page: &'a Page, marked: &'a Marked, index: usize) -> impl Iterator<Item = &'a Hit> {
    let failures = marked.hits(index).iter().filter(|hit| hit.cue == Cue::Failure);
    failures.filter(|hit| !is_denied(&page.said[..hit.start]))
}

/// "The cause is a race": from here on it is said what is wrong with the program, and no step of the agent's failed.
fn diagnosis(page: &Page, index: usize) -> Option<usize> {
    const FOUND: &[&str] = &[
        "the cause is",
        "the cause was",
        "root cause",
        "culprit",
        "found the bug",
        "found the fault",
        "found the leak",
        "found the error",
        "found the problem",
        "ursache ist",
        "ursache war",
        "ursache:",
        "fehler gefunden",
        "la cause est",
        "la cause était",
        "vient de",
        "vient du",
        "trouvé le bug",
        "trouvé l'erreur",
        "trouvé le problème",
        "la causa es",
        "la causa era",
        "encontrado el fallo",
        "encontrado el error",
        "encontrado el problema",
        "a causa é",
        "a causa era",
        "encontrei o",
        "la causa è",
        "trovato il",
        "trovato l'errore",
        "причина в",
        "причина —",
        "нашёл ошибку",
        "нашел ошибку",
        "нашёл причину",
        "原因是",
        "原因在于",
        "定位到",
        "找到了",
        "原因は",
        "원인은",
        "příčina je",
    ];
    let sentence = &page.sentences[index];
    let said = page.text_of(sentence);
    FOUND.iter().filter_map(|phrase| said.find(phrase)).min().map(|at| sentence.said.start + at)
}

fn is_done(page: &Page, marked: &Marked, index: usize) -> bool {
    let mut hits = marked.hits(index).iter().filter(|hit| hit.cue == Cue::Done);
    hits.any(|hit| !is_denied(&page.said[..hit.start]))
}

/// "no errors", "without conflicts", "not installed".
fn is_denied(before: &str) -> bool {
    let words = [
        "no ",
        "not ",
        "n't ",
        "n't be ",
        "not be ",
        "yet to be ",
        "0 ",
        "without ",
        "any ",
        "zero ",
        "keine ",
        "ohne ",
        "sans ",
        "aucun ",
        "aucune ",
        "sin ",
        "sem ",
        "senza ",
        "без ",
        "没有",
        "无",
        "bez ",
    ];
    words.iter().any(|word| before.ends_with(word))
}
