//! "Give me a moment": whether what is to be given is only time.

use crate::detect::lexicon::{Cue, Hit};
use crate::detect::page::Page;

const TIMES: &[&str] = &[
    "second",
    "sec",
    "moment",
    "minute",
    "min",
    "bit",
    "sekunde",
    "augenblick",
    "instant",
    "seconde",
    "segundo",
    "segundito",
    "momento",
    "momentito",
    "minuto",
    "minutinho",
    "rato",
    "ratito",
    "instante",
    "secondo",
    "secondi",
    "attimo",
    "istante",
    "minuti",
    "секунд",
    "минут",
    "момент",
];
const SIGNS: &[&str] = &["时间", "時間", "秒", "分钟", "分鐘", "一会", "片刻"];
const ENDS: &[&str] = &["", "s", "n", "en", "у", "ы", "очку", "очек", "ку", "ки"];
const GO_ON: &[&str] = &[
    "to",
    "while",
    "and",
    "until",
    "please",
    "more",
    "i",
    "i'll",
    "um",
    "während",
    "und",
    "bitte",
    "bis",
    "pour",
    "pendant",
    "le",
    "que",
    "et",
    "mientras",
    "para",
    "y",
    "enquanto",
    "e",
    "pra",
    "até",
    "per",
    "mentre",
    "che",
    "и",
    "пока",
    "чтобы",
    "на",
    "я",
];
const POLITE: &[&str] = &["bitte", "please", "just", "kurz", "por", "favor"];
const THE: &[&str] = &["the", "die", "den", "das", "le", "la", "el", "il"];

/// "Give me a moment while it loads": nothing is to be given.
pub(super) fn wants_time(page: &Page, index: usize, ask: Hit) -> bool {
    if ask.cue != Cue::Request {
        return false;
    }
    let end = page.sentences[index].said.end;
    let clause = page.said[ask.start..end].split(['，', ',', '。']).next().unwrap_or_default();
    if clause.contains("给我") || clause.contains("給我") {
        return SIGNS.iter().any(|sign| clause.contains(sign)) && clause.chars().count() <= 14;
    }
    begins_with_time(&page.said[ask.end..end])
}

fn begins_with_time(rest: &str) -> bool {
    let is_time = |word: &str| {
        let word = word.trim_end_matches(|next: char| !next.is_alphanumeric());
        TIMES.iter().any(|time| word.strip_prefix(time).is_some_and(|end| ENDS.contains(&end)))
    };
    let mut words = rest.split_whitespace().filter(|word| !POLITE.contains(word)).peekable();
    // "Give me the minute when it failed".
    if words.peek().is_some_and(|first| THE.contains(first)) {
        return false;
    }
    let Some(time) = words.by_ref().take(4).find(|word| is_time(word)) else { return false };
    let stops = !time.ends_with(char::is_alphanumeric);
    stops || words.next().is_none_or(|next| GO_ON.contains(&next) || !next.starts_with(char::is_alphanumeric))
}
