//! Teams, and waking and putting them to sleep.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::session::Session;

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Team {
    pub name: String,
    pub path: String,
    /// claude, codex, acp or scripted.
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// How many of its sessions have a live agent.
    pub awake: usize,
    pub sessions: usize,
    pub queued: i64,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamStatus {
    pub team: Team,
    pub sessions: Vec<Session>,
}

/// Which session of a team is meant: that of this party. Without one, the user's.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct PartyRequest {
    pub from_team: Option<String>,
    /// For sleep: stop it though it is at work. For sleep and cancel: all sessions of the team.
    pub force: bool,
    pub all: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WakeResponse {
    pub session: Session,
    pub was_awake: bool,
    /// It waited for a limit to be lifted, and does not any more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_held: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SleepResponse {
    /// How many agents were ended. 0: none was awake.
    pub stopped: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CancelResponse {
    /// The turns that were withdrawn or whose agent was interrupted.
    pub turns: Vec<String>,
}

/// Whether the settings that a team's folder brings along take effect.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Trust {
    pub folder: String,
    /// The files that would take effect. Nothing to trust if there are none.
    pub files: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    pub trusted: bool,
    /// It was trusted before and has changed since.
    pub changed: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustRequest {
    /// The digest of what was looked at.
    pub digest: String,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ForkRequest {
    /// Whose conversation is copied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_team: Option<String>,
    /// Who goes on with the copy; by default the same name with a number behind it.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    pub new_party: Option<String>,
}
