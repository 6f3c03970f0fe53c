//! The event log: append inside a transaction, read from any number.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use iris_core::event::{Draft, MESSAGE, Recorded, Subject};
use iris_core::id::{SessionId, TurnId};

use crate::error::StoreError;
use crate::tx::{Row, Tx, Value, values};

/// Appends events and returns the number of the first.
pub fn append(tx: &mut Tx<'_>, drafts: &[Draft]) -> Result<i64, StoreError> {
    let before = last_number(tx)?;
    let at = tx.wall_ms();
    let recorded: Vec<_> = (before + 1..)
        .zip(drafts)
        .map(|(seq, draft)| {
            Arc::new(Recorded {
                seq,
                at,
                kind: Cow::Borrowed(draft.fact.kind()),
                subject: draft.subject.clone(),
                body: draft.fact.body(),
            })
        })
        .collect();
    insert(tx, &recorded)?;
    let batch = tx.batch();
    batch.last_seq = recorded.last().map(|event| event.seq).or(batch.last_seq);
    batch.appended.extend(recorded);
    Ok(before + 1)
}

/// The number that the next event of this transaction will have.
pub(crate) fn next_number(tx: &mut Tx<'_>) -> Result<i64, StoreError> {
    let last = last_number(tx)?;
    tx.batch().last_seq = Some(last);
    Ok(last + 1)
}

/// The counter is the first thing that a batch locks on PostgreSQL, until its commit. Else a node that has the row of a
/// session and wants a number, and one that has the counter and wants that row, would wait for each other.
pub(crate) fn lock_number(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    if tx.is_postgres() {
        next_number(tx)?;
    }
    Ok(())
}

/// Numbers are taken in commit order. SQLite has one writer, which remembers the last number, so that no page has to be written for it; the
/// newest event is never deleted, so it can be asked when it does not know.
fn last_number(tx: &mut Tx<'_>) -> Result<i64, StoreError> {
    if let Some(last) = tx.batch().last_seq {
        return Ok(last);
    }
    if !tx.is_postgres() {
        return newest(tx);
    }
    let row = tx.one("SELECT seq FROM log WHERE id = 1 FOR UPDATE", &[])?;
    Ok(row.ok_or_else(|| StoreError::Sql("the log has lost its counter".to_owned()))?.int(0))
}

/// Called once for a batch, before its commit.
pub(crate) fn write_back_number(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    let last = tx.batch().appended.last().map(|event| event.seq);
    match last {
        Some(last) if tx.is_postgres() => tx.run("UPDATE log SET seq = ?1 WHERE id = 1", values![last]),
        _ => Ok(()),
    }
}

/// Rows go in several to a statement, in powers of two, so that a handful of prepared statements serve any number.
fn insert(tx: &mut Tx<'_>, events: &[Arc<Recorded>]) -> Result<(), StoreError> {
    let mut rest = events;
    while !rest.is_empty() {
        let power = rest.len().ilog2().min(LARGEST_POWER);
        let (now, later) = rest.split_at(1 << power);
        let row_values = now.iter().flat_map(|event| {
            [
                Value::Int(event.seq),
                Value::Int(event.at),
                Value::Text(&event.kind),
                event.subject.team.as_ref().into(),
                event.subject.session.as_ref().into(),
                event.subject.turn.as_ref().into(),
                Value::Text(&event.body),
            ]
        });
        tx.run(insert_statement(power), &row_values.collect::<Vec<_>>())?;
        rest = later;
    }
    Ok(())
}

const LARGEST_POWER: u32 = 6;
const COLUMNS: usize = 7;

fn insert_statement(power: u32) -> &'static str {
    static STATEMENTS: [OnceLock<String>; LARGEST_POWER as usize + 1] =
        [const { OnceLock::new() }; LARGEST_POWER as usize + 1];
    STATEMENTS[power as usize].get_or_init(|| {
        let rows = (0..1usize << power).map(|row| {
            let marks = (1..=COLUMNS).map(|column| format!("?{}", row * COLUMNS + column));
            format!("({})", marks.collect::<Vec<_>>().join(","))
        });
        format!(
            "INSERT INTO event (seq, at, kind, team, session, turn, body) VALUES {}",
            rows.collect::<Vec<_>>().join(",")
        )
    })
}

/// The event with this number.
pub(crate) fn find(tx: &mut Tx<'_>, seq: i64) -> Result<Option<Recorded>, StoreError> {
    let sql = "SELECT seq, at, kind, team, session, turn, body FROM event WHERE seq = ?1";
    tx.one(sql, values![seq])?.as_ref().map(recorded).transpose()
}

/// Events after a number, oldest first.
pub fn list_after(tx: &mut Tx<'_>, after: i64, limit: i64) -> Result<Vec<Recorded>, StoreError> {
    let sql = "SELECT seq, at, kind, team, session, turn, body FROM event WHERE seq > ?1 ORDER BY seq LIMIT ?2";
    tx.many(sql, values![after, limit])?.iter().map(recorded).collect()
}

/// As `list_after`, but no more when there are this many bytes of them: only the last may lie beyond.
pub fn list_some_after(tx: &mut Tx<'_>, after: i64, limit: i64, bytes: usize) -> Result<Vec<Recorded>, StoreError> {
    // How large they are is known without reading them.
    let sql = "SELECT seq, CAST(OCTET_LENGTH(body) AS BIGINT) FROM event WHERE seq > ?1 ORDER BY seq LIMIT ?2";
    let (mut held, mut last) = (0, None);
    for row in tx.many(sql, values![after, limit])? {
        last = Some(row.int(0));
        held += usize::try_from(row.int(1)).unwrap_or(0);
        if held >= bytes {
            break;
        }
    }
    let Some(last) = last else { return Ok(Vec::new()) };
    let sql = "SELECT seq, at, kind, team, session, turn, body FROM event WHERE seq > ?1 AND seq <= ?2 ORDER BY seq";
    tx.many(sql, values![after, last])?.iter().map(recorded).collect()
}

/// The turns that ended after a number, so many of them at most.
pub fn list_finished_turns(tx: &mut Tx<'_>, after: i64, limit: i64) -> Result<Vec<TurnId>, StoreError> {
    let sql = "SELECT turn FROM event WHERE seq > ?1 AND kind = 'turn.finished' ORDER BY seq LIMIT ?2";
    let rows = tx.many(sql, values![after, limit])?;
    Ok(rows.iter().filter_map(|row| row.maybe_text(0)).map(TurnId::new).collect())
}

/// What an agent said in a turn, after a number, oldest first.
pub fn list_messages(tx: &mut Tx<'_>, turn: &TurnId, after: i64, limit: i64) -> Result<Vec<Recorded>, StoreError> {
    let sql = "SELECT seq, at, kind, team, session, turn, body FROM event \
               WHERE kind = 'message' AND turn = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
    tx.many(sql, values![turn, after, limit])?.iter().map(recorded).collect()
}

/// What an agent said last in a turn, oldest first: as many of these, and not many bytes more than that.
pub fn list_newest_messages(
    tx: &mut Tx<'_>,
    turn: &TurnId,
    most: i64,
    bytes: usize,
) -> Result<Vec<Recorded>, StoreError> {
    const AT_ONCE: i64 = 100;
    let (mut found, mut held, mut before) = (Vec::new(), 0, i64::MAX);
    while held < bytes {
        let wanted = (most - i64::try_from(found.len()).unwrap_or(most)).min(AT_ONCE);
        let page = list_messages_before(tx, turn, before, wanted)?;
        let Some(oldest) = page.last() else { break };
        before = oldest.seq;
        held += page.iter().map(|message| message.body.len()).sum::<usize>();
        found.extend(page);
    }
    found.reverse();
    Ok(found)
}

/// Whether an agent has used a tool in a turn. A message's form begins with its type, see `Heard::to_json`.
pub(crate) fn has_acted(tx: &mut Tx<'_>, turn: &TurnId) -> Result<bool, StoreError> {
    let sql =
        "SELECT seq FROM event WHERE kind = 'message' AND turn = ?1 AND body LIKE '{\"type\":\"tool_use\"%' LIMIT 1";
    Ok(tx.one(sql, values![turn])?.is_some())
}

/// What an agent said in a turn before a number, newest first.
pub fn list_messages_before(
    tx: &mut Tx<'_>,
    turn: &TurnId,
    before: i64,
    limit: i64,
) -> Result<Vec<Recorded>, StoreError> {
    let sql = "SELECT seq, at, kind, team, session, turn, body FROM event \
               WHERE kind = 'message' AND turn = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT ?3";
    tx.many(sql, values![turn, before, limit])?.iter().map(recorded).collect()
}

/// How many messages of a turn are on record.
pub fn count_messages(tx: &mut Tx<'_>, turn: &TurnId) -> Result<i64, StoreError> {
    let row = tx.one("SELECT count(*) FROM event WHERE kind = 'message' AND turn = ?1", values![turn])?;
    Ok(row.map_or(0, |row| row.int(0)))
}

pub(crate) fn delete_messages(tx: &mut Tx<'_>, turn: &str) -> Result<(), StoreError> {
    tx.run("DELETE FROM event WHERE kind = 'message' AND turn = ?1", values![turn])
}

/// The number of the newest event.
pub fn newest(tx: &mut Tx<'_>) -> Result<i64, StoreError> {
    Ok(tx.one("SELECT coalesce(max(seq), 0) FROM event", &[])?.map_or(0, |row| row.int(0)))
}

fn recorded(row: &Row) -> Result<Recorded, StoreError> {
    let kind = match row.text(2) {
        MESSAGE => Cow::Borrowed(MESSAGE),
        other => Cow::Owned(other.to_owned()),
    };
    Ok(Recorded {
        seq: row.int(0),
        at: row.int(1),
        kind,
        subject: Subject {
            team: row.maybe_text(3).and_then(|name| name.parse().ok()),
            session: row.maybe_text(4).map(SessionId::new),
            turn: row.maybe_text(5).map(TurnId::new),
        },
        body: row.text(6).into(),
    })
}
