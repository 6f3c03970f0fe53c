//! Sessions.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    pub id: String,
    pub from: String,
    pub to: String,
    /// stopped, spawning, idle, processing or terminating.
    pub state: String,
    /// The event this state came from, and when that was.
    pub state_event: i64,
    pub state_since: i64,
    pub state_age_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<i64>,
    /// The turn that runs now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<String>,
    /// How many turns wait.
    pub queued: i64,
    /// How many turns it has had in all.
    pub turns: i64,
    pub created_at: i64,
    pub used_at: i64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Removed {
    /// How many turns were forgotten.
    pub turns: i64,
}
