//! A session: the durable conversation from one party to a team, and the state of the agent that serves it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The state of a session's agent. Stored, and always shown with the event it came from and its age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SessionState {
    /// No process. The conversation is kept; the next tell resumes it.
    Stopped,
    /// A process was started and has not said that it is ready.
    Spawning,
    /// Ready, with nothing to do.
    Idle,
    /// A turn is running.
    Processing,
    /// The process was told to end and has not ended yet.
    Terminating,
}

impl SessionState {
    pub const ALL: [Self; 5] = [Self::Stopped, Self::Spawning, Self::Idle, Self::Processing, Self::Terminating];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Spawning => "spawning",
            Self::Idle => "idle",
            Self::Processing => "processing",
            Self::Terminating => "terminating",
        }
    }

    /// Whether a process may be alive in this state.
    pub fn is_live(self) -> bool {
        self != Self::Stopped
    }

    /// Whether the store may move a session from this state to the next. Everything may become stopped, because a
    /// process can die at any time; everything else follows the one path of a process's life.
    pub fn may_become(self, next: Self) -> bool {
        use SessionState::*;
        matches!(
            (self, next),
            (_, Stopped)
                | (Stopped, Spawning)
                | (Spawning | Processing, Idle | Processing)
                | (Idle, Processing)
                | (Spawning | Idle | Processing, Terminating)
        )
    }
}

impl fmt::Display for SessionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Debug, thiserror::Error)]
#[error("'{0}' is not a session state")]
pub struct SessionStateError(String);

impl FromStr for SessionState {
    type Err = SessionStateError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or_else(|| SessionStateError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::SessionState::*;
    use super::*;

    /// The whole table: each row is a state, each column the next one in the order of `ALL`.
    #[test]
    fn the_table_of_transitions() {
        let rows = [
            (Stopped, [true, true, false, false, false]),
            (Spawning, [true, false, true, true, true]),
            (Idle, [true, false, false, true, true]),
            (Processing, [true, false, true, true, true]),
            (Terminating, [true, false, false, false, false]),
        ];
        for (from, allowed) in rows {
            for (to, expected) in SessionState::ALL.into_iter().zip(allowed) {
                assert_eq!(from.may_become(to), expected, "{from} -> {to}");
            }
        }
    }

    #[test]
    fn every_state_reads_back() {
        for state in SessionState::ALL {
            assert_eq!(state.as_str().parse::<SessionState>().expect("own name"), state);
        }
    }
}
