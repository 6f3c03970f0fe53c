//! `cargo xtask record`: what the real CLI writes, for the snapshots of iris-agents.

use std::process::ExitCode;

use anyhow::Result;

use crate::claude::Claude;
use crate::setup::{self, Tool};
use crate::shell;

const HELP: &str = "\
Record anew what the real Claude Code CLI writes, in every version we test with.

Usage: cargo xtask record [scene …]

The transcripts are in crates/iris-agents/tests/transcripts; look at what changed with `git diff`.
";

pub fn perform(arguments: &[String]) -> Result<ExitCode> {
    if shell::asks_for_help(arguments) {
        return Ok(shell::help(HELP));
    }
    setup::ensure(&[Tool::CCompiler, Tool::Npm])?;
    let claude = Claude::ensure()?;
    eprintln!("{}", claude.describe());
    let mut command = shell::cargo();
    command.args(["run", "--quiet", "--package", "iris-testing", "--bin", "iris-record", "--"]).args(arguments);
    claude.export(&mut command);
    let status = shell::status(&mut command)?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
