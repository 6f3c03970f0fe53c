//! What is known of the program that serves a kind of agent, for whoever looks at a machine without starting one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use iris_core::team::AgentKind;

/// The program of a kind.
#[derive(Debug)]
pub struct Cli {
    /// As it is looked for in the PATH.
    pub program: &'static str,
    /// Whose models it speaks to, by the names of the OpenTelemetry conventions.
    pub provider: &'static str,
    /// The versions that are tested, oldest first.
    pub tried: &'static [&'static str],
    /// How it is had, as something to do.
    pub install: &'static str,
    pub update: &'static str,
    pub log_in: &'static str,
    /// What people set in a terminal so that it reaches its model.
    pub access: &'static [&'static str],
}

/// How an agent would log in, as far as that can be seen from outside.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Login {
    /// A variable has a key.
    Key(&'static str),
    /// A variable says that it goes to a provider whose credentials are not ours to look for.
    Elsewhere(&'static str),
    File(PathBuf),
    /// Where a file was looked for.
    None(PathBuf),
}

/// What an agent would find around it.
pub struct Surroundings<'a> {
    /// What its team sets.
    pub env: &'a BTreeMap<String, String>,
    /// What it would have of its daemon's environment, by name.
    pub inherited: &'a dyn Fn(&str) -> Option<String>,
    pub home: &'a Path,
    /// That home is its team's and not the user's.
    pub has_own_home: bool,
}

/// The kinds with a program of their own that this version of Iris can run.
pub fn kinds() -> impl Iterator<Item = (AgentKind, &'static Cli)> {
    [AgentKind::Claude, AgentKind::Codex, AgentKind::Acp, AgentKind::Scripted]
        .into_iter()
        .filter_map(|kind| Some((kind, find(kind)?)))
}

pub fn find(kind: AgentKind) -> Option<&'static Cli> {
    match kind {
        AgentKind::Claude => Some(&crate::claude::cli::CLI),
        // One is in this binary, and the others are not built.
        AgentKind::Scripted | AgentKind::Codex | AgentKind::Acp => None,
    }
}

/// How an agent of a kind would log in. No file is opened.
pub fn find_login(kind: AgentKind, around: &Surroundings<'_>) -> Option<Login> {
    match kind {
        AgentKind::Claude => Some(crate::claude::cli::find_login(around)),
        AgentKind::Scripted | AgentKind::Codex | AgentKind::Acp => None,
    }
}
