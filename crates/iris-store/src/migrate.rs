//! The schema, forward only. Before a step changes an existing SQLite database, the file is copied aside; an older
//! binary refuses a newer database and touches nothing.

use std::path::{Path, PathBuf};

use refinery::{Migration, Runner};

use crate::backup;
use crate::engine::Connection;
use crate::engine::postgres::address::Address;
use crate::error::StoreError;
use crate::store::Location;

/// One step of the schema. `{{…}}` marks the few places where the two databases need different words.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub version: u32,
    pub name: &'static str,
    pub sql: &'static str,
}

pub(crate) fn all() -> Vec<Step> {
    vec![
        Step { version: 1, name: "ground", sql: include_str!("../migrations/0001_ground.sql") },
        Step { version: 2, name: "agents", sql: include_str!("../migrations/0002_agents.sql") },
        Step { version: 3, name: "doors", sql: include_str!("../migrations/0003_doors.sql") },
        Step { version: 4, name: "asks", sql: include_str!("../migrations/0004_asks.sql") },
        Step { version: 5, name: "nodes", sql: include_str!("../migrations/0005_nodes.sql") },
        Step { version: 6, name: "audit", sql: include_str!("../migrations/0006_audit.sql") },
        Step { version: 7, name: "figures", sql: include_str!("../migrations/0007_figures.sql") },
        Step { version: 8, name: "ages", sql: include_str!("../migrations/0008_ages.sql") },
        Step { version: 9, name: "waits", sql: include_str!("../migrations/0009_waits.sql") },
    ]
}

/// Any number: it only has to be the same for every Iris.
const MIGRATION_LOCK: i64 = 1_615_001;

pub(crate) fn bring_up_to_date(
    connection: &mut Connection,
    location: &Location,
    steps: &[Step],
) -> Result<(), StoreError> {
    let known = steps.iter().map(|step| step.version).max().unwrap_or(0);
    if let Connection::Postgres(postgres) = connection {
        // Two nodes may start at once; the second finds the work done.
        postgres.plain(&format!("SELECT pg_advisory_lock({MIGRATION_LOCK})"))?;
    }
    let found = schema_version(connection)?;
    if found > known {
        return Err(StoreError::TooNew { found, known });
    }
    if found < known {
        if found > 0
            && let Location::Sqlite(path) = location
        {
            let copy = copy_before_upgrade(connection, path, found)?;
            tracing::info!(backup = %copy.display(), from = found, to = known, "copied the database before upgrading it");
        }
        apply(connection, location, steps)?;
    }
    if let Connection::Postgres(postgres) = connection {
        postgres.plain(&format!("SELECT pg_advisory_unlock({MIGRATION_LOCK})"))?;
    }
    Ok(())
}

/// The newest schema this binary knows.
pub(crate) fn newest() -> u32 {
    all().iter().map(|step| step.version).max().unwrap_or(0)
}

/// 0 for a database that holds nothing yet.
pub(crate) fn schema_version(connection: &mut Connection) -> Result<u32, StoreError> {
    let is_there = match connection {
        Connection::Sqlite(_) => "SELECT count(*) FROM sqlite_master WHERE name = 'refinery_schema_history'",
        Connection::Postgres(_) => {
            "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema() \
             AND table_name = 'refinery_schema_history'"
        }
    };
    let tables = connection.many(is_there, &[])?;
    if tables.first().is_none_or(|row| row.int(0) == 0) {
        return Ok(0);
    }
    let sql = "SELECT CAST(coalesce(max(version), 0) AS BIGINT) FROM refinery_schema_history";
    let rows = connection.many(sql, &[])?;
    Ok(rows.first().map_or(0, |row| u32::try_from(row.int(0)).unwrap_or(u32::MAX)))
}

fn apply(connection: &mut Connection, location: &Location, steps: &[Step]) -> Result<(), StoreError> {
    let dialect = match connection {
        Connection::Sqlite(_) => SQLITE_WORDS,
        Connection::Postgres(_) => POSTGRES_WORDS,
    };
    let migrations = steps.iter().map(|step| {
        let sql = dialect.iter().fold(step.sql.to_owned(), |sql, (word, meaning)| sql.replace(word, meaning));
        Migration::unapplied(&format!("V{}__{}", step.version, step.name), &sql)
    });
    // All of it in one transaction, with the rows that say so: whatever happens in between, it was done or it was not.
    let runner = Runner::new(&migrations.collect::<Result<Vec<_>, _>>().map_err(failed)?).set_grouped(true);
    match (connection, location) {
        (Connection::Sqlite(sqlite), _) => runner.run(sqlite.raw()).map_err(failed)?,
        (Connection::Postgres(_), Location::Postgres(url)) => {
            // The tool for migrations wants a connection of its own kind; the lock above is held meanwhile.
            let address = Address::parse(url)?;
            let connector = address.connector()?;
            let mut client = postgres::Config::from(address.config).connect(connector)?;
            runner.run(&mut client).map_err(failed)?
        }
        (Connection::Postgres(_), Location::Sqlite(_)) => return Err(StoreError::Closed),
    };
    Ok(())
}

/// A full disk is one, whoever wrote: what the database said is somewhere below what the tool for migrations says of it.
fn failed(error: refinery::Error) -> StoreError {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
    while let Some(now) = cause {
        let found = now.downcast_ref::<rusqlite::Error>().map(StoreError::from);
        match found.or_else(|| now.downcast_ref::<postgres::Error>().map(StoreError::from)) {
            Some(StoreError::Sql(_)) => break,
            Some(known) => return known,
            None => cause = now.source(),
        }
    }
    StoreError::Sql(format!("the schema could not be brought up to date: {error}"))
}

const SQLITE_WORDS: &[(&str, &str)] = &[
    // Only this very word makes the column the table's own key in SQLite; any other costs a second tree.
    ("{{number key}}", "INTEGER PRIMARY KEY"),
    ("{{no hidden key}}", "WITHOUT ROWID"),
    ("{{functions}}", ""),
];

const POSTGRES_WORDS: &[(&str, &str)] = &[
    ("{{number key}}", "BIGINT PRIMARY KEY"),
    ("{{no hidden key}}", ""),
    (
        "{{functions}}",
        "CREATE OR REPLACE FUNCTION iris_now() RETURNS BIGINT LANGUAGE sql VOLATILE AS \
         'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)';",
    ),
];

fn copy_before_upgrade(connection: &mut Connection, path: &Path, found: u32) -> Result<PathBuf, StoreError> {
    let copy = path.with_file_name(format!("iris-before-upgrade-from-{found}.db"));
    if let Connection::Sqlite(sqlite) = connection {
        // A copy that is broken off never takes the place of a whole one.
        let unfinished = copy.with_extension("db.unfinished");
        backup::copy_sqlite(sqlite.raw(), &unfinished, &backup::BreakOff::default())?;
        std::fs::rename(&unfinished, &copy)?;
    }
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::engine::sqlite::Sqlite;
    use crate::store::{Opening, Store};
    use iris_core::id::NodeId;
    use std::sync::Arc;

    fn open(path: &Path, steps: &[Step]) -> Result<Store, StoreError> {
        let location = Location::Sqlite(path.to_owned());
        Store::open_with(Opening { location, node: NodeId::new("n"), on_commit: Box::new(|_| {}) }, steps)
    }

    /// A database that may have so many pages and no more is as full as a disk.
    #[test]
    fn a_full_disk_is_called_so_also_when_the_schema_is_made() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| {
            let path = folder.path().join(name);
            let sqlite = Sqlite::open(&path, Arc::new(Clock::start())).expect("a database");
            (Connection::Sqlite(sqlite), Location::Sqlite(path))
        };
        let (mut connection, location) = at("iris.db");
        if let Connection::Sqlite(sqlite) = &mut connection {
            sqlite.raw().query_row("PRAGMA max_page_count = 3", [], |_| Ok(())).expect("a limit");
        }
        let error = bring_up_to_date(&mut connection, &location, &all()).expect_err("there is no room");
        assert!(matches!(error, StoreError::DiskFull), "{error:?}");
        let wrong = Step { version: 1, name: "wrong", sql: "CREATE NONSENSE;" };
        let (mut connection, location) = at("other.db");
        let error = bring_up_to_date(&mut connection, &location, &[wrong]).expect_err("no SQL").to_string();
        assert!(error.starts_with("the schema could not be brought up to date"), "{error}");
    }

    #[tokio::test]
    async fn an_upgrade_that_is_broken_off_has_changed_nothing() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("iris.db");
        open(&path, &all()).expect("a new database").close().await;
        let more = Step { version: newest() + 1, name: "more", sql: "CREATE TABLE more (id BIGINT NOT NULL);" };
        let wrong = Step { version: newest() + 2, name: "wrong", sql: "CREATE TABLE more (id BIGINT NOT NULL);" };
        let steps = |last: &[Step]| all().into_iter().chain(last.iter().cloned()).collect::<Vec<_>>();
        assert!(open(&path, &steps(&[more.clone(), wrong])).is_err());
        open(&path, &all()).expect("it is as it was").close().await;
        open(&path, &steps(&[more])).expect("the upgrade is done when it can be").close().await;
    }

    #[tokio::test]
    async fn an_upgrade_leaves_a_copy_and_an_older_binary_refuses() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("iris.db");
        open(&path, &all()).expect("a new database").close().await;

        let mut next = all();
        next.push(Step { version: newest() + 1, name: "more", sql: "CREATE TABLE more (id BIGINT NOT NULL);" });
        open(&path, &next).expect("the upgrade").close().await;
        let copy = folder.path().join(format!("iris-before-upgrade-from-{}.db", newest()));
        assert!(copy.exists(), "a copy is made before the upgrade");
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&copy).expect("a copy").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "it is the owner's alone");

        let refused = open(&path, &all()).err().expect("an older binary must refuse");
        let expected = format!("the database has schema {}, this iris knows up to {}", newest() + 1, newest());
        assert_eq!(refused.to_string(), expected);
    }
}
