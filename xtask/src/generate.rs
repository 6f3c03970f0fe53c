//! `cargo xtask generate`: what is made from the code and checked in. A test fails when it is out of date.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::{dashboard, shell};

const HELP: &str = "\
Writes anew what is made from the code and checked in:
  crates/iris-api/openapi.json   the description of the HTTP API
  dashboard/src/api/types.ts     the same, for the dashboard
  docs/cli.md                    what every command says of itself
  docs/configuration.md          every key of config.yaml

Usage: cargo xtask generate
";

pub fn perform(arguments: &[String]) -> Result<ExitCode> {
    if shell::asks_for_help(arguments) {
        return Ok(shell::help(HELP));
    }
    let mut print = shell::cargo();
    print.args(["run", "--quiet", "--package", "iris-server", "--example", "openapi"]);
    let described = shell::run_quietly(&mut print)? + "\n";
    let path = "crates/iris-api/openapi.json";
    fs::write(path, described).with_context(|| format!("cannot write {path}; run it at the root of the repository"))?;
    dashboard::generate_types()?;
    let mut write = shell::cargo();
    write.args(["test", "--quiet", "--package", "iris", "--test", "it", "reference"]).env("IRIS_GENERATE", "1");
    shell::run_quietly(&mut write)?;
    Ok(ExitCode::SUCCESS)
}
