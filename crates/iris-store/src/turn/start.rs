//! Turns that wait are given to an agent that is ready.

use iris_core::agent::Usage;
use iris_core::event::{Draft, Fact, SessionEvent, Subject, TurnEvent};
use iris_core::id::{SessionId, TurnId};
use iris_core::session::SessionState;

use super::{Before, Work, find};
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
        let before = before(tx, &turn.id, turn.attempts - 1, turn.usage)?;
        return Ok(Some(Work { turn: turn.id, session: row.id, epoch, body: turn.body, before }));
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
    Ok(Some(next.into_work(row.id, epoch)))
}

/// What the tries before came to, if there were any.
fn before(tx: &mut Tx<'_>, turn: &TurnId, tries: i64, usage: Option<Usage>) -> Result<Option<Before>, StoreError> {
    if tries <= 0 {
        return Ok(None);
    }
    let has_acted = event::has_acted(tx, turn)?;
    Ok(Some(Before { tries, has_acted, usage: usage.unwrap_or_default() }))
}

pub(super) struct Waiting {
    pub turn: TurnId,
    pub number: i64,
    body: String,
    before: Option<Before>,
}

impl Waiting {
    pub fn into_work(self, session: SessionId, epoch: i64) -> Work {
        Work { turn: self.turn, session, epoch, body: self.body, before: self.before }
    }
}

pub(super) fn oldest_waiting(tx: &mut Tx<'_>, session: &SessionRow) -> Result<Option<Waiting>, StoreError> {
    if session.queued == 0 {
        return Ok(None);
    }
    let sql = "SELECT id, number, body, attempts, usage FROM turn WHERE session = ?1 AND state = 'queued' \
               AND (SELECT held_until FROM session WHERE id = ?1) <= iris_now() ORDER BY place, number LIMIT 1";
    let Some(row) = tx.one(sql, values![&session.id])? else { return Ok(None) };
    let turn = TurnId::new(row.text(0));
    let usage = row.maybe_text(4).and_then(|json| serde_json::from_str(json).ok());
    let before = before(tx, &turn, row.int(3), usage)?;
    Ok(Some(Waiting { turn, number: row.int(1), body: row.text(2).to_owned(), before }))
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
        "UPDATE session SET state = 'processing', state_seq = ?1, state_at = ?2, state_mark = iris_now(), used_at = ?2, running = ?3, begun = 1, \
         queued = queued - 1 WHERE id = ?4",
        values![seq, now, turn, session],
    )
}
