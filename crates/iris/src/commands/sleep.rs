//! `iris sleep`: end a team's agent; the conversation is kept.

use iris_api::team::{PartyRequest, SleepResponse};

use super::Context;
use super::sessions::nothing_here;
use crate::exit::Exit;
use crate::failure::Failure;

/// End a team's agent; the conversation is kept
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris sleep backend           your own session with it, if it is idle
  iris sleep backend --force   also if it is at work: its turn is terminated
  iris sleep backend --all     every session of the team

The next tell starts a new agent, which goes on with the same conversation.")]
pub struct SleepArguments {
    /// The team's name
    team: String,
    /// Whose conversation with the team is meant [default: user]
    #[arg(long, value_name = "P", conflicts_with = "all")]
    from: Option<String>,
    /// Stop it though it is at work
    #[arg(long)]
    force: bool,
    /// All sessions of the team
    #[arg(long)]
    all: bool,
}

pub async fn run(arguments: SleepArguments, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let team = &arguments.team;
    let request = PartyRequest { from_team: arguments.from, force: arguments.force, all: arguments.all };
    let slept: SleepResponse = client.post(&["teams", team, "sleep"], &request).await?;
    let printer = &mut context.printer;
    match slept.stopped {
        _ if printer.is_json() => printer.json(&slept)?,
        0 => {
            let others = client.sessions(Some(team)).await?.iter().filter(|session| session.state != "stopped").count();
            printer.line(nothing_here(team, &request, "was not awake", others, ["is", "are"]))?;
        }
        1 => printer.line(format!("{team} sleeps; its agent was ended"))?,
        count => printer.line(format!("{team} sleeps; {count} agents were ended"))?,
    }
    Ok(Exit::Done)
}
