//! Whether agents can log in, as far as that can be said from outside: a variable is set, or a file is there. The file is
//! not opened, and the value of the variable is neither kept nor shown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use iris_agents::cli::{self, Cli, Login, Surroundings};
use iris_api::status::Status;
use iris_engine::config::{AgentHome, Config, TeamConfig};
use iris_engine::home::Home;

use super::finding::Finding;
use super::program::daemons;
use crate::place;

const CHECK: &str = "login";

/// One finding for every way in which teams log in.
pub(super) fn look(home: &Home, config: &Config, status: Option<&Status>) -> Vec<Finding> {
    cli::kinds()
        .flat_map(|(kind, cli)| {
            let mut ways: BTreeMap<Login, Vec<&str>> = BTreeMap::new();
            for (name, team) in config.teams.iter().filter(|(_, team)| team.agent == kind) {
                let own = home.agent_homes().join(name.as_str());
                if let Some(way) = way(team, own, status) {
                    ways.entry(way).or_default().push(name.as_str());
                }
            }
            let own = home.agent_homes();
            ways.into_iter().map(|(way, teams)| describe(cli, &way, &teams.join(", "), &own)).collect::<Vec<_>>()
        })
        .collect()
}

fn way(team: &TeamConfig, own_home: PathBuf, status: Option<&Status>) -> Option<Login> {
    // A daemon passes on its own keys; without a daemon, ours are what it would have.
    let inherited = |name: &str| match status {
        Some(_) => daemons(status, name),
        None => std::env::var(name).ok(),
    };
    let has_own_home = team.home == AgentHome::Own;
    let home = match has_own_home {
        false => std::env::home_dir().unwrap_or_else(|| PathBuf::from("/")),
        true => own_home,
    };
    cli::find_login(team.agent, &Surroundings { env: &team.env, inherited: &inherited, home: &home, has_own_home })
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
            let help = home.map(|home| format!("with HOME={} {}", place::shown(home), cli.log_in));
            Finding::warning(CHECK, what, help.unwrap_or_else(|| cli.log_in.to_owned()))
        }
    }
}
