//! `iris demo clean`: the demo goes.

use clap::Subcommand;

use super::Context;
use super::up::demo::{self, Cleaned};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place;

/// Take the demo away
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris up --demo       starts it
  iris demo clean      its teams, conversations and files go")]
pub struct DemoArguments {
    #[command(subcommand)]
    command: DemoCommand,
}

#[derive(Debug, Subcommand)]
enum DemoCommand {
    /// Remove the demo's teams, conversations and files
    #[command(after_help = "\
Examples:
  iris demo clean

Its scratch repository, demo/shop in IRIS_HOME, goes whole, with whatever was put into it: copy out first what you want to \
keep. Of the rest only what the demo made goes: a team of yours that has one of its names, and files of yours beside the \
repository, stay. What the demo's agents said and asked, what was answered, and the rules made from it are forgotten: no \
file of the database has it any more. Two logs keep the names of its teams, as those of all teams: that of events says that \
they came and went and that their conversations were deleted; logs/daemon.log names them, too, and says that an agent died, \
as one does in the demo. If no daemon runs, one is started for it and stopped again.")]
    Clean,
}

pub async fn run(arguments: DemoArguments, context: &mut Context) -> Result<Exit, Failure> {
    let DemoCommand::Clean = arguments.command;
    let cleaned = demo::clean(context).await?;
    let folder = place::shown(&context.home.join("demo"));
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&serde_json::json!({ "removed": cleaned != Cleaned::Nothing }))?;
        return Ok(Exit::Done);
    }
    match cleaned {
        Cleaned::Nothing => printer.line("there is no demo")?,
        Cleaned::All => printer.line("the demo is gone")?,
        Cleaned::ButForeignFiles => {
            printer.line(format!("the demo is gone; {folder} stays, because something in it is not the demo's"))?;
        }
    }
    Ok(Exit::Done)
}
