//! Turns: accepted, started, recorded, finished. Each verb is one transaction's worth of work.

mod accept;
mod end;
mod ended;
mod finish;
mod own;
mod pause;
mod start;

use iris_core::agent::Usage;
use iris_core::id::{SessionId, TurnId};
use iris_core::team::TeamName;
use iris_core::turn::{Ending, TurnState};
use serde::{Deserialize, Serialize};

use crate::error::StoreError;
use crate::tx::{Row, Tx, values};

pub use accept::{Accept, Accepted, NewTurn, accept};
pub(crate) use accept::{count_scheduled, digest};
pub use end::{CancelWaiting, cancel_all_waiting, cancel_by, cancel_waiting, fail_waiting, leave_running, tell_next};
pub(crate) use end::{end_interrupted, queue_again, requeue, tell_again};
pub use ended::{Ended, list_ended};
pub use finish::{AgentAfter, Finish, finish, record};
pub use own::{Own, begin_own};
pub use pause::{Pause, pause};
pub use start::{ready, start_next};

/// A turn that has been marked as running and must now be run.
#[derive(Clone, Debug)]
pub struct Work {
    pub turn: TurnId,
    pub session: SessionId,
    pub epoch: i64,
    pub body: String,
    /// It was given to an agent before, and broken off.
    pub before: Option<Before>,
}

/// What earlier tries at a turn came to.
#[derive(Clone, Debug)]
pub struct Before {
    pub tries: i64,
    /// The agent has done something, which must not be done again.
    pub has_acted: bool,
    pub usage: Usage,
}

#[derive(Clone, Debug)]
pub struct TurnRow {
    pub id: TurnId,
    pub session: SessionId,
    pub number: i64,
    pub state: TurnState,
    pub body: String,
    pub attempts: i64,
    pub accepted_at: i64,
    pub started_at: Option<i64>,
    pub finished_at: Option<i64>,
    pub ending: Option<Ending>,
    /// How long it took, once it is over.
    pub duration_ms: Option<i64>,
    pub response: Option<String>,
    pub usage: Option<Usage>,
    /// The turn in which an agent made this tell.
    pub cause: Option<TurnId>,
    pub depth: i64,
    /// Why the agent started the turn by itself, if it did; `answer` if it brings one.
    pub origin: Option<String>,
    /// Whoever told it does not wait for the reply.
    pub detached: bool,
    /// The event by which it took its place in the queue; what else happens to it comes later.
    pub place: i64,
}

/// How a turn ended, as its row has it. Rows of earlier versions do not say how long it took.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct HowItEnded {
    #[serde(flatten)]
    ending: Option<Ending>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration_ms: Option<i64>,
}

macro_rules! turn_columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, session, number, state, body, attempts, accepted_at, started_at, finished_at, ending, ",
            "response, usage, cause, depth, origin, detached, place FROM turn ",
            $rest
        )
    };
}

impl TurnRow {
    fn read(row: &Row) -> Result<Self, StoreError> {
        let ended: HowItEnded = row.maybe_text(9).and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
        let by_the_wall = || Some((row.maybe_int(8)? - row.maybe_int(7)?).max(0));
        Ok(Self {
            id: TurnId::new(row.text(0)),
            session: SessionId::new(row.text(1)),
            number: row.int(2),
            state: row.parsed(3)?,
            body: row.text(4).to_owned(),
            attempts: row.int(5),
            accepted_at: row.int(6),
            started_at: row.maybe_int(7),
            finished_at: row.maybe_int(8),
            duration_ms: ended.duration_ms.or_else(by_the_wall),
            ending: ended.ending,
            response: row.maybe_text(10).map(str::to_owned),
            usage: row.maybe_text(11).and_then(|json| serde_json::from_str(json).ok()),
            cause: row.maybe_text(12).map(TurnId::new),
            depth: row.int(13),
            origin: row.maybe_text(14).map(str::to_owned),
            detached: row.int(15) != 0,
            place: row.int(16),
        })
    }
}

pub fn find(tx: &mut Tx<'_>, id: &TurnId) -> Result<Option<TurnRow>, StoreError> {
    tx.one(turn_columns!("WHERE id = ?1"), values![id])?.as_ref().map(TurnRow::read).transpose()
}

/// The newest turn of a session.
pub fn newest(tx: &mut Tx<'_>, session: &SessionId) -> Result<Option<TurnId>, StoreError> {
    let row = tx.one("SELECT id FROM turn WHERE session = ?1 ORDER BY number DESC LIMIT 1", values![session])?;
    Ok(row.map(|row| TurnId::new(row.text(0))))
}

/// The turn that a tell of this team comes from, if it does not say: of what its sessions work on, or ended since then, the
/// deepest in a chain of tells. Which of them it was cannot be known, and too deep only ends a chain sooner.
pub fn likely_cause(tx: &mut Tx<'_>, team: &TeamName, since: i64) -> Result<Option<TurnId>, StoreError> {
    let sql = "SELECT turn.id FROM session JOIN turn ON turn.id = coalesce(session.running, (SELECT last.id \
               FROM turn AS last WHERE last.session = session.id AND last.finished_at IS NOT NULL \
               ORDER BY last.number DESC LIMIT 1)) \
               WHERE session.to_team = ?1 AND (session.running IS NOT NULL OR turn.finished_at >= ?2) \
               ORDER BY turn.depth DESC, turn.id DESC LIMIT 1";
    Ok(tx.one(sql, values![team, since])?.map(|row| TurnId::new(row.text(0))))
}

fn find_by_key(tx: &mut Tx<'_>, key: &str) -> Result<Option<TurnRow>, StoreError> {
    tx.one(turn_columns!("WHERE key = ?1"), values![key])?.as_ref().map(TurnRow::read).transpose()
}

/// A page of a session's turns, oldest first, after a number.
pub fn list(tx: &mut Tx<'_>, session: &SessionId, after: i64, limit: i64) -> Result<Vec<TurnRow>, StoreError> {
    let sql = turn_columns!("WHERE session = ?1 AND number > ?2 ORDER BY number LIMIT ?3");
    tx.many(sql, values![session, after, limit])?.iter().map(TurnRow::read).collect()
}

/// The turns of a session before a number, newest first.
pub fn list_before(tx: &mut Tx<'_>, session: &SessionId, before: i64, limit: i64) -> Result<Vec<TurnRow>, StoreError> {
    let sql = turn_columns!("WHERE session = ?1 AND number < ?2 ORDER BY number DESC LIMIT ?3");
    tx.many(sql, values![session, before, limit])?.iter().map(TurnRow::read).collect()
}

/// How many turns of a session are on record.
pub fn count(tx: &mut Tx<'_>, session: &SessionId) -> Result<i64, StoreError> {
    let row = tx.one("SELECT count(*) FROM turn WHERE session = ?1", values![session])?;
    Ok(row.map_or(0, |row| row.int(0)))
}

/// What a turn that waits is waiting for: the turn that its session is at.
pub fn waits_for(tx: &mut Tx<'_>, turn: &TurnId) -> Result<Option<TurnId>, StoreError> {
    let sql = "SELECT session.running FROM turn JOIN session ON session.id = turn.session \
               WHERE turn.id = ?1 AND turn.state = 'queued'";
    Ok(tx.one(sql, values![turn])?.and_then(|row| row.maybe_text(0).map(TurnId::new)))
}

/// Those that are put off to a time, the soonest first.
pub fn list_put_off(tx: &mut Tx<'_>, session: &SessionId) -> Result<Vec<TurnId>, StoreError> {
    let sql = "SELECT turn FROM timer WHERE session = ?1 ORDER BY run_at, turn";
    Ok(tx.many(sql, values![session])?.iter().map(|row| TurnId::new(row.text(0))).collect())
}

/// The waiting turns of a session, in the order in which they will run.
pub fn list_waiting(tx: &mut Tx<'_>, session: &SessionId) -> Result<Vec<TurnId>, StoreError> {
    let sql = "SELECT id FROM turn WHERE session = ?1 AND state = 'queued' ORDER BY place, number";
    Ok(tx.many(sql, values![session])?.iter().map(|row| TurnId::new(row.text(0))).collect())
}
