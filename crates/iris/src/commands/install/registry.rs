//! Where a CLI keeps its servers: the file, how it is written, and the CLI's own command for it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use iris_agents::launch::find_in_path;
use iris_engine::config::read_regular;
use serde_json::Value;

use super::entry::{Entry, NAME};
use super::{Agent, Scope, in_json, in_toml};
use crate::failure::Failure;
use crate::place;

#[derive(Debug)]
pub struct Registry {
    pub agent: Agent,
    pub scope: Scope,
    pub file: PathBuf,
    /// The folder that is there only for the file, if there is one: Codex's usual one. Not by its real name: what a link leads
    /// to is somebody's.
    pub own_folder: Option<PathBuf>,
}

impl Registry {
    pub fn of(agent: Agent, scope: Scope) -> Result<Self, Failure> {
        let here = || {
            std::env::current_dir().map_err(|error| Failure::invalid(format!("this folder cannot be used ({error})")))
        };
        let file = match (agent, scope) {
            (Agent::Claude, Scope::User) => moved("CLAUDE_CONFIG_DIR").unwrap_or_else(own).join(".claude.json"),
            (Agent::Claude, Scope::Project) => here()?.join(".mcp.json"),
            (Agent::Codex, Scope::User) => moved("CODEX_HOME").unwrap_or_else(|| own().join(".codex")).join(CODEX),
            (Agent::Codex, Scope::Project) => here()?.join(".codex").join(CODEX),
        };
        let is_usual = agent == Agent::Codex && (scope == Scope::Project || moved("CODEX_HOME").is_none());
        let own_folder = file.parent().filter(|_| is_usual).map(Path::to_owned);
        // A file that is kept elsewhere and linked to is changed where it is.
        Ok(Self { agent, scope, file: real(file)?, own_folder })
    }

    /// Where copies of the file go, and how their names begin: beside it; those of a project, where nobody commits them by
    /// mistake, under its whole path in the home.
    pub fn copies(&self, home: &Path) -> PathBuf {
        match self.scope {
            Scope::User => self.file.clone(),
            Scope::Project => home.join("backups/install").join(self.file.strip_prefix("/").unwrap_or(&self.file)),
        }
    }

    /// Of a file that is made: what is a project's is there to be shared, as far as the umask lets it.
    pub fn new_mode(&self) -> u32 {
        match self.scope {
            Scope::User => 0o600,
            Scope::Project => 0o666,
        }
    }

    /// The text of the file; nothing if there is none.
    pub fn text(&self) -> Result<Option<String>, Failure> {
        match read_regular(&self.file) {
            Ok(Ok(bytes)) => String::from_utf8(bytes).map(Some).map_err(|error| self.unreadable(error.to_string())),
            Ok(Err(instead)) => Err(self.unreadable(format!("it is {instead}, and has to be a file"))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.unreadable(error.to_string())),
        }
    }

    pub fn find(&self, text: &str) -> Result<Option<Value>, Failure> {
        let found = if self.is_json() { in_json::find(text) } else { in_toml::find(text) };
        found.map_err(|why| self.unreadable(why))
    }

    pub fn put(&self, text: &str, entry: &Value) -> Result<String, Failure> {
        let put = if self.is_json() { in_json::put(text, entry) } else { in_toml::put(text, entry) };
        put.map_err(|why| self.unreadable(why))
    }

    pub fn take(&self, text: &str) -> Result<String, Failure> {
        let taken = if self.is_json() { in_json::take(text) } else { in_toml::take(text) };
        taken.map_err(|why| self.unreadable(why))
    }

    /// Whether there is nothing in it that anybody could miss.
    pub fn is_empty(&self, text: &str) -> bool {
        if self.is_json() { in_json::is_empty(text) } else { text.trim().is_empty() }
    }

    pub fn written(&self, entry: &Entry) -> Value {
        match self.agent {
            Agent::Claude => entry.for_claude(),
            Agent::Codex => entry.for_codex(),
        }
    }

    /// The CLI's own way to add it. Codex has one, but it cannot set the time-outs.
    pub fn add_command(&self, entry: &Value) -> Option<Vec<OsString>> {
        let program = self.program()?;
        let words = ["mcp", "add-json", "--scope", self.scope_word(), NAME, &entry.to_string()].map(OsString::from);
        Some(std::iter::once(program.into()).chain(words).collect())
    }

    pub fn remove_command(&self) -> Option<Vec<OsString>> {
        let program = self.program()?;
        let words = ["mcp", "remove", "--scope", self.scope_word(), NAME].map(OsString::from);
        Some(std::iter::once(program.into()).chain(words).collect())
    }

    /// Whether the CLI itself is there.
    pub fn is_installed(&self) -> bool {
        find(self.agent).is_some()
    }

    /// The program that is told to do it. A project's file is written here: it is its team's, and the CLI keeps nothing of it
    /// but the servers.
    fn program(&self) -> Option<PathBuf> {
        find(self.agent).filter(|_| self.agent == Agent::Claude && self.scope == Scope::User)
    }

    pub fn scope_word(&self) -> &'static str {
        match self.scope {
            Scope::User => "user",
            Scope::Project => "project",
        }
    }

    fn is_json(&self) -> bool {
        self.agent == Agent::Claude
    }

    fn unreadable(&self, why: String) -> Failure {
        let file = place::shown(&self.file);
        Failure::invalid(format!("{file} cannot be read, so it was not touched: {why}"))
            .hint(format!("correct {file}, and run this again"))
    }
}

const CODEX: &str = "config.toml";

fn find(agent: Agent) -> Option<PathBuf> {
    let name = match agent {
        Agent::Claude => "claude",
        Agent::Codex => "codex",
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    find_in_path(Path::new(name), &path)
}

/// Where a link leads, also if nothing is there yet: else the link itself would be replaced.
fn real(file: PathBuf) -> Result<PathBuf, Failure> {
    if let Ok(real) = file.canonicalize() {
        return Ok(real);
    }
    let Ok(target) = std::fs::read_link(&file) else { return Ok(file) };
    let target = file.with_file_name(target);
    let folder = target.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, target.file_name()) {
        (Some(folder), Some(name)) if !target.is_symlink() => Ok(folder.join(name)),
        _ => {
            let (file, target) = (place::shown(&file), place::shown(&target));
            let what = format!("{file} is a link to {target}, which is not there and cannot be made");
            Err(Failure::invalid(what)
                .hint(format!("make the folder of {target}, or remove the link, and run this again")))
        }
    }
}

fn own() -> PathBuf {
    std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"))
}

fn moved(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(|value| place::absolute(Path::new(&value)))
}
