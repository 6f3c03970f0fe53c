//! Requests with an idempotency key: begun once, and answered the same ever after.

use iris_core::id::TurnId;

use crate::error::StoreError;
use crate::tx::{Tx, values};

/// How a request with a key was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Begun {
    /// Nobody has used the key: it is this request's now.
    First,
    Answered {
        status: i64,
        body: String,
    },
    /// It was begun and has no answer, yet or for ever.
    Open,
    /// The key stands for another request.
    Other,
}

/// How long a key is known, in Iris's own time: the wall clock may be set, and what was done must not be done again then.
pub const KEPT_MS: i64 = 24 * 60 * 60 * 1000;

pub fn begin(tx: &mut Tx<'_>, credential: &str, key: &str, request: &str) -> Result<Begun, StoreError> {
    forget_old(tx)?;
    let mine = tx.one(
        "INSERT INTO reply (credential, key, request, begun_at) VALUES (?1, ?2, ?3, iris_now()) \
         ON CONFLICT (credential, key) DO NOTHING RETURNING key",
        values![credential, key, request],
    )?;
    if mine.is_some() {
        return Ok(Begun::First);
    }
    let row =
        tx.one("SELECT request, status, body FROM reply WHERE credential = ?1 AND key = ?2", values![credential, key])?;
    let Some(row) = row else { return Ok(Begun::Open) };
    Ok(match row.maybe_int(1) {
        _ if row.text(0) != request => Begun::Other,
        Some(status) => Begun::Answered { status, body: row.text(2).to_owned() },
        None => Begun::Open,
    })
}

fn forget_old(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    // Asked for once, so that PostgreSQL looks in the index.
    tx.run("DELETE FROM reply WHERE begun_at < (SELECT iris_now()) - ?1", values![KEPT_MS])
}

pub fn finish(tx: &mut Tx<'_>, credential: &str, key: &str, status: i64, body: &str) -> Result<(), StoreError> {
    tx.run(
        "UPDATE reply SET status = ?3, body = ?4 WHERE credential = ?1 AND key = ?2",
        values![credential, key, status, body],
    )
}

/// The request was refused and changed nothing: it may be made again.
pub fn forget(tx: &mut Tx<'_>, credential: &str, key: &str) -> Result<(), StoreError> {
    tx.run("DELETE FROM reply WHERE credential = ?1 AND key = ?2", values![credential, key])
}

/// Whose keys those of forgotten turns are. No credential has this name.
const FORGOTTEN: &str = "forgotten turns";

/// A turn is forgotten, and its key with it; that the key was used is known for as long as that of any other request.
pub(crate) fn leave_behind(tx: &mut Tx<'_>, key: &str, request: &str, turn: &TurnId) -> Result<(), StoreError> {
    forget_old(tx)?;
    tx.run(
        "INSERT INTO reply (credential, key, request, begun_at, body) VALUES (?1, ?2, ?3, iris_now(), ?4) \
         ON CONFLICT (credential, key) DO NOTHING",
        values![FORGOTTEN, key, request, turn],
    )
}

/// The forgotten turn that a key stood for, and a digest of what was told.
pub(crate) fn find_forgotten(tx: &mut Tx<'_>, key: &str) -> Result<Option<(TurnId, String)>, StoreError> {
    let sql = "SELECT body, request FROM reply WHERE credential = ?1 AND key = ?2 AND begun_at >= iris_now() - ?3";
    Ok(tx.one(sql, values![FORGOTTEN, key, KEPT_MS])?.map(|row| (TurnId::new(row.text(0)), row.text(1).to_owned())))
}
