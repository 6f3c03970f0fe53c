//! `iris status`: the daemon's own state.

use iris_api::question::{QuestionAlert, QuestionFigures};
use iris_api::status::{Status, StoreStatus};
use serde::Serialize;

use super::{Context, config};
use crate::client::Client;
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
  iris status --json | jq -r .url      where it serves
  until iris status; do sleep 1; done  wait for it")]
pub struct StatusArguments {}

pub async fn run(_: StatusArguments, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let printer = &mut context.printer;
    let status: Status = printer.while_waiting("asking iris", client.get(&["status"], &[])).await?;
    let (url, alerts) = (client.base().await?, alerts(&client, &status).await);
    if printer.is_json() {
        printer.json(&Shown { status: &status, url: &url, alerts: &alerts })?;
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
        count => format!(", {count} waiting for an agent"),
    };
    let in_force = match (&status.config.refused, status.config.pending.as_slice()) {
        _ if status.config.waiting_since.is_some() => config::awaited(&status.config).to_owned(),
        (Some(_), _) => "NOT what the file says: the file cannot be used".to_owned(),
        (None, []) => "as the file says".to_owned(),
        (None, pending) => format!("as the file says, but for the next start: {}", config::told(pending)),
    };
    let mut pairs = vec![
        ("iris", format!("{}, process {}, up {}", status.version, status.pid, moment::age(status.uptime_ms))),
        ("address", url),
        ("home", place::shown(status.home.as_ref())),
        ("agents", format!("{} of {}{waiting}", status.agents, status.max_agents)),
        ("store", format!("{}, {store}", status.database)),
        ("config", in_force),
        ("newest event", status.newest_event.to_string()),
    ];
    pairs.extend(alerts.into_iter().map(|alert| ("questions", format!("{}; see `iris inbox`", alert.what))));
    printer.pairs(&pairs)?;
    if let Some(refused) = status.config.refused.as_ref().filter(|_| status.config.waiting_since.is_none()) {
        printer.note(refused);
    }
    if let Some(hint) = hint {
        printer.note(format!("hint: {hint}"));
    }
    Ok(Exit::Done)
}

/// The status, where it was asked for, and what may be wrong with questions.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    status: &'a Status,
    url: &'a str,
    alerts: &'a [QuestionAlert],
}

/// Without a database that answers there is nothing to say of questions, and the status is said all the same.
async fn alerts(client: &Client, status: &Status) -> Vec<QuestionAlert> {
    if !matches!(status.store, StoreStatus::Well) {
        return Vec::new();
    }
    let figures = client.get::<QuestionFigures>(&["questions", "figures"], &[]).await;
    figures.map(|figures| figures.alerts).unwrap_or_default()
}
