//! The words that ask, offer, answer and fail, in many languages, and where they stand in a reply.
//!
//! One automaton finds the phrases of all languages in one pass: which language a reply is in never has to be decided,
//! and replies in two languages are no special case.

mod closing;
mod cue;
mod errand;
mod frame;
mod pair;
mod read;
mod spelling;
mod spoken;
mod turn;
mod vague;

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::DetectSettings;
use super::page::{Ending, Page, Sentence, is_word};

pub(super) use closing::{is_anything, is_hangul, joins_verbs, only_tries};
pub(super) use cue::{Cue, Cues};
use read::{Begins, Phrase};
pub(super) use turn::names_readiness;

const LANGUAGES: &[&str] = &[
    include_str!("lexicon/english.txt"),
    include_str!("lexicon/chinese.txt"),
    include_str!("lexicon/japanese.txt"),
    include_str!("lexicon/korean.txt"),
    include_str!("lexicon/german.txt"),
    include_str!("lexicon/french.txt"),
    include_str!("lexicon/spanish.txt"),
    include_str!("lexicon/portuguese.txt"),
    include_str!("lexicon/italian.txt"),
    include_str!("lexicon/russian.txt"),
    include_str!("lexicon/other.txt"),
    include_str!("lexicon/errand.txt"),
    include_str!("lexicon/frame.txt"),
    include_str!("lexicon/turn.txt"),
    include_str!("lexicon/leave.txt"),
];

/// A phrase that was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub cue: Cue,
    pub start: usize,
    pub end: usize,
}

/// What was found in each sentence, in the order of the sentences.
#[derive(Debug)]
pub(super) struct Marked {
    hits: Vec<Hit>,
    of: Vec<(usize, usize)>,
    cues: Vec<Cues>,
}

impl Marked {
    pub fn cues(&self, sentence: usize) -> Cues {
        self.cues[sentence]
    }

    /// From left to right.
    pub fn hits(&self, sentence: usize) -> &[Hit] {
        let (from, to) = self.of[sentence];
        &self.hits[from..to]
    }

    /// By its mark, or by its last words where no mark is needed.
    pub fn is_question(&self, page: &Page, sentence: usize) -> bool {
        page.sentences[sentence].ending == Ending::Question
            || (self.cues(sentence).has(Cue::Asks) && !is_verb_first_if(page.text_of(&page.sentences[sentence])))
    }

    pub fn first(&self, sentence: usize, cues: Cues) -> Option<Hit> {
        self.hits(sentence).iter().find(|hit| cues.has(hit.cue)).copied()
    }
}

/// "Willst du mehr sehen, öffnest du die Liste": in German an "if" may be a verb that comes first.
fn is_verb_first_if(said: &str) -> bool {
    const VERBS: &[&str] = &["soll", "möchte", "will", "woll"];
    const GOES_ON: &[&str] =
        &["dass", "um", "oder", "und", "wie", "ob", "was", "wenn", "falls", "damit", "wo", "die", "der", "das"];
    let mut rest = said.split(", ").skip(1).take(1).map(|part| part.split([' ', ',']).next().unwrap_or_default());
    VERBS.iter().any(|verb| said.starts_with(verb)) && rest.any(|first| !GOES_ON.contains(&first))
}

struct Lexicon {
    automaton: AhoCorasick,
    phrases: Vec<Phrase>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::build);

impl Lexicon {
    fn build() -> Self {
        let (words, phrases): (Vec<_>, Vec<_>) =
            LANGUAGES.iter().flat_map(|text| read::phrases(text)).flat_map(all_spellings).unzip();
        // The small form: a table of all states would be many megabytes for a few microseconds.
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(words)
            .expect("the phrases are few and short");
        Self { automaton, phrases }
    }
}

fn all_spellings((words, phrase): (String, Phrase)) -> impl Iterator<Item = (String, Phrase)> {
    let others = spelling::variants(&words);
    std::iter::once(words).chain(others).map(move |words| (words, phrase))
}

/// Every phrase there is, for tests that make replies of them.
#[cfg(test)]
pub(super) fn list_phrases() -> Vec<String> {
    LANGUAGES.iter().flat_map(|text| read::phrases(text)).map(|(words, _)| words).collect()
}

impl Phrase {
    fn fits(&self, said: &str, start: usize, end: usize) -> bool {
        let inside = self.starts_with_letter && said[..start].ends_with(is_word);
        let runs_on = self.ends_with_letter && !self.goes_on && said[end..].starts_with(is_word);
        !inside && !runs_on
    }

    fn stands(&self, said: &str, sentence: &Sentence, start: usize, end: usize) -> bool {
        let before = &said[sentence.said.start..start];
        let begins = match self.begins {
            Begins::Anywhere => true,
            Begins::Clause => begins_clause(before),
            Begins::Sentence => begins_sentence(before),
        };
        begins && (!self.ends_sentence || !said[end..sentence.said.end].contains(char::is_alphanumeric))
    }
}

fn begins_clause(before: &str) -> bool {
    begins_sentence(before)
        || [
            ", ", ", or ", ": ", "— ", "– ", "- ", "; ", "(", "，", "：", "、", " and ", " then ", " und ", " et ",
            " y ", " e ", " и ",
        ]
        .iter()
        .any(|end| before.ends_with(end))
}

/// Words that may stand before what a sentence begins with.
const OPENERS: &[&str] = &[
    "and",
    "but",
    "so",
    "also",
    "then",
    "now",
    "or",
    "ok",
    "okay",
    "great",
    "finally",
    "next",
    "if so",
    "if not",
    "otherwise",
    "before that",
    "one more thing",
    "und",
    "aber",
    "also",
    "dann",
    "oder",
    "et",
    "mais",
    "alors",
    "y",
    "pero",
    "entonces",
    "o",
    "e",
    "mas",
    "então",
    "ma",
    "allora",
    "и",
    "а",
    "но",
    "или",
    "тогда",
    "那么",
    "那",
    "另外",
    "然后",
    "では",
    "それでは",
    "なお",
    "また",
    "그럼",
    "그러면",
    "또한",
    "the question",
    "question",
    "quick question",
    "my question",
    "a few questions",
    "questions",
    "what i need from you",
    "to proceed",
    "to continue",
    "from here",
    "at this point",
    "in that case",
    "meanwhile",
    "for now",
    "step 1",
    "first",
    "second",
    "alternatively",
    "additionally",
    "lastly",
    "by the way",
    "go ahead and",
    "btw",
    "just to confirm",
    "to confirm",
    "to clarify",
    "to be sure",
    "to be clear",
    "in short",
    "therefore",
    "thus",
    "a",
    "no",
    "sí",
    "da",
    "ja",
    "yes",
    "q",
    "q1",
    "q2",
    "q3",
];

fn begins_sentence(before: &str) -> bool {
    let words = before.trim_matches(|next: char| !next.is_alphanumeric());
    words.is_empty() || (words.len() <= 32 && OPENERS.contains(&words))
}

/// Finds what is said in each sentence.
pub(super) fn mark(page: &Page, settings: &DetectSettings) -> Marked {
    let mut found = find(page);
    for (index, sentence) in page.sentences.iter().enumerate() {
        let said = page.text_of(sentence);
        for pattern in &settings.patterns {
            if let Some(hit) = pattern.find(said) {
                let at = sentence.said.start;
                found.push((index, Hit { cue: Cue::Pattern, start: at + hit.start(), end: at + hit.end() }));
            }
        }
    }
    found.sort_by_key(|(sentence, hit)| (*sentence, hit.start, hit.end));
    let mut marked = Marked { hits: Vec::with_capacity(found.len()), of: Vec::new(), cues: Vec::new() };
    let mut next = found.into_iter().peekable();
    for index in 0..page.sentences.len() {
        let from = marked.hits.len();
        let mut cues = Cues::default();
        while let Some((_, hit)) = next.next_if(|(sentence, _)| *sentence == index) {
            cues.add(hit.cue);
            marked.hits.push(hit);
        }
        let before = marked.cues.last().copied().unwrap_or_default();
        let (sentence, hits) = (&page.sentences[index], &marked.hits[from..]);
        let planned = before.has(Cue::Plan).then(|| &page.sentences[index - 1]);
        let pairs: Vec<Hit> = pair::find(hits, cues)
            .chain(pair::across(before, hits))
            .chain(errand::find(&page.said, sentence, hits, cues))
            .chain(frame::find(&page.said, sentence, hits, cues))
            .chain(frame::reviewed(&page.said, planned, sentence, hits, cues))
            .chain(frame::suited(&page.said, planned, sentence, hits, cues))
            .chain(closing::find(&page.said, sentence, hits))
            .chain(closing::asks_for_steps(&page.said, sentence, cues))
            .chain(turn::find(&page.said, sentence, hits, cues))
            .chain(vague::find(&page.said, sentence, planned.is_some()))
            .collect();
        if !pairs.is_empty() {
            pairs.iter().for_each(|hit| cues.add(hit.cue));
            marked.hits.extend(pairs);
            marked.hits[from..].sort_by_key(|hit| (hit.start, hit.end));
        }
        marked.of.push((from, marked.hits.len()));
        marked.cues.push(cues);
    }
    marked
}

fn find(page: &Page) -> Vec<(usize, Hit)> {
    let lexicon = &*LEXICON;
    let mut found = Vec::new();
    let mut sentence = 0;
    for hit in lexicon.automaton.find_overlapping_iter(&page.said) {
        let phrase = &lexicon.phrases[hit.pattern().as_usize()];
        // Hits come in the order of their ends, and so do sentences.
        while page.sentences.get(sentence).is_some_and(|now| now.said.end < hit.end()) {
            sentence += 1;
        }
        let Some(now) = page.sentences.get(sentence) else { break };
        let inside = now.said.start <= hit.start();
        if inside
            && phrase.fits(&page.said, hit.start(), hit.end())
            && phrase.stands(&page.said, now, hit.start(), hit.end())
            && !spoken::is_spoken_of(&page.said, now, phrase.cue, hit.start(), hit.end())
        {
            found.push((sentence, Hit { cue: phrase.cue, start: hit.start(), end: hit.end() }));
        }
    }
    found
}
