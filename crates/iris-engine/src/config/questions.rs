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
    pub on_deadline: WithoutDefault,
    /// The shortest deadline that an agent may ask for.
    pub shortest_deadline: Millis,
    /// The longest.
    pub longest_deadline: Millis,
    /// How long a refusal holds for whoever asks for the same again.
    pub refusals_last: Millis,
    /// How many questions one session may ask in a minute.
    #[schemars(range(min = 1))]
    pub per_minute: u32,
    /// How many it may have open.
    #[schemars(range(min = 1))]
    pub open_per_session: u32,
}

/// A default is the question's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WithoutDefault {
    Fail,
    Wait,
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
            on_deadline: WithoutDefault::Fail,
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
    pub(super) fn check(&self) -> Result<(), (&'static str, String)> {
        let wrong = |key, what: &str| Err((key, what.to_owned()));
        for (key, number) in [("perMinute", self.per_minute), ("openPerSession", self.open_per_session)] {
            if number == 0 {
                return wrong(key, "must be at least 1");
            }
        }
        let (shortest, longest) = (self.shortest_deadline, self.longest_deadline);
        if shortest > longest {
            // The one that somebody has set is the one that is in the file.
            return match longest == Self::default().longest_deadline {
                true => Err(("shortestDeadline", format!("must not be more than longestDeadline ({longest})"))),
                false => Err(("longestDeadline", format!("must not be less than shortestDeadline ({shortest})"))),
            };
        }
        let usual = DeadlinesConfig::default();
        for (key, deadline, usual) in [
            ("deadlines.blocking", self.deadlines.blocking, usual.blocking),
            ("deadlines.approval", self.deadlines.approval, usual.approval),
            ("deadlines.errorRecovery", self.deadlines.error_recovery, usual.error_recovery),
        ] {
            if deadline.0 == 0 {
                return wrong(key, "must be more than 0; set onDeadline: wait to wait for ever");
            }
            if deadline != usual && !(shortest..=longest).contains(&deadline) {
                let bounds = format!("shortestDeadline ({shortest}) and longestDeadline ({longest})");
                return Err((key, format!("must be between {bounds}; write 15m for 15 minutes")));
            }
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
            on_deadline: match self.on_deadline {
                WithoutDefault::Fail => OnDeadline::Fail,
                WithoutDefault::Wait => OnDeadline::Wait,
            },
            real: follow_links,
        }
    }

    pub fn limits(&self) -> Limits {
        Limits { per_minute: i64::from(self.per_minute), open: i64::from(self.open_per_session) }
    }
}
