//! The agents' own processes, and everybody else who ends as a child of ours.
//!
//! The daemon takes in what its agents leave behind, so it has children it never started, and somebody has to ask how
//! they ended or they stay as zombies. The agents' own are asked by whoever runs them; taking their answer away would
//! lose an exit code. So both are told apart here, by a list of those we started.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, MutexGuard};

use nix::errno::Errno;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid, waitpid};
use nix::unistd::Pid;
use tokio::process::{Child, Command};

#[derive(Debug, Default)]
pub(super) struct Leaders(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// By number. A number may come again, so each start has a serial.
    live: HashMap<i32, u64>,
    /// Given up on without having been asked; the runtime asks them when it can.
    abandoned: Vec<i32>,
    started: u64,
}

/// One process that we started.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leader {
    pid: i32,
    serial: u64,
}

impl Leaders {
    /// Starts a process. Nobody is asked how they ended while this lasts, so one that ends at once is known as ours.
    pub fn spawn(&self, command: &mut Command) -> io::Result<(Child, Option<Leader>)> {
        let mut known = self.known();
        let child = command.spawn()?;
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
        let leader = pid.map(|pid| known.add(pid));
        Ok((child, leader))
    }

    /// It was asked how it ended: its number is free.
    pub fn forget(&self, leader: Leader) {
        let mut known = self.known();
        if known.live.get(&leader.pid) == Some(&leader.serial) {
            known.live.remove(&leader.pid);
        }
    }

    pub fn abandon(&self, leader: Leader) {
        self.known().abandoned.push(leader.pid);
    }

    pub fn is_empty(&self) -> bool {
        self.known().live.is_empty()
    }

    pub fn contains(&self, pid: i32) -> bool {
        self.known().live.contains_key(&pid)
    }

    /// Asks one that we took in how it ended, if it has.
    pub fn reap(&self, pid: i32) {
        let known = self.known();
        if !known.live.contains_key(&pid) {
            // Somebody else's child, or gone: nothing to ask.
            waitpid(Pid::from_raw(pid), Some(WaitPidFlag::WNOHANG)).ok();
        }
    }

    /// Asks all that we took in and that have ended.
    pub fn reap_all(&self) {
        let mut known = self.known();
        known.settle_abandoned();
        let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        while let Ok(WaitStatus::Exited(pid, _) | WaitStatus::Signaled(pid, ..)) = waitid(Id::All, look) {
            // One of ours stands first and will be asked in a moment; the others are found the next time.
            if known.live.contains_key(&pid.as_raw()) || waitpid(pid, Some(WaitPidFlag::WNOHANG)).is_err() {
                return;
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().expect("nothing panics while it holds the list")
    }
}

impl Known {
    fn add(&mut self, pid: i32) -> Leader {
        self.started += 1;
        self.live.insert(pid, self.started);
        Leader { pid, serial: self.started }
    }

    fn settle_abandoned(&mut self) {
        let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        let Self { live, abandoned, .. } = self;
        abandoned.retain(|pid| {
            let gone = waitid(Id::Pid(Pid::from_raw(*pid)), look) == Err(Errno::ECHILD);
            if gone {
                live.remove(pid);
            }
            !gone
        });
    }
}
