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
    assert!(matches!(refused, Removal::InUse { .. }), "{refused:?}");
    let missing = store
        .write("delete", |tx| {
            session::delete(tx, &SessionId::new("none"), &Party::new("user").into(), session::Record::Kept)
        })
        .await
        .expect("written");
    assert_eq!(missing, Removal::NotFound);
});

fn stands_in_a_file(database: &Database, words: &str) -> bool {
    let folder = database._folder.as_ref().expect("it is a file").path();
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut texts = files.map(|file| std::fs::read(file.path()).expect("readable"));
    texts.any(|text| text.windows(words.len()).any(|found| found == words.as_bytes()))
}

/// The write-ahead log keeps every page as it was, until it is used again.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_stands_in_no_file_also_after_a_reader_was_in_the_way() {
    const WORDS: &str = "the words that were said";
    let database = Database::sqlite();
    let store = database.open_as("n1");
    let told = tell(&store, new_turn("user", WORDS)).await;
    let (_, work) = serve(&store, &told.session).await;
    finish(&store, completed(&work.expect("work"), "1")).await;
    let (begun, has_begun) = tokio::sync::oneshot::channel();
    let (end, may_end) = std::sync::mpsc::channel::<()>();
    let (other, mut reading) = (store.clone(), tokio::task::JoinSet::new());
    reading.spawn(async move {
        let read = other.read(move |tx| {
            event::newest(tx)?;
            begun.send(()).expect("somebody waits");
            may_end.recv().expect("it is told to end");
            Ok(())
        });
        read.await.expect("read");
    });
    has_begun.await.expect("it reads");
    let id = told.session.clone();
    let clear = move |tx: &mut iris_store::Tx<'_>| session::clear_cache(tx, &id, &Party::new("user").into());
    store.write("clear", clear).await.expect("written");
    store.drop_leftovers().await.expect("nothing failed");
    assert!(stands_in_a_file(&database, WORDS), "somebody reads what there was");
    end.send(()).expect("it reads");
    reading.join_all().await;
    store.forget().await.expect("emptied");
    assert!(!stands_in_a_file(&database, WORDS));

    // The log begins anew, and grows as it did before.
    tell(&store, new_turn("user", "and on")).await;
    assert!(stands_in_a_file(&database, "and on"));
    store.close().await;
    let store = database.open_as("n1");
    let id = told.session.clone();
    let kept = store.read(move |tx| turn::list(tx, &id, 0, 10)).await.expect("readable");
    assert!(kept.iter().any(|turn| turn.body == "and on"), "{kept:?}");
}

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

/// As from a backup, which is unpacked each time: what is put back is used up.
fn put_back(copy: &std::path::Path, place: &std::path::Path) -> Result<backup::PutBack, iris_store::StoreError> {
    let unpacked = copy.with_file_name("unpacked.db");
    std::fs::copy(copy, &unpacked).expect("copied");
    let done = backup::prepare(&unpacked, place)?;
    backup::put_back(&unpacked, place)?;
    Ok(done)
}

#[tokio::test]
async fn a_copy_made_in_use_is_whole_and_a_damaged_one_is_refused() {
    let database = Database::sqlite();
    let store = database.open_as("n1");
    let told = tell(&store, new_turn("user", "one")).await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("copy.db");
    copy_of(&database, &copy);
    assert!(backup::inspect(&copy).expect("whole") > 0, "it says which schema it has");

    let place = folder.path().join("iris.db");
    put_back(&copy, &place).expect("put back");
    let copied = Database { location: iris_store::Location::Sqlite(place.clone()), ..Database::sqlite() };
    let store = copied.open_as("n1");
    let id = told.turn.clone();
    assert!(store.read(move |tx| turn::find(tx, &id)).await.expect("readable").is_some());
    // Put back over a log that went on: its numbers are not given a second time.
    tell(&store, new_turn("user", "two")).await;
    let given = store.read(event::newest).await.expect("readable");
    store.close().await;
    let done = put_back(&copy, &place).expect("put back");
    assert!(done.kept.len() == 1 && done.damage.is_none(), "what was there is kept: {done:?}");
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

fn copy_of(database: &Database, copy: &std::path::Path) {
    let iris_store::Location::Sqlite(source) = &database.location else { unreachable!("it is a file") };
    backup::copy_file(source, copy, &backup::BreakOff::default()).expect("copied");
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A database that is damaged is what a backup is for.
#[tokio::test]
async fn a_copy_takes_the_place_of_a_damaged_database_which_is_kept_as_it_is() {
    let check = async |damage: &dyn Fn(&std::path::Path)| {
        let database = Database::sqlite();
        let iris_store::Location::Sqlite(place) = database.location.clone() else { unreachable!("it is a file") };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let copy = folder.path().join("copy.db");
        let store = database.open_as("n1");
        tell(&store, new_turn("user", "one")).await;
        copy_of(&database, &copy);
        tell(&store, new_turn("user", "two")).await;
        let given = store.read(event::newest).await.expect("readable");
        store.close().await;
        damage(&place);
        let found = std::fs::read(&place).expect("readable");

        let done = put_back(&copy, &place).expect("put back");
        assert!(done.damage.is_some(), "{done:?}");
        assert_eq!(std::fs::read(&done.kept[0]).expect("kept"), found, "as it was found");
        let store = database.open_as("n1");
        let after = store.read(move |tx| event::list_after(tx, given, 10)).await.expect("readable");
        assert_eq!(after.first().map(|event| &*event.kind), Some("daemon.restored"), "{after:?}");
        tell(&store, new_turn("user", "three")).await;
        store.close().await;
    };
    check(&|place| std::fs::write(place, "no database").expect("writable")).await;
    check(&|place| std::fs::write(place, "").expect("writable")).await;
    check(&|place| {
        let bytes = std::fs::read(place).expect("readable");
        std::fs::write(place, &bytes[..bytes.len() / 2]).expect("writable");
    })
    .await;
    check(&|place| {
        let mut bytes = std::fs::read(place).expect("readable");
        bytes[4096..].fill(0x5a);
        std::fs::write(place, bytes).expect("writable");
    })
    .await;
}

/// Nobody can say what was given after the copy was made, again and again.
#[tokio::test]
async fn no_number_is_given_twice_however_often_one_copy_is_put_back() {
    let database = Database::sqlite();
    let iris_store::Location::Sqlite(place) = database.location.clone() else { unreachable!("it is a file") };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("copy.db");
    database.open_as("n1").close().await;
    copy_of(&database, &copy);
    let damage = || std::fs::write(&place, "no database").expect("writable");
    let lose = || std::fs::remove_file(&place).expect("it is there");
    for spoil in [&damage as &dyn Fn(), &damage, &lose, &lose, &damage] {
        let store = database.open_as("n1");
        tell(&store, new_turn("user", "hello")).await;
        let given = store.read(event::newest).await.expect("readable");
        store.close().await;
        spoil();
        put_back(&copy, &place).expect("put back");
        let store = database.open_as("n1");
        let log = store.read(|tx| event::list_after(tx, 0, 10)).await.expect("readable");
        let restored = log.iter().find(|event| &*event.kind == "daemon.restored").expect("it says so");
        assert!(restored.seq > given, "{} after {given}", restored.seq);
        store.close().await;
    }
}

#[tokio::test]
async fn a_copy_that_cannot_be_put_back_leaves_nothing() {
    let database = Database::sqlite();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (copy, place) = (folder.path().join("copy.db"), folder.path().join("data/iris.db"));
    let store = database.open_as("n1");
    copy_of(&database, &copy);
    // Nothing can take the place of a folder that is not empty.
    std::fs::create_dir_all(place.join("full")).expect("a folder");
    assert!(put_back(&copy, &place).is_err());
    assert_eq!(names(&folder.path().join("data")), ["iris.db"]);
    store.close().await;
}

/// Each commit of another connection would make SQLite begin anew.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_made_while_somebody_writes_all_the_time() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let database = Database::sqlite();
    let store = Arc::new(database.open_as("n1"));
    // Several steps of pages, so that commits come in between.
    for number in 0..40 {
        let mut told = new_turn("user", &number.to_string());
        told.body = "x".repeat(500_000);
        tell(&store, told).await;
    }
    let over = Arc::new(AtomicBool::new(false));
    let mut writing = tokio::task::JoinSet::new();
    writing.spawn({
        let (store, over) = (Arc::clone(&store), Arc::clone(&over));
        async move {
            let mut written = 0;
            while !over.load(Ordering::Relaxed) {
                let mut told = new_turn("other", &format!("busy {written}"));
                told.longest_queue = i64::MAX;
                tell(&store, told).await;
                written += 1;
            }
            written
        }
    });
    let folder = tempfile::tempdir().expect("a temporary folder");
    let copy = folder.path().join("copy.db");
    let iris_store::Location::Sqlite(source) = database.location.clone() else { unreachable!("it is a file") };
    let copying = tokio::task::spawn_blocking(move || backup::copy_file(&source, &copy, &backup::BreakOff::default()));
    let copied = tokio::time::timeout(std::time::Duration::from_secs(120), copying).await;
    over.store(true, Ordering::Relaxed);
    copied.expect("it has an end").expect("no panic").expect("copied");
    assert!(writing.join_all().await.iter().all(|written| *written > 0), "and somebody wrote meanwhile");
}
