//! `iris cancel`: withdraw turns that wait, for their turn or for their time; interrupt those that run.

use iris_api::session::Session;
use iris_api::team::{CancelResponse, PartyRequest};
use iris_api::turn::TurnCancelled;

use super::Context;
use super::sessions::nothing_here;
use crate::exit::Exit;
use crate::failure::Failure;

/// Withdraw the turns that wait and interrupt the one that runs
#[derive(Debug, clap::Args)]
#[command(
    group = clap::ArgGroup::new("what").required(true).args(["team", "turn"]),
    after_help = "\
Examples:
  iris cancel backend                     all your turns with the team
  iris cancel backend --from frontend     those of another party
  iris cancel backend --all               those of everyone
  iris cancel --turn 0199f3c2-…           only this one"
)]
pub struct CancelArguments {
    /// The team's name
    team: Option<String>,
    /// Whose conversation with the team is meant [default: user]
    #[arg(long, value_name = "P", requires = "team", conflicts_with = "all")]
    from: Option<String>,
    /// All sessions of the team
    #[arg(long, requires = "team")]
    all: bool,
    /// One turn, by its id
    #[arg(long, value_name = "ID")]
    turn: Option<String>,
}

pub async fn run(arguments: CancelArguments, context: &mut Context) -> Result<Exit, Failure> {
    match (arguments.turn, arguments.team) {
        (Some(turn), _) => cancel_turn(&turn, context).await,
        (None, team) => {
            let request = PartyRequest { from_team: arguments.from, all: arguments.all, ..PartyRequest::default() };
            cancel_team(&team.unwrap_or_default(), &request, context).await
        }
    }
}

async fn cancel_turn(turn: &str, context: &mut Context) -> Result<Exit, Failure> {
    let cancelled: TurnCancelled = context.client().post(&["turns", turn, "cancel"], &()).await?;
    let printer = &mut context.printer;
    match cancelled.cancelled.as_str() {
        _ if printer.is_json() => printer.json(&cancelled)?,
        "withdrawn" => printer.line(format!("turn {turn} was withdrawn; it never ran"))?,
        _ => printer.line(format!("turn {turn} was interrupted; see how it ended: iris cache inspect {turn}"))?,
    }
    Ok(Exit::Done)
}

async fn cancel_team(team: &str, request: &PartyRequest, context: &mut Context) -> Result<Exit, Failure> {
    let cancelled: CancelResponse = context.client().post(&["teams", team, "cancel"], request).await?;
    let client = context.client();
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&cancelled)?;
    } else if cancelled.turns.is_empty() {
        let has_work = |session: &Session| session.running.is_some() || session.queued + session.scheduled > 0;
        let others = client.sessions(Some(team)).await?.into_iter().filter(has_work).count();
        printer.line(nothing_here(team, request, "has nothing to cancel", others, ["has", "have"]))?;
    } else {
        for turn in &cancelled.turns {
            printer.line(format!("cancelled turn {turn}"))?;
        }
    }
    Ok(Exit::Done)
}
