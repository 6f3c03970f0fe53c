//! Whether agents can log in, as far as that can be said from outside: a variable is set, or a file is there. The file is
//! not opened, and the value of the variable is neither kept nor shown.

use std::collections::BTreeMap;
use std::path::PathBuf;

use iris_api::status::Status;
use iris_core::team::AgentKind;
use iris_engine::config::{AgentHome, Config, TeamConfig};
use iris_engine::home::Home;

use super::finding::Finding;
use super::program::daemons;
use crate::place;

const CHECK: &str = "login";
/// With one of these set, Claude Code needs no login of its own.
const KEYS: [&str; 3] = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];
/// With one of these it goes to a provider whose credentials are not ours to look for.
const ELSEWHERE: [&str; 2] = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX"];

/// One finding for every way in which teams log in.
pub(super) fn look(home: &Home, config: &Config, status: Option<&Status>) -> Vec<Finding> {
    let mut ways: BTreeMap<Way, Vec<String>> = BTreeMap::new();
    for (name, team) in config.teams.iter().filter(|(_, team)| team.agent == AgentKind::Claude) {
        let own = home.root().join("data/homes").join(name.as_str());
        ways.entry(way(team, own, status)).or_default().push(name.to_string());
    }
    ways.into_iter().map(|(way, teams)| describe(&way, &teams.join(", "))).collect()
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Key(&'static str),
    Elsewhere(&'static str),
    File(PathBuf),
    /// Where it was looked for.
    None(PathBuf),
}

fn way(team: &TeamConfig, own_home: PathBuf, status: Option<&Status>) -> Way {
    // What the team sets counts first. A daemon passes on its own keys; without a daemon, ours are what it would have.
    let inherited = |name: &str| match status {
        Some(_) => daemons(status, name),
        None => std::env::var(name).ok(),
    };
    let is_set = |name: &&'static str| team.env.contains_key(*name) || inherited(name).is_some();
    if let Some(key) = KEYS.into_iter().find(|name| is_set(name)) {
        return Way::Key(key);
    }
    if let Some(name) = ELSEWHERE.into_iter().find(|name| team.env.contains_key(*name)) {
        return Way::Elsewhere(name);
    }
    let user = || std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    let folder = team.env.get("CLAUDE_CONFIG_DIR").cloned().or_else(|| inherited("CLAUDE_CONFIG_DIR"));
    let folder = match (folder, team.home) {
        (Some(folder), _) => PathBuf::from(folder),
        (None, AgentHome::Shared) => user().join(".claude"),
        (None, AgentHome::Own) => own_home.join(".claude"),
    };
    let file = folder.join(".credentials.json");
    if file.is_file() { Way::File(file) } else { Way::None(file) }
}

fn describe(way: &Way, teams: &str) -> Finding {
    match way {
        Way::Key(name) => Finding::ok(CHECK, format!("{teams}: by {name}; whether it is good, only a tell shows")),
        Way::Elsewhere(name) => Finding::ok(CHECK, format!("{teams}: cannot tell, {name} is set")),
        Way::File(file) => {
            let what = format!("{teams}: by {}; whether it is still good, only a tell shows", place::shown(file));
            Finding::ok(CHECK, what)
        }
        Way::None(file) if cfg!(target_os = "macos") => Finding::ok(
            CHECK,
            format!("{teams}: cannot tell, a login may be in the keychain (no {})", place::shown(file)),
        ),
        Way::None(file) => {
            let what = format!("{teams}: probably not logged in; no key is set and there is no {}", place::shown(file));
            Finding::warning(CHECK, what, "run `claude` and type /login, or set ANTHROPIC_API_KEY in the team's `env`")
        }
    }
}
