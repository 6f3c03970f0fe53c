//! The daemon's own state, and backups.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    pub version: String,
    pub pid: u32,
    pub node: String,
    /// What the machine is called that it runs on.
    pub machine: String,
    pub home: String,
    /// sqlite or postgres.
    pub database: String,
    /// Whether anything can be accepted just now.
    pub store: StoreStatus,
    pub agents: usize,
    pub max_agents: usize,
    /// Sessions that have work and wait for a place in the pool.
    pub waiting_sessions: usize,
    pub newest_event: i64,
    pub uptime_ms: i64,
    pub containment: ContainmentStatus,
    pub config: ConfigStatus,
}

/// Whether the config file says what is in force.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigStatus {
    /// Why the file as it is now is not used. What was in force before still is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_at: Option<i64>,
    /// Since when the file is changed and not used yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_since: Option<i64>,
    /// What for: `rest` (it has changed just now) or `writer` (somebody still has it open to write to).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<String>,
    /// What takes effect with the next start.
    pub pending: Vec<PendingSetting>,
}

/// A key whose new value takes effect with the next start. A secret's values are not told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingSetting {
    pub key: String,
    pub now: String,
    pub next: String,
}

/// The config in force.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EffectiveConfig {
    pub file: String,
    #[serde(flatten)]
    pub status: ConfigStatus,
    /// Every key with its value, defaults too; secrets are masked.
    #[schema(value_type = Object)]
    pub config: serde_json::Value,
}

/// How it is made sure that nothing an agent started outlives it.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ContainmentStatus {
    /// A cgroup for each agent, in this one.
    Cgroup { group: String },
    /// Process groups and marks in the environment, because of this.
    Sweep { why: String },
}

/// What a stop of everything ended.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StopResponse {
    /// How many agents were ended.
    pub agents: usize,
    /// The turns that waited and were withdrawn.
    pub withdrawn: Vec<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(tag = "state", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum StoreStatus {
    Well,
    Troubled { what: String, hint: Option<String>, since: i64 },
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct BackupRequest {
    /// Absolute, on the daemon's machine.
    pub path: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupResponse {
    pub path: String,
    pub bytes: u64,
    pub schema: u32,
}
