//! Changing config.yaml for the user: only the lines in question, so that comments and order stay.
//!
//! Written by hand because the libraries that keep comments need a newer compiler than we ask for. Whatever it makes is
//! read as a config before it is put in place, and must differ by exactly what was wanted.

mod flow;
mod lines;

use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use iris_core::fault::FaultKind;
use iris_core::team::TeamName;
use iris_engine::config::{self, Config};
use iris_engine::home::{CommandLock, Home};

use crate::commands::serve::starter;
use crate::failure::Failure;
use crate::place;
use lines::Lines;

/// A key and its value.
pub type Key = (String, serde_json::Value);

/// What is to be in the file and is not there yet.
#[derive(Debug, Default)]
pub struct Additions {
    pub teams: Vec<(TeamName, Vec<Key>)>,
    /// Keys of `settings`.
    pub settings: Vec<Key>,
}

pub fn add_team(file: &Path, name: &TeamName, keys: &[Key]) -> Result<(), Failure> {
    let _held = prepare(file)?;
    let (text, before) = read(file)?;
    if let Some(team) = before.teams.get(name) {
        let what = format!("there is a team '{name}' already, in {}", place::shown(&team.path));
        return Err(Failure::fault(FaultKind::Conflict, what).hint("choose another with --name"));
    }
    let wanted = Additions { teams: vec![(name.clone(), keys.to_vec())], settings: Vec::new() };
    change(file, (&text, &before), &add(file, &text, &wanted)?, &wanted)
}

/// Whether keys can be added to a part of the file.
pub fn can_be_added_to(file: &Path, part: &str) -> bool {
    let text = config::read_text(file).ok().flatten().unwrap_or_default();
    flow::add(&text, part, "").is_some() || Lines::of(&text).add(part, |_| Vec::new()).is_ok()
}

/// All of it or nothing.
pub fn add_all(file: &Path, wanted: &Additions) -> Result<(), Failure> {
    let _held = prepare(file)?;
    let (text, before) = read(file)?;
    change(file, (&text, &before), &add(file, &text, wanted)?, wanted)
}

/// Puts a config in the place of a file that is none. The file is kept beside it, under the name that is returned.
pub fn replace_all(file: &Path, wanted: &Additions) -> Result<PathBuf, Failure> {
    let _held = hold(file)?;
    let text = add(file, starter::STARTER, wanted)?;
    config::parse(file, &text, |name| std::env::var(name).ok()).map_err(|error| {
        let what = format!("what {} would become is no config: {}", place::shown(file), error.what());
        Failure::invalid(what).maybe_hint(error.hint().map(str::to_owned))
    })?;
    let names = (1..100).map(|number| {
        format!("config.yaml.before-import{}", if number == 1 { String::new() } else { format!("-{number}") })
    });
    let mut beside = names.map(|name| file.with_file_name(name));
    let beside = beside.find(|beside| !beside.exists());
    let beside = beside.ok_or_else(|| Failure::invalid("there are too many files called config.yaml.before-import"))?;
    std::fs::copy(file, &beside).map_err(|error| unusable(&beside, &error))?;
    put(file, &text).map_err(|error| unusable(file, &error))?;
    Ok(beside)
}

pub fn remove_team(file: &Path, name: &TeamName) -> Result<(), Failure> {
    refuse_lost(file)?;
    // Where there is no config there is no team, and no home has to be made to say so.
    let _held = if file.exists() { Some(prepare(file)?) } else { None };
    let (text, before) = read(file)?;
    if !before.teams.contains_key(name) {
        let what = format!("there is no team '{name}' in {}", place::shown(file));
        return Err(Failure::fault(FaultKind::NotFound, what).hint(before.unknown_team(name).hint()));
    }
    let new = match flow::remove(&text, "teams", name.as_str()) {
        Some(new) => new,
        None => {
            let mut lines = Lines::of(&text);
            lines.remove("teams", name.as_str()).map_err(|failure| in_file(file, failure))?;
            lines.text()
        }
    };
    let wanted = Additions { teams: vec![(name.clone(), Vec::new())], settings: Vec::new() };
    change(file, (&text, &before), &new, &wanted)
}

/// Puts back what was there before something was added, to the letter, and says whether it could: only if the file is still
/// what came of that. What says nothing is not put back, because a daemon takes it for lost.
pub fn put_back(file: &Path, before: &str, added: &Additions) -> Result<bool, Failure> {
    let _held = prepare(file)?;
    let (text, config) = read(file)?;
    if config::says_nothing(before) || add_to_text(before, added).ok().as_ref() != Some(&text) {
        return Ok(false);
    }
    change(file, (&text, &config), before, added).map(|()| true)
}

/// Writes the config of somebody who has none, and says whether there was none.
pub fn write_if_missing(file: &Path) -> Result<bool, Failure> {
    let _held = hold(file)?;
    starter::write_if_missing(file)
}

/// The first command somebody runs may be one that writes the config. Nobody else changes it until the lock is dropped.
fn prepare(file: &Path) -> Result<CommandLock, Failure> {
    let held = hold(file)?;
    refuse_lost(file)?;
    starter::write_if_missing(file)?;
    Ok(held)
}

/// A daemon goes on with what it had when its file is removed or emptied. What is added to such a file would take the place
/// of all that.
pub fn refuse_lost(file: &Path) -> Result<(), Failure> {
    let text = config::read_text(file)?;
    let how = match &text {
        None => "gone",
        Some(text) if config::says_nothing(text) => "empty",
        Some(_) => return Ok(()),
    };
    if home_of(file).holder().is_none() {
        return Ok(());
    }
    let what = format!(
        "{} is {how}, and the daemon goes on with what was in it; with a change to the file that would be lost",
        place::shown(file)
    );
    Err(Failure::fault(FaultKind::Conflict, what)
        .hint("put the file back: `iris config show` prints what is in force, without secrets. To begin anew: `iris down` first"))
}

fn home_of(file: &Path) -> Home {
    Home::at(file.parent().expect("a config is a file in a home"))
}

fn hold(file: &Path) -> Result<CommandLock, Failure> {
    Ok(Home::prepare(home_of(file).root())?.lock_config()?)
}

/// What the file says, for whoever is about to add to it: one that is not there, or says nothing, is an empty config.
pub fn current(file: &Path) -> Result<Config, Failure> {
    read(file).map(|(_, config)| config)
}

fn read(file: &Path) -> Result<(String, Config), Failure> {
    let text = config::read_text(file)?.unwrap_or_default();
    // With a team in it, it says something.
    let config = if config::says_nothing(&text) { Config::default() } else { config::load(file)? };
    Ok((text, config))
}

fn unusable(file: &Path, error: &std::io::Error) -> Failure {
    Failure::of_file(format!("{} cannot be used ({error})", place::shown(file)), error)
}

/// What is said of a line, with the file that it is in.
fn in_file(file: &Path, failure: Failure) -> Failure {
    Failure { message: format!("{}, {}", place::shown(file), failure.message), ..failure }
}

fn add(file: &Path, text: &str, wanted: &Additions) -> Result<String, Failure> {
    add_to_text(text, wanted).map_err(|failure| in_file(file, failure))
}

fn add_to_text(text: &str, wanted: &Additions) -> Result<String, Failure> {
    let mut text = text.to_owned();
    for (name, keys) in &wanted.teams {
        text = add_to(&text, "teams", &flow::team(name.as_str(), keys), |indent| {
            let inner = " ".repeat(indent);
            let keys = keys.iter().map(|(key, value)| match key.as_str() {
                // The one key whose values are as they were written, variables and all.
                "env" => format!("{inner}{key}: {value}"),
                _ => format!("{inner}{key}: {}", lines::written(value)),
            });
            let name = lines::written(&serde_json::json!(name));
            std::iter::once(format!("{name}:")).chain(keys).collect()
        })?;
    }
    for (key, value) in &wanted.settings {
        let line = vec![format!("{key}: {}", lines::written(value))];
        text = add_to(&text, "settings", &flow::key_in_braces(key, value), |_| line)?;
    }
    Ok(text)
}

/// In the form that the block has. An empty one in braces is given lines, unless the whole file is in braces.
fn add_to(
    text: &str,
    block: &str,
    in_braces: &str,
    lines: impl FnOnce(usize) -> Vec<String>,
) -> Result<String, Failure> {
    let mut by_lines = Lines::of(text);
    if !by_lines.is_in_braces() && by_lines.has_room(block) {
        by_lines.add(block, lines)?;
        return Ok(by_lines.text());
    }
    match flow::add(text, block, in_braces) {
        Some(text) => Ok(text),
        None => by_lines.add(block, lines).map(|()| by_lines.text()),
    }
}

fn change(file: &Path, (text, before): (&str, &Config), new: &str, wanted: &Additions) -> Result<(), Failure> {
    // What would be wrong with it is about a text that nobody but us has seen, so that no place in it is told.
    let after = config::parse(file, new, |name| std::env::var(name).ok());
    let is_as_wanted = after.as_ref().is_ok_and(|after| {
        let teams = before.teams.len().abs_diff(after.teams.len());
        teams == wanted.teams.len() && rest(before, wanted) == rest(after, wanted)
    });
    if !is_as_wanted {
        let why = after.err().map(|error| format!(" ({})", error.what())).unwrap_or_default();
        let part = if wanted.teams.is_empty() { "settings" } else { "teams" };
        let place = config::place_of(text, part).map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
        let what =
            format!("{}{place}: `{part}` is written in a way that cannot be changed safely{why}", place::shown(file));
        return Err(Failure::invalid(what).hint("edit it yourself; `iris config check` says whether it is right"));
    }
    put(file, new).map_err(|error| unusable(file, &error))
}

/// What of a config must be the same before and after, secrets too.
fn rest(config: &Config, changed: &Additions) -> serde_json::Value {
    let mut config = config.clone();
    for (name, _) in &changed.teams {
        config.teams.remove(name);
    }
    let (url, headers) = (config.database.url.clone(), config.telemetry.headers.clone());
    let mut rest = serde_json::to_value(config).expect("a config is plain data");
    if let Some(settings) = rest["settings"].as_object_mut() {
        settings.retain(|key, _| !changed.settings.iter().any(|(changed, _)| changed == key));
    }
    // These two are not written out with the rest.
    serde_json::json!([rest, url, headers])
}

/// In one step: whoever looks meanwhile sees the old file or the new one. A link stays one, and what it leads to changes.
fn put(file: &Path, text: &str) -> std::io::Result<()> {
    let file = std::fs::canonicalize(file)?;
    // A name of its own: what a command that was killed left behind is in nobody's way.
    let beside = file.with_extension(format!("yaml.{}.new", uuid::Uuid::new_v4().simple()));
    write_beside(&beside, text, std::fs::metadata(&file)?.permissions())
        .and_then(|()| std::fs::rename(&beside, file))
        .inspect_err(|_| {
            std::fs::remove_file(&beside).ok();
        })
}

fn write_beside(beside: &Path, text: &str, permissions: Permissions) -> std::io::Result<()> {
    let mut written = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(beside)?;
    written.write_all(text.as_bytes())?;
    // Whoever could read it still can, and nobody else.
    written.set_permissions(permissions)?;
    // A daemon knows what was moved into place, and so is whole, by its having been written before that. The clock of a disk
    // may be coarse.
    written.set_modified(written.metadata()?.modified()? - Duration::from_millis(50))?;
    written.sync_all()
}
