//! `iris teams add` and `remove`: joining and leaving, by changing config.yaml.

use std::path::{Path, PathBuf};

use iris_agents::launch::is_built;
use iris_agents::scripted;
use iris_core::fault::FaultKind;
use iris_core::team::{AgentKind, TeamName};
use iris_engine::config::Config;
use iris_engine::home::Home;
use serde_json::{Value, json};

use super::{in_force, untrusted};
use crate::commands::Context;
use crate::config_file::{self, Key};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place;

#[derive(Debug, clap::Args)]
pub struct AddArguments {
    /// The project's folder
    #[arg(default_value = ".")]
    path: PathBuf,
    /// The team's name [default: that of the folder]
    #[arg(long)]
    name: Option<String>,
    /// What the team is for; other teams' agents read it
    #[arg(long)]
    description: Option<String>,
    /// claude or scripted
    #[arg(long, default_value = "claude")]
    agent: String,
    /// The script of a scripted agent
    #[arg(long, value_name = "FILE", required_if_eq("agent", "scripted"))]
    script: Option<PathBuf>,
}

pub async fn add(arguments: AddArguments, context: &mut Context) -> Result<Exit, Failure> {
    let folder = folder(&arguments.path)?;
    let others = teams_of(&folder, &config_file::current(&file(context))?);
    let name = match &arguments.name {
        Some(name) => name.parse()?,
        None if !others.is_empty() => return say_it_is_one(&others, &folder, context),
        None if is_too_much(&folder) => return Err(too_much(&folder)),
        None => name_of(&folder)?,
    };
    if others.contains(&name) {
        return say_it_is_one(&others, &folder, context);
    }
    refuse_taken(&name)?;
    let agent = agent_kind(&arguments.agent)?;
    if arguments.script.is_some() && agent != AgentKind::Scripted {
        return Err(Failure::invalid("--script is for a scripted agent").hint("say --agent scripted, or leave it out"));
    }
    let mut keys: Vec<Key> = vec![("path".to_owned(), json!(folder)), ("agent".to_owned(), json!(agent))];
    if let Some(script) = &arguments.script {
        let script = absolute(script)?;
        scripted::check(&script).map_err(|error| Failure::invalid(error.to_string()))?;
        keys.push(("script".to_owned(), json!(script)));
    }
    keys.extend(arguments.description.map(|about| ("description".to_owned(), json!(about))));
    in_force::refuse_unsettled(context).await?;
    config_file::add_team(&file(context), &name, &keys)?;
    in_force::wait(context, |teams| teams.iter().any(|team| *team == name.as_str())).await?;
    let untrusted = untrusted::look(&name, context).await;
    let mut json = json!({ "team": name, "path": folder, "untrusted": untrusted.files });
    if let Some(why) = &untrusted.unreadable {
        json["unreadable"] = json!(why);
    }
    tell(context, json, format!("{name} is a team: {}", place::shown(&folder)))?;
    if context.printer.is_json() {
        return Ok(Exit::Done);
    }
    if arguments.name.is_none() && is_unlike(&folder, &name) {
        context
            .printer
            .note(format!("called {name}: a team's name is of plain letters, digits and -_. ; --name says another"));
    }
    if !others.is_empty() {
        context.printer.note(format!("the same folder is also the team {}", listed(&others)));
    }
    say_how_to_start(context);
    if let Some(told) = untrusted.told(&name) {
        context.printer.note(told);
    }
    context.printer.note(format!("talk to it: iris tell {name} 'what is this project?'"));
    Ok(Exit::Done)
}

/// Somebody's whole folder, or one that has it in it: mostly a mistake in where one is.
fn is_too_much(folder: &Path) -> bool {
    std::env::home_dir().and_then(|own| own.canonicalize().ok()).is_some_and(|own| own.starts_with(folder))
}

/// Who says a name means it.
fn too_much(folder: &Path) -> Failure {
    let shown = place::shown(folder);
    let what = format!("{shown} is no project: an agent there would work on everything of yours, keys and all");
    let word = place::in_command(folder);
    Failure::invalid(what).hint(format!("go to a project's folder; if you do mean it: iris teams add {word} --name …"))
}

/// Those that work in the folder already.
fn teams_of(folder: &Path, config: &Config) -> Vec<TeamName> {
    let is_here = |path: &Path| path == folder || path.canonicalize().is_ok_and(|path| path == folder);
    config.teams.iter().filter(|(_, team)| is_here(&team.path)).map(|(name, _)| name.clone()).collect()
}

fn listed(teams: &[TeamName]) -> String {
    teams.iter().map(TeamName::as_str).collect::<Vec<_>>().join(", ")
}

fn say_it_is_one(teams: &[TeamName], folder: &Path, context: &mut Context) -> Result<Exit, Failure> {
    let line = format!("{} is the team {} already; nothing was changed", place::shown(folder), listed(teams));
    tell(context, json!({ "team": teams[0], "path": folder, "alreadyThere": true }), line)?;
    if !context.printer.is_json() {
        context.printer.note("a second team in the same folder needs a name of its own: --name");
    }
    Ok(Exit::Done)
}

fn refuse_taken(name: &TeamName) -> Result<(), Failure> {
    let Some(who) = name.is_taken_by() else { return Ok(()) };
    let what = format!("'{name}' is the name of {who}, so no team can have it");
    Err(Failure::invalid(what).hint("choose another with --name"))
}

/// A team that nobody can tell anything is refused now rather than at its first tell.
fn agent_kind(name: &str) -> Result<AgentKind, Failure> {
    let kind = serde_json::from_value::<AgentKind>(json!(name)).ok();
    let kind = kind.ok_or_else(|| Failure::invalid(format!("'{name}' is no kind of agent")).hint(RUN_TODAY))?;
    if !is_built(kind) {
        let what = format!("agents of kind '{name}' are not built into this version of Iris");
        return Err(Failure::fault(FaultKind::Unsupported, what).hint(RUN_TODAY));
    }
    Ok(kind)
}

const RUN_TODAY: &str = "claude and scripted run today";

/// Whatever is told next needs a daemon.
pub fn say_how_to_start(context: &mut Context) {
    if !context.client().finds_a_daemon() {
        context.printer.note("iris is not running yet; start it: iris up");
    }
}

/// The folder as a team of the usual kind.
pub async fn add_folder(path: PathBuf, name: TeamName, context: &mut Context) -> Result<Exit, Failure> {
    let agent = "claude".to_owned();
    add(AddArguments { path, name: Some(name.to_string()), description: None, agent, script: None }, context).await
}

pub async fn remove(name: &str, context: &mut Context) -> Result<Exit, Failure> {
    let name: TeamName = name.parse()?;
    in_force::refuse_unsettled(context).await?;
    config_file::remove_team(&file(context), &name)?;
    in_force::wait(context, |teams| teams.iter().all(|team| *team != name.as_str())).await?;
    tell(context, json!({ "team": name }), format!("{name} is a team no longer; its conversations are kept"))?;
    Ok(Exit::Done)
}

pub fn file(context: &Context) -> PathBuf {
    Home::at(&context.home).config()
}

fn folder(path: &Path) -> Result<PathBuf, Failure> {
    let found = path.canonicalize().ok().filter(|path| path.is_dir());
    found.ok_or_else(|| {
        Failure::fault(FaultKind::NotFound, format!("{} is not a folder", place::shown(path)))
            .hint("give the project's folder: iris teams add ~/code/backend")
    })
}

pub fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::invalid(format!("{}: {error}", path.display())))
}

/// The folder's name, with what a team's name cannot have taken out.
pub fn name_of(folder: &Path) -> Result<TeamName, Failure> {
    let called = folder.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let mut name = String::new();
    for c in called.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || "-_.".contains(c) => name.push(c),
            c => name.push_str(plain(c).unwrap_or("-")),
        }
    }
    let name = name.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let taken = name.parse();
    taken.map_err(|_| Failure::invalid(format!("'{called}' is no name for a team")).hint("choose one with --name"))
}

/// The letters that most names have beside the plain ones, as they are written where there are none.
fn plain(letter: char) -> Option<&'static str> {
    const LETTERS: [(&str, &str); 15] = [
        ("äæ", "ae"),
        ("àáâãåā", "a"),
        ("çćč", "c"),
        ("èéêëēę", "e"),
        ("ìíîïī", "i"),
        ("ñńň", "n"),
        ("öœ", "oe"),
        ("òóôõøō", "o"),
        ("ü", "ue"),
        ("ùúûū", "u"),
        ("ýÿ", "y"),
        ("ß", "ss"),
        ("śš", "s"),
        ("źżž", "z"),
        ("ł", "l"),
    ];
    LETTERS.iter().find(|(letters, _)| letters.contains(letter)).map(|(_, plain)| *plain)
}

/// A name that somebody would not expect from their folder's is said to be another.
fn is_unlike(folder: &Path, name: &TeamName) -> bool {
    folder.file_name().is_none_or(|called| called.to_string_lossy().to_lowercase() != name.as_str())
}

pub fn tell(context: &mut Context, json: Value, line: String) -> Result<(), Failure> {
    if context.printer.is_json() { context.printer.json(&json) } else { context.printer.line(line) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_its_name_in_plain_letters() {
        for (folder, expected) in [
            ("/x/backend", "backend"),
            ("/x/Crème Brûlée", "creme-brulee"),
            ("/x/Größe", "groesse"),
            ("/x/.a b", "a-b"),
        ] {
            assert_eq!(name_of(Path::new(folder)).expect("a name").as_str(), expected);
        }
        assert!(name_of(Path::new("/x/日本")).is_err());
        let backend = name_of(Path::new("/x/Backend")).expect("a name");
        assert!(!is_unlike(Path::new("/x/Backend"), &backend));
    }
}
