//! Looking at an embedded database from outside, whether or not a daemon has it open. Changes nothing.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::error::StoreError;
use crate::migrate;

/// What a look at the file shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub schema: u32,
    /// The newest schema this binary knows; an older one is brought up to date at the next start.
    pub known: u32,
    /// When the newest event was written, by the wall clock of then.
    pub newest_event_at: Option<i64>,
}

pub fn look(path: &Path) -> Result<Seen, StoreError> {
    let damaged = |what: String| StoreError::Damaged { place: path.display().to_string(), what };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    let verdict = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    match verdict {
        Ok(verdict) if verdict == "ok" => {}
        Ok(what) => return Err(damaged(what.lines().last().unwrap_or_default().to_owned())),
        Err(error) => return Err(damaged(error.to_string())),
    }
    let known = migrate::newest();
    let sql = "SELECT coalesce(max(version), 0) FROM refinery_schema_history";
    let schema = connection.query_row(sql, [], |row| row.get::<_, u32>(0));
    let schema = schema.map_err(|_| damaged("it is not a database of Iris".to_owned()))?;
    if schema > known {
        return Err(StoreError::TooNew { found: schema, known });
    }
    let sql = "SELECT at FROM event ORDER BY seq DESC LIMIT 1";
    let newest_event_at = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(Seen { schema, known, newest_event_at })
}
