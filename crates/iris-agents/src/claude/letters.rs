//! Letters that the CLI has cut in two. It shortens texts by the units of its own language, of which some letters take two, and
//! writes what is left of one as an escape that stands for nothing.

use std::borrow::Cow;

const HALF: usize = r"\ud83d".len();
const UNKNOWN: &str = r"\ufffd";

/// A line of JSON with a sign for an unknown letter in the place of each half one.
pub(super) fn whole_letters(line: &str) -> Cow<'_, str> {
    let mut whole = String::new();
    let (mut taken, mut at) = (0, 0);
    while let Some(found) = memchr::memchr(b'\\', &line.as_bytes()[at..]) {
        at += found;
        at += match (half(line, at), half(line, at + HALF)) {
            (Some(Half::First), Some(Half::Second)) => 2 * HALF,
            (Some(_), _) => {
                whole.push_str(&line[taken..at]);
                whole.push_str(UNKNOWN);
                taken = at + HALF;
                HALF
            }
            // The backslash and what it escapes.
            (None, _) => 2,
        };
        at = at.min(line.len());
    }
    if taken == 0 {
        return Cow::Borrowed(line);
    }
    whole.push_str(&line[taken..]);
    Cow::Owned(whole)
}

enum Half {
    First,
    Second,
}

/// The half of a letter that is escaped here.
fn half(line: &str, at: usize) -> Option<Half> {
    let digits = line.get(at..at + HALF)?.strip_prefix(r"\u")?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Half::First),
        0xdc00..=0xdfff => Some(Half::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &str) {
        assert_eq!(whole_letters(line), expected);
    }

    #[test]
    fn only_half_letters_are_replaced() {
        check("plain", "plain");
        check(r#""a\n\"\u00e4\ud83d\ude00""#, r#""a\n\"\u00e4\ud83d\ude00""#);
        check(r#""cut \ud83d""#, r#""cut \ufffd""#);
        check(r#""\ude00 and \uD83D\ud83d\uDE00x""#, r#""\ufffd and \ufffd\ud83d\uDE00x""#);
        check(r#""\\ud83d is no escape, \\\ud83d is""#, r#""\\ud83d is no escape, \\\ufffd is""#);
        check(r"\ud8", r"\ud8");
        check("\\\u{e4}\\", "\\\u{e4}\\");
    }
}
