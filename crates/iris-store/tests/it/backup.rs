//! What PostgreSQL holds, in a copy and back.

use iris_store::{Location, StoreError, backup};

use crate::databases::{Database, new_turn, tell};

/// Every row of every table, in an order that does not depend on where they were kept.
fn rows_of(copy: &std::path::Path) -> Vec<(String, Vec<String>)> {
    let copy = rusqlite::Connection::open(copy).expect("a database");
    let texts = |sql: &str| {
        let mut statement = copy.prepare(sql).expect("a statement");
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| {
            let values = (0..columns).map(|column| row.get::<_, rusqlite::types::Value>(column));
            values.map(|value| value.map(|value| format!("{value:?}"))).collect::<Result<Vec<_>, _>>()
        });
        let mut rows: Vec<_> = rows.expect("rows").map(|row| row.expect("a row").join(" ")).collect();
        rows.sort();
        rows
    };
    let names = texts("SELECT name FROM sqlite_master WHERE type = 'table'");
    let names = names.iter().map(|name| name.trim_start_matches("Text(\"").trim_end_matches("\")"));
    // When the schema was made, the counter of the log and who is alive are of the database that has them.
    let names = names.filter(|name| !["refinery_schema_history", "log", "node"].contains(name));
    names.map(|name| (name.to_owned(), texts(&format!("SELECT * FROM {name}")))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_postgres_holds_is_the_same_after_a_copy_and_back() {
    let (Some(one), Some(other)) = (Database::postgres(), Database::postgres()) else { return };
    let store = one.open_as("n1");
    // More than is written at once, by rows and by bytes.
    for number in 0..300 {
        let mut told = new_turn(&format!("user {}", number % 7), "\u{1f41d} it's \\ \"q\"\n\t");
        (told.body, told.longest_queue) = (format!("{number} {}", "ü".repeat(15_000)), i64::MAX);
        told.key = (number % 2 == 0).then(|| format!("k{number}"));
        tell(&store, told).await;
    }
    store.close().await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let (Location::Postgres(one), Location::Postgres(other)) = (one.location, other.location) else {
        unreachable!("both are")
    };
    let paths = (at("one.db"), at("other.db"), at("unpacked.db"), at("data.db"));
    // A connection waits by itself, which no thread of a runtime may.
    let copied = tokio::task::spawn_blocking(move || {
        let (first, second, unpacked, place) = paths;
        let goes_on = backup::BreakOff::default();
        let broken_off = backup::copy_postgres(&one, &first, &backup::BreakOff::new(true.into()));
        assert!(matches!(broken_off, Err(StoreError::BrokenOff)), "{broken_off:?}");
        assert!(!backup::copy_postgres(&other, &first, &goes_on).expect("it answers"), "nothing is in it yet");
        assert!(backup::copy_postgres(&one, &first, &goes_on).expect("copied"));
        std::fs::copy(&first, &unpacked).expect("copied");
        let done = backup::put_into_postgres(&unpacked, &other, &place, None).expect("put back");
        assert_eq!((done.kept.len(), done.waiting_turns), (0, 300));
        assert!(backup::copy_postgres(&other, &second, &goes_on).expect("copied"));
        (rows_of(&first), rows_of(&second))
    });
    let (before, after) = copied.await.expect("no panic");
    assert_eq!(before.iter().map(|(_, rows)| rows.len()).max(), Some(307), "a session for each of seven");
    for ((table, before), (_, mut after)) in before.into_iter().zip(after) {
        after.retain(|row| !row.contains("daemon.restored"));
        assert!(before == after, "{table}: {} rows, and {}", before.len(), after.len());
    }
}
