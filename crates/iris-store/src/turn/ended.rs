//! How turns ended, from the log: it keeps that of conversations, too, which have been forgotten.

use iris_core::event::TurnFinished;
use iris_core::id::{SessionId, TurnId};

use crate::error::StoreError;
use crate::tx::{Row, Tx, values};

/// The end of a turn.
#[derive(Clone, Debug)]
pub struct Ended {
    pub seq: i64,
    pub at: i64,
    pub team: String,
    pub session: SessionId,
    pub turn: TurnId,
    pub how: TurnFinished,
}

/// Since a time by the clock on the wall, oldest first.
pub fn list_ended(tx: &mut Tx<'_>, since: i64) -> Result<Vec<Ended>, StoreError> {
    let sql = "SELECT seq, at, team, session, turn, body FROM event \
               WHERE kind = 'turn.finished' AND at >= ?1 ORDER BY at, seq";
    tx.many(sql, values![since])?.iter().map(read).collect()
}

fn read(row: &Row) -> Result<Ended, StoreError> {
    let damaged = |error: serde_json::Error| StoreError::Damaged {
        place: format!("event {}", row.int(0)),
        what: error.to_string(),
    };
    Ok(Ended {
        seq: row.int(0),
        at: row.int(1),
        team: row.text(2).to_owned(),
        session: SessionId::new(row.text(3)),
        turn: TurnId::new(row.text(4)),
        how: serde_json::from_str(row.text(5)).map_err(damaged)?,
    })
}
