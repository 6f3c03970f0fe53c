//! What a sentence without a question mark says: whether it asks, offers, or neither.

use super::meant::is_meant;
use super::plea::begins_with_if;
use super::{ASKING, Said};
use crate::detect::lexicon::{Cue, Cues, Hit, Marked, names_readiness};
use crate::detect::page::{Ending, Page, QUOTED, is_word};

/// Without a question mark the first words decide: "tell me which, or if you …" asks, "if you …, tell me which" does not.
pub(super) fn statement_says(page: &Page, marked: &Marked, index: usize) -> Said {
    let soft = Cues::of(&[Cue::Offer, Cue::Condition, Cue::Note, Cue::Closer]);
    // "If you find it useful" begins as "if" and as "if you …" do, and says more than both.
    let longest = |first: Hit, cues: Cues| {
        let same = marked.hits(index).iter().filter(|hit| cues.has(hit.cue) && hit.start == first.start);
        same.copied().max_by_key(|hit| hit.end).unwrap_or(first)
    };
    let ask =
        marked.first(index, ASKING).map(|ask| longest(ask, ASKING)).filter(|ask| is_meant(page, marked, index, *ask));
    let soft = marked.first(index, soft).map(|soft| longest(soft, Cues::of(&[Cue::Offer])));
    let cues = marked.cues(index);
    let softened = match (ask, soft) {
        (None, None) if is_run_to_see(page, marked, index) => return Said::Ask(1.8),
        (None, None) if !is_for_approval(page, marked, index) => return Said::Nothing,
        (Some(ask), _) if ask.cue == Cue::Request && is_on_condition(page, marked, index, Some(ask)) => true,
        (Some(ask), Some(soft)) => softens(soft, ask) && !stands_apart(page, soft, ask),
        (ask, _) => ask.is_none(),
    };
    if softened && is_for_approval(page, marked, index) {
        return Said::Ask(2.0);
    }
    if softened && is_awaited(page, marked, index) && !begins_with_if(page, index) {
        return Said::Ask(1.8);
    }
    if softened {
        let offers = cues.any(Cues::of(&[Cue::Offer, Cue::Closer]))
            || (cues.has(Cue::Condition) && (cues.has(Cue::Able) || ask.is_some()) && !cues.has(Cue::Note));
        return if offers { Said::Offer } else { Said::Nothing };
    }
    let logit = match ask.map(|hit| hit.cue) {
        Some(Cue::Confirm) => 2.0,
        Some(Cue::Pick) => 2.0,
        Some(Cue::Request) => 1.8,
        _ => 1.2,
    };
    // Questions told by others, and requests that are only reported.
    let told = if cues.has(Cue::Reported) { 1.5 } else { 0.0 };
    let shouted = if page.sentences[index].ending == Ending::Colon { 0.3 } else { 0.0 };
    Said::Ask(logit - told + shouted)
}

/// "Reload it and tell me if it works; that tells me which of the two it is": the search stops there.
pub(in crate::detect) fn is_awaited(page: &Page, marked: &Marked, index: usize) -> bool {
    const KNOWS: &[&str] = &[
        "that tells me",
        "that'll tell me",
        "that will tell me",
        "this tells me",
        "this will tell me",
        "this will tell us",
        "that will tell us",
        "that'll tell us",
        "this will show us",
        "that will show us",
        "then i'll know",
        "then i know",
        "then we'll know",
        "so i know whether",
        "so i can tell whether",
        "dann weiß ich",
        "dann wissen wir",
        "dann sehen wir",
        "daran sehe ich",
        "daran erkenne ich",
        "das sagt mir",
        "je saurai",
        "on saura",
        "on verra si",
        "nous saurons",
        "cela me dira",
        "ça me dira",
        "con eso sabré",
        "así sabré",
        "así sabremos",
        "así veremos",
        "eso me dirá",
        "assim saberei",
        "assim saberemos",
        "assim veremos",
        "isso me dirá",
        "assim eu sei",
        "così saprò",
        "così sapremo",
        "così vediamo",
        "così capisco",
        "mi dirà se",
        "тогда я пойму",
        "тогда пойму",
        "тогда будет ясно",
        "тогда станет ясно",
        "тогда увидим",
        "так я пойму",
        "这样我就知道",
        "这样就知道",
        "这样就能判断",
        "这样我就能",
        "这样就能确定",
        "それで切り分け",
        "それで原因",
        "これで切り分け",
        "그러면 원인",
        "그걸로 알 수",
        "그러면 알 수",
        "podle toho poznám",
    ];
    let sentence = &page.sentences[index];
    let paragraph = page.line_of(sentence).paragraph;
    let next = page.sentences.get(index + 1).filter(|next| page.line_of(next).paragraph == paragraph);
    let knows = |said: &str| KNOWS.iter().any(|phrase| said.contains(phrase));
    (knows(page.text_of(sentence)) || next.is_some_and(|next| knows(page.text_of(next))))
        && !is_on_condition(page, marked, index, None)
}

/// "Run the first one. This will tell us whether it is up.": nobody else can.
fn is_run_to_see(page: &Page, marked: &Marked, index: usize) -> bool {
    const NEAR: usize = 24;
    let deeds = Cues::of(&[Cue::Deed, Cue::Do, Cue::Once]);
    let start = page.sentences[index].said.start;
    marked.first(index, deeds).is_some_and(|hit| hit.start <= start + NEAR) && is_awaited(page, marked, index)
}

/// "Let me know if this looks right and I'll start": a yes is wanted, and what comes of it is said.
pub(in crate::detect) fn is_for_approval(page: &Page, marked: &Marked, index: usize) -> bool {
    const THEN: &[&str] = &[
        "and i'll ",
        "and i will ",
        "so i can start",
        "so i can begin",
        "dann ",
        "et je ",
        "y ",
        "e ",
        "и я ",
        "и начну",
        "我就",
    ];
    const SAY_SO: &[&str] = &[
        "let me know if",
        "tell me if",
        "sag bescheid",
        "sag mir",
        "gib bescheid",
        "dis-moi si",
        "dites-moi si",
        "dime si",
        "dígame si",
        "avísame si",
        "me diga se",
        "me avise se",
        "me diz se",
        "fammi sapere se",
        "dimmi se",
        "дай знать",
        "дайте знать",
        "скажи, если",
        "скажите, если",
    ];
    let said = page.text_of(&page.sentences[index]);
    let cues = marked.cues(index);
    // "If you have no objections to this part, I'll go on with the next one."
    if cues.has(Cue::Agreed) && cues.any(Cues::of(&[Cue::Condition, Cue::Offer])) {
        return true;
    }
    // "You can look at it, and if everything is fine, I'll push it."
    let fine = marked.first(index, Cues::of(&[Cue::Agreed]));
    if fine.is_some_and(|fine| is_first(marked, index, Cue::Plea, fine)) {
        return true;
    }
    let yes = Cues::of(&[Cue::Consent, Cue::Confirm]);
    let goes_on = |hit: &Hit| {
        let rest = page.said[hit.end..].trim_start_matches([' ', ',', '，']);
        yes.has(hit.cue) && THEN.iter().any(|then| rest.starts_with(then))
    };
    SAY_SO.iter().any(|words| said.starts_with(words)) && marked.hits(index).iter().any(goes_on)
}

fn is_first(marked: &Marked, index: usize, cue: Cue, before: Hit) -> bool {
    marked.first(index, Cues::of(&[cue])).is_some_and(|hit| hit.end <= before.start)
}

/// "Ready when you are — reply with "go"": what was offered is over before a yes is wanted.
fn stands_apart(page: &Page, soft: Hit, ask: Hit) -> bool {
    let between = page.said.get(soft.end..ask.start).unwrap_or_default();
    let is_if = IFS.iter().any(|word| page.said[soft.start..soft.end].contains(word));
    // "When you're ready, reply "go"": how far the human is says only when.
    let lead = page.said.get(soft.start..ask.start).unwrap_or_default();
    let is_ready = names_readiness(lead) && page.said[ask.start..ask.end].contains(QUOTED);
    let apart = soft.cue == Cue::Offer && !is_if && between.contains(['—', '–', ';', ':']);
    ask.cue == Cue::Confirm && (apart || is_ready)
}

const IFS: &[&str] =
    &["if ", "si ", "wenn ", "falls ", "se ", "caso ", "если ", "如果", "如需", "pokud ", "als ", "jeśli "];

/// "Send me the log if you want me to look": nothing waits. "…, or if you'd like something else" is another matter.
fn is_on_condition(page: &Page, marked: &Marked, index: usize, ask: Option<Hit>) -> bool {
    const ORS: &[&str] =
        &["or ", "ou ", "oder ", "o ", "или ", "或者", "nebo ", "and ", "et ", "und ", "y ", "e ", "и "];
    let is_other = |before: &str| {
        let is_whole = |rest: &str| !rest.ends_with(is_word);
        ORS.iter().any(|word| before.strip_suffix(word).is_some_and(is_whole))
    };
    let sentence = &page.sentences[index];
    let said = page.text_of(sentence);
    let something = SOMETHING.iter().filter_map(|words| Some(sentence.said.start + said.find(words)?));
    // "Tell me when you're done" has such words, too.
    let is_part = |hit: &Hit| ask.is_some_and(|ask| ask.start <= hit.start && hit.start < ask.end);
    let offers = marked.hits(index).iter().filter(|hit| hit.cue == Cue::Offer && !is_part(hit)).map(|hit| hit.start);
    let offers = offers.filter(|&at| IFS.iter().any(|word| page.said[at..].starts_with(word)));
    offers.chain(something).any(|at| !is_other(&page.said[..at]))
}

/// What may never happen.
const SOMETHING: &[&str] = &[
    "if anything ",
    "if something ",
    "falls etwas ",
    "wenn etwas ",
    "si quelque chose ",
    "si algo ",
    "se algo ",
    "se qualcosa ",
    "если что",
    "如果有什么",
    "如有异常",
    "何か問題があれば",
    "문제가 있으면",
];

/// What stands first decides; of two that overlap, the longer one: "if you agree" is more than "if".
fn softens(soft: Hit, ask: Hit) -> bool {
    let within = ask.start <= soft.start && soft.end <= ask.end && (soft.end - soft.start) < (ask.end - ask.start);
    soft.start < ask.end && !within
}
