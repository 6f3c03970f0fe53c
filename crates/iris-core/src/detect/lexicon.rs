//! The words that ask, offer, answer and fail, in many languages, and where they stand in a reply.
//!
//! One automaton finds the phrases of all languages in one pass: which language a reply is in never has to be decided,
//! and replies in two languages are no special case.

mod chinese;
mod cue;
mod english;
mod french;
mod german;
mod italian;
mod japanese;
mod korean;
mod other;
mod portuguese;
mod russian;
mod spanish;

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::DetectSettings;
use super::page::{Page, Sentence, is_word};

pub(super) use cue::{Cue, Cues};

/// Phrases of one meaning. `^` at the beginning: only where a sentence begins. `~`: only where a clause begins. `$` at
/// the end: only where the sentence ends. `*` at the end: the word may go on.
type Phrases = (Cue, &'static [&'static str]);

const LANGUAGES: &[&[Phrases]] = &[
    english::PHRASES,
    chinese::PHRASES,
    japanese::PHRASES,
    korean::PHRASES,
    german::PHRASES,
    french::PHRASES,
    spanish::PHRASES,
    portuguese::PHRASES,
    italian::PHRASES,
    russian::PHRASES,
    other::PHRASES,
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

    pub fn first(&self, sentence: usize, cues: Cues) -> Option<Hit> {
        self.hits(sentence).iter().find(|hit| cues.has(hit.cue)).copied()
    }
}

struct Lexicon {
    automaton: AhoCorasick,
    phrases: Vec<Phrase>,
}

struct Phrase {
    cue: Cue,
    begins: Begins,
    ends_sentence: bool,
    goes_on: bool,
    starts_with_letter: bool,
    ends_with_letter: bool,
}

enum Begins {
    Anywhere,
    Clause,
    Sentence,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::build);

impl Lexicon {
    fn build() -> Self {
        let mut words = Vec::new();
        let mut phrases = Vec::new();
        for (cue, texts) in LANGUAGES.iter().copied().flatten() {
            for text in *texts {
                let (word, phrase) = Phrase::read(*cue, text);
                words.push(word);
                phrases.push(phrase);
            }
        }
        // The small form: a table of all states would be many megabytes for a few microseconds.
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(words)
            .expect("the phrases are few and short");
        Self { automaton, phrases }
    }
}

impl Phrase {
    fn read(cue: Cue, text: &'static str) -> (&'static str, Self) {
        let (begins, text) = match (text.strip_prefix('^'), text.strip_prefix('~')) {
            (Some(rest), _) => (Begins::Sentence, rest),
            (_, Some(rest)) => (Begins::Clause, rest),
            _ => (Begins::Anywhere, text),
        };
        let (ends_sentence, text) = text.strip_suffix('$').map_or((false, text), |rest| (true, rest));
        let (goes_on, text) = text.strip_suffix('*').map_or((false, text), |rest| (true, rest));
        let phrase = Self {
            cue,
            begins,
            ends_sentence,
            goes_on,
            starts_with_letter: text.starts_with(is_word),
            ends_with_letter: text.ends_with(is_word),
        };
        (text, phrase)
    }

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
            ", ", ": ", "— ", "– ", "- ", "; ", "(", "，", "：", "、", " and ", " then ", " und ", " et ", " y ",
            " e ", " и ",
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
        {
            found.push((sentence, Hit { cue: phrase.cue, start: hit.start(), end: hit.end() }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_written_as_they_are_looked_up() {
        for (_, texts) in LANGUAGES.iter().copied().flatten() {
            for text in *texts {
                let plain = text.trim_start_matches(['^', '~']).trim_end_matches(['$', '*']);
                let small: String = plain.chars().flat_map(char::to_lowercase).collect();
                assert_eq!(plain, small, "phrases are in small letters");
                assert!(!plain.contains(['’', '*', '\n']) && !plain.contains("  ") && plain.trim() == plain, "{text}");
                assert!(!plain.is_empty());
            }
        }
    }
}
