//! `iris wake`: start a team's agent before it is needed.

use iris_api::team::{PartyRequest, WakeResponse};

use super::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// Start a team's agent before it is needed
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris wake backend                   for yourself
  iris wake backend --from frontend   for the conversation of another party
  iris wake backend --json

An agent that waits for a limit to be lifted does not wait any longer: for when you know that it is.")]
pub struct WakeArguments {
    /// The team's name
    team: String,
    /// Whose conversation with the team is meant [default: user]
    #[arg(long, value_name = "P")]
    from: Option<String>,
}

pub async fn run(arguments: WakeArguments, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let team = &arguments.team;
    let request = PartyRequest { from_team: arguments.from, ..PartyRequest::default() };
    context.printer.wait_for(&format!("{team} is starting…"));
    let woken: WakeResponse = client.post(&["teams", team, "wake"], &request).await?;
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&woken)?;
        return Ok(Exit::Done);
    }
    let already = if woken.was_awake { "already " } else { "" };
    let process = woken.session.pid.map(|pid| format!("process {pid}, ")).unwrap_or_default();
    let session = woken.session;
    if woken.was_held {
        printer.line(format!("{team} waited for a limit to be lifted; it tries again now"))?;
    }
    printer.line(format!("{team} is {already}awake for {} ({process}session {})", session.from, session.id))?;
    Ok(Exit::Done)
}
