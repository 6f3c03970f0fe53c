//! `iris down`: the daemon ends.

use std::time::Duration;

use iris_api::session::Session;
use iris_core::fault::FaultKind;
use iris_engine::home::Home;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::time::Instant;

use super::Context;
use crate::client::ClientError;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place;

/// Stop the daemon; agents end, everything that was accepted is kept
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris down           running turns may finish for settings.shutdownGrace
  iris down --now     at once; what ran is settled at the next start")]
pub struct DownArguments {
    /// Do not wait for running turns
    #[arg(long)]
    now: bool,
}

pub const PATIENCE: Duration = Duration::from_secs(60);
/// How long nothing may be said.
const SILENCE: Duration = Duration::from_secs(1);
const AGAIN: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Running turns may finish within the grace.
    Usual,
    None,
}

pub async fn run(arguments: DownArguments, context: &mut Context) -> Result<Exit, Failure> {
    let patience = if arguments.now { Patience::None } else { Patience::Usual };
    let ended = end(context, patience).await?;
    let line = match ended {
        true => "iris is down".to_owned(),
        false => format!("iris was not up for {}", place::shown(&context.home)),
    };
    if context.printer.is_json() {
        context.printer.json(&serde_json::json!({ "stopped": ended }))?;
    } else {
        context.printer.line(line)?;
    }
    Ok(Exit::Done)
}

/// Returns when the daemon has ended, and whether there was one.
pub async fn end(context: &mut Context, patience: Patience) -> Result<bool, Failure> {
    let home = Home::at(&context.home);
    let Some(holder) = home.holder() else {
        return match ClientError::of_nobody(&home) {
            ClientError::NotRunning(_) => Ok(false),
            hidden => Err(hidden.into()),
        };
    };
    // The lock is held by this very process, so the number is not a stranger's.
    let pid = Pid::from_raw(holder.pid.cast_signed());
    let refused = |error: nix::errno::Errno| {
        Failure::fault(FaultKind::Unavailable, format!("process {pid} cannot be asked to end ({error})"))
    };
    // Asked before: a daemon that ends answers nobody.
    let (awake, running) = at_work(context).await;
    kill(pid, Signal::SIGTERM).map_err(refused)?;
    // One that is stopped would never hear of it; to any other this says nothing.
    kill(pid, Signal::SIGCONT).ok();
    if patience == Patience::None {
        tokio::time::sleep(AGAIN).await;
        // It may have ended already.
        kill(pid, Signal::SIGTERM).ok();
    }
    let running = if patience == Patience::Usual { running } else { 0 };
    let what = match running {
        0 if awake == 0 => "waiting for the daemon to end".to_owned(),
        0 => "waiting for agents to end".to_owned(),
        1 => "waiting for 1 running turn to end; `iris down --now` does not wait".to_owned(),
        count => format!("waiting for {count} running turns to end; `iris down --now` does not wait"),
    };
    context.printer.wait_for(&what);
    let began = Instant::now();
    let mut is_told = context.printer.is_watched() || context.printer.is_json();
    while home.holder().is_some_and(|now| now.pid == holder.pid) {
        if began.elapsed() > PATIENCE {
            let what = format!("process {pid} has not ended within {} s", PATIENCE.as_secs());
            return Err(Failure::fault(FaultKind::Unavailable, what).hint("`iris down --now` does not wait for turns"));
        }
        if !is_told && began.elapsed() > SILENCE {
            context.printer.note(&what);
            is_told = true;
        }
        tokio::time::sleep(AGAIN).await;
    }
    context.printer.stop_waiting();
    Ok(true)
}

/// How many agents are there and how many turns run, as far as the daemon says so in time.
async fn at_work(context: &Context) -> (usize, usize) {
    let client = context.client();
    let Ok(Ok(sessions)) = tokio::time::timeout(SILENCE, client.sessions(None)).await else { return (0, 0) };
    let count = |holds: fn(&Session) -> bool| sessions.iter().filter(|session| holds(session)).count();
    (count(|session| session.pid.is_some()), count(|session| session.running.is_some()))
}
