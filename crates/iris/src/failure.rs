//! Why a command ends without having done what it was asked: for people a sentence and a hint, for machines a kind.

use std::io;

use iris_core::fault::FaultKind;
use iris_engine::backup::BackupError;
use iris_engine::config::ConfigError;
use iris_engine::home::HomeError;
use iris_engine::{StartError, StoreError};

#[derive(Debug)]
pub struct Failure {
    pub why: Why,
    pub message: String,
    pub hint: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    Fault(FaultKind),
    /// The daemon does not take the token.
    Refused,
    TurnNotCompleted,
    AlreadyRunning,
    BrokenOff,
    /// Nobody reads stdout any more.
    ReaderGone,
}

impl Why {
    /// The word in JSON; for faults the same as in the API.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fault(FaultKind::Invalid) => "invalid",
            Self::Fault(FaultKind::NotFound) => "not_found",
            Self::Fault(FaultKind::Conflict) => "conflict",
            Self::Fault(FaultKind::Unfit) => "unfit",
            Self::Fault(FaultKind::Gone) => "gone",
            Self::Fault(FaultKind::Limit) => "limit",
            Self::Fault(FaultKind::Unavailable) => "unavailable",
            Self::Fault(FaultKind::Unsupported) => "unsupported",
            Self::Fault(FaultKind::Internal) => "internal",
            Self::Refused => "unauthorized",
            Self::TurnNotCompleted => "turn_not_completed",
            Self::AlreadyRunning => "already_running",
            Self::BrokenOff => "broken_off",
            Self::ReaderGone => "reader_gone",
        }
    }

    /// The word of a problem as the API has it.
    pub fn from_word(word: &str) -> Self {
        match word {
            "invalid" => Self::Fault(FaultKind::Invalid),
            "not_found" => Self::Fault(FaultKind::NotFound),
            "conflict" => Self::Fault(FaultKind::Conflict),
            "unfit" => Self::Fault(FaultKind::Unfit),
            "gone" => Self::Fault(FaultKind::Gone),
            "limit" => Self::Fault(FaultKind::Limit),
            "unavailable" => Self::Fault(FaultKind::Unavailable),
            "unsupported" => Self::Fault(FaultKind::Unsupported),
            "unauthorized" | "forbidden" => Self::Refused,
            "already_running" => Self::AlreadyRunning,
            "broken_off" => Self::BrokenOff,
            _ => Self::Fault(FaultKind::Internal),
        }
    }
}

impl Failure {
    pub fn new(why: Why, message: impl Into<String>) -> Self {
        Self { why, message: message.into(), hint: None }
    }

    pub fn fault(kind: FaultKind, message: impl Into<String>) -> Self {
        Self::new(Why::Fault(kind), message)
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::fault(FaultKind::Invalid, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::fault(FaultKind::Internal, message)
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn maybe_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }

    /// What another iris said last, if it was asked for JSON: see `Printer::failure`.
    pub fn from_last_line(text: &str) -> Option<Self> {
        let lines = text.lines().rev().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let word = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        lines.into_iter().find_map(|line| {
            let told = Self::new(Why::from_word(line["kind"].as_str()?), line["detail"].as_str()?);
            Some(told.maybe_hint(word(&line["hint"])))
        })
    }

    /// A file could not be used. That the disk takes nothing is not the fault of what was asked.
    pub fn of_file(message: impl Into<String>, error: &io::Error) -> Self {
        match no_room(error) {
            Some(hint) => Self::fault(FaultKind::Unavailable, message).hint(hint),
            None => Self::invalid(message),
        }
    }

    /// Writing to stdout failed.
    pub fn output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::new(Why::ReaderGone, "nobody reads the output any more"),
            _ => Self::fault(FaultKind::Unavailable, format!("the output could not be written ({error})")),
        }
    }
}

/// What helps if nothing can be written.
pub fn no_room(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some("free some space, and try again"),
        io::ErrorKind::ReadOnlyFilesystem => {
            Some("nothing can be written there; choose another home with --home or IRIS_HOME")
        }
        _ => None,
    }
}

/// What helps if a home is where it cannot be.
fn not_ours(error: &io::Error) -> Option<&'static str> {
    use io::ErrorKind::{AlreadyExists, NotADirectory, PermissionDenied};
    matches!(error.kind(), PermissionDenied | NotADirectory | AlreadyExists)
        .then_some("`iris doctor` says what is in the way; or choose another home with --home or IRIS_HOME")
}

impl From<iris_core::team::TeamNameError> for Failure {
    fn from(error: iris_core::team::TeamNameError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<HomeError> for Failure {
    fn from(error: HomeError) -> Self {
        match &error {
            HomeError::AlreadyRunning { .. } => Self::new(Why::AlreadyRunning, error.to_string()),
            HomeError::ConfigHeld { .. } | HomeError::DemoHeld { .. } => {
                Self::fault(FaultKind::Conflict, error.to_string()).hint("see what it waits for, end it, and try again")
            }
            HomeError::ShortToken { .. } => Self::fault(FaultKind::Invalid, error.to_string())
                .hint("delete the file; the next start makes a new token, and clients read it from there"),
            HomeError::Io { source, .. } => Self {
                hint: no_room(source).or_else(|| not_ours(source)).map(str::to_owned),
                ..Self::fault(FaultKind::Unavailable, error.to_string())
            },
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::fault(error.kind(), error.to_string()).maybe_hint(error.hint().map(str::to_owned))
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Home(error) => error.into(),
            StartError::Store(error) => {
                let hint = error.hint_at_start().map(str::to_owned);
                Self::fault(error.kind_at_start(), error.to_string()).maybe_hint(hint)
            }
        }
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::invalid(error.to_string()).maybe_hint(error.hint().map(str::to_owned))
    }
}

impl From<BackupError> for Failure {
    fn from(error: BackupError) -> Self {
        let (kind, hint) = (error.kind(), error.hint());
        match error {
            BackupError::Home(error) => Self::from(error).maybe_hint(hint),
            error => Self::fault(kind, error.to_string()).maybe_hint(hint),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_takes_nothing_is_not_the_fault_of_who_asked() {
        let check = |errno: i32, why: FaultKind, hint: Option<&str>| {
            let failure = Failure::of_file("x", &io::Error::from_raw_os_error(errno));
            assert_eq!((failure.why, failure.hint.as_deref()), (Why::Fault(why), hint));
        };
        check(nix::libc::ENOSPC, FaultKind::Unavailable, Some("free some space, and try again"));
        check(nix::libc::EDQUOT, FaultKind::Unavailable, Some("free some space, and try again"));
        check(nix::libc::EACCES, FaultKind::Invalid, None);
        let failure = Failure::from(StartError::Store(StoreError::DiskFull));
        assert_eq!(failure.hint.as_deref(), Some("free some space, and start Iris again"));
    }
}
