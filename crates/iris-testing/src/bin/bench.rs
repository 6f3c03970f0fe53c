//! `cargo xtask bench`: Iris against its floors and its targets, in one run.

use std::path::PathBuf;

use anyhow::Result;
use iris_testing::bench;

fn main() -> Result<()> {
    let binary = std::env::current_exe()?.with_file_name("iris");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let quick = words.iter().any(|word| word == "--quick");
    let output = words.iter().position(|word| word == "--output").and_then(|at| words.get(at + 1)).map(PathBuf::from);
    let only = words.iter().position(|word| word == "--only").and_then(|at| words.get(at + 1)).cloned();
    bench::run(&bench::Plan { binary, quick, output, only })
}
