//! `iris events`: the log, as it stands or as it grows.

pub mod describe;

use std::collections::{BTreeSet, VecDeque};

use clap::builder::PossibleValuesParser;
use iris_api::event::Event;
use iris_api::status::Status;
use iris_core::event::KINDS;
use iris_core::visible::visible;

use super::Context;
use crate::client::Client;
use crate::client::follow::{Follower, Met};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::CtrlC;
use crate::moment;
use crate::printer::{Printer, Span};

/// Show what happened, in order
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris events                              the latest events
  iris events --follow                     and everything from now on
  iris events --after 812 --team backend   what a team did since event 812
  iris events --kind turn.finished --json  one JSON object on each line")]
pub struct EventsArguments {
    /// Go on with what happens from now on
    #[arg(long, short)]
    follow: bool,
    /// Only events after this number; 0 begins with the first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    after: Option<i64>,
    /// Without --after, show so many
    #[arg(long, value_name = "N", default_value_t = 50)]
    limit: usize,
    /// Only of this team
    #[arg(long, value_name = "T")]
    team: Option<String>,
    /// Only of this session
    #[arg(long, value_name = "S")]
    session: Option<String>,
    /// Only of this kind (turn.finished) or noun (turn)
    #[arg(long, value_name = "K", value_delimiter = ',', hide_possible_values = true, value_parser = kinds())]
    kind: Vec<String>,
}

/// What is not among them would be looked for in the whole log, and never found.
fn kinds() -> PossibleValuesParser {
    let nouns = KINDS.iter().filter_map(|kind| kind.split('.').next());
    let nouns: BTreeSet<&str> = nouns.chain(["message"]).collect();
    PossibleValuesParser::new(nouns.into_iter().chain(KINDS))
}

pub async fn run(arguments: EventsArguments, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let filter = filter(&client, &arguments).await?;
    let newest = client.get::<Status>(&["status"], &[]).await?.newest_event;
    let mut seen = arguments.after.unwrap_or(newest);
    match arguments.after {
        Some(after) => {
            let mut next = Some(after);
            // Page by page, so that a long log shows its beginning at once.
            while let Some(from) = next {
                let (page, follows) = client.events(&filter, from).await?;
                next = follows;
                for event in &page {
                    show(event, &mut context.printer)?;
                    seen = event.seq;
                }
            }
        }
        None if arguments.limit > 0 => {
            for event in latest(&client, &filter, newest, arguments.limit).await? {
                show(&event, &mut context.printer)?;
            }
        }
        None => {}
    }
    if arguments.follow { follow(client, filter, seen, &mut context.printer).await } else { Ok(Exit::Done) }
}

type Filter = Vec<(&'static str, String)>;

async fn filter(client: &Client, arguments: &EventsArguments) -> Result<Filter, Failure> {
    let mut filter = Vec::new();
    filter.extend(arguments.team.clone().map(|team| ("team", team)));
    if !arguments.kind.is_empty() {
        filter.push(("kind", arguments.kind.join(",")));
    }
    if let Some(session) = &arguments.session {
        filter.push(("session", super::sessions::find::find(client, session).await?.id));
    }
    Ok(filter)
}

/// The last so many. Without a filter they are near the end; with one, the whole log is looked through. Not every number
/// is that of an event, so that it is gone back further until there are enough.
async fn latest(client: &Client, filter: &Filter, newest: i64, limit: usize) -> Result<VecDeque<Event>, Failure> {
    let mut back = i64::try_from(limit).unwrap_or(i64::MAX);
    loop {
        let from = if filter.is_empty() { newest.saturating_sub(back).max(0) } else { 0 };
        let kept = latest_after(client, filter, (from, newest), limit).await?;
        if kept.len() >= limit || from == 0 {
            return Ok(kept);
        }
        back = back.saturating_mul(4);
    }
}

async fn latest_after(
    client: &Client,
    filter: &Filter,
    (from, newest): (i64, i64),
    limit: usize,
) -> Result<VecDeque<Event>, Failure> {
    let mut next = Some(from);
    let mut kept = VecDeque::new();
    while let Some(from) = next {
        let (page, follows) = client.events(filter, from).await?;
        next = follows.filter(|from| *from < newest);
        for event in page {
            kept.push_back(event);
            if kept.len() > limit {
                kept.pop_front();
            }
        }
    }
    kept.retain(|event: &Event| event.seq <= newest);
    Ok(kept)
}

async fn follow(client: Client, filter: Filter, after: i64, printer: &mut Printer) -> Result<Exit, Failure> {
    let mut ctrl_c = CtrlC::listen()?;
    let mut follower = Follower::new(client, filter, after);
    loop {
        tokio::select! {
            met = follower.next() => match met? {
                Met::Event(event) => show(&event, printer)?,
                Met::Delta(_) => {}
                Met::Cut { .. } => printer.glimpse("iris is away; waiting for it to come back"),
                Met::Back => printer.glimpse("iris is back"),
            },
            // Ctrl-C is how following ends.
            () = ctrl_c.pressed() => return Ok(Exit::Done),
        }
    }
}

/// `  812  20:14:05  turn.finished  backend  completed in 1.2s`
fn show(event: &Event, printer: &mut Printer) -> Result<(), Failure> {
    if printer.is_json() {
        return printer.json(event);
    }
    let number = format!("{:>6}  {}  ", event.seq, moment::clock(event.at));
    let kind = format!("{:16}  ", event.kind);
    let team = event.team.as_ref().map(|team| format!("{team}  ")).unwrap_or_default();
    let taken = number.len() + kind.len() + team.len();
    let room = printer.width().map_or(usize::MAX, |width| width.saturating_sub(taken).max(10));
    // In a pipe, too: what agents wrote stands in a line of Iris's own here.
    let what = printer.fit(&visible(&describe::describe(event)), room);
    printer.spans([Span::faint(number), Span::plain(kind), Span::strong(team), Span::plain(what)])
}
