//! Turns that cannot be worked on just now: they wait again at their old place.

use iris_core::agent::Limit;
use iris_core::event::StopCause;
use iris_core::pool::PoolPhase;
use iris_core::team::OnInterrupted;
use iris_core::turn::{Ending, TurnOutcome};
use iris_store::turn::{AgentAfter, Work};
use iris_store::{StoreError, turn as turns, wall_ms};

use super::run::Runner;
use crate::engine::policy;

/// A limit that is said to last longer is looked at again then. Accounts are given so much a month.
const LONGEST_PAUSE_MS: i64 = 35 * 24 * HOUR_MS;
const HOUR_MS: i64 = 3_600_000;
/// With pauses that grow to an hour this is most of a day.
const MOST_TRIES: i64 = 20;

/// How long to wait after so many tries. Nobody knows when the limit is lifted unless the agent said so, so it is asked less
/// and less often; and a time that is over already may have been a wrong one.
fn pause_ms(usual: i64, tries: i64, resets_in: Option<i64>) -> i64 {
    let doubled = |first: i64| first.saturating_mul(1 << (tries - 1).clamp(0, 20)).min(HOUR_MS.max(first));
    match resets_in {
        Some(resets_in) => resets_in.max(doubled(1000)).min(LONGEST_PAUSE_MS),
        None => doubled(usual),
    }
}

impl Runner {
    /// A limit was reached. The turn waits again at its old place until the limit is lifted; one that meets a limit at
    /// every try ends.
    pub(super) async fn pause(&mut self, limit: Limit, so_far: TurnOutcome) -> Result<(), StoreError> {
        let tries = self.current.as_ref().map_or(0, |current| current.tries) + 1;
        if tries >= MOST_TRIES {
            let error =
                format!("a limit was met at each of {tries} tries, the last time: {}; tell it again later", limit.what);
            return self.end(TurnOutcome { ending: Ending::Failed { error }, ..so_far }, AgentAfter::Ready).await;
        }
        let Some(current) = self.current.take() else { return Ok(()) };
        let mut usage = so_far.usage;
        usage += &current.spent;
        if let Some(saving) = self.saving.take() {
            saving.await?;
        }
        let usual = i64::try_from(self.engine.config().settings.limit_pause.0).unwrap_or(i64::MAX);
        let delay_ms = pause_ms(usual, tries, limit.resets_at.map(|at| at - wall_ms()));
        tracing::warn!(session = %self.session, turn = %current.id, delay_ms, why = limit.what, "a limit was reached; the session rests");
        let (session, epoch, turn) = (self.session.clone(), self.epoch, current.id);
        let pause = turns::Pause { said: current.record.unsaved, delay_ms, why: limit.what, usage: Some(usage) };
        self.engine.persist("turn.pause", move |tx| turns::pause(tx, &session, epoch, &turn, &pause)).await?;
        // It is to be run again.
        self.last_turn = None;
        self.rest();
        self.engine.upkeep.nudge();
        Ok(())
    }

    /// Whether the turn is run again when Iris ends in the middle of it, unless somebody wants it to end.
    pub(super) fn runs_again(&self) -> bool {
        let is_wanted = self.current.as_ref().is_some_and(|current| !current.turn().cancel_asked());
        is_wanted && policy(&self.engine.interruption_policies(), &self.team) == OnInterrupted::Resume
    }

    /// Iris ends and waits no longer: the turn is the next daemon's.
    pub(super) async fn leave_running(&mut self) -> Result<(), StoreError> {
        let Some(current) = self.current.take() else { return Ok(()) };
        if let Some(saving) = self.saving.take() {
            saving.await?;
        }
        tracing::info!(session = %self.session, turn = %current.id, "a turn did not end in time; the next daemon runs it again");
        let (session, epoch) = (self.session.clone(), self.epoch);
        let leave = move |tx: &mut iris_store::Tx<'_>| {
            turns::leave_running(tx, &session, epoch, &current.id, &current.record.unsaved)
        };
        self.engine.persist("turn.leave", leave).await
    }

    /// This agent is not what it should be any more, or another session is to have its place: the turn waits at its own for
    /// the next.
    pub(super) async fn give_back(&mut self, work: Work, because: StopCause) -> Result<(), StoreError> {
        let why = match because {
            StopCause::Untrusted => "the folder's settings have changed since they were trusted",
            StopCause::Evicted => "another session has waited for a place in the pool",
            _ => "the team's config has changed",
        };
        tracing::info!(session = %self.session, why, "another agent takes the place of this one");
        self.gave_back = true;
        self.handle.slot.set(PoolPhase::Stopping);
        let pause = turns::Pause { why: why.to_owned(), ..turns::Pause::default() };
        let give_back =
            move |tx: &mut iris_store::Tx<'_>| turns::pause(tx, &work.session, work.epoch, &work.turn, &pause);
        self.engine.persist("turn.pause", give_back).await
    }

    /// The agent ended before it said anything to an answer that it was told: the next one is told it.
    pub(super) async fn leave_to_next(&mut self) -> Result<bool, StoreError> {
        if let Some(saving) = self.saving.take() {
            saving.await?;
        }
        let Some(current) = self.current.as_mut().filter(|current| current.cancel_until.is_none()) else {
            return Ok(false);
        };
        let said = std::mem::take(&mut current.record.unsaved);
        let (session, epoch, turn) = (self.session.clone(), self.epoch, current.id.clone());
        let tell_next = move |tx: &mut iris_store::Tx<'_>| turns::tell_next(tx, &session, epoch, &turn, &said);
        let is_left = self.engine.persist("turn.tell_next", tell_next).await?;
        if is_left {
            self.current = None;
        }
        Ok(is_left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_an_hour_and_a_time_that_was_said_is_kept_to() {
        let usual = 300_000;
        let grown: Vec<i64> = (1..=6).map(|tries| pause_ms(usual, tries, None) / 60_000).collect();
        assert_eq!(grown, [5, 10, 20, 40, 60, 60]);
        assert_eq!(pause_ms(2 * HOUR_MS, 3, None), 2 * HOUR_MS, "what the config says is never made shorter");
        assert_eq!(pause_ms(usual, 1, Some(7_000)), 7_000);
        assert_eq!(pause_ms(usual, 1, Some(-7_000)), 1_000);
        assert_eq!(pause_ms(usual, 5, Some(0)), 16_000, "a time that is over again and again is not to be trusted");
        assert_eq!(pause_ms(usual, 1, Some(31 * 24 * HOUR_MS)), 31 * 24 * HOUR_MS);
        assert_eq!(pause_ms(usual, 1, Some(100 * 24 * HOUR_MS)), LONGEST_PAUSE_MS);
    }
}
