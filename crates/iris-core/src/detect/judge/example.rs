//! A question that only gives an example of the one before it.

use crate::detect::page::{Ending, Page};

/// "For example the tests?": it only says what the question before it might mean.
pub(in crate::detect) fn is_example(page: &Page, index: usize) -> bool {
    const BEGINS: &[&str] = &[
        "maybe ",
        "perhaps ",
        "for example",
        "for instance",
        "e.g.",
        "such as",
        "like ",
        "vielleicht ",
        "zum beispiel",
        "z.b.",
        "etwa ",
        "peut-être ",
        "par exemple",
        "quizás ",
        "quizá ",
        "tal vez ",
        "por ejemplo",
        "talvez ",
        "por exemplo",
        "magari ",
        "forse ",
        "per esempio",
        "ad esempio",
        "может быть",
        "возможно",
        "например",
        "比如",
        "例如",
        "譬如",
        "或许",
        "例えば",
        "たとえば",
        "예를 들어",
        "예를 들면",
    ];
    let Some(before) = index.checked_sub(1).map(|before| &page.sentences[before]) else { return false };
    let sentence = &page.sentences[index];
    let both = sentence.ending == Ending::Question && before.ending == Ending::Question;
    let said = page.text_of(sentence).trim_start_matches(['¿', '(', '（', ' ']);
    both && before.line == sentence.line && BEGINS.iter().any(|begin| said.starts_with(begin))
}
