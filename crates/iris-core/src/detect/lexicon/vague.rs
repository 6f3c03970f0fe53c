//! Questions that name nothing: "Want me to change anything?", "More changes?", "What do we improve next?"
//!
//! What they have in common, in every language, is that no word of them has a meaning of its own.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Hit;
use super::cue::Cue;
use crate::detect::page::{CODE, Ending, QUOTED, Sentence, is_unspaced};

/// What a word of such a question does in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Role {
    /// "anything", "more": whatever it may be.
    Any,
    /// "adjust", "changes": something may become different.
    Deed,
    What,
    /// "how"
    Way,
    /// "proceed"
    Go,
    Steps,
    Next,
    Or,
    These,
    Small,
}

struct Word {
    text: &'static str,
    role: Role,
    goes_on: bool,
}

/// By their first letter.
static WORDS: LazyLock<HashMap<char, Vec<Word>>> = LazyLock::new(|| {
    let mut role = Role::Small;
    let mut words: HashMap<char, Vec<Word>> = HashMap::new();
    for line in include_str!("vague.txt").lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(name) => role = named(name),
            None => {
                for word in line.split_whitespace() {
                    let text = word.trim_end_matches('*');
                    let first = text.chars().next().expect("a word has letters");
                    words.entry(first).or_default().push(Word { text, role, goes_on: text.len() < word.len() });
                }
            }
        }
    }
    words
});

/// Those that the text may begin with.
fn known(text: &str) -> impl Iterator<Item = &'static Word> {
    text.chars().next().and_then(|first| WORDS.get(&first)).into_iter().flatten()
}

fn named(name: &str) -> Role {
    match name {
        "any" => Role::Any,
        "deed" => Role::Deed,
        "what" => Role::What,
        "way" => Role::Way,
        "go" => Role::Go,
        "steps" => Role::Steps,
        "next" => Role::Next,
        "or" => Role::Or,
        "these" => Role::These,
        _ => Role::Small,
    }
}

/// A word, with every role it may have: "cosa" is "what" and "thing". One without any names something.
#[derive(Clone, Copy, Debug, Default)]
struct Roles(u16);

impl Roles {
    fn with(self, role: Role) -> Self {
        Self(self.0 | 1 << role as u8)
    }

    fn contains(self, role: Role) -> bool {
        self.0 & (1 << role as u8) != 0
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// So long may such a question be, in bytes.
const LONG: usize = 120;
/// "What do we add to the parser next?" names a place, but not what comes there.
const PLACES: usize = 2;

/// `planned`: the sentence before speaks of a plan, so that what would change is not done yet.
pub(super) fn find(said: &str, sentence: &Sentence, planned: bool) -> Option<Hit> {
    if sentence.ending != Ending::Question || sentence.said.len() > LONG {
        return None;
    }
    let text = &said[sentence.said.clone()];
    if text.contains([CODE, QUOTED]) {
        return None;
    }
    let words = if text.contains(is_unspaced) { cut(text)? } else { split(text)? };
    let has = |role: Role| words.iter().any(|roles| roles.contains(role));
    // "These other parts" are known, "any of these" is not.
    let known = words.windows(2).any(|pair| pair[0].contains(Role::These) && pair[1].contains(Role::Any));
    let named = words.iter().filter(|roles| roles.is_empty()).count() + usize::from(known);
    // "需要我调整什么吗？": with a yes or a no for an answer, "what" is "anything".
    let any = has(Role::Any) || (has(Role::What) && text.contains(['吗', '嗎']));
    let cue = if named == 0 && any && has(Role::Deed) && !planned {
        Cue::Closer
    } else if named <= PLACES && asks_for_next(&words) {
        Cue::Idle
    } else {
        return None;
    };
    Some(Hit { cue, start: sentence.said.start, end: sentence.said.end })
}

/// "What do we improve next?", "How do you want to go on now?"
fn asks_for_next(words: &[Roles]) -> bool {
    let has = |role: Role| words.iter().any(|roles| roles.contains(role));
    let named = words.iter().any(|roles| roles.is_empty());
    // Where a word names something, "how" and "what" are looked for at the beginning: "O que", "Qu'est".
    let asks = |role: Role| words.iter().take(if named { 2 } else { words.len() }).any(|roles| roles.contains(role));
    // "Tests or docs" are two ways, "adjust or add" are one.
    let joins_named = words.windows(2).any(|pair| {
        (pair[0].contains(Role::Or) && pair[1].is_empty()) || (pair[1].contains(Role::Or) && pair[0].is_empty())
    });
    let what = asks(Role::What) && (has(Role::Deed) || (has(Role::Steps) && !named));
    let way = asks(Role::Way) && has(Role::Go) && !named;
    has(Role::Next) && (what || way) && !joins_named
}

/// None if it names more than such a question may.
fn split(text: &str) -> Option<Vec<Roles>> {
    let is_part = |next: char| next.is_alphanumeric();
    let (mut words, mut named) = (Vec::new(), 0);
    let mut add = |roles: Roles| {
        named += usize::from(roles.is_empty());
        words.push(roles);
        named <= PLACES
    };
    for word in text.split(|next: char| !is_part(next) && next != '-').filter(|word| word.contains(is_part)) {
        let roles = roles_of(word);
        // "что-то" is one word, "veux-tu" are two.
        let goes_on = match roles.is_empty() && word.contains('-') {
            true => word.split('-').all(|part| add(roles_of(part))),
            false => add(roles),
        };
        if !goes_on {
            return None;
        }
    }
    Some(words)
}

fn roles_of(word: &str) -> Roles {
    let is = |known: &&Word| match word.strip_prefix(known.text) {
        Some(rest) => rest.is_empty() || known.goes_on,
        None => false,
    };
    known(word).filter(is).fold(Roles::default(), |roles, known| roles.with(known.role))
}

/// Where words run together: the longest known one, again and again. None if anything else is there.
fn cut(text: &str) -> Option<Vec<Roles>> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if !first.is_alphanumeric() {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let begins = known(rest).filter(|known| rest.starts_with(known.text));
        let longest = begins.map(|known| known.text).max_by_key(|text| text.len())?;
        words.push(roles_of(longest));
        rest = &rest[longest.len()..];
    }
    Some(words)
}
