//! `iris service`: Iris starts when you log in, and again when it fails; by systemd, or launchd on macOS.

mod supervisor;
mod unit;

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use iris_core::fault::FaultKind;
use iris_engine::config;
use iris_engine::home::{Holder, Home};
use serde::Serialize;

use super::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place;
use supervisor::{State, Supervisor};
use unit::Unit;

/// Let the system start Iris and keep it running
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris service install             starts with your login, and again if it fails
  iris service install --dry-run   prints the unit and changes nothing
  iris service status
  iris service uninstall

On Linux it is a systemd user unit (~/.config/systemd/user/iris.service), which also lets Iris give each agent a cgroup of \
its own; on macOS a launchd agent. `iris down` stops it until the next login; `systemctl --user restart iris` restarts it.")]
pub struct ServiceArguments {
    #[command(subcommand)]
    command: ServiceCommand,
}

impl ServiceArguments {
    pub fn changes(&self) -> bool {
        match &self.command {
            ServiceCommand::Install { dry_run } | ServiceCommand::Uninstall { dry_run } => !dry_run,
            ServiceCommand::Status => false,
        }
    }
}

#[derive(Debug, Subcommand)]
enum ServiceCommand {
    /// Write the unit and start it
    #[command(after_help = "\
Examples:
  iris service install
  iris --home /srv/iris service install   for another home

It can be run again, for instance when PATH has changed or iris was moved: the unit has both in it.")]
    Install {
        /// Print the unit, and do nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Stop it and take the unit away
    #[command(after_help = "\
Examples:
  iris service uninstall")]
    Uninstall {
        /// Say what would be done, and do nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Whether there is a unit, and how it is
    #[command(after_help = "\
Examples:
  iris service status
  iris service status --json | jq .active")]
    Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Installed,
    Updated,
    Already,
    Removed,
    Absent,
}

/// What was done, or would be.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Done {
    outcome: Outcome,
    dry_run: bool,
    file: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<String>,
    /// Commands that were run.
    ran: Vec<String>,
    /// Commands that are left to the user.
    to_run: Vec<String>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    installed: bool,
    /// Whether the unit is what `iris service install` would write now.
    current: bool,
    file: PathBuf,
    #[serde(flatten)]
    state: State,
}

pub async fn run(arguments: ServiceArguments, context: &mut Context) -> Result<Exit, Failure> {
    let supervisor = Supervisor::of_this_system();
    match arguments.command {
        ServiceCommand::Install { dry_run } => {
            let done = install(supervisor, context, dry_run).await?;
            say(&done, context)
        }
        ServiceCommand::Uninstall { dry_run } => {
            let done = uninstall(supervisor, context, dry_run).await?;
            say(&done, context)
        }
        ServiceCommand::Status => status(supervisor, context).await,
    }
}

fn unit(context: &Context) -> Result<Unit, Failure> {
    let program = std::env::current_exe();
    let program = program.map_err(|error| Failure::internal(format!("iris cannot find itself ({error})")))?;
    // A config that is wrong is found by whoever starts; the time to stop is then the usual.
    let config = config::load(&Home::at(&context.home).config()).unwrap_or_default();
    let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".to_owned());
    let grace = config.settings.shutdown_grace.duration().as_secs();
    Ok(Unit { program, home: context.home.clone(), path, stop_seconds: grace + LONGEST_END })
}

/// After the grace: what agents that do not listen, a slow disk and open connections may take.
const LONGEST_END: u64 = 25;

async fn install(supervisor: Supervisor, context: &Context, dry_run: bool) -> Result<Done, Failure> {
    let (unit, file) = (unit(context)?, supervisor.file());
    let text = supervisor.text(&unit);
    let before = read(&file)?;
    if let Some(before) = &before {
        check_is_ours(before, &file, supervisor, &unit)?;
    }
    let state = supervisor.state().await;
    let outcome = match before {
        None => Outcome::Installed,
        Some(before) if before != text => Outcome::Updated,
        Some(_) if state.manager && !state.enabled => Outcome::Updated,
        Some(_) => Outcome::Already,
    };
    let mut done = Done { outcome, dry_run, file, unit: None, ran: vec![], to_run: vec![], notes: vec![] };
    if dry_run {
        done.unit = Some(text);
        return Ok(done);
    }
    // Two daemons cannot have one home: one that was started by hand has to end first.
    let other = Home::at(&context.home).holder().filter(|holder| Some(holder.pid) != state.pid);
    if outcome == Outcome::Already {
        leave_to_user(&mut done, supervisor, &state, other);
        return Ok(done);
    }
    write(&done.file, &text).map_err(|error| unwritable(&done.file, &error))?;
    if state.manager {
        let commands = supervisor.start_commands(other.is_none());
        for words in &commands {
            supervisor.run(words).await?;
        }
        done.ran = supervisor.shown(&commands);
    }
    leave_to_user(&mut done, supervisor, &state, other);
    done.notes.extend(supervisor.advice());
    Ok(done)
}

/// What is left to run for the service to be what it should be.
fn leave_to_user(done: &mut Done, supervisor: Supervisor, state: &State, other: Option<Holder>) {
    let start = supervisor.shown(&supervisor.start_commands(true));
    let far = format!("{} cannot be reached from here; run this where you are logged in:", supervisor.name());
    match other {
        Some(other) if state.manager => {
            done.notes.push(format!("iris runs already ({other}), but not as a service; so that it does:"));
            done.to_run = vec!["iris down".to_owned(), start.last().cloned().unwrap_or_default()];
        }
        Some(other) => {
            done.notes.extend([format!("iris runs already ({other}), and has to end first"), far]);
            done.to_run = std::iter::once("iris down".to_owned()).chain(start).collect();
        }
        None if !state.manager => {
            done.notes.push(far);
            done.to_run = start;
        }
        None if done.outcome == Outcome::Updated && state.active => {
            done.to_run = vec![supervisor.restart_command().to_owned()];
            done.notes.push("the new unit takes effect with the next start:".to_owned());
        }
        None => {}
    }
}

async fn uninstall(supervisor: Supervisor, context: &Context, dry_run: bool) -> Result<Done, Failure> {
    let file = supervisor.file();
    let before = read(&file)?;
    let outcome = if before.is_some() { Outcome::Removed } else { Outcome::Absent };
    let mut done = Done { outcome, dry_run, file, unit: None, ran: vec![], to_run: vec![], notes: vec![] };
    let Some(before) = before else { return Ok(done) };
    check_is_ours(&before, &done.file, supervisor, &unit(context)?)?;
    let state = supervisor.state().await;
    let stop = supervisor.stop_commands();
    if dry_run {
        done.to_run = supervisor.shown(&stop);
        return Ok(done);
    }
    if state.manager {
        for words in &stop {
            supervisor.run(words).await?;
        }
        done.ran = supervisor.shown(&stop);
    }
    for path in supervisor.links().iter().chain([&done.file]) {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(unwritable(path, &error)),
            _ => {}
        }
    }
    if state.manager {
        let forget = supervisor.forget_commands();
        for words in &forget {
            supervisor.run(words).await?;
        }
        done.ran.extend(supervisor.shown(&forget));
    }
    Ok(done)
}

async fn status(supervisor: Supervisor, context: &mut Context) -> Result<Exit, Failure> {
    let (file, text) = (supervisor.file(), supervisor.text(&unit(context)?));
    let found = read(&file)?;
    let state = supervisor.state().await;
    let status = Status { installed: found.is_some(), current: found.as_ref() == Some(&text), file, state };
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&status)?;
        return Ok(Exit::Done);
    }
    if !status.installed {
        printer.line("there is no service; `iris service install` makes one")?;
        return Ok(Exit::Done);
    }
    let yes = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let mut pairs = vec![("unit", place::shown(&status.file))];
    match status.state.manager {
        true => pairs.extend([("enabled", yes(status.state.enabled)), ("running", running(&status.state))]),
        false => pairs.push(("running", format!("cannot tell: {} cannot be reached from here", supervisor.name()))),
    }
    printer.pairs(&pairs)?;
    if !status.current {
        printer.note("the unit is not as it would be written now (another PATH, program or setting): `iris service install` writes it anew");
    }
    Ok(Exit::Done)
}

fn running(state: &State) -> String {
    match state.pid {
        Some(pid) if state.active => format!("yes, process {pid}"),
        _ => state.word.clone().unwrap_or_else(|| "no".to_owned()),
    }
}

/// One that somebody wrote by hand stays, and so does one for another home.
fn check_is_ours(found: &str, file: &Path, supervisor: Supervisor, unit: &Unit) -> Result<(), Failure> {
    let file = place::shown(file);
    if !found.contains(unit::MARK) {
        let what = format!("{file} was not written by `iris service install`");
        return Err(Failure::fault(FaultKind::Conflict, what).hint("it was left alone; take it away yourself first"));
    }
    if !found.contains(&supervisor.home_line(unit)) {
        let what = format!("{file} is for another home than {}", place::shown(&unit.home));
        return Err(Failure::fault(FaultKind::Conflict, what)
            .hint("name that home with --home, and `iris service uninstall` takes its service away"));
    }
    Ok(())
}

fn read(file: &Path) -> Result<Option<String>, Failure> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::invalid(format!("{} cannot be read ({error})", place::shown(file)))),
    }
}

fn write(file: &Path, text: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(file.parent().unwrap_or(Path::new("/")))?;
    let beside = file.with_extension("new");
    let write = || {
        let mut new = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o644).open(&beside)?;
        new.write_all(text.as_bytes())?;
        new.sync_all()?;
        std::fs::rename(&beside, file)
    };
    // On a full disk an empty one would stay.
    write().inspect_err(|_| drop(std::fs::remove_file(&beside)))
}

fn unwritable(file: &Path, error: &std::io::Error) -> Failure {
    Failure::fault(FaultKind::Unavailable, format!("{} cannot be written ({error})", place::shown(file)))
}

fn say(done: &Done, context: &mut Context) -> Result<Exit, Failure> {
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(done)?;
        return Ok(Exit::Done);
    }
    let file = place::shown(&done.file);
    if let Some(unit) = &done.unit {
        printer.note(format!("would be {file}:"));
        printer.line(unit.trim_end())?;
        return Ok(Exit::Done);
    }
    printer.line(match (done.outcome, done.dry_run) {
        (Outcome::Installed, _) => format!("wrote {file}"),
        (Outcome::Updated, _) => format!("wrote {file} anew"),
        (Outcome::Already, _) => format!("{file} is there already; nothing was changed"),
        (Outcome::Removed, false) => format!("took {file} away"),
        (Outcome::Removed, true) => format!("would take {file} away, and run:"),
        (Outcome::Absent, _) => format!("there is no {file}; nothing was changed"),
    })?;
    for command in &done.ran {
        printer.line(format!("  ran {command}"))?;
    }
    done.notes.iter().for_each(|note| printer.note(note));
    for command in &done.to_run {
        printer.line(format!("  {command}"))?;
    }
    Ok(Exit::Done)
}
