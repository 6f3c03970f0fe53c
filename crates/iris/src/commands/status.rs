//! `iris status`: the daemon's own state.

use iris_api::status::{Status, StoreStatus};

use super::{Context, config};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::moment;
use crate::place;

/// Show whether Iris runs, and how it is
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris status                          the daemon of ~/.iris
  iris --home /srv/iris status         that of another home
  iris status --json | jq .agents      how many agents are alive
  until iris status; do sleep 1; done  wait for it")]
pub struct StatusArguments {}

pub async fn run(_: StatusArguments, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let printer = &mut context.printer;
    let status: Status = printer.while_waiting("asking iris", client.get(&["status"], &[])).await?;
    if printer.is_json() {
        printer.json(&status)?;
        return Ok(Exit::Done);
    }
    let (store, hint) = match status.store {
        StoreStatus::Well => ("well".to_owned(), None),
        StoreStatus::Troubled { what, hint, since } => {
            (format!("in trouble since {}: {what}", moment::clock(since)), hint)
        }
    };
    let waiting = match status.waiting_sessions {
        0 => String::new(),
        count => format!(", {count} waiting for a place"),
    };
    let in_force = match (&status.config.refused, status.config.pending.as_slice()) {
        _ if status.config.waiting_since.is_some() => config::awaited(&status.config).to_owned(),
        (Some(_), _) => "NOT what the file says: the file cannot be used".to_owned(),
        (None, []) => "as the file says".to_owned(),
        (None, pending) => format!("as the file says, but for the next start: {}", config::told(pending)),
    };
    printer.pairs(&[
        ("iris", format!("{}, process {}, up {}", status.version, status.pid, moment::age(status.uptime_ms))),
        ("home", place::shown(status.home.as_ref())),
        ("agents", format!("{} of {}{waiting}", status.agents, status.max_agents)),
        ("store", format!("{}, {store}", status.database)),
        ("config", in_force),
        ("newest event", status.newest_event.to_string()),
    ])?;
    if let Some(refused) = &status.config.refused {
        printer.note(refused);
    }
    if let Some(hint) = hint {
        printer.note(format!("hint: {hint}"));
    }
    Ok(Exit::Done)
}
