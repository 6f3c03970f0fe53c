//! What a few words mean where they stand around each other: "you can … and tell me when", "say … to go on".

use super::cue::{Cue, Cues};
use super::errand::answer_length;
use super::{Hit, begins_clause};
use crate::detect::page::{CODE, QUOTED, Sentence, is_unspaced};

/// What the words of a sentence mean in their frame.
pub(super) fn find(said: &str, sentence: &Sentence, hits: &[Hit], cues: Cues) -> impl Iterator<Item = Hit> {
    let when = (cues.has(Cue::Plea) && cues.has(Cue::Say)).then(|| told_when(said, sentence, hits)).flatten();
    let outcome = cues.has(Cue::Outcome).then(|| told_outcome(said, sentence, hits)).flatten();
    let given = (cues.has(Cue::Do) && cues.has(Cue::Reached)).then(|| given_then(hits)).flatten();
    let word = cues.has(Cue::Reply).then(|| says_word(said, sentence, hits)).flatten();
    let done = cues.has(Cue::Say).then(|| told_done(said, sentence, hits)).flatten();
    [when, outcome, given, word, done].into_iter().flatten()
}

/// "You can put it there and let me know when it's there."
fn told_when(said: &str, sentence: &Sentence, hits: &[Hit]) -> Option<Hit> {
    const WHEN: &[&str] = &[
        "when ",
        "once ",
        "as soon as ",
        "wenn ",
        "sobald ",
        "quand ",
        "dès que ",
        "une fois ",
        "cuando ",
        "en cuanto ",
        "quando ",
        "assim que ",
        "appena ",
        "когда ",
        "как только ",
    ];
    const ORS: &[&str] = &["or", "oder", "ou", "o", "или"];
    let plea = hits.iter().find(|hit| hit.cue == Cue::Plea)?;
    let is_when = |say: &&Hit| {
        let rest = said[say.end..sentence.said.end].trim_start_matches([' ', ',']);
        let ends = WHEN.iter().any(|when| said[say.start..say.end].ends_with(when.trim_end()));
        say.cue == Cue::Say && plea.end < say.start && (ends || WHEN.iter().any(|when| rest.starts_with(when)))
    };
    let say = hits.iter().find(is_when)?;
    // "Or, if you prefer, you can put it there and tell me when": what was wanted before, in another way.
    let is_other = said[sentence.said.start..].split([' ', ',']).next().is_some_and(|first| ORS.contains(&first));
    let start = if is_other { sentence.said.start } else { plea.start };
    Some(Hit { cue: Cue::Request, start, end: say.end })
}

/// "Starte ihn und sag mir Bescheid, wenn er durch ist": in German "when" is "if", and what is reached tells them apart.
fn told_done(said: &str, sentence: &Sentence, hits: &[Hit]) -> Option<Hit> {
    const REACHED: &[&str] = &[
        "durch ist",
        "durch sind",
        "fertig ist",
        "fertig sind",
        "fertig bist",
        "so weit ist",
        "soweit ist",
        "läuft",
        "steht",
        "abgeschlossen ist",
        "erledigt ist",
        "drin bist",
        "da ist",
        "online ist",
        "eingeloggt bist",
        "grün ist",
    ];
    const MAY_BE: &[&str] = &[" etwas ", " was ", " nicht ", " noch ", "fehler", "problem"];
    const OTHERS: &[&str] = &["ich", "er", "sie", "es", "das", "der", "die", "wir", "wenn", "falls"];
    let first = said[sentence.said.clone()].split([' ', ',']).next().unwrap_or_default();
    let tells = |say: &&Hit| {
        let rest = said[say.end..sentence.said.end].trim_end_matches(|next: char| !next.is_alphanumeric());
        let is_when = rest.trim_start_matches(" bescheid").starts_with(", wenn ");
        let joins = said[sentence.said.start..say.start].ends_with(" und ");
        let may_be = MAY_BE.iter().any(|word| rest.contains(word));
        say.cue == Cue::Say && joins && is_when && !may_be && REACHED.iter().any(|reached| rest.ends_with(reached))
    };
    let say = hits.iter().rfind(tells).filter(|_| !OTHERS.contains(&first))?;
    Some(Hit { cue: Cue::Request, start: sentence.said.start, end: say.end })
}

/// "Tell me the result of each step."
fn told_outcome(said: &str, sentence: &Sentence, hits: &[Hit]) -> Option<Hit> {
    const NEAR: usize = 12;
    let tells = |say: &&Hit| {
        let before = &said[sentence.said.start..say.start];
        say.cue == Cue::Say
            && (begins_clause(before)
                || (said[say.start..].starts_with(is_unspaced) && !before.ends_with(['会', '能', '来'])))
    };
    hits.iter().filter(tells).find_map(|say| {
        let is_next = |hit: &&Hit| hit.cue == Cue::Outcome && hit.start >= say.end && hit.start <= say.end + NEAR;
        let outcome = hits.iter().find(is_next)?;
        Some(Hit { cue: Cue::Request, start: say.start, end: outcome.end })
    })
}

/// "Add it to the repository: once it's there I'll read it."
fn given_then(hits: &[Hit]) -> Option<Hit> {
    let of = |cue: Cue, from: usize| hits.iter().find(move |hit| hit.cue == cue && hit.start >= from);
    let first = of(Cue::Do, 0)?;
    let reached = of(Cue::Reached, first.end)?;
    let step = of(Cue::Step, reached.end)?;
    Some(Hit { cue: Cue::Request, start: first.start, end: step.end })
}

/// "I've written a plan. Please review it.": nothing of it has been done yet. `planned` is the sentence before, if it speaks of a plan.
pub(super) fn reviewed(
    said: &str,
    planned: Option<&Sentence>,
    sentence: &Sentence,
    hits: &[Hit],
    cues: Cues,
) -> Option<Hit> {
    let review = hits.iter().find(|hit| hit.cue == Cue::Review)?;
    is_only_planned(said, planned, sentence, cues).then_some(Hit { cue: Cue::Confirm, ..*review })
}

fn is_only_planned(said: &str, planned: Option<&Sentence>, sentence: &Sentence, cues: Cues) -> bool {
    let own = cues.has(Cue::Plan).then_some(sentence);
    own.or(planned).is_some_and(|first| {
        let said = &said[first.said.start..sentence.said.end];
        !CARRIED_OUT.iter().any(|word| said.contains(word))
    })
}

/// "Read the plan and tell me if it suits you.": the plan is what waits.
pub(super) fn suited(
    said: &str,
    planned: Option<&Sentence>,
    sentence: &Sentence,
    hits: &[Hit],
    cues: Cues,
) -> Option<Hit> {
    const NEAR: usize = 48;
    const SUITS: &[&str] = &[
        "suits you",
        "work for you",
        "works for you",
        "fits",
        "you agree",
        "you're ok",
        "you're happy",
        "you are happy",
        "it's ok",
        "it's okay",
        "looks good",
        "look good",
        "sounds good",
        "für dich passt",
        "für sie passt",
        "so passt",
        "es passt",
        "einverstanden",
        "in ordnung",
        "convient",
        "te va",
        "vous va",
        "d'accord",
        "es d'acc",
        "te parece",
        "le parece",
        "de acuerdo",
        "te convence",
        "de acordo",
        "concorda",
        "te agrada",
        "está bom",
        "faz sentido para",
        "va bene",
        "d'accordo",
        "ti convince",
        "подход",
        "устраива",
        "соглас",
        "同意",
        "可以",
        "没问题",
        "認可",
        "认可",
        "合适",
        "問題ない",
        "よろしい",
        "괜찮",
        "동의",
    ];
    if !cues.has(Cue::Say) || !is_only_planned(said, planned, sentence, cues) {
        return None;
    }
    hits.iter().filter(|hit| hit.cue == Cue::Say).find_map(|say| {
        // In Japanese and Korean the verb comes last.
        let (from, to) = if said[say.start..].starts_with(['教', 'お', '知', '알', '말']) {
            (sentence.said.start, say.start)
        } else {
            (say.end, sentence.said.end)
        };
        let rest = &said[from..to];
        let (at, suits) = SUITS.iter().find_map(|suits| rest.find(suits).map(|at| (at, suits)))?;
        let end = (from + at + suits.len()).max(say.end);
        // "Please check the plan and tell me": what is to be done first is a part of it.
        let deed =
            hits.iter().find(|hit| matches!(hit.cue, Cue::Request | Cue::Note)).map_or(say.start, |deed| deed.start);
        let start = deed.min(say.start).min(from + at);
        (at <= NEAR || to == say.start).then_some(Hit { cue: Cue::Confirm, start, end })
    })
}

/// What is said of a plan that is one no more.
const CARRIED_OUT: &[&str] = &[
    "implemented",
    "executed",
    "carried out",
    "applied",
    "deployed",
    "followed",
    "merged",
    "is done",
    "according to",
    "as planned",
    "umgesetzt",
    "implementiert",
    "implémenté",
    "appliqué",
    "terminé",
    "aplicado",
    "applicato",
    "implementado",
    "implementei",
    "implementato",
    "ejecutado",
    "реализовал",
    "реализован",
    "выполнен",
    "实现了",
    "完成",
    "按照",
    "根据",
    "実装しました",
    "完了",
    "구현했",
    "완료",
];

/// What a word is said for.
const PURPOSES: &[&str] = &[
    "to ",
    "for ",
    "and i",
    "if ",
    "um ",
    "für ",
    "damit ",
    "und ich",
    "dann ",
    "pour ",
    "et je",
    "para ",
    "y ",
    "per ",
    "e ",
    "чтобы",
    "для ",
    "и я",
    "если ",
    "我",
    "就",
    "进入",
    "以",
    "来",
    "则",
    "表示",
    "保留",
];

/// "Say "continue" to go on", "send "1" for this or "2" for that".
fn says_word(said: &str, sentence: &Sentence, hits: &[Hit]) -> Option<Hit> {
    hits.iter().filter(|hit| hit.cue == Cue::Reply).find_map(|reply| {
        let rest = &said[reply.end..sentence.said.end];
        let first = rest.trim_start();
        let at = rest.len() - first.len();
        if let Some(length) = answer_length(first.chars()).filter(|&length| has_purpose(&first[length..])) {
            let two = other_word(&first[length..]).filter(|_| !first.starts_with(CODE));
            let two = two.map(|end| (Cue::Pick, reply.end + at + length + end));
            let one = || says_so(said, reply) && first.starts_with(QUOTED);
            let one = || one().then_some((Cue::Confirm, reply.end + at + length));
            if let Some((cue, end)) = two.or_else(one) {
                return Some(Hit { cue, start: reply.start, end });
            }
        }
        let end = GOES.iter().find_map(|word| has_purpose(first.strip_prefix(word)?).then_some(word.len()))?;
        says_so(said, reply).then_some(Hit { cue: Cue::Confirm, start: reply.start, end: reply.end + at + end })
    })
}

/// Words that send the agent on, without quotes around them.
const GOES: &[&str] = &[
    "continue",
    "go",
    "next",
    "proceed",
    "start",
    "build",
    "merge",
    "deploy",
    "ship it",
    "weiter",
    "los",
    "suivant",
    "continúa",
    "sigue",
    "adelante",
    "continuar",
    "seguir",
    "continua",
    "avanti",
    "yes",
    "ok",
    "okay",
    "ja",
    "oui",
    "sí",
    "sim",
    "sì",
    "да",
    "дальше",
    "продолжай",
    "продолжить",
    "继续",
    "开始",
];

/// Programs are typed at, agents are told: "type "exit" to quit".
fn says_so(said: &str, reply: &Hit) -> bool {
    const SAYS: &[&str] = &[
        "say",
        "just say",
        "simply say",
        "reply",
        "just reply",
        "tell me",
        "respond",
        "answer",
        "sag",
        "antworte",
        "dis",
        "dites",
        "réponds",
        "répondez",
        "di",
        "dime",
        "decime",
        "diga",
        "me diga",
        "diz",
        "respond",
        "rispond",
        "скажи",
        "ответь",
        "напиши",
        "просто",
        "说",
        "回复",
        "直接",
        "你说",
        "您说",
        "你回",
        "请回",
        "只需",
        "你只",
    ];
    SAYS.iter().any(|says| said[reply.start..reply.end].starts_with(says))
}

fn has_purpose(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', ',', '，', '、']);
    PURPOSES.iter().any(|purpose| rest.starts_with(purpose))
}

/// Where the second of two words ends that may be said.
fn other_word(rest: &str) -> Option<usize> {
    const ORS: &[&str] =
        &[" or ", ", ", " oder ", " ou ", " o ", " oppure ", " или ", "或者", "或", "，", "回复", "；"];
    ORS.iter().find_map(|or| {
        rest.match_indices(or).find_map(|(at, or)| {
            let after = rest[at + or.len()..].trim_start();
            let length = answer_length(after.chars()).filter(|&length| has_purpose(&after[length..]))?;
            Some(rest.len() - after.len() + length)
        })
    })
}
