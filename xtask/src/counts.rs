//! `cargo xtask counts`: the faults of questions and readers that are cut off, as often as we promise to have tried them.

use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::check::{Check, Report};
use crate::claude::{self, Claude};
use crate::setup;
use crate::shell::{self, Steps};

const HELP: &str = "\
Run the faults of questions, and readers that are cut off, with their full counts, one after the other, and say which held.
It takes hours.

Usage: cargo xtask counts [--think] [name...]

  --think   also let a person think for eleven minutes about a permission of the real Claude Code CLI
  name      only these: crash, steps, race, cancel, restarts, clock, bytes, flood, cut, reconnects; and long, which runs
            only if it is named: ten minutes of work with the real CLI over MCP

Every day, `cargo xtask test` runs the same tests with small counts.

Examples:
  cargo xtask counts
  cargo xtask counts race cancel
  cargo xtask counts --think crash
  cargo xtask counts long reconnects
";

/// A test with the variable that has it tried in full; nothing if it always is.
struct Count {
    name: &'static str,
    binary: &'static str,
    filter: &'static str,
    setting: Option<(&'static str, u32)>,
    with: With,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum With {
    ScriptedAgents,
    /// Fetched if need be, so it is run only if it is named.
    RealCli,
}

const ROUNDS: &str = "IRIS_TEST_ROUNDS";

const fn count(name: &'static str, filter: &'static str, rounds: Option<u32>) -> Count {
    let setting = match rounds {
        Some(rounds) => Some((ROUNDS, rounds)),
        None => None,
    };
    Count { name, binary: "daemon", filter, setting, with: With::ScriptedAgents }
}

const COUNTS: &[Count] = &[
    count("crash", "ask::crash::", Some(125)),
    count("steps", "ask::steps::", None),
    count("race", "ask::race::of_a_hundred", Some(500)),
    count("cancel", "ask::race::a_cancel", Some(10_000)),
    count("restarts", "ask::a_question_stays_open", None),
    count("clock", "ask::clock::", None),
    count("bytes", "ask::rule::bytes_that_were_changed", Some(10_000)),
    count("flood", "ask::a_flood", None),
    Count { binary: "mcp", ..count("cut", "ask::a_call_that_is_cut", Some(1000)) },
    Count {
        setting: Some(("IRIS_TEST_RECONNECTS", 10_000)),
        ..count("reconnects", "doors::stream::readers_that_are_cut_off", None)
    },
    Count {
        binary: "mcp",
        setting: Some(("IRIS_TEST_LONG", 1)),
        with: With::RealCli,
        ..count("long", "claude::long_work", None)
    },
];

/// A person who thinks longer than any time-out of a client.
const THINK_SECONDS: &str = "660";

pub fn perform(arguments: &[String]) -> Result<ExitCode> {
    if shell::asks_for_help(arguments) {
        return Ok(shell::help(HELP));
    }
    let request = Request::parse(arguments)?;
    setup::ensure(setup::TO_BUILD)?;
    let mut steps = Steps::new(request.counts.len() + usize::from(request.think));
    let mut report = Report::default();
    for count in request.counts {
        report.check(&mut steps, count.check()?);
    }
    if request.think {
        let claude = Claude::ensure()?;
        let mut command = test("claude", "ask::a_permission_waits");
        command.env("IRIS_TEST_THINK_SECONDS", THINK_SECONDS);
        claude.export(&mut command);
        let repeat = format!("IRIS_TEST_THINK_SECONDS={THINK_SECONDS} cargo xtask test -- a_permission_waits");
        report.check(&mut steps, Check { name: "think", command, repeat, component: None });
    }
    Ok(report.finish())
}

impl Count {
    fn check(&self) -> Result<Check> {
        let mut command = test(self.binary, self.filter);
        match self.with {
            With::ScriptedAgents => claude::forget(&mut command),
            With::RealCli => Claude::ensure()?.export(&mut command),
        }
        if let Some((variable, value)) = self.setting {
            command.env(variable, value.to_string());
        }
        Ok(Check { name: self.name, command, repeat: format!("cargo xtask counts {}", self.name), component: None })
    }
}

/// Without nextest, which ends tests that take hours.
fn test(binary: &str, filter: &str) -> Command {
    let mut command = shell::cargo();
    command.args(["test", "--package", "iris", "--test", binary, "--", filter, "--nocapture", "--test-threads=1"]);
    command
}

struct Request {
    think: bool,
    counts: Vec<&'static Count>,
}

impl Request {
    fn parse(arguments: &[String]) -> Result<Self> {
        let (flags, names): (Vec<_>, Vec<_>) = arguments.iter().partition(|word| word.starts_with('-'));
        if let Some(unknown) = flags.iter().find(|flag| **flag != "--think") {
            bail!("cannot read `{unknown}`; `cargo xtask counts --help` says what there is");
        }
        let find = |name: &&String| match COUNTS.iter().find(|count| count.name == name.as_str()) {
            Some(count) => Ok(count),
            None => bail!("there is no count `{name}`; `cargo xtask counts --help` names them"),
        };
        let all = || COUNTS.iter().filter(|count| count.with != With::RealCli).collect();
        let counts = if names.is_empty() { all() } else { names.iter().map(find).collect::<Result<_>>()? };
        Ok(Self { think: !flags.is_empty(), counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &str) -> Result<Request> {
        Request::parse(&arguments.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn all_are_run_unless_some_are_named() {
        let all = parse("").expect("arguments that can be read");
        assert_eq!((all.think, all.counts.len()), (false, COUNTS.len() - 1), "all but the one with the real CLI");
        let some = parse("--think race reconnects long").expect("arguments that can be read");
        let names: Vec<_> = some.counts.iter().map(|count| (count.name, count.setting)).collect();
        let reconnects = ("reconnects", Some(("IRIS_TEST_RECONNECTS", 10_000)));
        let expected = vec![("race", Some((ROUNDS, 500))), reconnects, ("long", Some(("IRIS_TEST_LONG", 1)))];
        assert_eq!((some.think, names), (true, expected));
        assert!(parse("--fast").is_err() && parse("rase").is_err());
        for count in COUNTS {
            assert!(HELP.contains(count.name), "{} can be named", count.name);
        }
    }
}
