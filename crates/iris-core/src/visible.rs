//! Making visible what a screen would act on or hide: control characters, direction marks, characters that draw nothing,
//! and spaces that are none to a shell.
//!
//! What an agent wrote is data. Whoever decides about it must see all of it, as it is. The dashboard has the same list, in
//! text/visible.ts.

use std::borrow::Cow;
use std::fmt::Write;

/// As `visible`, and it can be read back in one way only: a carriage return is written out like the rest, and a backslash
/// that looks like the beginning of such a character is written out itself. For what somebody says yes to. To make it visible
/// once more changes nothing.
pub fn exact(text: &str) -> Cow<'_, str> {
    let is_spelled = |at: usize, c: char| (c == '\\' && text[at + 1..].starts_with("u{")) || is_shown(text, at, c);
    spell(text, is_spelled, |_| None)
}

/// The whole text with such characters written out as `\u{202e}`. Newlines and tabs are kept.
pub fn visible(text: &str) -> Cow<'_, str> {
    // Also before the end of a line: a shell takes it for a part of the last word.
    spell(text, |at, c| is_shown(text, at, c), |c| (c == '\r').then_some("\\r"))
}

/// `short`: how a character is written out, if not by its number.
fn spell(
    text: &str,
    is_spelled: impl Fn(usize, char) -> bool,
    short: impl Fn(char) -> Option<&'static str>,
) -> Cow<'_, str> {
    if !text.char_indices().any(|(at, c)| is_spelled(at, c)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        match short(c) {
            _ if !is_spelled(at, c) => shown.push(c),
            Some(short) => shown.push_str(short),
            None => write!(shown, "\\u{{{:x}}}", u32::from(c)).expect("writing to a string cannot fail"),
        }
    }
    Cow::Owned(shown)
}

/// Whether something in the text would not be seen, or be taken for something else. Ends of lines are neither.
pub fn hides(text: &str) -> bool {
    text.char_indices().any(|(at, c)| is_shown(text, at, c) && !matches!(c, '\r') && !is_odd_space(c))
}

/// Whether a screen does something else with it than draw it.
pub fn acts(c: char) -> bool {
    c.is_control() || is_odd_space(c) || draws_nothing(c)
}

/// Looks like a space, and is none to a shell: general category Zs of Unicode 17 and the empty Braille pattern.
pub fn is_odd_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{2800}' | '\u{3000}')
}

/// Default_Ignorable_Code_Point of Unicode 17 and the other formatting characters (general category Cf) but those that draw
/// a sign around a number, with the separators of lines and a note head without a shape beside them.
fn draws_nothing(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}'         // soft hyphen, grapheme joiner, Arabic letter mark
        | '\u{115f}' | '\u{1160}'                // Hangul fillers
        | '\u{17b4}' | '\u{17b5}'                // Khmer vowels of no shape
        | '\u{180b}'..='\u{180f}'                // Mongolian selectors and vowel separator
        | '\u{200b}'..='\u{200f}'                // no width, and direction marks
        | '\u{2028}'..='\u{202e}'                // line and paragraph separators, direction embeddings
        | '\u{2060}'..='\u{206f}'                // word joiner, invisible operators, direction isolates
        | '\u{3164}' | '\u{ffa0}'                // Hangul fillers
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'   // variation selectors, no-break space of no width
        | '\u{fff0}'..='\u{fffb}'                // unassigned, and annotations
        | '\u{13430}'..='\u{1343f}'              // joiners of hieroglyphs
        | '\u{1bca0}'..='\u{1bca3}'              // shorthand format controls
        | '\u{1d159}'                            // musical note head of no shape
        | '\u{1d173}'..='\u{1d17a}'              // musical beams and slurs
        | '\u{e0000}'..='\u{e0fff}') // tags (a whole hidden alphabet) and more variation selectors
}

fn is_shown(text: &str, at: usize, c: char) -> bool {
    acts(c) && !matches!(c, '\n' | '\t') && !belongs_to_picture(text, at, c)
}

/// A heart in colour or a family is one picture made of several characters, and is left alone.
fn belongs_to_picture(text: &str, at: usize, c: char) -> bool {
    let mut before = text[..at].chars().rev();
    match c {
        '\u{fe0f}' => before.next().is_some_and(is_picture),
        '\u{200d}' => {
            let drawn = before.find(|c| !matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}'));
            drawn.is_some_and(is_picture) && text[at + c.len_utf8()..].chars().next().is_some_and(is_picture)
        }
        _ => false,
    }
}

/// The blocks in which pictures are. Letters, digits and ASCII are not among them.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{27ff}'
        | '\u{2900}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// What was written out, read back.
#[cfg(test)]
pub(crate) fn read_back(shown: &str) -> String {
    let mut pieces = shown.split("\\u{");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (code, rest) = piece.split_once('}').expect("an end");
        text.extend(u32::from_str_radix(code, 16).ok().and_then(char::from_u32));
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(visible(text), expected);
    }

    #[test]
    fn what_a_screen_acts_on_becomes_visible() {
        check("plain, ünïcode, 日本語, ⚠️\n\ttext", "plain, ünïcode, 日本語, ⚠️\n\ttext");
        check("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m");
        check("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}");
        check("\u{9b}31m", "\\u{9b}31m");
        check("a\rb\r\nc", "a\\rb\\r\nc");
        check("user\u{202e}cod.exe", "user\\u{202e}cod.exe");
        check("a\u{2066}b\u{2069}", "a\\u{2066}b\\u{2069}");
        check("in\u{200b}vis\u{feff}ible\u{e0041}", "in\\u{200b}vis\\u{feff}ible\\u{e0041}");
        check("back\u{8}space\u{7f}", "back\\u{8}space\\u{7f}");
    }

    fn check_exact(text: &str, expected: &str) {
        assert_eq!((exact(text).as_ref(), read_back(expected).as_str()), (expected, text));
        assert_eq!(visible(expected), expected);
    }

    #[test]
    fn what_is_exact_says_one_thing() {
        check_exact("\u{202e}", "\\u{202e}");
        check_exact("\\u{202e}", "\\u{5c}u{202e}");
        check_exact("\\\\u{202e}", "\\\\u{5c}u{202e}");
        check_exact("\\\u{202e}", "\\\\u{202e}");
        check_exact("a\r\nb", "a\\u{d}\nb");
        check_exact("a\\rb \\u C:\\users", "a\\rb \\u C:\\users");
    }

    proptest! {
        #[test]
        fn what_is_exact_can_be_read_back(text in "(\\\\+u\\{202e\\}|[\\\\u{}\r\n\u{202e}\u{200d}\u{fe0f}👩❤]|.){0,12}") {
            let shown = exact(&text);
            prop_assert_eq!(read_back(&shown), text.as_str());
            prop_assert_eq!(visible(&shown), shown.as_ref());
        }
    }

    #[test]
    fn nothing_that_draws_nothing_is_left_out() {
        let hidden = [
            0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180c, 0x180d, 0x180e, 0x180f, 0x2028, 0x2064,
            0x3164, 0xfe00, 0xfe0e, 0xfe0f, 0xffa0, 0xfff9, 0xfffa, 0xfffb, 0x1bca0, 0x1d173, 0x1d17a, 0xe0000,
            0xe007f, 0xe0100, 0xe01ef, 0xe0fff,
        ];
        let spaces = [0xa0, 0x1680, 0x2000, 0x2003, 0x200a, 0x202f, 0x205f, 0x2800, 0x3000];
        for code in hidden.into_iter().chain(spaces) {
            let c = char::from_u32(code).expect("a character");
            check(&format!("rm{c}x"), &format!("rm\\u{{{code:x}}}x"));
        }
        assert!(!hides("a\u{a0}b\r\n") && hides("a\u{fe0f}b"));
    }

    #[test]
    fn all_that_unicode_calls_formatting_is_among_them() {
        let formatting = r"^[[\p{Cf}\p{Default_Ignorable_Code_Point}]--\p{Prepended_Concatenation_Mark}]$";
        let formatting = regex::Regex::new(formatting).expect("a pattern");
        let left_out = |c: &char| formatting.is_match(c.encode_utf8(&mut [0; 4])) && !acts(*c);
        let left_out: Vec<_> = ('\0'..=char::MAX).filter(left_out).map(|c| format!("{:x}", u32::from(c))).collect();
        assert_eq!(left_out, [""; 0]);
        assert!(acts('\u{1d159}'), "it has no shape, whatever it is called");
    }

    #[test]
    fn pictures_stay_whole_and_nothing_hides_behind_them() {
        check(
            "❤️ 👩\u{200d}👩\u{200d}👧 🏳️\u{200d}🌈 👩🏽\u{200d}💻",
            "❤️ 👩\u{200d}👩\u{200d}👧 🏳️\u{200d}🌈 👩🏽\u{200d}💻",
        );
        check("👩\u{200d}rm", "👩\\u{200d}rm");
        check("👩\u{200d}\u{200d}👩", "👩\\u{200d}\\u{200d}👩");
        check("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}\\u{fe0f}");
        check("1\u{fe0f}", "1\\u{fe0f}");
    }
}
