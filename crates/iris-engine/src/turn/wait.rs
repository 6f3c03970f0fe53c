//! Waiting for a turn to end. Subscribe, then look, then wait: in that order no end is missed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use iris_core::id::TurnId;
use iris_core::turn::TurnOutcome;
use iris_store::turn::TurnRow;
use iris_store::{Store, StoreError, turn};
use tokio::sync::oneshot;

use super::TurnReport;

#[derive(Clone, Default)]
pub(crate) struct Waiters {
    waiting: Arc<Mutex<HashMap<TurnId, Vec<Wake>>>>,
}

type Wake = oneshot::Sender<Option<Arc<TurnReport>>>;

pub(crate) struct Waiter {
    waiters: Waiters,
    turn: TurnId,
    woken: oneshot::Receiver<Option<Arc<TurnReport>>>,
}

/// A turn may end on another node, whose notice may be lost.
const LOOK_ANYWAY: Duration = Duration::from_secs(1);

impl Waiters {
    pub fn subscribe(&self, turn: &TurnId) -> Waiter {
        let (wake, woken) = oneshot::channel();
        self.lock().entry(turn.clone()).or_default().push(wake);
        Waiter { waiters: self.clone(), turn: turn.clone(), woken }
    }

    /// The turn has ended and that is on disk.
    pub fn complete(&self, report: TurnReport) {
        let Some(waiting) = self.lock().remove(&report.turn) else { return };
        let report = Arc::new(report);
        for wake in waiting {
            // Whoever stopped waiting finds the end in the store.
            wake.send(Some(Arc::clone(&report))).ok();
        }
    }

    /// The turn was ended by the store alone: whoever waits should look there.
    pub fn look(&self, turn: &TurnId) {
        for wake in self.lock().remove(turn).unwrap_or_default() {
            wake.send(None).ok();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<TurnId, Vec<Wake>>> {
        self.waiting.lock().expect("nothing panics while it holds the waiters")
    }
}

impl Waiter {
    /// Returns when the turn is over.
    pub async fn ended(&mut self, store: &Store) -> Result<Arc<TurnReport>, StoreError> {
        loop {
            if let Ok(Ok(Some(report))) = tokio::time::timeout(LOOK_ANYWAY, &mut self.woken).await {
                return Ok(report);
            }
            let turn = self.turn.clone();
            match store.read(move |tx| turn::find(tx, &turn)).await {
                Ok(Some(row)) if row.state.is_over() => return Ok(Arc::new(report_of(row))),
                Ok(_) => {}
                // The wait goes on over a trouble of the database; only a closed one ends it.
                Err(error) if error.may_pass() => {}
                Err(error) => return Err(error),
            }
            if self.woken.is_terminated() {
                *self = self.waiters.clone().subscribe(&self.turn.clone());
            }
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.woken.close();
        let mut waiting = self.waiters.lock();
        if let Some(wakes) = waiting.get_mut(&self.turn) {
            wakes.retain(|wake| !wake.is_closed());
            if wakes.is_empty() {
                waiting.remove(&self.turn);
            }
        }
    }
}

/// The report of a turn that is over, as the store has it.
pub(crate) fn report_of(row: TurnRow) -> TurnReport {
    let duration_ms = row.duration_ms.unwrap_or(0);
    let ending = row.ending.unwrap_or(iris_core::turn::Ending::Completed);
    TurnReport {
        turn: row.id,
        session: row.session,
        outcome: TurnOutcome {
            ending,
            response: row.response.unwrap_or_default(),
            usage: row.usage.unwrap_or_default(),
        },
        duration_ms,
    }
}
