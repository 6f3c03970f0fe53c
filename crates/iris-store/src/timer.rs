//! Timers: items of a lane that are due at a time. A scheduled tell is one; it is queued when its time comes.

use iris_core::event::{Draft, Fact, Subject, TurnEvent};
use iris_core::id::{SessionId, TurnId};

use crate::error::StoreError;
use crate::tx::{Tx, values};
use crate::{event, session};

/// How long until the next timer is due; 0 if one is due already.
pub fn next_due_in_ms(tx: &mut Tx<'_>) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT run_at - iris_now() FROM timer ORDER BY run_at LIMIT 1";
    Ok(tx.one(sql, &[])?.map(|row| row.int(0).max(0)))
}

/// Queues every turn whose time has come, and says which sessions have new work.
pub fn fire_due(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<SessionId>, StoreError> {
    let suffix_free =
        "SELECT turn, session, run_at FROM timer WHERE run_at <= iris_now() ORDER BY run_at, turn LIMIT ?1";
    let locked = "SELECT turn, session, run_at FROM timer WHERE run_at <= iris_now() ORDER BY run_at, turn LIMIT ?1 \
                  FOR UPDATE SKIP LOCKED";
    let due = tx.many(if tx.is_postgres() { locked } else { suffix_free }, values![limit])?;
    let mut sessions = Vec::new();
    for row in due {
        let (turn, session) = (TurnId::new(row.text(0)), SessionId::new(row.text(1)));
        tx.run("DELETE FROM timer WHERE turn = ?1", values![&turn])?;
        let Some(owner) = session::lock(tx, &session)? else { continue };
        let place = event::next_number(tx)?;
        let queued = tx.one(
            "UPDATE turn SET state = 'queued', place = ?1 WHERE id = ?2 AND state = 'scheduled' RETURNING number",
            values![place, &turn],
        )?;
        let Some(queued) = queued else { continue };
        tx.run("UPDATE session SET queued = queued + 1 WHERE id = ?1", values![&session])?;
        let position = owner.queued + i64::from(owner.running.is_some());
        let fact = Fact::Turn(TurnEvent::Queued { number: queued.int(0), position, again: None });
        let subject = Subject { turn: Some(turn), ..owner.subject() };
        event::append(tx, &[Draft { subject, fact }])?;
        if !owner.is_held() {
            sessions.push(session);
        }
    }
    Ok(sessions)
}
