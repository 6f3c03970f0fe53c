use iris_core::event::{DaemonEvent, Draft, Fact, StopCause, Subject};
use iris_core::id::{NodeId, SessionId};
use iris_core::session::SessionState;
use iris_core::team::OnInterrupted;
use iris_core::turn::{Ending, Termination, TurnState};
use iris_store::lane::{OwnLanes, Recovery, branch};
use iris_store::{Store, StoreError, Tx, event, lane, session, turn};

use crate::databases::{Database, completed, finish, new_turn, serve, tell};
use crate::on_both;

async fn recover(store: &Store, own: OwnLanes, policy: OnInterrupted) -> Recovery {
    store.write("recover", move |tx| lane::recover(tx, own, |_| policy)).await.expect("written")
}

on_both!(a_killed_daemon_leaves_its_turn_interrupted_and_the_others_in_order, |database: Database| async move {
    let store = database.open_as("n1");
    let first = tell(&store, new_turn("user", "one")).await;
    tell(&store, new_turn("user", "two")).await;
    tell(&store, new_turn("user", "three")).await;
    let (epoch, work) = serve(&store, &first.session).await;
    let work = work.expect("work");
    let (id, running) = (first.session.clone(), work.turn.clone());
    let said = [(&iris_core::message::Heard::assistant("half")).into()];
    store.write("record", move |tx| turn::record(tx, &id, epoch, &running, &said)).await.expect("written");
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    store.close().await;

    let store = database.open_as("n1");
    let recovery = recover(&store, OwnLanes::FromEarlierLife { processes: 0 }, OnInterrupted::Stop).await;
    assert_eq!((recovery.interrupted, recovery.requeued, recovery.sessions), (1, 0, 1));
    let id = work.turn.clone();
    let ended = store.read(move |tx| turn::find(tx, &id)).await.expect("readable").expect("there");
    assert_eq!(ended.state, TurnState::Terminated);
    assert_eq!(ended.ending, Some(Ending::Terminated { cause: Termination::Interrupted }));
    assert_eq!(ended.response.as_deref(), Some("half"), "what was said is kept");
    let events = store.read(|tx| event::list_after(tx, 0, 100)).await.expect("readable");
    let finished = events.iter().find(|event| event.kind == "turn.finished").expect("it is in the log");
    let finished: serde_json::Value = serde_json::from_str(&finished.body).expect("JSON");
    let took = ended.finished_at.expect("ended") - ended.started_at.expect("started");
    assert!(took >= 20 && finished["durationMs"] == took, "the log and the turn say the same: {finished} {took}");

    let (_, next) = serve(&store, &first.session).await;
    let next = next.expect("the queue goes on");
    assert_eq!(next.body, "two");
    assert_eq!(finish(&store, completed(&next, "2")).await.expect("third").body, "three");
});

on_both!(a_team_may_have_interrupted_turns_run_again, |database: Database| async move {
    let store = database.open_as("n1");
    let first = tell(&store, new_turn("user", "one")).await;
    tell(&store, new_turn("user", "two")).await;
    serve(&store, &first.session).await;
    store.close().await;

    let store = database.open_as("n1");
    let recovery = recover(&store, OwnLanes::FromEarlierLife { processes: 0 }, OnInterrupted::Resume).await;
    assert_eq!((recovery.interrupted, recovery.requeued, recovery.sessions), (0, 1, 1));
    let (_, work) = serve(&store, &first.session).await;
    let work = work.expect("work");
    assert_eq!(work.body, "one", "at its old place, before the second");
    let id = work.turn.clone();
    let row = store.read(move |tx| turn::find(tx, &id)).await.expect("readable").expect("there");
    assert_eq!(row.attempts, 2, "and it says that it may have run twice");
});

async fn renew(store: &Store) -> Vec<lane::Lane> {
    let mark = store.clock().mark();
    store.write("renew", move |tx| lane::renew(tx, &mark)).await.expect("written")
}

on_both!(a_node_that_was_given_up_on_changes_nothing, |database: Database| async move {
    let old = database.open_as("old");
    let told = tell(&old, new_turn("user", "one")).await;
    let (epoch, work) = serve(&old, &told.session).await;
    let work = work.expect("work");

    // The other node does nothing as long as the lease holds.
    let new = database.open_as("new");
    assert_eq!(recover(&new, OwnLanes::Mine, OnInterrupted::Stop).await, Recovery::default());
    let id = told.session.clone();
    assert!(new.write("claim", move |tx| lane::claim(tx, &id)).await.expect("written").is_none());

    assert_eq!(renew(&old).await, [(told.session.clone(), epoch)], "it knows what it serves");

    // The lease runs out: the other node settles the lane and claims it.
    expire_lease(&new, &told.session).await;
    assert_eq!(recover(&new, OwnLanes::Mine, OnInterrupted::Stop).await.interrupted, 1);
    tell(&new, new_turn("user", "two")).await;
    let (later, next) = serve(&new, &told.session).await;
    assert!(later > epoch);
    assert_eq!(renew(&old).await, [], "and what it serves no longer");
    assert_eq!(renew(&new).await, [(told.session.clone(), later)]);

    // Whatever the old node still wants to write is refused.
    let late = completed(&work, "late");
    let refused = old.write("turn.finish", move |tx| turn::finish(tx, &late)).await;
    assert!(matches!(refused, Err(StoreError::Fenced)), "{refused:?}");
    let (id, running) = (told.session.clone(), work.turn.clone());
    let refused = old.write("record", move |tx| turn::record(tx, &id, epoch, &running, &[])).await;
    assert!(matches!(refused, Err(StoreError::Fenced)));
    let id = told.session.clone();
    let refused = old.write("stop", move |tx| session::stopped(tx, &id, epoch, StopCause::Exited, None, None)).await;
    assert!(matches!(refused, Err(StoreError::Fenced)));
    assert!(finish(&new, completed(&next.expect("work"), "2")).await.is_none(), "the new one is not disturbed");
});

async fn expire_lease(store: &Store, id: &iris_core::id::SessionId) {
    let id = id.clone();
    store
        .write("test.expire", move |tx| {
            tx.run(
                "UPDATE session SET lease_until = iris_now() - 1 WHERE id = ?1",
                &[iris_store::Value::Text(id.as_str())],
            )
        })
        .await
        .expect("written");
}

on_both!(a_renewed_lease_holds, |database: Database| async move {
    let store = database.open_as("n1");
    let told = tell(&store, new_turn("user", "one")).await;
    serve(&store, &told.session).await;
    expire_lease(&store, &told.session).await;
    renew(&store).await;
    let other = database.open_as("n2");
    assert_eq!(recover(&other, OwnLanes::Mine, OnInterrupted::Stop).await, Recovery::default());
});

on_both!(an_idle_agent_is_evicted_unless_a_tell_comes_first, |database: Database| async move {
    let store = database.open_as("n1");
    let told = tell(&store, new_turn("user", "one")).await;
    let (epoch, work) = serve(&store, &told.session).await;
    let stop = |id: iris_core::id::SessionId| {
        store.write("stop", move |tx| session::begin_stop(tx, &id, epoch, &[SessionState::Idle], StopCause::Evicted))
    };
    assert!(!stop(told.session.clone()).await.expect("written"), "a busy one stays");
    finish(&store, completed(&work.expect("work"), "1")).await;
    assert!(stop(told.session.clone()).await.expect("written"), "an idle one goes");
    // A tell that comes now waits for the next agent.
    assert!(tell(&store, new_turn("user", "two")).await.start.is_none());
    let id = told.session.clone();
    store
        .write("stopped", move |tx| session::stopped(tx, &id, epoch, StopCause::Evicted, None, None))
        .await
        .expect("written");
    let wanting = store.read(session::list_wanting_agent).await.expect("readable");
    assert_eq!(wanting.len(), 1);
});

on_both!(whoever_broke_down_leaves_no_turn_that_waits_for_ever, |database: Database| async move {
    let store = database.open_as("n1");
    let first = tell(&store, new_turn("user", "one")).await;
    tell(&store, new_turn("user", "two")).await;
    let last = tell(&store, new_turn("user", "three")).await;
    let break_down = async |epoch: Option<i64>| {
        let id = first.session.clone();
        store.write("broken", move |tx| lane::break_down(tx, &id, epoch, "a fault")).await.expect("written")
    };
    let ending = async |id: iris_core::id::TurnId| {
        store.read(move |tx| turn::find(tx, &id)).await.expect("read").expect("there").ending.expect("ended")
    };
    let not_started = Ending::Terminated { cause: Termination::NotStarted { why: "a fault".to_owned() } };

    // Before it had claimed anything, while it started, and at work.
    let broken = break_down(None).await.expect("the first that waited");
    assert_eq!((&broken, ending(broken.clone()).await), (&first.turn, not_started.clone()));
    let id = first.session.clone();
    let claim = store.write("claim", move |tx| lane::claim(tx, &id)).await.expect("written").expect("claimed");
    let broken = break_down(Some(claim.epoch)).await.expect("the second");
    assert_eq!(ending(broken).await, not_started);
    let (epoch, work) = serve(&store, &first.session).await;
    assert_eq!(work.expect("the third").turn, last.turn);
    assert_eq!(break_down(Some(epoch)).await, Some(last.turn.clone()));
    assert_eq!(ending(last.turn).await, Ending::Terminated { cause: Termination::Interrupted });

    let id = first.session.clone();
    let row = store.read(move |tx| session::find(tx, &id)).await.expect("read").expect("there");
    assert_eq!((row.state, row.running, row.queued), (SessionState::Stopped, None, 0));
    assert_eq!(break_down(Some(epoch)).await, None, "a second time changes nothing");
});

/// One has the row of a session and wants a number for its event, the other has had one and wants that row.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_nodes_never_wait_for_each_other() {
    let Some(database) = Database::postgres() else { return };
    let (first, second) = (database.open_as("first"), database.open_as("second"));
    tell(&first, new_turn("user", "one")).await;
    let (row_is_locked, may_begin) = std::sync::mpsc::channel();
    let (has_number, seen) = std::sync::mpsc::channel();
    let append = |tx: &mut iris_store::Tx<'_>| {
        let fact = Fact::Daemon(DaemonEvent::Recovered { interrupted: 0, requeued: 0, sessions: 0, processes: 0 });
        event::append(tx, &[Draft { subject: Subject::default(), fact }])
    };
    let lock_row = |tx: &mut iris_store::Tx<'_>| {
        let new = new_turn("user", "");
        session::find_or_create(tx, &new.from, &new.to, &new.fresh_session)
    };
    let one = first.write("row.first", move |tx| {
        lock_row(tx)?;
        row_is_locked.send(()).ok();
        // In vain, where the other waits until this is done.
        seen.recv_timeout(std::time::Duration::from_millis(500)).ok();
        append(tx)
    });
    let other = async {
        tokio::task::spawn_blocking(move || may_begin.recv().expect("it runs")).await.expect("it runs");
        let number_first = move |tx: &mut iris_store::Tx<'_>| {
            append(tx)?;
            has_number.send(()).ok();
            lock_row(tx)
        };
        second.write("number.first", number_first).await
    };
    let (one, other) = tokio::join!(one, other);
    one.expect("the first is written");
    other.expect("the second is written");
    first.close().await;
    second.close().await;
}

/// A conversation goes from node to node, and back to one that has an old part of it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_gets_a_conversation_back_is_behind_until_it_is_said() {
    let Some(database) = Database::postgres() else { return };
    let nodes = ["n1", "n2", "n3"].map(|name| database.open_as(name));
    let claim = async |store: &Store, id: &SessionId| {
        let id = id.clone();
        store.write("claim", move |tx| lane::claim(tx, &id)).await.expect("written").expect("it is stopped")
    };
    let stop = async |store: &Store, id: &SessionId, epoch: i64| {
        let id = id.clone();
        let stopped = move |tx: &mut Tx<'_>| session::stopped(tx, &id, epoch, StopCause::Asked, None, None);
        store.write("stopped", stopped).await.expect("written")
    };
    // What the turns before have not been told of is not in order within a millisecond.
    let work = async |store: &Store, text: &str| {
        let told = tell(store, new_turn("user", text)).await;
        let (epoch, work) = serve(store, &told.session).await;
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        finish(store, completed(&work.expect("work"), text)).await;
        stop(store, &told.session, epoch).await;
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        told.session
    };
    let go_on = async |store: &Store, id: &SessionId, epoch: i64| {
        let id = id.clone();
        store.write("go on", move |tx| branch::go_on_from_old(tx, &id, epoch)).await.expect("written")
    };
    let [first, second, third] = &nodes;
    let id = work(first, "one").await;
    work(second, "two").await;
    work(third, "three").await;
    tell(first, new_turn("user", "four")).await;
    let claimed = claim(first, &id).await;
    assert!(claimed.is_behind);
    // Its agent could not be started: the next try still says it.
    stop(first, &id, claimed.epoch).await;
    let claimed = claim(first, &id).await;
    let missed = branch::Missed { turns: 2, nodes: vec![NodeId::new("n2"), NodeId::new("n3")] };
    assert!(claimed.is_behind);
    assert_eq!(go_on(first, &id, claimed.epoch).await, Some(missed));
    stop(first, &id, claimed.epoch).await;
    let claimed = claim(first, &id).await;
    assert!(!claimed.is_behind, "it was said");
    stop(first, &id, claimed.epoch).await;
    let claimed = claim(second, &id).await;
    let missed = branch::Missed { turns: 1, nodes: vec![NodeId::new("n3"), NodeId::new("n1")] };
    assert_eq!(go_on(second, &id, claimed.epoch).await, Some(missed));
}
