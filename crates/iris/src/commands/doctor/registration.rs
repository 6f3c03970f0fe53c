//! Whether agent CLIs know Iris, and what they know is still so.

use std::path::Path;

use serde_json::Value;

use super::finding::Finding;
use crate::commands::install::{Agent, Registry, Scope, is_ours};
use crate::place;

const CHECK: &str = "install";
/// Shorter, and a tell that takes its time is broken off.
const SHORT_SECONDS: f64 = 600.0;
/// What Codex waits if it is not told.
const CODEX_WAITS: f64 = 60.0;

pub(super) fn look() -> Vec<Finding> {
    [Agent::Claude, Agent::Codex].into_iter().filter_map(look_at).collect()
}

/// Nothing, if there is neither the CLI nor a list of its servers: then nobody uses it here.
fn look_at(agent: Agent) -> Option<Finding> {
    let registry = Registry::of(agent, Scope::User).ok()?;
    let (name, file) = (agent.name(), place::shown(&registry.file));
    let again = match agent {
        Agent::Claude => "iris install",
        Agent::Codex => "iris install codex",
    };
    let text = registry.text().ok()?;
    if text.is_none() && !registry.is_installed() {
        return None;
    }
    let text = text.unwrap_or_default();
    let entry = match registry.find(&text) {
        Ok(entry) => entry,
        Err(failure) => return Some(Finding::warning(CHECK, failure.message, "correct the file")),
    };
    let Some(entry) = entry.filter(is_ours) else {
        return Some(Finding::ok(CHECK, format!("{name} does not know Iris ({again})")));
    };
    let program = entry["command"].as_str().unwrap_or_default();
    if Path::new(program).is_absolute() && !Path::new(program).is_file() {
        let what = format!("{name} starts {program}, which is not there ({file})");
        return Some(Finding::problem(CHECK, what, format!("run `{again}` with the iris that you use now")));
    }
    Some(match limit(agent, &entry).filter(|seconds| *seconds < SHORT_SECONDS) {
        Some(seconds) => {
            let what = format!("{name} breaks a call of Iris off after {seconds}s ({file}); long tells do not live");
            Finding::warning(CHECK, what, format!("run `{again}`, which sets a day"))
        }
        None => Finding::ok(CHECK, format!("{name} knows Iris ({file})")),
    })
}

/// How long a call may take, in seconds.
fn limit(agent: Agent, entry: &Value) -> Option<f64> {
    match agent {
        Agent::Claude => entry["timeout"].as_f64().map(|ms| ms / 1000.0),
        Agent::Codex => Some(entry["tool_timeout_sec"].as_f64().unwrap_or(CODEX_WAITS)),
    }
}
