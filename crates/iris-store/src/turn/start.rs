//! Turns that wait are given to an agent that is ready.

use iris_core::event::{Draft, Fact, SessionEvent, Subject, TurnEvent};
use iris_core::id::{SessionId, TurnId};
use iris_core::session::SessionState;

use super::{Work, find};
use crate::error::StoreError;
use crate::event;
use crate::session::{self, SessionRow};
use crate::tx::{Tx, values};

/// The agent is ready: gives it the oldest waiting turn, or marks it idle.
pub fn ready(tx: &mut Tx<'_>, session: &SessionId, epoch: i64, pid: Option<u32>) -> Result<Option<Work>, StoreError> {
    let row = session::lock_owned(tx, session, epoch)?;
    if row.state == SessionState::Terminating {
        return Ok(None);
    }
    let because = SessionEvent::Ready { generation: epoch, pid };
    session::enter(tx, &row, SessionState::Idle, because)?;
    start_next(tx, session, epoch)
}

/// Gives an idle agent the oldest waiting turn. If one was given to it already and it does not know, that one.
pub fn start_next(tx: &mut Tx<'_>, session: &SessionId, epoch: i64) -> Result<Option<Work>, StoreError> {
    let row = session::lock_owned(tx, session, epoch)?;
    if let Some(running) = &row.running {
        let Some(turn) = find(tx, running)? else { return Ok(None) };
        return Ok(Some(Work { turn: turn.id, session: row.id, epoch, body: turn.body }));
    }
    if !matches!(row.state, SessionState::Idle | SessionState::Processing) {
        return Ok(None);
    }
    let Some(next) = oldest_waiting(tx, &row)? else { return Ok(None) };
    let subject = Subject { turn: Some(next.turn.clone()), ..row.subject() };
    let fact = Fact::Turn(TurnEvent::Started { number: next.number, origin: None });
    let seq = event::append(tx, &[Draft { subject, fact }])?;
    mark_started(tx, &next.turn)?;
    occupy(tx, session, &next.turn, seq)?;
    Ok(Some(Work { turn: next.turn, session: row.id, epoch, body: next.body }))
}

pub(super) struct Waiting {
    pub turn: TurnId,
    pub number: i64,
    pub body: String,
}

pub(super) fn oldest_waiting(tx: &mut Tx<'_>, session: &SessionRow) -> Result<Option<Waiting>, StoreError> {
    if session.queued == 0 {
        return Ok(None);
    }
    let sql = "SELECT id, number, body FROM turn WHERE session = ?1 AND state = 'queued' \
               AND (SELECT held_until FROM session WHERE id = ?1) <= iris_now() ORDER BY place, number LIMIT 1";
    Ok(tx.one(sql, values![&session.id])?.map(|row| Waiting {
        turn: TurnId::new(row.text(0)),
        number: row.int(1),
        body: row.text(2).to_owned(),
    }))
}

pub(super) fn mark_started(tx: &mut Tx<'_>, turn: &TurnId) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    tx.run(
        "UPDATE turn SET state = 'running', started_at = ?1, attempts = attempts + 1 WHERE id = ?2",
        values![now, turn],
    )?;
    Ok(())
}

/// Marks the session as at work on a turn that was waiting.
pub(super) fn occupy(tx: &mut Tx<'_>, session: &SessionId, turn: &TurnId, seq: i64) -> Result<(), StoreError> {
    let now = tx.wall_ms();
    tx.run(
        "UPDATE session SET state = 'processing', state_seq = ?1, state_at = ?2, used_at = ?2, running = ?3, begun = 1, \
         queued = queued - 1 WHERE id = ?4",
        values![seq, now, turn, session],
    )
}
