//! The config as the engine uses it: read from YAML, checked as a whole, every value with its default.

mod analysis;
mod change;
mod check;
mod color;
mod expand;
mod explain;
mod listen;
mod load;
mod older;
mod place;
mod questions;
mod reference;
mod schema;
mod show;
mod unknown_team;
pub(crate) mod watch;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use iris_agents::contain::Wanted;
use iris_core::duration::Millis;
use iris_core::id::Party;
use iris_core::team::{AgentKind, GrantPermission, OnInterrupted, TeamName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use analysis::{AgentSettings, AnalysisError, CompletionAnalysis};
pub use change::Pending;
pub use explain::closest;
pub use listen::{Refused, listening_address};
pub use load::{
    ConfigError, check_value, has_key, load, parse, parse_unfilled, parse_values, place_of, read_regular, read_text,
    says_nothing, value_place_of,
};
pub use place::lines_of_texts;
pub use questions::{DeadlinesConfig, QuestionsConfig};
pub use reference::reference;
pub use schema::schema;
pub use unknown_team::UnknownTeam;
pub use watch::{ConfigState, Outside, Waiting};

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Config {
    pub settings: Settings,
    pub teams: BTreeMap<TeamName, Arc<TeamConfig>>,
    pub questions: QuestionsConfig,
    pub database: DatabaseConfig,
    pub server: ServerConfig,
    pub telemetry: TelemetryConfig,
}

impl Config {
    /// Agents speak for teams.
    pub fn is_team(&self, party: &Party) -> bool {
        self.teams.keys().any(|team| team.as_str() == party.as_str())
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Settings {
    /// How long an agent may take to become ready.
    pub session_init_timeout: Millis,
    /// How long an agent may be silent in a turn. Starts anew with every message.
    pub response_timeout: Millis,
    /// How long an agent may be idle before it is put to sleep.
    pub idle_timeout: Millis,
    /// How many agents may be alive at once.
    #[schemars(range(min = 1))]
    pub max_processes: usize,
    /// How often it is looked whether agents that should be alive are.
    pub health_check_interval: Millis,
    /// How many turns may wait in one session.
    #[schemars(range(min = 1))]
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
    /// What is done about what agents say.
    pub agent: AgentSettings,
    /// The address to listen on. Beyond loopback it needs TLS or a stated proxy (`server`).
    pub host: String,
    /// The port to listen on; 0 takes a free one.
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
            agent: AgentSettings::default(),
            host: "127.0.0.1".to_owned(),
            port: 1615,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TeamConfig {
    /// The project's folder: absolute, or in your own (`~/code/backend`).
    pub path: PathBuf,
    /// What the project is, for people and for agents that look for whom to ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Which program serves the team.
    #[serde(default)]
    pub agent: AgentKind,
    /// The script of a scripted agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<PathBuf>,
    /// The program, if it is not found by its usual name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<PathBuf>,
    /// What is given to the program beside what Iris gives it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Variables for the agent. It sees of the daemon's own only what it needs to run (docs/claude.md).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The model, in the words of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How long the team's agents may be idle, instead of `settings.idleTimeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle_timeout: Option<Millis>,
    /// How long they may be silent in a turn, instead of `settings.responseTimeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_timeout: Option<Millis>,
    /// Who decides when an agent asks leave to use a tool.
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
    /// What happens to a turn that was running when the daemon died.
    #[serde(default)]
    pub on_interrupted: OnInterrupted,
    /// Which of several daemons on one database serves the team: the `node` of its `iris status`, or its host's name. Else
    /// any may, and the one that began a conversation goes on with it for as long as it lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The team's colour in the dashboard, such as `#3366ff`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentHome {
    /// The user's own: the agent finds the user's login and settings there.
    #[default]
    Shared,
    /// One of the team's own below IRIS_HOME, empty at first. What it needs to log in has to be in the team's `env`.
    Own,
}

impl TeamConfig {
    /// Whether an agent that was started with the one is as good as one that was started with the other.
    pub fn starts_like(&self, other: &Self) -> bool {
        let started_with = |team: &Self| Self {
            description: None,
            color: None,
            grant_permission: None,
            skip_permissions: false,
            idle_timeout: None,
            response_timeout: None,
            on_interrupted: OnInterrupted::default(),
            ..team.clone()
        };
        started_with(self) == started_with(other)
    }

    pub fn grant(&self) -> GrantPermission {
        match (self.grant_permission, self.skip_permissions) {
            (Some(grant), _) => grant,
            (None, true) => GrantPermission::Yes,
            (None, false) => GrantPermission::default(),
        }
    }
}

/// The doors: by which names Iris is known and how often it may be asked.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct ServerConfig {
    /// Needed to listen beyond loopback, unless a proxy does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsConfig>,
    /// A proxy in front of Iris ends TLS, and nobody else can reach Iris.
    pub behind_proxy: bool,
    /// Names beside loopback by which it may be asked, with a port or without.
    pub allowed_hosts: Vec<String>,
    /// Pages of other origins that may ask with a token, such as `https://tools.example`.
    pub allowed_origins: Vec<String>,
    /// How often a token or a browser may ask; the owner's token is not limited.
    pub requests_per_second: NonZeroU32,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            tls: None,
            behind_proxy: false,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            requests_per_second: NonZeroU32::new(200).expect("not zero"),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TlsConfig {
    /// A PEM file: the certificate with its chain.
    pub certificate: PathBuf,
    /// A PEM file: its key.
    pub key: PathBuf,
}

/// Where figures and traces are sent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct TelemetryConfig {
    /// A collector that speaks OTLP over HTTP, such as `http://127.0.0.1:4318`. Without it nothing is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub otlp: Option<String>,
    /// What the collector wants to be sent along, such as a key.
    #[serde(skip_serializing)]
    pub headers: BTreeMap<String, String>,
    /// How often figures are sent.
    pub interval: Millis,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        Self { otlp: None, headers: BTreeMap::new(), interval: Millis(60_000) }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct DatabaseConfig {
    /// `postgres://…`; without it the embedded SQLite in IRIS_HOME is used. For TLS say `?sslmode=`: `prefer` (the default)
    /// encrypts if the server offers it, `require` always, `verify-full` also checks the certificate and its name against the
    /// roots of the system or those in `&sslrootcert=/path/of/root.pem`. `verify-ca` and `require` with such a file check
    /// who signed it and not the name; `disable` never encrypts.
    #[serde(skip_serializing)]
    pub url: Option<String>,
    /// How often a daemon on PostgreSQL looks for what other daemons wrote or left behind, beside being told by them.
    pub poll_interval: Millis,
}

impl Default for DatabaseConfig {
    fn default() -> Self {
        Self { url: None, poll_interval: Millis(500) }
    }
}
