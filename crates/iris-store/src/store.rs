//! The handle on the database that the rest of Iris holds: open, write, read.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use iris_core::event::Recorded;
use iris_core::id::NodeId;
use tokio::sync::{mpsc, oneshot, watch};

use crate::clock::Clock;
use crate::engine::{Connection, postgres::Postgres, sqlite::Sqlite};
use crate::error::StoreError;
use crate::migrate;
use crate::notice;
use crate::reader::Readers;
use crate::stand_in::StandIn;
use crate::tx::Tx;
use crate::writer::{self, Job, Order, Step, Writer};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    Sqlite(PathBuf),
    Postgres(String),
}

/// Called on the writer's thread after each commit, in commit order, with the events of that commit. It must not block.
pub type OnCommit = Box<dyn Fn(&[Arc<Recorded>]) + Send + Sync>;

pub struct Opening {
    pub location: Location,
    pub node: NodeId,
    pub on_commit: OnCommit,
}

/// Whether things can be written down just now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreHealth {
    Well,
    Troubled { what: String, hint: Option<&'static str>, since_ms: i64 },
}

impl StoreHealth {
    pub(crate) fn troubled(error: &StoreError) -> Self {
        Self::Troubled { what: error.to_string(), hint: error.hint(), since_ms: crate::clock::wall_ms() }
    }
}

#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
    writer: Arc<Mutex<Writer>>,
    jobs: mpsc::Sender<Order>,
    reads: Readers,
    health: watch::Receiver<StoreHealth>,
    heard: watch::Receiver<u64>,
    threads: Arc<Threads>,
    /// Nobody commits on their own thread without it. Nothing on PostgreSQL, where nobody does.
    stand_in: Option<Arc<StandIn>>,
    /// Ends after the writer, of which it tells.
    notices: Arc<Threads>,
}

/// What the store's threads share.
pub(crate) struct Shared {
    pub location: Location,
    pub node: NodeId,
    pub clock: Arc<Clock>,
    pub on_commit: OnCommit,
    health: watch::Sender<StoreHealth>,
    /// How often another node said that it has written.
    heard: watch::Sender<u64>,
    /// Transactions that have been handed to the writer's thread and are not done.
    queued: AtomicUsize,
    /// Until when, in Iris's time, it is better to wait for others than to write alone.
    crowded_until: AtomicI64,
    /// How often a connection was lost and is open again.
    pub losses: AtomicU64,
    /// What was deleted may still stand in the write-ahead log.
    has_leftovers: AtomicBool,
}

const WAITING_WRITES: usize = 4096;
const READERS: usize = 2;
const CROWD_LASTS_MS: i64 = 20;
/// Who reads is mostly done in a moment; a backup may take minutes.
const TRIES_TO_EMPTY: usize = 100;
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

impl Store {
    /// Opens the database, brings its schema up to date (with a backup before) and starts the store's threads.
    pub fn open(opening: Opening) -> Result<Self, StoreError> {
        let location = opening.location.clone();
        Self::open_with(opening, &migrate::all()).map_err(|error| location.explain(error))
    }

    pub(crate) fn open_with(opening: Opening, migrations: &[migrate::Step]) -> Result<Self, StoreError> {
        let (health_sender, health) = watch::channel(StoreHealth::Well);
        let (heard_sender, heard) = watch::channel(0);
        let Opening { location, node, on_commit } = opening;
        let shared = Arc::new(Shared {
            location,
            node,
            clock: Arc::new(Clock::start()),
            on_commit,
            health: health_sender,
            heard: heard_sender,
            queued: AtomicUsize::new(0),
            crowded_until: AtomicI64::new(0),
            losses: AtomicU64::new(0),
            // Those of a daemon that was killed.
            has_leftovers: AtomicBool::new(true),
        });
        let mut connection = shared.connect()?;
        migrate::bring_up_to_date(&mut connection, &shared.location, migrations)?;
        crate::lane::resume_clock(&mut connection, &shared.clock, &shared.node)?;

        let (jobs, waiting) = mpsc::channel(WAITING_WRITES);
        let (notices, listening) = notice::start(&shared)?.unzip();
        let writer = Arc::new(Mutex::new(Writer::new(Arc::clone(&shared), connection, notices)));
        let serving = Arc::clone(&writer);
        let mut threads = vec![spawn("iris-store-writer", move || writer::serve(&serving, waiting))];
        let reads = Readers::start(&shared, READERS, &mut threads)?;
        let (threads, notices) = (Threads::new(threads), Threads::new(listening.into_iter().collect()));
        let stand_in = matches!(shared.location, Location::Sqlite(_)).then(|| Arc::new(StandIn::start()));
        Ok(Self { shared, writer, jobs, reads, health, heard, threads, stand_in, notices })
    }

    /// Runs a transaction and returns when it is on disk. Its events have been announced by then, in commit order.
    ///
    /// `name` is that of the durable step; crash tests kill the daemon before and after it. The transaction may be run
    /// again before it commits, so it must not have effects outside the database.
    pub async fn write<T, F>(&self, name: &'static str, transaction: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let mut transaction = transaction;
        if let Some(result) = self.write_here(name, &mut transaction) {
            return result;
        }
        self.write_apart(name, transaction).await
    }

    /// As `write`, on the writer's thread in any case: for whoever has other things to do meanwhile.
    pub async fn write_apart<T, F>(&self, name: &'static str, transaction: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, result) = oneshot::channel();
        let job = WriteJob { name, transaction, value: None, reply };
        self.shared.queued.fetch_add(1, Ordering::SeqCst);
        self.jobs.send(Order::Run(Box::new(job))).await.map_err(|_| StoreError::Closed)?;
        result.await.map_err(|_| StoreError::Closed)?
    }

    /// When nobody else writes, the caller's own thread does it: that saves waking the writer's thread and being woken by
    /// it. It holds up one thread of the caller's for one commit, and never more than one: whoever comes meanwhile goes to
    /// the writer, which commits them together, and for a while after that everybody does: many that write alone would each
    /// pay for a sync of their own. What would wait for more than the disk goes to the writer, too.
    fn write_here<T, F>(&self, name: &'static str, transaction: &mut F) -> Option<Result<T, StoreError>>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send,
        T: Send,
    {
        let stand_in = self.stand_in.as_ref().filter(|_| self.shared.is_quiet())?;
        let Ok(mut writer) = self.writer.try_lock() else {
            self.shared.note_crowd();
            return None;
        };
        let _watched = stand_in.watch();
        let mut value = None;
        let result = writer.commit_one(name, &mut |tx| {
            value = Some(transaction(tx)?);
            Ok(())
        })?;
        Some(result.and_then(|()| value.ok_or(StoreError::Closed)))
    }

    /// To be called when something was deleted for good: returns when it stands in no file any more. Whoever reads is waited
    /// for, but not for long; what is left then goes with [`Store::drop_leftovers`].
    pub async fn forget(&self) -> Result<(), StoreError> {
        self.shared.has_leftovers.store(true, Ordering::SeqCst);
        for _ in 0..TRIES_TO_EMPTY {
            if self.empty_log().await? {
                break;
            }
            tokio::time::sleep(BETWEEN_TRIES).await;
        }
        Ok(())
    }

    /// Empties the write-ahead log, if something that was deleted may stand in it and nobody is in the way.
    pub async fn drop_leftovers(&self) -> Result<(), StoreError> {
        if self.shared.has_leftovers.load(Ordering::SeqCst) {
            self.empty_log().await?;
        }
        Ok(())
    }

    /// That of PostgreSQL is the server's own.
    async fn empty_log(&self) -> Result<bool, StoreError> {
        if matches!(self.shared.location, Location::Postgres(_)) {
            self.shared.has_leftovers.store(false, Ordering::SeqCst);
            return Ok(true);
        }
        let (writer, shared) = (Arc::clone(&self.writer), Arc::clone(&self.shared));
        let emptying = tokio::task::spawn_blocking(move || {
            let mut writer = writer.lock().expect("a transaction that panics takes the daemon with it");
            // Before: what is deleted from here on is not in what is emptied.
            shared.has_leftovers.store(false, Ordering::SeqCst);
            let emptied = writer.empty_log();
            if !matches!(emptied, Ok(true)) {
                shared.has_leftovers.store(true, Ordering::SeqCst);
            }
            emptied
        });
        emptying.await.map_err(|_| StoreError::Closed)?
    }

    /// Runs a read-only transaction on one of the readers.
    pub async fn read<T, F>(&self, transaction: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        self.reads.read(transaction).await
    }

    pub fn health(&self) -> watch::Receiver<StoreHealth> {
        self.health.clone()
    }

    /// Changes when another node on the same PostgreSQL has written events, or may have while it could not be heard. A
    /// notice may be lost, so whoever waits for one also looks now and then. What was heard before this was asked for
    /// counts as a change. SQLite has no other nodes.
    pub fn notices(&self) -> watch::Receiver<u64> {
        self.heard.clone()
    }

    pub fn location(&self) -> &Location {
        &self.shared.location
    }

    pub fn node(&self) -> &NodeId {
        &self.shared.node
    }

    pub fn clock(&self) -> &Clock {
        &self.shared.clock
    }

    /// Waits until everything that was handed in is on disk, and closes the database. Whoever still holds the store is
    /// told that it is closed.
    pub async fn close(self) {
        // A thread that has ended does not listen, and has nothing left to end.
        self.jobs.send(Order::Close).await.ok();
        self.reads.close(READERS).await;
        let joined = tokio::task::spawn_blocking(move || {
            self.threads.join();
            if let Ok(mut writer) = self.writer.lock() {
                writer.close();
            }
            self.notices.join();
        });
        if joined.await.is_err() {
            tracing::error!("a thread of the store panicked");
        }
    }
}

impl Location {
    /// SQLite says of some writes only that they failed, and not that there was no room for them or that this user may not.
    fn explain(&self, error: StoreError) -> StoreError {
        match (self, error) {
            (Self::Sqlite(path), StoreError::Io(why)) => StoreError::of_file(path, why),
            (_, error) => error,
        }
    }
}

impl Shared {
    pub fn connect(&self) -> Result<Connection, StoreError> {
        Ok(match &self.location {
            Location::Sqlite(path) => Connection::Sqlite(Sqlite::open(path, Arc::clone(&self.clock))?),
            Location::Postgres(url) => Connection::Postgres(Box::new(Postgres::open(url)?)),
        })
    }

    pub fn explained(&self, error: StoreError) -> StoreError {
        self.location.explain(error)
    }

    /// Whether nobody else writes or has just written.
    fn is_quiet(&self) -> bool {
        self.queued.load(Ordering::SeqCst) == 0 && self.clock.iris_ms() >= self.crowded_until.load(Ordering::SeqCst)
    }

    /// Several wanted to write at once.
    pub fn note_crowd(&self) {
        self.crowded_until.store(self.clock.iris_ms() + CROWD_LASTS_MS, Ordering::SeqCst);
    }

    pub fn done(&self, transactions: usize) {
        self.queued.fetch_sub(transactions, Ordering::SeqCst);
    }

    pub fn set_health(&self, next: StoreHealth) {
        self.health.send_if_modified(|health| match (&*health, &next) {
            (StoreHealth::Well, StoreHealth::Well) => false,
            (StoreHealth::Troubled { what: old, .. }, StoreHealth::Troubled { what: new, .. }) if old == new => false,
            _ => {
                *health = next;
                true
            }
        });
    }

    /// Another node has written.
    pub fn note_heard(&self) {
        self.heard.send_modify(|count| *count += 1);
    }
}

struct Threads(std::sync::Mutex<Vec<JoinHandle<()>>>);

impl Threads {
    fn new(threads: Vec<JoinHandle<()>>) -> Arc<Self> {
        Arc::new(Self(std::sync::Mutex::new(threads)))
    }

    fn join(&self) {
        let threads = std::mem::take(&mut *self.0.lock().expect("nothing panics while it holds the threads"));
        for thread in threads {
            if thread.join().is_err() {
                tracing::error!("a thread of the store panicked");
            }
        }
    }
}

pub(crate) fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(body).expect("a thread can be started at start-up")
}

struct WriteJob<T, F> {
    name: &'static str,
    transaction: F,
    value: Option<T>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Step for WriteJob<T, F>
where
    F: FnMut(&mut Tx<'_>) -> Result<T, StoreError>,
{
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        self.value = Some((self.transaction)(tx)?);
        Ok(())
    }
}

impl<T, F> Job for WriteJob<T, F>
where
    T: Send,
    F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send,
{
    fn done(self: Box<Self>, result: Result<(), StoreError>) {
        let Self { value, reply, .. } = *self;
        let answer = result.and_then(|()| value.ok_or(StoreError::Closed));
        if reply.send(answer).is_err() {
            tracing::trace!("the caller of a write has gone; what it wrote stands");
        }
    }
}
