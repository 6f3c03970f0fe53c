//! `cargo xtask fuzz`: what comes from outside, broken in every way that a fuzzer finds, for as long as one likes.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::check::Check;
use crate::shell;

const HELP: &str = "\
Fuzz what comes from outside: connections, lines of agents, the config. With a nightly Rust if there is one.

Usage: cargo xtask fuzz [--quick] [--minutes N] [target]

  --quick       built without optimizations and sanitizer, in a few minutes: what continuous integration does
  --minutes N   for each target; 1 if not said
  target        doors, lines or config; all of them if not said

What was found interesting is kept in fuzz/corpus and built upon the next time. An input that breaks something is kept in
fuzz/artifacts; the output says how to try it again. Add it to crates/iris-testing/seeds once it is mended.

Examples:
  cargo xtask fuzz
  cargo xtask fuzz --minutes 480 doors
";

const VERSION: &str = "0.13.2";

/// Each target with the folder of its seeds.
const TARGETS: [(&str, &str); 3] = [
    ("doors", "crates/iris-testing/seeds/doors"),
    ("lines", "crates/iris-agents/tests/transcripts/2.1.325"),
    ("config", "crates/iris-testing/seeds/config"),
];

pub fn perform(arguments: &[String]) -> Result<ExitCode> {
    if shell::asks_for_help(arguments) {
        return Ok(shell::help(HELP));
    }
    let Request { quick, minutes, target: wanted } = parse(arguments)?;
    let program = ensure()?;
    let has_nightly = shell::run_quietly(Command::new("rustup").args(["run", "nightly", "rustc", "--version"])).is_ok();
    for (target, seeds) in TARGETS.iter().filter(|(target, _)| wanted.is_none_or(|wanted| wanted == *target)) {
        eprintln!("fuzzing {target} for {minutes} minutes");
        let mut command = Command::new(&program);
        let own = Path::new("fuzz/corpus").join(target);
        std::fs::create_dir_all(&own).context("cannot make fuzz/corpus; run it at the root of the repository")?;
        command.arg("run");
        if quick {
            command.args(["--dev", "--sanitizer", "none"]);
        }
        command.arg(target).arg(own).arg(seeds).arg("--");
        command.args([&format!("-max_total_time={}", minutes * 60), "-timeout=10", "-rss_limit_mb=4096"]);
        // Coverage wants flags that a stable compiler takes only if it is told to.
        match has_nightly {
            true => command.env("RUSTUP_TOOLCHAIN", "nightly"),
            false => command.env("RUSTC_BOOTSTRAP", "1"),
        };
        shell::run(&mut command)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A minute for each, as continuous integration does it.
pub fn check() -> Check {
    let mut command = shell::cargo();
    command.args(["xtask", "fuzz", "--quick"]);
    Check { name: "fuzz", command, repeat: "cargo xtask fuzz --quick".to_owned(), component: None }
}

#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    quick: bool,
    minutes: u64,
    target: Option<&'a str>,
}

fn parse(arguments: &[String]) -> Result<Request<'_>> {
    let (mut quick, mut minutes, mut target) = (false, 1, None);
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--quick" => quick = true,
            "--minutes" => {
                minutes = words.next().and_then(|n| n.parse().ok()).context("`--minutes` wants a number")?;
            }
            known if TARGETS.iter().any(|(target, _)| *target == known) => target = Some(known),
            _ => bail!("cannot read `{word}`; `cargo xtask fuzz --help` says what there is"),
        }
    }
    Ok(Request { quick, minutes, target })
}

/// Installed below the target directory, once.
fn ensure() -> Result<PathBuf> {
    let root = shell::target_directory()?.join("cargo-fuzz").join(VERSION);
    let program = root.join("bin/cargo-fuzz");
    if !program.is_file() {
        eprintln!("installing cargo-fuzz {VERSION} (once)");
        let mut install = shell::cargo();
        install.args(["install", "--quiet", "--locked", "cargo-fuzz", "--version", VERSION, "--root"]).arg(&root);
        shell::run(&mut install)?;
    }
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn arguments_are_read() {
        let request = |quick, minutes, target| Request { quick, minutes, target };
        assert_eq!(parse(&[]).expect("nothing is the usual"), request(false, 1, None));
        assert_eq!(parse(&words("--minutes 30 doors")).expect("both"), request(false, 30, Some("doors")));
        assert_eq!(parse(&words("--quick lines")).expect("both"), request(true, 1, Some("lines")));
        assert!(parse(&words("--minutes")).is_err());
        assert!(parse(&words("windows")).is_err());
    }
}
