use iris_core::id::{Party, SessionId};
use iris_store::session::Removal;
use iris_store::{backup, event, session, turn};

use crate::databases::{Database, completed, finish, new_turn, serve, tell};
use crate::on_both;

on_both!(forgetting_takes_what_is_over_and_nothing_else, |database: Database| async move {
    let store = database.open_as("n1");
    let first = tell(&store, new_turn("user", "one")).await;
    tell(&store, new_turn("user", "two")).await;
    let (_, work) = serve(&store, &first.session).await;
    finish(&store, completed(&work.expect("work"), "1")).await.expect("the second runs");

    let id = first.session.clone();
    let cleared = store
        .write("clear", move |tx| session::clear_cache(tx, &id, &Party::new("user").into()))
        .await
        .expect("written");
    assert_eq!(cleared, Removal::Done { turns: 1 });
    let id = first.session.clone();
    assert_eq!(store.read(move |tx| turn::list(tx, &id, 0, 10)).await.expect("readable").len(), 1);
    let id = first.turn.clone();
    assert!(store.read(move |tx| event::list_messages(tx, &id, 0, 10)).await.expect("readable").is_empty());

    let id = first.session.clone();
    let refused = store
        .write("delete", move |tx| session::delete(tx, &id, &Party::new("user").into(), session::Record::Kept))
        .await
        .expect("written");
    assert_eq!(refused, Removal::InUse);
    let missing = store
        .write("delete", |tx| {
            session::delete(tx, &SessionId::new("none"), &Party::new("user").into(), session::Record::Kept)
        })
        .await
        .expect("written");
    assert_eq!(missing, Removal::NotFound);
});

on_both!(sessions_are_listed_in_pages, |database: Database| async move {
    let store = database.open_as("n1");
    for number in 0..25 {
        tell(&store, new_turn(&format!("p{number}"), "hello")).await;
    }
    let mut seen: Vec<String> = Vec::new();
    loop {
        let after = seen.last().cloned().unwrap_or_default();
        let page = store.read(move |tx| session::list(tx, None, &after, 10)).await.expect("readable");
        if page.is_empty() {
            break;
        }
        seen.extend(page.iter().map(|session| session.id.to_string()));
    }
    assert_eq!(seen.len(), 25);
    assert!(seen.is_sorted());
});

#[tokio::test]
async fn a_copy_made_in_use_is_whole_and_a_damaged_one_is_refused() {
    let database = Database::sqlite();
    let store = database.open_as("n1");
    let told = tell(&store, new_turn("user", "one")).await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("copy.db");
    store.copy_to(copy.clone()).await.expect("copied");
    assert!(backup::inspect(&copy).expect("whole") > 0, "it says which schema it has");

    let place = folder.path().join("iris.db");
    backup::put_back(&copy, &place).expect("put back");
    let copied = Database { location: iris_store::Location::Sqlite(place.clone()), ..Database::sqlite() };
    let store = copied.open_as("n1");
    let id = told.turn.clone();
    assert!(store.read(move |tx| turn::find(tx, &id)).await.expect("readable").is_some());
    // Put back over a log that went on: its numbers are not given a second time.
    tell(&store, new_turn("user", "two")).await;
    let given = store.read(event::newest).await.expect("readable");
    store.close().await;
    assert!(backup::put_back(&copy, &place).expect("put back").is_some(), "what was there is kept");
    let store = copied.open_as("n1");
    let after = store.read(move |tx| event::list_after(tx, given, 10)).await.expect("readable");
    assert_eq!(after.first().map(|event| &*event.kind), Some("daemon.restored"), "{after:?}");
    tell(&store, new_turn("user", "three")).await;
    assert!(store.read(event::newest).await.expect("readable") > given + 1);
    store.close().await;

    let mut bytes = std::fs::read(&copy).expect("readable");
    // The head of the third page.
    bytes[2 * 4096..2 * 4096 + 100].fill(0x5a);
    std::fs::write(&copy, bytes).expect("writable");
    let error = backup::inspect(&copy).expect_err("a damaged copy must be refused");
    assert!(error.to_string().contains("is damaged"), "{error}");
}
