//! `cargo xtask bench`: Iris against its floors and its targets, in one run.

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use iris_testing::bench;

/// Measure Iris against its floors and its targets, in one run
///
/// Prints a table and writes JSON. PostgreSQL and the real Claude Code CLI are measured if IRIS_TEST_POSTGRES and
/// IRIS_TEST_CLAUDE say where they are.
#[derive(Parser)]
#[command(name = "iris-bench")]
struct Arguments {
    /// Fewer rounds: to see that it runs, not what it measures
    #[arg(long)]
    quick: bool,
    /// Only the groups whose name contains this: start, tell, mcp, throughput, postgres, relay, growth, sessions, history,
    /// readers, claude, detect
    #[arg(long, value_name = "GROUP")]
    only: Option<String>,
    /// Where the JSON goes, if not beside the program
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

fn main() -> Result<()> {
    let Arguments { quick, only, output } = Arguments::parse();
    let binary = std::env::current_exe()?.with_file_name("iris");
    bench::run(&bench::Plan { binary, quick, output, only })
}
