//! `iris tell`: a message to a team, and its reply as it comes.

pub mod accept;
mod outcome;
mod patience;
mod reply;
mod watch;

use std::io::Read;

use iris_api::turn::{TellRequest, TellResponse};
use iris_core::duration::Millis;

use super::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::CtrlC;
use crate::moment;
use crate::printer::Printer;
use crate::span;
use patience::Patience;

/// Tell a team something and watch its reply
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris tell backend 'run the tests'            the reply, as it comes
  git diff | iris tell backend -               the message from stdin
  iris tell backend 'tidy up' --async          do not wait; read it later
  iris tell backend 'stand-up' --in 10m        not before ten minutes from now

An accepted tell is on disk and runs whatever happens to this command: Ctrl-C only stops watching. \
The same --key never makes a second turn; without one, a new key is made for each tell. \
The reply comes as it is written; into a pipe or a file, message by message. With --json the answer of the API is printed: {status, sessionId, turnId, response, …}.")]
pub struct TellArguments {
    /// The team's name
    team: String,
    /// What to tell it; - reads it from stdin
    #[arg(required = true, value_name = "MESSAGE")]
    message: Vec<String>,
    /// Who speaks [default: user]
    #[arg(long, value_name = "P")]
    from: Option<String>,
    /// How long to wait: 0 until the end, -1 not at all, else 5000 or 30s [default: 0, with --json 30s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with = "asynchronous")]
    timeout: Option<Patience>,
    /// Do not wait; print the ids of the turn and its session
    #[arg(long = "async")]
    asynchronous: bool,
    /// A key of your own that makes it safe to repeat the command
    #[arg(long, value_name = "K")]
    key: Option<String>,
    /// Tell it only after this time (90s, 10m, 2h), and do not wait unless --timeout says so
    #[arg(long = "in", value_name = "TIME", value_parser = span::read)]
    delay: Option<Millis>,
}

impl TellArguments {
    fn patience(&self, printer: &Printer) -> Patience {
        match self.timeout {
            Some(patience) => patience,
            None if self.asynchronous || self.delay.is_some() => Patience::None,
            None if printer.is_json() => Patience::Limit(Millis::seconds(30)),
            None => Patience::Forever,
        }
    }
}

pub async fn run(arguments: TellArguments, context: &mut Context) -> Result<Exit, Failure> {
    let patience = arguments.patience(&context.printer);
    let request = TellRequest {
        to_team: arguments.team,
        message: message(&arguments.message)?,
        from_team: arguments.from,
        timeout: Some(Patience::None.as_millis()),
        key: Some(arguments.key.unwrap_or_else(accept::new_key)),
        delay: arguments.delay.map(|delay| delay.0),
    };
    let mut ctrl_c = CtrlC::listen()?;
    let client = context.client();
    let printer = &mut context.printer;
    if printer.is_json() {
        let request = TellRequest { timeout: Some(patience.as_millis()), ..request };
        let told = accept::accept(&client, &request, &mut ctrl_c).await?;
        printer.json(&told)?;
        return Ok(outcome::exit(&told.status));
    }
    printer.wait_for(&format!("telling {}…", request.to_team));
    if patience == Patience::None {
        let told = accept::accept(&client, &request, &mut ctrl_c).await?;
        show_accepted(&told, request.delay, printer)?;
        return Ok(Exit::Done);
    }
    let client = client.following();
    // Listened before it is told, so that not even the first word is missed.
    let ear = watch::listen(&client, &request.to_team).await?;
    let told = accept::accept(&client, &request, &mut ctrl_c).await?;
    watch::watch(client, ear, &told, patience, &mut ctrl_c, printer).await
}

fn message(words: &[String]) -> Result<String, Failure> {
    if words != ["-"] {
        return Ok(words.join(" "));
    }
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text);
    read.map(|_| text).map_err(|error| Failure::invalid(format!("the message could not be read from stdin ({error})")))
}

fn show_accepted(told: &TellResponse, delay: Option<u64>, printer: &mut Printer) -> Result<(), Failure> {
    let position = match (delay, told.position) {
        (Some(delay), _) => {
            let due = iris_engine::wall_ms().saturating_add(i64::try_from(delay).unwrap_or(i64::MAX));
            format!("not before {}", moment::date(due))
        }
        (None, 0) => "0, nothing else is ahead of it in its session".to_owned(),
        (None, 1) => "1, one turn is ahead".to_owned(),
        (None, ahead) => format!("{ahead}, behind as many turns"),
    };
    printer.pairs(&[
        ("turn", told.turn_id.clone()),
        ("session", told.session_id.clone()),
        (if delay.is_some() { "due" } else { "position" }, position),
    ])?;
    printer.glimpse(&format!("read it later with: iris cache inspect {}", told.turn_id));
    Ok(())
}
