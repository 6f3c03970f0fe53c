//! What the system says of an agent's process.

use crate::process::{Process, State};

/// Whether a process was stopped by a signal (or is being traced): it is there, but will not answer.
pub fn is_frozen(pid: u32) -> bool {
    let process = i32::try_from(pid).ok().and_then(Process::find);
    process.is_some_and(|process| process.state == State::Frozen)
}
