//! Copies of a database in one file, made while it is in use, and put back when it is not. Here those of SQLite.

mod postgres;

use std::fs::{File, OpenOptions, Permissions};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use iris_core::event::{DaemonEvent, Fact};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::StoreError;
use crate::migrate;
use crate::wall_ms;
pub use postgres::{copy_postgres, put_into_postgres};

/// Said by whoever asked for a copy and wants it no longer: it is broken off soon after.
pub type BreakOff = Arc<AtomicBool>;

/// A consistent copy of a database file, whether or not a daemon has it open and writes to it.
pub fn copy_file(source: &Path, target: &Path, break_off: &BreakOff) -> Result<(), StoreError> {
    copy_sqlite(&open_as_it_is(source)?, target, break_off)
}

/// What stands in the write-ahead log stays there when this is closed: what is only looked at is not changed.
fn open_as_it_is(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

pub(crate) fn copy_sqlite(source: &Connection, target: &Path, break_off: &BreakOff) -> Result<(), StoreError> {
    make_private(target)?;
    let mut copy = Connection::open(target)?;
    copy_pages(source, &mut copy, || !break_off.load(Ordering::Relaxed))?;
    seal(copy, target, break_off)
}

/// Looks at a copy whole, and has it on disk.
fn seal(mut copy: Connection, target: &Path, break_off: &BreakOff) -> Result<(), StoreError> {
    let watched = Arc::clone(break_off);
    copy.progress_handler(1000, Some(move || watched.load(Ordering::Relaxed)))?;
    check_integrity(&copy, target)?;
    // A copy is one file: without this, opening it would leave a log of its own beside it.
    copy.pragma_update(None, "journal_mode", "delete")?;
    copy.close().map_err(|(_, error)| error)?;
    Ok(File::open(target)?.sync_all()?)
}

/// The pages of one moment. Without a transaction on this side every commit of another connection would make SQLite begin
/// anew, and a copy of a database that is written to would never end. Writers are not held up by it.
fn copy_pages(source: &Connection, copy: &mut Connection, goes_on: impl FnMut() -> bool) -> Result<(), StoreError> {
    let moment = source.unchecked_transaction()?;
    source.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
    copy_steps(source, copy, goes_on)?;
    Ok(moment.commit()?)
}

/// As long as it goes on; asked before every step.
fn copy_steps(source: &Connection, copy: &mut Connection, mut goes_on: impl FnMut() -> bool) -> Result<(), StoreError> {
    const PAGES_AT_ONCE: i32 = 1024;
    let backup = Backup::new(source, copy)?;
    loop {
        if !goes_on() {
            return Err(StoreError::BrokenOff);
        }
        match backup.step(PAGES_AT_ONCE)? {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            // Somebody else holds it for a moment.
            _ => std::thread::sleep(Duration::from_millis(1)),
        }
    }
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

fn count_waiting(copy: &Path) -> Result<i64, StoreError> {
    let connection = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let sql = "SELECT count(*) FROM turn WHERE state IN ('queued', 'scheduled')";
    Ok(connection.query_row(sql, [], |row| row.get(0))?)
}

/// What became of the database that a copy replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PutBack {
    /// Where it is kept.
    pub kept: Vec<PathBuf>,
    /// Why it could not be read. Then it is kept as it was found, and events go on with numbers far above those of the copy.
    pub damage: Option<String>,
    /// How many turns wait in the copy: they run when Iris starts, also those that have run since it was made.
    pub waiting_turns: i64,
}

/// Makes a copy fit to take the place of a database nobody has open. What is there is kept beside it, under its name once it is
/// whole: until then everything lies in the folder of the copy, which is of no use to anybody if this is broken off.
pub fn prepare(copy: &Path, database: &Path) -> Result<PutBack, StoreError> {
    inspect(copy)?;
    std::fs::set_permissions(copy, Permissions::from_mode(0o600))?;
    let mut done = PutBack { waiting_turns: count_waiting(copy)?, ..PutBack::default() };
    if database.exists() {
        let aside = copy.with_file_name("before-restore.db");
        let head = match keep(database, &aside) {
            Err(StoreError::DiskFull) => return Err(StoreError::DiskFull),
            kept => kept.and_then(|()| newest(database)),
        };
        go_on_after(head.as_ref().ok().copied(), copy)?;
        if let Err(error) = head {
            keep_as_it_is(database, &aside)?;
            done.damage = Some(error.to_string());
        }
        let kept = with_its_log(&database.with_file_name(format!("iris-before-restore-{}.db", wall_ms())));
        for (from, to) in with_its_log(&aside).into_iter().zip(kept).filter(|(from, _)| from.exists()) {
            std::fs::rename(from, &to)?;
            done.kept.push(to);
        }
    } else {
        // There may have been one.
        go_on_after(None, copy)?;
    }
    File::open(copy)?.sync_all()?;
    Ok(done)
}

/// Moves a copy that is [prepared](prepare) into its place. Broken off, it is done again.
pub fn put_back(copy: &Path, database: &Path) -> Result<(), StoreError> {
    let [_, logs @ ..] = with_its_log(database);
    for leftover in logs {
        remove_if_there(&leftover)?;
    }
    std::fs::rename(copy, database)?;
    let folder = database.parent().map_or_else(|| File::open("."), File::open);
    Ok(folder?.sync_all()?)
}

/// A database and what SQLite keeps beside it.
fn with_its_log(database: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|ending| {
        let mut name = database.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    })
}

fn remove_if_there(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Through SQLite, so that what still stands in the write-ahead log is in the copy.
fn keep(database: &Path, kept: &Path) -> Result<(), StoreError> {
    copy_file(database, kept, &BreakOff::default())
}

/// The very files, for whoever can make something of them. The database stays in its place until the copy takes it.
fn keep_as_it_is(database: &Path, kept: &Path) -> Result<(), StoreError> {
    for (from, to) in with_its_log(database).iter().zip(with_its_log(kept)) {
        remove_if_there(&to)?;
        // Not every file system has links.
        if from.exists() && std::fs::hard_link(from, &to).is_err() {
            std::fs::copy(from, &to)?;
        }
    }
    Ok(())
}

/// An empty file that is the owner's alone, whatever was there.
fn make_private(path: &Path) -> std::io::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    Ok(file)
}

/// If nobody can say which numbers were given after the copy was made, they go on with so many for every millisecond since
/// 1970: more than are ever given in one, so a later restore goes on above whatever an earlier one went on with.
const EACH_MS: i64 = 32;
/// And so far above the copy, if the clock was set back by years.
const LEAP: i64 = 1 << 40;

/// A number that was given once is not given again: whoever read up to it would take what comes next for known.
fn go_on_after(given: Option<i64>, copy: &Path) -> Result<(), StoreError> {
    let head = newest(copy)?;
    let last = match given {
        Some(given) => given.max(head),
        None => Some(wall_ms() * EACH_MS).filter(|last| *last > head).unwrap_or(head + LEAP),
    };
    let fact = Fact::Daemon(DaemonEvent::Restored { head });
    let sql = "INSERT INTO event (seq, at, kind, body) VALUES (?1, ?2, ?3, ?4)";
    let copy = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    copy.execute(sql, (last + 1, wall_ms(), fact.kind(), &*fact.body()))?;
    Ok(copy.close().map_err(|(_, error)| error)?)
}

/// The highest number that was given to an event.
fn newest(path: &Path) -> Result<i64, StoreError> {
    let sql = "SELECT coalesce(max(seq), 0) FROM event";
    Ok(open_as_it_is(path)?.query_row(sql, [], |row| row.get(0))?)
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
        copy_file(&source, &copy, &BreakOff::default()).expect("copied");
        assert_eq!(mode(&copy), 0o600);
        std::fs::set_permissions(&copy, Permissions::from_mode(0o644)).expect("ours");
        copy_file(&source, &copy, &BreakOff::default()).expect("copied again");
        assert_eq!(mode(&copy), 0o600);
    }

    /// Without the transaction it would begin anew after each of these commits.
    #[test]
    fn a_copy_has_an_end_though_somebody_commits_before_every_step() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let open = |name: &str| Connection::open(folder.path().join(name)).expect("a database");
        let (source, other) = (open("iris.db"), open("iris.db"));
        source.pragma_update(None, "journal_mode", "wal").expect("a log");
        source.execute_batch("CREATE TABLE a (b)").expect("a table");
        // Some four steps of pages.
        source.execute("INSERT INTO a VALUES (randomblob(16000000))", []).expect("a row");
        let commit = |most: u32| {
            let (other, mut steps) = (&other, 0);
            move || {
                steps += 1;
                other.execute("INSERT INTO a VALUES (1)", []).expect("a row");
                steps < most
            }
        };
        let mut copy = open("without.db");
        let without = copy_steps(&source, &mut copy, commit(50));
        assert!(matches!(without, Err(StoreError::BrokenOff)), "{without:?}");
        let rows = |connection: &Connection| {
            connection.query_row("SELECT count(*) FROM a", [], |row| row.get::<_, i64>(0)).expect("rows")
        };
        let (before, mut copy) = (rows(&source), open("with.db"));
        copy_pages(&source, &mut copy, commit(50)).expect("copied");
        assert_eq!(rows(&copy), before, "as of the moment it began");
        assert!(rows(&source) > before, "and somebody wrote meanwhile");
    }
}
