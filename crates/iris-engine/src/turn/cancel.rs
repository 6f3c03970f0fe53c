//! Cancelling: a turn that waits is withdrawn, one that runs is interrupted.

use iris_core::actor::Actor;
use iris_core::fault::FaultKind;
use iris_core::id::{SessionId, TurnId};
use iris_core::turn::TurnState;
use iris_store::turn::{CancelWaiting, cancel_by, cancel_waiting};
use iris_store::{StoreError, session, turn};

use crate::engine::Engine;

#[derive(Debug, thiserror::Error)]
pub enum CancelError {
    #[error("there is no turn {0}")]
    NotFound(TurnId),
    #[error("turn {turn} is {state} already")]
    Over { turn: TurnId, state: TurnState },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CancelError {
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::NotFound(_) => FaultKind::NotFound,
            Self::Over { .. } => FaultKind::Conflict,
            Self::Store(error) => error.kind(),
        }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound(_) => {
                Some("`iris cache inspect <team>` shows what was told, with the ids of turns".to_owned())
            }
            Self::Over { .. } => Some("nothing was changed: what is over cannot be cancelled".to_owned()),
            Self::Store(error) => error.hint().map(str::to_owned),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// It never ran.
    Withdrawn,
    /// Its agent was asked to break off; how it ends is told by the turn.
    Interrupted,
}

impl Engine {
    /// Without anybody, Iris itself wants it.
    pub async fn cancel_turn(&self, id: &TurnId, by: Option<&Actor>) -> Result<Cancelled, CancelError> {
        let (wanted, who) = (id.clone(), by.cloned());
        let cancel = self.inner.store.write("turn.cancel", move |tx| match &who {
            Some(by) => cancel_by(tx, &wanted, by),
            None => cancel_waiting(tx, &wanted),
        });
        let withdrawn = cancel.await?;
        match withdrawn {
            CancelWaiting::Done => {
                self.inner.waiters.look(id);
                Ok(Cancelled::Withdrawn)
            }
            CancelWaiting::NotFound => Err(CancelError::NotFound(id.clone())),
            CancelWaiting::Over(state) => Err(CancelError::Over { turn: id.clone(), state }),
            CancelWaiting::Running => {
                let wanted = id.clone();
                let row = self.inner.store.read(move |tx| turn::find(tx, &wanted)).await?;
                let row = row.ok_or_else(|| CancelError::NotFound(id.clone()))?;
                if let Some(runner) = self.inner.runner(&row.session) {
                    runner.cancel(id.clone(), by.cloned()).await;
                }
                Ok(Cancelled::Interrupted)
            }
        }
    }

    /// Withdraws everything that waits in a session, for its turn or for its time, and interrupts what runs. Returns what was asked to end.
    pub async fn cancel_session(&self, id: &SessionId, by: Option<&Actor>) -> Result<Vec<TurnId>, CancelError> {
        let wanted = id.clone();
        let going_on = self
            .inner
            .store
            .read(move |tx| {
                // First what is put off: its time may come at any moment, and it is then found among what waits.
                let mut turns = turn::list_put_off(tx, &wanted)?;
                turns.extend(turn::list_waiting(tx, &wanted)?);
                turns.extend(session::find(tx, &wanted)?.and_then(|row| row.running));
                Ok(turns)
            })
            .await?;
        let mut ended = Vec::new();
        for turn in going_on {
            match self.cancel_turn(&turn, by).await {
                Ok(_) => ended.push(turn),
                // It ended by itself meanwhile, which is as good.
                Err(CancelError::Over { .. } | CancelError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(ended)
    }
}
