//! How far a turn is, for whoever waits for it.

use std::fmt;

use iris_core::id::{SessionId, TurnId};
use iris_core::turn::TurnState;
use iris_store::turn::TurnRow;
use iris_store::{StoreError, session, turn};

use crate::engine::Engine;

/// What there is to say of a turn that is not over.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// What its agent has written so far, finished or not.
    pub text: String,
    pub waits: Option<Waits>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waits {
    /// For the time that it was put off to.
    Delay,
    /// For its team to be in the config again.
    Team,
    /// For other turns, or with none before it for its agent to start.
    Turns { ahead: i64 },
    /// With none before it, for another agent to end or to be idle: there are as many as may be.
    Place,
    /// For a limit of the agent's to be lifted.
    Limit,
    /// For somebody to say something: `input` or `approval`.
    Person(String),
    /// Not known: the database does not say.
    Database,
}

impl Standing {
    /// How many turns come before it, if it waits for its turn.
    pub fn ahead(&self) -> i64 {
        match self.waits {
            Some(Waits::Turns { ahead }) => ahead,
            _ => 0,
        }
    }
}

impl fmt::Display for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Delay => f.write_str("waits for the time it was put off to"),
            Self::Team => f.write_str("waits for its team, which is not in config.yaml any more"),
            Self::Turns { ahead: 0 } => f.write_str("queued, next; its agent is not ready yet"),
            Self::Place => f.write_str("waits for a place: all agents are at work"),
            Self::Turns { ahead } => write!(f, "queued, {ahead} ahead"),
            Self::Limit => f.write_str("waits for a limit of the agent's to be lifted"),
            Self::Person(what) => write!(f, "waits for a person's {what}"),
            Self::Database => f.write_str(
                "it goes on; the database does not answer, so its messages are missing here, and can be read when it does",
            ),
        }
    }
}

impl Engine {
    pub async fn standing(&self, id: &TurnId) -> Result<Standing, StoreError> {
        let Some(row) = self.find_turn(id).await? else { return Ok(Standing::default()) };
        let waits = self.waits_of(std::slice::from_ref(&row)).await?.pop().flatten();
        Ok(Standing { text: self.text_so_far(&row.session, id), waits })
    }

    /// What an agent has written in the turn it works on. Needs no database.
    pub(super) fn text_so_far(&self, session: &SessionId, turn: &TurnId) -> String {
        self.inner.runner(session).and_then(|runner| runner.partial(turn)).unwrap_or_default()
    }

    /// What each of these turns of one session waits for.
    pub async fn waits_of(&self, turns: &[TurnRow]) -> Result<Vec<Option<Waits>>, StoreError> {
        let is_over = |row: &TurnRow| row.finished_at.is_some();
        let Some(first) = turns.iter().find(|row| !is_over(row)) else { return Ok(vec![None; turns.len()]) };
        let id = first.session.clone();
        let looked = self.inner.store.read(move |tx| {
            let Some(session) = session::find(tx, &id)? else { return Ok(None) };
            let waiting = turn::list_waiting(tx, &id)?;
            Ok(Some((session, waiting)))
        });
        let Some((session, waiting)) = looked.await? else { return Ok(vec![None; turns.len()]) };
        let is_here = self.inner.team(&session.to).is_some();
        let waits = |row: &TurnRow| match row.state {
            TurnState::Scheduled => Some(Waits::Delay),
            TurnState::Queued if !is_here => Some(Waits::Team),
            TurnState::Queued if session.is_held() => Some(Waits::Limit),
            TurnState::Queued => {
                let before = waiting.iter().position(|waiting| *waiting == row.id).unwrap_or(0);
                let ahead = i64::try_from(before).unwrap_or(i64::MAX) + i64::from(session.running.is_some());
                let is_placeless = ahead == 0 && self.waits_for(&session) == Some("place");
                Some(if is_placeless { Waits::Place } else { Waits::Turns { ahead } })
            }
            TurnState::Running => session.waiting.clone().map(Waits::Person),
            _ => None,
        };
        Ok(turns.iter().map(waits).collect())
    }
}
