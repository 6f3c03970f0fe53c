//! `cargo xtask bench`: how fast the release build is.

use std::process::ExitCode;

use anyhow::Result;

use crate::{release, shell};

const HELP: &str = "\
Measure the release build, on SQLite and on a PostgreSQL server of our own.

Usage: cargo xtask bench [--] [arguments of iris-bench]

`cargo xtask bench -- --help` shows what iris-bench takes.
";

pub fn perform(arguments: &[String]) -> Result<ExitCode> {
    if shell::asks_for_help(arguments) {
        return Ok(shell::help(HELP));
    }
    release::build_and_run("iris-bench", shell::after_separator(arguments))
}
