//! The task that serves one session: takes turns from the store, gives them to the agent, writes down what comes back.
//!
//! Everything that can wake it is one of four things; what follows is decided by `iris_core::turn` and performed here.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};

use iris_agents::agent::{Agent, Progress};
use iris_agents::launch::Standing;
use iris_core::actor::Actor;
use iris_core::agent::{AgentExit, AgentOutput, TurnEnd, Usage};
use iris_core::duration::Millis;
use iris_core::event::StopCause;
use iris_core::id::{Party, SessionId, TurnId};
use iris_core::message::Heard;
use iris_core::pool::PoolPhase;
use iris_core::session::SessionState;
use iris_core::team::{GrantPermission, TeamName};
use iris_core::turn::{Turn, TurnInput, WhatStopped};
use iris_store::lane::Claim;
use iris_store::turn::{Before, Work};
use iris_store::{StoreError, session as sessions, turn as turns};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Duration, Instant, timeout};

use super::ask::{Handed, OpenAsk};
use super::between::Background;
use super::call::OpenCall;
use super::clock::sleep_until;
use super::record::Record;
use super::start::Started;
use super::{Command, RunnerHandle, StopMode, Stopped};
use crate::config::{Config, TeamConfig};
use crate::engine::Inner;
use crate::secret::masked_exit;
use crate::trust;

pub(super) struct Runner {
    pub(super) engine: Arc<Inner>,
    pub(super) session: SessionId,
    pub(super) team: TeamName,
    /// Whoever speaks in this session.
    pub(super) party: Party,
    pub(super) epoch: i64,
    pub(super) agent: Agent,
    pub(super) handle: RunnerHandle,
    pub(super) grant: GrantPermission,
    pub(super) response_timeout: Millis,
    pub(super) current: Option<Current>,
    /// The turn that was run last: work that is announced twice is run once.
    pub(super) last_turn: Option<TurnId>,
    pub(super) saving: Option<Saving>,
    /// What the agent has asked and waits for, by its own names.
    pub(super) asks: HashMap<String, OpenAsk>,
    /// Answers it was given, until it has gone on.
    pub(super) handed: Vec<Handed>,
    /// Where it works.
    pub(super) folder: String,
    /// It works on a job, whose end may be its turn's.
    pub(super) in_job: bool,
    /// The tools it has called and waits for.
    pub(super) calls: HashMap<String, OpenCall>,
    pub(super) background: Background,
    /// It reads the settings of its folder, because they were trusted when it was started.
    pub(super) reads_folder: bool,
    /// When it was looked last whether they still are, while it works in the background.
    pub(super) looked: Instant,
    pub(super) started_as: TeamConfig,
    /// The config that it was compared with last.
    pub(super) config: Option<Arc<Config>>,
    /// Why it must not be told anything any more, and another is to take its place.
    pub(super) outdated: Option<StopCause>,
    /// It was, and gave it back.
    pub(super) gave_back: bool,
    /// What of the conversation it should know and does not, until a turn says so.
    gap: Option<String>,
    /// The settings of its folder have changed since they were trusted, until a turn says so.
    has_lapsed: bool,
}

/// The turn the agent is working on.
pub(super) struct Current {
    pub(super) id: TurnId,
    /// Shared with whoever wants to know how far it is.
    turn: Arc<Mutex<Turn>>,
    pub(super) started: Instant,
    /// The last sign of life.
    pub(super) heard: Instant,
    /// How long it may say nothing before its silence counts.
    pub(super) rest: Duration,
    pub(super) cancel_until: Option<Instant>,
    /// Who wants it to end, if it is not Iris itself.
    pub(super) cancelled_by: Option<Actor>,
    pub(super) record: Record,
    /// How often it was tried before.
    pub(super) tries: i64,
    /// What that came to, and what the agent did by itself before it came to this.
    pub(super) spent: Usage,
    /// What it says at the end that it had begun this by itself for.
    pub(super) origin: Option<String>,
}

impl Current {
    pub(super) fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().expect("nothing panics while it holds a turn")
    }

    pub(super) fn is_ended_by(&self, end: &TurnEnd) -> bool {
        self.turn().is_ended_by(self.id.as_str(), end)
    }
}

pub(super) type Saving = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

/// How long an agent that is to end is kept for a look at whether its folder is still trusted.
const LOOK_LIMIT: Duration = Duration::from_secs(2);

/// What an agent is told that was broken off in the middle of its work: the message itself would have it done twice.
const GO_ON: &str = "Your work on my last message was broken off by a limit or a restart, and can go on now. What you had \
                     done by then is done: look at it if you are not sure, and go on from there.";

/// The same, about a turn that it had begun by itself: there is no message that it could be told again.
const GO_ON_OWN: &str = "What you had begun by yourself was broken off by a limit or a restart, and can go on now. What you \
                         had done by then is done: look at it if you are not sure, and go on from there.";

enum Wake {
    Command(Command),
    Agent(Progress),
    Saved(Result<(), StoreError>),
    Time,
    /// Nobody holds a handle any more.
    Abandoned,
}

/// Whether the agent goes on after something was handled.
pub(super) enum Next {
    GoOn,
    Stop { why: StopCause, reply: Option<oneshot::Sender<Stopped>> },
    Gone,
}

impl Runner {
    pub fn new(engine: Arc<Inner>, claim: Claim, team: &TeamConfig, started: Started, handle: RunnerHandle) -> Self {
        let Started { agent, folder, gap, has_lapsed } = started;
        let response_timeout = team.response_timeout.unwrap_or(engine.config().settings.response_timeout);
        handle.slot.pid.store(agent.pid().unwrap_or(0), std::sync::atomic::Ordering::SeqCst);
        handle.slot.team.get_or_init(|| claim.session.to.clone());
        Self {
            session: claim.session.id,
            team: claim.session.to,
            party: claim.session.from,
            epoch: claim.epoch,
            agent,
            reads_folder: folder == Standing::Trusted,
            looked: Instant::now(),
            started_as: team.clone(),
            config: None,
            outdated: None,
            gave_back: false,
            gap,
            has_lapsed,
            handle,
            grant: team.grant(),
            response_timeout,
            current: None,
            last_turn: None,
            saving: None,
            asks: HashMap::new(),
            handed: Vec::new(),
            folder: team.path.display().to_string(),
            in_job: claim.session.job.is_some(),
            calls: HashMap::new(),
            background: Background::new(),
            engine,
        }
    }

    pub async fn run(mut self, mut commands: mpsc::Receiver<Command>) -> Result<(), StoreError> {
        let end = self.serve(&mut commands).await;
        self.break_off_all_calls();
        // From here on nobody is listened to any more; whoever wants the session waits until it is forgotten.
        self.handle.slot.set(PoolPhase::Stopping);
        let (why, reply) = match end {
            Ok(Next::Gone) => (StopCause::Exited, None),
            Ok(Next::Stop { why, reply }) => (why, reply),
            Ok(Next::GoOn) => (StopCause::Shutdown, None),
            Err(StoreError::Fenced) => {
                tracing::warn!(session = %self.session, "another node serves this session; its agent here is stopped");
                self.end_agent().await;
                return Ok(());
            }
            Err(error) => {
                self.end_agent().await;
                return Err(error);
            }
        };
        if why != StopCause::Exited {
            self.say_terminating(why).await?;
        }
        // Also one that is gone already may have left something behind.
        let (engine, session, epoch) = (Arc::clone(&self.engine), self.session.clone(), self.epoch);
        let loses = why == StopCause::Exited && !self.background.is_over();
        let exit = masked_exit(self.end_agent().await);
        let lost = loses.then(|| format!("what it did in the background is lost ({})", exit.describe()));
        let of = session.clone();
        let written = engine
            .persist("session.stopped", move |tx| {
                sessions::stopped(tx, &of, epoch, why, Some(exit.clone()), lost.clone())
            })
            .await;
        super::forget(&engine, &session);
        if let Some(reply) = reply {
            reply.send(Stopped::Yes).ok();
        }
        written.map(drop)
    }

    /// One whose settings are not trusted any more is not asked to end: it would do what they say is to be done then.
    async fn end_agent(mut self) -> AgentExit {
        match timeout(LOOK_LIMIT, self.has_lost_trust()).await {
            Ok(Ok(false)) => self.agent.stop().await,
            _ => self.agent.stop_at_once().await,
        }
    }

    /// It reads settings of its folder that are not those that were trusted.
    pub(super) async fn has_lost_trust(&mut self) -> Result<bool, StoreError> {
        Ok(self.reads_folder && trust::standing(&self.engine, &self.started_as).await? != Standing::Trusted)
    }

    /// Ending a process may take seconds, and is shown while it lasts.
    async fn say_terminating(&mut self, why: StopCause) -> Result<(), StoreError> {
        let (session, epoch) = (self.session.clone(), self.epoch);
        let allowed = &[SessionState::Idle, SessionState::Processing, SessionState::Spawning];
        let written = self
            .engine
            .persist("session.terminating", move |tx| sessions::begin_stop(tx, &session, epoch, allowed, why));
        written.await.map(drop)
    }

    async fn serve(&mut self, commands: &mut mpsc::Receiver<Command>) -> Result<Next, StoreError> {
        let (session, epoch, pid) = (self.session.clone(), self.epoch, self.agent.pid());
        let work = self.engine.persist("session.ready", move |tx| turns::ready(tx, &session, epoch, pid)).await?;
        self.take(work).await?;
        // It is not starting any more, so another may.
        self.engine.pool.nudge();
        loop {
            let next = match self.wait(commands).await {
                Wake::Command(command) => self.obey(command).await?,
                Wake::Agent(Progress::Outputs(outputs)) => self.hear(outputs).await?,
                Wake::Agent(Progress::Exited(exit)) => self.lose_agent(exit).await?,
                Wake::Saved(saved) => {
                    self.saving = None;
                    saved?;
                    self.show_held();
                    Next::GoOn
                }
                Wake::Time => self.check_time().await?,
                Wake::Abandoned => return Ok(Next::Stop { why: StopCause::Shutdown, reply: None }),
            };
            match next {
                Next::GoOn if self.gave_back => {
                    return Ok(Next::Stop { why: self.outdated.unwrap_or(StopCause::Untrusted), reply: None });
                }
                Next::GoOn => self.save_if_due(),
                end => return Ok(end),
            }
            match self.make_room().await? {
                Next::GoOn => {}
                end => return Ok(end),
            }
        }
    }

    async fn wait(&mut self, commands: &mut mpsc::Receiver<Command>) -> Wake {
        let deadline = self.deadline();
        self.handle
            .slot
            .note_heard(self.current.as_ref().filter(|_| !self.is_waited_for()).map(|current| current.heard));
        let room = self.current.as_ref().is_none_or(|current| current.record.has_room());
        let saving = &mut self.saving;
        tokio::select! {
            biased;
            command = commands.recv() => command.map_or(Wake::Abandoned, Wake::Command),
            progress = self.agent.next(), if room => Wake::Agent(progress),
            saved = async { saving.as_mut().expect("checked by the condition").await }, if saving.is_some() => Wake::Saved(saved),
            () = sleep_until(deadline), if deadline.is_some() => Wake::Time,
        }
    }

    /// The agent waits for a person or for Iris: it has no reason to say anything.
    pub(super) fn is_waited_for(&self) -> bool {
        !self.asks.is_empty() || !self.calls.is_empty()
    }

    /// The turn that what the agent does now belongs to.
    pub(super) fn current_turn(&self) -> Option<TurnId> {
        self.current.as_ref().map(|current| current.id.clone()).or_else(|| self.last_turn.clone())
    }

    async fn obey(&mut self, command: Command) -> Result<Next, StoreError> {
        match command {
            Command::Run(work) => self.take(Some(work)).await?,
            Command::LookAgain if self.current.is_none() => {
                let (session, epoch) = (self.session.clone(), self.epoch);
                let work = self.engine.persist("turn.start", move |tx| turns::start_next(tx, &session, epoch)).await?;
                self.take(work).await?;
            }
            Command::LookAgain => {}
            Command::TakeUpConfig => self.take_up_config(),
            Command::GiveUp => return Err(StoreError::Fenced),
            Command::Cancel { turn, by } => {
                if let Some(current) = self.current.as_mut().filter(|current| current.id == turn) {
                    // Whoever asked first: the second changes nothing.
                    current.cancelled_by = current.cancelled_by.take().or(by);
                    return self.apply(TurnInput::CancelAsked, StopCause::CancelIgnored).await;
                }
            }
            Command::Answer { row, reply } => {
                let passed = self.pass_on(&row).await?;
                reply.send(passed).ok();
            }
            Command::ToolDone { request, answer } => self.tool_done(&request, &answer),
            Command::Stop { mode, why, reply } => return self.stop(mode, why, reply).await,
        }
        Ok(Next::GoOn)
    }

    pub(super) async fn stop(
        &mut self,
        mode: StopMode,
        why: StopCause,
        reply: Option<oneshot::Sender<Stopped>>,
    ) -> Result<Next, StoreError> {
        if mode == StopMode::Now && self.current.is_some() {
            match why {
                StopCause::Shutdown if self.runs_again() => self.leave_running().await?,
                StopCause::Shutdown => drop(self.apply(TurnInput::StopAsked(WhatStopped::Iris), why).await?),
                _ => drop(self.apply(TurnInput::StopAsked(WhatStopped::Session), why).await?),
            }
        }
        let allowed: &[SessionState] = match mode {
            StopMode::IfIdle => &[SessionState::Idle],
            StopMode::Now => &[SessionState::Idle, SessionState::Processing, SessionState::Spawning],
        };
        let (session, epoch) = (self.session.clone(), self.epoch);
        // The store says whether a tell came first: if one did, the agent is not idle any more and stays.
        let may = self
            .engine
            .persist("session.terminating", move |tx| sessions::begin_stop(tx, &session, epoch, allowed, why))
            .await?;
        if may {
            return Ok(Next::Stop { why, reply });
        }
        if let Some(reply) = reply {
            reply.send(Stopped::Busy).ok();
        }
        Ok(Next::GoOn)
    }

    /// Gives a turn that the store has marked as running to the agent.
    pub(super) async fn take(&mut self, work: Option<Work>) -> Result<(), StoreError> {
        let Some(work) = work else {
            if self.current.is_none() {
                self.rest();
            }
            return Ok(());
        };
        if self.last_turn.as_ref() == Some(&work.turn) || work.epoch != self.epoch {
            return Ok(());
        }
        self.look_whether_outdated().await?;
        if let Some(why) = self.outdated {
            return self.give_back(work, why).await;
        }
        let goes_on = self.gap.is_none() && work.before.as_ref().is_some_and(|before| before.has_acted);
        let text = match work.body.as_str() {
            // Nobody tells nothing.
            "" => GO_ON_OWN,
            _ if goes_on => GO_ON,
            body => body,
        };
        self.agent.tell(&work.turn, text);
        self.begin(work.turn, Turn::start(self.grant), work.before);
        self.say_gap();
        self.say_lapsed();
        Ok(())
    }

    /// Whoever reads the conversation would else think that the agent knows all of it.
    fn say_gap(&mut self) {
        if let Some(gap) = self.gap.take() {
            self.keep(&Heard::system(gap));
        }
    }

    /// Whoever trusted them would else think that they still take effect.
    fn say_lapsed(&mut self) {
        if std::mem::take(&mut self.has_lapsed) {
            let text = format!(
                "the folder's settings have changed since they were trusted and take no effect; look at them: `iris trust {}`",
                self.team
            );
            self.keep(&Heard::system(text));
        }
    }

    pub(super) fn begin(&mut self, id: TurnId, turn: Turn, before: Option<Before>) {
        self.handle.slot.set(PoolPhase::Busy);
        self.handle.slot.touch();
        self.last_turn = Some(id.clone());
        tracing::debug!(turn = %id, session = %self.session, team = %self.team, "a turn began");
        let now = Instant::now();
        let turn = Arc::new(Mutex::new(turn));
        *self.handle.slot.works_on() = Some((id.clone(), Arc::downgrade(&turn)));
        self.current = Some(Current {
            id,
            turn,
            started: now,
            heard: now,
            rest: Duration::ZERO,
            cancel_until: None,
            cancelled_by: None,
            record: Record::new(now),
            tries: before.as_ref().map_or(0, |before| before.tries),
            spent: before.map(|before| before.usage).unwrap_or_default(),
            origin: None,
        });
    }

    /// No turn runs. The agent is idle if it does nothing by itself either, and is not about to.
    pub(super) fn rest(&mut self) {
        self.background.wait_for_own();
        self.handle.slot.set(if self.background.is_over() { PoolPhase::Idle } else { PoolPhase::Busy });
        self.engine.pool.nudge();
    }

    async fn hear(&mut self, outputs: Vec<AgentOutput>) -> Result<Next, StoreError> {
        for output in outputs {
            self.confirm_by(&output).await?;
            let next = match self.current.is_none() {
                true => self.hear_between_turns(&output).await?,
                false => Next::GoOn,
            };
            let next = match next {
                Next::GoOn if self.current.is_some() => self.hear_in_turn(output).await?,
                Next::GoOn => self.serve_between_turns(output).await?,
                end => end,
            };
            match next {
                Next::GoOn => {}
                end => return Ok(end),
            }
        }
        Ok(Next::GoOn)
    }

    async fn lose_agent(&mut self, exit: AgentExit) -> Result<Next, StoreError> {
        let (session, team, turn) =
            (&self.session, &self.team, self.current.as_ref().map(|current| current.id.as_str()));
        tracing::warn!(%session, %team, turn, code = exit.code, signal = exit.signal, "an agent ended unasked");
        if self.leave_to_next().await? {
            return Ok(Next::Gone);
        }
        self.apply(TurnInput::Exited(exit), StopCause::Exited).await?;
        Ok(Next::Gone)
    }
}
