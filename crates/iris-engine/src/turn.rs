//! Turns: telling a team something, waiting for what comes back, cancelling, reading.

pub mod cancel;
pub(crate) mod circle;
pub mod figures;
pub mod follow;
pub mod read;
pub mod standing;
pub mod tell;
mod wait;

use iris_core::id::{SessionId, TurnId};
use iris_core::turn::TurnOutcome;

pub(crate) use wait::Waiters;

/// How a turn ended, for whoever waited.
#[derive(Clone, Debug)]
pub struct TurnReport {
    pub turn: TurnId,
    pub session: SessionId,
    pub outcome: TurnOutcome,
    pub duration_ms: i64,
}
