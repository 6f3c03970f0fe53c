//! Whether an agent that asks what to do has nothing to do, or closes politely.

use crate::detect::lexicon::{Cue, Cues, Marked};
use crate::detect::page::{LineKind, Page};

/// "What should I work on?" is a closing after finished work, and a question where there was none or it went wrong.
pub(super) fn has_nothing_to_do(page: &Page, marked: &Marked, index: usize) -> bool {
    let failed = (index.saturating_sub(3)..index).any(|before| marked.cues(before).has(Cue::Failure));
    let listed = index > 0 && matches!(page.line_of(&page.sentences[index - 1]).kind, LineKind::Item { .. });
    let done = (0..index).any(|before| marked.cues(before).has(Cue::Done));
    let said = page.text_of(&page.sentences[index]);
    let begins = ["today", "今天", "aujourd'hui", "hoy", "heute", "hoje", "oggi", "сегодня", "今日", "오늘", "dnes"];
    failed || listed || !done || greets(page) || begins.iter().any(|day| said.contains(day))
}

/// "The command was interrupted. What would you like to do next?": nothing was done that it could close.
pub(super) fn is_stranded(page: &Page, marked: &Marked, index: usize) -> bool {
    let prose = |&before: &usize| !matches!(page.line_of(&page.sentences[before]).kind, LineKind::Item { .. });
    let failed = (0..index).rev().filter(prose).take(3).any(|before| marked.cues(before).has(Cue::Failure));
    let open = marked.cues(index).any(Cues::of(&[Cue::What, Cue::Course, Cue::Idle]));
    failed && open && !(0..index).any(|before| marked.cues(before).has(Cue::Done))
}

/// Who says hello has done nothing yet.
fn greets(page: &Page) -> bool {
    const HELLOS: &[&str] = &[
        "hello",
        "hi",
        "hey",
        "welcome",
        "hallo",
        "guten tag",
        "bonjour",
        "salut",
        "hola",
        "olá",
        "oi",
        "ciao",
        "buongiorno",
        "привет",
        "здравствуйте",
        "你好",
        "您好",
        "嗨",
        "こんにちは",
        "안녕하세요",
    ];
    let first = page.sentences.first().map_or("", |first| page.text_of(first));
    let rest = HELLOS.iter().find_map(|hello| first.strip_prefix(hello));
    rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
}
