//! The tables of PostgreSQL as a copy in the form of SQLite, and back. They are the same tables, so a backup is the same file
//! wherever what is in it was kept.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use iris_core::id::NodeId;

use super::{BreakOff, PutBack, count_waiting, go_on_after, inspect, make_private, seal};
use crate::clock::Clock;
use crate::engine::postgres::Postgres;
use crate::engine::sqlite::Sqlite;
use crate::engine::{Access, Connection};
use crate::error::StoreError;
use crate::failpoint;
use crate::migrate::{self, Step};
use crate::store::Location;
use crate::tx::{Cell, Row, values};
use crate::wall_ms;

/// A consistent copy of the tables, whether or not daemons write to them. False if there are none of Iris.
pub fn copy_postgres(url: &str, target: &Path, break_off: &BreakOff) -> Result<bool, StoreError> {
    let mut source = open(url)?;
    // One moment for all of them. It holds nobody up, and ends with the connection.
    begin(&mut source, "REPEATABLE READ READ ONLY")?;
    let schema = migrate::schema_version(&mut source)?;
    if schema > 0 {
        write_copy(&mut source, schema, target, break_off)?;
    }
    Ok(schema > 0)
}

/// Has a copy take the place of what the tables hold, in one transaction: until it is committed nothing has changed, however
/// this ends. What they held is kept beside `database`, where an embedded one would be. No other node may be at work on them.
pub fn put_into_postgres(
    copy: &Path,
    url: &str,
    database: &Path,
    node: Option<&NodeId>,
) -> Result<PutBack, StoreError> {
    inspect(copy)?;
    let steps = migrate::all();
    let mut done = PutBack { waiting_turns: count_waiting(copy)?, ..PutBack::default() };
    let mut target = open(url)?;
    let found = migrate::schema_version(&mut target)?;
    let was_empty = found == 0;
    // Also before the tables are brought up to date: others at work on them may not know the newer form.
    if found >= NODES_SINCE
        && let Some(node) = find_other(&mut target, node)?
    {
        return Err(StoreError::InUse(node));
    }
    migrate::bring_up_to_date(&mut target, &Location::Postgres(url.to_owned()), &steps)?;

    begin(&mut target, "READ COMMITTED")?;
    // A daemon that starts meanwhile waits, and reads what is put back.
    target.plain(&format!("SELECT pg_advisory_xact_lock({})", migrate::MIGRATION_LOCK))?;
    target.plain(&format!("LOCK TABLE {} IN EXCLUSIVE MODE", migrate::tables(&steps, migrate::newest()).join(", ")))?;
    if let Some(node) = find_other(&mut target, node)? {
        return Err(StoreError::InUse(node));
    }
    if !was_empty {
        let aside = copy.with_file_name("before-restore.db");
        write_copy(&mut target, migrate::newest(), &aside, &BreakOff::default())?;
        let kept = database.with_file_name(format!("iris-before-restore-{}.db", wall_ms()));
        std::fs::rename(aside, &kept)?;
        database.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())?;
        done.kept.push(kept);
    }
    let given = target.many("SELECT seq FROM log", &[])?.first().map(|row| row.int(0));
    go_on_after(given.filter(|_| !was_empty), copy)?;
    copy_rows(&mut open_copy(copy, &steps)?, &mut target, &steps, || true)?;
    // Whoever was alive when the copy was made is not at work on this.
    target.plain("UPDATE log SET seq = (SELECT max(seq) FROM event); DELETE FROM node")?;
    failpoint::hit("restore", "before_commit");
    target.commit()?;
    failpoint::hit("restore", "after_commit");
    Ok(done)
}

/// The step that made the table of those that are alive.
const NODES_SINCE: u32 = 5;

fn open(url: &str) -> Result<Connection, StoreError> {
    Ok(Connection::Postgres(Box::new(Postgres::open(url)?)))
}

/// A copy that is written out and looked at meanwhile takes longer than others may be idle in a transaction.
fn begin(connection: &mut Connection, kind: &str) -> Result<(), StoreError> {
    connection.plain(&format!("BEGIN ISOLATION LEVEL {kind}; SET LOCAL idle_in_transaction_session_timeout = 0"))
}

fn find_other(target: &mut Connection, own: Option<&NodeId>) -> Result<Option<String>, StoreError> {
    let sql = "SELECT id FROM node WHERE id <> ?1 AND alive_until > iris_now() ORDER BY id";
    let rows = target.many(sql, values![own.map_or("", NodeId::as_str)])?;
    Ok(rows.first().map(|row| row.text(0).to_owned()))
}

/// Of the schema that the tables have: whoever puts it back brings it up to date.
fn write_copy(source: &mut Connection, schema: u32, target: &Path, break_off: &BreakOff) -> Result<(), StoreError> {
    let known = migrate::newest();
    if schema > known {
        return Err(StoreError::TooNew { found: schema, known });
    }
    make_private(target)?;
    let steps: Vec<_> = migrate::all().into_iter().filter(|step| step.version <= schema).collect();
    let mut copy = open_copy(target, &steps)?;
    copy.begin(Access::Write)?;
    copy_rows(source, &mut copy, &steps, || !break_off.load(Ordering::Relaxed))?;
    copy.commit()?;
    drop(copy);
    seal(rusqlite::Connection::open(target)?, target, break_off)
}

fn open_copy(path: &Path, steps: &[Step]) -> Result<Connection, StoreError> {
    let mut copy = Connection::Sqlite(Sqlite::open(path, Arc::new(Clock::start()))?);
    migrate::bring_up_to_date(&mut copy, &Location::Sqlite(path.to_owned()), steps)?;
    Ok(copy)
}

/// So many rows, or bytes of text, are written together.
const ROWS_AT_ONCE: usize = 500;
const BYTES_AT_ONCE: usize = 4 * 1024 * 1024;

/// All that one holds and nothing else is in the other then. Both have the tables that the steps have made, and say so
/// themselves. As long as it goes on.
fn copy_rows(
    from: &mut Connection,
    to: &mut Connection,
    steps: &[Step],
    goes_on: impl Fn() -> bool,
) -> Result<(), StoreError> {
    let made = migrate::tables(steps, migrate::newest());
    for table in made.into_iter().filter(|table| *table != migrate::HISTORY) {
        let columns = if from.is_postgres() { columns(to, table)? } else { columns(from, table)? };
        let marks: Vec<_> = (1..=columns.len()).map(|number| format!("?{number}")).collect();
        let (columns, marks) = (columns.join(", "), marks.join(", "));
        let insert = format!("INSERT INTO {table} ({columns}) VALUES ({marks})");
        to.plain(&format!("DELETE FROM {table}"))?;
        let (mut rows, mut bytes) = (Vec::new(), 0);
        from.each_row(&format!("SELECT {columns} FROM {table}"), &mut |row: Row| {
            bytes += row.0.iter().map(|cell| if let Cell::Text(text) = cell { text.len() } else { 0 }).sum::<usize>();
            rows.push(row);
            if !goes_on() {
                return Err(StoreError::BrokenOff);
            }
            if rows.len() < ROWS_AT_ONCE && bytes < BYTES_AT_ONCE {
                return Ok(());
            }
            bytes = 0;
            to.run_each(&insert, std::mem::take(&mut rows))
        })?;
        to.run_each(&insert, rows)?;
    }
    Ok(())
}

/// As SQLite has them.
fn columns(sqlite: &mut Connection, table: &str) -> Result<Vec<String>, StoreError> {
    let rows = sqlite.many("SELECT name FROM pragma_table_info(?1) ORDER BY cid", values![table])?;
    Ok(rows.iter().map(|row| row.text(0).to_owned()).collect())
}
