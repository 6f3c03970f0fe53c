//! Sessions.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    pub id: String,
    pub from: String,
    pub to: String,
    /// stopped, spawning, idle, processing or terminating; waiting_for_input or waiting_for_approval while its agent needs
    /// a person.
    pub state: String,
    /// The event this state came from, and when that was.
    pub state_event: i64,
    pub state_since: i64,
    pub state_age_ms: i64,
    /// What that event was. Not there if it was forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_source: Option<StateSource>,
    /// The newest thing its agent said or did in the turn that runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<LastSaid>,
    /// How long its agent has said nothing, if it is at work and waits for nobody. One that is silent for the response
    /// timeout is stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<i64>,
    /// The turn that runs now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
    /// How many turns wait.
    pub queued: i64,
    /// What they wait for, if it is not the turn before them: `place` (all agents are at work), or `team` (it is not in the
    /// config any more).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// How many turns are put off to a later time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub scheduled: i64,
    /// How many turns it has had in all.
    pub turns: i64,
    /// How many tasks its agent has going between turns. It is idle only when there are none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub background: i64,
    /// The session whose conversation this one began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork_of: Option<String>,
    /// A limit was reached: nothing is started before then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_until: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_why: Option<String>,
    pub created_at: i64,
    pub used_at: i64,
}

/// The event that a state came from.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateSource {
    pub seq: i64,
    /// Such as `session.stopped` or `turn.finished`.
    pub kind: String,
    /// Why an agent was stopped, or how a turn ended: `evicted`, `completed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// What an agent said or did, in a line.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastSaid {
    /// The type of the message: `tool_use`, `assistant`, …
    pub kind: String,
    /// What it does just now; empty if the message says nothing of it.
    pub text: String,
    pub at: i64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Removed {
    /// How many turns were forgotten.
    pub turns: i64,
}
