//! Telling a team something: the one way in, whoever speaks.

use std::time::Duration;

use iris_agents::launch::is_built;
use iris_core::actor::Through;
use iris_core::agent::Usage;
use iris_core::duration::Millis;
use iris_core::event::Recorded;
use iris_core::fault::FaultKind;
use iris_core::id::{Party, SessionId, TurnId};
use iris_core::key::Key;
use iris_core::relay::Voice;
use iris_core::session::SessionState;
use iris_core::team::{AgentKind, TeamName};
use iris_core::turn::Ending;
use iris_store::turn::{Accept, Accepted, NewTurn, TurnRow};
use iris_store::{StoreError, event, turn};
use tokio::time::Instant;
use uuid::Uuid;

use super::TurnReport;
use super::circle::chain;
use super::standing::{Standing, Waits};
use super::wait::{Waiter, report_of};
use crate::config::UnknownTeam;
use crate::engine::Engine;
use crate::party::BadParty;

#[derive(Clone, Debug)]
pub struct Tell {
    pub from: Party,
    /// What whoever tells came through, if it is known.
    pub through: Option<Through>,
    /// What that comes to for what the agent has asked in a reply.
    pub voice: Voice,
    pub to: TeamName,
    pub text: String,
    pub patience: Patience,
    /// A tell with a key that was used before finds the turn of the first.
    pub key: Option<Key>,
    /// Queue it only after this time.
    pub delay: Option<Millis>,
    /// The turn in which an agent makes this tell.
    pub within: Option<TurnId>,
    /// Whoever tells follows the turn by its events, under this name, however short its patience is.
    pub follower: Option<String>,
}

/// How long the caller is willing to wait. It never touches the agent, which works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    None,
    Forever,
    Limit(Duration),
}

impl Patience {
    /// -1: return at once; 0: wait until the end; N: return what there is after N milliseconds.
    pub fn from_millis(timeout: i64) -> Result<Self, TellError> {
        match timeout {
            -1 => Ok(Self::None),
            0 => Ok(Self::Forever),
            ms => u64::try_from(ms)
                .map(|ms| Self::Limit(Duration::from_millis(ms)))
                .map_err(|_| TellError::Timeout(timeout)),
        }
    }
}

#[derive(Clone, Debug)]
pub struct TellReport {
    pub from: Party,
    pub to: TeamName,
    pub session: SessionId,
    pub turn: TurnId,
    /// What comes of the tell has numbers after this one.
    pub seq: i64,
    /// How many turns came before it when it was accepted.
    pub position: i64,
    /// Its key was used before: this is the turn that was made then.
    pub is_repeated: bool,
    pub outcome: TellOutcome,
}

#[derive(Clone, Debug)]
pub enum TellOutcome {
    /// Accepted; the caller did not want to wait.
    Accepted,
    /// The caller's patience is over, the turn is not.
    OutOfPatience {
        standing: Standing,
        messages: Vec<Recorded>,
        waited_ms: i64,
    },
    Ended {
        ending: Ending,
        response: String,
        usage: Usage,
        duration_ms: i64,
    },
}

#[derive(Debug, thiserror::Error)]
pub enum TellError {
    #[error(transparent)]
    UnknownTeam(#[from] UnknownTeam),
    #[error("the message is empty")]
    Empty,
    #[error("the message has the character NUL in it, which agents do not read")]
    HasNul,
    #[error("the message has {bytes} bytes; at most {limit} are taken")]
    TooLong { bytes: usize, limit: usize },
    #[error("timeout {0} means nothing; use -1 (return at once), 0 (wait until the end) or a number of milliseconds")]
    Timeout(i64),
    #[error("the key has {bytes} bytes; at most {limit} are taken")]
    LongKey { bytes: usize, limit: usize },
    #[error("a tell can be put off by at most {limit}, not by {asked}")]
    DelayTooLong { asked: Millis, limit: Millis },
    #[error(transparent)]
    BadParty(#[from] BadParty),
    #[error("team '{team}' has {} waiting, and no more are taken", turns(*.waiting))]
    QueueFull { team: TeamName, waiting: i64 },
    #[error("the key was used before for another tell (turn {turn})")]
    KeyTaken { turn: TurnId },
    #[error("this was told before with the same key, and what came of it was forgotten since (turn {turn})")]
    Forgotten { turn: TurnId },
    #[error("the key is empty")]
    EmptyKey,
    #[error("agent kind '{}' is not built into this version of Iris", .0.as_str())]
    NotBuilt(AgentKind),
    #[error("{to} cannot be asked: {}", chain(.path))]
    Circle { to: TeamName, path: Vec<String> },
    #[error("this tell would be number {depth} in a chain of tells, one in another; at most {limit} are allowed")]
    TooDeep { depth: i64, limit: i64 },
    #[error("Iris is shutting down")]
    ShuttingDown,
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn turns(count: i64) -> String {
    if count == 1 { "1 turn".to_owned() } else { format!("{count} turns") }
}

impl TellError {
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::UnknownTeam(_) => FaultKind::NotFound,
            Self::Empty | Self::Timeout(_) | Self::DelayTooLong { .. } | Self::BadParty(_) => FaultKind::Invalid,
            Self::HasNul | Self::EmptyKey | Self::LongKey { .. } => FaultKind::Invalid,
            Self::TooLong { .. } | Self::QueueFull { .. } => FaultKind::Limit,
            Self::TooDeep { .. } => FaultKind::Limit,
            Self::Circle { .. } => FaultKind::Conflict,
            Self::KeyTaken { .. } => FaultKind::Unfit,
            Self::Forgotten { .. } => FaultKind::Gone,
            Self::NotBuilt(_) => FaultKind::Unsupported,
            Self::ShuttingDown => FaultKind::Unavailable,
            Self::Store(error) => error.kind(),
        }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownTeam(unknown) => Some(unknown.hint()),
            Self::QueueFull { .. } => Some("wait for the queue to shrink, or raise settings.maxQueue".to_owned()),
            Self::HasNul => Some("leave it out; for what is no text, name a file that the agent can read".to_owned()),
            Self::TooLong { .. } => Some("put it into a file that the agent can read, and tell it where".to_owned()),
            Self::KeyTaken { .. } | Self::Forgotten { .. } => Some("use a new key for a new tell".to_owned()),
            Self::EmptyKey => Some("leave it out, or make one up: a UUID for instance".to_owned()),
            Self::NotBuilt(_) => Some("set `agent: claude` for this team".to_owned()),
            Self::Circle { .. } => Some("answer in your own reply instead; whoever waits for you gets it".to_owned()),
            Self::TooDeep { .. } => Some("answer with what you know; settings.maxTellDepth is the limit".to_owned()),
            Self::ShuttingDown => Some("send it again when Iris is back".to_owned()),
            Self::Empty => Some("say what the team is to do or to answer".to_owned()),
            Self::Timeout(_) => Some("leave it out to wait 30 s".to_owned()),
            Self::LongKey { .. } => Some("a short random name is enough, a UUID for instance".to_owned()),
            Self::DelayTooLong { limit, .. } => Some(format!("put it off by {limit} or less")),
            Self::BadParty(error) => Some(error.hint()),
            Self::Store(error) => error.hint().map(str::to_owned),
        }
    }
}

/// How long a caller waits who does not say.
pub const DEFAULT_TIMEOUT_MS: i64 = 30_000;
pub const LONGEST_MESSAGE: usize = 10 * 1024 * 1024;
const LONGEST_KEY: usize = 256;
const LONGEST_DELAY: Millis = Millis(366 * 24 * 3_600_000);
/// How much of what was said is sent along when the caller's patience ends.
const MESSAGES_WITH_PARTIAL: i64 = 1000;
const BYTES_WITH_PARTIAL: usize = 8 * 1024 * 1024;

/// How long a caller whose patience is over waits for the database to say how far the turn is.
const LONGEST_LOOK: Duration = Duration::from_secs(1);

impl Engine {
    /// Writes the tell down, has it run, and waits as long as the caller is willing to.
    pub async fn tell(&self, tell: Tell) -> Result<TellReport, TellError> {
        self.tell_for(None, tell, |_| {}).await
    }

    /// As `tell`, for a request that has a name in the log; `note` is told the turn as soon as there is one that is waited
    /// for.
    pub async fn tell_for(
        &self,
        request: Option<&str>,
        tell: Tell,
        note: impl FnOnce(&TurnId),
    ) -> Result<TellReport, TellError> {
        let told = self.tell_noting(tell, note).await;
        if let Ok(TellReport { from, to: team, session, turn, outcome, .. }) = &told {
            tracing::debug!(request, %turn, %session, %team, %from, "told");
            // Only what went wrong, so that the request can be found whose turn that was.
            if let (Some(request), TellOutcome::Ended { ending, .. }) = (request, outcome)
                && !matches!(ending, Ending::Completed | Ending::Cancelled)
            {
                tracing::info!(request, %turn, %session, %team, state = %ending.state(), "what a request told did not complete");
            }
        }
        told
    }

    async fn tell_noting(&self, mut tell: Tell, note: impl FnOnce(&TurnId)) -> Result<TellReport, TellError> {
        self.check(&tell)?;
        let depth = self.depth_of(&tell).await?;
        let turn = TurnId::new(Uuid::now_v7().to_string());
        let arrived = Instant::now();
        // Subscribed before it is accepted, so that not even an instant answer is missed.
        let waiter = self.inner.waiters.subscribe(&turn);
        let new = NewTurn {
            id: turn,
            fresh_session: SessionId::new(Uuid::new_v4().to_string()),
            from: tell.from.clone(),
            through: tell.through.clone(),
            voice: if self.inner.config().is_team(&tell.from) { tell.voice.for_team() } else { tell.voice },
            to: tell.to.clone(),
            // Nobody who only waits keeps the text, which may be long.
            body: std::mem::take(&mut tell.text),
            key: tell.key.as_ref().map(|key| key.as_str().to_owned()),
            delay_ms: tell.delay.map(|delay| i64::try_from(delay.0).unwrap_or(i64::MAX)),
            longest_queue: i64::from(self.inner.config().settings.max_queue),
            cause: tell.within.clone(),
            depth,
            origin: None,
            detached: tell.patience == Patience::None && tell.follower.is_none(),
        };
        let accepted = self.inner.store.write("turn.accept", move |tx| turn::accept(tx, &new)).await;
        if let Err(StoreError::InDoubt) = accepted {
            self.reconcile(&tell).await;
        }
        match accepted? {
            Accept::Accepted(accepted) => {
                let report = report(&tell, &accepted);
                self.begin_trace(&accepted.turn, tell.within.as_ref());
                let waiting = self.begin_waiting(&tell, &accepted.turn).await?;
                if tell.patience != Patience::None {
                    note(&accepted.turn);
                }
                match tell.delay {
                    Some(_) => self.inner.upkeep.nudge(),
                    None => self.set_going(accepted).await,
                }
                let waited = self.wait(&tell, report, waiter, arrived).await;
                drop(waiting);
                waited
            }
            Accept::Repeated(row) => {
                if tell.patience != Patience::None {
                    note(&row.id);
                }
                self.find_again(&tell, row, arrived).await
            }
            Accept::KeyTaken { turn } => Err(TellError::KeyTaken { turn }),
            Accept::Forgotten { turn } => Err(TellError::Forgotten { turn }),
            Accept::QueueFull { waiting } => Err(TellError::QueueFull { team: tell.to, waiting }),
        }
    }

    pub(crate) fn check(&self, tell: &Tell) -> Result<(), TellError> {
        if self.inner.is_closing() {
            return Err(TellError::ShuttingDown);
        }
        let team = self.inner.team(&tell.to).ok_or_else(|| self.inner.config().unknown_team(&tell.to))?;
        if !is_built(team.agent) {
            return Err(TellError::NotBuilt(team.agent));
        }
        if tell.text.trim().is_empty() {
            return Err(TellError::Empty);
        }
        if tell.text.contains('\0') {
            return Err(TellError::HasNul);
        }
        if tell.text.len() > LONGEST_MESSAGE {
            return Err(TellError::TooLong { bytes: tell.text.len(), limit: LONGEST_MESSAGE });
        }
        if tell.key.as_ref().is_some_and(|key| key.given_bytes() == 0) {
            return Err(TellError::EmptyKey);
        }
        if let Some(key) = &tell.key
            && key.given_bytes() > LONGEST_KEY
        {
            return Err(TellError::LongKey { bytes: key.given_bytes(), limit: LONGEST_KEY });
        }
        if let Some(asked) = tell.delay
            && asked > LONGEST_DELAY
        {
            return Err(TellError::DelayTooLong { asked, limit: LONGEST_DELAY });
        }
        Ok(self.check_party(&tell.from)?)
    }

    /// What was accepted is started, if the store has given it to an agent; else the pool is told of it.
    pub(crate) async fn set_going(&self, accepted: Accepted) {
        match (accepted.start, self.inner.runner(&accepted.session)) {
            (Some(work), Some(runner)) => runner.run(work).await,
            // The agent ended between the commit and now; its end settles the turn.
            (Some(_), None) => {}
            // Held by a limit: the pool is told when that is lifted.
            (None, _) if accepted.is_held => {}
            (None, _) if accepted.session_state == SessionState::Stopped => self.inner.pool.want(&accepted.session),
            // It was told while it waited for somebody, which is looked at before it is given to the agent.
            (None, Some(runner)) if accepted.session_state == SessionState::Idle => runner.look_again(),
            // Busy, starting or ending: the turn is found when that is over.
            (None, _) => {}
        }
    }

    /// The database went away while it committed. If it did commit, an agent may have been given a turn that nobody
    /// tells it of.
    async fn reconcile(&self, tell: &Tell) {
        let (from, to) = (tell.from.clone(), tell.to.clone());
        let found = self.inner.store.read(move |tx| iris_store::session::find_pair(tx, &from, &to)).await;
        if let Ok(Some(session)) = found
            && let Some(runner) = self.inner.runner(&session.id)
        {
            runner.look_again();
        }
    }

    async fn find_again(&self, tell: &Tell, row: TurnRow, arrived: Instant) -> Result<TellReport, TellError> {
        let report = TellReport {
            from: tell.from.clone(),
            to: tell.to.clone(),
            session: row.session.clone(),
            turn: row.id.clone(),
            seq: row.place,
            position: self.standing(&row.id).await?.ahead(),
            is_repeated: true,
            outcome: TellOutcome::Accepted,
        };
        if row.state.is_over() && tell.patience != Patience::None {
            return Ok(ended(report, &report_of(row)));
        }
        let waiter = self.inner.waiters.subscribe(&row.id);
        let waiting = self.join_waiting(tell, &row.id).await?;
        let waited = self.wait(tell, report, waiter, arrived).await;
        drop(waiting);
        waited
    }

    async fn wait(
        &self,
        tell: &Tell,
        report: TellReport,
        mut waiter: Waiter,
        arrived: Instant,
    ) -> Result<TellReport, TellError> {
        let store = &self.inner.store;
        match tell.patience {
            Patience::None => Ok(report),
            Patience::Forever => Ok(ended(report, &*waiter.ended(store).await?)),
            Patience::Limit(limit) => match tokio::time::timeout_at(arrived + limit, waiter.ended(store)).await {
                Ok(turn) => Ok(ended(report, &*turn?)),
                Err(_) => Ok(self.out_of_patience(report, arrived).await),
            },
        }
    }

    /// The turn was accepted and goes on, which has to be said though the database is away: whoever is not told of it tells
    /// it again.
    async fn out_of_patience(&self, report: TellReport, arrived: Instant) -> TellReport {
        let looked = tokio::time::timeout(LONGEST_LOOK, self.how_far(&report.turn)).await;
        let (standing, messages) = match looked {
            Ok(Ok(found)) => found,
            failed => {
                tracing::warn!(turn = %report.turn, ?failed, "how far a turn is could not be read");
                let text = self.text_so_far(&report.session, &report.turn);
                (Standing { text, waits: Some(Waits::Database) }, Vec::new())
            }
        };
        let waited_ms = i64::try_from(arrived.elapsed().as_millis()).unwrap_or(i64::MAX);
        TellReport { outcome: TellOutcome::OutOfPatience { standing, messages, waited_ms }, ..report }
    }

    async fn how_far(&self, turn: &TurnId) -> Result<(Standing, Vec<Recorded>), StoreError> {
        let standing = self.standing(turn).await?;
        let turn = turn.clone();
        let newest = move |tx: &mut iris_store::Tx<'_>| {
            event::list_newest_messages(tx, &turn, MESSAGES_WITH_PARTIAL, BYTES_WITH_PARTIAL)
        };
        Ok((standing, self.inner.store.read(newest).await?))
    }
}

fn report(tell: &Tell, accepted: &Accepted) -> TellReport {
    TellReport {
        from: tell.from.clone(),
        to: tell.to.clone(),
        session: accepted.session.clone(),
        turn: accepted.turn.clone(),
        seq: accepted.seq,
        position: accepted.position,
        is_repeated: false,
        outcome: TellOutcome::Accepted,
    }
}

fn ended(report: TellReport, turn: &TurnReport) -> TellReport {
    let outcome = TellOutcome::Ended {
        ending: turn.outcome.ending.clone(),
        response: turn.outcome.response.clone(),
        usage: turn.outcome.usage.clone(),
        duration_ms: turn.duration_ms,
    };
    TellReport { outcome, ..report }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_that_is_full_is_told_in_the_right_number() {
        let told = |waiting| TellError::QueueFull { team: "a".parse().expect("a name"), waiting }.to_string();
        assert_eq!(told(1), "team 'a' has 1 turn waiting, and no more are taken");
        assert_eq!(told(2), "team 'a' has 2 turns waiting, and no more are taken");
    }
}
