//! What the processes of one home are known by.

use std::path::{Path, PathBuf};

use super::{INSTANCE_MARK, SESSION_MARK};
use crate::process::Process;

/// A home, as its processes know it: by a name that no other home has, and by a file in which they are written down.
#[derive(Clone, Debug)]
pub struct Instance {
    name: String,
    /// What an older Iris called it.
    earlier: Option<String>,
    notes: Option<PathBuf>,
}

impl Instance {
    pub fn new(name: impl Into<String>, notes: PathBuf) -> Self {
        Self { name: name.into(), earlier: None, notes: Some(notes) }
    }

    /// One of which nothing is written down: nothing of it is meant to outlive whoever asks.
    pub fn passing(name: impl Into<String>) -> Self {
        Self { name: name.into(), earlier: None, notes: None }
    }

    /// What runs under the earlier name is found and ended like its own; nothing is started under it.
    pub fn earlier(self, name: impl Into<String>) -> Self {
        Self { earlier: Some(name.into()), ..self }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn notes(&self) -> Option<&Path> {
        self.notes.as_deref()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.earlier.as_deref())
    }

    /// What every process of it carries in its environment, unless it threw it away.
    pub(super) fn mark(&self) -> String {
        mark(&self.name)
    }

    pub(super) fn is_on(&self, process: &Process) -> bool {
        self.names().any(|name| process.carries(&[mark(name)]))
    }

    /// The session whose mark a process of this instance carries.
    pub(super) fn marked_session(&self, process: &Process) -> Option<String> {
        if self.is_on(process) { process.variable(SESSION_MARK) } else { None }
    }
}

fn mark(name: &str) -> String {
    format!("{INSTANCE_MARK}={name}")
}
