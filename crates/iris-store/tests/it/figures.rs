use iris_core::turn::Ending;
use iris_store::session::{Record, list_processes};
use iris_store::turn::list_ended;
use iris_store::{Store, session, turn};

use crate::databases::{Database, completed, finish, new_turn, serve, tell};
use crate::on_both;

async fn ends(store: &Store, since: i64) -> Vec<(String, f64)> {
    let ends = store.read(move |tx| list_ended(tx, since)).await.expect("readable");
    ends.into_iter().map(|end| (end.how.ending.state().to_string(), end.how.cost_usd)).collect()
}

on_both!(
    how_turns_ended_is_known_however_much_was_said_since_and_when_its_session_is_gone,
    |database: Database| async move {
        let store = database.open_as("n1");
        let first = tell(&store, new_turn("user", "one")).await;
        let (epoch, work) = serve(&store, &first.session).await;
        let work = work.expect("work");
        let mut failed = completed(&work, "1");
        failed.outcome.ending = Ending::Failed { error: "no".to_owned() };
        failed.outcome.usage.cost_usd = 0.25;
        finish(&store, failed).await;
        let processes = store.read(list_processes).await.expect("readable");
        assert_eq!(processes.iter().map(|process| &process.session).collect::<Vec<_>>(), [&first.session]);
        assert!(processes[0].started_at > 0);

        // Another session says more than any window of events would hold.
        let second = tell(&store, new_turn("lee", "talk")).await;
        let (other, talk) = serve(&store, &second.session).await;
        let talk = talk.expect("work");
        let said: Vec<iris_core::event::Said> = vec![(&iris_core::message::Heard::assistant("word")).into(); 1000];
        for _ in 0..21 {
            let (id, turn, said) = (second.session.clone(), talk.turn.clone(), said.clone());
            store.write("record", move |tx| turn::record(tx, &id, other, &turn, &said)).await.expect("written");
        }
        assert_eq!(ends(&store, 0).await, [("failed".to_owned(), 0.25)]);
        assert_eq!(ends(&store, i64::MAX).await, []);

        let id = first.session.clone();
        let stop = move |tx: &mut iris_store::Tx<'_>| {
            let cause = || iris_core::event::StopCause::Asked;
            session::begin_stop(tx, &id, epoch, &[iris_core::session::SessionState::Idle], cause())?;
            session::stopped(tx, &id, epoch, cause(), None, None)?;
            session::delete(tx, &id, &iris_core::id::Party::new("user").into(), Record::Kept)
        };
        store.write("delete", stop).await.expect("written");
        assert_eq!(ends(&store, 0).await.len(), 1, "the log keeps what it came to");
        store.close().await;
    }
);
