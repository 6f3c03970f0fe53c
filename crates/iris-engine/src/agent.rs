//! The agents of this daemon: one task per live agent, and the handles others hold on them.

mod ask;
mod between;
mod call;
mod clock;
mod found;
mod gap;
mod give_back;
mod record;
mod renew;
mod run;
mod start;
mod turn;

use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use iris_core::actor::Actor;
use iris_core::agent::ToolAnswer;
use iris_core::event::StopCause;
use iris_core::id::{SessionId, TurnId};
use iris_core::pool::PoolPhase;
use iris_core::team::TeamName;
use iris_core::turn::Turn;
use iris_store::question::QuestionRow;
use iris_store::turn::Work;
use tokio::sync::{mpsc, oneshot};

use crate::engine::Inner;

pub(crate) use start::start;

/// A handle on a live agent: verbs, never its channel.
#[derive(Clone)]
pub(crate) struct RunnerHandle {
    inbox: mpsc::Sender<Command>,
    slot: Arc<Slot>,
}

/// What others need to know of an agent without asking it.
pub(crate) struct Slot {
    phase: AtomicU8,
    /// With which the session was claimed; 0 before that.
    epoch: AtomicI64,
    last_used: AtomicU64,
    idle_since_ms: AtomicU64,
    /// When it gave the last sign of life in its turn; `NEVER` if there is none to be expected.
    heard_ms: AtomicU64,
    started: std::time::Instant,
    pid: AtomicU32,
    /// Known once the session is read.
    team: std::sync::OnceLock<TeamName>,
    /// The turn that it works on, or whose end it is writing down.
    works_on: Mutex<Option<(TurnId, Weak<Mutex<Turn>>)>>,
}

pub(crate) enum Command {
    Run(Work),
    /// There may be work that nobody has told the agent of.
    LookAgain,
    /// Another config is in force.
    TakeUpConfig,
    /// Another node serves the session now.
    GiveUp,
    Cancel {
        turn: TurnId,
        by: Option<Actor>,
    },
    /// Somebody has answered what the agent asked.
    Answer {
        row: Box<QuestionRow>,
        reply: oneshot::Sender<bool>,
    },
    /// A tool that the agent called is done.
    ToolDone {
        request: String,
        answer: ToolAnswer,
    },
    Stop {
        mode: StopMode,
        why: StopCause,
        reply: Option<oneshot::Sender<Stopped>>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopMode {
    IfIdle,
    Now,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    Yes,
    Busy,
}

const NEVER: u64 = u64::MAX;

/// Commands that may wait for one agent. A sender that finds it full waits; nothing is lost.
const WAITING_COMMANDS: usize = 64;

impl RunnerHandle {
    fn new() -> (Self, mpsc::Receiver<Command>) {
        let (inbox, commands) = mpsc::channel(WAITING_COMMANDS);
        let slot = Arc::new(Slot {
            phase: AtomicU8::new(0),
            epoch: AtomicI64::new(0),
            last_used: AtomicU64::new(0),
            idle_since_ms: AtomicU64::new(0),
            heard_ms: AtomicU64::new(NEVER),
            started: std::time::Instant::now(),
            pid: AtomicU32::new(0),
            team: std::sync::OnceLock::new(),
            works_on: Mutex::default(),
        });
        slot.set(PoolPhase::Spawning);
        (Self { inbox, slot }, commands)
    }

    pub fn phase(&self) -> PoolPhase {
        match self.slot.phase.load(Ordering::SeqCst) {
            0 => PoolPhase::Spawning,
            1 => PoolPhase::Idle,
            2 => PoolPhase::Busy,
            _ => PoolPhase::Stopping,
        }
    }

    /// Since it was begun to be started.
    pub fn age(&self) -> std::time::Duration {
        self.slot.started.elapsed()
    }

    /// With which it serves its session, once that is claimed.
    pub fn epoch(&self) -> Option<i64> {
        Some(self.slot.epoch.load(Ordering::SeqCst)).filter(|epoch| *epoch != 0)
    }

    pub fn last_used(&self) -> u64 {
        self.slot.last_used.load(Ordering::SeqCst)
    }

    /// How long it has been idle, if it is.
    pub fn idle_for_ms(&self) -> Option<u64> {
        let since = self.slot.idle_since_ms.load(Ordering::SeqCst);
        (self.phase() == PoolPhase::Idle).then(|| self.slot.now_ms().saturating_sub(since))
    }

    /// How long it has said nothing, if it is at work and waits for nobody.
    pub fn silent_for_ms(&self) -> Option<u64> {
        let heard = self.slot.heard_ms.load(Ordering::SeqCst);
        (heard != NEVER).then(|| self.slot.now_ms().saturating_sub(heard))
    }

    /// Its process, once there is one.
    pub fn pid(&self) -> Option<u32> {
        Some(self.slot.pid.load(Ordering::SeqCst)).filter(|pid| *pid != 0)
    }

    pub fn team(&self) -> Option<&TeamName> {
        self.slot.team.get()
    }

    pub async fn run(&self, work: Work) {
        // An agent that ended meanwhile has settled its turns itself.
        self.inbox.send(Command::Run(work)).await.ok();
    }

    pub fn take_up_config(&self) {
        // One that is not told looks before its next turn.
        self.inbox.try_send(Command::TakeUpConfig).ok();
    }

    pub fn look_again(&self) {
        // A full inbox means that it will look soon enough.
        self.inbox.try_send(Command::LookAgain).ok();
    }

    pub fn give_up(&self) {
        // One that is not told hears it with the next renewal.
        self.inbox.try_send(Command::GiveUp).ok();
    }

    pub async fn cancel(&self, turn: TurnId, by: Option<Actor>) {
        self.inbox.send(Command::Cancel { turn, by }).await.ok();
    }

    /// Whether the agent waited for it and has it now.
    pub async fn answer(&self, row: QuestionRow) -> bool {
        let (reply, passed) = oneshot::channel();
        let sent = self.inbox.send(Command::Answer { row: Box::new(row), reply }).await;
        sent.is_ok() && passed.await.unwrap_or(false)
    }

    pub async fn tool_done(&self, request: String, answer: ToolAnswer) {
        self.inbox.send(Command::ToolDone { request, answer }).await.ok();
    }

    /// The text so far of the turn it is working on. It is read and not asked for: an agent's task that cannot write
    /// just now listens to nobody.
    pub fn partial(&self, turn: &TurnId) -> Option<String> {
        let works_on = self.slot.works_on().clone();
        let (_, works_on) = works_on.filter(|(id, _)| id == turn)?;
        let text = works_on.upgrade()?.lock().ok()?.partial_text();
        Some(text)
    }

    pub fn ask_to_stop(&self, mode: StopMode, why: StopCause) {
        self.inbox.try_send(Command::Stop { mode, why, reply: None }).ok();
    }

    /// Returns when the process is gone and that is written down, or at once if it is busy and may not be disturbed.
    pub async fn stop(&self, mode: StopMode, why: StopCause) -> Stopped {
        let (reply, stopped) = oneshot::channel();
        if self.inbox.send(Command::Stop { mode, why, reply: Some(reply) }).await.is_err() {
            return Stopped::Yes;
        }
        stopped.await.unwrap_or(Stopped::Yes)
    }
}

impl Slot {
    pub fn set(&self, phase: PoolPhase) {
        let number = match phase {
            PoolPhase::Spawning => 0,
            PoolPhase::Idle => 1,
            PoolPhase::Busy => 2,
            PoolPhase::Stopping => 3,
        };
        if phase == PoolPhase::Idle {
            self.idle_since_ms.store(self.now_ms(), Ordering::SeqCst);
        }
        self.phase.store(number, Ordering::SeqCst);
    }

    fn works_on(&self) -> MutexGuard<'_, Option<(TurnId, Weak<Mutex<Turn>>)>> {
        self.works_on.lock().expect("nothing panics while it holds the turn's name")
    }

    /// The order in which agents were used, for the pool to find the one that was not for longest.
    pub fn touch(&self) {
        static USES: AtomicU64 = AtomicU64::new(1);
        self.last_used.store(USES.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
    }

    fn note_heard(&self, heard: Option<tokio::time::Instant>) {
        let heard = heard.map_or(NEVER, |heard| self.ms_at(heard.into_std()));
        self.heard_ms.store(heard, Ordering::SeqCst);
    }

    fn now_ms(&self) -> u64 {
        self.ms_at(std::time::Instant::now())
    }

    fn ms_at(&self, moment: std::time::Instant) -> u64 {
        u64::try_from(moment.saturating_duration_since(self.started).as_millis()).unwrap_or(NEVER)
    }
}

/// Lets running turns go on until the grace is over, then stops every agent. Idle ones go at once.
pub(crate) async fn stop_all(engine: &Inner) {
    let until = tokio::time::Instant::now() + engine.config().settings.shutdown_grace.duration();
    let agents = || engine.runners().iter().map(|(id, runner)| (id.clone(), runner.clone())).collect::<Vec<_>>();
    loop {
        let mut stopping = tokio::task::JoinSet::new();
        let over = tokio::time::Instant::now() >= until;
        for (session, runner) in agents() {
            if over || runner.phase() != PoolPhase::Busy {
                let mode = if over { StopMode::Now } else { StopMode::IfIdle };
                stopping.spawn(async move { (session, runner.stop(mode, StopCause::Shutdown).await) });
            }
        }
        while stopping.join_next().await.is_some() {}
        if agents().is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// Forgets an agent that has ended.
pub(crate) fn forget(engine: &Inner, session: &SessionId) {
    engine.runners().remove(session);
    engine.pool.nudge();
}
