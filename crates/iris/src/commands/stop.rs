//! `iris stop --all`: the kill switch. It works without a daemon, too, and past one that does not answer.

use std::time::Duration;

use iris_agents::contain::end_leftovers;
use iris_api::status::{Status, StopResponse};
use iris_engine::home::Home;
use serde_json::json;
use tokio::time::timeout;

use super::Context;
use crate::client::{Client, ClientError};
use crate::confirm::{Consent, confirm};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;

/// A daemon that answers needs up to ten seconds to end agents that do not want to. After this time it is asked whether it
/// is there at all.
const PATIENCE: Duration = Duration::from_secs(5);
const SIGN_OF_LIFE: Duration = Duration::from_secs(3);

/// Stop every agent at once; nothing starts again by itself
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris stop --all               end every agent within 10 seconds
  iris stop --all --yes         without asking; nor are you asked in a script or with --json
  iris stop --all --yes --json  how many agents were ended, and which turns were withdrawn

Turns that run are terminated. Turns that wait, or are due later, are withdrawn: they never run. \
Conversations are kept, and Iris itself goes on: the next tell starts an agent that resumes its own. \
Without a daemon, or past one that does not answer, processes are ended directly, and no turn is withdrawn. \
To end one agent, use `iris sleep`; to end one turn, `iris cancel`; to end Iris, `iris down`.")]
pub struct StopArguments {
    /// Every agent of this Iris, and all that waits
    #[arg(long, required = true)]
    all: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

pub async fn run(arguments: StopArguments, context: &mut Context) -> Result<Exit, Failure> {
    let question = "end every agent and withdraw all turns that wait?";
    confirm(&mut context.printer, Consent::to_stop(arguments.yes), question)?;
    let client = context.client();
    let home = Home::at(&context.home);
    match ask(&client).await {
        Ok(stopped) => say(&mut context.printer, &stopped)?,
        Err(ClientError::NotRunning(_)) if home.instance().is_some() => {
            // With the home held, no daemon can start agents meanwhile.
            let held = home.lock().map_err(|error| Failure::internal(error.to_string()))?;
            let ended = end_directly(&home).await?;
            drop(held);
            let waits = "turns that wait were not withdrawn: they run when it is started";
            say_directly(&mut context.printer, "iris is not running", ended, waits)?;
        }
        Err(silent @ ClientError::Silent { .. }) if client.is_of_this_home() => {
            let ended = end_directly(&home).await?;
            // It was asked, and does so if it comes to that.
            let waits = "turns that wait were not withdrawn; should it go on, run `iris stop --all` again";
            say_directly(&mut context.printer, &silent.to_string(), ended, waits)?;
        }
        Err(error) => return Err(error.into()),
    }
    Ok(Exit::Done)
}

/// Has the daemon do it. One that does not even say how it is will not.
async fn ask(client: &Client) -> Result<StopResponse, ClientError> {
    let stop = client.post(&["agents", "stop"], &());
    tokio::pin!(stop);
    if let Ok(answer) = timeout(PATIENCE, &mut stop).await {
        return answer;
    }
    match timeout(SIGN_OF_LIFE, client.get::<Status>(&["status"], &[])).await {
        Ok(Ok(_)) => stop.await,
        Ok(Err(_)) | Err(_) => Err(client.silent(PATIENCE + SIGN_OF_LIFE)),
    }
}

async fn end_directly(home: &Home) -> Result<usize, Failure> {
    // Without one there is nothing to be known by.
    let Some(instance) = home.instance() else { return Ok(0) };
    let ended = tokio::task::spawn_blocking(move || end_leftovers(&instance)).await;
    ended.map_err(|error| Failure::internal(error.to_string()))
}

fn say(printer: &mut Printer, stopped: &StopResponse) -> Result<(), Failure> {
    if printer.is_json() {
        return printer.json(stopped);
    }
    let agents = match stopped.agents {
        0 => "no agent was awake".to_owned(),
        1 => "1 agent was ended".to_owned(),
        count => format!("{count} agents were ended"),
    };
    let turns = match stopped.withdrawn.len() {
        0 => "no turn waited".to_owned(),
        1 => "1 turn that waited was withdrawn".to_owned(),
        count => format!("{count} turns that waited were withdrawn"),
    };
    printer.line(format!("{agents}; {turns}"))
}

fn say_directly(printer: &mut Printer, why: &str, processes: usize, waits: &str) -> Result<(), Failure> {
    if printer.is_json() {
        return printer.json(&json!({"agents": 0, "withdrawn": [], "processes": processes, "daemon": why}));
    }
    let ended = match processes {
        0 => "nothing of it was left running".to_owned(),
        1 => "1 process that was left of its agents was ended".to_owned(),
        count => format!("{count} processes that were left of its agents were ended"),
    };
    printer.line(format!("{why}; {ended}"))?;
    printer.line(waits)
}
