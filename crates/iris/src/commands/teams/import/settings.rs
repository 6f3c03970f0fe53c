//! What of an Iris MCP's `settings` there is here, too.

use std::path::Path;

use iris_engine::config::{self, Settings};
use serde_json::{Map, Value, json};

use super::{Ours, Taken, Wrong};

/// What of `settings` means the same here, and what it is called here.
const OF_SETTINGS: [(&str, &str); 7] = [
    ("agent", "agent"),
    ("sessionInitTimeout", "sessionInitTimeout"),
    ("responseTimeout", "responseTimeout"),
    ("idleTimeout", "idleTimeout"),
    ("maxProcesses", "maxProcesses"),
    ("healthCheckInterval", "healthCheckInterval"),
    ("httpPort", "port"),
];

/// What of `settings.agent.completionAnalysis` means the same here.
const OF_ANALYSIS: [&str; 7] =
    ["enabled", "enabledFor", "questionPatterns", "patterns", "minConfidence", "useQuickCheck", "responseTimeout"];

pub(super) fn take(settings: &Value, ours: &Ours, taken: &mut Taken) -> Result<(), Wrong> {
    for (key, value) in settings.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        let whole = format!("settings.{key}");
        let value = &if key == "agent" { take_analysis(value, taken) } else { value.clone() };
        if value.is_null() {
            continue;
        }
        let Some((_, here)) = OF_SETTINGS.iter().find(|(theirs, _)| theirs == key) else {
            taken.left_out.push(whole);
            continue;
        };
        if config::has_key(&ours.text, &format!("settings.{here}")) {
            taken.already_there.push(whole);
        } else if !ours.takes_settings {
            taken.left_out.push(whole);
        } else {
            config::check_value::<Settings>(&json!({ *here: value })).map_err(|what| (whole, what))?;
            taken.additions.settings.push(((*here).to_owned(), value.clone()));
        }
    }
    Ok(())
}

/// Of what is done about what agents say, as much as there is here, or nothing.
fn take_analysis(agent: &Value, taken: &mut Taken) -> Value {
    let mut analysis = Map::new();
    for (key, value) in agent.as_object().into_iter().flatten() {
        let keys = value.as_object().filter(|_| key == "completionAnalysis");
        if keys.is_none() {
            taken.left_out.push(format!("settings.agent.{key}"));
        }
        for (key, value) in keys.into_iter().flatten().filter(|(_, value)| !value.is_null()) {
            let whole = format!("settings.agent.completionAnalysis.{key}");
            if key == "enabledFor" {
                analysis.insert(key.clone(), without_remote(value, &whole, taken));
            } else if OF_ANALYSIS.contains(&key.as_str()) {
                analysis.insert(key.clone(), value.clone());
            } else {
                taken.left_out.push(whole);
            }
        }
    }
    if analysis.is_empty() { Value::Null } else { json!({ "completionAnalysis": analysis }) }
}

/// The names of teams without those that are not taken over.
fn without_remote(names: &Value, key: &str, taken: &mut Taken) -> Value {
    let Some(names) = names.as_array() else { return names.clone() };
    let is_remote = |name: &&Value| name.as_str().is_some_and(|name| taken.remote.iter().any(|remote| remote == name));
    let (remote, rest): (Vec<_>, Vec<_>) = names.iter().partition(is_remote);
    let not_named: Vec<_> =
        remote.iter().filter_map(|name| name.as_str()).map(|name| format!("{key}: {name}")).collect();
    taken.not_named.extend(not_named);
    rest.into_iter().cloned().collect()
}

/// Whether the settings are right beside the teams there will be. What is wrong is told of their file.
pub(super) fn check(ours: &Ours, taken: &Taken) -> Result<(), Wrong> {
    let names = ours.config.teams.keys().chain(taken.additions.teams.iter().map(|(name, _)| name));
    let teams: Map<String, Value> = names.map(|name| (name.to_string(), json!({ "path": "/" }))).collect();
    let settings: Map<String, Value> = taken.additions.settings.iter().cloned().collect();
    let draft = json!({ "teams": teams, "settings": settings }).to_string().replace("${", "\\u0024{");
    let Err(error) = config::parse(Path::new("settings"), &draft, |_| None) else { return Ok(()) };
    let (key, what) = error.what().split_once(": ").unwrap_or(("settings", error.what()));
    let theirs = OF_SETTINGS.iter().find(|(_, here)| key == format!("settings.{here}"));
    Err((theirs.map_or_else(|| key.to_owned(), |(theirs, _)| format!("settings.{theirs}")), what.to_owned()))
}
