//! Whether what more is wanted is named, or the agent closes politely.

use super::Hit;
use super::cue::{Cue, Cues};
use crate::detect::page::{Ending, Sentence};

/// "Do you need any other changes?": whatever it may be, nothing waits for it.
pub(super) fn find(said: &str, sentence: &Sentence, hits: &[Hit]) -> Option<Hit> {
    let asks = sentence.ending == Ending::Question;
    let more = hits.iter().find(|hit| asks && hit.cue == Cue::Else)?;
    let is_korean = said[more.start..].starts_with(is_hangul);
    if is_korean && !is_korean_closing(said, sentence, more) {
        return None;
    }
    let wants = Cues::of(&[Cue::Leave, Cue::Consent, Cue::Wish]);
    let wants = |hit: &&Hit| wants.has(hit.cue) && (hit.cue == Cue::Wish || !is_korean);
    let wish = hits.iter().rfind(|hit| wants(hit) && hit.end <= more.start).or_else(|| hits.iter().find(wants))?;
    let lead = &said[sentence.said.start..more.start];
    let is_open = !names_others(lead) && !asks_before(said, lead, wish, more, hits) && !asks_after(said, more, hits);
    let (start, end) = (wish.start.min(more.start), wish.end.max(more.end));
    is_open.then_some(Hit { cue: Cue::Closer, start, end })
}

/// "Which steps would you like to take now?": whatever they may be.
pub(super) fn asks_for_steps(said: &str, sentence: &Sentence, cues: Cues) -> Option<Hit> {
    const STEPS: &[&str] = &[
        "which steps",
        "what steps",
        "which step",
        "what step",
        "which next steps",
        "what next steps",
        "welche schritte",
        "welchen schritt",
        "welche nächsten schritte",
        "quelles étapes",
        "quelle étape",
        "quels pas",
        "qué pasos",
        "qué paso",
        "cuáles pasos",
        "quais passos",
        "que passos",
        "qual passo",
        "quali passi",
        "quale passo",
        "какие шаги",
        "какой шаг",
        "какие действия",
        "哪些步骤",
        "哪一步",
        "什么步骤",
        "哪些步驟",
        "どのようなステップ",
        "どのステップ",
        "어떤 단계",
        "어떤 작업",
    ];
    const NOW: &[&str] = &[
        "next",
        "now",
        "nächste",
        "jetzt",
        "maintenant",
        "ensuite",
        "ahora",
        "a continuación",
        "siguiente",
        "agora",
        "a seguir",
        "adesso",
        "ora?",
        "prossim",
        "дальше",
        "далее",
        "сейчас",
        "теперь",
        "接下来",
        "下一步",
        "接下來",
        "现在",
        "次に",
        "다음",
    ];
    const OWN: &[&str] = &[" i ", " ich ", " je ", "devo", "мне ", "我"];
    let asks = Cues::of(&[Cue::Which, Cue::What, Cue::Fact, Cue::Choose]);
    if sentence.ending != Ending::Question || !cues.any(asks) {
        return None;
    }
    let text = &said[sentence.said.clone()];
    let (at, steps) = STEPS.iter().find_map(|steps| text.find(steps).map(|at| (at, steps)))?;
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let start = sentence.said.start + at;
    (has(NOW) && !has(OWN)).then_some(Hit { cue: Cue::Idle, start, end: start + steps.len() })
}

pub(in crate::detect) fn is_hangul(letter: char) -> bool {
    matches!(letter, '\u{ac00}'..='\u{d7af}')
}

/// "폴더" ends as "더" does, and "다른 페이지에도 할까요?" names them.
fn is_korean_closing(said: &str, sentence: &Sentence, more: &Hit) -> bool {
    let rest = &said[more.end..sentence.said.end];
    !said[..more.start].ends_with(is_hangul) && (rest.contains("있") || rest.contains("싶으신가"))
}

/// "需要我把其他文件也删掉吗？", "改用其他端口": others, but those that are known.
fn names_others(lead: &str) -> bool {
    const NAMED: &[&str] =
        &["把", "将", "也", "用", "换", "到", "成", "继续", "続け", "계속", "continu", "продолж", "weiter"];
    NAMED.iter().any(|named| lead.contains(named))
}

/// "Shall I push it, or anything else?"
fn asks_before(said: &str, lead: &str, wish: &Hit, more: &Hit, hits: &[Hit]) -> bool {
    let between = said.get(wish.end..more.start).unwrap_or_default();
    let or = hits.iter().any(|hit| hit.cue == Cue::Or && hit.end <= more.start);
    (or || lead.contains(" o ")) && !is_anything(lead) && !joins_verbs(between) && !only_tries(lead)
}

/// "Anything else to change, or shall I push it?"
fn asks_after(said: &str, more: &Hit, hits: &[Hit]) -> bool {
    const OWN: &[&str] = &[
        "shall i",
        "should i",
        "soll ich",
        "dois-je",
        "puis-je",
        "quieres que",
        "quer que",
        "devo",
        "posso",
        "要我",
        "需要我",
    ];
    let mut after = hits.iter().filter(|hit| hit.cue == Cue::Leave && hit.start >= more.end);
    after.any(|hit| OWN.iter().any(|own| said[hit.start..hit.end].starts_with(own)))
}

/// "Do you want to add or change anything else?": the "or" stands between two words for one thing.
pub(in crate::detect) fn joins_verbs(between: &str) -> bool {
    const ORS: &[&str] = &["or", "oder", "ou", "o", "или"];
    let words: Vec<&str> = between.split_whitespace().filter(|word| *word != "to").take(4).collect();
    words.len() == 3 && ORS.contains(&words[1])
}

/// "Ready to try it, or do you need other changes?": the work is done.
pub(in crate::detect) fn only_tries(lead: &str) -> bool {
    const TRIES: &[&str] =
        &["test", "try", "essayer", "probar", "provar", "experimentar", "протест", "попроб", "试", "試"];
    const ORS: &[&str] = &["or", "oder", "ou", "o", "или"];
    let words = || lead.split_whitespace().take_while(|word| !ORS.contains(word));
    words().count() <= 5 && words().any(|word| TRIES.iter().any(|tries| word.contains(tries)))
}

/// "Do you want to change anything, or is there something else?": what comes first has no name either.
pub(in crate::detect) fn is_anything(said: &str) -> bool {
    const ANYTHING: &[&str] =
        &["anything", "something", "etwas", "quelque chose", "algo", "alguna", "alguma", "qualcosa", "что-то", "什么"];
    ANYTHING.iter().any(|any| said.contains(any))
}
