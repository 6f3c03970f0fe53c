//! A fresh database of each kind for a test.

use std::sync::Arc;

use iris_core::agent::Usage;
use iris_core::id::{NodeId, Party, SessionId, TurnId};
use iris_core::relay::Voice;
use iris_core::turn::{Ending, TurnOutcome};
use iris_store::turn::{Accept, Accepted, AgentAfter, Finish, NewTurn, Work, accept};
use iris_store::{Location, Opening, Store, lane, turn};

pub struct Database {
    pub location: Location,
    /// Removed with the test.
    pub _folder: Option<tempfile::TempDir>,
}

impl Database {
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { location: Location::Sqlite(folder.path().join("iris.db")), _folder: Some(folder) }
    }

    pub fn postgres() -> Option<Self> {
        let url = iris_testing::postgres::fresh_database()?;
        Some(Self { location: Location::Postgres(url), _folder: None })
    }

    pub fn open_as(&self, node: &str) -> Store {
        self.open_with(node, |_| {})
    }

    pub fn open_with(
        &self,
        node: &str,
        on_commit: impl Fn(&[Arc<iris_core::event::Recorded>]) + Send + Sync + 'static,
    ) -> Store {
        let location = self.location.clone();
        let node = NodeId::new(node);
        let opened =
            std::thread::spawn(move || Store::open(Opening { location, node, on_commit: Box::new(on_commit) }));
        opened.join().expect("opening does not panic").expect("the store opens")
    }
}

/// Runs a test on every database there is.
#[macro_export]
macro_rules! on_both {
    ($name:ident, $test:expr) => {
        mod $name {
            use super::*;

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                ($test)($crate::databases::Database::sqlite()).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                if let Some(database) = $crate::databases::Database::postgres() {
                    ($test)(database).await;
                }
            }
        }
    };
}

pub fn new_turn(from: &str, text: &str) -> NewTurn {
    NewTurn {
        through: None,
        voice: Voice::Answers,
        id: TurnId::new(uuid::Uuid::now_v7().to_string()),
        fresh_session: SessionId::new(uuid::Uuid::new_v4().to_string()),
        from: Party::new(from),
        to: "alpha".parse().expect("a name"),
        body: text.to_owned(),
        key: None,
        delay_ms: None,
        longest_queue: 100,
        cause: None,
        depth: 0,
        origin: None,
        detached: false,
    }
}

pub async fn tell(store: &Store, new: NewTurn) -> Accepted {
    match store.write("turn.accept", move |tx| accept(tx, &new)).await.expect("it is written") {
        Accept::Accepted(accepted) => accepted,
        other => panic!("not accepted: {other:?}"),
    }
}

/// Claims a session and makes its agent ready. Returns the epoch and the first work.
pub async fn serve(store: &Store, session: &SessionId) -> (i64, Option<Work>) {
    let id = session.clone();
    let claim = store.write("claim", move |tx| lane::claim(tx, &id)).await.expect("written").expect("claimed");
    let (id, epoch) = (session.clone(), claim.epoch);
    store.write("process", move |tx| iris_store::session::note_process(tx, &id, epoch, 1)).await.expect("written");
    let id = session.clone();
    let work = store.write("ready", move |tx| turn::ready(tx, &id, epoch, Some(1))).await.expect("written");
    (epoch, work)
}

pub fn completed(work: &Work, response: &str) -> Finish {
    Finish {
        session: work.session.clone(),
        epoch: work.epoch,
        turn: work.turn.clone(),
        messages: vec![(&iris_core::message::Heard::assistant(response)).into()],
        outcome: TurnOutcome { ending: Ending::Completed, response: response.to_owned(), usage: Usage::default() },
        duration_ms: 1,
        agent: AgentAfter::Ready,
        question: None,
        origin: None,
        cancelled_by: None,
    }
}

pub async fn finish(store: &Store, finish: Finish) -> Option<Work> {
    store.write("turn.finish", move |tx| turn::finish(tx, &finish)).await.expect("it is written")
}
