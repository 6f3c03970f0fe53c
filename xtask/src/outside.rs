//! Programs we did not write, against which the MCP doors are tested: the conformance suite, the Inspector and the
//! official clients, with a Node of their own, below the target directory. All versions are pinned; npm compares the
//! checksums. The files that name them are in `xtask/outside` and name no registry: npm and pip ask those they are set to.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::{claude, shell};

/// Where they are; none where the pinned packages do not run.
pub struct Outside {
    found: Vec<(&'static str, PathBuf)>,
}

const NODE: &str = "IRIS_TEST_MCP_NODE";
const PYTHON: &str = "IRIS_TEST_MCP_PYTHON";

const MANIFEST: &str = include_str!("../outside/package.json");
const LOCK: &str = include_str!("../outside/package-lock.json");
const REQUIREMENTS: &str = include_str!("../outside/requirements.txt");

impl Outside {
    /// Fetches what is not there yet; the second time it only looks.
    pub fn ensure() -> Result<Self> {
        if !claude::is_supported() {
            return Ok(Self { found: Vec::new() });
        }
        let folder = folder()?;
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        // One at a time, so that two runs do not fetch the same.
        let fetching = File::create(folder.join("fetching.lock"))?;
        fetching.lock()?;
        let (node, python) = (folder.join("node"), folder.join("python"));
        if !is_done(&node, LOCK) {
            eprintln!(
                "      fetching the MCP conformance suite, the Inspector and a Node for them (once; some 100 MB)"
            );
            fetch_node(&node)?;
        }
        if !is_done(&python, REQUIREMENTS) {
            eprintln!("      fetching the MCP client for Python (once)");
            fetch_python(&python)?;
        }
        Ok(Self { found: vec![(NODE, node), (PYTHON, python.join("bin/python"))] })
    }

    /// Tells the command's tests where they are.
    pub fn export(&self, command: &mut Command) {
        forget(command);
        command.envs(self.found.iter().map(|(variable, place)| (variable, place)));
    }

    pub fn describe(&self) -> &'static str {
        if self.found.is_empty() {
            "the tests with outside MCP programs are left out: they run on Linux x86-64 only"
        } else {
            "the MCP conformance suite, the Inspector, the TypeScript and the Python client"
        }
    }
}

/// Makes sure that the command's tests find none.
pub fn forget(command: &mut Command) {
    command.env_remove(NODE).env_remove(PYTHON);
}

fn folder() -> Result<PathBuf> {
    Ok(shell::target_directory()?.join("outside"))
}

/// What is written last, so that what is there is whole and of the pinned versions.
fn is_done(folder: &Path, pinned: &str) -> bool {
    fs::read_to_string(folder.join("done")).is_ok_and(|done| done == pinned)
}

fn fetch_node(folder: &Path) -> Result<()> {
    begin(folder)?;
    fs::write(folder.join("package.json"), MANIFEST)?;
    fs::write(folder.join("package-lock.json"), LOCK)?;
    shell::run_quietly(&mut shell::npm_ci(folder))
        .context("cannot fetch the MCP conformance suite; `cargo xtask test --fast` does without it")?;
    Ok(fs::write(folder.join("done"), LOCK)?)
}

fn fetch_python(folder: &Path) -> Result<()> {
    begin(folder)?;
    let failed = "cannot fetch the MCP client for Python; `cargo xtask test --fast` does without it";
    shell::run_quietly(Command::new("python3").args(["-m", "venv"]).arg(folder)).context(failed)?;
    let list = folder.join("requirements.txt");
    fs::write(&list, REQUIREMENTS)?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "-r"]).arg(&list);
    shell::run_quietly(pip.stdin(Stdio::null())).context(failed)?;
    Ok(fs::write(folder.join("done"), REQUIREMENTS)?)
}

/// What was left half done is taken away.
fn begin(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(fs::create_dir_all(folder)?)
}
