//! Exit codes. This is the one place where a kind of fault becomes one.

use std::process::ExitCode;

use iris_core::fault::FaultKind;

use crate::failure::Why;

/// How the process ends. The numbers are a contract; `HELP` says them to people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Done = 0,
    TurnNotCompleted = 1,
    Invalid = 2,
    NotFound = 3,
    Conflict = 4,
    Limit = 5,
    Unavailable = 6,
    Unsupported = 7,
    Internal = 8,
    AlreadyRunning = 9,
    ProblemFound = 10,
    /// As the shell has it for a process that Ctrl-C ended.
    BrokenOff = 130,
}

pub const HELP: &str = "\
Examples:
  iris up                             start Iris in the background; everything below talks to it
  iris up --demo                      with scripted agents to try it on, which need no account
  iris teams list                     which teams there are, and who is awake
  iris tell backend 'run the tests'   tell a team something and watch its reply
  iris cache inspect backend          read what was said, also later

Exit codes:
  0    done
  1    the turn did not complete: it failed, was terminated or was cancelled
  2    the command, the config or a value is wrong
  3    not found
  4    the state does not allow it now
  5    a limit was reached
  6    Iris is not running, or cannot do it just now
  7    not built, or not supported here
  8    a fault of Iris itself
  9    Iris is already running for this home
  10   `iris doctor` found a problem
  130  broken off with Ctrl-C

Environment:
  IRIS_HOME, IRIS_PORT (for a daemon that is started), IRIS_URL (which daemon to talk to), IRIS_TOKEN, IRIS_LOG (error, warn, info, debug), NO_COLOR";

pub fn of(why: Why) -> Exit {
    match why {
        Why::TurnNotCompleted => Exit::TurnNotCompleted,
        Why::AlreadyRunning => Exit::AlreadyRunning,
        Why::BrokenOff => Exit::BrokenOff,
        // Whoever read the output had enough of it.
        Why::ReaderGone => Exit::Done,
        // The token is a value that was given, and it is wrong.
        Why::Refused => Exit::Invalid,
        Why::Fault(kind) => match kind {
            FaultKind::Invalid => Exit::Invalid,
            FaultKind::NotFound => Exit::NotFound,
            FaultKind::Conflict => Exit::Conflict,
            FaultKind::Unfit => Exit::Invalid,
            // Too late is a state that does not allow it.
            FaultKind::Gone => Exit::Conflict,
            FaultKind::Limit => Exit::Limit,
            FaultKind::Unavailable => Exit::Unavailable,
            FaultKind::Unsupported => Exit::Unsupported,
            FaultKind::Internal => Exit::Internal,
        },
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
