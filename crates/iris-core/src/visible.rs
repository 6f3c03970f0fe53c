//! Making visible what a screen would act on or hide: control characters, direction marks, characters of no width.
//!
//! What an agent wrote is data. Whoever decides about it must see all of it, as it is.

use std::borrow::Cow;
use std::fmt::Write;

/// The whole text with such characters written out as `\u{202e}`. Newlines and tabs are kept.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| acts(c) && !matches!(c, '\n' | '\t')) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' | '\t' => shown.push(c),
            // The end of a line as Windows writes it is an end of line.
            '\r' if rest.peek() == Some(&'\n') => {}
            '\r' => shown.push_str("\\r"),
            c if acts(c) => write!(shown, "\\u{{{:x}}}", u32::from(c)).expect("writing to a string cannot fail"),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Whether a screen does something else with it than draw it.
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}'        // soft hyphen, Arabic letter mark, Mongolian vowel separator
            | '\u{200b}'..='\u{200f}'                // no width, and direction marks
            | '\u{2028}'..='\u{202e}'                // line and paragraph separators, direction embeddings
            | '\u{2060}'..='\u{206f}'                // word joiner, invisible operators, direction isolates
            | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}'   // no-break space of no width, annotations
            | '\u{e0000}'..='\u{e007f}') // tags: a whole hidden alphabet
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(visible(text), expected);
    }

    #[test]
    fn what_a_screen_acts_on_becomes_visible() {
        check("plain, ünïcode, 日本語, ⚠️\n\ttext", "plain, ünïcode, 日本語, ⚠️\n\ttext");
        check("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m");
        check("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}");
        check("\u{9b}31m", "\\u{9b}31m");
        check("a\rb\r\nc", "a\\rb\nc");
        check("user\u{202e}cod.exe", "user\\u{202e}cod.exe");
        check("a\u{2066}b\u{2069}", "a\\u{2066}b\\u{2069}");
        check("in\u{200b}vis\u{feff}ible\u{e0041}", "in\\u{200b}vis\\u{feff}ible\\u{e0041}");
        check("back\u{8}space\u{7f}", "back\\u{8}space\\u{7f}");
    }
}
