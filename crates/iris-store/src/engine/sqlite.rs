//! SQLite: the embedded default. One file, one writer, write-ahead log, every commit synced.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, ToSql, params_from_iter};

use super::{Access, TakeRow, log_file};
use crate::clock::Clock;
use crate::error::StoreError;
use crate::tx::{Cell, Row, Value};

/// Before this version, a writer and a checkpoint at the same moment could damage the file.
const OLDEST_SQLITE: (i32, &str) = (3_051_003, "3.51.3");

/// The log is folded into the file when it has grown to this many pages. Between two folds it is overwritten in place,
/// which syncs in half the time of a file that grows; and a hot page is then folded once, not once per commit.
const PAGES_BEFORE_CHECKPOINT: i64 = 4000;

/// How long another program may have the lock: a backup takes it for a moment, a person with a tool until they go home.
const LONGEST_LOCK: Duration = Duration::from_secs(5);

pub(crate) struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    pub fn open(path: &Path, clock: Arc<Clock>) -> Result<Self, StoreError> {
        if rusqlite::version_number() < OLDEST_SQLITE.0 {
            return Err(StoreError::OldSqlite { found: rusqlite::version().to_owned(), needed: OLDEST_SQLITE.1 });
        }
        make_private(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = if log_file::register() {
            Connection::open_with_flags_and_vfs(path, flags, log_file::NAME)?
        } else {
            Connection::open_with_flags(path, flags)?
        };
        connection.set_prepared_statement_cache_capacity(128);
        // Else a statement that looks through a partial index is compiled anew for every value it is given.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.busy_timeout(LONGEST_LOCK)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "mmap_size", 0)?;
        // Deleted text would stay in the file until its place is used again, and so would copies from when a page was split:
        // what somebody wanted forgotten is overwritten, and so are those, from the first row on.
        connection.pragma_update(None, "secure_delete", true)?;
        connection.pragma_update(None, "wal_autocheckpoint", PAGES_BEFORE_CHECKPOINT)?;
        connection.create_scalar_function("iris_now", 0, FunctionFlags::SQLITE_UTF8, move |_| Ok(clock.iris_ms()))?;
        Ok(Self { connection })
    }

    pub fn raw(&mut self) -> &mut Connection {
        &mut self.connection
    }

    pub fn begin(&mut self, access: Access) -> Result<(), StoreError> {
        match access {
            Access::Read => self.plain("BEGIN"),
            Access::Write => self.plain("BEGIN IMMEDIATE"),
            Access::WriteAtOnce => {
                self.connection.busy_timeout(Duration::ZERO)?;
                let begun = self.plain("BEGIN IMMEDIATE");
                self.connection.busy_timeout(LONGEST_LOCK)?;
                begun
            }
        }
    }

    pub fn commit(&mut self) -> Result<(), StoreError> {
        self.plain("COMMIT")
    }

    pub fn rollback(&mut self) -> Result<(), StoreError> {
        // A full disk makes SQLite roll back by itself; there is then nothing left to undo.
        if self.connection.is_autocommit() { Ok(()) } else { self.plain("ROLLBACK") }
    }

    /// Folds the log into the file and leaves nothing of it. False if somebody reads or writes and was in the way: they are
    /// not waited for.
    pub fn empty_log(&mut self) -> Result<bool, StoreError> {
        self.connection.busy_timeout(Duration::ZERO)?;
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        let was_busy = self.connection.query_row(sql, [], |row| row.get::<_, bool>(0));
        self.connection.busy_timeout(LONGEST_LOCK)?;
        Ok(!was_busy?)
    }

    pub fn plain(&self, sql: &str) -> Result<(), StoreError> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    pub fn run(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<(), StoreError> {
        self.connection.prepare_cached(sql)?.execute(params_from_iter(values))?;
        Ok(())
    }

    pub fn many(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(values))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(read_row(row, columns)?);
        }
        Ok(found)
    }

    pub fn each_row(&mut self, sql: &str, take: TakeRow<'_>) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(read_row(row, columns)?)?;
        }
        Ok(())
    }

    pub fn run_each(&mut self, sql: &str, rows: Vec<Row>) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        for row in &rows {
            statement.execute(params_from_iter(row.0.iter().map(Value::from)))?;
        }
        Ok(())
    }
}

/// A new file is the owner's alone. What SQLite puts beside it gets the same mode.
fn make_private(path: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::OpenOptionsExt;
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(StoreError::Io(error.to_string())),
        _ => Ok(()),
    }
}

fn read_row(row: &rusqlite::Row<'_>, columns: usize) -> Result<Row, StoreError> {
    let cells = (0..columns).map(|index| Ok(cell(row.get_ref(index)?)));
    Ok(Row(cells.collect::<Result<_, rusqlite::Error>>()?))
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Integer(number) => Cell::Int(number),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => Cell::Null,
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(number) => ValueRef::Integer(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}
