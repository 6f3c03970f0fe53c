//! What is needed to start an agent, and the command each kind makes of it.

use std::collections::BTreeMap;
use std::path::PathBuf;

use iris_core::id::SessionId;
use iris_core::team::{AgentKind, TeamName};

/// How a team's agent is to run, whatever its kind.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    pub team: TeamName,
    pub kind: AgentKind,
    pub path: PathBuf,
    /// The script of a scripted agent.
    pub script: Option<PathBuf>,
    pub command: Option<PathBuf>,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub model: Option<String>,
    pub session: SessionId,
    pub conversation: Conversation,
    /// Where agents that keep no memory of their own keep it.
    pub state_folder: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversation {
    New,
    Resumed,
}

/// A command line that is ready to be run.
#[derive(Clone, Debug)]
pub struct Launch {
    pub program: PathBuf,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub folder: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("agent kind '{}' is not built into this version of Iris", .0.as_str())]
    NotBuilt(AgentKind),
    #[error("the folder {0} does not exist")]
    NoFolder(PathBuf),
    #[error("team '{0}' is scripted but names no script")]
    NoScript(TeamName),
    #[error("{program} could not be started ({why})")]
    NotStarted { program: String, why: std::io::Error },
}

impl LaunchError {
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotBuilt(_) => Some("set `agent: scripted` with a script for this team"),
            Self::NoFolder(_) => Some("set the team's `path` to a folder that exists"),
            Self::NoScript(_) => Some("add `script: /path/to/script.yaml` to the team"),
            Self::NotStarted { .. } => Some("check that the program is installed and may be run"),
        }
    }
}

pub fn launch(spec: &AgentSpec) -> Result<Launch, LaunchError> {
    if !spec.path.is_dir() {
        return Err(LaunchError::NoFolder(spec.path.clone()));
    }
    match spec.kind {
        AgentKind::Scripted => crate::scripted::launch::launch(spec),
        AgentKind::Claude | AgentKind::Codex | AgentKind::Acp => Err(LaunchError::NotBuilt(spec.kind)),
    }
}

/// What of the daemon's own environment an agent gets to see. Everything else, secrets above all, stays out.
const PASSED_ON: [&str; 9] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TERM"];

pub(crate) fn environment(spec: &AgentSpec) -> BTreeMap<String, String> {
    let inherited = std::env::vars().filter(|(name, _)| PASSED_ON.contains(&name.as_str()) || name.starts_with("LC_"));
    let mut env: BTreeMap<_, _> = inherited.collect();
    env.insert(crate::contain::SESSION_MARK.to_owned(), spec.session.to_string());
    env.insert("IRIS_TEAM".to_owned(), spec.team.to_string());
    env.extend(spec.env.clone());
    env
}
