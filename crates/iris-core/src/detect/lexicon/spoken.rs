//! Phrases that ask, except where they are only spoken of: "the two questions", "你贴出来的日志".

use super::cue::Cue;
use crate::detect::page::{Sentence, is_word};

/// Whether these words only speak of what was asked or given.
pub(super) fn is_spoken_of(said: &str, sentence: &Sentence, cue: Cue, start: usize, end: usize) -> bool {
    let (before, words, rest) = (&said[sentence.said.start..start], &said[start..end], &said[end..sentence.said.end]);
    let known = cue == Cue::Request && (is_attribute(words, rest) || are_known_questions(before, words, rest));
    known || (matches!(cue, Cue::Request | Cue::Pick) && are_told_of(before, words, rest))
}

/// "Two decisions in the doc go against it", "a few questions came up": told of, where "two decisions for you" asks.
fn are_told_of(before: &str, words: &str, rest: &str) -> bool {
    const COUNTED: &[&str] = &["one decision", "two decisions", "a few questions", "some questions"];
    const HAD: &[&str] =
        &["have ", "i've ", "got ", "need ", "needs ", "answer ", "ask ", "still ", "with ", "leaves ", "remain "];
    const WANTED: &[&str] = &[
        "for you", "i need", "i'd need", "to make", "needed", "from you", "yours", "left", "open", "remain", "pending",
    ];
    const FIRST: &[&str] = &["before ", "first", "to ", "about ", "on "];
    let near = rest.get(..48).unwrap_or(rest);
    let goes_on = rest.strip_prefix(' ').is_some_and(|rest| rest.starts_with(char::is_alphabetic));
    COUNTED.contains(&words)
        && goes_on
        && !HAD.iter().any(|had| before.ends_with(had))
        && !WANTED.iter().any(|wanted| near.contains(wanted))
        && !FIRST.iter().any(|first| rest.trim_start().starts_with(first))
}

/// "你发过来的截图": what the human did tells which one it is.
fn is_attribute(words: &str, rest: &str) -> bool {
    rest.starts_with('的') && !words.starts_with(['请', '請', '麻', '烦', '需'])
}

/// "the two questions": which they are is known.
fn are_known_questions(before: &str, words: &str, rest: &str) -> bool {
    const QUESTIONS: &[&str] = &["questions", "fragen", "preguntas", "domande", "perguntas", "вопроса", "вопросы"];
    const KNOWN: &[&str] = &[
        "the", "these", "those", "both", "your", "has", "contains", "includes", "all", "den", "die", "der", "diese",
        "diesen", "beide", "beiden", "deine", "deinen", "ihre", "ihren", "hat", "enthält", "les", "ces", "vos", "tes",
        "aux", "contient", "las", "estas", "esas", "tus", "sus", "contiene", "alle", "le", "queste", "sulle", "delle",
        "tue", "as", "às", "das", "nas", "essas", "suas", "contém", "на", "эти", "оба", "ваши", "твои", "по",
    ];
    // "The two questions for you are", "answer the two questions".
    const WANTED: &[&str] =
        &["answer the", "need", "before i", "for you", "brauche", "besoin", "necesito", "preciso", "bisogno", "нуж"];
    let is_last = |word: &&&str| {
        let head = before.trim_end().strip_suffix(**word);
        head.is_some_and(|head| !head.ends_with(is_word))
    };
    let wanted = |part: &str| WANTED.iter().any(|want| part.contains(want));
    QUESTIONS.iter().any(|questions| words.ends_with(questions))
        && KNOWN.iter().find(is_last).is_some()
        && !wanted(before)
        && !wanted(rest)
}
