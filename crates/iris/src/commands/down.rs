//! `iris down`: the daemon ends.

use std::time::Duration;

use iris_core::fault::FaultKind;
use iris_engine::home::Home;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::time::Instant;

use super::Context;
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
    let Some(holder) = home.holder() else { return Ok(false) };
    // The lock is held by this very process, so the number is not a stranger's.
    let pid = Pid::from_raw(holder.pid.cast_signed());
    let refused = |error: nix::errno::Errno| {
        Failure::fault(FaultKind::Unavailable, format!("process {pid} cannot be asked to end ({error})"))
    };
    // Asked before: a daemon that ends answers nobody.
    let running = if patience == Patience::Usual { running(context).await } else { 0 };
    kill(pid, Signal::SIGTERM).map_err(refused)?;
    // One that is stopped would never hear of it; to any other this says nothing.
    kill(pid, Signal::SIGCONT).ok();
    if patience == Patience::None {
        tokio::time::sleep(AGAIN).await;
        // It may have ended already.
        kill(pid, Signal::SIGTERM).ok();
    }
    let what = match running {
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

/// How many turns run, as far as the daemon says so in time.
async fn running(context: &Context) -> usize {
    let client = context.client();
    let Ok(Ok(sessions)) = tokio::time::timeout(SILENCE, client.sessions(None)).await else { return 0 };
    sessions.iter().filter(|session| session.running.is_some()).count()
}
