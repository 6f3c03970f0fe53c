//! `iris demo clean`: the demo goes.

use clap::Subcommand;

use super::Context;
use super::up::demo;
use crate::exit::Exit;
use crate::failure::Failure;

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
  iris demo clean")]
    Clean,
}

pub async fn run(arguments: DemoArguments, context: &mut Context) -> Result<Exit, Failure> {
    let DemoCommand::Clean = arguments.command;
    let found = demo::clean(context).await?;
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&serde_json::json!({ "removed": found }))?;
    } else {
        printer.line(if found { "the demo is gone" } else { "there is no demo" })?;
    }
    Ok(Exit::Done)
}
