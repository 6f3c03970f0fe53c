//! Notices between nodes. Nothing polls here: a store that hears of another's event has been told.

use iris_store::{Location, Store, Value};
use iris_testing::postgres::server::Server;
use tokio::sync::watch;

use crate::databases::{Database, new_turn, tell};

const LONG: std::time::Duration = std::time::Duration::from_secs(30);

/// The next notice, which must come.
async fn heard(notices: &mut watch::Receiver<u64>) {
    tokio::time::timeout(LONG, notices.changed()).await.expect("a notice").expect("the store is open");
}

/// Takes what else there is to be heard.
async fn settle(notices: &mut watch::Receiver<u64>) {
    while tokio::time::timeout(std::time::Duration::from_millis(300), notices.changed()).await.is_ok() {}
}

/// A node that listens by now: that it does is its first notice, because it may have missed some before.
async fn listening(database: &Database, node: &str) -> (Store, watch::Receiver<u64>) {
    let store = database.open_as(node);
    let mut notices = store.notices();
    heard(&mut notices).await;
    (store, notices)
}

/// Ends every connection that notices go over, and says how many there were.
async fn end_connections(store: &Store) -> i64 {
    let end = |tx: &mut iris_store::Tx<'_>| {
        let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                   WHERE application_name = ?1 AND datname = current_database()";
        Ok(tx.one(sql, &[Value::Text("iris notices")])?.expect("a row").int(0))
    };
    store.read(end).await.expect("ended")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_node_hears_what_another_wrote_and_not_what_it_wrote_itself() {
    let Some(database) = Database::postgres() else { return };
    let (first, mut at_first) = listening(&database, "first").await;
    let (second, mut at_second) = listening(&database, "second").await;
    let before = *at_first.borrow();
    tell(&first, new_turn("user", "one")).await;
    heard(&mut at_second).await;
    tell(&second, new_turn("user", "two")).await;
    heard(&mut at_first).await;
    settle(&mut at_first).await;
    assert_eq!(*at_first.borrow(), before + 1, "of the second's, and not of its own");
    second.close().await;
    first.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_commits_are_few_notices() {
    let Some(database) = Database::postgres() else { return };
    let (first, _) = listening(&database, "first").await;
    let (second, mut at_second) = listening(&database, "second").await;
    let (before, began) = (*at_second.borrow(), std::time::Instant::now());
    for _ in 0..90 {
        tell(&first, new_turn("user", "one")).await;
    }
    first.close().await;
    // One each 10 ms, one when it began and one when it ended.
    let most = u64::try_from(began.elapsed().as_millis()).expect("not that long") / 10 + 2;
    heard(&mut at_second).await;
    let notices = *at_second.borrow() - before;
    assert!((1..=most).contains(&notices), "{notices} notices, at most {most}");
    second.close().await;
}

/// What was left to say when a store is closed is said: the first commit goes out at once, the second waits its turn.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_word_before_the_end_is_passed_on() {
    let Some(database) = Database::postgres() else { return };
    let (second, mut at_second) = listening(&database, "second").await;
    for round in 0..5 {
        let (first, _) = listening(&database, &format!("first-{round}")).await;
        tell(&first, new_turn("user", "one")).await;
        heard(&mut at_second).await;
        tell(&first, new_turn("user", "two")).await;
        first.close().await;
        heard(&mut at_second).await;
    }
    second.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_ended_comes_back_by_itself() {
    let Some(database) = Database::postgres() else { return };
    let (first, mut at_first) = listening(&database, "first").await;
    let (second, mut at_second) = listening(&database, "second").await;
    for _ in 0..3 {
        assert_eq!(end_connections(&first).await, 2);
        // Each listens again, and looks once for what it missed.
        heard(&mut at_first).await;
        heard(&mut at_second).await;
        // Each also says once more what the broken connection may have swallowed.
        settle(&mut at_second).await;
        tell(&first, new_turn("user", "one")).await;
        heard(&mut at_second).await;
    }
    second.close().await;
    first.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_away_is_found_again_and_holds_up_no_end() {
    let Some(server) = Server::new() else { return };
    let database = Database { location: Location::Postgres(server.url()), _folder: None };
    let (first, mut at_first) = listening(&database, "first").await;
    let (second, mut at_second) = listening(&database, "second").await;
    server.stop();
    server.start();
    heard(&mut at_first).await;
    heard(&mut at_second).await;
    settle(&mut at_second).await;
    let write = async || {
        let new = new_turn("user", "one");
        first.write("turn.accept", move |tx| iris_store::turn::accept(tx, &new)).await
    };
    while write().await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    heard(&mut at_second).await;

    server.stop();
    tokio::time::timeout(LONG, second.close()).await.expect("closed without its server");
    server.start();
    first.close().await;
}
