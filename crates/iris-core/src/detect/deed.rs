//! What the agent would do itself, said as a question without a word that asks: it wants a yes.

use super::lexicon::{Cue, Cues, Marked};
use super::page::Page;

/// "Je pousse la branche ?", "¿Subo el límite?", "Заливаю в main?", "…可以删掉了吗？"
pub(super) fn is_own(page: &Page, marked: &Marked, index: usize) -> bool {
    const BEGINS: &[&str] =
        &["je ", "j'", "j’", "ich ", "i'll ", "i will ", "io ", "那我", "我先", "我直接", "我现在", "我就", "我来"];
    let said = page.text_of(&page.sentences[index]);
    let said = said.trim_start_matches(|next: char| !next.is_alphanumeric());
    let cues = marked.cues(index);
    if BEGINS.iter().any(|begin| said.starts_with(begin)) {
        return !said.contains(['你', '您']);
    }
    let last = said.rsplit(['，', ',']).next().unwrap_or(said);
    let may = last.contains("可以") && said.trim_end_matches(['?', '？', ' ']).ends_with(['吗', '嗎', '吧', '么']);
    if may {
        return !cues.has(Cue::Request) && !said.contains(['你', '您']);
    }
    !asks_otherwise(page, marked, index) && (is_russian(said) || is_romance(said))
}

/// By a word of its own: the mark that begins a question in Spanish is none.
fn asks_otherwise(page: &Page, marked: &Marked, index: usize) -> bool {
    let asks = Cues::of(&[Cue::Asking, Cue::Address]);
    marked.hits(index).iter().any(|hit| asks.has(hit.cue) && &page.said[hit.start..hit.end] != "¿")
}

/// "Закоммитить?"
pub(super) fn is_infinitive(word: &str) -> bool {
    ["ть", "ти", "ться"].iter().any(|ending| word.ends_with(ending))
}

/// The endings of the first person, where a verb may stand alone and first.
fn is_russian(said: &str) -> bool {
    let first = said.split([' ', ',', '?']).next().unwrap_or_default();
    first.chars().count() >= 4 && ["ю", "ем", "им", "ём", "емся", "юсь"].iter().any(|end| first.ends_with(end))
}

/// "Aumento o limite?", "Lo lanzo?": a verb that ends with "o", and then what it is done to, or nothing.
fn is_romance(said: &str) -> bool {
    const BEFORE: &[&str] = &["lo", "la", "los", "las", "le", "li", "o", "a", "os", "as"];
    const AFTER: &[&str] = &[
        "el", "la", "los", "las", "lo", "un", "una", "o", "a", "os", "as", "um", "uma", "il", "i", "gli", "le", "con",
        "com", "contra", "todo", "tudo", "tutto", "este", "esta", "isso", "questo", "questa", "ya", "já",
    ];
    let mut words = said.split([' ', '?']).filter(|word| !word.is_empty()).peekable();
    let is_verb = |word: &&str| {
        let we = ["amos", "emos", "imos", "iamo"].iter().any(|end| word.ends_with(end));
        (word.ends_with('o') || we) && word.chars().count() >= 4
    };
    let clitic = words.next_if(|word| BEFORE.contains(word)).is_some();
    let verb = words.next().filter(is_verb);
    verb.is_some() && (clitic || words.next().is_none_or(|next| AFTER.contains(&next) || next.starts_with("l'")))
}
