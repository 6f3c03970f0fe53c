//! The config as the engine uses it: read from YAML, checked as a whole, every value with its default.

mod expand;
mod load;

use std::collections::BTreeMap;
use std::path::PathBuf;

use iris_agents::contain::Wanted;
use iris_core::duration::Millis;
use iris_core::question::{OnDeadline, Policy};
use iris_core::team::{AgentKind, GrantPermission, OnInterrupted, TeamName};
use iris_store::question::Limits;
use serde::{Deserialize, Serialize};

pub use load::{ConfigError, load, parse};

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Config {
    pub settings: Settings,
    pub teams: BTreeMap<TeamName, TeamConfig>,
    pub questions: QuestionsConfig,
    pub database: DatabaseConfig,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Settings {
    /// How long an agent may take to become ready.
    pub session_init_timeout: Millis,
    /// How long an agent may be silent in a turn. Starts anew with every message.
    pub response_timeout: Millis,
    /// How long an agent may be idle before it is put to sleep.
    pub idle_timeout: Millis,
    /// How many agents may be alive at once.
    pub max_processes: usize,
    pub health_check_interval: Millis,
    /// How many turns may wait in one session.
    pub max_queue: u32,
    /// How many agents may be starting at once; by default as many as the machine has cores.
    pub max_spawning: Option<usize>,
    /// How long running turns may go on when Iris is asked to stop.
    pub shutdown_grace: Millis,
    /// How many tells may be made one in another: an agent asks an agent that asks an agent.
    pub max_tell_depth: u32,
    /// How long a session rests after a limit of which the agent does not say when it is lifted.
    pub limit_pause: Millis,
    /// How agents are contained: the strongest way there is, or always the weaker one.
    pub containment: Wanted,
    pub host: String,
    pub port: u16,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            session_init_timeout: Millis(30_000),
            response_timeout: Millis(120_000),
            idle_timeout: Millis(30_000_000),
            max_processes: 10,
            health_check_interval: Millis(30_000),
            max_queue: 1000,
            max_spawning: None,
            shutdown_grace: Millis(5_000),
            max_tell_depth: 8,
            limit_pause: Millis(300_000),
            containment: Wanted::Auto,
            host: "127.0.0.1".to_owned(),
            port: 1615,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TeamConfig {
    /// The project's folder, absolute.
    pub path: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default)]
    pub agent: AgentKind,
    /// The script of a scripted agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_timeout: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_permission: Option<GrantPermission>,
    /// The older way to say `grantPermission: yes`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skip_permissions: bool,
    /// Tools the agent may use without asking, in the words of its kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_tools: Vec<String>,
    /// Tools it does not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disallowed_tools: Vec<String>,
    /// What is added to the agent's own instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub append_system_prompt: Option<String>,
    /// What one process of the agent may spend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_budget_usd: Option<f64>,
    /// Whose home the agent lives in.
    #[serde(default)]
    pub home: AgentHome,
    #[serde(default)]
    pub on_interrupted: OnInterrupted,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentHome {
    /// The user's own: the agent finds the user's login and settings there.
    #[default]
    Shared,
    /// One of the team's own below IRIS_HOME, empty at first. What it needs to log in has to be in the team's `env`.
    Own,
}

impl TeamConfig {
    pub fn grant(&self) -> GrantPermission {
        match (self.grant_permission, self.skip_permissions) {
            (Some(grant), _) => grant,
            (None, true) => GrantPermission::Yes,
            (None, false) => GrantPermission::default(),
        }
    }
}

/// What agents may ask, and how long people have to answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct QuestionsConfig {
    pub deadlines: DeadlinesConfig,
    /// What happens at the deadline of a question that has no default: `fail`, or `wait` for ever.
    pub on_deadline: OnDeadline,
    /// What an agent may ask for as a deadline lies between these.
    pub shortest_deadline: Millis,
    pub longest_deadline: Millis,
    /// How long a refusal holds for whoever asks for the same again.
    pub refusals_last: Millis,
    /// How many questions one session may ask in a minute, and have open.
    pub per_minute: u32,
    pub open_per_session: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct DeadlinesConfig {
    pub blocking: Millis,
    pub approval: Millis,
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
    pub fn policy(&self) -> Policy {
        Policy {
            blocking: self.deadlines.blocking,
            approval: self.deadlines.approval,
            error_recovery: self.deadlines.error_recovery,
            shortest: self.shortest_deadline,
            longest: self.longest_deadline,
            on_deadline: self.on_deadline,
        }
    }

    pub fn limits(&self) -> Limits {
        Limits { per_minute: i64::from(self.per_minute), open: i64::from(self.open_per_session) }
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct DatabaseConfig {
    /// `postgres://…`; without it the embedded SQLite in IRIS_HOME is used.
    #[serde(skip_serializing)]
    pub url: Option<String>,
}
