//! Agents in whose place another is to be: they were started with a config that is not in force any more, or another session
//! has waited for the place. What can be taken up of a config is taken up at once; for the rest an agent goes as soon as it is
//! at rest.

use std::sync::Arc;

use iris_core::event::StopCause;
use iris_store::StoreError;

use super::StopMode;
use super::run::{Next, Runner};

impl Runner {
    pub(super) fn take_up_config(&mut self) {
        let config = self.engine.config();
        if self.config.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, &config)) {
            return;
        }
        let team = config.teams.get(&self.team);
        if self.outdated != Some(StopCause::Untrusted) {
            let is_like = team.is_some_and(|team| team.starts_like(&self.started_as));
            self.outdated = (!is_like).then_some(StopCause::Reconfigured);
        }
        if let Some(team) = team {
            self.grant = team.grant();
            self.response_timeout = team.response_timeout.unwrap_or(config.settings.response_timeout);
            if let Some(current) = &self.current {
                current.turn().set_grant(self.grant);
            }
        }
        self.config = Some(config);
    }

    /// Before it is told its next turn.
    pub(super) async fn look_whether_outdated(&mut self) -> Result<(), StoreError> {
        self.take_up_config();
        if self.has_lost_trust().await? {
            self.outdated = Some(StopCause::Untrusted);
        }
        let may_make_way = self.outdated.is_none() && self.last_turn.is_some() && self.background.is_over();
        if may_make_way && self.engine.pool.takes_place(self.handle.age()) {
            self.outdated = Some(StopCause::Evicted);
        }
        Ok(())
    }

    /// Makes room for another, if this one is outdated and does nothing. A tell that comes first is given back.
    pub(super) async fn make_room(&mut self) -> Result<Next, StoreError> {
        let is_at_rest = self.current.is_none() && self.background.is_over() && !self.is_waited_for();
        match self.outdated {
            Some(why) if is_at_rest => self.stop(StopMode::IfIdle, why, None).await,
            _ => Ok(Next::GoOn),
        }
    }
}
