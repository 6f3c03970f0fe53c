//! Whose turn it is: "reload it and I'll clean up", "first tell me whether it exists". The agent goes on after the human.

use super::cue::{Cue, Cues};
use super::{Hit, begins_clause};
use crate::detect::page::{Ending, QUOTED, Sentence};

pub(super) fn find(said: &str, sentence: &Sentence, hits: &[Hit], cues: Cues) -> impl Iterator<Item = Hit> {
    let tells = sentence.ending != Ending::Question;
    let then = (tells && cues.any(Cues::of(&[Cue::Deed, Cue::Do]))).then(|| deed_then_own(said, sentence, hits));
    let first = (cues.has(Cue::First) && cues.has(Cue::Say)).then(|| told_first(said, hits));
    let asked = (tells && cues.has(Cue::Sake)).then(|| asked_politely(said, sentence));
    let agreed = (tells && cues.has(Cue::Agree)).then(|| agreed_then_own(said, sentence, hits));
    let way = (tells && cues.any(Cues::of(&[Cue::Say, Cue::Reply]))).then(|| told_which_way(said, sentence, hits));
    let word = (tells && cues.has(Cue::Reply)).then(|| says_word_when_ready(said, sentence, hits));
    [then, first, asked, agreed, way, word].into_iter().flatten().flatten()
}

/// "When you're ready — say "start".": what the word is for needs not be said.
fn says_word_when_ready(said: &str, sentence: &Sentence, hits: &[Hit]) -> Option<Hit> {
    let is_word = |hit: &&Hit| {
        let rest = said[hit.end..sentence.said.end].trim_start();
        hit.cue == Cue::Reply && rest.starts_with(QUOTED) && names_readiness(&said[sentence.said.start..hit.start])
    };
    let reply = hits.iter().find(is_word)?;
    let word = said[reply.end..sentence.said.end].find(QUOTED)?;
    Some(Hit { cue: Cue::Confirm, start: reply.start, end: reply.end + word + QUOTED.len_utf8() })
}

/// "When you're ready".
pub(in crate::detect) fn names_readiness(lead: &str) -> bool {
    const READY: &[&str] =
        &["ready", "bereit", "prêt", "listo", "lista", "pront", "готов", "准备好", "připrav", "よければ", "なければ"];
    READY.iter().any(|ready| lead.contains(ready))
}

/// What is asked for where something is to be told.
const WAYS: &[&str] = &[
    "чего",
    "куда",
    "какой",
    "какую",
    "каким",
    "каком",
    "какие",
    "где",
    "кого",
    "чем",
    "dónde",
    "qué",
    "cuál",
    "cuáles",
    "adónde",
    "quoi",
    "où",
    "quel",
    "quelle",
    "quels",
    "quelles",
    "lequel",
    "laquelle",
    "onde",
    "qual",
    "quais",
    "dove",
    "quale",
    "quali",
    "womit",
    "wohin",
    "worauf",
    "wofür",
    "welche",
    "welchen",
    "welchem",
    "welcher",
    "welches",
    "čím",
    "kde",
    "kam",
    "který",
    "kterou",
    "kterém",
];

/// "Dime por dónde empezamos", "скажите, с чего начинаем": what is to be told is asked for behind a preposition, too.
fn told_which_way(said: &str, sentence: &Sentence, hits: &[Hit]) -> Option<Hit> {
    const SMALL: &[&str] = &[
        "с", "за", "на", "в", "по", "к", "из", "от", "для", "до", "por", "a", "con", "en", "de", "desde", "para",
        "par", "sur", "dans", "avec", "à", "pour", "em", "com", "da", "su", "in", "di", "per", "auf", "mit", "für",
        "s", "na",
    ];
    const MORE: &[&str] = &["ещё", "еще", "más", "mais", "noch", "altro", "autre", "další", "jin"];
    /// Where words are not spaced, the question may stand anywhere behind it.
    const ANY: &[&str] = &["哪", "什么", "怎么", "多少", "几个"];
    const MAY_BE: &[&str] = &["如果", "若", "需要", "随时", "想", "问题", "会", "能"];
    if let Some(say) = hits.iter().find(|hit| hit.cue == Cue::Say && said[hit.start..].starts_with("告诉我")) {
        let (before, rest) = (&said[sentence.said.start..say.start], &said[say.end..sentence.said.end]);
        let has = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
        let asks = !has(before, MAY_BE) && !rest.starts_with('们') && has(rest, ANY);
        return asks.then_some(Hit { cue: Cue::Request, start: say.start, end: say.end });
    }
    let says =
        |hit: &&Hit| matches!(hit.cue, Cue::Say | Cue::Reply) && begins_clause(&said[sentence.said.start..hit.start]);
    hits.iter().filter(says).find_map(|say| {
        let rest = &said[say.end..sentence.said.end];
        let mut words = rest.split([' ', ',']).filter(|word| !word.is_empty()).peekable();
        let behind = words.next_if(|word| SMALL.contains(word)).is_some();
        let way = words.next().filter(|word| WAYS.contains(word) || (behind && *word == "что"))?;
        let named = !rest.split_whitespace().take(12).any(|word| MORE.iter().any(|more| word.starts_with(more)));
        named.then(|| Hit {
            cue: Cue::Request,
            start: say.start,
            end: say.end + rest.find(way).unwrap_or(0) + way.len(),
        })
    })
}

/// "If you approve the plan, I'll start with the schema.": what the agent does then is what it waits for.
fn agreed_then_own(said: &str, sentence: &Sentence, hits: &[Hit]) -> Option<Hit> {
    const WHEN: &[&str] = &[
        "if ",
        "once ",
        "when ",
        "as soon as ",
        "wenn ",
        "sobald ",
        "falls ",
        "si ",
        "dès que ",
        "quand ",
        "une fois ",
        "en cuanto ",
        "cuando ",
        "una vez ",
        "se ",
        "assim que ",
        "quando ",
        "appena ",
        "non appena ",
        "если ",
        "как только ",
        "когда ",
        "jakmile ",
        "pokud ",
        "až ",
    ];
    let text = &said[sentence.said.clone()];
    if !WHEN.iter().any(|when| text.starts_with(when)) {
        return None;
    }
    let agree = hits.iter().find(|hit| hit.cue == Cue::Agree)?;
    let rest = &said[agree.end..sentence.said.end];
    let (at, _) = rest.match_indices(", ").find(|(at, _)| {
        let clause = &rest[at + 2..];
        says_who(clause, true) || is_first_person(clause) || clause.split_whitespace().nth(1) == Some("ich")
    })?;
    Some(Hit { cue: Cue::Confirm, start: sentence.said.start, end: agree.end + at })
}

/// "로그를 보내 주시면 확인하겠습니다": a polite request, unless it is about whatever more there is.
fn asked_politely(said: &str, sentence: &Sentence) -> Option<Hit> {
    const IF: &str = "주시면";
    const WILL: &[&str] = &["겠습니다", "게요"];
    const MORE: &[&str] =
        &["요청해", "다른 ", "추가", "언제든", "더 ", "나오면", "계속되면", "발생하면", "있으면", "생기면"];
    const CAN: &[&str] = &["수 있습니다", "수 있어요"];
    let text = &said[sentence.said.clone()];
    let at = text.find(IF)?;
    let (before, after) = text.split_at(at);
    let after = after.trim_end_matches(|next: char| !next.is_alphanumeric());
    let ends = |words: &[&str]| words.iter().any(|word| after.ends_with(word));
    let cue = if MORE.iter().any(|more| before.contains(more)) || ends(CAN) {
        Cue::Offer
    } else if ends(WILL) {
        Cue::Request
    } else {
        return None;
    };
    Some(Hit { cue, start: sentence.said.start, end: sentence.said.start + at + IF.len() })
}

/// "Please reload the extension and I'll remove the rest.": without the first there is no second.
fn deed_then_own(said: &str, sentence: &Sentence, hits: &[Hit]) -> Option<Hit> {
    const JOINTS: &[&str] =
        &[", ", " and ", " und ", " et ", " y ", " e ", " и ", " a ", "，", "; ", "— ", " – ", " so "];
    let deeds = Cues::of(&[Cue::Deed, Cue::Do]);
    let may_be = Cues::of(&[Cue::Condition, Cue::Offer, Cue::Closer]);
    // "Please note" wants nothing, and neither does "please restart" by itself.
    let is_deed = |note: &Hit| hits.iter().any(|hit| deeds.with(Cue::Once).has(hit.cue) && hit.end == note.end);
    if hits.iter().any(|hit| may_be.has(hit.cue) || (hit.cue == Cue::Note && !is_deed(hit))) {
        return None;
    }
    let deed = hits.iter().find(|hit| deeds.has(hit.cue))?;
    let rest = &said[deed.end..sentence.said.end];
    let own = |joint: &'static str| {
        // "Give me a moment, I'll look": a comma joins nothing.
        let joins = (joint.starts_with(' ') && joint != " – ") || joint == "，";
        let by_verb = [" y ", " e ", " и "].contains(&joint);
        let is_own = |clause| says_who(clause, joins) || (by_verb && is_first_person(clause));
        rest.match_indices(joint).find(|(at, joint)| is_own(&rest[at + joint.len()..]))
    };
    let (at, joint) = JOINTS.iter().find_map(|joint| own(joint))?;
    Some(Hit { cue: Cue::Request, start: deed.start, end: deed.end + at + joint.len() })
}

/// What a clause begins with where the agent says what it does.
const OWN: &[&str] = &[
    "i'll ",
    "i will ",
    "i can ",
    "ich ",
    "je ",
    "j'",
    "yo ",
    "voy a ",
    "eu ",
    "vou ",
    "io ",
    "я ",
    "já ",
    "我来",
    "我再",
    "我就",
    "我会",
    "我继续",
    "我帮",
    "我马上",
    "我接着",
];
/// What may stand before it.
const THEN: &[&str] = &[
    "and ",
    "then ",
    "so that ",
    "so ",
    "dann ",
    "und ",
    "puis ",
    "ensuite ",
    "alors ",
    "et ",
    "entonces ",
    "luego ",
    "y ",
    "aí ",
    "então ",
    "e ",
    "poi ",
    "così ",
    "тогда ",
    "а ",
    "и ",
    "pak ",
    "a ",
    "然后",
    "接着",
];

/// "and I'll", "dann räume ich".
fn says_who(clause: &str, joined: bool) -> bool {
    let (mut rest, mut joined, mut inverted) = (clause.trim_start(), joined, false);
    while let Some((then, after)) = THEN.iter().find_map(|then| Some((then, rest.strip_prefix(then)?))) {
        inverted |= *then == "dann ";
        joined = true;
        rest = after.trim_start();
    }
    if inverted {
        // "dann räume ich auf"
        return rest.split_whitespace().take(2).any(|word| word == "ich");
    }
    joined && OWN.iter().any(|own| rest.starts_with(own))
}

/// "y elimino las …", "e rilancio la …", "начну": where the verb says who does it.
fn is_first_person(clause: &str) -> bool {
    const BEFORE: &[&str] = &["lo", "la", "los", "las", "le", "li", "te", "ti"];
    const NO_VERBS: &[&str] = &[
        "listo", "luego", "todo", "pronto", "tudo", "tutto", "nuevo", "mismo", "otro", "solo", "sólo", "como",
        "cuando", "fatto", "dopo", "quando", "subito", "novo", "isso", "logo", "outro", "altro", "mesmo", "nuovo",
        "pero", "però", "also", "into", "onto", "undo", "redo",
    ];
    /// What is done to something, or with it: "y texto al pie" is no verb.
    const AFTER: &[&str] = &[
        "el", "la", "los", "las", "lo", "un", "una", "o", "a", "os", "as", "um", "uma", "il", "i", "gli", "le", "con",
        "com", "por", "pelo", "pela", "dal", "dallo", "dalla", "todo", "tudo", "tutto",
    ];
    const WITHOUT_ENDING: &[&str] = &[
        "начну",
        "создам",
        "продолжу",
        "проверю",
        "посмотрю",
        "запущу",
        "исправлю",
        "сделаю",
        "удалю",
        "добавлю",
        "приступлю",
        "začnu",
        "spustím",
        "vytvořím",
        "provedu",
        "nasadím",
        "pokračuji",
        "pokračuju",
    ];
    let mut words = clause.split([' ', ',', '.', '!', ';']).filter(|word| !word.is_empty()).peekable();
    let clitic = words.next_if(|word| BEFORE.contains(word)).is_some();
    let Some(verb) = words.next().filter(|verb| verb.chars().count() >= 4 && !NO_VERBS.contains(verb)) else {
        return false;
    };
    let goes_on = clitic || words.peek().is_none_or(|next| AFTER.contains(next) || next.starts_with("l'"));
    let will = ["ré", "rò", "rei"].iter().any(|ending| verb.ends_with(ending));
    WITHOUT_ENDING.contains(&verb) || will || (verb.ends_with('o') && goes_on)
}

/// "First tell me whether it exists": what comes next depends on it.
fn told_first(said: &str, hits: &[Hit]) -> Option<Hit> {
    let beside = |one: &Hit, other: &Hit| {
        let between = said.get(one.end..other.start);
        between.is_some_and(|between| between.len() <= 4 && !between.contains(char::is_alphanumeric))
    };
    let of = |cue: Cue| hits.iter().filter(move |hit| hit.cue == cue);
    of(Cue::Say).find_map(|say| {
        let first = of(Cue::First).find(|first| beside(first, say) || beside(say, first))?;
        // "Tell me whether" is an offer where nothing comes of it.
        let end = hits.iter().filter(|hit| hit.start == say.start).map(|hit| hit.end).max().unwrap_or(say.end);
        Some(Hit { cue: Cue::Request, start: first.start.min(say.start), end: end.max(first.end) })
    })
}
