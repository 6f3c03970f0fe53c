//! `cargo xtask soak`: whether the release build keeps its promises for hours.

use std::process::ExitCode;

use anyhow::Result;

use crate::{release, shell};

const HELP: &str = "\
Run the release build under load and faults for a while, on SQLite and on a PostgreSQL server of our own.

Usage: cargo xtask soak [--minutes N] [--] [arguments of iris-soak]

`cargo xtask soak -- --help` shows what iris-soak takes.
";

pub fn perform(arguments: &[String]) -> Result<ExitCode> {
    if shell::asks_for_help(arguments) {
        return Ok(shell::help(HELP));
    }
    release::build_and_run("iris-soak", shell::after_separator(arguments))
}
