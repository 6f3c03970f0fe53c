//! From the state to the screen. Pure: the same state gives the same cells.

pub mod fleet;
pub mod help;
pub mod inbox;
mod look;
pub mod session;

use ratatui::Frame;
use ratatui::layout::{Position, Rect, Size};
use ratatui::style::{Color, Modifier};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::state::{Link, Mode, Purpose, State, View};
use super::text;
use crate::commands::inbox::how;
use crate::moment;
use crate::printer::Tone;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    Sixteen,
    None,
}

/// Below this, nothing sensible can be shown.
const SMALLEST: Size = Size { width: 40, height: 10 };

/// In lists that are narrower, what is asked or done has the room of what is only good to know.
const ROOMY: usize = 64;

/// What is between the two lines on top and the two at the bottom.
pub fn body(size: Size) -> Rect {
    Rect::new(0, 2, size.width, size.height.saturating_sub(4))
}

pub fn draw(frame: &mut Frame<'_>, state: &State, colours: Colours) {
    let area = frame.area();
    if area.width < SMALLEST.width || area.height < SMALLEST.height {
        let text = format!("too small: {}x{} at least", SMALLEST.width, SMALLEST.height);
        return frame.render_widget(Paragraph::new(text), area);
    }
    let body = body(area.into());
    match (&state.mode, state.view) {
        (Mode::Help { scroll }, _) => help::draw(frame, body, *scroll),
        (_, View::Inbox) => inbox::draw(frame, body, state),
        (_, View::Fleet) => fleet::draw(frame, body, state),
        (_, View::Session) => session::draw(frame, body, state),
    }
    if state.link != Link::Live {
        // Nothing that may have changed meanwhile looks fresh.
        fade(frame, body);
    }
    row(frame, 0, header(state, usize::from(area.width)));
    row(frame, 1, tabs(state));
    foot(frame, state);
    if colours == Colours::None {
        pale(frame, area);
    }
}

fn row(frame: &mut Frame<'_>, y: u16, line: Line<'_>) {
    let area = Rect::new(0, y, frame.area().width, 1);
    frame.render_widget(line, area);
}

fn header(state: &State, width: usize) -> Line<'static> {
    let version = state.status.as_ref().map(|status| status.version.as_str()).unwrap_or_default();
    let address = state.address.strip_prefix("http://").unwrap_or(&state.address);
    let (link, style) = match &state.link {
        Link::Live => ("live".to_owned(), look::BAR),
        Link::Back { .. } => ("connected again, reading anew".to_owned(), look::ALARM),
        Link::Lost { since, .. } => {
            (format!("CONNECTION LOST {} ago, trying", moment::age(state.now - since)), look::ALARM)
        }
    };
    let asks = match state.inbox.own {
        _ if !state.inbox.is_read => String::new(),
        // Somebody may meanwhile.
        0 if state.link != Link::Live => String::new(),
        1 => "1 needs you ".to_owned(),
        count => format!("{count} need you "),
    };
    let room = width.saturating_sub(text::cells(&asks));
    // How things are is what the line is for; who says so gives way to it.
    let leads =
        [format!(" iris {version}  {address} "), format!(" iris {version} "), " iris ".to_owned(), String::new()];
    let lines = leads.map(|lead| text::shown(&format!("{lead} {link}  ")));
    let fitting = lines.iter().find(|line| text::cells(line) <= room).or(lines.last());
    let left = text::fill(fitting.map_or("", String::as_str), room);
    Line::from(vec![Span::styled(left, style), Span::styled(asks, style)])
}

fn tabs(state: &State) -> Line<'static> {
    let tab = |view: View, name: String| {
        let style = if view == state.view { look::BAR } else { look::style(Tone::Faint) };
        [Span::styled(format!(" {name} "), style), Span::raw(" ")]
    };
    let mut spans = vec![Span::raw(" ")];
    spans.extend(tab(View::Inbox, format!("Inbox {}", state.inbox.questions.len())));
    spans.extend(tab(View::Fleet, format!("Fleet {}", state.fleet.sessions.len())));
    if let Some(session) = &state.session {
        let name = text::headline(&format!("Session: {} for {}", session.team, text::party(&session.from)), 40);
        spans.extend(tab(View::Session, name));
    }
    Line::from(spans)
}

/// What is being written or asked, else what came of the last thing that was done; below it, the keys.
fn foot(frame: &mut Frame<'_>, state: &State) {
    let (width, height) = (usize::from(frame.area().width), frame.area().height);
    match &state.mode {
        Mode::Write { editor, purpose } => {
            let lead = text::cut(&text::shown(&lead(state, purpose)).replace('\n', " "), width / 2);
            let (shown, at) = editor.shown(width.saturating_sub(text::cells(&lead) + 1));
            let x = u16::try_from(text::cells(&lead) + at).unwrap_or(0);
            row(frame, height - 2, Line::from(vec![look::span(Tone::Strong, lead), Span::raw(shown)]));
            frame.set_cursor_position(Position::new(x, height - 2));
        }
        Mode::Confirm { question, .. } => {
            let text = text::headline(question, width.saturating_sub(1));
            row(frame, height - 2, Line::styled(format!(" {text}"), look::ALARM));
        }
        Mode::Look | Mode::Help { .. } => row(frame, height - 2, notice(state, width).unwrap_or_default()),
    }
    let trouble = state.notice().filter(|notice| notice.tone == Tone::Bad);
    let keys = match (&state.mode, trouble) {
        // What is being written is where a notice would be.
        (Mode::Write { .. }, Some(_)) => notice(state, width).unwrap_or_default(),
        (Mode::Write { purpose: Purpose::Reply { question }, .. }, _) if state.closed(question).is_some() => {
            look::line(Tone::Bad, text::cut(" Esc keeps your words: they cannot be sent any more", width))
        }
        _ => look::line(Tone::Faint, text::cut(&text::shown(&hints(state)).replace('\n', " "), width)),
    };
    row(frame, height - 1, keys);
}

fn notice(state: &State, width: usize) -> Option<Line<'static>> {
    let (tone, text) = match (state.notice(), &state.link) {
        (Some(notice), _) => (notice.tone, notice.text.clone()),
        (None, Link::Lost { since, why }) => {
            let why = why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
            (Tone::Bad, format!("this is how it was at {}; it may have changed{why}", moment::zoned(*since)))
        }
        (None, _) => return None,
    };
    Some(look::line(tone, format!(" {}", text::headline(&text, width.saturating_sub(1)))))
}

fn lead(state: &State, purpose: &Purpose) -> String {
    match purpose {
        Purpose::Tell { team, from } if *from == state.me => format!(" tell {team}: "),
        Purpose::Tell { team, from } => format!(" tell {team} for {from}: "),
        Purpose::Reply { question } => {
            let team = &question.team;
            if let Some(no) = how::refusal(question) {
                return format!(" answer {team} with {}, because: ", no.label);
            }
            match (question.response_type.as_str(), question.questions.len()) {
                ("approval" | "boolean", _) => format!(" say no to {team}, because: "),
                ("form", _) => format!(" answer {team} as JSON: "),
                (_, count) if count > 1 => format!(" {count} answers to {team}, with ; between: "),
                _ => format!(" answer {team}: "),
            }
        }
    }
}

fn hints(state: &State) -> String {
    let kept = if state.kept.is_empty() { "" } else { "  Ctrl-Y your words" };
    let keys = match (&state.mode, state.view) {
        (Mode::Write { purpose: Purpose::Reply { question }, .. }, _) => {
            let like = how::typed(question).map(|like| format!("  like: {like}")).unwrap_or_default();
            return format!(" Enter sends  Esc leaves{kept}{like}");
        }
        (Mode::Write { .. }, _) => return format!(" Enter sends  Esc leaves{kept}"),
        (Mode::Confirm { .. }, _) => " Enter does it, any other key does not",
        (Mode::Help { .. }, _) => " j/k scroll  any other key goes back",
        // Several questions in one, or a form: there is no one key for the answer.
        (Mode::Look, View::Inbox) if state.question().and_then(how::typed).is_some() => {
            " r answer  j/k next  PgDn more  Enter session  Tab fleet  ? help  q"
        }
        (Mode::Look, View::Inbox) => " 1-9 y n answer  r reply  j/k next  PgDn more  Enter session  Tab fleet  ? q",
        (Mode::Look, View::Fleet) => " j/k next  Enter opens  t tell  w wake  s sleep  c cancel  Tab inbox  ? help  q",
        (Mode::Look, View::Session) => " j/k PgUp scroll  G follow  t tell  1-9 y n r answer  c cancel  Esc fleet  ? q",
    };
    keys.to_owned()
}

fn fade(frame: &mut Frame<'_>, area: Rect) {
    pale(frame, area);
    let buffer = frame.buffer_mut();
    area.positions().for_each(|at| buffer[at].modifier.insert(Modifier::DIM));
}

fn pale(frame: &mut Frame<'_>, area: Rect) {
    let buffer = frame.buffer_mut();
    for at in area.positions() {
        buffer[at].fg = Color::Reset;
        buffer[at].bg = Color::Reset;
    }
}
