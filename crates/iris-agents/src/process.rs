//! Processes as the system shows them, and a way to signal one that can never hit another.

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// A process at the moment it was looked at. Its number alone says little: the system gives it to somebody else once
/// the process is gone. Its number and the time it started are nobody else's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Process {
    pub pid: i32,
    pub parent: i32,
    /// In ticks since the system started.
    pub started: u64,
    pub state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    Alive,
    /// Stopped by a signal, or being traced: it is there, but will not answer.
    Frozen,
    /// It has ended, and its parent has not asked how.
    Ended,
}

impl Process {
    pub fn find(pid: i32) -> Option<Self> {
        parse(pid, &std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// What is nobody else's: its number and the time it started.
    pub fn identity(&self) -> (i32, u64) {
        (self.pid, self.started)
    }

    pub fn is_alive(&self) -> bool {
        self.state != State::Ended
    }

    /// Ends it for certain, unless it is gone. Says whether it was still there.
    ///
    /// The descriptor is opened first and looked through afterwards: if it names a process that began when ours did, it
    /// is ours, and stays so whatever happens to the number.
    pub fn kill(&self) -> bool {
        let Some(descriptor) = Pid::from_raw(self.pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else {
            return false;
        };
        let same = Self::find(self.pid).is_some_and(|now| now.started == self.started && now.is_alive());
        same && pidfd_send_signal(descriptor, Signal::KILL).is_ok()
    }

    /// A variable of its environment, as it was when its program began.
    pub fn variable(&self, name: &str) -> Option<String> {
        let environment = std::fs::read(format!("/proc/{}/environ", self.pid)).ok()?;
        let texts = environment.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        texts.into_iter().find_map(|entry| entry.strip_prefix(name)?.strip_prefix('=').map(str::to_owned))
    }

    /// Whether its environment, as it was when its program began, has all these entries (`NAME=value`).
    pub fn carries(&self, entries: &[String]) -> bool {
        let Ok(environment) = std::fs::read(format!("/proc/{}/environ", self.pid)) else { return false };
        entries.iter().all(|wanted| environment.split(|byte| *byte == 0).any(|entry| entry == wanted.as_bytes()))
    }
}

/// Everything that runs, and everything that has ended without being asked how.
pub fn list() -> Vec<Process> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    numbers.filter_map(Process::find).collect()
}

/// Whether signals can be sent through a descriptor here: Linux 5.3 and later.
pub fn can_signal_safely() -> bool {
    let own = i32::try_from(std::process::id()).ok().and_then(Pid::from_raw);
    own.is_some_and(|own| pidfd_open(own, PidfdFlags::empty()).is_ok())
}

/// `number (name) state parent …`, where the name may hold anything, brackets and spaces too.
fn parse(pid: i32, stat: &str) -> Option<Process> {
    const PARENT: usize = 1;
    const STARTED: usize = 19;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let state = match *fields.first()? {
        "T" | "t" => State::Frozen,
        "Z" | "X" | "x" => State::Ended,
        _ => State::Alive,
    };
    Some(Process { pid, parent: fields.get(PARENT)?.parse().ok()?, started: fields.get(STARTED)?.parse().ok()?, state })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let stat = "7 (a) b) (c) T 3 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4242 1 1";
        let found = parse(7, stat).expect("a process");
        assert_eq!(found, Process { pid: 7, parent: 3, started: 4242, state: State::Frozen });
    }

    #[test]
    fn a_number_that_somebody_else_has_now_is_left_alone() {
        let mut stranger = std::process::Command::new("sleep").arg("60").spawn().expect("sleep runs");
        let pid = i32::try_from(stranger.id()).expect("a number");
        let now = Process::find(pid).expect("it runs");
        for ticks in 1..10_000 {
            let before = Process { started: now.started.wrapping_sub(ticks), ..now };
            assert!(!before.kill(), "the same number, an earlier process");
        }
        assert!(stranger.try_wait().expect("ours").is_none(), "it still runs");
        assert!(now.kill());
        stranger.wait().expect("ours");
        assert!(!now.kill(), "it is gone");
    }
}
