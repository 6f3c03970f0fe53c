//! `cargo xtask <verb>`: everything one does with the repository, one file per verb.
//! Needs nothing but Rust and what the machine's package manager offers.

mod bench;
mod browser;
mod check;
mod claude;
mod counts;
mod dashboard;
mod dist;
mod fuzz;
mod generate;
mod guide;
mod outside;
mod pictures;
mod postgres;
mod record;
mod release;
mod run;
mod schemathesis;
mod setup;
mod shell;
mod soak;
mod test;

use std::process::ExitCode;

use anyhow::Result;

const HELP: &str = "\
Everything one does with the Iris repository.

Usage: cargo xtask <verb> [arguments]

  run      set up, build and run `iris serve` in the foreground
  test     set up, then format, lints and every test (what CI runs)
  check    format, lints and the architecture test, nothing else
  bench    measure the release build
  soak     run the release build under load and faults for a while
  counts   run the faults of questions with their full counts
  fuzz     feed broken input to whatever reads input, for a while
  record   record anew what the real Claude Code CLI writes
  generate write anew what is made from the code and checked in
  dist     build what is given to people: one program, checksums, what it is made of
  pictures take the README's pictures anew
  guide    do what the README tells a newcomer to do

Examples:
  cargo xtask run                       a daemon on this machine
  cargo xtask run --release -- --port 0
  cargo xtask test                      before a pull request
  cargo xtask test --fast               while editing
  cargo xtask test -- question          only tests with `question` in their name

`cargo xtask <verb> --help` says more about each.
";

fn main() -> ExitCode {
    shell::catch_signals();
    let mut arguments = std::env::args().skip(1);
    let verb = arguments.next();
    let arguments: Vec<String> = arguments.collect();

    match perform(verb.as_deref(), &arguments) {
        // The number a shell gives to a command that ended by Ctrl-C.
        _ if shell::interrupted() => ExitCode::from(130),
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(verb: Option<&str>, arguments: &[String]) -> Result<ExitCode> {
    match verb {
        Some("run") => run::perform(arguments),
        Some("test") => test::perform(arguments),
        Some("check") => check::perform(arguments),
        Some("bench") => bench::perform(arguments),
        Some("soak") => soak::perform(arguments),
        Some("counts") => counts::perform(arguments),
        Some("fuzz") => fuzz::perform(arguments),
        Some("record") => record::perform(arguments),
        Some("dist") => dist::perform(arguments),
        Some("pictures") => pictures::perform(arguments),
        Some("guide") => guide::perform(arguments),
        Some("generate") => generate::perform(arguments),
        None | Some("help" | "--help" | "-h") => Ok(shell::help(HELP)),
        Some(unknown) => {
            eprintln!("error: there is no verb `{unknown}`\n\n{HELP}");
            Ok(ExitCode::from(2))
        }
    }
}
