//! `cargo xtask run`: from a fresh checkout to a running Iris.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::dashboard;
use crate::setup;
use crate::shell::{self, Steps};

const HELP: &str = "\
Set up, build and run `iris serve` in the foreground. Ctrl-C ends it.

Usage: cargo xtask run [--release] [--demo] [--] [arguments of iris serve]

  --release   the fast build: several minutes the first time
  --demo      `iris up --demo` instead: Iris in the background, agents at work, and a link to watch and answer them

State lives in IRIS_HOME (by default ~/.iris), in an embedded database.

Examples:
  cargo xtask run
  cargo xtask run --demo
  cargo xtask run -- --port 2000
  IRIS_HOME=/tmp/try-iris cargo xtask run --release
";

pub fn perform(arguments: &[String]) -> Result<ExitCode> {
    if shell::asks_for_help(arguments) {
        return Ok(shell::help(HELP));
    }
    let request = Request::parse(arguments);
    let mut steps = Steps::new(4);

    steps.next("looking for a C compiler and npm");
    setup::ensure(setup::TO_RUN)?;

    steps.next("looking whether the dashboard is built");
    dashboard::ensure()?;

    steps.next(request.build_line());
    shell::run(shell::cargo().args(["build", "--package", "iris"]).args(request.cargo_flag()))?;

    let verb: &[&str] = if request.demo { &["up", "--demo"] } else { &["serve"] };
    steps.next(&format!("iris {}, with its state in {}", verb.join(" "), home()));
    let program = shell::built_program(request.profile(), "iris")?;
    // Iris takes our place, so that a signal to us is a signal to it.
    let error = Command::new(&program).args(verb).args(request.arguments).exec();
    Err(error).with_context(|| format!("cannot start {}", program.display()))
}

struct Request {
    release: bool,
    demo: bool,
    /// Those of the command that is run.
    arguments: Vec<String>,
}

impl Request {
    fn parse(arguments: &[String]) -> Self {
        let mut own = arguments.split(|argument| argument == "--");
        let before = own.next().unwrap_or_default();
        let after = arguments.get(before.len() + 1..).unwrap_or_default();
        let passed_on = before.iter().filter(|argument| !["--release", "--demo"].contains(&argument.as_str()));
        let has = |wanted: &str| before.iter().any(|argument| argument == wanted);
        Self { release: has("--release"), demo: has("--demo"), arguments: passed_on.chain(after).cloned().collect() }
    }

    fn build_line(&self) -> &'static str {
        if self.release {
            "building Iris for speed (first time: several minutes)"
        } else {
            "building Iris (first time: a few minutes; `cargo xtask run --release` makes the fast build)"
        }
    }

    fn cargo_flag(&self) -> Option<&'static str> {
        self.release.then_some("--release")
    }

    fn profile(&self) -> &'static str {
        if self.release { "release" } else { "debug" }
    }
}

fn home() -> String {
    std::env::var("IRIS_HOME").unwrap_or_else(|_| "~/.iris".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_flags_are_taken_and_the_rest_is_passed_on() {
        check(&[], false, &[]);
        check(&["--release"], true, &[]);
        check(&["--port", "0"], false, &["--port", "0"]);
        check(&["--release", "--", "--port", "0"], true, &["--port", "0"]);
        check(&["--", "--release", "--", "x"], false, &["--release", "--", "x"]);
        let demo = Request::parse(&["--demo".to_owned(), "--no-open".to_owned()]);
        assert!(demo.demo && !demo.release && demo.arguments == ["--no-open"]);
    }

    fn check(arguments: &[&str], release: bool, passed_on: &[&str]) {
        let arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
        let request = Request::parse(&arguments);
        assert_eq!(request.release, release, "{arguments:?}");
        assert_eq!(request.arguments, passed_on, "{arguments:?}");
    }
}
