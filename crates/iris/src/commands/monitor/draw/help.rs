//! The keys.

use ratatui::Frame;
use ratatui::layout::{Rect, Size};
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::look;
use crate::commands::monitor::text;
use crate::printer::Tone;

const KEYS: &[(&str, &str)] = &[
    ("", "Everywhere"),
    ("Tab, i, f", "next view; inbox; fleet"),
    ("j k, arrows", "next, previous; in a session a line"),
    ("PgDn PgUp, space b", "half a page; of a question, the rest of it"),
    ("g G, Home End", "first, last; in a session G follows the newest"),
    ("Esc", "back"),
    ("q, Ctrl-C", "leave; nothing stops because you do"),
    ("", "Inbox, and a session that asks"),
    ("1-9", "give that answer; to an approval 1 is yes, 2 is no"),
    ("y n", "yes, no; Enter confirms a risky yes"),
    ("r", "reply in your own words; to an approval: no, and why"),
    ("Ctrl-Y", "while you write: what you wrote and could not send"),
    ("Enter", "the session that asks"),
    ("", "Fleet and session"),
    ("Enter", "open the session"),
    ("t", "tell the team something"),
    ("w s", "wake it, put it to sleep"),
    ("c", "cancel what it does and what waits (asks first)"),
    ("", "What it means"),
    ("! ?", "its agent waits for you; it does not wait"),
    ("#1204", "the event that the state is known from"),
    ("2q", "turns that wait"),
];

pub fn draw(frame: &mut Frame<'_>, area: Rect, scroll: usize) {
    let lines: Vec<Line<'_>> = lines(usize::from(area.width)).into_iter().skip(scroll).collect();
    frame.render_widget(Paragraph::new(lines), area);
}

/// How far it can be scrolled.
pub fn unseen(size: Size) -> usize {
    lines(usize::from(size.width)).len().saturating_sub(usize::from(super::body(size).height))
}

/// What a key does stands beside it, or below it where that is too narrow.
fn lines(width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for (key, meaning) in KEYS {
        let beside = format!("   {key:<20} {meaning}");
        if key.is_empty() {
            lines.push(look::line(Tone::Strong, format!(" {meaning}")));
        } else if text::cells(&beside) <= width {
            lines.push(Line::raw(beside));
        } else {
            lines.push(Line::raw(format!("   {key}")));
            let wrapped = text::wrap(meaning, width.saturating_sub(6));
            lines.extend(wrapped.into_iter().map(|line| look::line(Tone::Faint, format!("      {line}"))));
        }
    }
    lines
}
