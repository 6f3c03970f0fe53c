//! Text of others, made fit for cells: nothing in it acts on the terminal, and its width is what every terminal takes it
//! to be.

use std::fmt::Write;

use iris_core::visible::visible;
use unicode_width::UnicodeWidthChar;

/// How many marks may stand on one character. More are a tower that falls over other lines.
const MARKS: usize = 2;
const TAB: &str = "    ";

/// The whole text, visible and harmless. Ends of lines are kept.
pub fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let (mut before, mut marks) = ('\n', 0);
    for c in visible(text).chars() {
        match c {
            '\t' => shown.push_str(TAB),
            // Asks for the coloured form of a symbol, about whose width terminals disagree. Behind anything else it hides.
            '\u{fe0f}' if !before.is_ascii() => {}
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{1f3fb}'..='\u{1f3ff}' => write_out(&mut shown, c),
            '\n' => shown.push(c),
            c if width(c) == 0 && (marks == MARKS || before == '\n') => write_out(&mut shown, c),
            c => shown.push(c),
        }
        marks = if c != '\n' && width(c) == 0 { (marks + 1).min(MARKS) } else { 0 };
        before = if marks > 0 { before } else { c };
    }
    shown
}

fn write_out(shown: &mut String, c: char) {
    write!(shown, "\\u{{{:x}}}", u32::from(c)).expect("writing to a string cannot fail");
}

/// The first line with something in it, cut to so many cells.
pub fn headline(text: &str, room: usize) -> String {
    let shown = shown(text);
    let mut lines = shown.lines().map(str::trim).filter(|line| !line.is_empty());
    let line = lines.next().unwrap_or_default();
    match lines.next() {
        Some(_) if cells(line) < room => format!("{line}…"),
        Some(_) => cut(&format!("{line}…"), room),
        None => cut(line, room),
    }
}

/// A party as short as it can be said. The beginning of a job's id is the time; its end tells it from the others.
pub fn party(party: &str) -> String {
    party.strip_prefix("job-").map_or_else(|| party.to_owned(), job)
}

pub fn job(id: &str) -> String {
    format!("job …{}", id.get(id.len().saturating_sub(4)..).unwrap_or(id))
}

/// At most so many cells; `…` where something is left out.
pub fn cut(line: &str, room: usize) -> String {
    if cells(line) <= room {
        return line.to_owned();
    }
    let kept = line.get(..fitting(line, room.saturating_sub(1))).unwrap_or_default();
    if room == 0 { String::new() } else { format!("{}…", kept.trim_end()) }
}

/// Exactly so many cells.
pub fn fill(line: &str, room: usize) -> String {
    let mut line = cut(line, room);
    line.extend(std::iter::repeat_n(' ', room.saturating_sub(cells(&line))));
    line
}

/// In lines of at most so many cells, broken between words where there are any.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(2);
    shown(text).lines().flat_map(|line| wrap_line(line, room)).collect()
}

fn wrap_line(line: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = line.trim_end();
    while cells(rest) > room {
        let most = fitting(rest, room);
        // A word that is longer than a third of the line is broken rather than leave the line so empty.
        let space = rest[..most].rfind(' ').filter(|at| cells(&rest[..*at]) >= room / 3);
        let (now, next) = match space {
            Some(at) => (&rest[..at], rest[at..].trim_start()),
            None if rest[most..].starts_with(' ') => (&rest[..most], rest[most..].trim_start()),
            None => rest.split_at(most),
        };
        lines.push(now.trim_end().to_owned());
        rest = next;
    }
    lines.push(rest.to_owned());
    lines
}

/// How many bytes of it fit into so many cells. Marks stay with what they stand on; something always fits.
fn fitting(line: &str, room: usize) -> usize {
    let mut used = 0;
    for (at, c) in line.char_indices() {
        used += width(c);
        if used > room && at > 0 {
            return at;
        }
    }
    line.len()
}

pub fn cells(line: &str) -> usize {
    line.chars().map(width).sum()
}

fn width(c: char) -> usize {
    c.width().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_the_terminal() {
        assert_eq!(shown("\u{1b}[31mred\u{7}\u{202e}x"), "\\u{1b}[31mred\\u{7}\\u{202e}x");
        assert_eq!(shown("a\tb"), "a    b");
        assert_eq!(shown("⚠\u{fe0f} rm x\u{fe0f}"), "⚠ rm x\\u{fe0f}");
        assert_eq!(shown("e\u{301}\u{301}\u{301}\u{301}"), "e\u{301}\u{301}\\u{301}\\u{301}");
        assert_eq!(shown("\u{301}"), "\\u{301}");
        assert_eq!(shown("👍\u{1f3fd}"), "👍\\u{1f3fd}");
    }

    #[test]
    fn lines_have_the_width_they_are_given() {
        assert_eq!(wrap("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(wrap("日本語日本語", 5), ["日本", "語日", "本語"]);
        assert_eq!(wrap(&"x".repeat(25), 10), ["xxxxxxxxxx", "xxxxxxxxxx", "xxxxx"]);
        assert_eq!(wrap("a\n\nb", 10), ["a", "", "b"]);
        assert_eq!(wrap("日", 1), ["日"], "what cannot be broken is not, and nobody waits for it");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(fill("日本語", 4), "日… ");
        assert_eq!(cells(&fill("ab", 5)), 5);
        assert_eq!(headline("\n  first \nsecond", 20), "first…");
    }
}
