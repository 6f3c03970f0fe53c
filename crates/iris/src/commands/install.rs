//! `iris install` and `iris uninstall`: an agent CLI learns of Iris, and forgets it.
//!
//! The CLI's own command does it where there is one, because it takes the lock that a running CLI respects. The file that
//! changes is read before and after: what is there already is left alone, what cannot be read is not touched.

mod change;
mod entry;
mod in_json;
mod in_toml;
mod registry;

use std::path::PathBuf;

use clap::ValueEnum;
use serde::Serialize;
use serde_json::Value;

use super::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place;
pub use entry::{Entry, is_ours};
pub use registry::Registry;

/// Register Iris as an MCP server with an agent CLI
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris install                    Claude Code, for all your projects
  iris install --dry-run          shows what would be written, and where
  iris install --scope project    only for the project you are in (.mcp.json)
  iris install codex              Codex (~/.codex/config.toml)
  iris uninstall                  takes it out again

It can be run again: what is there already is left as it is. The file that changes is copied first, and the copy is named. \
A file that cannot be read is not touched. The entry names this very program, and IRIS_HOME if it is not ~/.iris.")]
pub struct InstallArguments {
    #[command(flatten)]
    target: Target,
}

/// Take Iris out of an agent CLI's MCP servers
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris uninstall                  Claude Code
  iris uninstall codex
  iris uninstall --scope project  the project you are in

Only the entry that `iris install` makes is taken out; another server that is called iris stays.")]
pub struct UninstallArguments {
    #[command(flatten)]
    target: Target,
}

#[derive(Debug, clap::Args)]
struct Target {
    /// The agent CLI
    #[arg(value_enum, default_value_t = Agent::Claude)]
    agent: Agent,
    /// For all your projects, or for the one you are in
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Agent {
    Claude,
    Codex,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    User,
    Project,
}

impl Agent {
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
        }
    }
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Added,
    Updated,
    Already,
    Removed,
    Absent,
}

/// What was done, or would be.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Done {
    agent: Agent,
    scope: Scope,
    outcome: Outcome,
    dry_run: bool,
    file: PathBuf,
    /// The file as it was before.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
    /// The commands of the CLI that did it; without them the file was written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

pub async fn run(arguments: InstallArguments, context: &mut Context) -> Result<Exit, Failure> {
    let Target { agent, scope, dry_run } = arguments.target;
    let registry = Registry::of(agent, scope)?;
    let entry = Entry::of_this_program(&context.home)?;
    let done = change::add(&registry, &entry, &context.home, dry_run);
    let mut done = context.printer.while_waiting(&format!("asking {}", agent.name()), done).await?;
    if !registry.is_installed() {
        done.notes.push(format!("no {} was found in the PATH; it reads the entry once it is installed", agent.name()));
    }
    if scope == Scope::Project && done.outcome != Outcome::Already {
        done.notes.push("the entry names a path of this machine; others who share the file need their own".to_owned());
    }
    if scope == Scope::Project && agent == Agent::Codex {
        done.notes.push("Codex reads it only in a folder that it trusts".to_owned());
    }
    say(&done, context)
}

pub async fn uninstall(arguments: UninstallArguments, context: &mut Context) -> Result<Exit, Failure> {
    let Target { agent, scope, dry_run } = arguments.target;
    let registry = Registry::of(agent, scope)?;
    let done = change::remove(&registry, &context.home, dry_run);
    let done = context.printer.while_waiting(&format!("asking {}", agent.name()), done).await?;
    say(&done, context)
}

fn say(done: &Done, context: &mut Context) -> Result<Exit, Failure> {
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(done)?;
        return Ok(Exit::Done);
    }
    printer.line(headline(done))?;
    if let Some(entry) = done.entry.as_ref().filter(|_| done.dry_run) {
        printer.line(serde_json::to_string_pretty(entry).expect("JSON has a text"))?;
    }
    for command in &done.commands {
        printer.line(format!("  by     {command}"))?;
    }
    if let Some(backup) = &done.backup {
        printer.line(format!("  before {}", place::shown(backup)))?;
    }
    done.notes.iter().for_each(|note| printer.note(note));
    if !done.dry_run && matches!(done.outcome, Outcome::Added | Outcome::Updated) {
        printer.note(format!("{} that runs already has to be started anew to see it", done.agent.name()));
    }
    Ok(Exit::Done)
}

fn headline(done: &Done) -> String {
    let (name, file) = (done.agent.name(), place::shown(&done.file));
    let verb = match (done.outcome, done.dry_run) {
        (Outcome::Already, _) => return format!("{name} knows iris already: {file}; nothing was changed"),
        (Outcome::Absent, _) => return format!("{name} does not know iris: {file}; nothing was changed"),
        (Outcome::Added, false) => "added iris to",
        (Outcome::Added, true) => "would add iris to",
        (Outcome::Updated, false) => "updated iris in",
        (Outcome::Updated, true) => "would update iris in",
        (Outcome::Removed, false) => "took iris out of",
        (Outcome::Removed, true) => "would take iris out of",
    };
    format!("{verb} {name}: {file}")
}
