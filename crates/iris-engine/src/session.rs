//! Sessions: listed, woken, put to sleep, forgotten.

use std::time::Duration;

use iris_agents::{launch, scripted};
use iris_core::actor::Actor;
use iris_core::fault::FaultKind;
use iris_core::id::{Party, SessionId, TurnId};
use iris_core::pool::PoolPhase;
use iris_core::session::SessionState;
use iris_core::team::{AgentKind, TeamName};
use iris_store::session::{Record, Removal, Seen, SessionRow};
use iris_store::{StoreError, StoreHealth, session, turn};
use uuid::Uuid;

use crate::agent::{StopMode, Stopped};
use crate::config::UnknownTeam;
use crate::engine::Engine;
use crate::party::BadParty;

#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error(transparent)]
    UnknownTeam(#[from] UnknownTeam),
    #[error("there is no session {0}")]
    NotFound(String),
    #[error("nothing has been said to {0} yet, so there is nothing to copy")]
    NothingSaid(TeamName),
    #[error("{0} has a session with this team already")]
    PartyTaken(String),
    #[error(transparent)]
    BadParty(#[from] BadParty),
    #[error("the session is at work")]
    Busy,
    #[error("the session has an agent or waiting turns")]
    InUse { from: Party, to: TeamName },
    #[error("the agent could not be started: {0}")]
    NotStarted(String),
    #[error("the agent could not be started: {0}")]
    BrokenScript(String),
    #[error("agent kind '{}' is not built into this version of Iris", .0.as_str())]
    NotBuilt(AgentKind),
    #[error("another node has the conversation with {0}")]
    Elsewhere(TeamName),
    #[error("Iris is shutting down")]
    ShuttingDown,
    #[error("everything is being stopped")]
    Halted,
    #[error("that the agent is to {what} cannot be written down just now: {why}")]
    NotWritten { what: Change, why: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SessionError {
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::UnknownTeam(_) | Self::NotFound(_) => FaultKind::NotFound,
            Self::Busy | Self::InUse { .. } | Self::NothingSaid(_) | Self::PartyTaken(_) => FaultKind::Conflict,
            Self::NotStarted(_) | Self::Elsewhere(_) | Self::ShuttingDown | Self::Halted => FaultKind::Unavailable,
            Self::NotWritten { .. } => FaultKind::Unavailable,
            Self::NotBuilt(_) => FaultKind::Unsupported,
            Self::BrokenScript(_) | Self::BadParty(_) => FaultKind::Invalid,
            Self::Store(error) => error.kind(),
        }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownTeam(unknown) => Some(unknown.hint()),
            Self::NotFound(_) => Some("run `iris sessions list` to see what there is".to_owned()),
            Self::NothingSaid(_) => Some("tell it something first".to_owned()),
            Self::PartyTaken(_) => Some("name another with `as` (on the command line --as)".to_owned()),
            Self::BadParty(error) => Some(error.hint()),
            Self::Busy => Some("wait for its turn to end, or use --force to stop it now".to_owned()),
            Self::InUse { from, to } => Some(format!(
                "first `iris cancel {to} --from {from}`, which also withdraws what is put off, and \
                 `iris sleep {to} --from {from} --force`"
            )),
            Self::BrokenScript(_) => Some("correct it; `iris config check` says where it is wrong".to_owned()),
            Self::Elsewhere(_) => Some("tell it something: that node starts its agent then".to_owned()),
            Self::NotBuilt(_) => Some("set `agent: claude` for this team".to_owned()),
            Self::Store(error) => error.hint().map(str::to_owned),
            Self::NotWritten { what: Change::Start, .. } => Some("it starts as soon as that can be written".to_owned()),
            Self::NotWritten { what: Change::End, .. } => {
                Some("it ends as soon as that can be written; `iris stop --all` ends every agent at once".to_owned())
            }
            Self::NotStarted(_) | Self::ShuttingDown | Self::Halted => None,
        }
    }
}

/// What an agent is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Start,
    End,
}

impl std::fmt::Display for Change {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Start => "start",
            Self::End => "end",
        })
    }
}

/// How many copies of one conversation get a name by themselves.
const MOST_FORKS: u32 = 100;

/// What a wake found.
#[derive(Clone, Debug)]
pub struct Woken {
    pub session: SessionRow,
    pub was_awake: bool,
    /// It waited for a limit to be lifted, and does not any more.
    pub was_held: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sleep {
    /// Only an idle agent.
    WhenIdle,
    /// Also one that is at work; its turn is terminated.
    Now,
}

/// For so long whoever wants an agent started or ended waits for a database that takes nothing.
const TROUBLE_MAY_LAST: Duration = Duration::from_secs(2);

/// What a team's agent tells so long after a turn still comes from it.
const LATELY_MS: i64 = 600_000;

impl Engine {
    pub async fn list_sessions(
        &self,
        team: Option<&TeamName>,
        after: &str,
        limit: i64,
    ) -> Result<Vec<SessionRow>, StoreError> {
        let (team, after) = (team.cloned(), after.to_owned());
        self.inner.store.read(move |tx| session::list(tx, team.as_ref(), &after, limit)).await
    }

    /// For each of these sessions what there is to say beside its row.
    pub async fn see_sessions(&self, rows: &[SessionRow]) -> Result<Vec<Seen>, StoreError> {
        let rows = rows.to_vec();
        self.inner.store.read(move |tx| session::see(tx, &rows)).await
    }

    pub async fn find_session(&self, id: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        let id = id.clone();
        self.inner.store.read(move |tx| session::find(tx, &id)).await
    }

    /// The team of a session, and the turn it works on or worked on last.
    pub async fn find_working(&self, id: &SessionId) -> Result<Option<(TeamName, Option<TurnId>)>, StoreError> {
        let id = id.clone();
        let find = move |tx: &mut iris_store::Tx<'_>| {
            let Some(session) = session::find(tx, &id)? else { return Ok(None) };
            let turn = match session.running {
                Some(running) => Some(running),
                None => turn::newest(tx, &id)?,
            };
            Ok(Some((session.to, turn)))
        };
        self.inner.store.read(find).await
    }

    /// The turn in which a team's agent speaks that does not say in which: its program holds a token of the team's and may
    /// run anywhere, so its words may come from whatever the team works on now, or did lately.
    pub async fn find_likely_turn(&self, team: &Party) -> Result<Option<TurnId>, StoreError> {
        let Ok(team) = team.as_str().parse::<TeamName>() else { return Ok(None) };
        self.inner.store.read(move |tx| turn::likely_cause(tx, &team, tx.wall_ms() - LATELY_MS)).await
    }

    pub async fn find_session_of(&self, from: &Party, to: &TeamName) -> Result<Option<SessionRow>, StoreError> {
        let (from, to) = (from.clone(), to.clone());
        self.inner.store.read(move |tx| session::find_pair(tx, &from, &to)).await
    }

    /// How long the agent of a session has said nothing, if it is at work here and waits for nobody.
    pub fn silent_for_ms(&self, id: &SessionId) -> Option<u64> {
        self.inner.runner(id)?.silent_for_ms()
    }

    /// What the turns of a session wait for that has no agent to wait for.
    pub fn waits_for(&self, row: &SessionRow) -> Option<&'static str> {
        if row.state != SessionState::Stopped || row.queued == 0 || row.is_held() {
            return None;
        }
        if self.inner.team(&row.to).is_none() {
            return Some("team");
        }
        let most = self.inner.config().settings.max_processes;
        (self.inner.runners().len() >= most).then_some("place")
    }

    /// Starts the agent of a session before it is needed. Returns when it is ready.
    pub async fn wake(&self, from: &Party, to: &TeamName) -> Result<Woken, SessionError> {
        if self.inner.is_closing() {
            return Err(SessionError::ShuttingDown);
        }
        let team = self.inner.team(to).ok_or_else(|| self.inner.config().unknown_team(to))?;
        if !iris_agents::launch::is_built(team.agent) {
            return Err(SessionError::NotBuilt(team.agent));
        }
        self.check_party(from)?;
        let (party, name, fresh) = (from.clone(), to.clone(), SessionId::new(Uuid::new_v4().to_string()));
        let before = self
            .inner
            .store
            .write("session.create", move |tx| session::find_or_create(tx, &party, &name, &fresh))
            .await?;
        let was_held = before.is_held() && self.lift_limit(&before.id).await?;
        if matches!(before.state, SessionState::Idle | SessionState::Processing) {
            let session = if was_held { self.find_session(&before.id).await?.unwrap_or(before) } else { before };
            return Ok(Woken { session, was_awake: true, was_held });
        }
        if self.inner.is_elsewhere(&before).await? {
            return Err(SessionError::Elsewhere(to.clone()));
        }
        let was_starting = before.state == SessionState::Spawning;
        let (mut head, _) = self.inner.bus.subscribe();
        self.inner.pool.wake(&before.id);
        loop {
            if self.inner.halt.is_on() {
                return Err(SessionError::Halted);
            }
            let now = self.find_session(&before.id).await?;
            let now = now.ok_or_else(|| SessionError::NotFound(before.id.to_string()))?;
            match now.state {
                SessionState::Idle | SessionState::Processing => {
                    return Ok(Woken { session: now, was_awake: false, was_held });
                }
                // It was tried and it failed: the newest event of the session says why.
                SessionState::Stopped | SessionState::Terminating if now.epoch > before.epoch || was_starting => {
                    let why = self.why_stopped(&now).await?;
                    let is_broken = team.script.as_deref().is_some_and(|script| scripted::check(script).is_err());
                    return Err(if is_broken {
                        SessionError::BrokenScript(why)
                    } else {
                        SessionError::NotStarted(why)
                    });
                }
                _ => {}
            }
            tokio::select! {
                changed = head.changed() => changed.map_err(|_| SessionError::ShuttingDown)?,
                why = self.trouble() => return Err(SessionError::NotWritten { what: Change::Start, why }),
            }
        }
    }

    /// The user knows better than the clock: a limit was raised, or another key is used.
    async fn lift_limit(&self, id: &SessionId) -> Result<bool, StoreError> {
        let held = id.clone();
        let was_held = self.inner.store.write("session.release", move |tx| session::release_now(tx, &held)).await?;
        if was_held {
            self.inner.go_on(id);
        }
        Ok(was_held)
    }

    async fn why_stopped(&self, session: &SessionRow) -> Result<String, StoreError> {
        let seq = session.state_seq;
        let events = self.inner.store.read(move |tx| iris_store::event::list_after(tx, seq - 1, 1)).await?;
        let body = events.first().map(|event| event.body.to_string()).unwrap_or_default();
        // Whoever stopped it in the meantime had a reason too, which is not one of ours.
        let reason = serde_json::from_str::<serde_json::Value>(&body)
            .ok()
            .and_then(|body| Some(body["reason"].as_str()?.to_owned()));
        Ok(reason.unwrap_or_else(|| "it was stopped before it was ready".to_owned()))
    }

    /// Ends the agent of a session. The conversation is kept; the next tell resumes it.
    pub async fn sleep(&self, id: &SessionId, how: Sleep) -> Result<bool, SessionError> {
        let Some(runner) = self.inner.runner(id) else {
            let known = self.find_session(id).await?;
            return known.map(|_| false).ok_or_else(|| SessionError::NotFound(id.to_string()));
        };
        let mode = match how {
            Sleep::WhenIdle if runner.phase() == PoolPhase::Busy => return Err(SessionError::Busy),
            Sleep::WhenIdle => StopMode::IfIdle,
            Sleep::Now => StopMode::Now,
        };
        tokio::select! {
            stopped = runner.stop(mode, iris_core::event::StopCause::Asked) => match stopped {
                Stopped::Yes => Ok(true),
                Stopped::Busy => Err(SessionError::Busy),
            },
            why = self.trouble() => Err(SessionError::NotWritten { what: Change::End, why }),
        }
    }

    /// Returns when nothing could be written for a while, and says why.
    pub(crate) async fn trouble(&self) -> String {
        let mut health = self.inner.store.health();
        loop {
            if health.wait_for(|health| *health != StoreHealth::Well).await.is_err() {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(TROUBLE_MAY_LAST).await;
            if let StoreHealth::Troubled { what, .. } = &*health.borrow() {
                return what.clone();
            }
        }
    }

    /// Makes a session that begins with all that was said in the session of a pair. Its own agent starts with its first
    /// tell.
    pub async fn fork(&self, from: &Party, to: &TeamName, new: Option<Party>) -> Result<SessionRow, SessionError> {
        if self.inner.team(to).is_none() {
            return Err(self.inner.config().unknown_team(to).into());
        }
        new.as_ref().map_or(Ok(()), |new| self.check_party(new))?;
        let origin = self.find_session_of(from, to).await?;
        // A copy that has not begun is as good as what it is a copy of.
        let has_content = |origin: &SessionRow| origin.begun || origin.fork_of.is_some();
        let origin = origin.filter(has_content).ok_or_else(|| SessionError::NothingSaid(to.clone()))?;
        let (named, base) = (new.clone(), from.clone());
        let forked = self
            .inner
            .store
            .write("session.fork", move |tx| {
                let fresh = SessionId::new(Uuid::new_v4().to_string());
                if let Some(party) = &named {
                    return session::fork(tx, &origin, party, &fresh);
                }
                for number in 2..=MOST_FORKS {
                    let party = Party::new(format!("{base}-{number}"));
                    if let Some(forked) = session::fork(tx, &origin, &party, &fresh)? {
                        return Ok(Some(forked));
                    }
                }
                Ok(None)
            })
            .await?;
        let taken = new.map_or_else(|| format!("{from}-2 to {from}-{MOST_FORKS}"), |party| party.to_string());
        forked.ok_or(SessionError::PartyTaken(taken))
    }

    /// Forgets what was said in a session's finished turns, and says how many those were.
    pub async fn clear_cache(&self, id: &SessionId, by: &Actor) -> Result<i64, SessionError> {
        let (wanted, by) = (id.clone(), by.clone());
        let removal =
            self.inner.store.write("session.clear_cache", move |tx| session::clear_cache(tx, &wanted, &by)).await?;
        let turns = removed(removal, id)?;
        self.forget().await;
        Ok(turns)
    }

    /// What was deleted is to stand in no file. It is deleted all the same if that takes longer: upkeep sees to it.
    async fn forget(&self) {
        if let Err(error) = self.inner.store.forget().await {
            tracing::debug!(%error, "what was deleted may still stand in the log of the database");
        }
    }

    /// Forgets a session that has no agent and no waiting turns.
    pub async fn delete_session(&self, id: &SessionId, by: &Actor, record: Record) -> Result<i64, SessionError> {
        let (wanted, by) = (id.clone(), by.clone());
        let (removal, unneeded) = self
            .inner
            .store
            .write("session.delete", move |tx| {
                let fork_of = session::find(tx, &wanted)?.and_then(|session| session.fork_of);
                let removal = session::delete(tx, &wanted, &by, record)?;
                Ok((removal, session::list_unneeded(tx, &wanted, fork_of.as_ref())?))
            })
            .await?;
        let turns = removed(removal, id)?;
        for id in unneeded {
            let home = &self.inner.home;
            if let Err(error) = launch::forget(&home.agent_state(), &home.agent_homes(), &id) {
                tracing::warn!(session = %id, %error, "what its agent kept of a conversation could not be removed");
            }
        }
        self.forget().await;
        Ok(turns)
    }
}

fn removed(removal: Removal, id: &SessionId) -> Result<i64, SessionError> {
    match removal {
        Removal::Done { turns } => Ok(turns),
        Removal::NotFound => Err(SessionError::NotFound(id.to_string())),
        Removal::InUse { from, to } => Err(SessionError::InUse { from, to }),
    }
}
