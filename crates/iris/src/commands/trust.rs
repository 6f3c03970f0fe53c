//! `iris trust`: let the settings that a team's folder brings along take effect.

use std::io::IsTerminal;
use std::path::Path;

use iris_api::team::{Trust, TrustRequest};
use iris_core::visible::in_line;

use super::Context;
use crate::confirm::{Consent, confirm};
use crate::exit::Exit;
use crate::failure::Failure;

/// Let a team's folder bring its own settings, hooks and servers
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris trust backend            shows what there is, and asks
  iris trust backend --yes      trusts what is there now
  iris trust backend --json     shows what there is, and changes nothing
  iris trust backend --revoke   takes it back

An agent CLI runs the hooks and servers that a folder's own settings name. Iris keeps them from taking effect until you \
trust them. Trust is in the content: when a file changes, it is asked for again. It takes effect with the next start of \
an agent.")]
pub struct TrustArguments {
    /// The team's name
    team: String,
    /// Do not ask
    #[arg(long, conflicts_with = "revoke")]
    yes: bool,
    /// Trust it no longer
    #[arg(long)]
    revoke: bool,
}

pub async fn run(arguments: TrustArguments, context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let path = ["teams", arguments.team.as_str(), "trust"];
    let found: Trust = client.get(&path, &[]).await?;
    let after = if arguments.revoke {
        client.delete(&path).await?
    } else if let Some(digest) = found.digest.clone().filter(|_| !found.trusted && (arguments.yes || can_ask(context)))
    {
        for file in &found.files {
            let path = Path::new(&found.folder).join(file).display().to_string();
            context.printer.note(format!("  {}", in_line(&path)));
        }
        let before = if found.changed { "they changed since you trusted them; " } else { "" };
        let question = format!("{before}let these {} files take effect?", found.files.len());
        confirm(&mut context.printer, Consent::from_flag(arguments.yes), &question)?;
        client.post(&path, &TrustRequest { digest }).await?
    } else {
        found
    };
    if context.printer.is_json() {
        context.printer.json(&after)?;
    } else {
        context.printer.line(describe(&after))?;
    }
    Ok(Exit::Done)
}

/// Only a person at a terminal can be asked; whoever cannot be is shown what there is.
fn can_ask(context: &Context) -> bool {
    std::io::stdin().is_terminal() && !context.printer.is_json()
}

pub fn describe(trust: &Trust) -> String {
    let files = match trust.files.len() {
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    };
    match (trust.trusted, trust.changed, trust.files.len()) {
        (_, _, 0) => "the folder brings no settings of its own".to_owned(),
        (true, ..) => format!("the folder's settings ({files}) are trusted"),
        (false, true, _) => format!("the folder's settings ({files}) changed and are not trusted any more"),
        (false, false, _) => format!("the folder's settings ({files}) are not trusted and take no effect"),
    }
}
