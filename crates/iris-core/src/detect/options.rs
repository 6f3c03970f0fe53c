//! What there is to choose from: the items of a list beside the question, or the parts around an "or".

mod vague;

use std::cmp::Reverse;
use std::ops::Range;

use super::failure;
use super::judge::{Verdict, is_left_for_more, names_two_ways};
use super::lexicon::{Cue, Cues, Hit, Marked};
use super::page::{Ending, LineKind, Page};
use vague::is_vague;

/// More than this is a list of something else.
const MOST: usize = 12;
/// A part longer than this is a sentence, not an option.
const LONGEST: usize = 240;

pub(super) fn find(text: &str, page: &Page, marked: &Marked, verdict: &Verdict) -> Vec<String> {
    let index = verdict.sentence;
    let cues = marked.cues(index);
    if verdict.first != index {
        let lead = verdict.first.checked_sub(1).filter(|&lead| page.sentences[lead].ending == Ending::Colon);
        let asks = lead.is_some_and(|lead| marked.cues(lead).any(Cues::of(&[Cue::Leave, Cue::Which, Cue::Pick])));
        return if asks { items(text, page, verdict.first) } else { Vec::new() };
    }
    // "Which version is it?" names nothing to choose from, unless a list follows.
    let chooses = cues.any(Cues::of(&[Cue::Choose, Cue::Pick, Cue::Course]))
        || (cues.has(Cue::Which) && cues.has(Cue::Leave) && index > 0 && is_item(page, index - 1))
        || (cues.has(Cue::Which) && (is_item(page, index + 1) || is_short(page, index)));
    let labelled = list_labelled(text, page);
    if labelled.len() >= 2 && (chooses || cues.has(Cue::Which) || is_short(page, index)) {
        return labelled;
    }
    if chooses {
        let listed = beside(text, page, marked, index);
        if listed.len() >= 2 {
            return listed;
        }
    }
    let confirms = cues.has(Cue::Confirm) && page.sentences[index].ending != Ending::Question;
    let wants =
        confirms || cues.has(Cue::Request) && !cues.any(Cues::of(&[Cue::Leave, Cue::Which, Cue::Choose, Cue::Pick]));
    if wants {
        return Vec::new();
    }
    if chooses || cues.has(Cue::Which) || is_short(page, index) {
        let lettered = lettered(text, page, index);
        if lettered.len() >= 2 {
            return lettered;
        }
    }
    let inline = around_or(text, page, marked, index);
    if inline.len() >= 2 || !chooses || only_begins(cues) {
        return inline;
    }
    // "I can do this or that. Tell me which."
    match index.checked_sub(1).filter(|&before| page.line_of(&page.sentences[before]).kind == LineKind::Prose) {
        Some(before) => around_or(text, page, marked, before),
        None => Vec::new(),
    }
}

/// "What would you like to do first?" chooses from a list, but not from what was said in passing.
fn only_begins(cues: Cues) -> bool {
    cues.has(Cue::Idle) && !cues.any(Cues::of(&[Cue::Choose, Cue::Pick, Cue::Course]))
}

/// "Option A: …", "Option B: …", wherever they stand.
fn list_labelled(text: &str, page: &Page) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in page.lines.iter().filter(|line| line.labelled) {
        let item = clean(&text[line.source.clone()]);
        // What is said about one of them later begins with its name, too.
        let name = |item: &str| item.chars().take(10).collect::<String>().to_lowercase();
        if !found.iter().any(|known| name(known) == name(&item)) && item.len() <= LONGEST {
            found.push(item);
        }
    }
    if found.len() > MOST { Vec::new() } else { found }
}

/// "A) this; B) that", in the sentences of the same paragraph or the one before, up to the question's end.
fn lettered(text: &str, page: &Page, index: usize) -> Vec<String> {
    let sentence = &page.sentences[index];
    let paragraph = page.line_of(sentence).paragraph;
    let near = |line: &&super::page::Line| line.paragraph + 1 >= paragraph && line.kind == LineKind::Prose;
    let Some(first) = page.lines[..=sentence.line].iter().find(near) else { return Vec::new() };
    let end = page.source(&sentence.said).end;
    let Some(part) = text.get(first.source.start..end) else { return Vec::new() };
    let (mut marks, mut next) = (Vec::new(), 0);
    let mut before = ' ';
    for (at, letter) in part.char_indices() {
        let fits = ["A1", "B2", "C3", "D4", "E5", "F6"].get(marks.len()).is_some_and(|names| {
            names.contains(letter.to_ascii_uppercase()) && !before.is_alphanumeric() && at >= next
        });
        if fits && part[at + letter.len_utf8()..].starts_with([')', '）']) {
            // "(a)" as it is written.
            marks.push(if before == '(' { at - 1 } else { at });
            next = at + 2;
        }
        before = letter;
    }
    let ends = marks.iter().skip(1).copied().chain(Some(part.len()));
    let parts = marks.iter().zip(ends).map(|(&from, to)| {
        let part = &part[from..to];
        // The last one ends with its sentence, or where another begins.
        let part = part.split([';', '；', '\n', '?', '？', '。']).next().unwrap_or_default();
        let part = part.split(". ").next().unwrap_or_default().trim_end();
        let part = ORS.iter().find_map(|or| part.strip_suffix(or)).unwrap_or(part);
        part.trim_end_matches([',', '，', '、', '.', '(', '*', ' ']).replace("**", "")
    });
    let parts: Vec<String> = parts.collect();
    let whole = parts.iter().all(|part| part.chars().count() > 3 && part.len() <= LONGEST);
    if whole { parts } else { Vec::new() }
}

/// Words before the next letter that belong to neither.
const ORS: &[&str] = &[
    " or",
    " oder",
    " ou",
    " o",
    " или",
    " und",
    " and",
    " et",
    " y",
    " e",
    " и",
    "或者",
    "还是",
    "または",
    " 또는",
    " 아니면",
];

/// "What's it going to be?"
fn is_short(page: &Page, index: usize) -> bool {
    let said = page.text_of(&page.sentences[index]);
    page.sentences[index].ending == Ending::Question && said.split_whitespace().count() <= 6
}

/// The list that begins just after the sentence, or ends just before it.
fn beside(text: &str, page: &Page, marked: &Marked, index: usize) -> Vec<String> {
    if is_item(page, index + 1) {
        return items(text, page, index + 1);
    }
    // Before "which one?" a recommendation may stand in between; before other questions the list may be about anything.
    let named = marked.cues(index).any(Cues::of(&[Cue::Choose, Cue::Pick])) || is_short(page, index);
    let reach = if named { 6 } else { 1 };
    let near = (index.saturating_sub(reach)..index).rev().find(|&before| is_item(page, before));
    near.map_or_else(Vec::new, |last| items(text, page, last))
}

fn is_item(page: &Page, index: usize) -> bool {
    page.sentences.get(index).is_some_and(|sentence| matches!(page.line_of(sentence).kind, LineKind::Item { .. }))
}

/// The items of the list that this sentence is in, without those further in.
pub(super) fn items(text: &str, page: &Page, inside: usize) -> Vec<String> {
    let line = page.sentences[inside].line;
    let indent_of = |line: usize| match page.lines[line].kind {
        LineKind::Item { indent } => Some(indent),
        _ => None,
    };
    let belongs = |line: usize| {
        indent_of(line).is_some()
            || (line > 0
                && page.lines[line].paragraph == page.lines[line - 1].paragraph
                && page.lines[line].kind == LineKind::Prose
                && indent_of(line - 1).is_some())
    };
    let mut from = line;
    while from > 0 && belongs(from - 1) {
        from -= 1;
    }
    let mut to = line + 1;
    while to < page.lines.len() && belongs(to) {
        to += 1;
    }
    let least = (from..to).filter_map(indent_of).min().unwrap_or(0);
    let found: Vec<String> = (from..to)
        .filter(|&line| indent_of(line).is_some_and(|indent| indent <= least + 1))
        .map(|line| clean(&text[page.lines[line].source.clone()]))
        .collect();
    if found.len() > MOST { Vec::new() } else { found }
}

/// An item as it is written, without a bullet; a number or a letter is how it may be chosen, so it stays.
fn clean(item: &str) -> String {
    let plain = item.replace("**", "");
    let plain = plain.trim_start_matches(['-', '*', '•', '+', '·', '–', ' ', '#']).trim();
    plain.to_owned()
}

/// "this or that?", without the words that ask.
fn around_or(text: &str, page: &Page, marked: &Marked, index: usize) -> Vec<String> {
    let sentence = &page.sentences[index];
    let ors = find_ors(page, marked, index);
    let two = names_two_ways(page, marked, index);
    let closes = marked.cues(index).has(Cue::Closer) && two.is_none() && !is_left_for_more(page, marked, index);
    let said = page.text_of(sentence);
    // "需要我改名，或者移动吗？" asks for a yes to either; "还是" would ask which.
    let either = said.trim_end_matches(['?', '？', ' ']).ends_with(['吗', '嗎']) && !said.contains(['还', '還']);
    if ors.is_empty() || closes || either {
        return Vec::new();
    }
    let start = sentence.said.start;
    let from = start + lead(page, marked, index, ors[0].start - start);
    let from = two.map_or(from, |two| from.max(two));
    let mut parts = Vec::new();
    let mut begin = from;
    for or in ors.iter().filter(|or| or.start >= from) {
        parts.extend(split_commas(page, begin..or.start));
        begin = or.end;
    }
    parts.push(begin..start + said.len());
    align(page, &mut parts);
    let parts: Vec<String> = parts.into_iter().filter_map(|part| trim(text, page, part)).collect();
    let said_before = page.said[start..from].trim_end();
    // What asks ended with the colon.
    let parts = if said_before.ends_with([':', '：']) { parts } else { without_question(page, marked, index, parts) };
    let concrete = parts.len() >= 2 && parts.len() <= MOST && !parts.iter().any(|part| is_vague(part));
    if concrete { parts } else { Vec::new() }
}

fn find_ors(page: &Page, marked: &Marked, index: usize) -> Vec<Range<usize>> {
    let hits = marked.hits(index).iter().filter(|hit| hit.cue == Cue::Or);
    // "…할까요, …할까요?": the ending belongs to what is before it, and only the comma is between them.
    let comma = |hit: &Hit| if page.said[..hit.end].ends_with("요,") { hit.end - 1 } else { hit.start };
    let mut ors: Vec<Range<usize>> = hits.map(|hit| comma(hit)..hit.end).collect();
    // The same word may be one of two languages, and a part of another: "ou" of "ou bien".
    ors.sort_by_key(|or| (or.start, Reverse(or.end)));
    let mut end = 0;
    ors.retain(|or| {
        or.start >= end && {
            end = or.end;
            true
        }
    });
    if ors.is_empty() && has_or_in_one_letter(page, index) {
        let start = page.sentences[index].said.start;
        let said = page.text_of(&page.sentences[index]);
        ors.extend(said.match_indices(" o ").map(|(at, _)| start + at + 1..start + at + 2));
    }
    ors
}

pub(super) fn has_or_in_one_letter(page: &Page, index: usize) -> bool {
    page.text_of(&page.sentences[index]).contains(" o ") && is_or_in_one_letter(&page.said)
}

/// "o" is "or" in Spanish and Italian and "the" in Portuguese.
fn is_or_in_one_letter(said: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    has(&["¿", " el ", " los ", " il ", " è ", " che ", " di ", " una ", " un ", " uno ", " la ", " lo "])
        && !has(&["ã", "õ", " eu ", "você", " um ", " uma "])
}

/// Where the first alternative begins: behind the words that ask.
fn lead(page: &Page, marked: &Marked, index: usize, limit: usize) -> usize {
    let start = page.sentences[index].said.start;
    let said = &page.text_of(&page.sentences[index])[..limit];
    if let Some((at, open)) =
        said.rmatch_indices(['(', '（']).next().filter(|(at, _)| !said[*at..].contains([')', '）']))
    {
        // "(30 or 90 days)"
        return at + open.len();
    }
    if let Some(stated) = failure::clause(page, marked, index).filter(|&end| end - start <= limit) {
        let begun = stated - start;
        return begun + said[begun..].len() - strip_lead(&said[begun..]).len();
    }
    let asks = Cues::of(&[Cue::Leave, Cue::Course, Cue::Pick]);
    let hits = marked.hits(index).iter().filter(|hit| asks.has(hit.cue) && hit.end - start <= limit);
    // In Japanese and Korean the words that ask stand last: what is before them is the alternative.
    let hits = hits.filter(|hit| !page.said[hit.start..hit.end].contains(asks_last));
    let asked = hits.map(|hit| (hit.start, hit.end - start)).min().map(|(_, end)| end);
    let colon = said.rmatch_indices([':', '：']).next().map(|(at, colon)| at + colon.len());
    // "Which should I use: this or that?": in "10:30" the colon says nothing.
    let listed =
        colon.filter(|&end| asked.is_none_or(|asked| asked < end) && !said[end..].starts_with(char::is_alphanumeric));
    let begun = listed.or(asked).or(colon).unwrap_or(0);
    // Where nothing is behind the words that ask, it stands before them.
    let begun = if said[begun..].chars().filter(|next| next.is_alphanumeric()).count() < 2 { 0 } else { begun };
    begun + said[begun..].len() - strip_lead(&said[begun..]).len()
}

/// Kana and Hangul.
fn asks_last(character: char) -> bool {
    matches!(character as u32, 0x3040..=0x30FF | 0x1100..=0x11FF | 0xAC00..=0xD7AF)
}

const LEADS: &[&str] = &[
    "me to",
    "that i",
    "i",
    "we",
    "to",
    "is it",
    "is this",
    "is that",
    "are they",
    "do we",
    "do you",
    "can you",
    "could you",
    "would you",
    "should i",
    "shall i",
    "want me to",
    "que eu",
    "que je",
    "que",
    "dass ich",
    "чтобы я",
    "i can",
    "i could",
    "you want",
    "you prefer",
    "either",
    "the change",
    "rather",
    "prefer",
    "sollen wir",
    "soll ich",
    "do",
    "did you mean",
    "要",
    "是",
    "ist es",
];

fn strip_lead(text: &str) -> &str {
    let lettered = text.trim_start();
    if lettered.starts_with('(') && lettered.chars().nth(2) == Some(')') {
        return lettered;
    }
    let mut rest = text.trim_start_matches(|next: char| !next.is_alphanumeric() && !"\u{1}\u{2}".contains(next));
    let fits = |lead: &&&str, rest: &str| {
        rest.strip_prefix(**lead).is_some_and(|after| lead.ends_with(['要', '是']) || after.starts_with(' '))
    };
    while let Some(lead) = LEADS.iter().filter(|lead| fits(lead, rest)).max_by_key(|lead| lead.len()) {
        rest = rest[lead.len()..].trim_start();
    }
    rest
}

/// "Which one did you mean, this or that?": what asks is no alternative.
fn without_question(page: &Page, marked: &Marked, index: usize, mut parts: Vec<String>) -> Vec<String> {
    let start = page.sentences[index].said.start;
    let asks = Cues::of(&[Cue::Which, Cue::Choose, Cue::What, Cue::Fact]);
    let asks = marked.first(index, asks).is_some_and(|hit| hit.start <= start + 4);
    if asks && parts.len() > 2 {
        parts.remove(0);
    }
    parts
}

/// "put it in the header or in the sidebar": what both have before them is no part of the first.
fn align(page: &Page, parts: &mut [Range<usize>]) {
    let [first, others @ ..] = parts else { return };
    let Some(last) = others.last() else { return };
    let word = |part: &str| part.split_whitespace().next().map(str::to_owned);
    let Some(next) = word(page.said[last.clone()].trim_start()) else { return };
    let said = &page.said[first.clone()];
    let plain = parts_are_words(page, others);
    if plain && said.split_whitespace().count() <= 3 {
        // "target Postgres, MySQL or SQLite"
        first.start += said.trim_end().rfind(' ').map_or(0, |at| at + 1);
        return;
    }
    if next.chars().count() > 4 || said.trim_end().ends_with(',') {
        return;
    }
    if let Some(at) = said.rfind(&format!(" {next} ")) {
        first.start += at + 1;
    }
}

fn parts_are_words(page: &Page, parts: &[Range<usize>]) -> bool {
    parts.len() > 1 && parts.iter().all(|part| page.said[part.clone()].split_whitespace().count() == 1)
}

fn split_commas(page: &Page, part: Range<usize>) -> Vec<Range<usize>> {
    let text = &page.said[part.clone()];
    let mut parts = Vec::new();
    let mut begin = 0;
    for (at, mark) in text.match_indices([',', '，', '、']) {
        parts.push(part.start + begin..part.start + at);
        begin = at + mark.len();
    }
    parts.push(part.start + begin..part.end);
    parts
}

/// The part as the reply writes it; none if nothing is left.
fn trim(text: &str, page: &Page, part: Range<usize>) -> Option<String> {
    let said = &page.said[part.clone()];
    let stripped = strip_lead(said);
    let start = part.start + said.len() - stripped.len();
    let end = start
        + stripped.trim_end_matches(|next: char| !next.is_alphanumeric() && next != '\u{1}' && next != '\u{2}').len();
    if start >= end {
        return None;
    }
    let source = page.source(&(start..end));
    let piece =
        text.get(source)?.trim_matches(|next: char| next.is_whitespace() || matches!(next, '*' | ',' | '?' | '？'));
    (!piece.is_empty() && piece.len() <= LONGEST).then(|| piece.to_owned())
}
