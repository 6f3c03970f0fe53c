//! Changing config.yaml for the user: only the lines in question, so that comments and order stay.
//!
//! Written by hand because the libraries that keep comments need a newer compiler than we ask for. Whatever it makes is
//! read as a config before it is put in place, and must differ by exactly what was wanted.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use iris_core::fault::FaultKind;
use iris_core::team::TeamName;
use iris_engine::config::{self, Config};
use iris_engine::home::Home;

use crate::commands::serve::starter;
use crate::failure::Failure;
use crate::place;

/// A key of a team and its value, as it is written.
pub type Key = (String, serde_json::Value);

pub fn add_team(file: &Path, name: &TeamName, keys: &[Key]) -> Result<(), Failure> {
    prepare(file)?;
    change(file, |text, config| {
        if config.teams.contains_key(name) {
            let what = format!("there is a team '{name}' already");
            return Err(Failure::fault(FaultKind::Conflict, what).hint("choose another with --name"));
        }
        add(text, name.as_str(), keys)
    })
}

pub fn remove_team(file: &Path, name: &TeamName) -> Result<(), Failure> {
    change(file, |text, config| {
        if !config.teams.contains_key(name) {
            let what = format!("there is no team '{name}' in {}", place::shown(file));
            return Err(Failure::fault(FaultKind::NotFound, what));
        }
        remove(text, name.as_str())
    })
}

/// The first command somebody runs may be one that writes the config.
fn prepare(file: &Path) -> Result<(), Failure> {
    if let Some(home) = file.parent() {
        Home::prepare(home)?;
    }
    starter::write_if_missing(file).map(drop)
}

fn change(file: &Path, make: impl FnOnce(&str, &Config) -> Result<String, Failure>) -> Result<(), Failure> {
    let unusable = |error: std::io::Error| Failure::invalid(format!("{} cannot be used ({error})", place::shown(file)));
    let old = std::fs::read_to_string(file).map_err(unusable)?;
    let before = config::load(file)?;
    let new = make(&old, &before)?;
    let after = config::parse(file, &new, |name| std::env::var(name).ok())?;
    let teams = before.teams.len().abs_diff(after.teams.len());
    let same = |config: &Config| {
        let kept =
            config.teams.iter().filter(|(name, _)| before.teams.contains_key(*name) && after.teams.contains_key(*name));
        let kept = kept.map(|(name, team)| (name.clone(), team.clone())).collect();
        Config { teams: kept, ..config.clone() }.shown()
    };
    if teams != 1 || same(&before) != same(&after) {
        return Err(Failure::internal(format!(
            "{} is written in a way that cannot be changed safely",
            place::shown(file)
        ))
        .hint("edit it yourself; `iris config check` says whether it is right"));
    }
    put(file, &new).map_err(unusable)
}

/// In one step: whoever looks meanwhile sees the old file or the new one.
fn put(file: &Path, text: &str) -> std::io::Result<()> {
    let beside = file.with_extension("yaml.new");
    let mut written = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    written.write_all(text.as_bytes())?;
    written.sync_all()?;
    std::fs::rename(&beside, file)
}

fn add(text: &str, name: &str, keys: &[Key]) -> Result<String, Failure> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let entry = |indent: usize| {
        let (outer, inner) = (" ".repeat(indent), " ".repeat(indent * 2));
        let keys = keys.iter().map(move |(key, value)| format!("{inner}{key}: {}", written(value)));
        std::iter::once(format!("{outer}{name}:")).chain(keys)
    };
    let Some(block) = Block::find(&lines)? else {
        lines.extend(
            [String::new(), "teams:".to_owned()].into_iter().filter(|line| !line.is_empty() || !text.is_empty()),
        );
        lines.extend(entry(2));
        return Ok(lines.join("\n") + "\n");
    };
    if block.is_empty {
        let comment = lines[block.head].find(" #").map(|at| lines[block.head][at..].to_owned()).unwrap_or_default();
        lines[block.head] = format!("teams:{comment}");
    }
    lines.splice(block.end..block.end, entry(block.indent));
    Ok(lines.join("\n") + "\n")
}

fn remove(text: &str, name: &str) -> Result<String, Failure> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let Some(block) = Block::find(&lines)? else { return Ok(text.to_owned()) };
    let is_entry = |line: &str| {
        let key = line.trim_start().split(':').next().unwrap_or_default().trim().trim_matches(['"', '\'']);
        indent_of(line) == Some(block.indent) && key == name
    };
    let Some(start) = (block.head + 1..block.end).find(|&at| is_entry(&lines[at])) else { return Ok(text.to_owned()) };
    let inside = |line: &String| indent_of(line).is_none_or(|indent| indent > block.indent);
    let length = lines[start + 1..block.end].iter().take_while(|line| inside(line)).count();
    // Empty lines and comments below it belong to what follows.
    let own = lines[start..=start + length].iter().rposition(|line| indent_of(line).is_some()).unwrap_or(0);
    lines.drain(start..=start + own);
    if !lines[block.head + 1..block.end - own - 1].iter().any(|line| indent_of(line).is_some()) {
        lines[block.head] = "teams: {}".to_owned();
    }
    Ok(lines.join("\n") + "\n")
}

/// Where the teams are in the file.
struct Block {
    /// The line `teams:`.
    head: usize,
    /// Behind the last line of the last team.
    end: usize,
    indent: usize,
    is_empty: bool,
}

impl Block {
    fn find(lines: &[String]) -> Result<Option<Self>, Failure> {
        let Some(head) = lines.iter().position(|line| line.starts_with("teams:")) else { return Ok(None) };
        let value = lines[head]["teams:".len()..].split(" #").next().unwrap_or_default().trim();
        if !matches!(value, "" | "{}" | "null" | "~") {
            let what = "`teams` is written on one line, which cannot be changed without losing its form".to_owned();
            return Err(Failure::invalid(what).hint("write each team on lines of its own, below `teams:`"));
        }
        let below = lines[head + 1..].iter().take_while(|line| indent_of(line) != Some(0)).count();
        let below = &lines[head + 1..=head + below];
        let last = below.iter().rposition(|line| indent_of(line).is_some());
        let indent = below.iter().find_map(|line| indent_of(line)).unwrap_or(2);
        let end = last.map_or(head + 1, |last| head + 1 + last + 1);
        Ok(Some(Self { head, end, indent, is_empty: last.is_none() }))
    }
}

/// `None` for lines that say nothing.
fn indent_of(line: &str) -> Option<usize> {
    let text = line.trim_start_matches(' ');
    (!text.is_empty() && !text.starts_with('#')).then(|| line.len() - text.len())
}

/// JSON is YAML; plain words are written plainly.
fn written(value: &serde_json::Value) -> String {
    let is_plain = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
            && !matches!(text.to_ascii_lowercase().as_str(), "true" | "false" | "null" | "yes" | "no" | "on" | "off")
    };
    match value.as_str() {
        Some(text) if is_plain(text) => text.to_owned(),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn new() -> Vec<Key> {
        vec![("path".to_owned(), json!("/new")), ("description".to_owned(), json!("yes: it is"))]
    }

    fn added(text: &str) -> String {
        add(text, "new", &new()).expect("it can be changed")
    }

    const ENTRY: &str = "  new:\n    path: /new\n    description: \"yes: it is\"\n";

    #[test]
    fn a_team_is_added_where_teams_are_and_nothing_else_changes() {
        assert_eq!(added(""), format!("teams:\n{ENTRY}"));
        assert_eq!(added("# mine\nsettings: {}\n"), format!("# mine\nsettings: {{}}\n\nteams:\n{ENTRY}"));
        assert_eq!(added("teams: {} # none yet\n\n# more\n"), format!("teams: # none yet\n{ENTRY}\n# more\n"));
        let before = "teams:\n  a:\n    path: /a # here\n";
        let after = "\n# about settings\nsettings:\n  port: 1 # odd\n";
        assert_eq!(added(&format!("{before}{after}")), format!("{before}{ENTRY}{after}"));
        let wide = "teams:\n    a: { path: /a }\n";
        let entry = "    new:\n        path: /new\n        description: \"yes: it is\"\n";
        assert_eq!(added(wide), format!("{wide}{entry}"));
        assert!(add("teams: { a: { path: /a } }\n", "new", &new()).is_err());
    }

    #[test]
    fn a_team_is_removed_with_its_lines_and_nothing_else() {
        let text =
            "teams:\n  # a is\n  a:\n    path: /a # here\n\n  # b is\n  b: { path: /b }\n  'c':\n    path: /c\n# end\n";
        let gone = |name: &str| remove(text, name).expect("it can be changed");
        assert_eq!(gone("a"), "teams:\n  # a is\n\n  # b is\n  b: { path: /b }\n  'c':\n    path: /c\n# end\n");
        assert_eq!(gone("b"), "teams:\n  # a is\n  a:\n    path: /a # here\n\n  # b is\n  'c':\n    path: /c\n# end\n");
        assert_eq!(gone("c"), "teams:\n  # a is\n  a:\n    path: /a # here\n\n  # b is\n  b: { path: /b }\n# end\n");
        assert_eq!(remove("teams:\n  a:\n    path: /a\n", "a").expect("changed"), "teams: {}\n");
        assert_eq!(remove(&added("teams: {}\n"), "new").expect("changed"), "teams: {}\n");
    }
}
