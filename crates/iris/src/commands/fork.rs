//! `iris fork`: go on from a conversation in two ways.

use iris_api::session::Session;
use iris_api::team::ForkRequest;

use super::Context;
use crate::exit::Exit;
use crate::failure::Failure;

/// Copy a conversation, to go on from it in another way
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris fork backend                     a copy of your conversation, for user-2
  iris fork backend --as experiment     for a party of your choice
  iris tell backend --from experiment 'try it the other way'")]
pub struct ForkArguments {
    /// The team's name
    team: String,
    /// Whose conversation with the team is copied [default: user]
    #[arg(long, value_name = "P")]
    from: Option<String>,
    /// Who goes on with the copy [default: the same name with a number behind it]
    #[arg(long = "as", value_name = "P")]
    new_party: Option<String>,
}

pub async fn run(arguments: ForkArguments, context: &mut Context) -> Result<Exit, Failure> {
    let request = ForkRequest { from_team: arguments.from, new_party: arguments.new_party };
    let session: Session = context.client().post(&["teams", &arguments.team, "fork"], &request).await?;
    if context.printer.is_json() {
        context.printer.json(&session)?;
    } else {
        let (team, party) = (&session.to, &session.from);
        context.printer.line(format!("{party} goes on from here: iris tell {team} --from {party} '…'"))?;
    }
    Ok(Exit::Done)
}
