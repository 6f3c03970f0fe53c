//! Containment: every agent runs in a cell, and when the agent is gone, so is everything it started.
//!
//! A cell is a cgroup where the system allows it. Elsewhere it is a mark in the environment, which everything the agent
//! starts inherits, and what is written down of those that throw it away. `docs/design/0007-containment.md` says what holds when.

mod cgroup;
mod instance;
mod leaders;
mod notes;
mod sweep;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use iris_core::id::SessionId;
use serde::{Deserialize, Serialize};
use tokio::process::{Child, Command};

use crate::process::{self, Process};
use cgroup::{Group, Hierarchy};
pub use instance::Instance;
use leaders::{Leader, Leaders};
use notes::Notes;
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
    instance: Instance,
    holds: Holds,
    /// Children that this process had before it could have any of an agent: a script may have become the daemon.
    strangers: OnceLock<Vec<Process>>,
    cells: Arc<Cells>,
}

/// What the cells of one daemon share.
#[derive(Debug)]
struct Cells {
    leaders: Leaders,
    notes: Notes,
    /// A cell without a cgroup was opened, and something may run of it.
    watched: AtomicBool,
    /// A cell without a cgroup has ended since strays were last looked for.
    strays: AtomicBool,
    /// In which those with a cgroup are.
    group: Option<PathBuf>,
}

/// The net for the group of all: of a daemon that ends at once nobody closes it.
impl Drop for Cells {
    fn drop(&mut self) {
        if let Some(group) = self.group.take().filter(|group| group.exists()) {
            Group::at(group).remove_when_empty();
        }
    }
}

impl Containment {
    /// Finds out what the system allows by doing it once. Blocks for some milliseconds.
    pub fn find(instance: &Instance, wanted: Wanted) -> Self {
        let group = match wanted {
            Wanted::Auto => own_group(instance).and_then(|group| cgroup::try_out(&group).map(|()| group)),
            Wanted::Sweep => Err("the config says so (settings.containment)".to_owned()),
        };
        let holds = match group {
            Ok(group) => Holds::Cgroup { group },
            Err(why) => Holds::Sweep { why },
        };
        let group = if let Holds::Cgroup { group } = &holds { Some(group.clone()) } else { None };
        let cells = Cells {
            group,
            leaders: Leaders::default(),
            notes: Notes::open(instance),
            watched: AtomicBool::default(),
            strays: AtomicBool::default(),
        };
        Self { instance: instance.clone(), holds, strangers: OnceLock::new(), cells: Arc::new(cells) }
    }

    pub fn holds(&self) -> &Holds {
        &self.holds
    }

    /// What agents leave behind becomes ours instead of the system's, so that it can be found, ended and forgotten.
    /// From here on `tidy` and `look` have to be called now and then.
    pub fn take_in_orphans(&self) {
        let own = own_number();
        self.strangers.get_or_init(|| process::list().into_iter().filter(|one| one.parent == own).collect());
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
            session: session.to_string(),
            marks: Marks(vec![self.instance.mark(), format!("{SESSION_MARK}={session}")]),
            group,
            leader: None,
            cells: Arc::clone(&self.cells),
            state: CellState::Unused,
        }
    }

    /// Asks those that were taken in and have ended how they did. And once no agent is alive, ends what was taken in
    /// and belongs to nobody: a process that threw its mark away and left its family. Only for a process whose children are
    /// agents and what they left, and nothing else. Cheap when there is nothing to do.
    pub fn tidy(&self) {
        let Cells { leaders, strays, .. } = &*self.cells;
        leaders.reap_all();
        if leaders.is_empty() && strays.swap(false, Ordering::SeqCst) {
            let ended = sweep::end_until_none(|| self.find_family(|child| !leaders.contains(child.pid))).len();
            leaders.reap_all();
            if ended > 0 {
                tracing::warn!(processes = ended, "ended what agents had left behind without a mark");
            }
        }
    }

    /// Writes down what runs of agents without a cgroup, for whoever comes after a daemon that was killed. One pass over
    /// all processes, and nothing at all if there are no such agents.
    pub fn look(&self) {
        let Cells { leaders, notes, watched, .. } = &*self.cells;
        if !watched.swap(false, Ordering::SeqCst) {
            return;
        }
        notes.take(&self.find_family(|_| true));
        if !leaders.is_empty() || !notes.is_empty() {
            watched.store(true, Ordering::SeqCst);
        }
    }

    /// Those of our children, and what they started.
    fn find_family(&self, is_meant: impl Fn(&Process) -> bool) -> Vec<Process> {
        let own = own_number();
        let is_stranger = |child: &Process| {
            self.strangers.get().is_some_and(|some| some.iter().any(|one| one.identity() == child.identity()))
        };
        let all: Vec<Process> = process::list().into_iter().filter(Process::is_alive).collect();
        let children = all.iter().filter(|one| one.parent == own && is_meant(one) && !is_stranger(one));
        sweep::with_descendants(&all, children.map(|one| one.pid).collect())
    }

    /// Ends everything of this instance that runs, in whatever cell. Blocks for as long as that takes.
    pub fn end_everything(&self) -> usize {
        self.look();
        end_leftovers(&self.instance)
    }

    /// Nothing is contained any more.
    pub fn close(&self) {
        self.look();
        if let Holds::Cgroup { group } = &self.holds {
            Group::at(group.clone()).remove();
        }
    }
}

fn own_number() -> i32 {
    i32::try_from(std::process::id()).unwrap_or_default()
}

fn group_name(instance: &str) -> String {
    format!("iris-{instance}")
}

fn own_group(instance: &Instance) -> Result<PathBuf, String> {
    Ok(Hierarchy::find()?.own().join(group_name(instance.name())))
}

/// A process of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    pub process: Process,
    /// `None` if it cannot be told: it threw its mark away and had left its family before anybody looked.
    pub session: Option<String>,
}

/// Processes of an instance, for whoever wants to know what a daemon that is gone left running.
pub fn list_leftovers(instance: &Instance) -> Vec<Leftover> {
    let noted = notes::read(instance);
    let mut found = find_ours(instance, &noted);
    let mut cells: HashMap<i32, String> = HashMap::new();
    for group in groups_of(instance) {
        for cell in group.children() {
            let session = cell.name().rsplit_once('-').map_or_else(String::new, |(session, _)| session.to_owned());
            cells.extend(cell.members().into_iter().map(|pid| (pid, session.clone())));
        }
        let members = group.members().into_iter().filter_map(Process::find);
        found.extend(members.filter(|one| u32::try_from(one.pid) != Ok(std::process::id())));
    }
    found.sort_unstable();
    found.dedup_by_key(|one| one.identity());
    let said = |one: &Process| {
        let marked = cells.get(&one.pid).cloned().or_else(|| instance.marked_session(one));
        marked.or_else(|| noted.get(&one.identity()).cloned().flatten())
    };
    sweep::sessions(&found, said).into_iter().map(|(process, session)| Leftover { process, session }).collect()
}

fn find_ours(instance: &Instance, noted: &notes::Noted) -> Vec<Process> {
    sweep::find(|one| noted.contains_key(&one.identity()) || instance.is_on(one))
}

const MOMENT_TO_END: Duration = Duration::from_secs(1);

/// Ends what an earlier daemon of this instance left running, and says how much that was. What runs under a number that
/// was an agent's once is left alone: only what carries the mark of the instance, stands in its cgroups or was written down
/// with the very time at which it started is ended.
///
/// An agent whose daemon has died hears the end of its pipe and ends by itself, if it is idle; it gets a moment for that,
/// because one that is killed may not have written down yet what was said to it last.
pub fn end_leftovers(instance: &Instance) -> usize {
    let mut ended: Vec<i32> = Vec::new();
    let until = Instant::now() + MOMENT_TO_END;
    loop {
        let left = list_leftovers(instance);
        ended.extend(left.iter().map(|left| left.process.pid));
        if left.is_empty() || Instant::now() >= until {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    for group in groups_of(instance) {
        group.children().into_iter().for_each(|cell| ended.extend(cell.end()));
        group.remove();
    }
    let find = || find_ours(instance, &notes::read(instance));
    ended.extend(sweep::end_until_none(find).into_iter().map(|(pid, _)| pid));
    ended.sort_unstable();
    ended.dedup();
    // What belongs to another user may be seen and not be ended.
    let still: Vec<i32> = find().iter().map(|one| one.pid).collect();
    ended.retain(|pid| !still.contains(pid));
    ended.len()
}

fn groups_of(instance: &Instance) -> Vec<Group> {
    let hierarchy = Hierarchy::find().ok();
    let names: Vec<String> = instance.names().map(group_name).collect();
    let found = hierarchy.map(|hierarchy| hierarchy.named(&names)).unwrap_or_default();
    found.into_iter().map(Group::at).collect()
}

/// Where one agent lives.
#[derive(Debug)]
pub struct Cell {
    session: String,
    marks: Marks,
    group: Option<Group>,
    leader: Option<Leader>,
    cells: Arc<Cells>,
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
        let (child, leader) = self.cells.leaders.spawn(command)?;
        if self.group.is_none() {
            // Once its leader is listed, so that whoever looks just now goes on looking.
            self.cells.watched.store(true, Ordering::SeqCst);
        }
        (self.leader, self.state) = (leader, CellState::Open);
        Ok(child)
    }

    /// The agent's own process was asked how it ended.
    pub(crate) fn leader_is_gone(&mut self) {
        if let Some(leader) = self.leader.take() {
            self.cells.leaders.forget(leader);
        }
    }

    /// Sends KILL to everything in the cell.
    pub(crate) fn kill(&self) {
        match &self.group {
            Some(group) => group.kill(),
            None => {
                for process in self.find() {
                    process.kill();
                }
            }
        }
    }

    /// Who is in it, without a cgroup: by its marks, or by what was seen of it before.
    fn find(&self) -> Vec<Process> {
        sweep::find(|one| self.cells.notes.is_of(one, &self.session) || self.marks.are_on(one))
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
                self.cells.strays.store(true, Ordering::SeqCst);
                sweep::end_until_none(|| self.find()).into_iter().map(|(pid, _)| pid).collect()
            }
        };
        ended.iter().for_each(|pid| self.cells.leaders.reap(*pid));
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
            self.cells.leaders.abandon(leader);
        }
        if let Some(group) = self.group.take() {
            group.remove();
        }
    }
}
