//! `cargo xtask test`: every test there is, on a machine that was fresh a minute ago.

use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::browser::{self, Browser};
use crate::check::{self, Check, Report};
use crate::claude::{self, Claude};
use crate::dashboard;
use crate::fuzz;
use crate::guide;
use crate::outside::{self, Outside};
use crate::postgres::{self, Postgres};
use crate::schemathesis::{self, Schemathesis};
use crate::setup;
use crate::shell::{self, Steps};

const HELP: &str = "\
Set up, then format, lints, every test on SQLite and PostgreSQL, the doc tests, and the dashboard in a browser. Where CI is set,
what comes from outside is fuzzed too, some minutes (`cargo xtask fuzz --quick`).

Usage: cargo xtask test [--tests | --fast] [-- filter arguments]

  --tests   only the tests, without format, lints, doc tests and the dashboard; so too with a filter
  --fast    as --tests, and without PostgreSQL and the real CLI: tests that need them say so and pass

What follows `--` goes to `cargo nextest run`, or to `cargo test` where nextest is not installed.
A PostgreSQL server of our own is started for the run and removed after it. The real Claude Code CLI, the MCP
conformance suite and other MCP clients, in the versions we test with, are fetched the first time and kept in the target
directory.

Examples:
  cargo xtask test
  cargo xtask test --fast
  cargo xtask test -- question::answer
  cargo xtask test --fast -- --package iris-core
";

pub fn perform(arguments: &[String]) -> Result<ExitCode> {
    if shell::asks_for_help(arguments) {
        return Ok(shell::help(HELP));
    }
    let request = Request::parse(arguments)?;
    let mut report = Report::default();
    match request.scope {
        Scope::Everything => everything(&request, &mut report)?,
        Scope::Tests => tests(&request, &mut report)?,
        Scope::Fast => fast(&request, &mut report)?,
    }
    Ok(report.finish())
}

fn everything(request: &Request, report: &mut Report) -> Result<()> {
    let is_ci = std::env::var_os("CI").is_some();
    let mut steps = Steps::new(12 + usize::from(is_ci));
    let surroundings = Surroundings::set_up(&mut steps)?;
    steps.next("looking whether the dashboard is built");
    dashboard::ensure()?;
    report.check(&mut steps, check::format_check());
    report.check(&mut steps, check::lint_check());
    report.check(&mut steps, doc_check(&surroundings));
    report.check(&mut steps, dashboard::check());
    report.check(&mut steps, dashboard::browser_check()?);
    report.check(&mut steps, guide::check());
    if is_ci {
        report.check(&mut steps, fuzz::check());
    }
    // Last, so that the summary a reader looks for is the end of the output.
    report.check(&mut steps, test_check(request, |command| surroundings.export(command)));
    Ok(())
}

fn tests(request: &Request, report: &mut Report) -> Result<()> {
    let mut steps = Steps::new(5);
    let surroundings = Surroundings::set_up(&mut steps)?;
    report.check(&mut steps, test_check(request, |command| surroundings.export(command)));
    Ok(())
}

fn fast(request: &Request, report: &mut Report) -> Result<()> {
    let mut steps = Steps::new(1);
    setup::ensure(setup::TO_BUILD)?;
    report.check(&mut steps, test_check(request, Surroundings::forget));
    report.leave_out(
        "PostgreSQL, the real CLI, outside MCP programs, format, lints, doc tests, the dashboard",
        "`cargo xtask test` does them",
    );
    Ok(())
}

/// What the tests find through their environment.
struct Surroundings {
    postgres: Postgres,
    claude: Claude,
    outside: Outside,
    schemathesis: Schemathesis,
    browser: Browser,
}

impl Surroundings {
    fn set_up(steps: &mut Steps) -> Result<Self> {
        steps.next("looking for a C compiler, strace, PostgreSQL, npm, Python and Chromium");
        setup::ensure(setup::TO_TEST)?;
        steps.next("looking for the real Claude Code CLI");
        let claude = Claude::ensure()?;
        eprintln!("      {}", claude.describe());
        steps.next("looking for MCP programs that others wrote, schemathesis and a browser");
        let (outside, schemathesis, browser) = (Outside::ensure()?, Schemathesis::ensure()?, Browser::ensure()?);
        eprintln!("      {}, {}, {}", outside.describe(), schemathesis.describe(), browser.describe());
        steps.next("starting PostgreSQL");
        let postgres = Postgres::start()?;
        eprintln!("      {}", postgres.describe());
        Ok(Self { postgres, claude, outside, schemathesis, browser })
    }

    fn export(&self, command: &mut Command) {
        self.postgres.export(command);
        self.claude.export(command);
        self.outside.export(command);
        self.schemathesis.export(command);
        self.browser.export(command);
    }

    fn forget(command: &mut Command) {
        // In CI nothing is left out in silence; here it was asked for.
        command.env_remove("CI");
        postgres::forget(command);
        claude::forget(command);
        outside::forget(command);
        schemathesis::forget(command);
        browser::forget(command);
    }
}

fn test_check(request: &Request, prepare: impl Fn(&mut Command)) -> Check {
    let mut command = shell::cargo();
    if has_nextest() {
        command.args(["nextest", "run"]);
        // One test of over a thousand that a busy machine upsets is no reason to do an hour's work again; it is named as flaky.
        if std::env::var_os("CI").is_some() {
            command.args(["--retries", "1", "--final-status-level", "flaky"]);
        }
    } else {
        // Everything but the doc tests, which are a step of their own.
        command.args(["test", "--lib", "--bins", "--tests"]);
    }
    // A filter that names packages must not be widened again.
    if !request.names_packages() {
        command.arg("--workspace");
    }
    command.arg("--no-fail-fast").args(&request.filter);
    prepare(&mut command);
    Check { name: "tests", command, repeat: request.repeat(), component: None }
}

fn doc_check(surroundings: &Surroundings) -> Check {
    let mut command = shell::cargo();
    command.args(["test", "--workspace", "--doc"]);
    surroundings.export(&mut command);
    Check { name: "doc tests", repeat: shell::as_typed(&command), command, component: None }
}

fn has_nextest() -> bool {
    shell::run_quietly(shell::cargo().args(["nextest", "--version"])).is_ok()
}

#[derive(Debug, PartialEq, Eq)]
struct Request {
    scope: Scope,
    filter: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum Scope {
    Everything,
    Tests,
    Fast,
}

impl Request {
    fn parse(arguments: &[String]) -> Result<Self> {
        let own = arguments.iter().take_while(|argument| *argument != "--");
        let own: Vec<&str> = own.map(String::as_str).collect();
        let filter = arguments.get(own.len() + 1..).unwrap_or_default().to_vec();
        let scope = match own.as_slice() {
            [] if filter.is_empty() => Scope::Everything,
            [] | ["--tests"] => Scope::Tests,
            ["--fast"] => Scope::Fast,
            [unknown, ..] if !unknown.starts_with('-') => {
                bail!("a filter goes after `--`: cargo xtask test -- {}", own.join(" "))
            }
            _ => bail!("cannot read `{}`; `cargo xtask test --help` says what there is", own.join(" ")),
        };
        Ok(Self { scope, filter })
    }

    fn names_packages(&self) -> bool {
        self.filter.iter().any(|word| word == "-p" || word == "--package" || word.starts_with("--package="))
    }

    fn repeat(&self) -> String {
        let scope = match self.scope {
            Scope::Everything => "--tests",
            Scope::Tests if self.filter.is_empty() => "--tests",
            Scope::Tests => "",
            Scope::Fast => "--fast",
        };
        let separator = if self.filter.is_empty() { "" } else { "--" };
        let filter = self.filter.iter().map(|word| shell::quote(word));
        ["cargo", "xtask", "test", scope, separator]
            .into_iter()
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .chain(filter)
            .collect::<Vec<_>>()
            .join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_means_only_the_tests() {
        check("", Scope::Everything, "cargo xtask test --tests");
        check("--tests", Scope::Tests, "cargo xtask test --tests");
        check("-- question", Scope::Tests, "cargo xtask test -- question");
        check("--fast", Scope::Fast, "cargo xtask test --fast");
        check("--fast -- -p iris-core", Scope::Fast, "cargo xtask test --fast -- -p iris-core");
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(Request::parse(&words("--quick")).is_err());
        assert!(Request::parse(&words("--fast --tests")).is_err());
        let error = Request::parse(&words("question")).expect_err("a filter without `--`");
        assert_eq!(error.to_string(), "a filter goes after `--`: cargo xtask test -- question");
    }

    fn check(arguments: &str, scope: Scope, repeat: &str) {
        let request = Request::parse(&words(arguments)).expect("arguments that can be read");
        assert_eq!(request.scope, scope, "{arguments}");
        assert_eq!(request.repeat(), repeat, "{arguments}");
    }

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }
}
