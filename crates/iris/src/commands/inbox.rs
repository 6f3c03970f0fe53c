//! `iris inbox`: what agents wait for a human to say. On a terminal it is a list that lives; else it is printed once.

pub mod how;
pub mod list;

pub use list::{closer, closing, lines, words};

use std::collections::BTreeMap;
use std::io::{IsTerminal, stdin, stdout};

use iris_api::question::{Pending, Question};
use iris_api::session::Session;
use iris_core::visible::visible;

use super::{Context, monitor};
use crate::client::Client;
use crate::exit::Exit;
use crate::failure::Failure;

/// Show the questions that agents wait for an answer to
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris inbox              on a terminal: a live list; answer with a number key, q leaves
  iris inbox --once       print what there is now
  iris inbox --json | jq -r '.questions[].id'

Answer one with: iris answer <question> <answer>")]
pub struct InboxArguments {
    /// Print what there is now and end, also on a terminal
    #[arg(long)]
    once: bool,
}

pub async fn run(arguments: InboxArguments, context: &mut Context) -> Result<Exit, Failure> {
    let is_watched = stdin().is_terminal() && stdout().is_terminal() && !context.printer.is_json();
    if is_watched && !arguments.once {
        return monitor::watch(context).await;
    }
    let client = context.client();
    let pending: Pending = client.get(&["questions", "pending"], &[]).await?;
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&pending)?;
        return Ok(Exit::Done);
    }
    if pending.questions.is_empty() {
        printer.line("nobody waits for you")?;
    }
    let parties = parties(&client, &pending.questions).await;
    for (number, question) in pending.questions.iter().enumerate() {
        if number > 0 {
            printer.line("")?;
        }
        for line in list::lines(question, parties.get(&question.session).map(String::as_str)) {
            // For people, also in a pipe: what would hide in a pager is shown. `--json` is for programs.
            printer.line(visible(&line))?;
        }
    }
    if pending.more > 0 {
        printer.note(format!("{} more are open between the oldest and the newest, which are listed", pending.more));
    }
    Ok(Exit::Done)
}

/// For whom the agents work that ask, by their sessions. One that cannot be read is left out: the question is shown all the
/// same.
async fn parties(client: &Client, questions: &[Question]) -> BTreeMap<String, String> {
    let mut parties = BTreeMap::new();
    for question in questions {
        if !parties.contains_key(&question.session)
            && let Ok(session) = client.get::<Session>(&["sessions", &question.session], &[]).await
        {
            parties.insert(session.id, session.from);
        }
    }
    parties
}
