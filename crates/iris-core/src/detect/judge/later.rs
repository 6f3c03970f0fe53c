//! Words that ask, and ask nobody now: "I'll ask for your approval before merging", "nothing was changed without your
//! approval", "say "thanks" to the team".

use crate::detect::lexicon::{Cue, Hit};
use crate::detect::page::{Ending, Page, QUOTED};

/// What the agent announces that it will do.
const WILL: &[&str] = &[
    "i'll ",
    "i will ",
    "we'll ",
    "we will ",
    "i'm going to ",
    "ich werde ",
    "werde ich ",
    "je te ",
    "je vous ",
    "je ",
    "te ",
    "le ",
    "vou ",
    "apresento",
    "ti ",
    "соберу",
    "вынесу",
    "представлю",
    "покажу",
    "我会",
    "我會",
    "我再",
    "我就",
];

/// Until when it does something else.
const WHEN: &[&str] = &[
    "when ",
    "once ",
    "after ",
    "as soon as ",
    "sobald ",
    "wenn ",
    "nachdem ",
    "quand ",
    "dès que ",
    "une fois ",
    "après ",
    "cuando ",
    "en cuanto ",
    "una vez ",
    "al terminar",
    "quando ",
    "assim que ",
    "depois ",
    "appena ",
    "dopo ",
    "когда ",
    "как только ",
    "после ",
    "等",
    "待",
    "až ",
    "jakmile ",
];

/// "When the runs finish I'll present the numbers for your approval", "Before the merge I'll ask for your approval".
pub(super) fn asks_later(page: &Page, index: usize, ask: Hit) -> bool {
    const ASKED: &[&str] = &["ask for ", "asking for ", "request your ", "seek your "];
    const FOR_YOU: &[&str] = &[
        "for your approval",
        "for your review",
        "zu deiner freigabe",
        "pour validation",
        "pour ta ",
        "pour votre ",
        "pour ton ",
        "para tu ",
        "para su ",
        "para sua ",
        "para a sua ",
        "per la tua ",
        "на ваше ",
        "на твоё ",
        "report back",
        "get back to",
    ];
    const FETCHES: &[&str] = &["hole ich ", "ich hole ", "werde ich ", "ich werde "];
    let start = begins_announcement(page, index);
    let sentence = &page.said[start..page.sentences[index].said.end];
    let (words, before) = (&page.said[ask.start..ask.end], &page.said[start..ask.start]);
    if !matches!(ask.cue, Cue::Confirm | Cue::Request) {
        return false;
    }
    let announces = |text: &str| WILL.iter().any(|will| text.starts_with(will) || text.contains(&format!(" {will}")));
    let to_human = |text: &str| text.split([' ', '\'', ',']).any(|word| word == "you");
    if ASKED.iter().any(|asks| words.starts_with(asks)) {
        return ["will ", "i'll ", "we'll ", "always ", "still "].iter().any(|will| before.ends_with(will));
    }
    if words.contains("deine ") || words.contains("ihre ") || words.contains("dein ok") {
        return FETCHES.iter().any(|fetches| before.contains(fetches)) && sentence.contains(" ein");
    }
    let waits = WHEN.iter().any(|when| sentence.starts_with(when)) && !to_human(before);
    if !FOR_YOU.iter().any(|phrase| words.contains(phrase)) {
        return false;
    }
    let until_back = page.said[start..ask.end].rsplit_once("back").map_or("", |(until, _)| until);
    let until_back = until_back.rsplit([';', ':', '—', '–', '(']).next().unwrap_or_default();
    let back = announces(until_back) && !to_human(until_back);
    back || (waits && announces(before))
}

/// "Say "thanks" to the team": to somebody else.
pub(super) fn is_said_to_others(page: &Page, index: usize, ask: Hit) -> bool {
    const SAYS: &[&str] =
        &["say ", "скажи", "sag", "dis ", "dites ", "di ", "dime ", "diga ", "fala ", "fale ", "dì ", "řekn"];
    const GO_ON: &[&str] = &[
        "and",
        "to",
        "when",
        "if",
        "once",
        "or",
        "then",
        "und",
        "um",
        "wenn",
        "sobald",
        "oder",
        "dann",
        "et",
        "pour",
        "quand",
        "si",
        "ou",
        "y",
        "para",
        "cuando",
        "o",
        "e",
        "quando",
        "se",
        "per",
        "que",
        "и",
        "чтобы",
        "когда",
        "если",
        "или",
        "a",
        "až",
        "pokud",
        "nebo",
        "i'll",
        "ich",
        "je",
        "я",
    ];
    let words = &page.said[ask.start..ask.end];
    if ask.cue != Cue::Confirm || !words.ends_with(QUOTED) || !SAYS.iter().any(|says| words.starts_with(says)) {
        return false;
    }
    let rest = &page.said[ask.end..page.sentences[index].said.end];
    let next = rest.strip_prefix(' ').and_then(|rest| rest.split([' ', ',']).next()).unwrap_or_default();
    next.starts_with(char::is_alphabetic) && !GO_ON.contains(&next)
}

/// "When they are through I'll tidy up: collect the numbers and …": one announcement, though cut in two or three.
fn begins_announcement(page: &Page, index: usize) -> usize {
    const FAR: usize = 2;
    let goes_on = |before: &usize| {
        let (lead, next) = (&page.sentences[*before], &page.sentences[before + 1]);
        !matches!(lead.ending, Ending::Full | Ending::Question)
            && page.line_of(lead).paragraph == page.line_of(next).paragraph
    };
    let first = (index.saturating_sub(FAR)..index).rev().take_while(goes_on).last();
    page.sentences[first.unwrap_or(index)].said.start
}

/// "Ready to start step 2 whenever you want": the human says when, and nothing stays open until then.
pub(super) fn is_ready_any_time(page: &Page, index: usize, ask: Hit) -> bool {
    const ANY_TIME: &[&str] =
        &[" whenever ", " any time", " anytime", " when you are", " when you're", " at your convenience"];
    let rest = &page.said[ask.end..page.sentences[index].said.end];
    page.said[ask.start..ask.end].starts_with("ready to") && ANY_TIME.iter().any(|any| rest.contains(any))
}

/// "Send the file to the vendor": not to the agent.
pub(super) fn is_sent_elsewhere(page: &Page, index: usize, ask: Hit) -> bool {
    const TO_OTHERS: &[&str] = &[" to the ", " to your ", " to a "];
    const TO_AGENT: &[&str] = &[" me", " us", " here", " chat", " i'll", " i can"];
    let rest = &page.said[ask.end..page.sentences[index].said.end];
    let has = |list: &[&str]| list.iter().any(|words| rest.contains(words));
    let sends = ["send the", "tell the"].contains(&&page.said[ask.start..ask.end]);
    ask.cue == Cue::Request && sends && has(TO_OTHERS) && !has(TO_AGENT)
}

/// "I should not have pushed without your OK", "Nothing was changed without your approval": tells of what was.
pub(super) fn was_done_without(page: &Page, index: usize, ask: Hit) -> bool {
    const WITHOUT: &[&str] =
        &["without ", "ohne ", "sans ", "sin ", "sem ", "senza ", "без ", "bez ", "未经", "没有", "沒有"];
    const HOLDS: &[&str] = &[
        "n't ",
        "not ",
        "never ",
        "nothing ",
        "nicht",
        "kein",
        " ne ",
        "n'",
        "rien",
        "não ",
        "nada ",
        " no ",
        "non ",
        "niente ",
        "не ",
        "ничего ",
        " ne",
        "不",
    ];
    const WAS: &[&str] = &[
        "was ",
        "were ",
        "been ",
        "should",
        "have ",
        "had ",
        "wurde",
        "hätte",
        "hatte",
        "worden",
        "aurais",
        "été",
        "hubiera",
        "debí",
        "fue ",
        "fueron ",
        "foi ",
        "foram ",
        "deveria",
        "avrei",
        "stato",
        "stata",
        "был",
        "следовало",
        "стоило",
        "已",
        "了",
    ];
    let words = &page.said[ask.start..ask.end];
    if !WITHOUT.iter().any(|without| words.starts_with(without)) {
        return false;
    }
    let sentence = page.text_of(&page.sentences[index]);
    let has = |list: &[&str]| list.iter().any(|word| sentence.contains(word));
    has(WAS) || !has(HOLDS)
}
