//! What the processes of one home are known by.

use std::path::{Path, PathBuf};

use super::{INSTANCE_MARK, SESSION_MARK};
use crate::process::Process;

/// A home, as its processes know it: by a name that no other home has, and by a file in which they are written down.
#[derive(Clone, Debug)]
pub struct Instance {
    name: String,
    notes: Option<PathBuf>,
}

impl Instance {
    pub fn new(name: impl Into<String>, notes: PathBuf) -> Self {
        Self { name: name.into(), notes: Some(notes) }
    }

    /// One of which nothing is written down: nothing of it is meant to outlive whoever asks.
    pub fn passing(name: impl Into<String>) -> Self {
        Self { name: name.into(), notes: None }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn notes(&self) -> Option<&Path> {
        self.notes.as_deref()
    }

    /// What every process of it carries in its environment, unless it threw it away.
    pub(super) fn mark(&self) -> String {
        format!("{INSTANCE_MARK}={}", self.name)
    }

    /// The session whose mark a process of this instance carries.
    pub(super) fn marked_session(&self, process: &Process) -> Option<String> {
        if process.carries(&[self.mark()]) { process.variable(SESSION_MARK) } else { None }
    }
}
