//! `iris monitor`: inbox, fleet and sessions, live in the terminal.

mod act;
mod deed;
mod draw;
mod edit;
mod key;
mod once;
mod pace;
mod read;
mod screen;
mod state;
mod text;
mod watch;
mod wish;

#[cfg(test)]
mod draw_tests;
#[cfg(test)]
mod key_tests;
#[cfg(test)]
mod stage;

use std::io::{IsTerminal, stdin, stdout};

use super::Context;
use crate::exit::Exit;
use crate::failure::Failure;

pub use watch::watch;

/// Watch teams and answer their questions, live
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris monitor                  inbox, fleet and sessions; Tab goes on, ? shows the keys, q leaves
  iris monitor --once           print what there is now and end
  iris monitor --json | jq '.questions | length'
  IRIS_URL=http://127.0.0.1:1615 IRIS_TOKEN=… iris monitor    another daemon
  ssh -t build iris monitor     over ssh

In the inbox a number key answers, y and n say yes and no, r replies in your own words. \
Leaving stops nothing: agents work on, and questions wait.")]
pub struct MonitorArguments {
    /// Print what there is now and end; needs no terminal
    #[arg(long)]
    once: bool,
}

pub async fn run(arguments: MonitorArguments, context: &mut Context) -> Result<Exit, Failure> {
    if arguments.once || context.printer.is_json() {
        return once::print(context).await;
    }
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term.is_empty() || term == "dumb");
    if !(stdin().is_terminal() && stdout().is_terminal()) || is_dumb {
        return Err(Failure::invalid("there is no terminal here to draw on").hint(
            "print what there is now: `iris monitor --once`; \
             follow what happens: `iris events --follow`; over ssh: `ssh -t host iris monitor`",
        ));
    }
    watch(context).await
}
