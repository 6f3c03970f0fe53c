//! What the human is to do and then to say: three phrases that mean something in this order only.

use super::Hit;
use super::cue::{Cue, Cues};
use crate::detect::page::{CODE, QUOTED, Sentence, is_unspaced};

/// What the agent does as soon as it has been told.
const THEN: &[&str] = &[
    "and i'll",
    "and i will",
    "and i can",
    "and we'll",
    "and we can",
    "so i can",
    "so that i",
    "so we can",
    "then i",
    "i'll ",
    "and then i",
    "then we",
    "dann ",
    "und ich",
    "und wir",
    "damit ich",
    "ich ",
    "et je",
    "et j'",
    "et on",
    "et nous",
    "pour que je",
    "afin que je",
    "je ",
    "y ",
    "para que ",
    "así ",
    "e ",
    "que eu",
    "que a gente",
    "para eu",
    "para que eu",
    "pra eu",
    "così ",
    "и я",
    "и мы",
    "и продолж",
    "чтобы я",
    "продолж",
    "я ",
    "тогда ",
    "我",
    "就",
    "我们",
];

/// What the phrases of a sentence mean in this order.
pub(super) fn find(said: &str, sentence: &Sentence, hits: &[Hit], cues: Cues) -> impl Iterator<Item = Hit> {
    let told = cues.has(Cue::Say).then(|| [told_once_reached(said, sentence, hits), told_before(said, sentence, hits)]);
    let either = cues.has(Cue::Reply).then(|| says_either(said, sentence, hits)).flatten();
    told.into_iter().flatten().flatten().chain(either)
}

/// "Once the tables exist, tell me and I'll load them."
fn told_once_reached(said: &str, sentence: &Sentence, hits: &[Hit]) -> Option<Hit> {
    let reached = hits.iter().find(|hit| hit.cue == Cue::Reached)?;
    let then = |say: &Hit| {
        let rest = &said[say.end..sentence.said.end];
        let words = rest.trim_start_matches([' ', ',', '，', '—', '–', '-', ';', ':']);
        let dash = rest.trim_start().starts_with(['—', '–']) && words.starts_with(char::is_alphabetic);
        let then = THEN.iter().find(|then| words.starts_with(**then)).or(dash.then_some(&""))?;
        Some(say.end + rest.len() - words.len() + then.len())
    };
    let says = |hit: &&Hit| hit.cue == Cue::Say && reached.end <= hit.start;
    let (say, end) = hits.iter().filter(says).find_map(|say| Some((say, then(say)?)))?;
    let spoils = |hit: &Hit| {
        matches!(hit.cue, Cue::Wanted | Cue::Still | Cue::Failure)
            && reached.start <= hit.start
            && hit.start < say.start
    };
    (!hits.iter().any(spoils)).then_some(Hit { cue: Cue::Request, start: reached.start, end })
}

/// "Read it and tell me if you want changes before I start."
fn told_before(said: &str, sentence: &Sentence, hits: &[Hit]) -> Option<Hit> {
    let before = hits.iter().find(|hit| hit.cue == Cue::Before)?;
    let unspaced = said[before.start..].starts_with(is_unspaced);
    let says = |hit: &&Hit| hit.cue == Cue::Say && (unspaced || hit.end <= before.start);
    let say = hits.iter().find(says)?;
    // Where words are not spaced, what comes before may be in between.
    let start = if unspaced { sentence.said.start } else { say.start };
    Some(Hit { cue: Cue::Confirm, start, end: say.end.max(before.end) })
}

/// "Say "go on" or "drop it"", "reply A1 or A2", "回 1 或 2".
fn says_either(said: &str, sentence: &Sentence, hits: &[Hit]) -> Option<Hit> {
    let reply = hits.iter().rfind(|hit| hit.cue == Cue::Reply)?;
    let first = hits.iter().find(|hit| hit.cue == Cue::Reply)?;
    let text = &said[sentence.said.clone()];
    let (from, to) = find_either(text)?;
    let (from, to) = (sentence.said.start + from, sentence.said.start + to);
    let follows = hits.iter().any(|hit| hit.cue == Cue::Reply && hit.end <= from && from - hit.end <= 16);
    // In Japanese and Korean the verb comes last.
    let precedes = said[reply.start..].starts_with(is_unspaced) && to <= reply.start && reply.start - to <= 24;
    (follows || precedes).then_some(Hit { cue: Cue::Pick, start: first.start.min(from), end: to.max(reply.end) })
}

/// Where two short answers stand, with an "or" between them.
fn find_either(text: &str) -> Option<(usize, usize)> {
    const ORS: &[&str] = &[
        " or ",
        " oder ",
        " ou ",
        " o ",
        " oppure ",
        " или ",
        "或者",
        "或",
        "还是",
        "還是",
        "、または",
        "または",
        "か",
        " 또는 ",
        " 혹은 ",
        "이나 ",
        ", ",
        "、",
    ];
    ORS.iter().find_map(|or| {
        text.match_indices(or).find_map(|(at, or)| {
            let before = text[..at].trim_end();
            let start = before.len() - answer_length(before.chars().rev())?;
            let after = at + or.len();
            let rest = text[after..].trim_start();
            let skipped = text.len() - after - rest.len();
            let end = after + skipped + answer_length(rest.chars())?;
            Some((start, end))
        })
    })
}

/// The length of a short answer: something quoted or in code, a letter, a number.
pub(super) fn answer_length(letters: impl Iterator<Item = char>) -> Option<usize> {
    let mut letters = letters.peekable();
    if let Some(mark) = letters.next_if(|&next| next == QUOTED || next == CODE) {
        return Some(mark.len_utf8());
    }
    let mut length = 0;
    while letters.next_if(char::is_ascii_alphanumeric).is_some() {
        length += 1;
    }
    let ends = letters.peek().is_none_or(|next| !next.is_alphanumeric() || is_unspaced(*next));
    ((1..=2).contains(&length) && ends).then_some(length)
}
