//! Each team: its folder, its program, and the settings that the folder brings along.

use std::path::Path;

use iris_agents::launch::find_program;
use iris_agents::{cli, scripted};
use iris_api::status::Status;
use iris_api::team::Trust;
use iris_core::team::AgentKind;
use iris_engine::config::{Config, TeamConfig};
use nix::unistd::{AccessFlags, access};

use super::finding::Finding;
use super::program::{daemons, judge, version};
use crate::client::Client;
use crate::commands::trust::describe;
use crate::place;

const CHECK: &str = "team";

/// What is wrong with each, and one line for all that are well.
pub(super) async fn look(client: &Client, config: &Config, status: Option<&Status>) -> Vec<Finding> {
    let (mut findings, mut well) = (Vec::new(), Vec::new());
    for (name, team) in &config.teams {
        let mut found = look_at(name.as_str(), team, status).await;
        if status.is_some() && found.is_empty() {
            found.extend(look_at_trust(client, name.as_str()).await);
        }
        match found.is_empty() {
            true => well.push(name.as_str()),
            false => findings.append(&mut found),
        }
    }
    if !well.is_empty() {
        let settings = if status.is_some() { "" } else { " (whether settings are trusted, a daemon knows)" };
        findings.push(Finding::ok(CHECK, format!("well: {}{settings}", well.join(", "))));
    }
    findings
}

async fn look_at(name: &str, team: &TeamConfig, status: Option<&Status>) -> Vec<Finding> {
    if let Some(elsewhere) = node(name, team, status) {
        return vec![elsewhere];
    }
    let mut findings: Vec<_> = folder(name, &team.path).into_iter().collect();
    if let Some(script) = team.script.as_ref().filter(|_| team.agent == AgentKind::Scripted) {
        if !script.is_file() {
            let what = format!("{name}: there is no script {}", place::shown(script));
            findings.push(Finding::problem(CHECK, what, "write it, or correct the team's `script`"));
        } else if let Err(error) = scripted::check(script) {
            findings.push(Finding::problem(CHECK, format!("{name}: {error}"), "correct the script there"));
        }
    }
    let path = team.env.get("PATH").cloned().or_else(|| daemons(status, "PATH"));
    // The one in the PATH is looked at once, for all.
    let named = cli::find(team.agent).filter(|_| team.command.is_some());
    match (find_program(team.agent, team.command.as_deref(), path), named) {
        (Err(error), _) => {
            let help = error.hint().unwrap_or("correct the team's `command`").to_owned();
            findings.push(Finding::problem(CHECK, format!("{name}: {error}"), help));
        }
        (Ok(program), Some(cli)) => {
            let judged = match version(&program).await {
                Ok(said) => judge(CHECK, cli, &said),
                Err(why) => {
                    let what = format!("{} does not say its version ({why})", place::shown(&program));
                    Finding::problem(CHECK, what, "correct the team's `command`")
                }
            };
            if judged.help.is_some() {
                findings.push(Finding { what: format!("{name}: {}", judged.what), ..judged });
            }
        }
        (Ok(_), None) => {}
    }
    findings
}

/// A team that another node serves is not looked at here; with the embedded database there is no other.
fn node(name: &str, team: &TeamConfig, status: Option<&Status>) -> Option<Finding> {
    let (node, status) = (team.node.as_deref()?, status?);
    let is_host = nix::unistd::gethostname().is_ok_and(|host| host.to_str() == Some(node));
    if is_host || node == status.node {
        return None;
    }
    let help = format!("correct its `node` (this one is {}), or leave it out", status.node);
    Some(match status.database.as_str() {
        "postgres" => Finding::warning(CHECK, format!("{name}: the node '{node}' serves it, not this one"), help),
        _ => Finding::problem(CHECK, format!("{name}: only a node '{node}' may serve it, and there is none"), help),
    })
}

fn folder(name: &str, path: &Path) -> Option<Finding> {
    let shown = place::shown(path);
    if !path.is_dir() {
        let help = format!("correct its `path`, or let it go: iris teams remove {name}");
        let what =
            if path.exists() { format!("{shown} is not a folder") } else { format!("there is no folder {shown}") };
        return Some(Finding::problem(CHECK, format!("{name}: {what}"), help));
    }
    let usable = access(path, AccessFlags::R_OK | AccessFlags::W_OK | AccessFlags::X_OK).is_ok();
    (!usable).then(|| {
        let what = format!("{name}: {shown} cannot be read and written by you, so its agent cannot either");
        Finding::problem(CHECK, what, format!("see who owns it: ls -ld {}", place::in_command(path)))
    })
}

async fn look_at_trust(client: &Client, name: &str) -> Option<Finding> {
    match client.get::<Trust>(&["teams", name, "trust"], &[]).await {
        Ok(trust) if trust.files.is_empty() || trust.trusted => None,
        Ok(trust) => {
            let help = format!("look at them and decide: iris trust {name}");
            Some(Finding::warning(CHECK, format!("{name}: {}", describe(&trust)), help))
        }
        Err(error) => {
            let help = "its agent starts without them; `iris trust` says more";
            Some(Finding::warning(CHECK, format!("{name}: the folder's settings cannot be read ({error})"), help))
        }
    }
}
