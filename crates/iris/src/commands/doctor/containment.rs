//! Which containment holds, and whether something runs that should not.

use std::collections::HashSet;

use iris_agents::contain::{Containment, Holds, SESSION_MARK, list_leftovers};
use iris_agents::process::{Process, can_signal_safely};
use iris_api::status::{ContainmentStatus, Status};
use iris_engine::config::Config;
use iris_engine::home::Home;

use super::finding::Finding;
use super::fix::Remedy;
use crate::client::Client;

const CONTAINMENT: &str = "containment";
const LEFTOVERS: &str = "leftovers";

/// What the daemon says of itself. Without one, what a daemon started from here would find.
pub(super) fn look(home: &Home, config: &Config, status: Option<&Status>) -> Finding {
    if !can_signal_safely() {
        let what = "this kernel cannot signal a process without the risk of hitting another (pidfd)";
        return Finding::problem(CONTAINMENT, what, "use Linux 5.3 or later");
    }
    match status.map(|status| status.containment.clone()) {
        Some(ContainmentStatus::Cgroup { group }) => Finding::ok(CONTAINMENT, held(&group)),
        Some(ContainmentStatus::Sweep { why }) => weaker(&why),
        None => {
            // A name of its own, so that nothing of a daemon is touched.
            let instance = format!("{}-doctor", home.instance().unwrap_or_default());
            let found = Containment::find(&instance, config.settings.containment);
            let finding = match found.holds() {
                Holds::Cgroup { group } => {
                    let place = group.parent().unwrap_or(group).display();
                    Finding::ok(CONTAINMENT, format!("a cgroup for each agent would be made in {place}"))
                }
                Holds::Sweep { why } => weaker(why),
            };
            found.close();
            finding
        }
    }
}

fn held(group: &str) -> String {
    format!("a cgroup for each agent, in {group}: what an agent starts ends with it")
}

fn weaker(why: &str) -> Finding {
    let what = format!(
        "process groups and marks in the environment; a process that clears its environment and leaves its family is \
         ended only with the last agent. No cgroups: {why}"
    );
    let help = "run Iris where it may make cgroups: `iris service install`, or `systemd-run --user --scope -p Delegate=yes \
                iris serve`";
    Finding::warning(CONTAINMENT, what, help)
}

/// Processes with our mark that belong to no live session.
pub(super) async fn look_for_leftovers(home: &Home, client: &Client, status: Option<&Status>) -> Finding {
    let Some(instance) = home.instance() else { return Finding::ok(LEFTOVERS, "no daemon ever ran here") };
    // First who runs, then who may: an agent that is started in between is then no surprise.
    let mut found = list_leftovers(&instance);
    // They may be at work for it: nothing of a daemon that is only silent is left over.
    if let Some(holder) = home.holder().filter(|_| status.is_none() && !found.is_empty()) {
        let what = format!("process {} does not say which sessions live", holder.pid);
        return Finding::warning(LEFTOVERS, what, "see what is said of the daemon above, and look again");
    }
    if status.is_some() {
        match live_sessions(client).await {
            Some(live) => found.retain(|process| !belongs(process, &live)),
            None => return Finding::warning(LEFTOVERS, "the daemon does not say which sessions live", "try again"),
        }
    }
    if found.is_empty() {
        return Finding::ok(LEFTOVERS, "nothing runs that belongs to no session");
    }
    let numbers: Vec<String> = found.iter().map(|process| process.pid.to_string()).collect();
    let count = if found.len() == 1 { "1 process".to_owned() } else { format!("{} processes", found.len()) };
    let what = format!("{count} with the mark of this home, and of no live session: {}", numbers.join(", "));
    let help = match status {
        Some(_) => "restart Iris: it ends what an earlier life left, before anything else",
        None => "start Iris (`iris up`): it ends them before anything else",
    };
    let finding = Finding::problem(LEFTOVERS, what, help);
    // Beside a daemon that runs, only it knows what it is starting just now.
    if status.is_none() { finding.fixed_by(Remedy::EndLeftovers) } else { finding }
}

async fn live_sessions(client: &Client) -> Option<HashSet<String>> {
    let sessions = client.sessions(None).await.ok()?;
    Some(sessions.into_iter().filter(|session| session.state != "stopped").map(|session| session.id).collect())
}

/// One that has ended meanwhile belongs to nobody, and is no trouble either.
fn belongs(process: &Process, live: &HashSet<String>) -> bool {
    let gone = Process::find(process.pid).is_none_or(|now| now.started != process.started || !now.is_alive());
    gone || process.variable(SESSION_MARK).is_none_or(|session| live.contains(&session))
}
