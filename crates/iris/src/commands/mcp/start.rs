//! Finding the daemon, or starting it. Any number may try at once: the lock on the home decides which of the daemons
//! stays, and all find that one.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use iris_core::fault::FaultKind;
use iris_engine::home::Home;
use tokio::process::Command;
use tokio::time::Instant;

use crate::client::{Client, ClientError};
use crate::failure::{Failure, Why};

/// How long it may take until there is one that serves.
const PATIENCE: Duration = Duration::from_secs(30);
const AGAIN: Duration = Duration::from_millis(100);

/// Returns when there is a daemon that can be talked to; `extra` is for one that has to be started.
pub async fn ensure(client: &Client, home: &Path, extra: &[&str]) -> Result<(), Failure> {
    let began = Instant::now();
    // Whether one runs would never be seen.
    if !client.is_elsewhere() && Home::at(home).hidden_lock().is_some() {
        return Err(ClientError::of_nobody(&Home::at(home)).into());
    }
    while !client.is_elsewhere() && !client.finds_a_daemon() {
        start(home, extra).await?;
        if began.elapsed() > PATIENCE {
            let what = format!("no daemon served within {} s", PATIENCE.as_secs());
            return Err(Failure::fault(FaultKind::Unavailable, what));
        }
        tokio::time::sleep(AGAIN).await;
    }
    Ok(())
}

/// One that was started at the same time and has the home already is as good as ours.
async fn start(home: &Path, extra: &[&str]) -> Result<(), Failure> {
    let failed = |what: String| Failure::fault(FaultKind::Unavailable, what);
    let program = std::env::current_exe().map_err(|error| failed(format!("iris cannot find itself ({error})")))?;
    let mut starter = Command::new(program);
    starter.arg("--home").arg(home).args(["serve", "--detached", "--json"]).args(extra);
    starter.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let ended = starter.output().await.map_err(|error| failed(format!("iris cannot be started ({error})")))?;
    if ended.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    match Failure::from_last_line(&said) {
        Some(told) if told.why == Why::AlreadyRunning => Ok(()),
        Some(told) => Err(told),
        None => Err(failed(format!("iris could not be started: {}", said.trim()))),
    }
}
