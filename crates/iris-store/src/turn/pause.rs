//! A limit was reached: the turn waits again at its old place, and its session starts nothing until the limit is lifted.

use iris_core::agent::Usage;
use iris_core::event::{Draft, Fact, Said, SessionEvent, Subject};
use iris_core::id::{SessionId, TurnId};
use iris_core::session::SessionState;

use super::requeue;
use crate::error::StoreError;
use crate::event;
use crate::session;
use crate::tx::{Tx, values};

#[derive(Debug, Default)]
pub struct Pause {
    /// What the agent had said is kept.
    pub said: Vec<Said>,
    /// How long nothing is to be started.
    pub delay_ms: i64,
    pub why: String,
    /// What all tries so far have used, if this one was one.
    pub usage: Option<Usage>,
}

pub fn pause(tx: &mut Tx<'_>, session: &SessionId, epoch: i64, turn: &TurnId, pause: &Pause) -> Result<(), StoreError> {
    let Pause { said, delay_ms, why, usage } = pause;
    let row = session::lock_owned(tx, session, epoch)?;
    if row.running.as_ref() != Some(turn) {
        // An earlier try of this very write did commit, though its answer was lost.
        return Ok(());
    }
    super::record(tx, session, epoch, turn, said)?;
    requeue(tx, &row, turn, None)?;
    match usage {
        Some(usage) => {
            let usage = serde_json::to_string(usage).expect("usage is plain data");
            tx.run("UPDATE turn SET usage = ?1 WHERE id = ?2", values![&usage, turn])?;
        }
        // It was given back untold, which is no try.
        None => tx.run("UPDATE turn SET attempts = attempts - 1 WHERE id = ?1", values![turn])?,
    }
    let until = tx.wall_ms() + delay_ms;
    let fact = Fact::Session(SessionEvent::Held { until, why: why.clone() });
    let seq = event::append(tx, &[Draft { subject: Subject { turn: Some(turn.clone()), ..row.subject() }, fact }])?;
    let now = tx.wall_ms();
    let state = if row.state == SessionState::Processing { SessionState::Idle } else { row.state };
    tx.run(
        "UPDATE session SET running = NULL, state = ?1, state_seq = ?2, state_at = ?3, state_mark = iris_now(), held_until = iris_now() + ?4, \
         held_at = ?5, held_why = ?6 WHERE id = ?7",
        values![state.as_str(), seq, now, *delay_ms, until, why, session],
    )
}
