//! Whether the daemon has taken up what was written to config.yaml. It looks at the file by itself; whoever goes on as if it
//! had should know.

use std::time::Duration;

use iris_api::Page;
use iris_api::status::Status;
use iris_api::team::Team;
use iris_core::fault::FaultKind;
use iris_engine::home::Home;
use tokio::time::Instant;

use crate::client::{Client, ClientError};
use crate::commands::Context;
use crate::commands::config::awaited;
use crate::failure::Failure;
use crate::place;

/// A daemon reads the file within a second; a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(10);
const EVERY: Duration = Duration::from_millis(100);

/// The daemon that is asked must be the one that reads the file that is changed.
pub async fn refuse_other_home(context: &Context) -> Result<(), Failure> {
    let client = context.client();
    if !client.is_elsewhere() {
        return Ok(());
    }
    let status: Status = client.get(&["status"], &[]).await?;
    let home = Home::at(&context.home);
    if home.holder().is_some_and(|holder| holder.pid == status.pid) {
        return Ok(());
    }
    let (here, there) = (place::shown(&context.home), place::shown(status.home.as_ref()));
    let what = format!("IRIS_URL leads to the iris of {there}, which does not read the config in {here}");
    Err(Failure::fault(FaultKind::Conflict, what)
        .hint("leave IRIS_URL out to change this home; or name the other with --home, on its own machine"))
}

/// Until the names of the teams are as they should be. Where no daemon runs there is nothing to wait for.
pub async fn wait(context: &Context, is_so: impl Fn(&[&str]) -> bool) -> Result<(), Failure> {
    let client = context.client();
    if !client.finds_a_daemon() {
        return Ok(());
    }
    let indicator = context.printer.indicator();
    let taken_up = indicator.notice("waiting until iris has taken it up", take_up(&client, is_so));
    taken_up.await.map_err(|failure| {
        let file = place::shown(&Home::at(&context.home).config());
        let message = format!("written to {file}, but the daemon has not taken it up: {}", failure.message);
        Failure { message, ..failure }
    })
}

async fn take_up(client: &Client, is_so: impl Fn(&[&str]) -> bool) -> Result<(), Failure> {
    let (began, written) = (Instant::now(), iris_engine::wall_ms());
    loop {
        let page: Page<Team> = match client.get(&["teams"], &[]).await {
            // It ended meanwhile; the next one reads the file at its start.
            Err(ClientError::NotRunning(_)) => return Ok(()),
            page => page?,
        };
        let names: Vec<_> = page.items.iter().map(|team| team.name.as_str()).collect();
        if is_so(&names) {
            return Ok(());
        }
        let status: Status = client.get(&["status"], &[]).await?;
        // What was refused before is not about what was written now.
        let is_refused = status.config.refused_at.is_some_and(|at| at >= written);
        if is_refused || began.elapsed() > PATIENCE {
            return Err(not_taken_up(&status));
        }
        tokio::time::sleep(EVERY).await;
    }
}

fn not_taken_up(status: &Status) -> Failure {
    let config = &status.config;
    let (why, hint) = match (&config.refused, config.waiting_since) {
        (Some(why), _) => (why.clone(), "correct the file; it is in force a second later"),
        (None, Some(_)) => (format!("the file is {}", awaited(config)), "see `iris status` until it is in force"),
        (None, None) => {
            ("it goes on with the config of before".to_owned(), "start it anew: `iris down`, then `iris up`")
        }
    };
    Failure::fault(FaultKind::Unavailable, why).hint(hint)
}
