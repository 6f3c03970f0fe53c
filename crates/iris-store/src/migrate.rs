//! The schema, forward only. Before a step changes an existing database it is copied aside: the file of SQLite beside it, the
//! tables of PostgreSQL into a schema beside theirs. An older binary refuses a newer database and touches nothing.

use refinery::{Migration, Runner};

use crate::backup;
use crate::engine::Connection;
use crate::engine::postgres::Postgres;
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
        Step { version: 10, name: "begun", sql: include_str!("../migrations/0010_begun.sql") },
        Step { version: 11, name: "branches", sql: include_str!("../migrations/0011_branches.sql") },
    ]
}

/// The table in which the steps that were made are written down.
pub(crate) const HISTORY: &str = "refinery_schema_history";

/// Any number: it only has to be the same for every Iris.
pub(crate) const MIGRATION_LOCK: i64 = 1_615_001;

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
        if found > 0 {
            let copy = copy_before_upgrade(connection, location, steps, found)?;
            tracing::info!(backup = copy, from = found, to = known, "copied the database before upgrading it");
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

/// Where the copy is.
fn copy_before_upgrade(
    connection: &mut Connection,
    location: &Location,
    steps: &[Step],
    found: u32,
) -> Result<String, StoreError> {
    match (connection, location) {
        (Connection::Sqlite(sqlite), Location::Sqlite(path)) => {
            let copy = path.with_file_name(format!("iris-before-upgrade-from-{found}.db"));
            // A copy that is broken off never takes the place of a whole one.
            let unfinished = copy.with_extension("db.unfinished");
            backup::copy_sqlite(sqlite.raw(), &unfinished, &backup::BreakOff::default())?;
            std::fs::rename(&unfinished, &copy)?;
            Ok(copy.display().to_string())
        }
        (Connection::Postgres(postgres), _) => copy_tables(postgres, steps, found).map_err(|error| match error {
            StoreError::Sql(what) => StoreError::Sql(format!(
                "the schema is not brought up to date, since no copy could be made before ({what}); the user of \
                 database.url needs the right to make one: GRANT CREATE ON DATABASE … TO …"
            )),
            other => other,
        }),
        (Connection::Sqlite(_), Location::Postgres(_)) => Err(StoreError::Closed),
    }
}

/// The tables as they are at one moment, with their keys and indexes, in a schema beside theirs. An older copy goes: each is
/// as large as the database.
fn copy_tables(postgres: &mut Postgres, steps: &[Step], found: u32) -> Result<String, StoreError> {
    let own = postgres.many("SELECT CAST(current_schema() AS TEXT)", &[])?;
    let own = own.first().map(|row| row.text(0).to_owned()).unwrap_or_default();
    let prefix = format!("iris_{own}_before_upgrade_from_");
    let mut copying = "BEGIN ISOLATION LEVEL REPEATABLE READ;".to_owned();
    for row in postgres.many("SELECT CAST(nspname AS TEXT) FROM pg_namespace ORDER BY nspname", &[])? {
        if row.text(0).starts_with(&prefix) {
            copying += &format!("DROP SCHEMA {} CASCADE;", quoted(row.text(0)));
        }
    }
    let copy = format!("{prefix}{found}");
    copying += &format!("CREATE SCHEMA {};", quoted(&copy));
    for table in tables(steps, found) {
        let (from, to) = (format!("{}.{table}", quoted(&own)), format!("{}.{table}", quoted(&copy)));
        copying += &format!("CREATE TABLE {to} (LIKE {from} INCLUDING ALL);INSERT INTO {to} SELECT * FROM {from};");
    }
    let copied = postgres.plain(&(copying + "COMMIT"));
    if copied.is_err() {
        // The connection may be gone, and then so is the transaction.
        postgres.rollback().ok();
    }
    copied.map(|()| copy)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The tables that the steps up to a version have made, and the one that says so.
pub(crate) fn tables(steps: &[Step], found: u32) -> Vec<&'static str> {
    let made = steps.iter().filter(|step| step.version <= found).flat_map(|step| step.sql.lines());
    let names = made.filter_map(|line| line.strip_prefix("CREATE TABLE ")?.split([' ', '(']).next());
    names.chain([HISTORY]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::engine::sqlite::Sqlite;
    use crate::store::{Opening, Store};
    use iris_core::id::NodeId;
    use std::path::Path;
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

    #[test]
    fn every_table_is_found_in_the_steps() {
        let known = ["log", "event", "session", "turn", "timer", "question", "token", "reply", "job", "rule"];
        let found = tables(&all(), newest());
        assert!(known.iter().all(|table| found.contains(table)), "{found:?}");
        let written = all().iter().map(|step| step.sql.matches("CREATE TABLE").count()).sum::<usize>();
        assert_eq!(found.len(), written + 1, "{found:?}");
    }

    #[tokio::test]
    async fn an_upgrade_of_postgres_leaves_a_copy_beside_it_and_drops_the_one_before() {
        let Some(url) = iris_testing::postgres::fresh_database() else { return };
        let open = async |steps: Vec<Step>| {
            let location = Location::Postgres(url.clone());
            let opening = Opening { location, node: NodeId::new("n"), on_commit: Box::new(|_| {}) };
            // A connection waits by itself, which no thread of a runtime may.
            let opened = std::thread::spawn(move || Store::open_with(opening, &steps)).join().expect("no panic");
            opened.expect("the store opens").close().await;
        };
        let ask = |sql: String| {
            let url = url.clone();
            let asked = std::thread::spawn(move || Postgres::open(&url).expect("it answers").plain(&sql));
            asked.join().expect("no panic")
        };
        let more =
            |more: u32| Step { version: newest() + more, name: "more", sql: "ALTER TABLE turn ADD COLUMN x BIGINT;" };
        let copy = |version: u32| format!("iris_public_before_upgrade_from_{version}");
        let last = Step { sql: "ALTER TABLE turn DROP COLUMN x;", ..more(2) };
        open(all()).await;
        ask("INSERT INTO reply (credential, key, request, begun_at) VALUES ('a', 'b', 'c', 1)".to_owned())
            .expect("a row");
        let steps: Vec<_> = all().into_iter().chain([more(1)]).collect();
        open(steps.clone()).await;
        let first = copy(newest());
        let is_there = format!("DO $$ BEGIN ASSERT (SELECT count(*) FROM {first}.reply WHERE key = 'b') = 1; END $$");
        ask(is_there).expect("what was there is in the copy");
        ask(format!("SELECT x FROM {first}.turn")).expect_err("as it was before the upgrade");
        let again = format!("INSERT INTO {first}.reply (credential, key, request, begun_at) VALUES ('a', 'b', 'c', 1)");
        ask(again).expect_err("with its keys");
        open(steps.clone().into_iter().chain([last.clone()]).collect()).await;
        ask(format!("SELECT x FROM {}.turn", copy(newest() + 1))).expect("the next one");
        ask(format!("SELECT id FROM {first}.turn")).expect_err("one copy is enough");
        // As the manual says, back to the one before.
        let manual = include_str!("../../../docs/how-to/back-up-and-restore.md");
        let sql = manual.split("```sql").nth(1).and_then(|rest| rest.split("```").next()).expect("statements");
        ask(sql.replace("iris_public_before_upgrade_from_8", &copy(newest() + 1))).expect("put back");
        ask("SELECT x FROM turn".to_owned()).expect("as it was before the second upgrade");
        open(steps.clone()).await;
        open(steps.into_iter().chain([last]).collect()).await;
    }
}
