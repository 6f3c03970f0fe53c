//! `iris teams import`: the teams of an Iris MCP config, as far as there is something like them here.

mod settings;

use std::path::{Component, Path, PathBuf};

use iris_core::fault::FaultKind;
use iris_core::team::TeamName;
use iris_engine::config::{self, Config, ConfigError, TeamConfig};
use jsonc_parser::ast::Value::Object;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::{Map, Value, json};

use super::add::{absolute, file, say_how_to_start};
use super::in_force;
use crate::commands::Context;
use crate::config_file::{self, Additions, Key};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::place;

/// What of a team has the same name and means the same here.
const OF_A_TEAM: [&str; 12] = [
    "description",
    "idleTimeout",
    "responseTimeout",
    "skipPermissions",
    "grantPermission",
    "color",
    "model",
    "allowedTools",
    "disallowedTools",
    "appendSystemPrompt",
    "env",
    "args",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Really,
    /// Nothing is written.
    DryRun,
}

pub async fn import(from: &Path, how: How, context: &mut Context) -> Result<Exit, Failure> {
    let to = file(context);
    let text = config::read_text(from)?.ok_or_else(|| {
        Failure::fault(FaultKind::NotFound, format!("there is no file {}", place::shown(from)))
            .hint("name the config.yaml of an Iris MCP")
    })?;
    let text = without_comments(text);
    let is_own = from.canonicalize().ok().is_some_and(|from| to.canonicalize().is_ok_and(|to| from == to));
    if is_own && config::load(&to).is_ok() {
        let what = format!("{} is the config of this Iris already", place::shown(&to));
        return Err(Failure::invalid(what).hint("name the config.yaml of an Iris MCP"));
    }
    if how == How::Really {
        // A file that is none of ours no daemon uses; this makes it one.
        if is_own { in_force::refuse_other_home(context).await? } else { in_force::refuse_unsettled(context).await? }
    }
    let ours = Ours {
        config: if is_own { Config::default() } else { config_file::current(&to)? },
        text: if is_own { String::new() } else { config::read_text(&to)?.unwrap_or_default() },
        takes_settings: is_own || config_file::can_be_added_to(&to, "settings"),
    };
    // Everything is looked at before anything is changed.
    let taken = take(from, &text, &ours)?;
    let kept_as = match how {
        How::DryRun => None,
        How::Really if is_own => Some(config_file::replace_all(&to, &taken.additions)?),
        How::Really => config_file::add_all(&to, &taken.additions).map(|()| None)?,
    };
    let mut taken_up = Ok(());
    if how == How::Really {
        let added: Vec<&str> = taken.additions.teams.iter().map(|(name, _)| name.as_str()).collect();
        taken_up = in_force::wait(context, |teams| added.iter().all(|name| teams.contains(name))).await;
    }
    say(&taken, how, kept_as.as_deref(), context)?;
    taken_up?;
    Ok(Exit::Done)
}

/// JSON may have comments with them. They are blanked out, so that everything else stays where it is.
fn without_comments(text: String) -> String {
    let options = CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
    let Ok(parsed) = parse_to_ast(&text, &options, &ParseOptions::default()) else { return text };
    let (Some(Object(_)), Some(comments)) = (&parsed.value, &parsed.comments) else { return text };
    let mut ranges: Vec<_> = comments.values().flat_map(|comments| comments.iter().map(Ranged::range)).collect();
    // One that stands between two values is listed with both.
    ranges.sort_by_key(|range| range.start);
    ranges.dedup_by_key(|range| range.start);
    let mut blanked = String::with_capacity(text.len());
    let mut end = 0;
    for range in ranges {
        blanked.push_str(&text[end..range.start]);
        blanked.extend(text[range.start..range.end].chars().map(|c| if c == '\n' { c } else { ' ' }));
        end = range.end;
    }
    blanked + &text[end..]
}

/// What is there before.
struct Ours {
    config: Config,
    text: String,
    takes_settings: bool,
}

#[derive(Default)]
struct Taken {
    additions: Additions,
    already_there: Vec<String>,
    /// Teams on other machines.
    remote: Vec<String>,
    left_out: Vec<String>,
    /// Where such a team was named: it is taken out there.
    not_named: Vec<String>,
    /// Keys whose variables are taken by the value that they have now.
    filled_in: Vec<String>,
}

fn take(from: &Path, text: &str, ours: &Ours) -> Result<Taken, ConfigError> {
    let wrong = |key: &str, what: &str| ConfigError::of_key(from, text, key, what);
    let theirs = config::parse_values(from, text, |name| std::env::var(name).ok())?;
    if !["teams", "settings"].iter().any(|part| theirs.get(part).is_some()) {
        return Err(wrong("teams", "there are none, and no `settings` either: this is no config of an Iris MCP"));
    }
    // What an agent gets in its environment may be secret, and stays the variable it is. The rest is filled in: a daemon
    // that runs in the background need not have the variables of this shell.
    let written = config::parse_unfilled(text).unwrap_or_default();
    // Nothing stands behind `teams:` in the file that comes with their program, and its settings are worth having, too.
    let teams = &theirs["teams"];
    if !teams.is_null() && !teams.is_object() {
        return Err(wrong("teams", "must be teams by their names, or nothing"));
    }
    let mut taken = Taken::default();
    for (name, team) in teams.as_object().into_iter().flatten() {
        let key = format!("teams.{name}");
        let parsed: TeamName = name.parse().map_err(|error| wrong(&key, &format!("{error}")))?;
        if let Some(who) = parsed.is_taken_by() {
            return Err(wrong(&key, &format!("'{name}' is the name of {who}; give the team another in that file")));
        }
        let empty = Map::new();
        let team = team.as_object().unwrap_or(&empty);
        if team.get("remote").is_some_and(|remote| !remote.is_null()) {
            taken.remote.push(name.clone());
        } else if ours.config.teams.contains_key(&parsed) {
            taken.already_there.push(name.clone());
        } else {
            let keys = take_team(from, &key, (team, &written["teams"][name]), &mut taken.left_out)
                .and_then(|keys| check_whole(name, keys))
                .map_err(|(key, what)| wrong(&key, &what))?;
            taken.additions.teams.push((parsed, keys));
        }
    }
    let added: Vec<_> = taken.additions.teams.iter().map(|(name, _)| name.as_str()).collect();
    for (name, team) in
        written["teams"].as_object().into_iter().flatten().filter(|(name, _)| added.contains(&name.as_str()))
    {
        // What is in `env` stays as it is written.
        for (key, value) in team.as_object().into_iter().flatten().filter(|(key, _)| *key != "env") {
            variables_in(value, format!("teams.{name}.{key}"), &mut taken.filled_in);
        }
    }
    // As they stand in their file.
    taken.additions.teams.sort_by_key(|(name, _)| config::place_of(text, &format!("teams.{name}")));
    settings::take(&theirs["settings"], ours, &mut taken)
        .and_then(|()| settings::check(ours, &taken))
        .map_err(|(key, what)| wrong(&key, &what))?;
    let parts = theirs.as_object().into_iter().flatten().map(|(part, _)| part);
    taken.left_out.extend(parts.filter(|part| !["teams", "settings"].contains(&part.as_str())).cloned());
    variables_in(&written["settings"], "settings".to_owned(), &mut taken.filled_in);
    let Taken { filled_in, left_out, already_there, .. } = &mut taken;
    let is_under = |key: &str, other: &String| {
        key.strip_prefix(other.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    filled_in.retain(|key| !left_out.iter().chain(already_there.iter()).any(|other| is_under(key, other)));
    Ok(taken)
}

/// A key that cannot be taken, and why.
type Wrong = (String, String);

fn take_team(
    from: &Path,
    name: &str,
    (team, written): (&Map<String, Value>, &Value),
    left_out: &mut Vec<String>,
) -> Result<Vec<Key>, Wrong> {
    let mut keys = Vec::new();
    let path = team.get("path").and_then(Value::as_str);
    let path = path.ok_or_else(|| (name.to_owned(), "it has no path".to_owned()))?;
    let path = folder(from, path);
    // One that is not there may come.
    if path.exists() && !path.is_dir() {
        return Err((format!("{name}.path"), format!("{} is not a folder", place::shown(&path))));
    }
    keys.push(("path".to_owned(), json!(path)));
    for (key, value) in team.iter().filter(|(key, value)| *key != "path" && !value.is_null()) {
        let whole = format!("{name}.{key}");
        let (key, value) = match key.as_str() {
            // The one in the PATH is found anyway.
            "claudePath" if value == "claude" => continue,
            "claudePath" => ("command", json!(folder(from, value.as_str().unwrap_or_default()))),
            "allowedTools" | "disallowedTools" => (key.as_str(), listed(value)),
            "grantPermission" => (key.as_str(), granted(value)),
            // The newer word counts, there as here, and saying both is a contradiction.
            "skipPermissions" if team.get("grantPermission").is_some_and(|grant| !grant.is_null()) => {
                left_out.push(whole);
                continue;
            }
            "skipPermissions" => (key.as_str(), switched(value)),
            key if OF_A_TEAM.contains(&key) => (key, value.clone()),
            _ => {
                left_out.push(whole);
                continue;
            }
        };
        config::check_value::<TeamConfig>(&json!({ "path": "/", key: value })).map_err(|what| (whole, what))?;
        let value = if key == "env" { as_written(&value, &written[key]) } else { value };
        keys.push((key.to_owned(), value));
    }
    Ok(keys)
}

/// Whether what was taken is a team, also as a whole. What is wrong is told of their file, where it can be corrected.
fn check_whole(name: &str, keys: Vec<Key>) -> Result<Vec<Key>, Wrong> {
    let team: Map<String, Value> = keys.iter().cloned().collect();
    // Nothing is filled in here: what had to be is, and the rest is the agent's.
    let draft = json!({ "teams": { name: team } }).to_string().replace("${", "\\u0024{");
    let Err(error) = config::parse(Path::new("team"), &draft, |name| std::env::var(name).ok()) else { return Ok(keys) };
    let (key, what) = error.what().split_once(": ").unwrap_or((name, error.what()));
    Err((key.to_owned(), what.to_owned()))
}

/// Each value as it was written, with its variables.
fn as_written(values: &Value, written: &Value) -> Value {
    let kept = |(key, value): (&String, &Value)| {
        let raw = written[key].as_str().filter(|raw| raw.contains("${"));
        (key.clone(), raw.map_or_else(|| value.clone(), |raw| json!(raw)))
    };
    values.as_object().map_or_else(|| values.clone(), |values| values.iter().map(kept).collect())
}

/// The keys below one in whose values variables are named.
fn variables_in(written: &Value, key: String, found: &mut Vec<String>) {
    match written {
        Value::String(text) if text.replace("$${", "").contains("${") => found.push(key),
        Value::Array(items) if items.iter().any(|item| item.as_str().is_some_and(|text| text.contains("${"))) => {
            found.push(key);
        }
        Value::Object(parts) => {
            parts.iter().for_each(|(part, value)| variables_in(value, format!("{key}.{part}"), found));
        }
        _ => {}
    }
}

/// Absolute: `~` is the user's own folder, and what is relative is so to their file.
fn folder(from: &Path, path: &str) -> PathBuf {
    let own = || std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    let path = match (path, path.strip_prefix("~/")) {
        ("~", _) => own(),
        (_, Some(rest)) => own().join(rest),
        (path, None) => from.parent().unwrap_or(Path::new(".")).join(path),
    };
    tidy(&absolute(&path).unwrap_or(path))
}

/// Without `..`: where a link leads, the file system knows; of what is not there, only the words are left.
fn tidy(path: &Path) -> PathBuf {
    if !path.components().any(|part| part == Component::ParentDir) {
        return path.to_owned();
    }
    path.canonicalize().unwrap_or_else(|_| {
        path.components().fold(PathBuf::new(), |mut tidied, part| {
            if part == Component::ParentDir {
                tidied.pop();
            } else {
                tidied.push(part);
            }
            tidied
        })
    })
}

/// A program that wrote their file may have made a truth of `yes`.
fn granted(value: &Value) -> Value {
    match value {
        Value::Bool(true) => json!("yes"),
        Value::Bool(false) => json!("no"),
        other => other.clone(),
    }
}

/// The other way round: a word for a truth.
fn switched(value: &Value) -> Value {
    match value.as_str().map(str::to_ascii_lowercase).as_deref() {
        Some("yes" | "on") => json!(true),
        Some("no" | "off") => json!(false),
        _ => value.clone(),
    }
}

/// Tools are one text with commas there and a list here. A comma in brackets belongs to the tool.
fn listed(value: &Value) -> Value {
    let Some(text) = value.as_str() else { return value.clone() };
    let mut depth = 0_usize;
    let tools = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    tools.map(str::trim).filter(|tool| !tool.is_empty()).collect()
}

fn say(taken: &Taken, how: How, kept_as: Option<&Path>, context: &mut Context) -> Result<(), Failure> {
    let added: Vec<String> = taken.additions.teams.iter().map(|(name, _)| name.to_string()).collect();
    let settings: Vec<String> = taken.additions.settings.iter().map(|(key, _)| format!("settings.{key}")).collect();
    if context.printer.is_json() {
        return context.printer.json(&json!({
            "added": added, "settings": settings, "alreadyThere": taken.already_there, "remote": taken.remote,
            "leftOut": taken.left_out, "notNamed": taken.not_named, "filledIn": taken.filled_in, "keptAs": kept_as, "dryRun": how == How::DryRun,
        }));
    }
    let list = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let both = [added.as_slice(), &settings].concat();
    let verb = if how == How::DryRun { "would be added" } else { "added" };
    let printer = &mut context.printer;
    printer.line(format!("{verb}: {}; already there: {}", list(&both), list(&taken.already_there)))?;
    if !taken.remote.is_empty() {
        printer.note(format!("left out, because Iris runs teams on this machine only: {}", taken.remote.join(", ")));
    }
    if !taken.not_named.is_empty() {
        printer.note(format!("taken out, because that team is left out: {}", taken.not_named.join(", ")));
    }
    if !taken.left_out.is_empty() {
        let names = taken.left_out.join(", ");
        printer.note(format!("left out, because Iris has no such key or sets it elsewhere: {names}"));
    }
    if !taken.filled_in.is_empty() {
        let keys = taken.filled_in.join(", ");
        printer.note(format!("variables were replaced by the value that they have now: {keys}"));
    }
    if let Some(kept) = kept_as {
        printer.note(format!("what was there before is kept as {}", place::shown(kept)));
    }
    match how {
        How::DryRun => printer.note("nothing was written"),
        How::Really => say_how_to_start(context),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_cut_at_commas_that_are_in_no_brackets() {
        let check = |text: &str, expected: Value| assert_eq!(listed(&json!(text)), expected);
        check("Read,Bash(git log:*, git diff:*),Edit", json!(["Read", "Bash(git log:*, git diff:*)", "Edit"]));
        check(" Read , , Edit,", json!(["Read", "Edit"]));
        check("Bash(a),)Edit", json!(["Bash(a)", ")Edit"]));
        assert_eq!(listed(&json!(["a"])), json!(["a"]));
    }
}
