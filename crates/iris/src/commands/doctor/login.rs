//! Whether agents can log in, as far as that can be said from outside: a variable is set, or a file is there. The file is
//! not opened, and the value of the variable is neither kept nor shown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use iris_agents::cli::{self, Cli, Login, Surroundings};
use iris_agents::launch::{find_in_path, find_program};
use iris_api::status::Status;
use iris_core::team::AgentKind;
use iris_engine::config::{AgentHome, Config};
use iris_engine::home::Home;

use super::finding::Finding;
use super::program::{CODEX, daemons};
use crate::place;

const CHECK: &str = "login";

/// One finding for every way in which teams log in. Where no team does yet, the way in which one would.
pub(super) fn look(home: &Home, config: &Config, status: Option<&Status>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (kind, cli) in cli::kinds() {
        let mut ways: BTreeMap<Login, Vec<&str>> = BTreeMap::new();
        for (name, team) in config.teams.iter().filter(|(_, team)| team.agent == kind) {
            let own = (team.home == AgentHome::Own).then(|| home.agent_homes().join(name.as_str()));
            if let Some(way) = way(kind, &team.env, own, status) {
                ways.entry(way).or_default().push(name.as_str());
            }
        }
        if ways.is_empty() && find_program(kind, None, daemons(status, "PATH")).is_ok() {
            ways.extend(way(kind, &BTreeMap::new(), None, status).map(|way| (way, vec![cli.program])));
        }
        let own = home.agent_homes();
        findings.extend(ways.into_iter().map(|(way, teams)| describe(cli, &way, &teams.join(", "), &own)));
    }
    findings.extend(look_at_codex());
    findings
}

/// `own_home`: that of the team, if it does not use the user's.
fn way(
    kind: AgentKind,
    env: &BTreeMap<String, String>,
    own_home: Option<PathBuf>,
    status: Option<&Status>,
) -> Option<Login> {
    // A daemon passes on its own keys; without a daemon, ours are what it would have.
    let inherited = |name: &str| match status {
        Some(_) => daemons(status, name),
        None => std::env::var(name).ok(),
    };
    let has_own_home = own_home.is_some();
    let home = own_home.unwrap_or_else(users_home);
    cli::find_login(kind, &Surroundings { env, inherited: &inherited, home: &home, has_own_home })
}

fn users_home() -> PathBuf {
    std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"))
}

/// No team is served by it; whoever runs it in a terminal is asked nothing by Iris.
fn look_at_codex() -> Option<Finding> {
    find_in_path(Path::new(CODEX), &std::env::var_os("PATH")?)?;
    let set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if let Some(name) = ["CODEX_API_KEY", "OPENAI_API_KEY"].into_iter().find(set) {
        return Some(Finding::ok(CHECK, format!("{CODEX}: by {name}; whether it is good, only its use shows")));
    }
    let folder = std::env::var_os("CODEX_HOME").filter(|folder| !folder.is_empty());
    let file = folder.map_or_else(|| users_home().join(".codex"), PathBuf::from).join("auth.json");
    let shown = place::shown(&file);
    Some(match file.is_file() {
        true => Finding::ok(CHECK, format!("{CODEX}: by {shown}; whether it is still good, only its use shows")),
        false => {
            let what = format!("{CODEX}: probably not logged in; no key is set and there is no {shown}");
            Finding::warning(CHECK, what, "run `codex login`, or set OPENAI_API_KEY; no team needs it")
        }
    })
}

/// `own`: where teams have homes of their own.
fn describe(cli: &Cli, way: &Login, teams: &str, own: &Path) -> Finding {
    match way {
        Login::Key(name) => Finding::ok(CHECK, format!("{teams}: by {name}; whether it is good, only a tell shows")),
        Login::Elsewhere(name) => Finding::ok(CHECK, format!("{teams}: cannot tell, {name} is set")),
        Login::File(file) => {
            let what = format!("{teams}: by {}; whether it is still good, only a tell shows", place::shown(file));
            Finding::ok(CHECK, what)
        }
        Login::None(file) if cfg!(target_os = "macos") => Finding::ok(
            CHECK,
            format!("{teams}: cannot tell, a login may be in the keychain (no {})", place::shown(file)),
        ),
        Login::None(file) => {
            let what = format!("{teams}: probably not logged in; no key is set and there is no {}", place::shown(file));
            let home = file.ancestors().find(|folder| folder.parent() == Some(own));
            let help = home.map(|home| format!("with HOME={} {}", place::in_command(home), cli.log_in));
            Finding::warning(CHECK, what, help.unwrap_or_else(|| cli.log_in.to_owned()))
        }
    }
}
