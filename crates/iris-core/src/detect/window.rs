//! Which parts of a long reply are read. A question stands at the end, or at the beginning before a long appendix.

use std::ops::Range;

use memchr::memmem;

use super::DetectSettings;

/// Up to here a reply is read whole.
const WHOLE: usize = 20 * 1024;
const HEAD: usize = 6 * 1024;
const TAIL: usize = 14 * 1024;
/// The same for a reply without a question mark, when a quick look is enough.
const QUICK: usize = 8 * 1024;
const QUICK_HALF: usize = 4 * 1024;

/// A part of the reply, whole lines of it, and whether it begins inside a code block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub range: Range<usize>,
    pub in_code: bool,
}

/// None if there is no letter to read.
pub(super) fn choose(text: &str, settings: &DetectSettings) -> Option<Vec<Window>> {
    let trimmed = text.trim_end();
    if trimmed.trim_start().is_empty() {
        return None;
    }
    let quick = settings.quick_check && trimmed.len() > QUICK && !asks_with_a_mark(trimmed);
    let (whole, head, tail) = if quick { (QUICK, QUICK_HALF, QUICK_HALF) } else { (WHOLE, HEAD, TAIL) };
    if trimmed.len() <= whole {
        return Some(vec![Window { range: 0..trimmed.len(), in_code: false }]);
    }
    let head = line_end_before(trimmed, head);
    let tail = line_start_after(trimmed, trimmed.len() - tail);
    Some(vec![
        Window { range: 0..head, in_code: false },
        Window { range: tail..trimmed.len(), in_code: is_in_code(&trimmed[..tail]) },
    ])
}

fn asks_with_a_mark(text: &str) -> bool {
    ["?", "？", "؟"].iter().any(|mark| memmem::find(text.as_bytes(), mark.as_bytes()).is_some())
}

/// How far the end of a line is looked for. One endless line has none, and is cut where it falls.
const LINE: usize = 2 * 1024;

fn line_end_before(text: &str, limit: usize) -> usize {
    let limit = text.floor_char_boundary(limit);
    let near = text.ceil_char_boundary(limit.saturating_sub(LINE));
    text[near..limit].rfind('\n').map_or(limit, |at| near + at)
}

fn line_start_after(text: &str, limit: usize) -> usize {
    let limit = text.ceil_char_boundary(limit);
    let near = text.floor_char_boundary(limit + LINE);
    text[limit..near].find('\n').map_or(limit, |at| limit + at + 1)
}

/// Fences come in pairs, so an odd number of them leaves one open.
fn is_in_code(before: &str) -> bool {
    let inside = memmem::find_iter(before.as_bytes(), "\n```").count() + usize::from(before.starts_with("```"));
    inside % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_reply_is_read_whole_and_a_long_one_at_both_ends() {
        let settings = DetectSettings::default();
        assert_eq!(choose(" \n\t ", &settings), None);
        let whole = choose("Shall I?\n\n", &settings).expect("there is text");
        assert_eq!(whole, [Window { range: 0..8, in_code: false }]);
        let long = format!("Why?\n```\n{}```\nShall I?", "let x = 1;\n".repeat(10_000));
        let windows = choose(&long, &settings).expect("there is text");
        let ranges: Vec<_> = windows.iter().map(|window| (window.range.len() <= TAIL, window.in_code)).collect();
        assert_eq!(ranges, [(true, false), (true, true)], "the end begins inside the code block");
    }

    #[test]
    fn without_a_question_mark_a_quick_look_reads_less() {
        let text = "All is well.\n".repeat(1_500);
        let read = |quick_check| {
            let settings = DetectSettings { quick_check, ..DetectSettings::default() };
            let windows = choose(&text, &settings).expect("there is text");
            windows.iter().map(|window| window.range.len()).sum::<usize>()
        };
        assert!(read(true) <= 2 * QUICK_HALF);
        assert_eq!(read(false), text.trim_end().len());
    }
}
