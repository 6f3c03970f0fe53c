//! `iris stop --all`: the kill switch.

use iris_api::status::StopResponse;

use super::Context;
use crate::confirm::{Consent, confirm};
use crate::exit::Exit;
use crate::failure::Failure;

/// Stop every agent at once; nothing starts again by itself
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris stop --all               end every agent within 10 seconds
  iris stop --all --yes         without asking
  iris stop --all --yes --json  how many agents were ended, and which turns were withdrawn

Turns that run are terminated. Turns that wait, or are due later, are withdrawn: they never run. \
Conversations are kept, and Iris itself goes on: the next tell starts an agent that resumes its own. \
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
    // A kill switch that a script pulls works at once.
    confirm(&mut context.printer, Consent::unless_asked(arguments.yes), question)?;
    let stopped: StopResponse = context.client().post(&["agents", "stop"], &()).await?;
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&stopped)?;
        return Ok(Exit::Done);
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
    printer.line(format!("{agents}; {turns}"))?;
    Ok(Exit::Done)
}
