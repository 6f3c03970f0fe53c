//! Upkeep: what has to be done whether or not anybody asks. Each part takes no input, may run at any time and does
//! nothing if there is nothing to do, so that recovery is the ordinary path.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use iris_core::event::{DaemonEvent, Draft, Fact, StopCause, Subject};
use iris_core::pool::PoolPhase;
use iris_core::question::QuestionState;
use iris_core::session::SessionState;
use iris_store::lane::{Lane, OwnLanes};
use iris_store::{Location, StoreError, StoreHealth, event, job, lane, question, session, timer, turn};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::agent::StopMode;
use crate::engine::{Engine, Inner, policy};
use crate::question::pass_on::{pass_on, pass_on_all};

/// Wakes upkeep before its time.
#[derive(Clone, Default)]
pub(crate) struct Nudge(Arc<NudgeState>);

#[derive(Default)]
struct NudgeState {
    changed: Notify,
    /// Another node has written since upkeep last looked.
    others_wrote: AtomicBool,
    closed: AtomicBool,
}

pub(crate) fn channel() -> (Nudge, Nudge) {
    let nudge = Nudge::default();
    (nudge.clone(), nudge)
}

impl Nudge {
    pub fn nudge(&self) {
        self.0.changed.notify_one();
    }

    /// Another node has written: there may be work for this one.
    pub fn others_wrote(&self) {
        self.0.others_wrote.store(true, Ordering::SeqCst);
        self.nudge();
    }

    pub fn close(&self) {
        self.0.closed.store(true, Ordering::SeqCst);
        self.0.changed.notify_one();
    }
}

const LEASES_EVERY: Duration = Duration::from_secs(4);
const WORK_EVERY: Duration = Duration::from_secs(2);
/// What agents started and orphaned between two looks, and threw its mark away, is not known after a kill of the daemon.
const LOOKS_EVERY: Duration = Duration::from_secs(2);
const LONGEST_SLEEP: Duration = Duration::from_secs(1);
const TIMERS_AT_ONCE: i64 = 256;
const LATE_AT_ONCE: i64 = 256;

struct Upkeep {
    engine: Arc<Inner>,
    nudge: Nudge,
    leases: Due,
    work: Due,
    health: Due,
    others: Due,
    looks: Due,
    trouble: Option<(String, Instant)>,
}

/// Something that is done every so often.
struct Due {
    every: Duration,
    next: Instant,
}

impl Due {
    fn every(every: Duration) -> Self {
        Self { every, next: Instant::now() }
    }

    fn has_come(&mut self) -> bool {
        let now = Instant::now();
        let come = now >= self.next;
        if come {
            self.next = now + self.every;
        }
        come
    }
}

pub(crate) async fn run(engine: Arc<Inner>, nudge: Nudge) {
    let mut upkeep = Upkeep {
        leases: Due::every(LEASES_EVERY),
        work: Due::every(WORK_EVERY),
        health: Due::every(health_check(&engine)),
        others: Due::every(engine.config().database.poll_interval.duration()),
        looks: Due::every(LOOKS_EVERY),
        trouble: None,
        engine,
        nudge,
    };
    while !upkeep.nudge.0.closed.load(Ordering::SeqCst) {
        let pause = upkeep.round().await;
        tokio::select! {
            () = upkeep.nudge.0.changed.notified() => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// As the config says now; never so often that it does nothing else.
fn health_check(engine: &Inner) -> Duration {
    engine.config().settings.health_check_interval.duration().max(Duration::from_millis(100))
}

impl Upkeep {
    /// One round of everything that is due. Returns how long nothing will be.
    async fn round(&mut self) -> Duration {
        let mut done = self.keep_leases().await;
        done = done.and(self.follow_other_nodes().await);
        let pause = match self.fire_timers().await {
            Ok(pause) => pause,
            Err(error) => {
                done = done.and(Err(error));
                LONGEST_SLEEP
            }
        };
        done = done.and(self.release_held().await);
        done = done.and(self.show_held_back().await);
        done = done.and(self.end_late_questions().await);
        done = done.and(pass_on_all(&self.engine).await);
        done = done.and(self.settle_jobs().await);
        done = done.and(self.break_starvation().await);
        done = done.and(self.find_work().await);
        done = done.and(self.check_health().await);
        done = done.and(self.engine.store.drop_leftovers().await);
        self.reap_idle();
        self.tidy().await;
        if let Err(error) = done {
            tracing::debug!(%error, "upkeep could not do everything; it will try again");
        }
        pause.min(LONGEST_SLEEP).min(if self.is_postgres() { self.others.every } else { LONGEST_SLEEP })
    }

    fn is_postgres(&self) -> bool {
        matches!(self.engine.store.location(), Location::Postgres(_))
    }

    /// Renews this node's leases and saves its time. It is also how a database that was in trouble is found well again
    /// though nobody writes, and then the log says how long it lasted.
    async fn keep_leases(&mut self) -> Result<(), StoreError> {
        let health = self.engine.store.health().borrow().clone();
        if let StoreHealth::Troubled { what, .. } = &health {
            self.trouble.get_or_insert_with(|| (what.clone(), Instant::now()));
        }
        if !self.leases.has_come() && self.trouble.is_none() {
            return Ok(());
        }
        let mark = self.engine.store.clock().mark();
        let healed = self.trouble.clone().map(|(trouble, since)| DaemonEvent::StoreHealed {
            trouble,
            lasted_ms: i64::try_from(since.elapsed().as_millis()).unwrap_or(i64::MAX),
        });
        // Looked at before: what is claimed from here on is not among what was renewed, and yet served.
        let running = self.running();
        let write = self.engine.store.write("daemon.renew", move |tx| {
            if let Some(healed) = &healed {
                let fact = Fact::Daemon(healed.clone());
                event::append(tx, &[Draft { subject: Subject::default(), fact }])?;
            }
            lane::renew(tx, &mark)
        });
        let served = write.await?;
        self.give_up(running.into_iter().filter(|lane| !served.contains(lane)));
        if let Some((trouble, since)) = self.trouble.take() {
            tracing::info!(trouble, lasted = ?since.elapsed(), "the database can be written again");
        }
        Ok(())
    }

    /// What this node runs agents for.
    fn running(&self) -> Vec<Lane> {
        let runners = self.engine.runners();
        runners.iter().filter_map(|(session, runner)| Some((session.clone(), runner.epoch()?))).collect()
    }

    /// This node was not heard of for so long that another took these sessions: their agents here may not go on beside
    /// those of the other, whether or not they ever say anything again. One that has just ended is not there to hear it.
    fn give_up(&self, lost: impl Iterator<Item = Lane>) {
        for (session, epoch) in lost {
            if let Some(runner) = self.engine.runner(&session).filter(|runner| runner.epoch() == Some(epoch)) {
                runner.give_up();
            }
        }
    }

    /// On PostgreSQL other nodes write too: their events are announced here, the lanes of dead ones settled, and the tells
    /// they took in for this node's agents found. After a notice of theirs only what they may have left for this node is
    /// looked for: a node that died sends none, and a busy one many.
    async fn follow_other_nodes(&mut self) -> Result<(), StoreError> {
        if !self.is_postgres() {
            return Ok(());
        }
        let is_due = self.others.has_come();
        let others_wrote = self.nudge.0.others_wrote.swap(false, Ordering::SeqCst);
        if others_wrote {
            self.work.next = Instant::now();
        }
        if !is_due && !others_wrote {
            return Ok(());
        }
        let head = self.engine.store.read(event::newest).await?;
        self.engine.bus.grown_to(head);
        self.engine.load_credentials().await?;
        if is_due {
            self.settle_the_dead().await?;
        }
        self.remind_agents().await
    }

    /// Lanes whose lease has run out.
    async fn settle_the_dead(&self) -> Result<(), StoreError> {
        let policies = self.engine.interruption_policies();
        let recover = self.engine.store.write("lane.recover", move |tx| {
            lane::recover(tx, OwnLanes::Mine, |session| policy(&policies, &session.to))
        });
        recover.await.map(drop)
    }

    /// Queues what is due, and says how long until the next is.
    async fn fire_timers(&self) -> Result<Duration, StoreError> {
        loop {
            match self.engine.store.read(timer::next_due_in_ms).await? {
                None => return Ok(LONGEST_SLEEP),
                Some(ms) if ms > 0 => return Ok(Duration::from_millis(u64::try_from(ms).unwrap_or(0))),
                Some(_) => {
                    let due = self.engine.store.write("timer.fire", |tx| timer::fire_due(tx, TIMERS_AT_ONCE));
                    for session in due.await? {
                        self.engine.pool.want(&session);
                    }
                }
            }
        }
    }

    /// Every place in the pool is taken by an agent that waits for another, and that other waits for a place: nobody will
    /// ever go on. One of those that wait for a place is told so, and whoever told it goes on.
    async fn break_starvation(&self) -> Result<(), StoreError> {
        let limit = self.engine.config().settings.max_processes;
        let is_full = self.engine.pool.waiting() > 0 && self.engine.runners().len() >= limit;
        if !is_full || self.engine.runners().values().any(|runner| runner.phase() != PoolPhase::Busy) {
            return Ok(());
        }
        let (serving, wanting) = self
            .engine
            .store
            .read(|tx| {
                let mut wanting = Vec::new();
                for session in session::list_wanting_agent(tx)? {
                    wanting.extend(turn::list_waiting(tx, &session.id)?.first().map(|turn| (session.id, turn.clone())));
                }
                Ok((session::list_owned(tx)?, wanting))
            })
            .await?;
        let waits = &self.engine.waits;
        if !serving.iter().all(|session| session.running.as_ref().is_some_and(|turn| waits.waits(turn))) {
            return Ok(());
        }
        let Some((session, _)) = wanting.into_iter().rev().find(|(_, turn)| waits.is_waited_for(turn)) else {
            return Ok(());
        };
        let why = format!("all {limit} agents wait for each other's answers; raise settings.maxProcesses");
        tracing::warn!(%session, why, "a tell was ended");
        let end = move |tx: &mut iris_store::Tx<'_>| turn::fail_waiting(tx, &session, &why);
        if let Some(turn) = self.engine.store.write("turn.starved", end).await? {
            self.engine.waiters.look(&turn);
        }
        Ok(())
    }

    /// Sessions whose limit has been lifted go on.
    async fn release_held(&self) -> Result<(), StoreError> {
        if self.engine.is_closing() || !self.engine.store.read(session::any_to_release).await? {
            return Ok(());
        }
        for session in self.engine.store.write("session.release", session::release_held).await? {
            self.engine.go_on(&session);
        }
        Ok(())
    }

    /// What was left to the party that told is there for everybody, once that party has had its time.
    async fn show_held_back(&self) -> Result<(), StoreError> {
        if !self.engine.store.read(question::any_to_show).await? {
            return Ok(());
        }
        self.engine.store.write("question.show", |tx| question::show_due(tx, LATE_AT_ONCE)).await
    }

    /// Questions whose time is over get their default or none; a job that waited for one fails.
    async fn end_late_questions(&self) -> Result<(), StoreError> {
        if !self.engine.store.read(question::any_late).await? {
            return Ok(());
        }
        let expire = self.engine.store.write("question.expire", |tx| question::expire(tx, LATE_AT_ONCE));
        for row in expire.await? {
            pass_on(&self.engine, &row).await;
            if row.state == QuestionState::Expired && row.job.is_some() && row.blocks {
                let cancelled = Engine::of(&self.engine).cancel_session(&row.session, None).await;
                if let Err(error) = cancelled {
                    tracing::warn!(session = %row.session, %error, "a job that failed could not be broken off");
                }
            }
        }
        Ok(())
    }

    /// Jobs of which nothing goes on are over.
    async fn settle_jobs(&self) -> Result<(), StoreError> {
        if self.engine.is_closing() || !self.engine.store.read(job::any_to_settle).await? {
            return Ok(());
        }
        self.engine.store.write("job.settle", job::settle_all).await.map(drop)
    }

    /// Sessions that have work and no agent: what was queued when a daemon died, or when an agent ended.
    async fn find_work(&mut self) -> Result<(), StoreError> {
        if !self.work.has_come() || self.engine.is_closing() {
            return Ok(());
        }
        for session in self.engine.store.read(session::list_wanting_agent).await? {
            if self.engine.team(&session.to).is_some() && !self.engine.is_elsewhere(&session).await? {
                self.engine.pool.want(&session.id);
            }
        }
        Ok(())
    }

    /// Holds what the store says against what is alive.
    async fn check_health(&mut self) -> Result<(), StoreError> {
        self.health.every = health_check(&self.engine);
        if !self.health.has_come() {
            return Ok(());
        }
        self.end_frozen();
        self.remind_agents().await
    }

    /// An idle agent that will not answer is of no use; the next tell gets a new one. A busy one has its response clock.
    fn end_frozen(&self) {
        for runner in self.engine.runners().values() {
            let idle = runner.phase() == PoolPhase::Idle;
            if idle && runner.pid().is_some_and(iris_agents::health::is_frozen) {
                runner.ask_to_stop(StopMode::IfIdle, StopCause::Frozen);
            }
        }
    }

    /// Idle agents that have work: another node took a tell in for them, or an answer of the database was lost.
    async fn remind_agents(&self) -> Result<(), StoreError> {
        if self.engine.is_closing() {
            return Ok(());
        }
        for session in self.engine.store.read(session::list_owned).await? {
            let Some(runner) = self.engine.runner(&session.id) else { continue };
            let has_work = session.running.is_some() || session.queued > 0;
            if runner.phase() == PoolPhase::Idle && has_work && session.state != SessionState::Terminating {
                runner.look_again();
            }
        }
        Ok(())
    }

    /// Puts agents to sleep that have been idle for longer than their team allows.
    fn reap_idle(&self) {
        let config = self.engine.config();
        for runner in self.engine.runners().values() {
            let own = runner.team().and_then(|team| config.teams.get(team)?.idle_timeout);
            let limit = own.unwrap_or(config.settings.idle_timeout);
            if runner.idle_for_ms().is_some_and(|idle| idle >= limit.0) {
                runner.ask_to_stop(StopMode::IfIdle, StopCause::Idle);
            }
        }
    }

    /// What agents left behind is asked how it ended, or is ended; and what runs of them is written down.
    async fn tidy(&mut self) {
        let containment = Arc::clone(&self.engine.containment);
        let looks = self.looks.has_come();
        // It looks through all processes now and then, which is too long for a thread that others wait for.
        let tidied = tokio::task::spawn_blocking(move || {
            containment.tidy();
            if looks {
                containment.look();
            }
        });
        if tidied.await.is_err() {
            tracing::error!("tidying up after agents failed");
        }
    }
}
