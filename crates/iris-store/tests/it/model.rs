//! Lanes against a model: whatever happens in whatever order, every accepted turn runs in its order, at most once.

use std::collections::VecDeque;

use iris_core::event::StopCause;
use iris_core::id::{SessionId, TurnId};
use iris_core::team::OnInterrupted;
use iris_core::turn::TurnState;
use iris_store::lane::OwnLanes;
use iris_store::turn::{AgentAfter, Work};
use iris_store::{Store, lane, session, turn};
use proptest::prelude::*;

use crate::databases::{Database, completed, finish, new_turn, tell};

#[derive(Clone, Debug)]
enum Step {
    Tell,
    Start,
    Finish,
    AgentDies,
    DaemonDies,
    CancelNewest,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Tell),
        3 => Just(Step::Start),
        4 => Just(Step::Finish),
        1 => Just(Step::AgentDies),
        1 => Just(Step::DaemonDies),
        1 => Just(Step::CancelNewest),
    ]
}

/// What should be true, kept without a database.
#[derive(Default)]
struct Model {
    waiting: VecDeque<TurnId>,
    ran: Vec<TurnId>,
}

struct World {
    database: Database,
    store: Store,
    model: Model,
    session: Option<SessionId>,
    epoch: Option<i64>,
    work: Option<Work>,
}

impl World {
    fn began(&mut self, work: Option<Work>) {
        if let Some(work) = &work {
            let expected = self.model.waiting.pop_front();
            assert_eq!(Some(&work.turn), expected.as_ref(), "the oldest waiting turn runs next");
            assert!(!self.model.ran.contains(&work.turn), "no turn runs twice");
            self.model.ran.push(work.turn.clone());
        }
        self.work = work;
    }

    async fn step(&mut self, step: &Step) {
        match step {
            Step::Tell => {
                let told = tell(&self.store, new_turn("user", "hello")).await;
                self.session = Some(told.session.clone());
                self.model.waiting.push_back(told.turn);
                if told.start.is_some() {
                    assert!(self.work.is_none(), "one turn at a time");
                    self.began(told.start);
                }
            }
            Step::Start => self.start().await,
            Step::Finish => {
                if let Some(work) = self.work.take() {
                    let next = finish(&self.store, completed(&work, "done")).await;
                    self.began(next);
                }
            }
            Step::AgentDies => self.lose_agent().await,
            Step::DaemonDies => self.restart().await,
            Step::CancelNewest => {
                if let Some(newest) = self.model.waiting.pop_back() {
                    let done = self.store.write("cancel", move |tx| turn::cancel_waiting(tx, &newest));
                    assert_eq!(done.await.expect("written"), turn::CancelWaiting::Done);
                }
            }
        }
    }

    async fn start(&mut self) {
        let (Some(session), None) = (self.session.clone(), self.epoch) else { return };
        let id = session.clone();
        let claim = self.store.write("claim", move |tx| lane::claim(tx, &id)).await.expect("written");
        let epoch = claim.expect("nobody else serves it").epoch;
        let ready = self.store.write("ready", move |tx| turn::ready(tx, &session, epoch, None));
        let work = ready.await.expect("written");
        self.epoch = Some(epoch);
        self.began(work);
    }

    async fn lose_agent(&mut self) {
        let (Some(session), Some(epoch)) = (self.session.clone(), self.epoch.take()) else { return };
        if let Some(work) = self.work.take() {
            let mut end = completed(&work, "");
            end.agent = AgentAfter::Ending;
            assert!(finish(&self.store, end).await.is_none(), "a dead agent is given nothing");
        }
        let stop =
            self.store.write("stopped", move |tx| session::stopped(tx, &session, epoch, StopCause::Exited, None, None));
        stop.await.expect("written");
    }

    async fn restart(&mut self) {
        let store = self.database.open_as("n1");
        std::mem::replace(&mut self.store, store).close().await;
        let recover = self.store.write("recover", |tx| {
            lane::recover(tx, OwnLanes::FromEarlierLife { processes: 0 }, |_| OnInterrupted::Stop)
        });
        let recovery = recover.await.expect("written");
        assert_eq!(recovery.interrupted, i64::from(self.work.is_some()));
        (self.epoch, self.work) = (None, None);
    }

    /// Runs what is left, and holds the end against the model.
    async fn run_out(mut self) {
        self.start().await;
        while let Some(work) = self.work.take() {
            let next = finish(&self.store, completed(&work, "done")).await;
            self.began(next);
        }
        assert!(self.model.waiting.is_empty() || self.session.is_none(), "nothing accepted is left behind");
        let Some(session) = self.session.clone() else { return };
        let id = session.clone();
        let turns = self.store.read(move |tx| turn::list(tx, &id, 0, 1000)).await.expect("readable");
        for row in turns {
            assert!(row.state.is_over(), "{row:?}");
            assert_eq!(row.attempts, i64::from(self.model.ran.contains(&row.id)), "{row:?}");
            assert_eq!(row.state == TurnState::Cancelled, row.attempts == 0, "only what never ran was cancelled");
        }
        let row = self.store.read(move |tx| session::find(tx, &session)).await.expect("readable").expect("there");
        assert_eq!((row.queued, row.running), (0, None));
        self.store.close().await;
    }
}

fn run(database: Database, steps: &[Step]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let store = database.open_as("n1");
        let mut world = World { database, store, model: Model::default(), session: None, epoch: None, work: None };
        for step in steps {
            world.step(step).await;
        }
        world.run_out().await;
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lanes_keep_order_on_sqlite(steps in proptest::collection::vec(step(), 1..40)) {
        run(Database::sqlite(), &steps);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lanes_keep_order_on_postgres(steps in proptest::collection::vec(step(), 1..40)) {
        if let Some(database) = Database::postgres() {
            run(database, &steps);
        }
    }
}
