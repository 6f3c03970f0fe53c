//! A conversation, as it is and as it grows.

use ratatui::Frame;
use ratatui::layout::{Rect, Size};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::{inbox, look};
use crate::commands::monitor::state::State;
use crate::commands::monitor::state::entry::{Outcome, What};
use crate::commands::monitor::state::mood::{blocks, mood, source};
use crate::commands::monitor::state::session::Conversation;
use crate::commands::monitor::text;
use crate::moment;
use crate::printer::Tone;

/// The lines of the conversation: one of the body says how the session is.
pub fn height(size: Size) -> usize {
    usize::from(super::body(size).height).saturating_sub(1)
}

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let Some(session) = &state.session else { return };
    let height = usize::from(area.height).saturating_sub(1);
    let tail = tail(state);
    let first = session.first_line(height, tail.len());
    let mut lines = vec![head(session, state, usize::from(area.width))];
    let mut skipped = 0;
    for entry in &session.entries {
        // Only what is in view is copied.
        if skipped + entry.lines.len() > first && lines.len() <= height {
            lines.extend(entry.lines.iter().skip(first.saturating_sub(skipped)).cloned());
        }
        skipped += entry.lines.len();
    }
    lines.extend(tail.into_iter().skip(first.saturating_sub(skipped)));
    lines.truncate(height + 1);
    frame.render_widget(Paragraph::new(lines), area);
}

fn head(session: &Conversation, state: &State, width: usize) -> Line<'static> {
    let known = state.fleet.sessions.get(&session.id);
    let now = known.map(|known| {
        let mood = mood(&known.session, &state.inbox.questions, &state.me);
        let question = blocks(&state.inbox.questions, &session.id);
        let age = question.map_or_else(|| known.age(state.as_of()), |question| state.as_of() - question.opened_at);
        let from = match question {
            Some(_) => "its question".to_owned(),
            None => format!("{} #{}", source(&known.session), known.session.state_event).trim_start().to_owned(),
        };
        let queued =
            if known.session.queued > 0 { format!(", {} queued", known.session.queued) } else { String::new() };
        (look::style(mood.tone), format!(" {} for {} ({from}){queued}", mood.word, moment::age(age)))
    });
    let (style, now) = now.unwrap_or((look::style(Tone::Faint), " not there any more".to_owned()));
    let place = match (session.is_read, session.is_followed()) {
        (false, _) => "   reading…",
        (true, true) => "   following",
        (true, false) => "   PAUSED: G follows",
    };
    let busy = if session.is_read && session.is_reading() { ", reading…" } else { "" };
    let more = if session.has_before { ", more above" } else { "" };
    let now = text::cut(&text::shown(&now), width);
    let room = width.saturating_sub(text::cells(&now));
    Line::from(vec![
        Span::styled(now, style),
        look::span(Tone::Faint, text::cut(&format!("{place}{more}{busy}"), room)),
    ])
}

/// What comes behind everything that was said: what is being written, and what is asked.
pub fn tail(state: &State) -> Vec<Line<'static>> {
    let Some(session) = &state.session else { return Vec::new() };
    if session.has_after {
        return Vec::new();
    }
    let width = usize::from(state.size.width);
    let mut lines = Vec::new();
    if !session.writing.is_empty() {
        said(&mut lines, &session.writing, false, width);
    }
    if let Some(question) = state.question() {
        let asks = if state.closed(question).is_none() { "-- it asks -" } else { "-- it asked " };
        lines.push(Line::styled(format!("{asks}{}", "-".repeat(width.saturating_sub(12))), look::NEEDS));
        lines.extend(inbox::lines(question, state, width));
    }
    if session.is_read && session.entries.is_empty() && lines.is_empty() {
        lines.push(look::line(Tone::Faint, " nothing was said yet: t tells it something"));
    }
    lines
}

/// How many lines of what it asks are not on the screen.
pub fn unseen(state: &State) -> usize {
    let Some(session) = &state.session else { return 0 };
    let Some(question) = state.question() else { return 0 };
    let (height, tail) = (height(state.size), tail(state).len());
    let asked = inbox::lines(question, state, usize::from(state.size.width)).len();
    if session.has_after {
        return asked;
    }
    let end = session.lines() + tail;
    let first = session.first_line(height, tail);
    let seen = end.min(first + height).saturating_sub(first.max(end.saturating_sub(asked)));
    asked.saturating_sub(seen)
}

/// One thing, in lines.
pub fn lines(what: &What, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    match what {
        What::Tell { number, state, text: told, at, origin } => {
            let waits =
                if matches!(state.as_str(), "queued" | "scheduled") { format!(", {state}") } else { String::new() };
            let by_itself = origin.as_ref().map(|why| format!(", by itself: {why}")).unwrap_or_default();
            let head = format!("== turn {number}, {}{waits}{by_itself}", moment::zoned(*at));
            lines.push(Line::default());
            lines.push(look::line(Tone::Strong, text::headline(&head, width)));
            let told = text::wrap(told, width.saturating_sub(2));
            lines.extend(told.into_iter().map(|line| look::line(Tone::Strong, format!("> {line}"))));
        }
        What::Say { text, inside } => said(&mut lines, text, *inside, width),
        What::Think { text } => lines.push(look::line(Tone::Faint, text::cut(&format!("  (thinks) {text}"), width))),
        What::Call { text, inside, result, .. } => lines.push(call(text, *inside, result.as_ref(), width)),
        What::Note { text } => lines.push(look::line(Tone::Faint, text::headline(&format!("  -- {text}"), width))),
        What::End { text, is_good } => {
            let tone = if *is_good { Tone::Faint } else { Tone::Bad };
            let wrapped = text::wrap(text, width.saturating_sub(3));
            lines.extend(wrapped.into_iter().map(|line| look::line(tone, format!("-- {line}"))));
        }
    }
    lines
}

fn said(lines: &mut Vec<Line<'static>>, said: &str, inside: bool, width: usize) {
    let indent = if inside { "    " } else { "" };
    let wrapped = text::wrap(said, width.saturating_sub(indent.len()));
    lines.extend(wrapped.into_iter().map(|line| Line::raw(format!("{indent}{line}"))));
}

/// `  * Bash: cargo test  = 12 passed`
fn call(called: &str, inside: bool, result: Option<&Outcome>, width: usize) -> Line<'static> {
    let indent = if inside { "      " } else { "  " };
    let (tone, result) = match result {
        None => (Tone::Busy, "  …".to_owned()),
        Some(outcome) if outcome.is_error => (Tone::Bad, format!("  ! {}", outcome.text)),
        Some(outcome) => (Tone::Faint, format!("  = {}", outcome.text)),
    };
    // What came back has the room that the call leaves, and some in any case.
    let called = text::cut(&format!("{indent}* {called}"), width.saturating_sub(text::cells(&result).min(width / 3)));
    let result = text::cut(&result, width.saturating_sub(text::cells(&called)));
    Line::from(vec![Span::raw(called), look::span(tone, result)])
}
