//! What kind of answer is wanted, and what there is to choose from.

use super::DetectedKind;
use super::judge::{Verdict, is_awaited, is_example, is_for_approval};
use super::lexicon::{Cue, Cues, Hit, Marked};
use super::page::{Ending, LineKind, Page, QUOTED, Sentence, is_unspaced};
use super::{deed, failure, options};

pub(super) struct Found {
    pub kind: DetectedKind,
    pub options: Vec<String>,
}

pub(super) fn tell(text: &str, page: &Page, marked: &Marked, verdict: &Verdict) -> Found {
    if is_example(page, verdict.sentence) {
        // "Shall I go on with one of them? For example the tests or the docs?" wants what its first half wants.
        let before = verdict.sentence - 1;
        let first = verdict.first.min(before);
        return tell(text, page, marked, &verdict.at(first, before));
    }
    let index = verdict.sentence;
    let cues = marked.cues(index);
    if page.sentences[index].yes_or_no {
        return Found { kind: DetectedKind::Approval, options: Vec::new() };
    }
    if asks_for_either(page, marked, index) || (!marked.is_question(page, index) && is_awaited(page, marked, index)) {
        return Found { kind: DetectedKind::Blocking, options: Vec::new() };
    }
    if is_to_be_filled_in(page, marked, index) {
        return Found { kind: DetectedKind::Blocking, options: Vec::new() };
    }
    // "Send me the path, or put the file into the repository": either will do, and neither has to be chosen.
    let either = !marked.is_question(page, index) && cues.has(Cue::Request) && !cues.any(PICKS);
    // "Shall I do that?" after a list wants a yes, whatever was listed before.
    let is_item = |next: &Sentence| matches!(page.line_of(next).kind, LineKind::Item { .. });
    let one_step = is_one_step(page, marked, index);
    let one = one_step && !page.sentences.get(index + 1).is_some_and(is_item);
    if let Some(found) = of_listed(text, page, marked, verdict) {
        return found;
    }
    let options = if either || one { Vec::new() } else { options::find(text, page, marked, verdict) };
    if verdict.first != index && options.is_empty() {
        return Found { kind: DetectedKind::Blocking, options };
    }
    let question = marked.is_question(page, index);
    let asks = Cues::of(&[Cue::Leave, Cue::Consent, Cue::Course, Cue::Which, Cue::Choose, Cue::Pick, Cue::Confirm]);
    let goes_on = (question && (cues.any(asks) || is_bare(page, marked, index)))
        || cues.any(Cues::of(&[Cue::Pick, Cue::Confirm]))
        || !options.is_empty();
    let clearly = if question { Cues::of(&[Cue::Leave, Cue::Course, Cue::Pick]) } else { Cues::of(&[Cue::Pick]) };
    let wants = cues.has(Cue::Request) && !cues.any(clearly);
    let after_failure = goes_on && !wants && !(one_step && options.is_empty());
    let kind = if after_failure && failure::came_before(page, marked, index, &options) {
        DetectedKind::ErrorRecovery
    } else if options.is_empty() && question && is_unsaid(page, marked, index) {
        DetectedKind::Blocking
    } else if options.is_empty() && !question && cues.has(Cue::Confirm) && only_decides(marked, index) {
        DetectedKind::Approval
    } else if !options.is_empty() || cues.any(Cues::of(&[Cue::Pick, Cue::Choose])) || is_other_way(page, marked, index)
    {
        DetectedKind::Choice
    } else if asks_for_yes(page, marked, index) {
        DetectedKind::Approval
    } else {
        DetectedKind::Blocking
    };
    Found { kind, options }
}

/// "Shall I install it?": one step with a name, and no word of trying again.
fn is_one_step(page: &Page, marked: &Marked, index: usize) -> bool {
    const AGAIN: &[&str] = &[
        "again",
        "retry",
        "different approach",
        "another way",
        " over?",
        "erneut",
        "noch einmal",
        "nochmal",
        "réessa",
        "de nouveau",
        "otra vez",
        "reint",
        "de nuevo",
        "novamente",
        "de novo",
        "riprov",
        "di nuovo",
        "снова",
        "ещё раз",
        "повтор",
        "重试",
        "再试",
        "试试",
        "もう一度",
        "再実行",
        "再試行",
        "다시",
    ];
    let several = Cues::of(&[Cue::Course, Cue::Or, Cue::Which, Cue::Choose, Cue::Pick, Cue::What]);
    let said = &page.said[page.sentences[index.saturating_sub(1)].said.start..page.sentences[index].said.end];
    let cues = marked.cues(index);
    marked.is_question(page, index)
        && cues.has(Cue::Leave)
        && !cues.any(several)
        && !options::has_or_in_one_letter(page, index)
        && !AGAIN.iter().any(|again| said.contains(again))
}

/// "Want me to: - mend it, or - leave it?": the question is the whole list, and its last item has the mark.
fn of_listed(text: &str, page: &Page, marked: &Marked, verdict: &Verdict) -> Option<Found> {
    const ANDS: &[&str] = &["and", "und", "et", "y", "e", "и", "并", "和"];
    let index = verdict.sentence;
    let is_item = |index: &usize| matches!(page.line_of(&page.sentences[*index]).kind, LineKind::Item { .. });
    let top = (0..=index).rev().take_while(is_item).last()?;
    let lead = top.checked_sub(1).filter(|_| top < index)?;
    let asks = Cues::of(&[Cue::Leave, Cue::Consent, Cue::Wish]);
    let plain = (top..index).all(|item| page.sentences[item].ending != Ending::Question);
    if page.sentences[lead].ending != Ending::Colon || !marked.cues(lead).any(asks) || !plain {
        return None;
    }
    let before = page.text_of(&page.sentences[index - 1]).trim_end_matches([',', ';', '，', '；', '.']);
    if ANDS.iter().any(|and| before.split([' ', ',']).next_back() == Some(and)) {
        return Some(Found { kind: DetectedKind::Approval, options: Vec::new() });
    }
    let options = options::items(text, page, index);
    let failed = failure::came_before(page, marked, lead, &options);
    let kind = if failed { DetectedKind::ErrorRecovery } else { DetectedKind::Choice };
    (options.len() >= 2).then_some(Found { kind, options })
}

/// "Reply with: - the version - the log": what is listed is what is wanted.
fn is_to_be_filled_in(page: &Page, marked: &Marked, index: usize) -> bool {
    const REPLIES: &[&str] =
        &["reply", "respond", "antworte", "répond", "respond", "rispond", "ответь", "回复", "responda", "返信"];
    let is_listed = page.sentences.get(index + 1).is_some_and(|next| {
        matches!(page.line_of(next).kind, LineKind::Item { .. }) && !page.text_of(next).starts_with(QUOTED)
    });
    let replies = |hit: &Hit| REPLIES.iter().any(|reply| page.said[hit.start..].starts_with(reply));
    let confirm = marked.first(index, Cues::of(&[Cue::Confirm]));
    page.sentences[index].ending == Ending::Colon && is_listed && confirm.is_some_and(|hit| replies(&hit))
}

/// "Shall I write it anew? Or is the old one to be mended?": the second of two ways, each a question of its own.
fn is_other_way(page: &Page, marked: &Marked, index: usize) -> bool {
    let sentence = &page.sentences[index];
    let paragraph = |index: usize| page.line_of(&page.sentences[index]).paragraph;
    let begins = |hit: &Hit| hit.cue == Cue::Or && hit.start <= sentence.said.start + 1;
    let near = |&before: &usize| paragraph(before) + 1 >= paragraph(index);
    let mut before = (index.saturating_sub(3)..index).rev().filter(near);
    marked.is_question(page, index)
        && marked.hits(index).iter().any(begins)
        && before.any(|before| marked.is_question(page, before))
        && !marked.cues(index).any(Cues::of(&[Cue::Closer, Cue::Idle]))
}

const PICKS: Cues = Cues::of(&[Cue::Pick, Cue::Choose, Cue::Which]);

/// "Should refunds be counted? The spec doesn't say.": a fact is missing, not a yes.
fn is_unsaid(page: &Page, marked: &Marked, index: usize) -> bool {
    let next = page.sentences.get(index + 1).filter(|next| next.line == page.sentences[index].line);
    next.is_some() && marked.cues(index + 1).has(Cue::Gap)
}

/// "I'm waiting for your decision" with nothing to choose from: whether to begin.
fn only_decides(marked: &Marked, index: usize) -> bool {
    let hits = marked.hits(index);
    let confirms =
        |pick: &Hit| hits.iter().any(|hit| hit.cue == Cue::Confirm && hit.start < pick.end && pick.start < hit.end);
    hits.iter().filter(|hit| hit.cue == Cue::Pick).all(confirms)
}

fn asks_for_yes(page: &Page, marked: &Marked, index: usize) -> bool {
    let cues = marked.cues(index);
    match marked.is_question(page, index) {
        true => {
            let open = asks_what(page, marked, index) || (cues.has(Cue::Course) && !cues.has(Cue::Leave));
            let leave = (cues.any(Cues::of(&[Cue::Leave, Cue::Consent]))
                && !is_past(page.text_of(&page.sentences[index])))
                || wants_it(page, marked, index)
                || is_bare(page, marked, index)
                || deed::is_own(page, marked, index);
            cues.has(Cue::Confirm) || (leave && !open)
        }
        false => is_for_approval(page, marked, index) || (cues.has(Cue::Confirm) && !requests_more(marked, index)),
    }
}

/// "Want to start now?", "需要重跑吗？": what the human would like is a step that waits for a yes.
fn wants_it(page: &Page, marked: &Marked, index: usize) -> bool {
    let said = page.text_of(&page.sentences[index]);
    let needs =
        said.rfind("需要").is_some_and(|at| !said[at..].contains(['你', '您']) && said.contains(['吗', '嗎', '么']));
    let wish = marked.first(index, Cues::of(&[Cue::Wish]));
    needs || said.starts_with("want ") || wish.is_some_and(|wish| wish.start <= page.sentences[index].said.start + 16)
}

/// "¿Lo reiniciaste?": whether it was done.
fn is_past(said: &str) -> bool {
    let last = said.trim_end_matches(|next: char| !next.is_alphanumeric()).rsplit(' ').next().unwrap_or_default();
    said.starts_with('¿') && (last.ends_with("aste") || last.ends_with("iste"))
}

/// "What should I …?", but not "should I explain what …?". In Chinese and the like the word stands where the answer will.
fn asks_what(page: &Page, marked: &Marked, index: usize) -> bool {
    let leave = marked.first(index, Cues::of(&[Cue::Leave]));
    let what = Cues::of(&[Cue::What, Cue::Fact, Cue::Which, Cue::Idle]);
    // "…, which is hard" says something about what was named.
    let is_relative = |hit: &Hit| ["(", ", "].iter().any(|mark| page.said[..hit.start].ends_with(mark));
    let comes_first =
        |hit: &Hit| leave.is_none_or(|leave| hit.start < leave.end && !(hit.cue == Cue::Which && is_relative(hit)));
    let in_place =
        |hit: &Hit| page.said[hit.start..].starts_with(|next: char| is_unspaced(next) || asks_in_place(next));
    marked.hits(index).iter().any(|hit| what.has(hit.cue) && (comes_first(hit) || in_place(hit)))
}

/// Hangul, which has spaces.
fn asks_in_place(letter: char) -> bool {
    matches!(letter, '\u{ac00}'..='\u{d7af}')
}

/// "I'm waiting for your approval" also begins as "I'm waiting for …" does, and wants a yes and nothing more.
fn requests_more(marked: &Marked, index: usize) -> bool {
    let hits = marked.hits(index);
    let is_part = |request: &Hit| {
        let mut confirms = hits.iter().filter(|hit| hit.cue == Cue::Confirm);
        confirms.any(|confirm| confirm.start < request.end && request.start < confirm.end)
    };
    hits.iter().filter(|hit| hit.cue == Cue::Request).any(|request| !is_part(request))
}

/// "Send me the file, or tell me which folder it is in": two ways to say the same thing, and nothing to choose from.
fn asks_for_either(page: &Page, marked: &Marked, index: usize) -> bool {
    let hits = marked.hits(index);
    let wants = |hit: &&Hit| hit.cue == Cue::Request;
    let says = |hit: &&Hit| matches!(hit.cue, Cue::Request | Cue::Pick | Cue::Which);
    let chooses = |hit: &&Hit| matches!(hit.cue, Cue::Leave | Cue::Course | Cue::Choose);
    hits.iter().filter(|hit| hit.cue == Cue::Or).any(|or| {
        let (before, after) = (|hit: &&Hit| hit.end <= or.start, |hit: &&Hit| hit.start >= or.end);
        hits.iter().filter(before).any(|hit| wants(&hit))
            && hits.iter().filter(after).any(|hit| says(&hit))
            && !(marked.is_question(page, index) && hits.iter().any(|hit| chooses(&hit)))
    })
}

/// What begins with one speaks of a thing: "Il login funziona?" asks how it is.
const ARTICLES: &[&str] =
    &["the", "der", "die", "das", "le", "la", "les", "el", "los", "las", "o", "a", "os", "as", "il", "lo", "i", "gli"];

/// "Rebase it now?": a few words without one that asks want a yes. So does an infinitive in Russian and Ukrainian.
fn is_bare(page: &Page, marked: &Marked, index: usize) -> bool {
    let cues = marked.cues(index);
    let said = page.text_of(&page.sentences[index]);
    let first = said.split([' ', '?']).next().unwrap_or_default();
    let infinitive = deed::is_infinitive(first);
    let short = said.split_whitespace().count() <= 4 && said.is_ascii() && !ARTICLES.contains(&first);
    let addressed = marked.first(index, Cues::of(&[Cue::Address])).is_some_and(|hit| {
        // "now" at the end presses, and speaks to nobody.
        page.said[hit.end..page.sentences[index].said.end].contains(char::is_alphanumeric)
    });
    infinitive || (short && !addressed && !cues.any(Cues::of(&[Cue::Asking, Cue::Request])))
}
