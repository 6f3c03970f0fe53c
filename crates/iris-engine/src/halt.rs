//! The kill switch: every agent is ended, what waits is withdrawn, and nothing starts again by itself.

use std::sync::Arc;
use std::time::Duration;

use iris_core::actor::Actor;
use iris_core::event::{DaemonEvent, Draft, Fact, StopCause, Subject};
use iris_core::fault::FaultKind;
use iris_core::id::TurnId;
use iris_store::{StoreError, Tx, event, job, question, turn};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::agent::StopMode;
use crate::engine::{Engine, Inner};
use crate::tasks;

/// Whether everything is being stopped just now. While it is, no agent is started.
#[derive(Debug, Default)]
pub(crate) struct Halt(watch::Sender<usize>);

/// What a stop of everything ended.
#[derive(Clone, Debug, Default)]
pub struct Halted {
    pub agents: usize,
    /// Turns that waited, now or for their time, and were withdrawn.
    pub withdrawn: Vec<TurnId>,
}

/// Everything was stopped, and the database did not take part.
#[derive(Debug, thiserror::Error)]
pub enum HaltError {
    #[error("{}; turns that wait are not withdrawn yet: {source}", ended(*agents))]
    NotWritten { agents: usize, source: StoreError },
    #[error("what stops everything broke down; its log says why")]
    Broken,
}

impl HaltError {
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::NotWritten { source, .. } => source.kind(),
            Self::Broken => FaultKind::Internal,
        }
    }

    pub fn hint(&self) -> &'static str {
        "nothing is started until they are, which Iris does by itself once the database can be written"
    }
}

fn ended(agents: usize) -> String {
    match agents {
        0 => "no agent was awake".to_owned(),
        1 => "1 agent was ended".to_owned(),
        count => format!("{count} agents were ended"),
    }
}

/// How long agents may take to end by the usual steps. Then whatever is left is killed, whether or not that can be
/// written down.
const LADDER_LIMIT: Duration = Duration::from_millis(7_500);
const WITHDRAW_LIMIT: Duration = Duration::from_secs(1);
const WITHDRAWN_AT_ONCE: i64 = 500;
const AGAIN: Duration = Duration::from_millis(250);
/// Why what waited was withdrawn.
const STOPPED: &str = "everything was stopped";

impl Halt {
    pub fn is_on(&self) -> bool {
        *self.0.borrow() > 0
    }

    /// Returns as soon as everything is being stopped.
    pub async fn asked(&self) {
        if self.0.subscribe().wait_for(|count| *count > 0).await.is_err() {
            std::future::pending().await
        }
    }

    pub(crate) fn begin(&self) -> Switch<'_> {
        self.0.send_modify(|count| *count += 1);
        Switch(self)
    }
}

/// The switch is on until this is dropped.
pub(crate) struct Switch<'a>(&'a Halt);

impl Drop for Switch<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

impl Engine {
    /// Ends every agent of this daemon within ten seconds. The turns they run are terminated, the turns that wait are
    /// withdrawn: somebody who stops everything does not want it to start again behind their back.
    ///
    /// The order: nothing is started any more, nothing waits any more, the agents go all at once, and what they asked
    /// for while they went is withdrawn too. Agents go also if the database cannot be written; then the error says how
    /// many did, and what waits is withdrawn as soon as that can be written.
    pub async fn stop_everything(&self, by: &Actor) -> Result<Halted, HaltError> {
        let (inner, by) = (Arc::clone(&self.inner), by.clone());
        let (reply, stopped) = oneshot::channel();
        // A task of its own: it goes on though whoever asked for it goes away.
        drop(tasks::spawn("halt", async move { halt(&inner, by, reply).await }));
        stopped.await.map_err(|_| HaltError::Broken)?
    }
}

/// Nothing is started before all that waited was withdrawn, however long the database is away.
async fn halt(inner: &Arc<Inner>, by: Actor, reply: oneshot::Sender<Result<Halted, HaltError>>) {
    let _on = inner.halt.begin();
    tracing::warn!("everything is stopped");
    let first = withdraw(inner, &by).await.unwrap_or_default();
    let agents = end_agents(inner).await;
    match withdraw_rest(inner, by.clone(), agents, first).await {
        Ok(withdrawn) => drop(reply.send(Ok(Halted { agents, withdrawn }))),
        Err(source) => {
            reply.send(Err(HaltError::NotWritten { agents, source })).ok();
            while !inner.is_closing() && withdraw_rest(inner, by.clone(), agents, Vec::new()).await.is_err() {
                tokio::time::sleep(AGAIN).await;
            }
        }
    }
}

/// What the agents asked for while they went, and that it was done.
async fn withdraw_rest(
    inner: &Inner,
    by: Actor,
    agents: usize,
    mut withdrawn: Vec<TurnId>,
) -> Result<Vec<TurnId>, StoreError> {
    // What was asked would start its agent again when somebody answers.
    let who = by.clone();
    let cancel = inner.store.write("question.withdraw", move |tx| {
        job::stop_waiting(tx, &who, STOPPED)?;
        question::cancel_all(tx, &who, STOPPED)
    });
    timeout(WITHDRAW_LIMIT, cancel).await.map_err(|_| no_answer())??;
    withdrawn.extend(withdraw(inner, &by).await?);
    let halted = DaemonEvent::Halted { by, agents, withdrawn: withdrawn.len() };
    let note = inner.store.write("daemon.halt", move |tx| append(tx, &halted));
    timeout(WITHDRAW_LIMIT, note).await.map_err(|_| no_answer())??;
    Ok(withdrawn)
}

async fn end_agents(inner: &Arc<Inner>) -> usize {
    let mut stopping = JoinSet::new();
    let runners: Vec<_> = inner.runners().values().cloned().collect();
    for runner in runners {
        stopping.spawn(async move { runner.stop(StopMode::Now, StopCause::Asked).await });
    }
    let agents = stopping.len();
    let ended = async { while stopping.join_next().await.is_some() {} };
    let engine = Engine::of(inner);
    let why = tokio::select! {
        () = ended => return agents,
        // An agent goes by the usual steps when that is written down, for which there is no use in waiting then.
        what = engine.trouble() => what,
        () = tokio::time::sleep(LADDER_LIMIT) => "they did not end in time".to_owned(),
    };
    let containment = Arc::clone(&inner.containment);
    let killed = tokio::task::spawn_blocking(move || containment.end_everything()).await.unwrap_or_default();
    tracing::error!(processes = killed, why, "agents were killed");
    agents
}

async fn withdraw(inner: &Inner, by: &Actor) -> Result<Vec<TurnId>, StoreError> {
    let mut withdrawn = Vec::new();
    loop {
        let who = by.clone();
        let write = inner.store.write("turn.withdraw", move |tx| {
            // First: without what they wait for, jobs would look finished.
            job::stop_waiting(tx, &who, STOPPED)?;
            turn::cancel_all_waiting(tx, WITHDRAWN_AT_ONCE)
        });
        let some = timeout(WITHDRAW_LIMIT, write).await.map_err(|_| no_answer())??;
        some.iter().for_each(|turn| inner.waiters.look(turn));
        let more = i64::try_from(some.len()) == Ok(WITHDRAWN_AT_ONCE);
        withdrawn.extend(some);
        if !more {
            return Ok(withdrawn);
        }
    }
}

fn append(tx: &mut Tx<'_>, halted: &DaemonEvent) -> Result<(), StoreError> {
    event::append(tx, &[Draft { subject: Subject::default(), fact: Fact::Daemon(halted.clone()) }]).map(drop)
}

fn no_answer() -> StoreError {
    StoreError::Unavailable(format!("not within {} s", WITHDRAW_LIMIT.as_secs()))
}
