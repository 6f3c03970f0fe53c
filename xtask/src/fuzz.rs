//! `cargo xtask fuzz`: what comes from outside, broken in every way that a fuzzer finds, for as long as one likes.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::shell;

const HELP: &str = "\
Fuzz what comes from outside: connections, lines of agents, the config. Needs a nightly Rust.

Usage: cargo xtask fuzz [--minutes N] [target]

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
    let (minutes, wanted) = parse(arguments)?;
    let program = ensure()?;
    for (target, seeds) in TARGETS.iter().filter(|(target, _)| wanted.is_none_or(|wanted| wanted == *target)) {
        eprintln!("fuzzing {target} for {minutes} minutes");
        let mut command = Command::new(&program);
        let own = Path::new("fuzz/corpus").join(target);
        std::fs::create_dir_all(&own).context("cannot make fuzz/corpus; run it at the root of the repository")?;
        command.args(["run", target]).arg(own).arg(seeds).arg("--");
        command.args([&format!("-max_total_time={}", minutes * 60), "-timeout=10", "-rss_limit_mb=4096"]);
        // The fuzzer is built by nightly, whatever builds us.
        command.env("RUSTUP_TOOLCHAIN", "nightly");
        shell::run(&mut command)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn parse(arguments: &[String]) -> Result<(u64, Option<&str>)> {
    let (mut minutes, mut target) = (1, None);
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            "--minutes" => {
                minutes = words.next().and_then(|n| n.parse().ok()).context("`--minutes` wants a number")?;
            }
            known if TARGETS.iter().any(|(target, _)| *target == known) => target = Some(known),
            _ => bail!("cannot read `{word}`; `cargo xtask fuzz --help` says what there is"),
        }
    }
    Ok((minutes, target))
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
        assert_eq!(parse(&[]).expect("nothing is the usual"), (1, None));
        assert_eq!(parse(&words("--minutes 30 doors")).expect("both"), (30, Some("doors")));
        assert!(parse(&words("--minutes")).is_err());
        assert!(parse(&words("windows")).is_err());
    }
}
