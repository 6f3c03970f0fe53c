//! The commands, one file each. This is their table of contents.

pub mod answer;
pub mod audit;
pub mod backup;
pub mod cache;
pub mod cancel;
pub mod completions;
pub mod config;
pub mod demo;
pub mod detect;
pub mod doctor;
pub mod down;
pub mod events;
pub mod fork;
pub mod help;
pub mod inbox;
pub mod install;
pub mod jobs;
pub mod link;
pub mod mcp;
pub mod monitor;
pub mod restore;
pub mod rules;
pub mod serve;
pub mod service;
pub mod sessions;
pub mod sleep;
pub mod status;
pub mod stop;
pub mod teams;
pub mod tell;
pub mod token;
pub mod trust;
pub mod up;
pub mod wake;

use std::path::PathBuf;

use iris_agents::contain::SESSION_MARK;
use iris_core::fault::FaultKind;
use iris_engine::home::Home;

use crate::arguments::Command;
use crate::client::Client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;

/// What every command has.
#[derive(Debug)]
pub struct Context {
    pub home: PathBuf,
    pub printer: Printer,
}

impl Context {
    pub fn client(&self) -> Client {
        Client::new(Home::at(&self.home)).noticed_by(self.printer.indicator())
    }
}

pub async fn run(command: Command, context: &mut Context) -> Result<Exit, Failure> {
    refuse_agents(&command)?;
    match command {
        Command::Up(arguments) => up::run(arguments, context).await,
        Command::Down(arguments) => down::run(arguments, context).await,
        Command::Demo(arguments) => demo::run(arguments, context).await,
        Command::Completions(arguments) => completions::run(&arguments, context),
        Command::Man(arguments) => completions::man(&arguments, context),
        Command::Help { command } => help::run(&command, context),
        Command::Serve(arguments) => serve::run(arguments, context).await,
        Command::Mcp(arguments) => mcp::run(arguments, context).await,
        Command::Install(arguments) => install::run(arguments, context).await,
        Command::Uninstall(arguments) => install::uninstall(arguments, context).await,
        Command::Service(arguments) => service::run(arguments, context).await,
        Command::Status(arguments) => status::run(arguments, context).await,
        Command::Teams(arguments) => teams::run(arguments, context).await,
        Command::Tell(arguments) => tell::run(arguments, context).await,
        Command::Wake(arguments) => wake::run(arguments, context).await,
        Command::Sleep(arguments) => sleep::run(arguments, context).await,
        Command::Stop(arguments) => stop::run(arguments, context).await,
        Command::Cancel(arguments) => cancel::run(arguments, context).await,
        Command::Fork(arguments) => fork::run(arguments, context).await,
        Command::Inbox(arguments) => inbox::run(arguments, context).await,
        Command::Monitor(arguments) => monitor::run(arguments, context).await,
        Command::Answer(arguments) => answer::run(arguments, context).await,
        Command::Rules(arguments) => rules::run(arguments, context).await,
        Command::Jobs(arguments) => jobs::run(arguments, context).await,
        Command::Token(arguments) => token::run(arguments, context).await,
        Command::Link(arguments) => link::run(arguments, context).await,
        Command::Trust(arguments) => trust::run(arguments, context).await,
        Command::Sessions(arguments) => sessions::run(arguments, context).await,
        Command::Cache(arguments) => cache::run(arguments, context).await,
        Command::Events(arguments) => events::run(arguments, context).await,
        Command::Config(arguments) => config::run(arguments, context).await,
        Command::Detect(arguments) => detect::run(&arguments, context),
        Command::Doctor(arguments) => doctor::run(arguments, context).await,
        Command::Audit(arguments) => audit::run(arguments, context).await,
        Command::Backup(arguments) => backup::run(arguments, context).await,
        Command::Restore(arguments) => restore::run(arguments, context).await,
    }
}

/// What only people do is refused in the shell of an agent. It keeps honest agents honest; one that is not can read what
/// its user can read (docs/asks.md). Every command is named, so that a new one has to say whose it is.
fn refuse_agents(command: &Command) -> Result<(), Failure> {
    match command {
        // `up` makes a link that signs its reader in as the user, as `link` does.
        Command::Answer(_)
        | Command::Rules(_)
        | Command::Token(_)
        | Command::Link(_)
        | Command::Up(_)
        | Command::Trust(_)
        | Command::Monitor(_) => refuse_agent(),
        // Nobody would know how deep in a chain of tells they are.
        Command::Fork(_) => refuse_beginning(),
        Command::Jobs(arguments) if arguments.starts_one() => refuse_beginning(),
        // What these do is written down as done by a person.
        Command::Down(_) | Command::Stop(_) | Command::Sleep(_) | Command::Cancel(_) | Command::Demo(_) => {
            refuse_ending()
        }
        Command::Jobs(arguments) if arguments.stops_one() => refuse_ending(),
        Command::Sessions(arguments) if arguments.deletes_one() => refuse_ending(),
        Command::Cache(arguments) if arguments.clears() => refuse_ending(),
        // All that anybody told any agent.
        Command::Backup(_) | Command::Restore(_) | Command::Audit(_) => {
            refuse_in_shell("only people copy or replace what Iris keeps", "ask for it with the tool ask_question")
        }
        Command::Install(_) | Command::Uninstall(_) => refuse_changing(),
        Command::Service(arguments) if arguments.changes() => refuse_changing(),
        Command::Teams(arguments) if arguments.changes() => refuse_changing(),
        Command::Doctor(arguments) if arguments.repairs() => refuse_changing(),
        // These read, or speak for the agent; a daemon that is there keeps a second one away from its home.
        Command::Status(_)
        | Command::Teams(_)
        | Command::Tell(_)
        | Command::Wake(_)
        | Command::Inbox(_)
        | Command::Jobs(_)
        | Command::Sessions(_)
        | Command::Cache(_)
        | Command::Events(_)
        | Command::Config(_)
        | Command::Detect(_)
        | Command::Doctor(_)
        | Command::Mcp(_)
        | Command::Serve(_)
        | Command::Service(_)
        | Command::Completions(_)
        | Command::Man(_)
        | Command::Help { .. } => Ok(()),
    }
}

/// Whoever watches a terminal can decide there, too.
fn refuse_agent() -> Result<(), Failure> {
    refuse_in_shell("only people decide", "ask with the tool ask_question; a person answers")
}

fn refuse_beginning() -> Result<(), Failure> {
    refuse_in_shell(
        "only people begin a job or copy a conversation",
        "tell a team what you need with the tool team_tell",
    )
}

fn refuse_ending() -> Result<(), Failure> {
    refuse_in_shell(
        "only people end the work of others by command",
        "the tools team_sleep and team_cancel do it in your own name",
    )
}

fn refuse_changing() -> Result<(), Failure> {
    refuse_in_shell(
        "only people change which teams there are and how Iris is set up",
        "ask for it with the tool ask_question",
    )
}

fn refuse_in_shell(why: &str, hint: &str) -> Result<(), Failure> {
    if std::env::var_os(SESSION_MARK).is_none() {
        return Ok(());
    }
    Err(Failure::fault(FaultKind::Conflict, format!("this is the shell of an agent, and {why}")).hint(hint))
}
