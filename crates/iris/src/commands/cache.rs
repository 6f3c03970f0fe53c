//! `iris cache`: what was said, kept for whoever wants to read it later.

mod inspect;

use clap::Subcommand;
use iris_api::session::Removed;

use super::Context;
use super::sessions::find::{find, with_party};
use crate::confirm::{Consent, confirm};
use crate::exit::Exit;
use crate::failure::Failure;

/// Read what was said, or forget it
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris cache inspect backend     your conversation with a team: its latest turns
  iris cache inspect 4f2a91c3    a session, by the beginning of its id
  iris cache clear 4f2a91c3      forget what was said in its finished turns
  iris cache clear backend       of your conversation with a team")]
pub struct CacheArguments {
    #[command(subcommand)]
    command: CacheCommand,
}

impl CacheArguments {
    pub fn clears(&self) -> bool {
        matches!(self.command, CacheCommand::Clear { .. })
    }
}

#[derive(Debug, Subcommand)]
enum CacheCommand {
    /// Read a session's turns, or a turn's messages
    #[command(after_help = "\
Examples:
  iris cache inspect backend                the latest turns of your session with a team
  iris cache inspect 4f2a91c3 --after 0     a session from its first turn on
  iris cache inspect 0199f3c2-…             everything that happened in one turn
  iris cache inspect backend --json | jq -r '.turns[].response'")]
    Inspect(inspect::InspectArguments),
    /// Forget what was said in a session's finished turns
    #[command(after_help = "\
Examples:
  iris cache clear 4f2a91c3          asks first
  iris cache clear 4f2a91c3 --yes    does not; in a script, and with --json, it has to be said

The agent's own memory of the conversation is not touched.")]
    Clear {
        /// The session's id, or enough of its beginning; or a team, for your conversation with it
        session: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

pub async fn run(arguments: CacheArguments, context: &mut Context) -> Result<Exit, Failure> {
    match arguments.command {
        CacheCommand::Inspect(arguments) => inspect::run(arguments, context).await,
        CacheCommand::Clear { session, yes } => clear(&session, Consent::from_flag(yes), context).await,
    }
}

async fn clear(id: &str, consent: Consent, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let session = match with_party(&client.sessions(None).await?, id, "user") {
        Some(own) => own?.clone(),
        None => find(&client, id).await?,
    };
    let question = format!("forget what {} and {} said in {} turns?", session.from, session.to, session.turns);
    confirm(&mut context.printer, consent, &question)?;
    let removed: Removed = client.delete(&["sessions", &session.id, "cache"]).await?;
    if context.printer.is_json() {
        context.printer.json(&removed)?;
    } else {
        context.printer.line(format!("forgot {} turns of session {}", removed.turns, session.id))?;
    }
    Ok(Exit::Done)
}
