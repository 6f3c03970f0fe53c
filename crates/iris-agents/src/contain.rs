//! Containment: every agent runs in a cell, and when the agent is gone, so is everything it started.
//!
//! A cell is a cgroup where the system allows it. Elsewhere it is a mark in the environment, which everything the agent
//! starts inherits. `docs/design/0007-containment.md` says what holds when.

mod cgroup;
mod leaders;
mod sweep;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use iris_core::id::SessionId;
use serde::{Deserialize, Serialize};
use tokio::process::{Child, Command};

use crate::process::{self, Process};
use cgroup::{Group, Hierarchy};
use leaders::{Leader, Leaders};
use sweep::Marks;

/// The variable that says which session a process belongs to.
pub const SESSION_MARK: &str = "IRIS_SESSION";
/// The variable that says which home a process belongs to, so that two daemons never touch each other's.
pub const INSTANCE_MARK: &str = "IRIS_INSTANCE";

/// What the config asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    /// The strongest that the system allows.
    #[default]
    Auto,
    /// Marks, even if cgroups could be had.
    Sweep,
}

/// What holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A cgroup for each agent, in this one.
    Cgroup { group: PathBuf },
    /// Process groups and marks, because of this.
    Sweep { why: String },
}

/// How the agents of one daemon are contained.
#[derive(Debug)]
pub struct Containment {
    instance: String,
    holds: Holds,
    leaders: Arc<Leaders>,
    /// A cell without a cgroup has ended since strays were last looked for.
    strays: Arc<AtomicBool>,
}

impl Containment {
    /// Finds out what the system allows by doing it once. Blocks for some milliseconds.
    pub fn find(instance: &str, wanted: Wanted) -> Self {
        let group = match wanted {
            Wanted::Auto => own_group(instance).and_then(|group| cgroup::try_out(&group).map(|()| group)),
            Wanted::Sweep => Err("the config says so (settings.containment)".to_owned()),
        };
        let holds = match group {
            Ok(group) => Holds::Cgroup { group },
            Err(why) => Holds::Sweep { why },
        };
        Self { instance: instance.to_owned(), holds, leaders: Arc::default(), strays: Arc::default() }
    }

    pub fn holds(&self) -> &Holds {
        &self.holds
    }

    /// What agents leave behind becomes ours instead of the system's, so that it can be found, ended and forgotten.
    /// From here on `tidy` has to be called now and then.
    pub fn take_in_orphans(&self) {
        if let Err(error) = nix::sys::prctl::set_child_subreaper(true) {
            tracing::warn!(%error, "what agents leave behind cannot be taken in; the system's first process gets it");
        }
    }

    /// A cell for an agent about to be started.
    pub fn cell(&self, session: &SessionId, generation: i64) -> Cell {
        let group = match &self.holds {
            Holds::Sweep { .. } => None,
            Holds::Cgroup { group } => Group::make(group.join(format!("{session}-{generation}")))
                .inspect_err(|error| tracing::warn!(%session, %error, "no cgroup for an agent; it is marked only"))
                .ok(),
        };
        Cell {
            marks: Marks(vec![format!("{INSTANCE_MARK}={}", self.instance), format!("{SESSION_MARK}={session}")]),
            group,
            leader: None,
            leaders: Arc::clone(&self.leaders),
            strays: Arc::clone(&self.strays),
            state: CellState::Unused,
        }
    }

    /// Asks those that were taken in and have ended how they did. And once no agent is alive, ends what was taken in
    /// and belongs to nobody: a process that threw its mark away and left its family. Only for a process whose children are
    /// agents and what they left, and nothing else. Cheap when there is nothing to do.
    pub fn tidy(&self) {
        self.leaders.reap_all();
        if self.leaders.is_empty() && self.strays.swap(false, Ordering::SeqCst) {
            let ended = sweep::end_until_none(|| self.find_strays()).len();
            self.leaders.reap_all();
            if ended > 0 {
                tracing::warn!(processes = ended, "ended what agents had left behind without a mark");
            }
        }
    }

    fn find_strays(&self) -> Vec<Process> {
        let own = i32::try_from(std::process::id()).unwrap_or_default();
        let all: Vec<Process> = process::list().into_iter().filter(Process::is_alive).collect();
        let taken_in = all.iter().filter(|one| one.parent == own && !self.leaders.contains(one.pid));
        sweep::with_descendants(&all, taken_in.map(|one| one.pid).collect())
    }

    /// Ends everything of this instance that runs, in whatever cell. Blocks for as long as that takes.
    pub fn end_everything(&self) -> usize {
        end_leftovers(&self.instance)
    }

    /// Nothing is contained any more.
    pub fn close(&self) {
        if let Holds::Cgroup { group } = &self.holds {
            Group::at(group.clone()).remove();
        }
    }
}

fn group_name(instance: &str) -> String {
    format!("iris-{instance}")
}

fn own_group(instance: &str) -> Result<PathBuf, String> {
    Ok(Hierarchy::find()?.own().join(group_name(instance)))
}

/// Processes of an instance, for whoever wants to know what a daemon that is gone left running.
pub fn list_leftovers(instance: &str) -> Vec<Process> {
    let mut found = sweep::find(&Marks(vec![format!("{INSTANCE_MARK}={instance}")]));
    for group in groups_of(instance) {
        let members = group.members().into_iter().filter_map(Process::find);
        found.extend(members.filter(|one| u32::try_from(one.pid) != Ok(std::process::id())));
    }
    found.sort_unstable();
    found.dedup();
    found
}

const MOMENT_TO_END: Duration = Duration::from_secs(1);

/// Ends what an earlier daemon of this instance left running, and says how much that was. What runs under a number that
/// was an agent's once is left alone: only what carries the mark of the instance or stands in its cgroups is ended.
///
/// An agent whose daemon has died hears the end of its pipe and ends by itself, if it is idle; it gets a moment for that,
/// because one that is killed may not have written down yet what was said to it last.
pub fn end_leftovers(instance: &str) -> usize {
    let mut ended: Vec<i32> = Vec::new();
    let until = Instant::now() + MOMENT_TO_END;
    loop {
        let left = list_leftovers(instance);
        ended.extend(left.iter().map(|process| process.pid));
        if left.is_empty() || Instant::now() >= until {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    for group in groups_of(instance) {
        group.children().into_iter().for_each(|cell| ended.extend(cell.end()));
        group.remove();
    }
    let marks = Marks(vec![format!("{INSTANCE_MARK}={instance}")]);
    ended.extend(sweep::end_until_none(|| sweep::find(&marks)).into_iter().map(|(pid, _)| pid));
    ended.sort_unstable();
    ended.dedup();
    ended.len()
}

fn groups_of(instance: &str) -> Vec<Group> {
    let hierarchy = Hierarchy::find().ok();
    let found = hierarchy.map(|hierarchy| hierarchy.named(&group_name(instance))).unwrap_or_default();
    found.into_iter().map(Group::at).collect()
}

/// Where one agent lives.
#[derive(Debug)]
pub struct Cell {
    marks: Marks,
    group: Option<Group>,
    leader: Option<Leader>,
    leaders: Arc<Leaders>,
    strays: Arc<AtomicBool>,
    state: CellState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellState {
    Unused,
    Open,
    Cleared,
}

impl Cell {
    /// Starts the agent in its cell.
    pub(crate) fn spawn(&mut self, command: &mut Command) -> std::io::Result<Child> {
        // Last, so that nothing else that is set there can take the marks away.
        command.envs(self.marks.0.iter().filter_map(|mark| mark.split_once('=')));
        if let Some(group) = &self.group {
            group.hold(command.as_std_mut())?;
        }
        let (child, leader) = self.leaders.spawn(command)?;
        (self.leader, self.state) = (leader, CellState::Open);
        Ok(child)
    }

    /// The agent's own process was asked how it ended.
    pub(crate) fn leader_is_gone(&mut self) {
        if let Some(leader) = self.leader.take() {
            self.leaders.forget(leader);
        }
    }

    /// Sends KILL to everything in the cell.
    pub(crate) fn kill(&self) {
        match &self.group {
            Some(group) => group.kill(),
            None => {
                for process in sweep::find(&self.marks) {
                    process.kill();
                }
            }
        }
    }

    /// Ends everything that is still in the cell, and says how much that was.
    pub(crate) async fn clear(mut self) -> usize {
        let cleared = tokio::task::spawn_blocking(move || self.clear_now()).await;
        cleared.unwrap_or_default()
    }

    fn clear_now(&mut self) -> usize {
        self.state = CellState::Cleared;
        let ended: Vec<i32> = match self.group.take() {
            Some(group) => group.end(),
            None => {
                self.strays.store(true, Ordering::SeqCst);
                let marks = self.marks.clone();
                sweep::end_until_none(|| sweep::find(&marks)).into_iter().map(|(pid, _)| pid).collect()
            }
        };
        ended.iter().for_each(|pid| self.leaders.reap(*pid));
        ended.len()
    }
}

/// The net: a cell that nobody cleared is emptied at once, without waiting for it.
impl Drop for Cell {
    fn drop(&mut self) {
        if self.state == CellState::Open {
            self.kill();
        }
        if let Some(leader) = self.leader.take() {
            self.leaders.abandon(leader);
        }
        if let Some(group) = self.group.take() {
            group.remove();
        }
    }
}
