//! `iris config`: check the config file, show what is in force, print its form.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use iris_agents::scripted::{self, ScriptError};
use iris_api::status::{ConfigStatus, EffectiveConfig, PendingSetting};
use iris_core::team::{AgentKind, TeamName};
use iris_engine::config::{self, Config, ConfigError, ServerConfig, TeamConfig, TlsConfig};
use iris_engine::home::Home;
use iris_server::tls::{Tls, TlsError};
use serde::Serialize;

use super::Context;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place;

/// Check and show the config
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris config check             is config.yaml right? says where it is not
  iris config show              every key in force, defaults too; secrets masked
  iris config schema            JSON Schema, for editors

A running daemon looks at the file itself: a good edit is in force within a second, a bad one changes nothing and is \
shown by `iris status`.")]
pub struct ConfigArguments {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Check a config file, and whether its teams can work; nothing is changed
    #[command(after_help = "\
Examples:
  iris config check
  iris config check ./config.yaml && cp config.yaml ~/.iris/

It wants more than a daemon does, which goes on with the other teams where one has no folder or no script that can be played.")]
    Check {
        /// The file [default: config.yaml in IRIS_HOME]
        file: Option<PathBuf>,
    },
    /// Show the config in force: the daemon's if one runs, else what the file says
    #[command(after_help = "\
Examples:
  iris config show
  iris config show --json | jq .config.settings.port")]
    Show,
    /// Print the JSON Schema of config.yaml
    #[command(after_help = "\
Examples:
  iris config schema > iris.schema.json
  then begin your file with:  # yaml-language-server: $schema=./iris.schema.json
  iris config schema --markdown | less      every key with its default, to read

The config.yaml that Iris writes begins with such a line; the schema is beside it, in config.schema.json, and every start \
of the daemon brings it up to date.")]
    Schema {
        /// As a page for people
        #[arg(long, conflicts_with = "json")]
        markdown: bool,
    },
}

#[derive(Serialize)]
struct Checked {
    file: String,
    ok: bool,
    teams: usize,
}

pub async fn run(arguments: ConfigArguments, context: &mut Context) -> Result<Exit, Failure> {
    match arguments.command {
        ConfigCommand::Check { file } => check(file, context),
        ConfigCommand::Show => show(context).await,
        ConfigCommand::Schema { markdown: true } => {
            context.printer.line(config::reference().trim())?;
            Ok(Exit::Done)
        }
        ConfigCommand::Schema { markdown: false } => {
            context.printer.json(&config::schema())?;
            Ok(Exit::Done)
        }
    }
}

fn check(file: Option<PathBuf>, context: &mut Context) -> Result<Exit, Failure> {
    let file = file.unwrap_or_else(|| Home::at(&context.home).config());
    if !file.exists() {
        return Err(Failure::fault(
            iris_core::fault::FaultKind::NotFound,
            format!("there is no {}", place::shown(&file)),
        )
        .hint("`iris up` writes a first one"));
    }
    let config = config::load(&file)?;
    for (name, team) in &config.teams {
        check_folder(&file, name, team)?;
        check_script(&file, name, team)?;
    }
    check_tls(&file, &config.server)?;
    let teams = config.teams.len();
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&Checked { file: file.display().to_string(), ok: true, teams })?;
    } else {
        let count = if teams == 1 { "1 team".to_owned() } else { format!("{teams} teams") };
        printer.line(format!("{} is right ({count})", place::shown(&file)))?;
    }
    Ok(Exit::Done)
}

/// What a daemon could not be started with, beside what is wrong with the file itself.
pub(super) fn check_start(file: &Path, config: &Config) -> Result<(), ConfigError> {
    check_tls(file, &config.server)
}

/// Without them no daemon starts with this config.
pub(super) fn check_tls(file: &Path, server: &ServerConfig) -> Result<(), ConfigError> {
    let Some(TlsConfig { certificate, key }) = &server.tls else { return Ok(()) };
    Tls::load(certificate, key).map(drop).map_err(|error| {
        let part = match &error {
            TlsError::Unusable { path, .. } if path == key && path != certificate => "server.tls.key",
            TlsError::Unusable { .. } => "server.tls.certificate",
            TlsError::Mismatch(_) => "server.tls",
        };
        let text = config::read_text(file).ok().flatten().unwrap_or_default();
        ConfigError::of_key(file, &text, part, &error.to_string())
    })
}

/// No agent can work in what is no folder. One that is not there may come, as with a disk, and one of another node is there.
fn check_folder(file: &Path, name: &TeamName, team: &TeamConfig) -> Result<(), Failure> {
    if !team.path.exists() || team.path.is_dir() || team.node.is_some() {
        return Ok(());
    }
    let text = config::read_text(file).ok().flatten().unwrap_or_default();
    let what = format!("{} is not a folder", place::shown(&team.path));
    Err(ConfigError::of_key(file, &text, &format!("teams.{name}.path"), &what).into())
}

/// A team whose script cannot be played cannot be told anything.
fn check_script(file: &Path, name: &TeamName, team: &TeamConfig) -> Result<(), Failure> {
    let Some(script) = team.script.as_ref().filter(|_| team.agent == AgentKind::Scripted) else { return Ok(()) };
    scripted::check(script).map_err(|error| match error {
        // What is wrong is the name of the script.
        ScriptError::Read { .. } => {
            let text = config::read_text(file).ok().flatten().unwrap_or_default();
            ConfigError::of_key(file, &text, &format!("teams.{name}.script"), &error.to_string()).into()
        }
        ScriptError::Wrong { .. } => {
            Failure::invalid(format!("{error}")).hint(format!("it is the script of the team {name}"))
        }
    })
}

/// `settings.port (1615 → 1700)`, one after the other.
pub(super) fn told(pending: &[PendingSetting]) -> String {
    let told = |PendingSetting { key, now, next }: &PendingSetting| format!("{key} ({now} → {next})");
    pending.iter().map(told).collect::<Vec<_>>().join(", ")
}

/// What is waited for before a changed file is used.
pub(super) fn awaited(status: &ConfigStatus) -> &'static str {
    match status.waiting_for.as_deref() {
        Some("writer") => "changed, waiting for its writer, who still has it open",
        _ => "changed, and not read yet",
    }
}

async fn show(context: &mut Context) -> Result<Exit, Failure> {
    let client = context.client();
    let shown = if client.finds_a_daemon() {
        client.get(&["config"], &[]).await?
    } else {
        let file = Home::at(&context.home).config();
        let config = config::load(&file)?.shown();
        EffectiveConfig { file: file.display().to_string(), status: Default::default(), config }
    };
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&shown)?;
        return Ok(Exit::Done);
    }
    if shown.status.waiting_since.is_some() {
        printer.note(format!("the file is {}; this is what was in force before", awaited(&shown.status)));
    } else if let Some(refused) = &shown.status.refused {
        printer.note(format!("the file cannot be used, so this is what was in force before: {refused}"));
    }
    if !shown.status.pending.is_empty() {
        printer.note(format!("takes effect with the next start: {}", told(&shown.status.pending)));
    }
    let text = serde_saphyr::to_string(&shown.config);
    let text = text.map_err(|error| Failure::internal(format!("the config cannot be written as YAML ({error})")))?;
    printer.line(text.trim_end())?;
    Ok(Exit::Done)
}
