//! What is wanted in a list: "please: 1. share … 2. describe …", "1. open … 2. tell me when it's done", "a) … b) …".

use super::ASKING;
use crate::detect::lexicon::{Cue, Hit, Marked};
use crate::detect::page::{Ending, LineKind, Page};

fn is_item(page: &Page, index: usize) -> bool {
    page.sentences.get(index).is_some_and(|next| matches!(page.line_of(next).kind, LineKind::Item { .. }))
}

/// "Please: 1. share the file 2. describe the problem".
pub(super) fn leads_to_wishes(page: &Page, marked: &Marked, index: usize) -> bool {
    const MANY: usize = 16;
    let leads = page.sentences[index].ending == Ending::Colon && marked.cues(index).has(Cue::Lead);
    let wishes = ASKING.with(Cue::Listed);
    let mut items = (index + 1..page.sentences.len()).take(MANY).take_while(|&next| is_item(page, next));
    leads && !is_item(page, index) && items.any(|next| marked.cues(next).any(wishes))
}

const TO_ME: &[&str] = &[
    " me",
    "me ",
    "-me",
    "moi",
    "mir",
    "мне",
    "我",
    "ame",
    "ami",
    "mi ",
    "here",
    "aquí",
    "aqui",
    "ici",
    "hier",
    "qui",
    "сюда",
    "ください",
    "주세요",
];

/// "3. Tell me when it's done", as the last of the steps.
pub(super) fn ends_with_report(page: &Page, marked: &Marked, index: usize) -> bool {
    let cues = marked.cues(index);
    let to_agent = |hit: &Hit| {
        let words = &page.said[hit.start..hit.end];
        hit.cue == Cue::Say || (hit.cue == Cue::Back && TO_ME.iter().any(|me| words.contains(me)))
    };
    let reports = cues.has(Cue::Request) && marked.hits(index).iter().any(to_agent);
    let line = page.sentences[index].line;
    // "3. Send me the file. I'll replace it.": what the agent does then belongs to the item.
    let below = (index + 1..page.sentences.len()).find(|&next| page.sentences[next].line != line);
    reports && !below.is_some_and(|below| is_item(page, below)) && index > 0 && is_item(page, index - 1)
}

/// "2. One file or three? I'd keep one.": what the agent would do is its advice, and the answer is left to the human.
pub(super) fn is_preferred(page: &Page, index: usize) -> bool {
    const PREFERS: &[&str] = &[
        "i'd ",
        "i would ",
        "i suggest",
        "i recommend",
        "my recommendation",
        "my suggestion",
        "my default",
        "ich würde",
        "mein vorschlag",
        "je propose",
        "je recommande",
        "je ferais",
        "propongo",
        "recomiendo",
        "sugiro",
        "recomendo",
        "eu faria",
        "suggerisco",
        "consiglio",
        "я бы",
        "предлагаю",
        "рекомендую",
        "我建议",
        "我倾向",
        "navrhuj",
        "doporučuj",
    ];
    let next = page.sentences.get(index + 1).filter(|next| next.line == page.sentences[index].line);
    is_item(page, index)
        && next.is_some_and(|next| PREFERS.iter().any(|prefers| page.text_of(next).starts_with(prefers)))
}

/// A question with ways to answer it below: "- a) … - b) …".
pub(super) fn has_lettered(page: &Page, index: usize) -> bool {
    let line = page.sentences[index].line;
    let mut below = page.lines.get(line + 1..).unwrap_or_default().iter();
    let mut next = || below.next().is_some_and(|line| line.lettered);
    next() && next()
}

/// "Open questions: 1. Ground water? 2. Weather?": what leads to them says what they are.
pub(super) fn is_posed(page: &Page, index: usize) -> bool {
    const MANY: usize = 12;
    const LEADS: &[&str] = &[
        "questions",
        "open questions",
        "my questions",
        "remaining questions",
        "clarifying questions",
        "questions for you",
        "fragen",
        "offene fragen",
        "meine fragen",
        "fragen an dich",
        "questions ouvertes",
        "questions en suspens",
        "mes questions",
        "preguntas",
        "preguntas abiertas",
        "preguntas pendientes",
        "mis preguntas",
        "perguntas",
        "perguntas em aberto",
        "minhas perguntas",
        "domande",
        "domande aperte",
        "вопросы",
        "открытые вопросы",
        "мои вопросы",
        "待确认",
        "待确认的问题",
        "需要确认的问题",
        "質問",
        "確認事項",
        "確認したいこと",
        "질문",
        "확인 사항",
        "otázky",
        "otevřené otázky",
    ];
    let is_lead = |index: usize| {
        let said = page.text_of(&page.sentences[index]);
        LEADS.contains(&said.trim_matches(|next: char| !next.is_alphanumeric()))
    };
    let top = (0..index).rev().take(MANY).find(|&before| !is_item(page, before));
    is_item(page, index) && top.is_some_and(is_lead)
}
