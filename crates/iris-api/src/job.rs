//! Jobs: a team works on a goal to its end.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    pub id: String,
    pub team: String,
    pub goal: String,
    /// running, waiting_for_input, waiting_for_approval, completed, failed or stopped.
    pub status: String,
    /// The event this status came from, and when that was.
    pub status_event: i64,
    pub status_since: i64,
    pub status_age_ms: i64,
    /// The conversation it is worked on in.
    pub session: String,
    pub started_by: String,
    /// The job whose work this one does again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again_of: Option<String>,
    pub created_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<i64>,
    /// What its agent said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartJobRequest {
    pub team: String,
    /// What is to be done.
    pub goal: String,
    /// The same key never starts a second job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}
