//! Making visible what a screen would act on or hide: control characters, direction marks, characters that draw nothing,
//! and spaces that are none to a shell.
//!
//! What an agent wrote is data. Whoever decides about it must see all of it, as it is. The dashboard has the same list, in
//! text/visible.ts.

use std::borrow::Cow;
use std::fmt::Write;

/// As `visible`, and it can be read back in one way only: a carriage return is written out like the rest, and so are a tab,
/// which looks like spaces, and what belongs to a picture; and a backslash that looks like the beginning of such a character is
/// written out itself. For what somebody says yes to. To make it visible once more changes nothing.
pub fn exact(text: &str) -> Cow<'_, str> {
    let is_spelled = |at: usize, c: char| match c {
        '\\' => text[at + 1..].starts_with("u{"),
        '\n' => false,
        c => acts(c),
    };
    spell(text, is_spelled, |_| None)
}

/// The whole text with such characters written out as `\u{202e}`. Newlines and tabs are kept.
pub fn visible(text: &str) -> Cow<'_, str> {
    // Also before the end of a line: a shell takes it for a part of the last word.
    spell(text, |at, c| is_shown(text, at, c), |c| (c == '\r').then_some("\\r"))
}

/// As `visible`, in one line: for a name in a line of ours, which cannot go on in one that only looks like ours.
pub fn in_line(text: &str) -> Cow<'_, str> {
    let short = |c| match c {
        '\n' => Some("\\n"),
        '\r' => Some("\\r"),
        _ => None,
    };
    spell(text, |at, c| c == '\n' || is_shown(text, at, c), short)
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
/// a sign around a number, with the separators of lines and what has no shape, no meaning or a private one beside them.
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
        | '\u{e000}'..='\u{f8ff}'                // private: whatever a font makes of it, most nothing
        | '\u{fdd0}'..='\u{fdef}'                // no characters
        | '\u{fff0}'..='\u{fffb}'                // unassigned, and annotations
        | '\u{16fe4}'                            // Khitan filler
        | '\u{13430}'..='\u{1343f}'              // joiners of hieroglyphs
        | '\u{1bca0}'..='\u{1bca3}'              // shorthand format controls
        | '\u{1d159}'                            // musical note head of no shape
        | '\u{1d173}'..='\u{1d17a}'              // musical beams and slurs
        | '\u{e0000}'..='\u{e0fff}'              // tags (a whole hidden alphabet) and more variation selectors
        | '\u{f0000}'..='\u{10ffff}')            // private, too
        // The last two of each plane are no characters.
        || u32::from(c) & 0xfffe == 0xfffe
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
            drawn.is_some_and(begins_joined) && text[at + c.len_utf8()..].chars().next().is_some_and(goes_on_joined)
        }
        _ => false,
    }
}

/// What a picture of several may begin with. Arrows and other signs, which are many an author's own, draw side by side.
fn begins_joined(c: char) -> bool {
    matches!(c, '\u{26d3}' | '\u{26f9}' | '\u{2764}') || (c >= '\u{1f000}' && is_picture(c))
}

/// What may be joined to it: the signs of the sexes, of trades and of directions are signs of their own, too.
fn goes_on_joined(c: char) -> bool {
    let is_sign = matches!(
        c,
        '\u{2194}'
            | '\u{2195}'
            | '\u{2620}'
            | '\u{2640}'
            | '\u{2642}'
            | '\u{2695}'
            | '\u{2696}'
            | '\u{26a7}'
            | '\u{2708}'
            | '\u{2764}'
            | '\u{27a1}'
            | '\u{2b1b}'
    );
    is_sign || (c >= '\u{1f000}' && is_picture(c))
}

/// Emoji of Unicode 17, but for digits and signs of ASCII.
#[rustfmt::skip]
fn is_picture(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2194}'..='\u{2199}' |
        '\u{21a9}'..='\u{21aa}' | '\u{231a}'..='\u{231b}' | '\u{2328}' | '\u{23cf}' | '\u{23e9}'..='\u{23f3}' |
        '\u{23f8}'..='\u{23fa}' | '\u{24c2}' | '\u{25aa}'..='\u{25ab}' | '\u{25b6}' | '\u{25c0}' |
        '\u{25fb}'..='\u{25fe}' | '\u{2600}'..='\u{2604}' | '\u{260e}' | '\u{2611}' | '\u{2614}'..='\u{2615}' |
        '\u{2618}' | '\u{261d}' | '\u{2620}' | '\u{2622}'..='\u{2623}' | '\u{2626}' | '\u{262a}' |
        '\u{262e}'..='\u{262f}' | '\u{2638}'..='\u{263a}' | '\u{2640}' | '\u{2642}' | '\u{2648}'..='\u{2653}' |
        '\u{265f}'..='\u{2660}' | '\u{2663}' | '\u{2665}'..='\u{2666}' | '\u{2668}' | '\u{267b}' |
        '\u{267e}'..='\u{267f}' | '\u{2692}'..='\u{2697}' | '\u{2699}' | '\u{269b}'..='\u{269c}' |
        '\u{26a0}'..='\u{26a1}' | '\u{26a7}' | '\u{26aa}'..='\u{26ab}' | '\u{26b0}'..='\u{26b1}' |
        '\u{26bd}'..='\u{26be}' | '\u{26c4}'..='\u{26c5}' | '\u{26c8}' | '\u{26ce}'..='\u{26cf}' | '\u{26d1}' |
        '\u{26d3}'..='\u{26d4}' | '\u{26e9}'..='\u{26ea}' | '\u{26f0}'..='\u{26f5}' | '\u{26f7}'..='\u{26fa}' |
        '\u{26fd}' | '\u{2702}' | '\u{2705}' | '\u{2708}'..='\u{270d}' | '\u{270f}' | '\u{2712}' | '\u{2714}' |
        '\u{2716}' | '\u{271d}' | '\u{2721}' | '\u{2728}' | '\u{2733}'..='\u{2734}' | '\u{2744}' | '\u{2747}' |
        '\u{274c}' | '\u{274e}' | '\u{2753}'..='\u{2755}' | '\u{2757}' | '\u{2763}'..='\u{2764}' |
        '\u{2795}'..='\u{2797}' | '\u{27a1}' | '\u{27b0}' | '\u{27bf}' | '\u{2934}'..='\u{2935}' |
        '\u{2b05}'..='\u{2b07}' | '\u{2b1b}'..='\u{2b1c}' | '\u{2b50}' | '\u{2b55}' | '\u{3030}' | '\u{303d}' |
        '\u{3297}' | '\u{3299}' | '\u{1f004}' | '\u{1f0cf}' | '\u{1f170}'..='\u{1f171}' | '\u{1f17e}'..='\u{1f17f}'
        | '\u{1f18e}' | '\u{1f191}'..='\u{1f19a}' | '\u{1f1e6}'..='\u{1f1ff}' | '\u{1f201}'..='\u{1f202}' |
        '\u{1f21a}' | '\u{1f22f}' | '\u{1f232}'..='\u{1f23a}' | '\u{1f250}'..='\u{1f251}' |
        '\u{1f300}'..='\u{1f321}' | '\u{1f324}'..='\u{1f393}' | '\u{1f396}'..='\u{1f397}' |
        '\u{1f399}'..='\u{1f39b}' | '\u{1f39e}'..='\u{1f3f0}' | '\u{1f3f3}'..='\u{1f3f5}' |
        '\u{1f3f7}'..='\u{1f4fd}' | '\u{1f4ff}'..='\u{1f53d}' | '\u{1f549}'..='\u{1f54e}' |
        '\u{1f550}'..='\u{1f567}' | '\u{1f56f}'..='\u{1f570}' | '\u{1f573}'..='\u{1f57a}' | '\u{1f587}' |
        '\u{1f58a}'..='\u{1f58d}' | '\u{1f590}' | '\u{1f595}'..='\u{1f596}' | '\u{1f5a4}'..='\u{1f5a5}' |
        '\u{1f5a8}' | '\u{1f5b1}'..='\u{1f5b2}' | '\u{1f5bc}' | '\u{1f5c2}'..='\u{1f5c4}' |
        '\u{1f5d1}'..='\u{1f5d3}' | '\u{1f5dc}'..='\u{1f5de}' | '\u{1f5e1}' | '\u{1f5e3}' | '\u{1f5e8}' |
        '\u{1f5ef}' | '\u{1f5f3}' | '\u{1f5fa}'..='\u{1f64f}' | '\u{1f680}'..='\u{1f6c5}' |
        '\u{1f6cb}'..='\u{1f6d2}' | '\u{1f6d5}'..='\u{1f6d8}' | '\u{1f6dc}'..='\u{1f6e5}' | '\u{1f6e9}' |
        '\u{1f6eb}'..='\u{1f6ec}' | '\u{1f6f0}' | '\u{1f6f3}'..='\u{1f6fc}' | '\u{1f7e0}'..='\u{1f7eb}' |
        '\u{1f7f0}' | '\u{1f90c}'..='\u{1f93a}' | '\u{1f93c}'..='\u{1f945}' | '\u{1f947}'..='\u{1f9ff}' |
        '\u{1fa70}'..='\u{1fa7c}' | '\u{1fa80}'..='\u{1fa8a}' | '\u{1fa8e}'..='\u{1fac6}' | '\u{1fac8}' |
        '\u{1facd}'..='\u{1fadc}' | '\u{1fadf}'..='\u{1faea}' | '\u{1faef}'..='\u{1faf8}')
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
        check_exact("a\tb\n\tc", "a\\u{9}b\n\\u{9}c");
        check_exact("❤\u{fe0f} 👩\u{200d}👧", "❤\\u{fe0f} 👩\\u{200d}👧");
        check_exact("cat a→\u{200d}→b", "cat a→\\u{200d}→b");
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
            0xe007f, 0xe0100, 0xe01ef, 0xe0fff, 0x16fe4, 0xe000, 0xf8ff, 0xfdd0, 0xfdef, 0xfffe, 0xffff, 0x1fffe,
            0xdffff, 0xf0000, 0x100000, 0x10ffff,
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
        let formatting = r"^[[\p{Cf}\p{Co}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]--\p{Prepended_Concatenation_Mark}]$";
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
        for sign in ["→", "↔", "∑", "│", "⟨", "⬛", "✈"] {
            check(&format!("a{sign}\u{200d}{sign}b"), &format!("a{sign}\\u{{200d}}{sign}b"));
        }
        for sign in ["→", "∑", "│", "⟨", "🂡"] {
            check(&format!("a{sign}\u{fe0f}b"), &format!("a{sign}\\u{{fe0f}}b"));
        }
        for whole in
            ["🏴\u{200d}☠\u{fe0f}", "⛓\u{fe0f}\u{200d}💥", "🙂\u{200d}↔\u{fe0f}", "⛹🏽\u{200d}♀\u{fe0f}", "🐈\u{200d}⬛"]
        {
            check(whole, whole);
        }
    }

    #[test]
    fn pictures_are_what_unicode_calls_emoji() {
        let emoji = regex::Regex::new(r"^[\p{Emoji}--\p{ASCII}]$").expect("a pattern");
        // The newest pictures are not known to every library; the older signs are all there are.
        let differs = |c: &char| match emoji.is_match(c.encode_utf8(&mut [0; 4])) {
            true => !is_picture(*c),
            false => *c < '\u{1f000}' && is_picture(*c),
        };
        let differing: Vec<_> = ('\0'..='\u{1ffff}').filter(differs).map(|c| format!("{:x}", u32::from(c))).collect();
        assert_eq!(differing, [""; 0]);
    }
}
