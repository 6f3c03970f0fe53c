//! The engine: what a daemon has, how it starts and how it ends.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use iris_agents::contain::{Containment, Holds, Instance, Wanted, end_leftovers};
use iris_core::event::{DaemonEvent, Draft, Fact, Subject};
use iris_core::id::SessionId;
use iris_core::team::{OnInterrupted, TeamName};
use iris_store::lane::OwnLanes;
use iris_store::session::SessionRow;
use iris_store::{Location, Opening, Store, StoreError, StoreHealth, event, lane};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::agent::RunnerHandle;
use crate::bus::Bus;
use crate::config::watch::Watched;
use crate::config::{Config, ConfigState, Outside, TeamConfig};
use crate::figures::Traces;
use crate::halt::Halt;
use crate::home::Home;
use crate::pool::PoolHandle;
use crate::question::limited::Limited;
use crate::token::Credentials;
use crate::turn::Waiters;
use crate::turn::circle::Waits;
use crate::turn::follow::Followers;
use crate::{figures, others, pool, tasks, upkeep};

/// The running engine. Cheap to clone; every surface holds one.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    config: ArcSwap<Config>,
    pub watched: Watched,
    pub home: Home,
    pub store: Store,
    pub bus: Arc<Bus>,
    pub waiters: Waiters,
    pub waits: Waits,
    pub followers: Followers,
    pub pool: PoolHandle,
    pub runners: Mutex<HashMap<SessionId, RunnerHandle>>,
    pub closing: AtomicBool,
    /// It ends, and no turn runs any more.
    over: watch::Sender<bool>,
    pub upkeep: upkeep::Nudge,
    pub others: others::Following,
    pub containment: Arc<Containment>,
    pub halt: Halt,
    pub credentials: Credentials,
    pub traces: Traces,
    pub limited: Limited,
    keepers: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Home(#[from] crate::home::HomeError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Clone, Debug)]
pub struct EngineStatus {
    pub store: StoreHealth,
    pub database: &'static str,
    pub node: String,
    pub machine: String,
    pub agents: usize,
    pub max_agents: usize,
    pub waiting_sessions: usize,
    pub head: i64,
    pub containment: Holds,
}

impl Engine {
    /// Opens the store, ends what an earlier daemon left behind, and goes on with what it had accepted.
    pub async fn start(home: Home, config: Config) -> Result<Self, StartError> {
        let bus = Bus::new();
        let location = match &config.database.url {
            Some(url) => Location::Postgres(url.clone()),
            None => Location::Sqlite(home.database()),
        };
        let opening = Opening {
            location,
            node: home.node()?,
            on_commit: Box::new({
                let bus = Arc::clone(&bus);
                move |events| {
                    bus.announce(events);
                    figures::count_questions(events);
                }
            }),
        };
        let opened = tokio::task::spawn_blocking(move || Store::open(opening)).await;
        let store = opened.map_err(|_| StoreError::Closed)??;

        let instance = home.instance().unwrap_or_else(|| Instance::passing(store.node().to_string()));
        let (containment, processes) = contain(instance, config.settings.containment).await;

        let traces = Traces::new(config.telemetry.otlp.is_some());
        let credentials = Credentials::new(&home.token()?);
        let (pool, pool_inbox) = pool::channel();
        let (nudge, nudged) = upkeep::channel();
        let inner = Arc::new(Inner {
            watched: Watched::new(&config),
            config: ArcSwap::from_pointee(config),
            home,
            store,
            bus,
            waiters: Waiters::default(),
            waits: Waits::default(),
            followers: Followers::default(),
            pool,
            runners: Mutex::default(),
            closing: AtomicBool::new(false),
            over: watch::Sender::new(false),
            upkeep: nudge,
            others: others::Following::default(),
            containment,
            halt: Halt::default(),
            credentials,
            traces,
            limited: Limited::default(),
            keepers: Mutex::default(),
        });
        inner.begin(processes).await?;
        inner.load_credentials().await?;
        figures::observe(&inner);
        let keepers = vec![
            tasks::spawn("pool", pool::run(Arc::clone(&inner), pool_inbox)),
            tasks::spawn("upkeep", upkeep::run(Arc::clone(&inner), nudged)),
            tasks::spawn("others", others::run(Arc::clone(&inner))),
            tasks::spawn("config", crate::config::watch::run(Arc::clone(&inner))),
        ];
        *inner.keepers.lock().expect("nothing panics while it holds the keepers") = keepers;
        Ok(Self { inner })
    }

    pub(crate) fn of(inner: &Arc<Inner>) -> Self {
        Self { inner: Arc::clone(inner) }
    }

    /// The config in force now.
    pub fn config(&self) -> Arc<Config> {
        self.inner.config()
    }

    /// What a changed config is looked at with, beside what the engine knows.
    pub fn set_outside(&self, outside: Outside) {
        self.inner.watched.set_outside(outside);
    }

    /// Whether the file says what is in force.
    pub fn config_state(&self) -> ConfigState {
        self.inner.watched.state()
    }

    /// Becomes true when the daemon ends and the last turn is over: nobody hears anything more.
    pub fn over(&self) -> watch::Receiver<bool> {
        self.inner.over.subscribe()
    }

    pub fn home(&self) -> &Home {
        &self.inner.home
    }

    pub fn bus(&self) -> &Arc<Bus> {
        &self.inner.bus
    }

    pub fn store(&self) -> &Store {
        &self.inner.store
    }

    pub fn status(&self) -> EngineStatus {
        let inner = &self.inner;
        EngineStatus {
            store: inner.store.health().borrow().clone(),
            database: match inner.store.location() {
                Location::Sqlite(_) => "sqlite",
                Location::Postgres(_) => "postgres",
            },
            node: inner.store.node().to_string(),
            machine: nix::unistd::gethostname().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            agents: inner.runners().len(),
            max_agents: inner.config().settings.max_processes,
            waiting_sessions: inner.pool.waiting(),
            head: inner.bus.head(),
            containment: inner.containment.holds().clone(),
        }
    }

    /// The order in which everything ends: refuse new work, let turns finish until the grace is over, stop the agents,
    /// stop upkeep, write down that it was done, close the store.
    pub async fn shut_down(self) {
        let inner = self.inner;
        inner.closing.store(true, Ordering::SeqCst);
        // Nobody needs an agent any more that is only starting.
        let _starting = inner.halt.begin();
        crate::agent::stop_all(&inner).await;
        inner.over.send_replace(true);
        inner.pool.close();
        inner.others.close();
        inner.upkeep.close();
        inner.watched.close();
        let keepers = std::mem::take(&mut *inner.keepers.lock().expect("nothing panics while it holds the keepers"));
        for keeper in keepers {
            if keeper.await.is_err() {
                tracing::error!("a keeper of the engine did not end well");
            }
        }
        inner.containment.tidy();
        inner.containment.close();
        let fact = || Fact::Daemon(DaemonEvent::Stopped { version: env!("CARGO_PKG_VERSION").to_owned() });
        let note = inner.store.write("daemon.stopped", move |tx| {
            event::append(tx, &[Draft { subject: Subject::default(), fact: fact() }])
        });
        if let Err(error) = note.await {
            tracing::warn!(%error, "could not write down that the daemon stopped");
        }
        inner.store.clone().close().await;
    }
}

/// Ends what an earlier daemon of this home left running, and finds out how agents can be contained here. In this order:
/// until nothing of the earlier life runs, nothing of it may be run again.
async fn contain(instance: Instance, wanted: Wanted) -> (Arc<Containment>, usize) {
    let found = tokio::task::spawn_blocking(move || {
        let processes = end_leftovers(&instance);
        (Arc::new(Containment::find(&instance, wanted)), processes)
    });
    let (containment, processes) = found.await.expect("looking for processes does not panic");
    if processes > 0 {
        tracing::warn!(processes, "ended what had outlived an earlier daemon");
    }
    match containment.holds() {
        Holds::Cgroup { group } => tracing::info!(group = %group.display(), "agents are contained in cgroups"),
        Holds::Sweep { why } => tracing::info!(why, "agents are contained by marks; cgroups cannot be used"),
    }
    containment.take_in_orphans();
    (containment, processes)
}

impl Inner {
    async fn begin(&self, processes: usize) -> Result<(), StoreError> {
        let head = self.store.read(event::newest).await?;
        self.bus.grown_to(head);
        let policies = self.interruption_policies();
        let mark = self.store.clock().mark();
        let node = self.store.node().to_string();
        let own = OwnLanes::FromEarlierLife { processes: i64::try_from(processes).unwrap_or(i64::MAX) };
        let recovery = self
            .store
            .write("daemon.started", move |tx| {
                let version = env!("CARGO_PKG_VERSION").to_owned();
                let fact = Fact::Daemon(DaemonEvent::Started { version, node: node.clone() });
                event::append(tx, &[Draft { subject: Subject::default(), fact }])?;
                lane::renew(tx, &mark)?;
                lane::recover(tx, own, |session| policy(&policies, &session.to))
            })
            .await?;
        if recovery.sessions > 0 {
            tracing::warn!(
                interrupted = recovery.interrupted,
                requeued = recovery.requeued,
                sessions = recovery.sessions,
                "an earlier daemon ended without stopping its agents; its turns were settled"
            );
        }
        Ok(())
    }

    pub fn interruption_policies(&self) -> HashMap<TeamName, OnInterrupted> {
        self.config().teams.iter().map(|(name, team)| (name.clone(), team.on_interrupted)).collect()
    }

    pub fn config(&self) -> Arc<Config> {
        self.config.load_full()
    }

    pub fn set_config(&self, config: Config) {
        crate::secret::mask(&config);
        self.config.store(Arc::new(config));
    }

    pub fn team(&self, name: &TeamName) -> Option<Arc<TeamConfig>> {
        self.config.load().teams.get(name).cloned()
    }

    /// A session that nothing keeps from working any more.
    pub fn go_on(&self, session: &SessionId) {
        match self.runner(session) {
            Some(runner) => runner.look_again(),
            None => self.pool.want(session),
        }
    }

    /// Whether another node serves a session: the one that its team is bound to, or else the one that has its
    /// conversation.
    pub async fn is_elsewhere(&self, session: &SessionRow) -> Result<bool, StoreError> {
        if !matches!(self.store.location(), Location::Postgres(_)) {
            return Ok(false);
        }
        if let Some(node) = self.team(&session.to).and_then(|team| team.node.clone()) {
            return Ok(!self.is_called(&node));
        }
        let id = session.id.clone();
        self.store.read(move |tx| lane::is_elsewhere(tx, &id)).await
    }

    pub fn is_called(&self, node: &str) -> bool {
        let is_host = || nix::unistd::gethostname().is_ok_and(|host| host.to_str() == Some(node));
        self.store.node().as_str() == node || is_host()
    }

    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    pub fn runners(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, RunnerHandle>> {
        self.runners.lock().expect("nothing panics while it holds the runners")
    }

    pub fn runner(&self, session: &SessionId) -> Option<RunnerHandle> {
        self.runners().get(session).cloned()
    }

    /// Writes until it is written: for what has happened already and must not be forgotten because the disk was full or
    /// the database away for a while. Gives up only when the write can never succeed.
    pub async fn persist<T, F>(&self, name: &'static str, transaction: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnMut(&mut iris_store::Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let shared = Arc::new(Mutex::new(transaction));
        self.until_written(name, || self.store.write(name, once_more(&shared))).await
    }

    /// As `persist`, by another thread: whoever reads what an agent says reads on while it is written down.
    pub async fn persist_apart<T, F>(&self, name: &'static str, transaction: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnMut(&mut iris_store::Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let shared = Arc::new(Mutex::new(transaction));
        self.until_written(name, || self.store.write_apart(name, once_more(&shared))).await
    }

    async fn until_written<T, W>(&self, name: &'static str, write: impl Fn() -> W) -> Result<T, StoreError>
    where
        W: Future<Output = Result<T, StoreError>>,
    {
        let mut pause = std::time::Duration::from_millis(50);
        loop {
            match write().await {
                Err(error) if error.may_pass() => {
                    tracing::warn!(%error, write = name, "cannot write just now; trying again");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(std::time::Duration::from_secs(1));
                }
                result => return result,
            }
        }
    }
}

/// A transaction that may have to be tried again.
fn once_more<T, F>(
    shared: &Arc<Mutex<F>>,
) -> impl FnMut(&mut iris_store::Tx<'_>) -> Result<T, StoreError> + Send + use<T, F>
where
    F: FnMut(&mut iris_store::Tx<'_>) -> Result<T, StoreError> + Send,
{
    let shared = Arc::clone(shared);
    move |tx| {
        let mut transaction = shared.lock().expect("a transaction that panicked is not tried again");
        transaction(tx)
    }
}

pub(crate) fn policy(policies: &HashMap<TeamName, OnInterrupted>, team: &TeamName) -> OnInterrupted {
    policies.get(team).copied().unwrap_or_default()
}
