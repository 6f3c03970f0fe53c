//! The inbox: the questions in a list, and the one that is looked at whole.

use iris_api::question::Question;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::look;
use crate::commands::inbox::{how, list};
use crate::commands::monitor::state::State;
use crate::commands::monitor::state::inbox::{is_own, is_yes_or_no};
use crate::commands::monitor::text;
use crate::moment;
use crate::printer::Tone;

/// From this width on, the list is beside the question and not above it.
const WIDE: u16 = 110;
/// So much room has in the list for whom it is asked.
const WHOM: usize = 13;

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    if state.inbox.questions.is_empty() {
        return frame.render_widget(Paragraph::new(empty(state)), area);
    }
    let (above, below) = areas(area, state);
    let (width, height) = (usize::from(above.width), usize::from(above.height));
    let (at, count) = (state.inbox.at(), state.inbox.questions.len());
    let rows = height.saturating_sub(1);
    let first = first_row(at, count, rows);
    let mut lines = vec![counts(state, width)];
    let shown = state.inbox.questions.iter().skip(first).take(rows);
    let room_for_whom = shown.map(|question| text::cells(&for_whom(question, state))).max().unwrap_or(0);
    for (index, question) in state.inbox.questions.iter().enumerate().skip(first).take(rows) {
        let row = row(question, state, width, room_for_whom);
        lines.push(if index == at { row.patch_style(look::BAR) } else { row });
    }
    frame.render_widget(Paragraph::new(lines), above);
    detail(frame, below, state);
}

/// So that the chosen one is in view, with what is around it.
pub fn first_row(at: usize, count: usize, rows: usize) -> usize {
    at.saturating_sub(rows / 2).min(count.saturating_sub(rows))
}

fn areas(area: Rect, state: &State) -> (Rect, Rect) {
    if area.width >= WIDE {
        let [left, _, right] =
            Layout::horizontal([Constraint::Percentage(42), Constraint::Length(2), Constraint::Fill(1)]).areas(area);
        return (left, right);
    }
    let rows = u16::try_from(state.inbox.questions.len() + 1).unwrap_or(u16::MAX);
    let rows = rows.min((area.height / 3).max(3));
    let [above, _, below] =
        Layout::vertical([Constraint::Length(rows), Constraint::Length(1), Constraint::Fill(1)]).areas(area);
    (above, below)
}

fn empty(state: &State) -> Vec<Line<'static>> {
    if !state.inbox.is_read {
        return vec![look::line(Tone::Faint, " reading…")];
    }
    vec![
        counts(state, usize::from(state.size.width)),
        Line::default(),
        look::line(Tone::Strong, " Nobody needs you."),
        look::line(Tone::Faint, " What agents ask, and what they want to be allowed, comes in here by itself."),
        look::line(Tone::Faint, " Tab shows the teams; there, t tells one something."),
    ]
}

/// Who is waited for, and what is done.
pub fn counts(state: &State, width: usize) -> Line<'static> {
    let own = state.inbox.own;
    let others = state.inbox.questions.len() - own;
    let decided = state.inbox.decided_since(moment::midnight(state.now));
    let text = format!(" needs you: {own}   waiting on others: {others}   decided today: {decided}");
    look::line(Tone::Faint, text::cut(&text, width))
}

/// For whom it is asked, as short as that can be said.
fn for_whom(question: &Question, state: &State) -> String {
    // The beginning of a job's id is the time; its end tells it from the others.
    let job =
        question.job.as_ref().map(|job| format!("job …{}", job.get(job.len().saturating_sub(4)..).unwrap_or(job)));
    let party = job.or_else(|| state.party_of(question));
    party.map(|party| text::headline(&format!("for {party}"), WHOM)).unwrap_or_default()
}

fn row(question: &Question, state: &State, width: usize, room_for_whom: usize) -> Line<'static> {
    let own = is_own(question, &state.me);
    let is_sending = state.inbox.sending.contains(&question.id);
    let mark = if is_sending {
        "~"
    } else if !own {
        " "
    } else if question.blocking {
        "!"
    } else {
        "?"
    };
    let age = moment::age(state.as_of() - question.opened_at);
    let left = question.deadline.map(|deadline| format!("{} left", moment::age(deadline - state.as_of())));
    let risk = question.risk.as_deref().filter(|risk| *risk != "low").map(|risk| format!("{risk} risk"));
    let whom = question.asked_of.as_ref().filter(|_| !own).map(|party| format!("of {party}"));
    let facts: Vec<String> = [risk, left, whom].into_iter().flatten().collect();
    let facts = if facts.is_empty() { String::new() } else { format!("  {}", text::shown(&facts.join(", "))) };
    let team = text::fill(&text::shown(&question.team), 10);
    let lead = format!("{mark} {age:>4} {team} {}  ", text::fill(&for_whom(question, state), room_for_whom));
    let room = width.saturating_sub(text::cells(&lead) + text::cells(&facts));
    let style = if own { look::NEEDS } else { look::style(Tone::Faint) };
    let ask = text::fill(&text::headline(&question.question, room), room);
    Line::from(vec![Span::styled(lead, style), Span::raw(ask), look::span(Tone::Faint, facts)])
}

fn detail(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let Some(question) = state.inbox.chosen() else { return };
    let lines = lines(question, state, usize::from(area.width));
    let height = usize::from(area.height);
    let scroll = state.inbox.scroll.min(lines.len().saturating_sub(height));
    let below = lines.len().saturating_sub(scroll + height);
    let mut shown: Vec<Line<'_>> = lines.into_iter().skip(scroll).take(height).collect();
    if below > 0 {
        let text = format!("-- {} more lines: PgDn --", below + 1);
        if let Some(last) = shown.last_mut() {
            *last = Line::styled(text, look::style(Tone::Busy).add_modifier(Modifier::BOLD));
        }
    }
    frame.render_widget(Paragraph::new(shown), area);
}

/// How many lines of the chosen question are below the screen.
pub fn unseen(state: &State) -> usize {
    let Some(question) = state.inbox.chosen() else { return 0 };
    let (_, area) = areas(super::body(state.size), state);
    let lines = lines(question, state, usize::from(area.width)).len();
    lines.saturating_sub(state.inbox.scroll + usize::from(area.height))
}

/// The whole question.
pub fn lines(question: &Question, state: &State, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let party = state.party_of(question).map(|party| format!(" for {party}")).unwrap_or_default();
    let asked = format!("{}{party} asks ({})", question.team, question.kind.replace('_', " "));
    let since = format!("since {}, {} ago", moment::clock(question.opened_at), age(state, question));
    let whom = question.asked_of.as_ref().map(|party| format!(", asked of {party}")).unwrap_or_default();
    push(&mut lines, Tone::Faint, &format!("{asked}, {since}{whom}"), width);
    push(&mut lines, Tone::Strong, &question.question, width);
    lines.push(Line::default());
    let parts = list::parts(question);
    let has_parts = !parts.is_empty();
    parts.iter().for_each(|(tone, line)| push(&mut lines, *tone, line, width));
    if is_yes_or_no(question) {
        lines.push(look::line(Tone::Strong, "1. yes (y)   2. no (n)   r: no, and why"));
    } else if let Some(like) = how::typed(question) {
        let between = match question.questions.len() {
            0 => "",
            1 => ", with commas between",
            _ => ", with ; between the answers and commas between options",
        };
        push(&mut lines, Tone::Strong, &format!("r answers{between}, like: {like}"), width);
    } else if !has_parts || question.options.is_empty() {
        lines.push(look::line(Tone::Strong, "r answers in your own words"));
    }
    then(question, state).into_iter().for_each(|line| push(&mut lines, Tone::Busy, &line, width));
    list::before(question).iter().for_each(|(tone, line)| push(&mut lines, *tone, line, width));
    lines
}

fn age(state: &State, question: &Question) -> String {
    moment::age(state.as_of() - question.opened_at)
}

/// What happens when nobody answers.
fn then(question: &Question, state: &State) -> Option<String> {
    let deadline = question.deadline?;
    let left = moment::span((deadline - state.as_of()) / 1000 * 1000);
    let what = list::otherwise(question)?;
    Some(format!("{left} left, until {}; then {what}", moment::clock(deadline)))
}

/// What is quoted stays marked on every line it is broken into.
fn push(lines: &mut Vec<Line<'static>>, tone: Tone, line: &str, width: usize) {
    let mark = ["| ", "> "].into_iter().find(|mark| line.starts_with(mark));
    let rest = mark.map_or(line, |mark| &line[mark.len()..]);
    let mark = mark.unwrap_or_default();
    let wrapped = text::wrap(rest, width.saturating_sub(mark.len()));
    // A line with nothing in it is a line.
    let wrapped = if wrapped.is_empty() { vec![String::new()] } else { wrapped };
    lines.extend(wrapped.into_iter().map(|piece| look::line(tone, format!("{mark}{piece}"))));
}
