//! Reads the phrases of a language.
//!
//! `[cue]` begins the phrases of one meaning, ` | ` stands between them, `#` begins a comment. In a phrase, `^` at the
//! beginning means only where a sentence begins, `~` only where a clause begins, `$` at the end only where the sentence
//! ends, `*` at the end that the word may go on. A lone `"` is something quoted, a lone backtick something in code.

use super::cue::Cue;
use crate::detect::page::{CODE, QUOTED, is_word};

#[derive(Clone, Copy)]
pub(super) struct Phrase {
    pub cue: Cue,
    pub begins: Begins,
    pub ends_sentence: bool,
    pub goes_on: bool,
    pub starts_with_letter: bool,
    pub ends_with_letter: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Begins {
    Anywhere,
    Clause,
    Sentence,
}

pub(super) fn phrases(text: &'static str) -> impl Iterator<Item = (String, Phrase)> {
    let mut cue = None;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.flat_map(move |line| {
        let named = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Some(name) = named {
            cue = Some(Cue::named(name).expect("the names in the files are those of the cues"));
        }
        let phrases = if named.is_some() { "" } else { line };
        let cue = cue.expect("a file begins with the name of a cue");
        phrases.split('|').map(str::trim).filter(|phrase| !phrase.is_empty()).map(move |phrase| read(cue, phrase))
    })
}

fn read(cue: Cue, text: &str) -> (String, Phrase) {
    let (begins, text) = match (text.strip_prefix('^'), text.strip_prefix('~')) {
        (Some(rest), _) => (Begins::Sentence, rest),
        (_, Some(rest)) => (Begins::Clause, rest),
        _ => (Begins::Anywhere, text),
    };
    let (ends_sentence, text) = text.strip_suffix('$').map_or((false, text), |rest| (true, rest));
    let (goes_on, text) = text.strip_suffix('*').map_or((false, text), |rest| (true, rest));
    let phrase = Phrase {
        cue,
        begins,
        ends_sentence,
        goes_on,
        starts_with_letter: text.starts_with(is_word),
        ends_with_letter: text.ends_with(is_word),
    };
    (text.replace('"', QUOTED.encode_utf8(&mut [0; 4])).replace('`', CODE.encode_utf8(&mut [0; 4])), phrase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_written_as_they_are_looked_up() {
        for (text, _) in super::super::LANGUAGES.iter().flat_map(|text| phrases(text)) {
            let small: String = text.chars().flat_map(char::to_lowercase).collect();
            assert_eq!(text, small, "phrases are in small letters");
            assert!(!text.contains(['’', '*', '^', '~', '$']) && !text.contains("  ") && !text.is_empty(), "{text}");
        }
    }
}
