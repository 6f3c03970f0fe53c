//! The inbox: the questions in a list, and the one that is looked at whole.

use std::ops::Range;

use iris_api::question::Question;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::{ROOMY, look};
use crate::commands::inbox::{how, list};
use crate::commands::monitor::deed;
use crate::commands::monitor::state::inbox::{is_own, is_yes_or_no, written_before};
use crate::commands::monitor::state::{Link, State};
use crate::commands::monitor::text;
use crate::moment;
use crate::printer::Tone;

/// From this width on, the list is beside the question and not above it.
pub const WIDE: usize = 110;
/// So much room has in the list for whom it is asked.
const WHOM: usize = 13;
/// So much of a question is seen in any case, also while others wait.
const LEAST: u16 = 3;
/// Below this height, the line that counts gives way to what is counted.
const COUNTED: u16 = 10;

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    if state.question().is_none() {
        return frame.render_widget(Paragraph::new(empty(state)), area);
    }
    let places = places(area, state);
    let (width, count) = (usize::from(places.list.width), state.inbox.questions.len());
    let first = first_row(state.inbox.at(), count, usize::from(places.list.height));
    let shown = first..count.min(first + usize::from(places.list.height));
    frame.render_widget(counts(state, width), places.counts);
    frame.render_widget(rest(&shown, count), places.rest);
    frame.render_widget(Paragraph::new(rows(state, shown, width)), places.list);
    detail(frame, places.question, state);
}

/// Where things are: those of no height are left out.
struct Places {
    counts: Rect,
    list: Rect,
    /// Below the list: how many more there are.
    rest: Rect,
    question: Rect,
}

/// So that the chosen one is in view, with what is around it.
pub fn first_row(at: usize, count: usize, rows: usize) -> usize {
    at.saturating_sub(rows / 2).min(count.saturating_sub(rows))
}

fn places(area: Rect, state: &State) -> Places {
    let count = u16::try_from(state.inbox.questions.len()).unwrap_or(u16::MAX);
    if usize::from(area.width) >= WIDE {
        let sides = [Constraint::Percentage(42), Constraint::Length(2), Constraint::Fill(1)];
        let [left, _, question] = Layout::horizontal(sides).areas(area);
        let rest = u16::from(count >= left.height);
        let parts = [Constraint::Length(1), Constraint::Fill(1), Constraint::Length(rest)];
        let [counts, list, rest] = Layout::vertical(parts).areas(left);
        return Places { counts, list, rest, question };
    }
    let counts = u16::from(area.height >= COUNTED);
    // A third, and what the question leaves free: of many that wait, more are seen.
    let asked = state.question().map_or(0, |question| lines(question, state, usize::from(area.width)).len());
    let free = area.height.saturating_sub(counts + 1).saturating_sub(u16::try_from(asked).unwrap_or(u16::MAX));
    let most = ((area.height / 3).max(3) - 1).max(free);
    let rows = count.min(most).min(area.height.saturating_sub(counts + 1 + LEAST));
    let parts = [Constraint::Length(counts), Constraint::Length(rows), Constraint::Length(1), Constraint::Fill(1)];
    let [counts, list, rest, question] = Layout::vertical(parts).areas(area);
    Places { counts, list, rest, question }
}

/// `… 4 more, 2 above`
pub fn rest(shown: &Range<usize>, count: usize) -> Line<'static> {
    let text = match (shown.start, count - shown.end) {
        (0, 0) => return Line::default(),
        (above, 0) => format!("  … {above} above"),
        (0, more) => format!("  … {more} more"),
        (above, more) => format!("  … {more} more, {above} above"),
    };
    look::line(Tone::Busy, text)
}

fn empty(state: &State) -> Vec<Line<'static>> {
    if !state.inbox.is_read {
        return vec![look::line(Tone::Faint, " reading…")];
    }
    if state.link != Link::Live {
        let text = format!(" Nobody needed you at {}. Nothing is known since.", moment::zoned(state.as_of()));
        let wrapped = text::wrap(&text, usize::from(state.size.width));
        return wrapped.into_iter().map(|line| look::line(Tone::Strong, line)).collect();
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
    let party = question.job.as_deref().map(text::job).or_else(|| state.party_of(question));
    party.map(|party| text::headline(&format!("for {party}"), WHOM)).unwrap_or_default()
}

fn rows(state: &State, shown: Range<usize>, width: usize) -> Vec<Line<'static>> {
    let questions = &state.inbox.questions[shown];
    let widest = |cells: fn(&Question, &State) -> usize| questions.iter().map(|one| cells(one, state)).max();
    let team = widest(|question, _| text::cells(&text::shown(&question.team))).unwrap_or(0);
    let whom = widest(|question, state| text::cells(&for_whom(question, state))).unwrap_or(0);
    let columns =
        if width < ROOMY { Columns { team: team.min(8), whom: None } } else { Columns { team: 10, whom: Some(whom) } };
    let row = |question: &Question| {
        let row = row(question, state, width, &columns);
        if state.question().is_some_and(|looked_at| looked_at.id == question.id) {
            row.patch_style(look::BAR)
        } else {
            row
        }
    };
    questions.iter().map(row).collect()
}

/// How wide they are.
struct Columns {
    team: usize,
    whom: Option<usize>,
}

/// ``!   2m backend    for user  Run `make clean`?         high risk, 12m``, of which everything gives way to what is asked.
fn row(question: &Question, state: &State, width: usize, columns: &Columns) -> Line<'static> {
    let own = is_own(question, &state.me);
    let age = moment::age(state.as_of() - question.opened_at);
    let team = text::fill(&text::shown(&question.team), columns.team);
    let whom = columns.whom.map(|room| format!("{}  ", text::fill(&for_whom(question, state), room)));
    let lead = format!("{} {age:>4} {team} {}", mark(question, state), whom.unwrap_or_default());
    let room = width.saturating_sub(text::cells(&lead));
    let whole = text::cells(&deed::line(question, usize::MAX));
    let facts = facts(question, state, width);
    let fitting = facts.iter().find(|facts| whole + text::cells(facts) <= room).or(facts.last());
    let facts = fitting.map_or("", String::as_str);
    let room = room.saturating_sub(text::cells(facts));
    let ask = text::fill(&deed::line(question, room), room);
    let style = if own { look::NEEDS } else { look::style(Tone::Faint) };
    Line::from(vec![Span::styled(lead, style), Span::raw(ask), look::span(Tone::Faint, facts.to_owned())])
}

fn mark(question: &Question, state: &State) -> &'static str {
    match (is_own(question, &state.me), question.blocking) {
        _ if state.inbox.sending.contains(&question.id) => "~",
        (false, _) => " ",
        (true, true) => "!",
        (true, false) => "?",
    }
}

/// The risk, the time that is left and who is asked, from as it is said best to as short as it may be.
fn facts(question: &Question, state: &State, width: usize) -> Vec<String> {
    let left = question.deadline.map(|deadline| moment::age(deadline - state.as_of()));
    let risk = question.risk.as_deref().filter(|risk| *risk != "low");
    let is_own = is_own(question, &state.me);
    let whom = question.asked_of.as_ref().filter(|_| !is_own).map(|party| text::headline(&format!("of {party}"), WHOM));
    let said = |parts: [Option<String>; 3]| {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { String::new() } else { format!("  {}", text::shown(&parts.join(", "))) }
    };
    let long = said([risk.map(|risk| format!("{risk} risk")), left.clone(), whom.clone()]);
    let short = said([risk.map(str::to_owned), left.clone(), whom]);
    let mut forms = vec![long, short];
    if width < ROOMY {
        forms.push(said([left, None, None]));
    }
    forms
}

fn detail(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let Some(question) = state.question() else { return };
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

/// How far the chosen question is on the screen.
pub struct Reach {
    pub lines: usize,
    pub height: usize,
    /// Up to here it can be read now.
    pub end: usize,
}

pub fn reach(state: &State) -> Reach {
    let area = places(super::body(state.size), state).question;
    let question = state.question();
    let lines = question.map_or(0, |question| lines(question, state, usize::from(area.width)).len());
    let height = usize::from(area.height);
    let end = state.inbox.scroll + height;
    // Where there are more, the last line says so.
    Reach { lines, height, end: if end < lines { end.saturating_sub(1) } else { lines } }
}

/// How many lines of the chosen question have never been on the screen.
pub fn unseen(state: &State) -> usize {
    let reach = reach(state);
    reach.lines.saturating_sub(state.inbox.seen.max(reach.end))
}

/// The whole question.
pub fn lines(question: &Question, state: &State, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let closed = state.closed(question);
    closed.iter().for_each(|closed| push(&mut lines, Tone::Bad, &format!("already {closed}"), width));
    push(&mut lines, Tone::Strong, &deed::whole(question), width);
    push(&mut lines, Tone::Faint, &who(question, state, width), width);
    lines.push(Line::default());
    let marks = if how::takes_several(question) { list::Marks::Dashes } else { list::Marks::Numbers };
    let parts = list::parts(question, marks);
    let has_parts = !parts.is_empty();
    parts.iter().for_each(|(tone, line)| push(&mut lines, *tone, line, width));
    if closed.is_some() {
        return lines;
    }
    if is_yes_or_no(question) {
        lines.push(look::line(Tone::Strong, "1. yes (y)   2. no (n)   r: no, and why"));
    } else if let Some(like) = how::typed(question) {
        let between = match question.questions.len() {
            0 => "",
            1 => ", with commas between",
            _ => ", with ; between the answers and commas between options",
        };
        push(&mut lines, Tone::Strong, &format!("r answers{between}, like: {like}"), width);
    } else if let Some(no) = how::refusal(question) {
        push(&mut lines, Tone::Strong, &format!("r: {}, and why", no.label), width);
    } else if !has_parts || question.options.is_empty() {
        let begins = if written_before(question).is_some() { ", beginning with those of before" } else { "" };
        lines.push(look::line(Tone::Strong, format!("r answers in your own words{begins}")));
    }
    then(question, state).into_iter().for_each(|line| push(&mut lines, Tone::Busy, &line, width));
    list::before(question).iter().for_each(|(tone, line)| push(&mut lines, *tone, line, width));
    lines
}

/// Who asks, since when and of whom.
fn who(question: &Question, state: &State, width: usize) -> String {
    let party = state.party_of(question).map(|party| format!(" for {party}")).unwrap_or_default();
    let asked = format!("{}{party} asks ({})", question.team, question.kind.replace('_', " "));
    let since = if width < ROOMY { String::new() } else { format!(" since {},", moment::zoned(question.opened_at)) };
    let whom = question.asked_of.as_ref().map(|party| format!(", asked of {party}")).unwrap_or_default();
    format!("{asked},{since} {} ago{whom}", age(state, question))
}

fn age(state: &State, question: &Question) -> String {
    moment::age(state.as_of() - question.opened_at)
}

/// What happens when nobody answers.
fn then(question: &Question, state: &State) -> Option<String> {
    let deadline = question.deadline?;
    let left = moment::span((deadline - state.as_of()) / 1000 * 1000);
    let what = list::otherwise(question)?;
    Some(format!("{left} left, until {}; then {what}", moment::zoned(deadline)))
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
