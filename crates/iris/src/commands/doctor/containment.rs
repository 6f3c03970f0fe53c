//! Which containment holds, and whether something runs that should not.

use std::collections::HashSet;

use iris_agents::contain::{Containment, Holds, Instance, Leftover, list_leftovers};
use iris_agents::process::{Process, can_signal_safely};
use iris_api::status::{ContainmentStatus, Status};
use iris_engine::config::Config;
use iris_engine::home::Home;

use super::finding::Finding;
use super::fix::Remedy;
use super::home::{Seen, hidden};
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
            let instance = home.instance();
            let name = instance.as_ref().map(Instance::name).unwrap_or_default();
            let found = Containment::find(&Instance::passing(format!("{name}-doctor")), config.settings.containment);
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
        "process groups, marks in the environment and a look every two seconds; a process that clears its environment and \
         leaves its family between two looks is ended only with the last agent, and not at all if the daemon is killed \
         before the next look. No cgroups: {why}"
    );
    let help = "run Iris where it may make cgroups: `iris service install`, or `systemd-run --user --scope -p Delegate=yes \
                iris serve`";
    Finding::warning(CONTAINMENT, what, help)
}

/// Processes of this home that belong to no live session.
pub(super) async fn look_for_leftovers(home: &Home, client: &Client, status: Option<&Status>) -> Finding {
    let Some(instance) = home.instance() else {
        return match Seen::at(&home.database()) {
            Seen::Hidden(why) => hidden(LEFTOVERS, &home.database(), &why),
            _ => Finding::ok(LEFTOVERS, "no daemon ever ran here"),
        };
    };
    // First who runs, then who may: an agent that is started in between is then no surprise.
    let mut found = list_leftovers(&instance);
    // They may be at work for it: nothing of a daemon that is only silent is left over.
    if let Some(holder) = home.holder().filter(|_| status.is_none() && !found.is_empty()) {
        let what = format!("process {} does not say which sessions live", holder.pid);
        return Finding::warning(LEFTOVERS, what, "see what is said of the daemon above, and look again");
    }
    if status.is_some() {
        match live_sessions(client).await {
            Some(live) => found.retain(|left| !belongs(left, &live)),
            None => return Finding::warning(LEFTOVERS, "the daemon does not say which sessions live", "try again"),
        }
    }
    if found.is_empty() {
        return Finding::ok(LEFTOVERS, "nothing runs that belongs to no session");
    }
    if status.is_none() {
        let what = format!("{} of this home, and of no live session: {}", count(&found), numbers(&found));
        let help = "start Iris (`iris up`): it ends them before anything else";
        return Finding::problem(LEFTOVERS, what, help).fixed_by(Remedy::EndLeftovers);
    }
    // Beside a daemon that runs, only it knows what it is starting just now.
    let (of_a_session, of_any): (Vec<_>, Vec<_>) = found.into_iter().partition(|left| left.session.is_some());
    if of_a_session.is_empty() {
        let what = format!("{} that an agent left behind, nobody can tell which: {}", count(&of_any), numbers(&of_any));
        return Finding::warning(LEFTOVERS, what, "they end with the last agent of this home; or end them yourself");
    }
    let what = format!("{} of this home, and of no live session: {}", count(&of_a_session), numbers(&of_a_session));
    Finding::problem(LEFTOVERS, what, "restart Iris: it ends what an earlier life left, before anything else")
}

fn count(found: &[Leftover]) -> String {
    if found.len() == 1 { "1 process".to_owned() } else { format!("{} processes", found.len()) }
}

fn numbers(found: &[Leftover]) -> String {
    found.iter().map(|left| left.process.pid.to_string()).collect::<Vec<_>>().join(", ")
}

async fn live_sessions(client: &Client) -> Option<HashSet<String>> {
    let sessions = client.sessions(None).await.ok()?;
    Some(sessions.into_iter().filter(|session| session.state != "stopped").map(|session| session.id).collect())
}

/// One that has ended meanwhile belongs to nobody, and is no trouble either.
fn belongs(left: &Leftover, live: &HashSet<String>) -> bool {
    let process = &left.process;
    let gone = Process::find(process.pid).is_none_or(|now| now.identity() != process.identity() || !now.is_alive());
    gone || left.session.as_ref().is_some_and(|session| live.contains(session))
}
