use std::sync::{Arc, Mutex};

use iris_store::{event, turn};

use crate::databases::{Database, new_turn, tell};
use crate::on_both;

on_both!(a_reader_that_resumes_by_number_misses_nothing, |database: Database| async move {
    // Two nodes write at once, as they may on PostgreSQL; SQLite has one.
    let stores = match &database.location {
        iris_store::Location::Sqlite(_) => vec![database.open_as("n1")],
        iris_store::Location::Postgres(_) => vec![database.open_as("n1"), database.open_as("n2")],
    };
    let reader = stores[0].clone();
    let mut writers = tokio::task::JoinSet::new();
    for (number, store) in (0..8).map(|number| (number, stores[number % stores.len()].clone())) {
        writers.spawn(async move {
            for _ in 0..40 {
                tell(&store, new_turn(&format!("p{number}"), "hello")).await;
            }
        });
    }
    let mut seen: Vec<i64> = Vec::new();
    let mut done = false;
    loop {
        let after = seen.last().copied().unwrap_or(0);
        let events = reader.read(move |tx| event::list_after(tx, after, 7)).await.expect("readable");
        seen.extend(events.iter().map(|event| event.seq));
        if events.is_empty() && done {
            break;
        }
        done = writers.is_empty();
        while writers.try_join_next().is_some() {}
    }
    let all = reader.read(|tx| event::list_after(tx, 0, 100_000)).await.expect("readable");
    assert_eq!(seen, all.iter().map(|event| event.seq).collect::<Vec<_>>());
    assert_eq!(seen.len(), 8 * 40 + 8, "an event for each tell and each session");
});

on_both!(no_more_is_read_than_the_last_of_enough_bytes, |database: Database| async move {
    let store = database.open_as("n1");
    for message in ["ä", &"x".repeat(100_000), "y", &"z".repeat(100_000)] {
        tell(&store, new_turn("p", message)).await;
    }
    let all = store.read(|tx| event::list_after(tx, 0, 100)).await.expect("readable");
    for (limit, bytes) in [(100, 1), (100, 99_000), (100, 101_000), (100, 1_000_000), (2, 1_000_000)] {
        let mut held = 0;
        let wanted = all.iter().take(limit).take_while(|event| {
            let is_room = held < bytes;
            held += event.body.len();
            is_room
        });
        let limit = i64::try_from(limit).expect("small");
        let some = store.read(move |tx| event::list_some_after(tx, 0, limit, bytes)).await.expect("readable");
        assert!(some.iter().map(|event| event.seq).eq(wanted.map(|event| event.seq)), "{limit} {bytes}");
    }
    let last = all.last().expect("some").seq;
    assert!(store.read(move |tx| event::list_some_after(tx, last, 9, 9)).await.expect("readable").is_empty());
});

on_both!(events_are_announced_after_the_commit_and_in_its_order, |database: Database| async move {
    let announced: Arc<Mutex<Vec<i64>>> = Arc::default();
    let sink = Arc::clone(&announced);
    let store = database.open_with("n1", move |events| {
        sink.lock().expect("not poisoned").extend(events.iter().map(|event| event.seq));
    });
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..10 {
        let store = store.clone();
        let announced = Arc::clone(&announced);
        writers.spawn(async move {
            for _ in 0..10 {
                let told = tell(&store, new_turn(&format!("p{number}"), "hello")).await;
                let seen = announced.lock().expect("not poisoned").contains(&told.seq);
                assert!(seen, "announced before the caller is told");
                let id = told.turn.clone();
                let found = store.read(move |tx| turn::find(tx, &id)).await.expect("readable");
                assert!(found.is_some(), "what is announced can be read");
            }
        });
    }
    writers.join_all().await;
    let announced = announced.lock().expect("not poisoned").clone();
    assert!(announced.is_sorted(), "in commit order");
});
