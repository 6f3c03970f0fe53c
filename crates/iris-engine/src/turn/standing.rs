//! How far a turn is, for whoever waits for it.

use std::fmt;

use iris_core::id::TurnId;
use iris_core::turn::TurnState;
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
    /// For other turns, or with none before it for its agent to start.
    Turns { ahead: i64 },
    /// For a limit of the agent's to be lifted.
    Limit,
    /// For somebody to say something: `input` or `approval`.
    Person(String),
}

impl Standing {
    /// How many turns come before it.
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
            Self::Turns { ahead: 0 } => f.write_str("queued, next; its agent is not ready yet"),
            Self::Turns { ahead } => write!(f, "queued, {ahead} ahead"),
            Self::Limit => f.write_str("waits for a limit of the agent's to be lifted"),
            Self::Person(what) => write!(f, "waits for a person's {what}"),
        }
    }
}

impl Engine {
    pub async fn standing(&self, id: &TurnId) -> Result<Standing, StoreError> {
        let wanted = id.clone();
        let looked = self.inner.store.read(move |tx| {
            let Some(row) = turn::find(tx, &wanted)? else { return Ok((None, None)) };
            let Some(session) = session::find(tx, &row.session)? else { return Ok((None, None)) };
            Ok(match row.state {
                TurnState::Scheduled => (Some(Waits::Delay), None),
                TurnState::Queued if session.is_held() => (Some(Waits::Limit), None),
                TurnState::Queued => {
                    let waiting = turn::list_waiting(tx, &session.id)?;
                    let before = waiting.iter().position(|waiting| *waiting == wanted).unwrap_or(0);
                    let ahead = i64::try_from(before).unwrap_or(i64::MAX) + i64::from(session.running.is_some());
                    (Some(Waits::Turns { ahead }), None)
                }
                TurnState::Running => (session.waiting.map(Waits::Person), Some(session.id)),
                _ => (None, None),
            })
        });
        let (waits, runs_in) = looked.await?;
        let text = match runs_in.and_then(|session| self.inner.runner(&session)) {
            Some(runner) => runner.partial(id.clone()).await.unwrap_or_default(),
            None => String::new(),
        };
        Ok(Standing { text, waits })
    }
}
