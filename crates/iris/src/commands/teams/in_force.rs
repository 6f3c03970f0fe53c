//! Whether the daemon has taken up what was written to config.yaml. It looks at the file by itself; whoever goes on as if it
//! had should know.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use iris_api::Page;
use iris_api::status::{ConfigStatus, Status};
use iris_api::team::Team;
use iris_core::fault::FaultKind;
use iris_engine::home::Home;
use tokio::time::Instant;

use crate::client::{Client, ClientError};
use crate::commands::Context;
use crate::commands::config::awaited;
use crate::config_file;
use crate::failure::Failure;
use crate::place;

/// A daemon reads the file within a second; a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(10);
const EVERY: Duration = Duration::from_millis(100);
/// By then a daemon has read a file that has changed, or waits for something.
const SEEN: Duration = Duration::from_secs(1);

/// Before a change of the file: what is in it has to be in force. With a change, what a daemon does not use, or does not use
/// yet, would take the place of what it goes on with.
pub async fn refuse_unsettled(context: &Context) -> Result<(), Failure> {
    refuse_other_home(context).await?;
    let client = context.client();
    if !client.finds_a_daemon() {
        return Ok(());
    }
    let file = Home::at(&context.home).config();
    config_file::refuse_lost(&file)?;
    let indicator = context.printer.indicator();
    let settled = indicator.notice("waiting until iris has read the config file", settle(&client, &file)).await;
    let refusal = settled.map(|config| config.and_then(|config| refusal(&place::shown(&file), &config)));
    let failure = match refusal {
        Ok(None) => return Ok(()),
        Ok(Some(failure)) | Err(failure) => failure,
    };
    Err(Failure { message: format!("nothing was changed: {}", failure.message), ..failure })
}

fn refusal(file: &str, config: &ConfigStatus) -> Option<Failure> {
    let (what, hint) = match (&config.refused, config.waiting_since) {
        (Some(why), _) => (
            format!("the daemon does not use {file} as it is, and goes on with what was in it before: {why}"),
            "correct the file, or put it back: `iris config show` prints what is in force, without secrets",
        ),
        (None, Some(_)) => {
            (format!("{file} is {}", awaited(config)), "try again once `iris status` says that the file is in force")
        }
        (None, None) => return None,
    };
    Some(Failure::fault(FaultKind::Conflict, what).hint(hint))
}

/// How the file is to the daemon, once it has looked at it. Nothing if there is none any more.
async fn settle(client: &Client, file: &Path) -> Result<Option<ConfigStatus>, Failure> {
    let began = Instant::now();
    loop {
        // Before it is asked: what it says then is about what was there then.
        let is_new = is_new(file);
        let status: Status = match client.get(&["status"], &[]).await {
            Err(ClientError::NotRunning(_)) => return Ok(None),
            status => status?,
        };
        let is_at_rest = !is_new && status.config.waiting_for.as_deref() != Some("rest");
        if is_at_rest || began.elapsed() > PATIENCE {
            return Ok(Some(status.config));
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// Whether it may be too soon for the daemon to have seen it.
fn is_new(file: &Path) -> bool {
    let Ok(about) = std::fs::metadata(file) else { return false };
    let since = u64::try_from(about.ctime()).unwrap_or_default();
    let changed =
        SystemTime::UNIX_EPOCH + Duration::new(since, 0) + Duration::from_nanos(about.ctime_nsec().unsigned_abs());
    changed.elapsed().is_ok_and(|ago| ago < SEEN)
}

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
