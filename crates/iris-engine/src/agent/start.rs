//! Starting an agent: claim the session's lane, start the process, wait until it is ready.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use iris_agents::agent::{Agent, Progress};
use iris_agents::launch::{AgentSpec, Conversation, Misfit, Standing, explain_exit, find_misfit, launch};
use iris_core::agent::{AgentExit, AgentOutput, Introduction};
use iris_core::event::StopCause;
use iris_core::id::SessionId;
use iris_core::pool::PoolPhase;
use iris_core::team::TeamName;
use iris_store::lane::branch::Missed;
use iris_store::lane::{self, Claim};
use iris_store::session::SessionRow;
use iris_store::{StoreError, session, turn};
use tokio::sync::mpsc;

use super::clock::within;
use super::run::Runner;
use super::{Command, RunnerHandle, forget, gap};
use crate::config::{AgentHome, TeamConfig};
use crate::engine::Inner;
use crate::secret::{masked_exit, masked_tail};
use crate::{tasks, tool, trust};

/// Starts the task that serves a session. It takes its place in the pool at once.
pub(crate) fn start(engine: &Arc<Inner>, session: SessionId) {
    let (handle, commands) = RunnerHandle::new();
    engine.runners().insert(session.clone(), handle.clone());
    let engine = Arc::clone(engine);
    // Nobody waits for this task by its handle: it is known by its entry among the runners, which it removes when all
    // is written down, and which a shutdown waits for.
    drop(tasks::spawn("agent", async move {
        let (at_work, of, own) = (Arc::clone(&engine), session.clone(), handle.clone());
        // A task of its own, so that this one is left if it panics. What it held is dropped then, its process with it.
        let served = tasks::spawn("agent at work", async move { serve(&at_work, &of, own, commands).await });
        let settled = match served.await {
            Ok(served) => served,
            Err(_) => break_down(&engine, &session, &handle).await,
        };
        if let Err(error) = settled {
            tracing::error!(%session, %error, "an agent's task gave up");
        }
        forget(&engine, &session);
        look_for_more_work(&engine, &session).await;
    }));
}

/// The task that served a session panicked. Nobody is left who would end its turn, or tell whoever waits for its agent.
async fn break_down(engine: &Inner, session: &SessionId, handle: &RunnerHandle) -> Result<(), StoreError> {
    handle.slot.set(PoolPhase::Stopping);
    let why = "a fault of Iris's own, which its log names (logs/daemon.log in IRIS_HOME)";
    let (id, epoch) = (session.clone(), handle.epoch());
    let broken = engine.persist("session.broken", move |tx| lane::break_down(tx, &id, epoch, why)).await?;
    broken.iter().for_each(|turn| engine.waiters.look(turn));
    Ok(())
}

/// A tell may have been queued while the agent was ending. What is held takes nobody's place until it may go on.
async fn look_for_more_work(engine: &Inner, session: &SessionId) {
    let id = session.clone();
    if let Ok(Some(row)) = engine.store.read(move |tx| session::find(tx, &id)).await
        && row.queued > 0
        && !row.is_held()
        && !engine.is_closing()
        && engine.team(&row.to).is_some()
        && matches!(engine.is_elsewhere(&row).await, Ok(false))
    {
        engine.pool.want(session);
    }
}

async fn serve(
    engine: &Arc<Inner>,
    session: &SessionId,
    handle: RunnerHandle,
    commands: mpsc::Receiver<Command>,
) -> Result<(), StoreError> {
    let id = session.clone();
    let known = engine.store.read(move |tx| session::find(tx, &id)).await?;
    let Some(known) = known else { return Ok(()) };
    // A team that is gone from the config may be back in a moment: somebody is editing it. What was accepted waits for it.
    if engine.team(&known.to).is_none() || engine.is_elsewhere(&known).await? {
        return Ok(());
    }
    let id = session.clone();
    let Some(claim) = engine.persist("session.spawning", move |tx| lane::claim(tx, &id)).await? else {
        return Ok(());
    };
    let (epoch, row) = (claim.epoch, &claim.session);
    handle.slot.epoch.store(epoch, Ordering::SeqCst);
    let failed = match engine.team(&row.to) {
        None => StartFailure::because(format!("team '{}' is not in the config any more", row.to)),
        Some(team) if team.node.as_deref().is_some_and(|node| !engine.is_called(node)) => {
            StartFailure::because(bound_elsewhere(engine, &row.to, &team))
        }
        Some(team) => match start_ready(engine, &team, &claim).await {
            Ok(started) => {
                let runner = Runner::new(Arc::clone(engine), claim, &team, started, handle);
                return runner.run(commands).await;
            }
            Err(failure) => failure,
        },
    };
    // It is not starting any more. Who wants an agent from here on waits until this one is forgotten, and is not told that it
    // is coming.
    handle.slot.set(PoolPhase::Stopping);
    engine.pool.nudge();
    if failed.cause != StopCause::StartFailed {
        return leave(engine, session, epoch, failed).await;
    }
    tracing::warn!(%session, team = %row.to, why = %failed.why, "an agent could not be started");
    give_up(engine, session, epoch, failed).await
}

fn bound_elsewhere(engine: &Inner, name: &TeamName, team: &TeamConfig) -> String {
    let (bound, own) = (team.node.as_deref().unwrap_or_default(), engine.store.node());
    format!(
        "team '{name}' is bound to the node '{bound}', and this one is '{own}' with a database of its own; \
         remove `node` from the team, or write {own}"
    )
}

/// An agent that is ready.
pub(super) struct Started {
    pub agent: Agent,
    /// Whether it reads the settings of its folder.
    pub folder: Standing,
    /// What of its conversation it should know and does not, in words for whoever reads it.
    pub gap: Option<String>,
    /// It does not read them because they have changed since they were trusted.
    pub has_lapsed: bool,
}

struct StartFailure {
    why: String,
    cause: StopCause,
    exit: Option<AgentExit>,
    misfit: Option<Misfit>,
    /// What is still to be ended.
    left: Option<Box<Agent>>,
}

impl StartFailure {
    fn because(why: String) -> Self {
        Self { why, cause: StopCause::StartFailed, exit: None, misfit: None, left: None }
    }

    /// Nothing is wrong with it: everything is being stopped, and it is not waited for any longer.
    fn broken_off(engine: &Inner, exit: AgentExit) -> Self {
        let (cause, why) = match engine.is_closing() {
            true => (StopCause::Shutdown, "Iris was stopped while it was starting"),
            false => (StopCause::Asked, "everything was stopped while it was starting"),
        };
        Self { cause, exit: Some(exit), ..Self::because(why.to_owned()) }
    }
}

/// What waits for it waits on, for the next start of Iris. A stop of everything withdraws it itself.
async fn leave(engine: &Inner, session: &SessionId, epoch: i64, failed: StartFailure) -> Result<(), StoreError> {
    let StartFailure { why, cause, exit, .. } = failed;
    let id = session.clone();
    let stopped = engine
        .persist("session.stopped", move |tx| session::stopped(tx, &id, epoch, cause, exit.clone(), Some(why.clone())));
    stopped.await.map(drop)
}

/// One waiting turn ends with the reason; the next, if there is one, is a new try. Whoever waits is told at once: to end a
/// process that does not answer takes seconds. Until it is gone the session has an agent, and gets no other.
async fn give_up(engine: &Inner, session: &SessionId, epoch: i64, failed: StartFailure) -> Result<(), StoreError> {
    let StartFailure { why, exit, left, .. } = failed;
    let (id, reason) = (session.clone(), why.clone());
    let Some(agent) = left else {
        let ended = engine.persist("session.start_failed", move |tx| {
            session::stopped(tx, &id, epoch, StopCause::StartFailed, exit.clone(), Some(reason.clone()))?;
            turn::fail_waiting(tx, &id, &reason)
        });
        ended.await?.iter().for_each(|turn| engine.waiters.look(turn));
        return Ok(());
    };
    let tell = async {
        let ended = engine.persist("session.start_failed", move |tx| {
            if session::start_failed(tx, &id, epoch, &reason)? {
                turn::fail_waiting(tx, &id, &reason)
            } else {
                Ok(None)
            }
        });
        ended.await.map(|ended| ended.iter().for_each(|turn| engine.waiters.look(turn)))
    };
    let (told, exit) = tokio::join!(tell, agent.stop());
    told?;
    let (id, exit) = (session.clone(), masked_exit(exit));
    let stopped = engine.persist("session.stopped", move |tx| {
        session::stopped(tx, &id, epoch, StopCause::StartFailed, Some(exit.clone()), Some(why.clone()))
    });
    stopped.await.map(drop)
}

async fn start_ready(engine: &Inner, team: &TeamConfig, claim: &Claim) -> Result<Started, StartFailure> {
    let (epoch, row) = (claim.epoch, &claim.session);
    let first = || match &row.fork_of {
        Some(origin) => Conversation::ForkOf(origin.clone()),
        None => Conversation::New,
    };
    let conversation = if row.begun { Conversation::Resumed } else { first() };
    let resumed = conversation == Conversation::Resumed;
    match start_as(engine, team, row, epoch, conversation).await {
        // It was told something but never wrote it down, or its files are gone or on another machine.
        Err(failure) if resumed && failure.misfit == Some(Misfit::Lost) => {
            let started = start_as(engine, team, row, epoch, first()).await?;
            let id = row.id.clone();
            let noted = engine.persist("session.began_anew", move |tx| session::begin_anew(tx, &id, epoch)).await;
            let forgotten = noted.map_err(|error| StartFailure::because(error.to_string()))?;
            tracing::warn!(session = %row.id, team = %row.to, forgotten, "the agent knows nothing of the conversation; it begins anew");
            Ok(Started { gap: gap::lost(forgotten), ..started })
        }
        // It wrote down more than Iris knows of.
        Err(failure) if !resumed && failure.misfit == Some(Misfit::Begun) => {
            start_as(engine, team, row, epoch, Conversation::Resumed).await
        }
        Ok(started) if claim.is_behind => {
            let id = row.id.clone();
            let noted = engine.persist("session.fell_behind", move |tx| lane::branch::go_on_from_old(tx, &id, epoch));
            let missed = noted.await.map_err(|error| StartFailure::because(error.to_string()))?;
            if let Some(Missed { turns, nodes }) = &missed {
                tracing::warn!(session = %row.id, team = %row.to, turns, ?nodes, "the agent may know nothing of turns that ran at other nodes");
            }
            Ok(Started { gap: missed.map(|missed| gap::missed(&missed)), ..started })
        }
        result => result,
    }
}

async fn start_as(
    engine: &Inner,
    team: &TeamConfig,
    row: &SessionRow,
    epoch: i64,
    conversation: Conversation,
) -> Result<Started, StartFailure> {
    let spec = AgentSpec {
        team: row.to.clone(),
        kind: team.agent,
        path: team.path.clone(),
        script: team.script.clone(),
        command: team.command.clone(),
        args: team.args.clone(),
        env: team.env.clone(),
        model: team.model.clone(),
        allowed_tools: team.allowed_tools.clone(),
        disallowed_tools: team.disallowed_tools.clone(),
        instructions: team.append_system_prompt.clone(),
        max_budget_usd: team.max_budget_usd,
        own_home: own_home(engine, team, row)?,
        folder: trust::standing(engine, team).await.map_err(|error| StartFailure::because(error.to_string()))?,
        session: row.id.clone(),
        conversation,
        state_folder: engine.home.agent_state(),
    };
    let explain = |error: &iris_agents::launch::LaunchError| match error.hint() {
        Some(hint) => StartFailure::because(format!("{error}; {hint}")),
        None => StartFailure::because(error.to_string()),
    };
    let launch = launch(&spec).map_err(|error| explain(&error))?;
    let cell = engine.containment.cell(&row.id, epoch);
    let mut agent = Agent::start(&launch, cell, tool::specs()).map_err(|error| explain(&error))?;
    if let Some(pid) = agent.pid() {
        let id = row.id.clone();
        let noted = engine.persist("session.process", move |tx| session::note_process(tx, &id, epoch, pid)).await;
        noted.map_err(|error| StartFailure::because(error.to_string()))?;
    }
    let limit = engine.config().settings.session_init_timeout;
    let ready = tokio::select! {
        ready = within(limit.duration(), wait_until_ready(&mut agent)) => Some(ready),
        () = engine.halt.asked() => None,
    };
    let why = match ready {
        Some(Some(Ok(Introduction { obstacle: None, .. }))) => {
            let has_lapsed = spec.folder == Standing::Untrusted && trust::has_lapsed(engine, team).await;
            return Ok(Started { agent, folder: spec.folder, gap: None, has_lapsed });
        }
        Some(Some(Ok(Introduction { obstacle, .. }))) => obstacle,
        Some(Some(Err(_))) => None,
        Some(None) => {
            let why = match masked_tail(&agent.complaint()) {
                said if said.is_empty() => format!("it was not ready within {limit}"),
                said => format!("it was not ready within {limit}; its last words: {said}"),
            };
            return Err(StartFailure { left: Some(Box::new(agent)), ..StartFailure::because(why) });
        }
        None => {
            let exit = masked_exit(agent.stop().await);
            return Err(StartFailure::broken_off(engine, exit));
        }
    };
    // Also one that is gone already may have left something behind.
    let exit = masked_exit(agent.stop().await);
    let why = why.unwrap_or_else(|| {
        let ended = format!("it ended at once: {}", exit.describe());
        explain_exit(team.agent, &exit, &team.args).map_or_else(|| ended.clone(), |help| format!("{ended}; {help}"))
    });
    Err(StartFailure { misfit: find_misfit(team.agent, &exit), exit: Some(exit), ..StartFailure::because(why) })
}

/// The folder in which the agent lives, if it is not the user's own.
fn own_home(engine: &Inner, team: &TeamConfig, row: &SessionRow) -> Result<Option<PathBuf>, StartFailure> {
    if team.home == AgentHome::Shared {
        return Ok(None);
    }
    let made = engine.home.agent_home(&row.to);
    made.map(Some).map_err(|error| StartFailure::because(format!("the team's home could not be made: {error}")))
}

async fn wait_until_ready(agent: &mut Agent) -> Result<Introduction, AgentExit> {
    loop {
        match agent.next().await {
            Progress::Outputs(outputs) => {
                let ready = outputs.into_iter().find_map(|output| match output {
                    AgentOutput::Ready(introduction) => Some(introduction),
                    _ => None,
                });
                if let Some(introduction) = ready {
                    return Ok(introduction);
                }
            }
            Progress::Exited(exit) => return Err(exit),
        }
    }
}
