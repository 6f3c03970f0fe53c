//! `iris cache inspect`: the turns of a session, or the messages of a turn.

use iris_api::Page;
use iris_api::session::Session;
use iris_api::turn::{Message, Turn};
use iris_core::fault::FaultKind;
use serde::Serialize;

use crate::client::{Client, ClientError};
use crate::commands::{Context, sessions};
use crate::exit::Exit;
use crate::failure::{Failure, Why};
use crate::printer::{Printer, Span, Tone};
use crate::{moment, said};

#[derive(Debug, clap::Args)]
pub struct InspectArguments {
    /// A team, or the id of a session or a turn (of a session, enough of its beginning)
    what: String,
    /// With a team: whose conversation with it is meant [default: user]
    #[arg(long, value_name = "P")]
    from: Option<String>,
    /// How many turns or messages to show [default: the latest 10 turns, all messages of a turn]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=1000))]
    limit: Option<i64>,
    /// Begin after this turn's or message's number
    #[arg(long, value_name = "N")]
    after: Option<i64>,
}

const TURNS: i64 = 10;

enum Meant {
    Session(Box<Session>),
    Turn(Box<Turn>),
}

#[derive(Serialize)]
struct SessionCache {
    session: Box<Session>,
    /// How many turns there were before those.
    earlier: i64,
    turns: Vec<Turn>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

#[derive(Serialize)]
struct TurnCache {
    turn: Box<Turn>,
    messages: Vec<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

pub async fn run(arguments: InspectArguments, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    match meant(&client, &arguments).await? {
        Meant::Session(session) => show_session(&client, session, &arguments, &mut context.printer).await?,
        Meant::Turn(turn) => show_turn(&client, turn, &arguments, &mut context.printer).await?,
    }
    Ok(Exit::Done)
}

/// A team's name first, then the beginning of a session's id, then a turn's id.
async fn meant(client: &Client, arguments: &InspectArguments) -> Result<Meant, Failure> {
    let what = arguments.what.as_str();
    let all = client.sessions(None).await?;
    let party = arguments.from.as_deref().unwrap_or("user");
    if let Some(own) = sessions::find::with_party(&all, what, party) {
        return Ok(Meant::Session(Box::new(own?.clone())));
    }
    match client.get::<Turn>(&["turns", what], &[]).await {
        Ok(turn) => return Ok(Meant::Turn(Box::new(turn))),
        Err(ClientError::Refused(problem)) if problem.kind == "not_found" => {}
        Err(error) => return Err(error.into()),
    }
    match sessions::find::choose(what, all) {
        Ok(session) => Ok(Meant::Session(Box::new(session))),
        Err(failure) if failure.why == Why::Fault(FaultKind::NotFound) => {
            let message = format!("{what} is no session, no turn, and no team that was told anything");
            Err(sessions::find::with_team(client, what, Failure { message, ..failure }).await)
        }
        Err(failure) => Err(failure),
    }
}

async fn show_session(
    client: &Client,
    session: Box<Session>,
    arguments: &InspectArguments,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let limit = arguments.limit.unwrap_or(TURNS);
    let after = arguments.after.unwrap_or((session.turns - limit).max(0));
    let query = [("after", after.to_string()), ("limit", limit.to_string())];
    let page: Page<Turn> = client.get(&["sessions", &session.id, "turns"], &query).await?;
    if printer.is_json() {
        return printer.json(&SessionCache { session, earlier: after, turns: page.items, next: page.next });
    }
    let whose = format!("{} → {}", session.from, session.to);
    printer.spans([Span::strong(&whose), Span::plain(format!("  {}", sessions::state(&session)))])?;
    printer.spans([Span::faint(format!("session {}", session.id))])?;
    if after > 0 && arguments.after.is_none() {
        let (from, id) = ((after - limit).max(0), &session.id);
        printer.note(format!("{after} earlier: iris cache inspect {id} --after {from} --limit {limit}"));
    }
    for turn in &page.items {
        printer.line("")?;
        show_exchange(turn, printer)?;
    }
    match page.items.last() {
        None if arguments.after.is_some_and(|after| after > 0) => {
            printer.line(format!("nothing comes after turn {after}"))?
        }
        None => printer.line("nothing is kept of it")?,
        Some(last) if last.number < session.turns => {
            printer.note(format!("more: iris cache inspect {} --after {} --limit {limit}", session.id, last.number))
        }
        Some(_) => {}
    }
    Ok(())
}

fn show_exchange(turn: &Turn, printer: &mut Printer) -> Result<(), Failure> {
    heading(turn, printer)?;
    show_origin(turn, printer)?;
    for line in turn.message.trim_end().lines() {
        printer.spans([Span::faint("> "), Span::plain(line)])?;
    }
    if let Some(response) = turn.response.as_deref().filter(|response| !response.is_empty()) {
        printer.line(response.trim_end())?;
    }
    show_error(turn, printer)?;
    Ok(())
}

/// Nobody told it: why there is a turn at all.
fn show_origin(turn: &Turn, printer: &mut Printer) -> Result<(), Failure> {
    match turn.origin.as_deref() {
        Some("answer") => printer.spans([Span::faint("> (goes on with the answer)")]),
        Some(origin) => printer.spans([Span::faint(format!("> (by itself: {origin})"))]),
        None => Ok(()),
    }
}

fn show_error(turn: &Turn, printer: &mut Printer) -> Result<(), Failure> {
    match &turn.error {
        Some(error) if turn.state == "cancelled" => printer.spans([Span::of(Tone::Bad, error)]),
        Some(error) => printer.spans([Span::of(Tone::Bad, format!("{}: ", turn.state)), Span::plain(error)]),
        None => Ok(()),
    }
}

/// `turn 3  completed  1.2s  2025-11-15 20:14  0199…`
fn heading(turn: &Turn, printer: &mut Printer) -> Result<(), Failure> {
    let took = turn.started_at.and(turn.duration_ms).map(|took| format!("  {}", moment::span(took)));
    let took = took.unwrap_or_default();
    let again = if turn.attempts > 1 { format!("  attempt {}", turn.attempts) } else { String::new() };
    printer.spans([
        Span::strong(format!("turn {}  ", turn.number)),
        Span::of(Tone::of_state(&turn.state), turn.state.clone()),
        Span::plain(behind_state(turn.note.as_deref())),
        Span::faint(format!("{took}{again}  {}  {}", moment::clock(turn.accepted_at), turn.id)),
    ])
}

/// What a turn waits for. It may begin with its state, which is there already.
fn behind_state(note: Option<&str>) -> String {
    note.map(|note| format!(": {}", note.strip_prefix("queued, ").unwrap_or(note))).unwrap_or_default()
}

async fn show_turn(
    client: &Client,
    turn: Box<Turn>,
    arguments: &InspectArguments,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let path = ["turns", turn.id.as_str(), "messages"];
    let (messages, next) = match (arguments.limit, arguments.after) {
        (None, None) => (client.all(&path, &[]).await?, None),
        (limit, after) => {
            let limit = limit.unwrap_or(1000).to_string();
            let query = [("after", after.unwrap_or(0).to_string()), ("limit", limit)];
            let page: Page<Message> = client.get(&path, &query).await?;
            (page.items, page.next)
        }
    };
    if printer.is_json() {
        return printer.json(&TurnCache { turn, messages, next });
    }
    heading(&turn, printer)?;
    show_origin(&turn, printer)?;
    if turn.origin.is_none() || !turn.message.is_empty() {
        printer.spans([Span::faint("> "), Span::plain(turn.message.trim_end())])?;
    }
    for message in &messages {
        show_message(message, printer)?;
    }
    show_error(&turn, printer)?;
    if let Some(next) = next {
        printer.note(format!("more: iris cache inspect {} --after {next}", turn.id));
    }
    Ok(())
}

/// How many lines of what a tool brought back are shown.
const MOST_LINES: usize = 10;

/// What the agent said is shown whole; what it did, on a line, and the beginning of what came of it.
fn show_message(message: &Message, printer: &mut Printer) -> Result<(), Failure> {
    let text = message.text.as_deref().unwrap_or_default();
    let inside = if message.parent.is_some() { "  " } else { "" };
    let lead = Span::faint(format!("{inside}{} {:>6}  ", moment::clock(message.at), message.seq));
    let aside = if message.aside { " (aside)" } else { "" };
    let kind = Span::faint(format!("{}{aside}  ", message.kind));
    match message.kind.as_str() {
        "assistant" if text.contains('\n') => {
            printer.spans([lead, kind])?;
            printer.line(text.trim_end())
        }
        "assistant" => printer.spans([lead, kind, Span::plain(text)]),
        "tool_use" => {
            let about = message.calls.first().and_then(|call| call.meaning.about.as_deref());
            printer.spans([lead, kind, Span::plain(said::call(text, about))])
        }
        "tool_result" => {
            printer.spans([lead, kind])?;
            let lines: Vec<&str> = text.trim_end().lines().collect();
            for line in lines.iter().take(MOST_LINES) {
                printer.spans([Span::faint(format!("{inside}  {line}"))])?;
            }
            match lines.len().saturating_sub(MOST_LINES) {
                0 => Ok(()),
                more => printer.spans([Span::faint(format!("{inside}  … {more} more lines; --json has them"))]),
            }
        }
        _ => {
            let room = printer.width().map_or(usize::MAX, |width| width.saturating_sub(30).max(20));
            let text = printer.fit(text, room);
            printer.spans([lead, kind, Span::faint(text)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_turn_waits_for_is_behind_its_state_once() {
        assert_eq!(behind_state(Some("queued, 2 ahead")), ": 2 ahead");
        let gone = "waits for its team, which is not in config.yaml any more";
        assert_eq!(behind_state(Some(gone)), format!(": {gone}"));
        assert_eq!(behind_state(None), "");
    }
}
