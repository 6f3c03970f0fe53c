//! Processes of an earlier daemon: ended, if they are what they were.

use iris_core::id::SessionId;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Ends the process group of an agent that outlived its daemon. A number that the system has given to somebody else
/// meanwhile is left alone: only a process that carries the mark of this very session is ended. Says whether one was.
pub fn end(session: &SessionId, pid: i64) -> bool {
    let Ok(number) = i32::try_from(pid) else { return false };
    let Ok(environment) = std::fs::read(format!("/proc/{number}/environ")) else { return false };
    let mark = format!("{SESSION_MARK}={session}");
    let marked = environment.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes());
    // It is the leader of its group, because it was started as one.
    marked && killpg(Pid::from_raw(number), Signal::SIGKILL).is_ok()
}

/// The variable that says which session a process belongs to.
pub(crate) const SESSION_MARK: &str = "IRIS_SESSION";
