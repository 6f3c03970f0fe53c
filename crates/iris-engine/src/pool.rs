//! The pool: gives agents to sessions that have work, within the limits. The rule is `iris_core::pool::admit`; this
//! carries it out.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use iris_core::event::{SessionEvent, StopCause};
use iris_core::id::SessionId;
use iris_core::pool::{Admission, PoolLimits, PoolMember, PoolPhase, WaitReason, admit};
use iris_store::session as sessions;
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use crate::agent::{self, StopMode};
use crate::engine::Inner;

/// How others speak to the pool.
pub struct PoolHandle {
    inbox: mpsc::UnboundedSender<(SessionId, Wanted)>,
    state: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    waiting: AtomicUsize,
    /// How many of them have waited for so long that the next agent that ends a turn makes way.
    overdue: AtomicUsize,
    changed: Notify,
    closed: std::sync::atomic::AtomicBool,
}

pub(crate) struct Inbox {
    wanted: mpsc::UnboundedReceiver<(SessionId, Wanted)>,
    state: Arc<Shared>,
}

/// What an agent is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// Nobody needs it any more once that is withdrawn.
    ForWork,
    /// Somebody asked for the agent itself.
    Awake,
}

pub(crate) fn channel() -> (PoolHandle, Inbox) {
    // Unbounded, but never longer than the sessions there are: the pool takes everything out at once and keeps each
    // session once.
    let (inbox, wanted) = mpsc::unbounded_channel();
    let state = Arc::new(Shared::default());
    (PoolHandle { inbox, state: Arc::clone(&state) }, Inbox { wanted, state })
}

impl PoolHandle {
    /// A session has work.
    pub fn want(&self, session: &SessionId) {
        self.send(session, Wanted::ForWork);
    }

    /// A session is to have an agent, with work or without.
    pub fn wake(&self, session: &SessionId) {
        self.send(session, Wanted::Awake);
    }

    fn send(&self, session: &SessionId, wanted: Wanted) {
        // Only a pool that has ended does not listen, and then nothing is started any more.
        self.inbox.send((session.clone(), wanted)).ok();
    }

    /// An agent became idle or ended: somebody who waits may go on.
    pub fn nudge(&self) {
        if self.waiting() > 0 {
            self.state.changed.notify_one();
        }
    }

    /// How many sessions want an agent and have none yet.
    pub fn waiting(&self) -> usize {
        self.state.waiting.load(Ordering::SeqCst)
    }

    /// Whether an agent of this age that has ended a turn, and could begin its next, is to make way for a session that waits.
    /// As many do as wait.
    pub(crate) fn takes_place(&self, age: Duration) -> bool {
        let take = |overdue: usize| overdue.checked_sub(1).filter(|_| age >= PATIENCE);
        self.state.overdue.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_ok()
    }

    pub(crate) fn close(&self) {
        self.state.closed.store(true, Ordering::SeqCst);
        self.state.changed.notify_one();
    }
}

/// Agents are looked at anew at least this often, should a nudge ever be missed.
const LOOK_ANYWAY: Duration = Duration::from_secs(1);
/// An agent that always has a next turn has its place for so long at least, and so long others wait for one: to start another
/// for each turn takes longer than most turns wait.
const PATIENCE: Duration = Duration::from_secs(5);
const SLOW_START: Duration = Duration::from_secs(3);

struct Pool {
    engine: Arc<Inner>,
    waiting: VecDeque<Waiting>,
    limits: PoolLimits,
}

struct Waiting {
    session: SessionId,
    wanted: Wanted,
    since: Instant,
    /// What the log was last told about this wait.
    told: Option<WaitReason>,
}

pub(crate) async fn run(engine: Arc<Inner>, mut inbox: Inbox) {
    let mut pool = Pool { limits: limits(&engine), engine, waiting: VecDeque::new() };
    loop {
        let wanted = tokio::select! {
            wanted = inbox.wanted.recv() => wanted,
            () = inbox.state.changed.notified() => None,
            () = tokio::time::sleep(LOOK_ANYWAY), if !pool.waiting.is_empty() => None,
        };
        if inbox.state.closed.load(Ordering::SeqCst) {
            return;
        }
        wanted.into_iter().for_each(|(session, wanted)| pool.line_up(session, wanted));
        while let Ok((session, wanted)) = inbox.wanted.try_recv() {
            pool.line_up(session, wanted);
        }
        pool.limits = limits(&pool.engine);
        // Counted before as well, so that an agent that changes meanwhile knows that somebody waits for that.
        inbox.state.waiting.store(pool.waiting.len(), Ordering::SeqCst);
        let overdue = pool.settle().await;
        inbox.state.overdue.store(overdue, Ordering::SeqCst);
        inbox.state.waiting.store(pool.waiting.len(), Ordering::SeqCst);
    }
}

/// As the config says now.
fn limits(engine: &Inner) -> PoolLimits {
    let settings = &engine.config().settings;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    PoolLimits { processes: settings.max_processes, spawning: settings.max_spawning.unwrap_or_else(cores) }
}

impl Pool {
    fn line_up(&mut self, session: SessionId, wanted: Wanted) {
        match self.waiting.iter_mut().find(|waiting| waiting.session == session) {
            Some(waiting) if wanted == Wanted::Awake => waiting.wanted = wanted,
            Some(_) => {}
            None => self.waiting.push_back(Waiting { session, wanted, since: Instant::now(), told: None }),
        }
    }

    /// Gives agents to as many waiting sessions as the limits allow, first come first served. How many of the others have
    /// waited for too long.
    async fn settle(&mut self) -> usize {
        if self.engine.halt.is_on() {
            // Who has work when this is over is found by upkeep.
            self.waiting.clear();
        }
        let with_work = self.find_with_work().await;
        let mut still_waiting: VecDeque<Waiting> = VecDeque::new();
        let mut overdue = 0;
        while let Some(mut next) = self.waiting.pop_front() {
            match admit(&self.members(), self.limits, &next.session, still_waiting.len()) {
                Admission::Reuse => self.remind(&next.session),
                // Its work was withdrawn while it waited: nobody has to go for it, and nothing is to be started.
                _ if next.wanted == Wanted::ForWork
                    && with_work.as_ref().is_some_and(|some| !some.contains(&next.session)) => {}
                Admission::Spawn => agent::start(&self.engine, next.session),
                Admission::Evict(victim) => {
                    self.evict(&victim);
                    self.note(&mut next, WaitReason::PlaceClearing, still_waiting.len()).await;
                    still_waiting.push_back(next);
                }
                Admission::Wait(reason) => {
                    overdue += usize::from(reason == WaitReason::PoolBusy && next.since.elapsed() >= PATIENCE);
                    self.note(&mut next, reason, still_waiting.len()).await;
                    still_waiting.push_back(next);
                }
            }
        }
        self.waiting = still_waiting;
        overdue
    }

    /// The sessions that have work and no agent, if anybody waits. `None` also if they cannot be read just now: then
    /// nobody is sent away.
    async fn find_with_work(&self) -> Option<HashSet<SessionId>> {
        if self.waiting.is_empty() {
            return None;
        }
        let wanting = self.engine.store.read(sessions::list_wanting_agent).await.ok()?;
        Some(wanting.into_iter().map(|session| session.id).collect())
    }

    fn members(&self) -> Vec<PoolMember> {
        let runners = self.engine.runners();
        runners
            .iter()
            .map(|(session, runner)| PoolMember {
                session: session.clone(),
                phase: match runner.phase() {
                    // One that takes so long waits for something itself: it is no burst of work, and holds no other up.
                    PoolPhase::Spawning if runner.age() > SLOW_START => PoolPhase::Busy,
                    phase => phase,
                },
                last_used: runner.last_used(),
            })
            .collect()
    }

    /// The session has an agent; it may have gone idle before the work was queued.
    fn remind(&self, session: &SessionId) {
        if let Some(runner) = self.engine.runner(session) {
            runner.look_again();
        }
    }

    fn evict(&self, victim: &SessionId) {
        if let Some(runner) = self.engine.runner(victim) {
            tracing::info!(session = %victim, "an idle agent makes room for another session");
            runner.ask_to_stop(StopMode::IfIdle, StopCause::Evicted);
        }
    }

    /// The wait is written down once for each reason, so that people can see why nothing happens.
    async fn note(&self, waiting: &mut Waiting, reason: WaitReason, position: usize) {
        if waiting.told == Some(reason) || reason == WaitReason::StartingOthers {
            return;
        }
        waiting.told = Some(reason);
        let session = waiting.session.clone();
        let because = SessionEvent::Waiting { reason, position };
        let written =
            self.engine.store.write("session.waiting", move |tx| sessions::note_waiting(tx, &session, &because)).await;
        if let Err(error) = written {
            tracing::debug!(%error, "a wait could not be written down");
        }
    }
}
