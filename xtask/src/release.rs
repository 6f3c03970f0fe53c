//! Building for speed and running one of the measuring programs of iris-testing, with both databases and
//! the real CLI at hand.

use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::claude::Claude;
use crate::postgres::Postgres;
use crate::setup;
use crate::shell::{self, Steps};

/// `program` is a file in `crates/iris-testing/src/bin/`.
pub fn build_and_run(program: &str, arguments: &[String]) -> Result<ExitCode> {
    let mut steps = Steps::new(5);
    steps.next("looking for a C compiler, PostgreSQL and npm");
    setup::ensure(setup::TO_MEASURE)?;

    steps.next("looking for the real Claude Code CLI");
    let claude = Claude::ensure()?;
    eprintln!("      {}", claude.describe());

    steps.next("building Iris for speed (first time: several minutes)");
    shell::run(shell::cargo().args(["build", "--release", "--package", "iris", "--package", "iris-testing"]))?;
    let path = shell::built_program("release", program)?;
    if !path.is_file() {
        bail!("there is no {program}: crates/iris-testing/src/bin/{program}.rs is missing");
    }

    steps.next("starting PostgreSQL");
    let server = Postgres::start()?;
    eprintln!("      {}", server.describe());

    let mut command = Command::new(path);
    command.args(arguments);
    server.export(&mut command);
    claude.export(&mut command);
    steps.next(&shell::as_typed(&command));
    let status = shell::status(&mut command)?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
