//! Turns that an agent starts by itself: work it did in the background has ended, and it goes on.

use iris_core::event::{Draft, Fact, Subject, TurnEvent};
use iris_core::id::{SessionId, TurnId};
use iris_core::session::SessionState;

use super::{Work, find};
use crate::error::StoreError;
use crate::event;
use crate::session;
use crate::tx::{Tx, values};

#[derive(Debug)]
pub enum Own {
    /// It is written down as running.
    Begun,
    /// A tell was given to the agent at the same moment; what the agent says is heard in that one.
    Told(Work),
}

/// Writes down that an idle agent has begun a turn that nobody told it.
pub fn begin_own(
    tx: &mut Tx<'_>,
    session: &SessionId,
    epoch: i64,
    turn: &TurnId,
    origin: &str,
) -> Result<Own, StoreError> {
    let row = session::lock_owned(tx, session, epoch)?;
    if let Some(running) = &row.running
        && let Some(told) = find(tx, running)?
    {
        // This very write may have been made before, and its answer lost.
        if told.id == *turn {
            return Ok(Own::Begun);
        }
        return Ok(Own::Told(Work { turn: told.id, session: row.id, epoch, body: told.body, before: None }));
    }
    let subject = Subject { turn: Some(turn.clone()), ..row.subject() };
    let number = row.next_number;
    let fact = Fact::Turn(TurnEvent::Started { number, origin: Some(origin.to_owned()) });
    let seq = event::append(tx, &[Draft { subject, fact }])?;
    let now = tx.wall_ms();
    // It goes on with what it was told before, and is as deep in a chain of tells: else a chain could go on for ever by it.
    tx.run(
        "INSERT INTO turn (id, session, number, state, body, attempts, place, accepted_at, started_at, origin, depth) \
         VALUES (?1, ?2, ?3, 'running', '', 1, ?4, ?5, ?5, ?6, \
         COALESCE((SELECT depth FROM turn WHERE session = ?2 AND started_at IS NOT NULL ORDER BY number DESC LIMIT 1), 0))",
        values![turn, session, number, seq, now, origin],
    )?;
    // An agent that is on its way out stays on it.
    let state = if row.state == SessionState::Idle { SessionState::Processing } else { row.state };
    tx.run(
        "UPDATE session SET state = ?1, state_seq = ?2, state_at = ?3, state_mark = iris_now(), used_at = ?3, running = ?4, \
         next_number = next_number + 1 WHERE id = ?5",
        values![state.as_str(), seq, now, turn, session],
    )?;
    Ok(Own::Begun)
}
