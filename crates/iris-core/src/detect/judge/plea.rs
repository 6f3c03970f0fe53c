//! "Could you try it and let me know if …?": asks for a deed, unless it is wanted only if something fails.

use crate::detect::lexicon::{Cue, Cues, Hit, Marked};
use crate::detect::page::{Ending, Page};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Plea {
    /// A deed is asked for, and to be told how it went.
    AndTell,
    /// "If it still fails, could you …?"
    IfItFails,
}

pub(super) fn find(page: &Page, marked: &Marked, index: usize) -> Option<Plea> {
    let plea = marked.first(index, Cues::of(&[Cue::Plea]))?;
    if marked.cues(index).has(Cue::Leave) {
        return None;
    }
    let before = |cue: Cue| marked.hits(index).iter().any(|hit| hit.cue == cue && hit.start < plea.start);
    let is_if = before(Cue::Condition) || before(Cue::Offer) || begins_with_if(page, index);
    if is_if && (before(Cue::Still) || before(Cue::Failure)) {
        return Some(Plea::IfItFails);
    }
    let says = |hit: &&Hit| {
        let deed = page.said.get(plea.end..hit.start).unwrap_or_default();
        hit.cue == Cue::Say && deed.chars().filter(|next| next.is_alphanumeric()).count() >= 4
    };
    let say = marked.hits(index).iter().find(says)?;
    // "Could you see anything else that …, let me know": what closes comes before.
    let soft = marked.first(index, Cues::of(&[Cue::Offer, Cue::Closer]));
    let asked_first = soft.is_none_or(|soft| soft.start + 16 >= say.start || soft.start > plea.end + 12);
    asked_first.then_some(Plea::AndTell)
}

/// "試してみて、動くか教えてください", "try it and tell me whether it works": it is done, and nothing waits.
pub(super) fn tries_and_tells(page: &Page, marked: &Marked, index: usize) -> bool {
    const TRIES: &[&str] = &[
        "try it",
        "give it a try",
        "test it",
        "보시고",
        "보신 후",
        "보신 뒤",
        "試し",
        "てみて",
        "再読み込みして",
        "リロードして",
        "试一下",
        "试试",
        "试一试",
        "看一下效果",
        "看看效果",
        "体验一下",
        "試一下",
        "試試",
    ];
    const WHETHER: &[&str] = &[
        "tell me whether",
        "let me know whether",
        "告诉我是否",
        "告诉我能不能",
        "告诉我可不可以",
        "告诉我行不行",
        "告訴我是否",
    ];
    const OPEN: &[&str] = &[
        "which",
        "哪",
        "什么",
        "怎么",
        "어떤",
        "무엇",
        "무슨",
        "뭐",
        "뭘",
        "어디",
        "어느",
        "몇",
        "누구",
        "왜",
        "어떻게",
        "どの",
        "どちら",
        "どう",
        "何",
        "どこ",
        "いつ",
        "誰",
        "どれ",
        "どんな",
    ];
    let sentence = &page.sentences[index];
    let tells = Cues::of(&[Cue::Say, Cue::Request, Cue::Back, Cue::Tell]);
    if sentence.ending == Ending::Question || !marked.cues(index).any(tells) {
        return false;
    }
    let said = page.text_of(sentence).replace("かどうか", "か");
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let planned = (index.saturating_sub(1)..=index).any(|near| marked.cues(near).has(Cue::Plan));
    has(TRIES) && !has(OPEN) && !planned && (has(WHETHER) || whether_last(&said))
}

/// "…는지 알려주세요", "…か教えてください": the verb comes last.
fn whether_last(said: &str) -> bool {
    const SAYS: &[&str] = &["알려", "말씀", "얘기해", "教えて", "お知らせ"];
    const SMALL: &[&str] = &["꼭", "한번", "저에게", "다시", "を", "、", "ぜひ"];
    let Some(at) = SAYS.iter().find_map(|say| said.find(say)) else { return false };
    let mut before = said[..at].trim_end();
    while let Some(rest) = SMALL.iter().find_map(|small| before.strip_suffix(small)) {
        before = rest.trim_end();
    }
    before.ends_with('か') || (before.ends_with('지') && !before.ends_with("까지"))
}

/// "If the list is still empty".
pub(super) fn begins_with_if(page: &Page, index: usize) -> bool {
    const IFS: &[&str] = &[
        "if ",
        "in case ",
        "should ",
        "falls ",
        "wenn ",
        "sollte ",
        "si ",
        "s'il ",
        "en caso ",
        "au cas ",
        "se ",
        "nel caso ",
        "caso ",
        "если ",
        "如果",
        "要是",
        "若",
        "もし",
        "만약",
    ];
    let said = page.text_of(&page.sentences[index]).trim_start_matches(['(', '（', '¿', '¡', ' ']);
    IFS.iter().any(|word| said.starts_with(word))
}
