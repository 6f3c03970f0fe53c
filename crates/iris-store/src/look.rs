//! Looking at a database from outside, whether or not a daemon has it open. Changes nothing.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::engine;
use crate::engine::postgres::Postgres;
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
    look_into(path).map_err(|error| match error {
        StoreError::Io(why) => StoreError::of_file(path, why),
        error => error,
    })
}

/// The schema in a database on PostgreSQL. Waits for the server by itself, for a few seconds, on a thread without a runtime.
pub fn look_at_server(url: &str) -> Result<u32, StoreError> {
    let found = migrate::schema_version(&mut engine::Connection::Postgres(Box::new(Postgres::open(url)?)))?;
    let known = migrate::newest();
    if found > known { Err(StoreError::TooNew { found, known }) } else { Ok(found) }
}

fn look_into(path: &Path) -> Result<Seen, StoreError> {
    let damaged = |what: String| StoreError::Damaged { place: path.display().to_string(), what };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    let verdict = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0));
    match verdict {
        Ok(verdict) if verdict == "ok" => {}
        Ok(what) => return Err(damaged(what.lines().last().unwrap_or_default().to_owned())),
        Err(error) => {
            // That it could not be read just now says nothing about it.
            let why = StoreError::from(&error);
            return Err(if why.may_pass() { why } else { damaged(error.to_string()) });
        }
    }
    let known = migrate::newest();
    let sql = "SELECT count(*) FROM sqlite_master WHERE tbl_name <> 'refinery_schema_history'";
    if connection.query_row(sql, [], |row| row.get::<_, u32>(0))? == 0 {
        // The first start did not get far, as on a full disk; the next one makes what is missing.
        return Ok(Seen { schema: 0, known, newest_event_at: None });
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_never_finished_is_not_damaged_and_what_is_no_database_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let check = |name: &str, make: &dyn Fn(&Path), expected: &str| {
            let path = folder.path().join(name);
            make(&path);
            let found = match look(&path) {
                Ok(seen) => format!("schema {}", seen.schema),
                Err(error) => error.to_string(),
            };
            assert!(found.contains(expected), "{name}: {found}");
        };
        let sql = |path: &Path, sql: &str| Connection::open(path).and_then(|it| it.execute_batch(sql)).expect("made");
        check("nothing", &|path| std::fs::write(path, "").expect("written"), "schema 0");
        let history = "CREATE TABLE refinery_schema_history (version INT4 PRIMARY KEY, name TEXT)";
        check("begun", &|path| sql(path, history), "schema 0");
        check("another's", &|path| sql(path, "CREATE TABLE songs (name TEXT)"), "it is not a database of Iris");
        check("no database", &|path| std::fs::write(path, "x".repeat(5000)).expect("written"), "is damaged");
    }
}
