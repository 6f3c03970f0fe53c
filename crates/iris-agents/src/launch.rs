//! What is needed to start an agent, and the command each kind makes of it.

pub mod interpreter;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use iris_core::agent::{AgentExit, Usage};
use iris_core::call::Meaning;
use iris_core::id::SessionId;
use iris_core::team::{AgentKind, TeamName};
use serde_json::value::RawValue;

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
    pub allowed_tools: Vec<String>,
    pub disallowed_tools: Vec<String>,
    /// What is added to the agent's own instructions.
    pub instructions: Option<String>,
    pub max_budget_usd: Option<f64>,
    /// A home of the team's own instead of the user's.
    pub own_home: Option<PathBuf>,
    pub folder: Standing,
    pub session: SessionId,
    pub conversation: Conversation,
    /// Where agents that keep no memory of their own keep it.
    pub state_folder: PathBuf,
}

/// Whether the settings that a folder brings along may take effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It brings none.
    Bare,
    /// The user has looked at them, and they have not changed since.
    Trusted,
    Untrusted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversation {
    New,
    Resumed,
    /// A new one that begins with all that was said in another.
    ForkOf(SessionId),
}

/// A command line that is ready to be run.
#[derive(Clone, Debug)]
pub struct Launch {
    pub kind: AgentKind,
    pub program: PathBuf,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub folder: PathBuf,
    /// What is added to the agent's own instructions, said on its pipe.
    pub instructions: Option<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    #[error("agent kind '{}' is not built into this version of Iris", .0.as_str())]
    NotBuilt(AgentKind),
    #[error("the folder {0} does not exist")]
    NoFolder(PathBuf),
    #[error("{0} is not a folder")]
    NotFolder(PathBuf),
    #[error("team '{0}' is scripted but names no script")]
    NoScript(TeamName),
    #[error("{program} is not installed")]
    NotInstalled { program: String, hint: &'static str },
    #[error("{program} is a folder, not a program")]
    IsFolder { program: String },
    #[error("{program} could not be started: {interpreter:?}, which its first line names, is not there")]
    NoInterpreter { program: String, interpreter: PathBuf },
    #[error("{program} could not be started ({why})")]
    NotStarted { program: String, why: std::io::Error },
}

impl LaunchError {
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotBuilt(_) => Some("set `agent: claude`, or `agent: scripted` with a script, for this team"),
            Self::NotInstalled { hint, .. } => Some(hint),
            Self::IsFolder { .. } => Some("set the team's `command` to the program itself"),
            Self::NoFolder(_) | Self::NotFolder(_) => Some("set the team's `path` to a folder that exists"),
            Self::NoScript(_) => Some("add `script: /path/to/script.yaml` to the team"),
            Self::NoInterpreter { .. } => Some("install that, or correct the first line"),
            Self::NotStarted { .. } => Some("check that the program is installed and may be run"),
        }
    }

    pub(crate) fn of(program: &Path, why: std::io::Error) -> Self {
        let name = program.display().to_string();
        match interpreter::find_missing(program, &why) {
            Some(interpreter) => Self::NoInterpreter { program: name, interpreter },
            None => Self::NotStarted { program: name, why },
        }
    }
}

pub fn launch(spec: &AgentSpec) -> Result<Launch, LaunchError> {
    if !spec.path.is_dir() {
        let path = spec.path.clone();
        return Err(if path.exists() { LaunchError::NotFolder(path) } else { LaunchError::NoFolder(path) });
    }
    match spec.kind {
        AgentKind::Scripted => crate::scripted::launch::launch(spec),
        AgentKind::Claude => crate::claude::command::launch(spec),
        AgentKind::Codex | AgentKind::Acp => Err(LaunchError::NotBuilt(spec.kind)),
    }
}

/// What a project's folder may bring along that an agent acts by, as files and folders.
#[derive(Clone, Copy, Debug)]
pub struct Brought {
    /// In the folder, and in those below it.
    pub here: &'static [&'static str],
    /// Read from the folders above.
    pub above: &'static [&'static str],
    /// Read from the folders above, too, and in a linked worktree of git from the main checkout.
    pub main: &'static [&'static str],
    /// Of what is in the folder, where the agent keeps copies of the folder to work in. What is in one brings nothing that
    /// the folder does not.
    pub copies: Option<&'static str>,
    /// What the agent itself writes there, and only reads.
    pub notes: &'static [&'static str],
}

pub fn brought(kind: AgentKind) -> Brought {
    match kind {
        // The scripted agent takes the place of any other.
        AgentKind::Claude | AgentKind::Scripted => crate::claude::folder::BROUGHT,
        AgentKind::Codex | AgentKind::Acp => Brought { here: &[], above: &[], main: &[], copies: None, notes: &[] },
    }
}

/// The program that would be started, looked for as `launch` does. `path` is the PATH it runs with, if not ours.
pub fn find_program(kind: AgentKind, command: Option<&Path>, path: Option<String>) -> Result<PathBuf, LaunchError> {
    match kind {
        AgentKind::Scripted => Ok(command.unwrap_or(Path::new("/proc/self/exe")).to_owned()),
        AgentKind::Claude => crate::claude::command::find(command, path),
        AgentKind::Codex | AgentKind::Acp => Err(LaunchError::NotBuilt(kind)),
    }
}

/// As a shell finds it: the first that can be run. If there is none, the first that is there, so that it is told why not.
pub fn find_in_path(name: &Path, path: &OsStr) -> Option<PathBuf> {
    let can_be_run = |file: &PathBuf| file.metadata().is_ok_and(|about| about.permissions().mode() & 0o111 != 0);
    let there: Vec<_> =
        std::env::split_paths(path).map(|folder| folder.join(name)).filter(|file| file.is_file()).collect();
    there.iter().find(|file| can_be_run(file)).or(there.first()).cloned()
}

/// What an agent's last words mean, if it ended before it was ready, and what helps. `args` are those of its team.
pub fn explain_exit(kind: AgentKind, exit: &AgentExit, args: &[String]) -> Option<String> {
    match kind {
        AgentKind::Claude => crate::claude::explain::exit(exit, args),
        AgentKind::Codex | AgentKind::Acp | AgentKind::Scripted => None,
    }
}

/// Whether an agent ended because of what it does, or does not, know of its conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// It was to go on with one that it does not find.
    Lost,
    /// It was to begin one that it has already.
    Begun,
}

pub fn find_misfit(kind: AgentKind, exit: &AgentExit) -> Option<Misfit> {
    match kind {
        AgentKind::Claude | AgentKind::Scripted => crate::claude::explain::misfit(exit),
        AgentKind::Codex | AgentKind::Acp => None,
    }
}

/// What a turn has used that an agent did not come to the end of, by what is kept of it.
pub fn usage_of<'a>(kind: AgentKind, messages: impl Iterator<Item = &'a str>) -> Usage {
    match kind {
        AgentKind::Claude | AgentKind::Scripted => crate::claude::usage::of_messages(messages),
        AgentKind::Codex | AgentKind::Acp => Usage { incomplete: true, ..Usage::default() },
    }
}

/// What a call of a tool by an agent of this kind means.
pub fn meaning_of(kind: AgentKind, tool: &str, input: &RawValue) -> Meaning {
    match kind {
        AgentKind::Claude | AgentKind::Scripted => {
            crate::claude::meaning::of(tool, &serde_json::from_str(input.get()).unwrap_or_default())
        }
        AgentKind::Codex | AgentKind::Acp => Meaning::default(),
    }
}

/// Where agents that live in a home of their own keep their conversations in it.
pub const CONVERSATIONS: [&str; 1] = [crate::claude::command::CONVERSATIONS];

/// Takes away what agents keep of a conversation: in Iris's own folder, and in the homes of teams. What is in the user's own
/// home is the user's.
pub fn forget(state_folder: &Path, homes: &Path, session: &SessionId) -> std::io::Result<()> {
    crate::scripted::forget(state_folder, session.as_str())?;
    for home in std::fs::read_dir(homes).into_iter().flatten() {
        crate::claude::forget::forget(&home?.path(), session.as_str())?;
    }
    Ok(())
}

/// Whether this version of Iris can run agents of a kind.
pub fn is_built(kind: AgentKind) -> bool {
    matches!(kind, AgentKind::Claude | AgentKind::Scripted)
}

/// What of the daemon's own environment an agent gets to see. Everything else, secrets above all, stays out.
const PASSED_ON: [&str; 9] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TERM"];

/// `needed`: what this kind of agent cannot do without.
pub(crate) fn environment(spec: &AgentSpec, needed: &[&str]) -> BTreeMap<String, String> {
    let passed = |name: &str| PASSED_ON.contains(&name) || needed.contains(&name) || name.starts_with("LC_");
    // One that is no text is none of these, whatever it is; and a value that is none cannot be said to the agent.
    let texts =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let mut env: BTreeMap<_, _> = texts.filter(|(name, _)| passed(name)).collect();
    if let Some(home) = &spec.own_home {
        env.insert("HOME".to_owned(), home.display().to_string());
    }
    env.insert(crate::contain::SESSION_MARK.to_owned(), spec.session.to_string());
    env.insert("IRIS_TEAM".to_owned(), spec.team.to_string());
    env.extend(spec.env.clone());
    env
}
