//! `cargo xtask check`: what can be said about the code without running it.

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::setup;
use crate::shell::{self, Steps};

const HELP: &str = "\
Format, lints and the architecture test: what can be said without running Iris.

Usage: cargo xtask check
";

pub fn perform(arguments: &[String]) -> Result<ExitCode> {
    if shell::asks_for_help(arguments) {
        return Ok(shell::help(HELP));
    }
    setup::ensure(setup::TO_BUILD)?;
    let mut report = Report::default();
    let mut steps = Steps::new(3);
    report.check(&mut steps, format_check());
    report.check(&mut steps, lint_check());
    report.check(&mut steps, architecture_check());
    Ok(report.finish())
}

/// One thing that can pass or fail.
pub struct Check {
    pub name: &'static str,
    pub command: Command,
    /// What to type to do this one again.
    pub repeat: String,
    /// The rustup component without which it cannot be done.
    pub component: Option<&'static str>,
}

pub fn format_check() -> Check {
    let mut command = shell::cargo();
    command.args(["fmt", "--all", "--check"]);
    Check { name: "format", command, repeat: "cargo fmt --all".to_owned(), component: Some("rustfmt") }
}

pub fn lint_check() -> Check {
    let mut command = shell::cargo();
    command.args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    Check { name: "lints", repeat: shell::as_typed(&command), command, component: Some("clippy") }
}

fn architecture_check() -> Check {
    let mut command = shell::cargo();
    command.args(["test", "--package", "iris-testing", "--test", "architecture"]);
    Check { name: "architecture", repeat: shell::as_typed(&command), command, component: None }
}

/// How each check went. One that fails does not keep the next from being done.
#[derive(Default)]
pub struct Report {
    lines: Vec<(String, Outcome)>,
}

enum Outcome {
    Passed(Duration),
    Failed { repeat: String, end: Vec<String> },
    LeftOut { reason: String },
}

impl Report {
    pub fn check(&mut self, steps: &mut Steps, mut check: Check) {
        if shell::interrupted() {
            return;
        }
        steps.next(&format!("{}: {}", check.name, shell::as_typed(&check.command)));
        let outcome = match check.component {
            Some(component) if !is_installed(component) => {
                Outcome::LeftOut { reason: format!("not installed; `rustup component add {component}` adds it") }
            }
            _ => run(&mut check),
        };
        self.lines.push((check.name.to_owned(), outcome));
    }

    pub fn leave_out(&mut self, name: &str, reason: &str) {
        let reason = reason.to_owned();
        self.lines.push((name.to_owned(), Outcome::LeftOut { reason }));
    }

    /// Says how it went. Last thing on the screen, so that nobody has to scroll for it; in a log, which may be cut, with
    /// what a failed check said last.
    pub fn finish(self) -> ExitCode {
        for (name, outcome) in &self.lines {
            if let Outcome::Failed { end, .. } = outcome
                && !end.is_empty()
            {
                eprintln!("\n  {name} failed, and said last:\n{}", end.join("\n"));
            }
        }
        eprintln!();
        for (name, outcome) in &self.lines {
            match outcome {
                Outcome::Passed(took) => eprintln!("  ok        {name} ({:.1} s)", took.as_secs_f64()),
                Outcome::Failed { repeat, .. } => eprintln!("  FAILED    {name}; to repeat it: {repeat}"),
                Outcome::LeftOut { reason } => eprintln!("  left out  {name}: {reason}"),
            }
        }
        if shell::interrupted() {
            eprintln!("  interrupted");
            return ExitCode::from(130);
        }
        let failed = self.lines.iter().any(|(_, outcome)| matches!(outcome, Outcome::Failed { .. }));
        if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}

fn run(check: &mut Check) -> Outcome {
    let started = Instant::now();
    let repeat = check.repeat.clone();
    match shell::status_and_end(&mut check.command) {
        Ok((status, _)) if status.success() => Outcome::Passed(started.elapsed()),
        Ok((_, end)) => Outcome::Failed { repeat, end },
        Err(error) => Outcome::Failed { repeat, end: vec![format!("error: {error:#}")] },
    }
}

fn is_installed(component: &str) -> bool {
    let verb = match component {
        "rustfmt" => "fmt",
        other => other,
    };
    shell::run_quietly(shell::cargo().args([verb, "--version"])).is_ok()
}
