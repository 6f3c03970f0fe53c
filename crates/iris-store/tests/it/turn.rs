use iris_core::id::TurnId;
use iris_core::session::SessionState;
use iris_core::turn::TurnState;
use iris_store::turn::{Accept, CancelWaiting, TurnRow, accept, cancel_waiting};
use iris_store::{Store, StoreError, event, session, timer, turn};

use crate::databases::{Database, completed, finish, new_turn, serve, tell};
use crate::on_both;

async fn row(store: &Store, id: &TurnId) -> TurnRow {
    let id = id.clone();
    store.read(move |tx| turn::find(tx, &id)).await.expect("readable").expect("there")
}

on_both!(a_turn_runs_and_the_next_starts_with_its_end, |database: Database| async move {
    let store = database.open_as("n1");
    let first = tell(&store, new_turn("user", "one")).await;
    assert_eq!((first.position, first.start.is_none()), (0, true), "no agent yet: it waits");
    let second = tell(&store, new_turn("user", "two")).await;
    assert_eq!((second.position, &second.session), (1, &first.session), "one session for the pair");

    let (epoch, work) = serve(&store, &first.session).await;
    let work = work.expect("the first is given to the agent when it is ready");
    assert_eq!((work.body.as_str(), work.epoch), ("one", epoch));

    let next = finish(&store, completed(&work, "1")).await.expect("the second follows at once");
    assert_eq!(next.body, "two");
    assert!(finish(&store, completed(&next, "2")).await.is_none());

    let (one, two) = (row(&store, &first.turn).await, row(&store, &second.turn).await);
    assert_eq!((one.state, one.response.as_deref(), one.attempts), (TurnState::Completed, Some("1"), 1));
    assert_eq!((two.state, two.number), (TurnState::Completed, 2));

    // An idle agent is given the next tell in the transaction that accepts it.
    let third = tell(&store, new_turn("user", "three")).await;
    assert_eq!(third.start.expect("started at once").body, "three");

    let kinds: Vec<_> = store.read(|tx| event::list_after(tx, 0, 100)).await.expect("readable");
    let kinds: Vec<_> = kinds.iter().map(|event| event.kind.as_ref()).collect();
    assert_eq!(
        kinds,
        [
            "session.created",
            "turn.queued",
            "turn.queued",
            "session.spawning",
            "session.ready",
            "turn.started",
            "message",
            "turn.finished",
            "turn.started",
            "message",
            "turn.finished",
            "turn.started",
        ]
    );
    store.close().await;
});

on_both!(a_team_speaks_in_the_deepest_turn_it_works_on_or_ended_lately, |database: Database| async move {
    let store = database.open_as("n1");
    let likely = async |since: i64| {
        let team = new_turn("user", "x").to;
        store.read(move |tx| turn::likely_cause(tx, &team, since)).await.expect("readable")
    };
    assert_eq!(likely(0).await, None);
    let deep = tell(&store, turn::NewTurn { depth: 3, ..new_turn("beta", "deep") }).await;
    assert_eq!(likely(0).await, None, "it has not begun");
    let (_, work) = serve(&store, &deep.session).await;
    let shallow = tell(&store, new_turn("user", "shallow")).await;
    let (_, other) = serve(&store, &shallow.session).await;
    assert_eq!(likely(i64::MAX).await.as_ref(), Some(&deep.turn), "both run");
    finish(&store, completed(&work.expect("given"), "1")).await;
    assert_eq!(likely(0).await.as_ref(), Some(&deep.turn), "it ended lately");
    assert_eq!(likely(i64::MAX).await.as_ref(), Some(&shallow.turn), "it ended long ago");
    finish(&store, completed(&other.expect("given"), "2")).await;
    assert_eq!(likely(i64::MAX).await, None);
    store.close().await;
});

on_both!(a_state_names_the_event_it_came_from, |database: Database| async move {
    let store = database.open_as("n1");
    let told = tell(&store, new_turn("user", "one")).await;
    let (_, work) = serve(&store, &told.session).await;
    let find = |id: iris_core::id::SessionId| store.read(move |tx| session::find(tx, &id));
    let busy = find(told.session.clone()).await.expect("readable").expect("there");
    finish(&store, completed(&work.expect("work"), "1")).await;
    let idle = find(told.session.clone()).await.expect("readable").expect("there");
    for (session, state, kind) in
        [(busy, SessionState::Processing, "turn.started"), (idle, SessionState::Idle, "turn.finished")]
    {
        assert_eq!(session.state, state);
        let seq = session.state_seq;
        let source = store.read(move |tx| event::list_after(tx, seq - 1, 1)).await.expect("readable");
        assert_eq!(source.first().expect("its source is in the log").kind, kind);
    }
});

on_both!(a_repeated_key_makes_one_turn, |database: Database| async move {
    let store = database.open_as("n1");
    let with_key = |text: &str| {
        let mut new = new_turn("user", text);
        new.key = Some("k1".to_owned());
        new
    };
    let first = tell(&store, with_key("one")).await;
    for _ in 0..3 {
        let again = with_key("one");
        match store.write("turn.accept", move |tx| accept(tx, &again)).await.expect("written") {
            Accept::Repeated(earlier) => assert_eq!(earlier.id, first.turn),
            other => panic!("a second turn was made: {other:?}"),
        }
    }
    let other = with_key("something else");
    match store.write("turn.accept", move |tx| accept(tx, &other)).await.expect("written") {
        Accept::KeyTaken { turn } => assert_eq!(turn, first.turn),
        other => panic!("the key was given away twice: {other:?}"),
    }
    let id = first.session.clone();
    let turns = store.read(move |tx| turn::list(tx, &id, 0, 10)).await.expect("readable");
    assert_eq!(turns.len(), 1);
});

on_both!(a_key_is_known_also_after_what_it_stood_for_was_forgotten, |database: Database| async move {
    let store = database.open_as("n1");
    let with_key = |key: &str, text: &str| {
        let mut new = new_turn("user", text);
        new.key = Some(key.to_owned());
        new
    };
    let first = tell(&store, with_key("k1", "one")).await;
    let (_, work) = serve(&store, &first.session).await;
    finish(&store, completed(&work.expect("work"), "1")).await;
    let (id, by) = (first.session.clone(), iris_core::id::Party::new("user"));
    store.write("clear", move |tx| session::clear_cache(tx, &id, &by.clone().into())).await.expect("cleared");
    let accepted = async |new: iris_store::turn::NewTurn| {
        store.write("turn.accept", move |tx| accept(tx, &new)).await.expect("written")
    };
    let again = accepted(with_key("k1", "one")).await;
    assert!(matches!(&again, Accept::Forgotten { turn } if *turn == first.turn), "{again:?}");
    let other = accepted(with_key("k1", "something else")).await;
    assert!(matches!(&other, Accept::KeyTaken { turn } if *turn == first.turn), "{other:?}");
});

on_both!(the_same_key_at_the_same_moment_makes_one_turn, |database: Database| async move {
    let store = database.open_as("n1");
    let mut racing = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let store = store.clone();
        racing.spawn(async move {
            let mut new = new_turn("user", "one");
            new.key = Some("k1".to_owned());
            store.write("turn.accept", move |tx| accept(tx, &new)).await.expect("written")
        });
    }
    let outcomes = racing.join_all().await;
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Accept::Accepted(_))).count(), 1);
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, Accept::Repeated(_))).count(), 19);
});

on_both!(a_full_queue_takes_nothing_and_changes_nothing, |database: Database| async move {
    let store = database.open_as("n1");
    let small = |text: &str| {
        let mut new = new_turn("user", text);
        new.longest_queue = 2;
        new
    };
    tell(&store, small("one")).await;
    tell(&store, small("two")).await;
    let before = store.read(event::newest).await.expect("readable");
    let third = small("three");
    let refused = store.write("turn.accept", move |tx| accept(tx, &third)).await.expect("written");
    assert!(matches!(refused, Accept::QueueFull { waiting: 2 }), "{refused:?}");
    assert_eq!(store.read(event::newest).await.expect("readable"), before);
});

on_both!(a_refused_transaction_does_not_hurt_its_neighbours, |database: Database| async move {
    let store = database.open_as("n1");
    let mut racing = tokio::task::JoinSet::new();
    for number in 0..40 {
        let store = store.clone();
        racing.spawn(async move {
            let new = new_turn(&format!("p{number}"), "hello");
            let written = store.write("turn.accept", move |tx| {
                let accepted = accept(tx, &new)?;
                if number % 4 == 0 { Err(StoreError::Sql("on purpose".to_owned())) } else { Ok(accepted) }
            });
            (number, written.await)
        });
    }
    for (number, written) in racing.join_all().await {
        assert_eq!(written.is_err(), number % 4 == 0, "{number}");
    }
    let sessions = store.read(|tx| session::list(tx, None, "", 100)).await.expect("readable");
    assert_eq!(sessions.len(), 30, "nothing is left of what was refused");
    // No number is missing either: what was refused gave its numbers back.
    let events = store.read(|tx| event::list_after(tx, 0, 1000)).await.expect("readable");
    let expected: Vec<i64> = (1..=i64::try_from(events.len()).expect("few")).collect();
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), expected);
});

on_both!(a_finish_that_is_written_twice_counts_once, |database: Database| async move {
    let store = database.open_as("n1");
    let told = tell(&store, new_turn("user", "one")).await;
    tell(&store, new_turn("user", "two")).await;
    let (_, work) = serve(&store, &told.session).await;
    let work = work.expect("work");
    let next = finish(&store, completed(&work, "1")).await.expect("the second");
    // The answer to the first try was lost, so the runner writes it again.
    let again = finish(&store, completed(&work, "1")).await.expect("still the second");
    assert_eq!(again.turn, next.turn);
    assert_eq!(row(&store, &next.turn).await.attempts, 1, "and it was started once");
});

on_both!(a_scheduled_turn_waits_for_its_time_and_can_be_withdrawn, |database: Database| async move {
    let store = database.open_as("n1");
    let later = |ms: i64| {
        let mut new = new_turn("user", "later");
        new.delay_ms = Some(ms);
        new
    };
    let never = tell(&store, later(3_600_000)).await;
    assert_eq!(row(&store, &never.turn).await.state, TurnState::Scheduled);
    let fired = store.write("timer.fire", |tx| timer::fire_due(tx, 10)).await.expect("written");
    assert!(fired.is_empty(), "nothing is due yet");
    let soon = tell(&store, later(30)).await;
    loop {
        match store.read(timer::next_due_in_ms).await.expect("readable") {
            Some(0) => break,
            Some(ms) => tokio::time::sleep(std::time::Duration::from_millis(ms.unsigned_abs().min(50))).await,
            None => panic!("the timer was lost"),
        }
    }
    let fired = store.write("timer.fire", |tx| timer::fire_due(tx, 10)).await.expect("written");
    assert_eq!(fired, std::slice::from_ref(&soon.session));
    assert_eq!(row(&store, &soon.turn).await.state, TurnState::Queued);

    let id = never.turn.clone();
    let cancelled = store.write("turn.cancel", move |tx| cancel_waiting(tx, &id)).await.expect("written");
    assert_eq!(cancelled, CancelWaiting::Done);
    assert_eq!(store.read(timer::next_due_in_ms).await.expect("readable"), None);
    assert_eq!(row(&store, &never.turn).await.state, TurnState::Cancelled);
});

on_both!(a_waiting_turn_is_withdrawn_and_a_running_one_is_not, |database: Database| async move {
    let store = database.open_as("n1");
    let first = tell(&store, new_turn("user", "one")).await;
    let second = tell(&store, new_turn("user", "two")).await;
    let (_, work) = serve(&store, &first.session).await;
    let cancel = |id: TurnId| store.write("turn.cancel", move |tx| cancel_waiting(tx, &id));
    assert_eq!(cancel(first.turn.clone()).await.expect("written"), CancelWaiting::Running);
    assert_eq!(cancel(second.turn.clone()).await.expect("written"), CancelWaiting::Done);
    assert_eq!(cancel(second.turn.clone()).await.expect("written"), CancelWaiting::Over(TurnState::Cancelled));
    assert_eq!(cancel(TurnId::new("nothing")).await.expect("written"), CancelWaiting::NotFound);
    assert!(finish(&store, completed(&work.expect("work"), "1")).await.is_none(), "what was withdrawn is not run");
});

on_both!(a_transaction_that_panics_takes_nothing_with_it, |database: Database| async move {
    let store = database.open_as("n1");
    tell(&store, new_turn("user", "before")).await;
    let new = new_turn("user", "half done");
    let failed = store
        .write("test.panic", move |tx| {
            accept(tx, &new)?;
            if new.body == "half done" { panic!("on purpose") } else { Ok(()) }
        })
        .await;
    assert!(failed.expect_err("it failed").to_string().contains("panicked"));
    let after = tell(&store, new_turn("user", "after")).await;
    assert_eq!(after.position, 1, "nothing is left of the one that panicked");
});
