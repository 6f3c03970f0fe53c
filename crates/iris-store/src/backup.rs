//! Copies of the SQLite file, made while it is in use, and put back when it is not.

use std::fs::{File, OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use iris_core::event::{DaemonEvent, Fact};
use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use crate::error::StoreError;
use crate::migrate;
use crate::store::{Location, Store};
use crate::wall_ms;

impl Store {
    /// A consistent copy of the database, while it is being written to.
    pub async fn copy_to(&self, target: PathBuf) -> Result<(), StoreError> {
        let Location::Sqlite(source) = self.location().clone() else {
            return Err(StoreError::Sql(
                "iris copies only its embedded database; for PostgreSQL use pg_dump".to_owned(),
            ));
        };
        let copied = tokio::task::spawn_blocking(move || copy_file(&source, &target)).await;
        copied.map_err(|_| StoreError::Closed)?
    }
}

/// A consistent copy of a database file, whether or not a daemon has it open.
pub fn copy_file(source: &Path, target: &Path) -> Result<(), StoreError> {
    let mut connection = Connection::open_with_flags(source, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    copy_sqlite(&mut connection, target)
}

pub(crate) fn copy_sqlite(source: &mut Connection, target: &Path) -> Result<(), StoreError> {
    make_private(target).map_err(|error| StoreError::Io(error.to_string()))?;
    let mut copy = Connection::open(target)?;
    {
        let backup = Backup::new(source, &mut copy)?;
        backup.run_to_completion(1024, Duration::from_millis(1), None)?;
    }
    check_integrity(&copy, target)?;
    // A copy is one file: without this, opening it would leave a log of its own beside it.
    copy.pragma_update(None, "journal_mode", "delete")?;
    copy.close().map_err(|(_, error)| error)?;
    let file = File::open(target).map_err(|error| StoreError::Io(error.to_string()))?;
    file.sync_all().map_err(|error| StoreError::Io(error.to_string()))
}

/// Says which schema a copy has, after looking at every page of it.
pub fn inspect(path: &Path) -> Result<u32, StoreError> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    check_integrity(&connection, path)?;
    let sql = "SELECT coalesce(max(version), 0) FROM refinery_schema_history";
    let version = connection.query_row(sql, [], |row| row.get::<_, u32>(0)).map_err(|_| StoreError::Damaged {
        place: path.display().to_string(),
        what: "it is not a database of Iris".to_owned(),
    })?;
    let known = migrate::newest();
    if version > known { Err(StoreError::TooNew { found: version, known }) } else { Ok(version) }
}

/// Puts a copy in the place of a database nobody has open. What was there is kept beside it.
pub fn put_back(copy: &Path, database: &Path) -> Result<Option<PathBuf>, StoreError> {
    inspect(copy)?;
    let failed = |error: std::io::Error| StoreError::Io(error.to_string());
    let kept = database.exists().then(|| database.with_file_name(format!("iris-before-restore-{}.db", wall_ms())));
    if let Some(kept) = &kept {
        // Through SQLite, so that what still stands in the write-ahead log is in the copy.
        copy_file(database, kept)?;
    }
    let staged = database.with_extension("db.restoring");
    let mut file = make_private(&staged).map_err(failed)?;
    File::open(copy).and_then(|mut copy| std::io::copy(&mut copy, &mut file)).map_err(failed)?;
    if kept.is_some() {
        go_on_after(database, &staged)?;
    }
    File::open(&staged).and_then(|file| file.sync_all()).map_err(failed)?;
    for leftover in ["db-wal", "db-shm"] {
        match std::fs::remove_file(database.with_extension(leftover)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
    }
    std::fs::rename(&staged, database).map_err(failed)?;
    Ok(kept)
}

/// An empty file that is the owner's alone, whatever was there.
fn make_private(path: &Path) -> std::io::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    Ok(file)
}

/// A number that was given once is not given again: whoever read up to it would take what comes next for known.
fn go_on_after(replaced: &Path, copy: &Path) -> Result<(), StoreError> {
    let newest = |path: &Path| -> Result<(Connection, i64), StoreError> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let newest = connection.query_row("SELECT coalesce(max(seq), 0) FROM event", [], |row| row.get(0))?;
        Ok((connection, newest))
    };
    let (_, given) = newest(replaced)?;
    let (copy, head) = newest(copy)?;
    let fact = Fact::Daemon(DaemonEvent::Restored { head });
    let sql = "INSERT INTO event (seq, at, kind, body) VALUES (?1, ?2, ?3, ?4)";
    copy.execute(sql, (given.max(head) + 1, wall_ms(), fact.kind(), &*fact.body()))?;
    Ok(copy.close().map_err(|(_, error)| error)?)
}

fn check_integrity(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let verdict = connection.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0));
    match verdict {
        Ok(verdict) if verdict == "ok" => Ok(()),
        Ok(what) => Err(StoreError::Damaged { place: path.display().to_string(), what }),
        Err(error) => Err(StoreError::Damaged { place: path.display().to_string(), what: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    /// Backups, what is kept before a restore and what is kept before an upgrade are all made by this.
    #[test]
    fn a_copy_is_the_owners_alone_also_in_the_place_of_one_that_was_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (source, copy) = (folder.path().join("iris.db"), folder.path().join("copy.db"));
        Connection::open(&source).and_then(|open| open.execute_batch("CREATE TABLE a (b)")).expect("a database");
        copy_file(&source, &copy).expect("copied");
        assert_eq!(mode(&copy), 0o600);
        std::fs::set_permissions(&copy, Permissions::from_mode(0o644)).expect("ours");
        copy_file(&source, &copy).expect("copied again");
        assert_eq!(mode(&copy), 0o600);
    }
}
