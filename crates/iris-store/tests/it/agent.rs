//! What real agents need of the store: turns of their own, limits, copies of conversations.

use iris_core::id::{Party, TurnId};
use iris_core::session::SessionState;
use iris_core::turn::TurnState;
use iris_store::session::SessionRow;
use iris_store::turn::Own;
use iris_store::{session, turn};

use crate::databases::{Database, completed, finish, new_turn, serve, tell};
use crate::on_both;

fn fresh_turn() -> TurnId {
    TurnId::new(uuid::Uuid::now_v7().to_string())
}

on_both!(an_agent_s_own_turn_is_one_like_any_other, |database: Database| async move {
    let store = database.open_as("n1");
    let told = tell(&store, turn::NewTurn { depth: 3, ..new_turn("user", "one") }).await;
    let (epoch, work) = serve(&store, &told.session).await;
    finish(&store, completed(&work.expect("work"), "1")).await;

    let (id, own) = (told.session.clone(), fresh_turn());
    let turn_id = own.clone();
    let begun = store.write("own", move |tx| turn::begin_own(tx, &id, epoch, &turn_id, "task")).await.expect("written");
    assert!(matches!(begun, Own::Begun));
    // A tell that comes meanwhile waits behind it.
    let queued = tell(&store, new_turn("user", "two")).await;
    assert_eq!((queued.position, queued.start.is_none()), (1, true));
    let mut end = completed(
        &iris_store::turn::Work {
            turn: own.clone(),
            session: told.session.clone(),
            epoch,
            body: String::new(),
            before: None,
        },
        "own",
    );
    end.duration_ms = 5;
    end.origin = Some("peer".to_owned());
    let next = finish(&store, end).await.expect("the tell follows");
    assert_eq!(next.body, "two");
    let row = store.read(move |tx| turn::find(tx, &own)).await.expect("read").expect("there");
    let expected = (TurnState::Completed, Some("peer"), 2);
    assert_eq!((row.state, row.origin.as_deref(), row.number), expected, "what it says at the end is better known");
    assert_eq!(row.depth, 3, "it is as deep in a chain of tells as what it goes on with");

    // Begun at the same moment as a tell: what the agent says is heard in the tell's turn.
    let (id, other) = (told.session.clone(), fresh_turn());
    let begun = store.write("own", move |tx| turn::begin_own(tx, &id, epoch, &other, "task")).await.expect("written");
    let Own::Told(work) = begun else { panic!("the tell was first") };
    assert_eq!(work.turn, next.turn);
});

on_both!(a_limit_holds_a_session_and_keeps_its_order, |database: Database| async move {
    let store = database.open_as("n1");
    let first = tell(&store, new_turn("user", "one")).await;
    let second = tell(&store, new_turn("user", "two")).await;
    let (epoch, work) = serve(&store, &first.session).await;
    let work = work.expect("the first");
    let (id, held) = (first.session.clone(), work.turn.clone());
    let pause = turn::Pause { delay_ms: 300, why: "limit".to_owned(), ..turn::Pause::default() };
    store.write("pause", move |tx| turn::pause(tx, &id, epoch, &held, &pause)).await.expect("written");

    let id = first.session.clone();
    let next = store.write("next", move |tx| turn::start_next(tx, &id, epoch)).await.expect("written");
    assert!(next.is_none(), "nothing starts while it is held");
    assert!(!store.read(session::any_to_release).await.expect("read"));
    let id = first.session.clone();
    let row = store.read(move |tx| session::find(tx, &id)).await.expect("read").expect("there");
    assert_eq!((row.state, row.queued, row.held_why.as_deref()), (SessionState::Idle, 2, Some("limit")));

    tokio::time::sleep(std::time::Duration::from_millis(350)).await;
    assert!(store.read(session::any_to_release).await.expect("read"));
    let released = store.write("release", session::release_held).await.expect("written");
    assert_eq!(released, std::slice::from_ref(&first.session));
    assert!(store.write("release", session::release_held).await.expect("written").is_empty(), "once");
    let id = first.session.clone();
    let again = store.write("next", move |tx| turn::start_next(tx, &id, epoch)).await.expect("written");
    let again = again.expect("the first, again");
    assert_eq!(again.turn, first.turn, "at its old place");
    let next = finish(&store, completed(&again, "1")).await.expect("the second follows");
    assert_eq!(next.turn, second.turn);
});

on_both!(a_copy_of_a_session_remembers_what_it_is_a_copy_of, |database: Database| async move {
    let store = database.open_as("n1");
    let told = tell(&store, new_turn("user", "one")).await;
    let id = told.session.clone();
    let origin = store.read(move |tx| session::find(tx, &id)).await.expect("read").expect("there");
    let fork = |origin: &SessionRow, party: &str| {
        let (origin, party) = (origin.clone(), Party::new(party));
        let fresh = iris_core::id::SessionId::new(uuid::Uuid::new_v4().to_string());
        store.write("fork", move |tx| session::fork(tx, &origin, &party, &fresh))
    };
    let copy = fork(&origin, "twin").await.expect("written").expect("made");
    assert_eq!((copy.fork_of.as_ref(), copy.begun), (Some(&told.session), false));
    assert!(fork(&origin, "twin").await.expect("written").is_none(), "the pair has a session");
    let second = fork(&copy, "third").await.expect("written").expect("made");
    assert_eq!(second.fork_of, Some(told.session), "a copy that has not begun has nothing of its own yet");
});
