//! The clocks of one agent: how long it may take to start, be silent, and break off. The first two do not count a time in which
//! this process itself stood still.

use std::future::Future;

use iris_core::duration::Millis;
use iris_core::event::StopCause;
use iris_core::turn::TurnInput;
use iris_store::StoreError;
use tokio::time::{Duration, Instant};

use super::StopMode;
use super::run::{Next, Runner};

/// How often it is looked whether the folder of an agent that works in the background is still trusted.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// An agent that says it rests for longer than this is taken to be silent then.
const LONGEST_REST: Duration = Duration::from_secs(3600);

impl Runner {
    /// The next moment at which something has to be done though nothing happens.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let Some(current) = &self.current else {
            let look = (self.reads_folder && self.background.is_at_work()).then(|| self.looked + LOOK_EVERY);
            return [look, self.background.due_until()].into_iter().flatten().min();
        };
        let silence = (!self.is_waited_for()).then(|| current.heard + self.response_timeout.duration());
        let save = current.record.due_at().filter(|_| self.saving.is_none());
        [silence, current.cancel_until, save].into_iter().flatten().min()
    }

    pub(super) async fn check_time(&mut self) -> Result<Next, StoreError> {
        let now = Instant::now();
        let Some(current) = &mut self.current else {
            self.wait_no_longer_for_own().await?;
            // What it does in the background, it does by what its folder says by now.
            self.looked = now;
            return match self.has_lost_trust().await? {
                true => self.stop(StopMode::Now, StopCause::Untrusted, None).await,
                false => Ok(Next::GoOn),
            };
        };
        if current.cancel_until.is_some_and(|until| now >= until) {
            return self.apply(TurnInput::CancelIgnored, StopCause::CancelIgnored).await;
        }
        let silent_at = current.heard + self.response_timeout.duration();
        if stood_still(silent_at) {
            current.heard = now;
        } else if now >= silent_at && !self.is_waited_for() {
            let (after_ms, stderr) = (self.response_timeout.0, self.agent.complaint());
            return self.apply(TurnInput::Silent { after_ms, stderr }, StopCause::ResponseTimeout).await;
        }
        Ok(Next::GoOn)
    }

    pub(super) fn restart_clock(&mut self) {
        if let Some(current) = &mut self.current {
            (current.heard, current.rest) = (Instant::now(), Duration::ZERO);
        }
    }

    pub(super) fn restart_clock_in(&mut self, rest: Millis) {
        if let Some(current) = &mut self.current {
            current.rest = rest.duration().min(LONGEST_REST);
            current.heard = Instant::now() + current.rest;
        }
    }

    /// The agent waits no more for a person or for Iris, and goes on as it would have.
    pub(super) fn go_on_with_clock(&mut self) {
        if let Some(current) = &mut self.current {
            current.heard = Instant::now() + current.rest;
        }
    }
}

/// Whether this process itself did nothing when something was due: it was stopped, or the whole machine was paused. What its
/// agents said meanwhile is still in their pipes, and they may have stood still, too.
pub(super) fn stood_still(due: Instant) -> bool {
    Instant::now() >= due + Duration::from_secs(1)
}

/// What comes within a time, not counting one in which this process stood still.
pub(super) async fn within<T>(limit: Duration, what: impl Future<Output = T>) -> Option<T> {
    tokio::pin!(what);
    loop {
        let due = Instant::now() + limit;
        match tokio::time::timeout_at(due, &mut what).await {
            Ok(done) => return Some(done),
            Err(_) if stood_still(due) => {}
            Err(_) => return None,
        }
    }
}

pub(super) async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
