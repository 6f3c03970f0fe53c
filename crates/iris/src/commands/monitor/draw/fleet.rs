//! The fleet: what is wrong, then every team with its sessions.

use std::collections::HashMap;

use iris_api::question::Question;
use iris_api::session::Session;
use iris_api::team::Team;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::inbox::{WIDE, first_row, rest};
use super::{ROOMY, look};
use crate::commands::monitor::deed;
use crate::commands::monitor::state::State;
use crate::commands::monitor::state::fleet::{Known, Row};
use crate::commands::monitor::state::mood::{blocks, mood, source};
use crate::commands::monitor::state::problem::problems;
use crate::commands::monitor::text;
use crate::commands::sessions::SILENT;
use crate::moment;
use crate::printer::Tone;

/// More problems than this are counted, and fewer are shown where they would leave no room for the teams.
const PROBLEMS: usize = 4;
/// Where there is room for fewer, none of it is for saying that the list goes on.
const FEW: usize = 5;

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let width = usize::from(area.width);
    let most = PROBLEMS.min(usize::from(area.height) / 5).max(1);
    let mut lines = head(state, width, most);
    let height = usize::from(area.height).saturating_sub(lines.len());
    let rows = state.fleet.rows(&state.inbox.questions, &state.me);
    let at = state.fleet.at(&rows);
    let goes_on = rows.len() > height && height > FEW;
    let height = height - usize::from(goes_on);
    let first = first_row(at, rows.len(), height);
    let shown = first..rows.len().min(first + height);
    for (index, line) in lines_of(&rows[shown.clone()], state, width).into_iter().enumerate() {
        lines.push(if first + index == at { line.patch_style(look::BAR) } else { line });
    }
    if goes_on {
        lines.push(rest(&shown, rows.len()));
    }
    frame.render_widget(Paragraph::new(lines), area);
}

/// Everything, for paper.
pub fn all(state: &State, width: usize) -> Vec<Line<'static>> {
    let rows = state.fleet.rows(&state.inbox.questions, &state.me);
    let mut lines = head(state, width, usize::MAX);
    lines.extend(lines_of(&rows, state, width));
    lines
}

fn head(state: &State, width: usize, most: usize) -> Vec<Line<'static>> {
    let mut lines = vec![summary(state, width)];
    let found = problems(state.status.as_ref(), &state.fleet, &state.inbox.questions, state.as_of());
    let shown = found.iter().take(most);
    lines.extend(shown.map(|problem| look::line(Tone::Bad, text::headline(&format!("! {problem}"), width))));
    if found.len() > most {
        lines.push(look::line(Tone::Bad, format!("! and {} more problems", found.len() - most)));
    }
    if state.fleet.teams.is_empty() && state.fleet.is_read {
        lines.push(Line::default());
        lines.push(look::line(Tone::Strong, " There are no teams yet."));
        lines.push(look::line(Tone::Faint, " A team is a project folder and its agent: iris teams add PATH"));
    }
    lines
}

fn summary(state: &State, width: usize) -> Line<'static> {
    let total = state.fleet.cost(moment::midnight(state.now));
    let agents = state.status.as_ref().map(|status| format!("{} of {} agents alive", status.agents, status.max_agents));
    let text = format!(" {}   ${total:.2} today", agents.unwrap_or_default());
    look::line(Tone::Faint, text::cut(&text, width))
}

fn lines_of(rows: &[Row], state: &State, width: usize) -> Vec<Line<'static>> {
    let costs = state.fleet.costs(moment::midnight(state.now));
    let teams: HashMap<&str, &Team> = state.fleet.teams.iter().map(|team| (team.name.as_str(), team)).collect();
    let line = |row: &Row| match row {
        Row::Team(name) => Some(team_line(name, teams.get(name.as_str()).copied(), width)),
        Row::Session(id) => {
            let cost = costs.get(id.as_str()).copied().unwrap_or(0.0);
            state.fleet.sessions.get(id).map(|known| session_line(known, cost, state, width))
        }
    };
    rows.iter().map(|row| line(row).unwrap_or_default()).collect()
}

fn team_line(name: &str, team: Option<&Team>, width: usize) -> Line<'static> {
    let name = text::cut(&text::shown(name), width / 3);
    let about = team.map_or("  not a team of the config".to_owned(), about);
    let about = text::shown(&about).replace('\n', " ");
    let room = width.saturating_sub(text::cells(&name) + 1);
    Line::from(vec![look::span(Tone::Strong, format!(" {name}")), look::span(Tone::Faint, text::fill(&about, room))])
}

fn about(team: &Team) -> String {
    let state = match (team.sessions, team.awake) {
        (0, _) => "no session yet: t tells it something".to_owned(),
        (sessions, awake) => format!("{awake} of {sessions} awake"),
    };
    let queued = if team.queued > 0 { format!(", {} queued", team.queued) } else { String::new() };
    format!("  {}, {state}{queued}  {}", team.agent, team.description.as_deref().unwrap_or(&team.path))
}

/// `   working       14s #1204   user      2q  Bash: cargo test                $0.12`. Where there is little room, only how
/// it is, since when, and what it does or asks.
fn session_line(known: &Known, cost: f64, state: &State, width: usize) -> Line<'static> {
    let session = &known.session;
    let question = blocks(&state.inbox.questions, &session.id);
    let mood = mood(session, &state.inbox.questions, &state.me);
    let style = if mood.order == 0 { look::NEEDS } else { look::style(mood.tone) };
    let is_narrow = width < ROOMY;
    let indent = if is_narrow { "" } else { " " };
    let word = format!("{indent}{} {}", mood.mark, text::shown(&mood.word));
    let word = text::fill(&word, if is_narrow { 11 } else { 16 });
    // It is as it is since it asks.
    let age = question.map_or_else(|| known.age(state.as_of()), |question| state.as_of() - question.opened_at);
    let queued = if session.queued > 0 { format!("{}q", session.queued) } else { String::new() };
    let facts = match (is_narrow, queued.as_str()) {
        (true, "") => format!("{:>4} ", moment::age(age)),
        (true, queued) => format!("{:>4} {queued} ", moment::age(age)),
        (false, queued) => {
            let from = text::fill(&text::shown(&text::party(&session.from)), if width >= WIDE { 15 } else { 9 });
            format!("{:>4} {} {from}{queued:>3}  ", moment::age(age), known_from(session, question, width))
        }
    };
    let cost = if cost > 0.0 && !is_narrow { format!(" ${cost:.2}") } else { String::new() };
    let room = width.saturating_sub(text::cells(&word) + text::cells(&facts) + text::cells(&cost));
    let doing = match question {
        Some(question) => deed::line(question, room),
        None => text::headline(&with_silence(known, state, width), room),
    };
    let doing = text::fill(&doing, room);
    Line::from(vec![Span::styled(word, style), Span::raw(facts), Span::raw(doing), look::span(Tone::Faint, cost)])
}

/// `turn finished #1204`, or its number only. Of a question there is none.
fn known_from(session: &Session, question: Option<&Question>, width: usize) -> String {
    let event = format!("#{}", session.state_event);
    match question {
        None if width >= WIDE => text::fill(text::shown(&format!("{} {event}", source(session))).trim_start(), 24),
        Some(question) if width >= WIDE => text::fill(&format!("its question ({})", text::shown(&question.kind)), 24),
        None => format!("{event:<7}"),
        Some(_) => " ".repeat(7),
    }
}

/// What it does, and before that how long nothing was heard of it, from when `iris sessions list` says so. A tool that it waits
/// for may take its time.
fn with_silence(known: &Known, state: &State, width: usize) -> String {
    let doing = doing(&known.session, state, width);
    let heard = state.fleet.heard_at(known).filter(|_| !state.fleet.is_in_call(&known.session));
    match heard.map(|heard| state.as_of() - heard).filter(|silent| *silent >= SILENT) {
        None => doing,
        Some(silent) if doing.is_empty() => format!("silent for {}", moment::age(silent)),
        Some(silent) => format!("silent for {}: {doing}", moment::age(silent)),
    }
}

/// What it does, or was told last. While it rests, what that comes from is said before, where that has no place of its own.
fn doing(session: &Session, state: &State, width: usize) -> String {
    let doing = state.fleet.doing(session);
    let is_at_rest = matches!(session.state.as_str(), "idle" | "stopped") && session.background == 0;
    match source(session) {
        source if !is_at_rest || width >= WIDE || source.is_empty() => doing.to_owned(),
        source if doing.is_empty() => source,
        source => format!("{source}, told: {doing}"),
    }
}
