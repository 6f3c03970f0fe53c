//! Turns that cannot be worked on just now: they wait again at their old place.

use iris_core::agent::Limit;
use iris_core::event::StopCause;
use iris_store::turn::Work;
use iris_store::{StoreError, turn as turns, wall_ms};

use super::run::Runner;

/// A limit that is said to last longer is looked at again then.
const LONGEST_PAUSE_MS: i64 = 24 * 3_600_000;

impl Runner {
    /// A limit was reached. The turn waits again at its old place until the limit is lifted.
    pub(super) async fn pause(&mut self, limit: Limit) -> Result<(), StoreError> {
        let Some(current) = self.current.take() else { return Ok(()) };
        if let Some(saving) = self.saving.take() {
            saving.await?;
        }
        let default = i64::try_from(self.engine.config().settings.limit_pause.0).unwrap_or(i64::MAX);
        let delay = limit.resets_at.map_or(default, |at| (at - wall_ms()).clamp(1000, LONGEST_PAUSE_MS));
        tracing::warn!(session = %self.session, delay_ms = delay, why = limit.what, "a limit was reached; the session rests");
        let (session, epoch, turn) = (self.session.clone(), self.epoch, current.id);
        let said = current.unsaved;
        let pause =
            move |tx: &mut iris_store::Tx<'_>| turns::pause(tx, &session, epoch, &turn, &said, delay, &limit.what);
        self.engine.persist("turn.pause", pause).await?;
        // It is to be run again.
        self.last_turn = None;
        self.rest();
        self.engine.upkeep.nudge();
        Ok(())
    }

    /// This agent is not what it should be any more: the turn waits at its old place for one that is.
    pub(super) async fn give_back(&mut self, work: Work, because: StopCause) -> Result<(), StoreError> {
        let why = match because {
            StopCause::Untrusted => "the folder's settings have changed since they were trusted",
            _ => "the team's config has changed",
        };
        tracing::info!(session = %self.session, why, "another agent takes the place of this one");
        self.gave_back = true;
        let pause =
            move |tx: &mut iris_store::Tx<'_>| turns::pause(tx, &work.session, work.epoch, &work.turn, &[], 0, why);
        self.engine.persist("turn.pause", pause).await
    }
}
