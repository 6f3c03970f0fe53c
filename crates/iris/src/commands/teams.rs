//! `iris teams`: which teams there are, how one is, joining and leaving.

pub mod add;
mod import;
pub mod in_force;
mod untrusted;

use clap::Subcommand;
use iris_api::Page;
use iris_api::team::{Team, TeamStatus};

use super::{Context, sessions};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place;
use crate::printer::{Column, Table, Tone};

/// Show, add and remove teams
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  iris teams list            all teams, and how many agents are awake
  iris teams show backend    one team and its sessions
  iris teams add .           the project you are in becomes a team
  iris teams remove backend  the team goes; its conversations are kept
  iris teams import ~/old/config.yaml    those of an Iris MCP config
  iris teams list --json     for scripts")]
pub struct TeamsArguments {
    #[command(subcommand)]
    command: TeamsCommand,
}

impl TeamsArguments {
    pub fn changes(&self) -> bool {
        match &self.command {
            TeamsCommand::List | TeamsCommand::Show { .. } => false,
            TeamsCommand::Add(_) | TeamsCommand::Remove { .. } => true,
            TeamsCommand::Import { dry_run, .. } => !dry_run,
        }
    }
}

#[derive(Debug, Subcommand)]
enum TeamsCommand {
    /// List all teams
    #[command(after_help = "\
Examples:
  iris teams list
  iris teams list --json | jq -r '.items[].name'")]
    List,
    /// Show a team and its sessions
    #[command(after_help = "\
Examples:
  iris teams show backend
  iris teams show backend --json | jq '.sessions[].state'")]
    Show {
        /// The team's name
        team: String,
    },
    /// Make a project folder a team
    #[command(after_help = "\
Examples:
  iris teams add .
  iris teams add ~/code/backend --name api --description 'the HTTP API'
  iris teams add ~/demo --agent scripted --script ~/demo.yaml

It writes config.yaml and keeps its comments; a running daemon takes it up by itself.")]
    Add(add::AddArguments),
    /// Let a folder be a team no longer
    #[command(after_help = "\
Examples:
  iris teams remove backend")]
    Remove {
        /// The team's name
        team: String,
    },
    /// Take over the teams of an Iris MCP config
    #[command(after_help = "\
Examples:
  iris teams import ~/old/config.yaml
  iris teams import ~/old/config.yaml --dry-run
  iris teams import ~/.iris/config.yaml     the very file of this home, if it is one of Iris MCP

All of it is taken over or nothing. Teams and settings that are there already stay as they are; what cannot be taken over is \
listed. Their file is not changed; if it is where the config of this home has to be, it is kept beside it.")]
    Import {
        /// Its config.yaml or config.json
        file: std::path::PathBuf,
        /// Say what would be taken over, and write nothing
        #[arg(long)]
        dry_run: bool,
    },
}

pub async fn run(arguments: TeamsArguments, context: &mut Context) -> Result<Exit, Failure> {
    match arguments.command {
        TeamsCommand::List => list(context).await,
        TeamsCommand::Show { team } => show(&team, context).await,
        TeamsCommand::Add(arguments) => add::add(arguments, context).await,
        TeamsCommand::Remove { team } => add::remove(&team, context).await,
        TeamsCommand::Import { file, dry_run } => {
            import::import(&file, if dry_run { import::How::DryRun } else { import::How::Really }, context).await
        }
    }
}

async fn list(context: &mut Context) -> Result<Exit, Failure> {
    let page: Page<Team> = context.client().get(&["teams"], &[]).await?;
    let home = place::shown(&context.home);
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&page)?;
    } else if page.items.is_empty() {
        printer.line(no_teams(&home))?;
    } else {
        let mut table = Table::new([
            Column::Left("TEAM"),
            Column::Left("AGENT"),
            Column::Right("AWAKE"),
            Column::Right("SESSIONS"),
            Column::Right("QUEUED"),
            Column::Left("FOLDER"),
        ]);
        for team in &page.items {
            table.row([
                (Tone::Strong, team.name.clone()),
                (Tone::Plain, team.agent.clone()),
                (if team.awake > 0 { Tone::Good } else { Tone::Faint }, team.awake.to_string()),
                (Tone::Plain, team.sessions.to_string()),
                (if team.queued > 0 { Tone::Busy } else { Tone::Faint }, team.queued.to_string()),
                (Tone::Plain, place::shown(team.path.as_ref())),
            ]);
        }
        printer.table(&table)?;
    }
    Ok(Exit::Done)
}

/// What to do about it, rather than an empty table.
fn no_teams(home: &str) -> String {
    format!(
        "there is no team yet; make the project you are in one:

  iris teams add .

or see how it works first: iris up --demo
(the teams are in {home}/config.yaml)"
    )
}

async fn show(team: &str, context: &mut Context) -> Result<Exit, Failure> {
    let found: TeamStatus = context.client().get(&["teams", team, "status"], &[]).await?;
    let printer = &mut context.printer;
    if printer.is_json() {
        printer.json(&found)?;
        return Ok(Exit::Done);
    }
    let team = &found.team;
    let mut pairs = vec![("team", team.name.clone())];
    pairs.extend(team.description.clone().map(|description| ("about", description)));
    pairs.extend([("agent", team.agent.clone()), ("folder", place::shown(team.path.as_ref()))]);
    printer.pairs(&pairs)?;
    printer.line("")?;
    if found.sessions.is_empty() {
        printer.line(format!("nobody has told {0} anything yet; be the first: iris tell {0} 'hello'", team.name))?;
    } else {
        printer.table(&sessions::table(&found.sessions, &found.sessions))?;
    }
    Ok(Exit::Done)
}
