//! What agents may ask, and how long people have to answer.

use iris_core::duration::Millis;
use iris_core::question::{OnDeadline, Policy};
use iris_store::question::Limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::question::path::follow_links;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct QuestionsConfig {
    pub deadlines: DeadlinesConfig,
    /// What happens at the deadline of a question that has no default: `fail`, or `wait` for ever.
    #[schemars(with = "String")]
    pub on_deadline: OnDeadline,
    /// The shortest deadline that an agent may ask for.
    pub shortest_deadline: Millis,
    /// The longest.
    pub longest_deadline: Millis,
    /// How long a refusal holds for whoever asks for the same again.
    pub refusals_last: Millis,
    /// How many questions one session may ask in a minute.
    pub per_minute: u32,
    /// How many it may have open.
    pub open_per_session: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct DeadlinesConfig {
    /// How long a question that the work waits for stays open.
    pub blocking: Millis,
    /// How long something may be approved.
    pub approval: Millis,
    /// How long it may be said what to do about a failure.
    pub error_recovery: Millis,
}

impl Default for QuestionsConfig {
    fn default() -> Self {
        Self {
            deadlines: DeadlinesConfig::default(),
            on_deadline: OnDeadline::Fail,
            shortest_deadline: Millis(5 * 60_000),
            longest_deadline: Millis(24 * 3_600_000),
            refusals_last: Millis(24 * 3_600_000),
            per_minute: 30,
            open_per_session: 100,
        }
    }
}

impl Default for DeadlinesConfig {
    fn default() -> Self {
        Self { blocking: Millis(30 * 60_000), approval: Millis(15 * 60_000), error_recovery: Millis(10 * 60_000) }
    }
}

impl QuestionsConfig {
    /// The key that is wrong, and why.
    pub(super) fn check(&self) -> Result<(), (&'static str, &'static str)> {
        if self.on_deadline == OnDeadline::Default {
            return Err(("onDeadline", "must be fail or wait; a default is the question's own"));
        }
        if self.per_minute == 0 || self.open_per_session == 0 {
            return Err(("perMinute", "and openPerSession must be at least 1"));
        }
        if self.shortest_deadline > self.longest_deadline {
            return Err(("shortestDeadline", "must not be more than longestDeadline"));
        }
        let deadlines = [self.deadlines.blocking, self.deadlines.approval, self.deadlines.error_recovery];
        if deadlines.iter().any(|deadline| deadline.0 == 0) {
            return Err(("deadlines", "must be more than 0; set onDeadline: wait to wait for ever"));
        }
        let bounds = self.shortest_deadline..=self.longest_deadline;
        if self.deadlines != DeadlinesConfig::default() && !deadlines.iter().all(|deadline| bounds.contains(deadline)) {
            return Err((
                "deadlines",
                "must be between shortestDeadline (5m) and longestDeadline (24h); write 15m for 15 minutes",
            ));
        }
        Ok(())
    }

    pub fn policy(&self) -> Policy {
        Policy {
            blocking: self.deadlines.blocking,
            approval: self.deadlines.approval,
            error_recovery: self.deadlines.error_recovery,
            shortest: self.shortest_deadline,
            longest: self.longest_deadline,
            on_deadline: self.on_deadline,
            real: follow_links,
        }
    }

    pub fn limits(&self) -> Limits {
        Limits { per_minute: i64::from(self.per_minute), open: i64::from(self.open_per_session) }
    }
}
