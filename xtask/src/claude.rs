//! The real Claude Code CLI for the tests: the program alone, in versions we name, below the target directory. Never the
//! one a developer has, and never with a developer's login.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::shell;

/// The programs for the tests; none where the pinned packages do not run.
pub struct Claude {
    programs: Vec<(&'static str, PathBuf)>,
}

/// A version of the platform's package, which holds the program itself. The checksum keeps what we run what we looked at.
struct Release {
    version: &'static str,
    integrity: &'static str,
    variable: &'static str,
}

const PACKAGE: &str = "@anthropic-ai/claude-code-linux-x64";

const RELEASES: [Release; 2] = [
    Release {
        version: "2.1.325",
        integrity: "sha512-BqZzMvP/zgLLL34S+7OzbG+cyoFp7gwWHU5koVwsyMlTAz+0zZAmbY+UkzvtN2RXxp6AcMenbYIjQJxoXfUY3w==",
        variable: "IRIS_TEST_CLAUDE",
    },
    // The last one that npm gives to a machine with Node 20, so the oldest we are likely to meet.
    Release {
        version: "2.1.197",
        integrity: "sha512-rIlKmrY0QMyHgPRX/MYWNj039vbypICvI9jVe3rs9Xy2RnNklySjyPxqh62QadznzoftEO23uYQ1tFePcQ//bg==",
        variable: "IRIS_TEST_CLAUDE_OLD",
    },
];

impl Claude {
    /// Fetches what is not there yet; the second time it only looks.
    pub fn ensure() -> Result<Self> {
        if !is_supported() {
            return Ok(Self { programs: Vec::new() });
        }
        let folder = folder()?;
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        // One at a time, so that two runs do not fetch the same hundreds of megabytes.
        let fetching = File::create(folder.join("fetching.lock"))?;
        fetching.lock()?;
        let mut programs = Vec::new();
        for release in &RELEASES {
            if !release.program(&folder).is_file() {
                eprintln!("      fetching Claude Code {} (once; some 100 MB)", release.version);
                release.fetch(&folder)?;
            }
            programs.push((release.variable, release.program(&folder)));
        }
        Ok(Self { programs })
    }

    /// Tells the command's tests where the programs are.
    pub fn export(&self, command: &mut Command) {
        forget(command);
        command.envs(self.programs.iter().map(|(variable, program)| (variable, program)));
    }

    pub fn newest(&self) -> Option<&Path> {
        self.programs.first().map(|(_, program)| program.as_path())
    }

    pub fn describe(&self) -> String {
        if self.programs.is_empty() {
            return "the tests with the real Claude Code CLI are left out: they run on Linux x86-64 only".to_owned();
        }
        let versions: Vec<&str> = RELEASES.iter().map(|release| release.version).collect();
        format!("Claude Code {}", versions.join(" and "))
    }
}

/// Makes sure that the command's tests find no CLI, also none that our own environment speaks of.
pub fn forget(command: &mut Command) {
    for release in &RELEASES {
        command.env_remove(release.variable);
    }
}

pub fn is_supported() -> bool {
    cfg!(all(target_os = "linux", target_arch = "x86_64"))
}

fn folder() -> Result<PathBuf> {
    Ok(shell::target_directory()?.join("claude"))
}

impl Release {
    fn program(&self, folder: &Path) -> PathBuf {
        folder.join(self.version).join("claude")
    }

    /// The program comes to its place by a rename and after it has run, so that what is there is whole.
    fn fetch(&self, folder: &Path) -> Result<()> {
        let staging = folder.join(format!("{}.fetching", self.version));
        remove(&staging)?;
        fs::create_dir_all(&staging)?;
        self.install(&staging)?;
        let program = staging.join("node_modules").join(PACKAGE).join("claude");
        self.verify(&program, &staging)?;
        let place = self.program(folder);
        fs::create_dir_all(place.parent().context("a program is in a folder")?)?;
        fs::rename(&program, &place).with_context(|| format!("cannot move {} into place", program.display()))?;
        remove(&staging)
    }

    /// By a lock file, which makes npm compare the checksum. It names no registry: npm asks the one it is set to.
    fn install(&self, staging: &Path) -> Result<()> {
        fs::write(staging.join("package.json"), self.manifest())?;
        fs::write(staging.join("package-lock.json"), self.lock())?;
        shell::run_quietly(&mut shell::npm_ci(staging)).with_context(|| {
            format!(
                "cannot fetch Claude Code {}. To see whether npm can get it: npm pack --dry-run {PACKAGE}@{}\n\
                 `cargo xtask test --fast` does without it",
                self.version, self.version
            )
        })?;
        Ok(())
    }

    /// With nothing of the developer's: a home of its own, and none of their variables.
    fn verify(&self, program: &Path, staging: &Path) -> Result<()> {
        let home = staging.join("home");
        fs::create_dir_all(&home)?;
        let mut command = Command::new(program);
        command.arg("--version").env_clear().env("HOME", &home).env("PATH", "/usr/bin:/bin").stdin(Stdio::null());
        let said = shell::run_quietly(&mut command)?;
        if said.split_whitespace().next() != Some(self.version) {
            bail!("{PACKAGE}@{} says that it is `{said}`", self.version);
        }
        Ok(())
    }

    fn manifest(&self) -> String {
        format!(
            r#"{{"name": "claude-for-tests", "private": true, "dependencies": {{"{PACKAGE}": "{}"}}}}"#,
            self.version
        )
    }

    fn lock(&self) -> String {
        let Self { version, integrity, .. } = self;
        format!(
            r#"{{"name": "claude-for-tests", "lockfileVersion": 3, "requires": true, "packages": {{
                "": {{"name": "claude-for-tests", "dependencies": {{"{PACKAGE}": "{version}"}}}},
                "node_modules/{PACKAGE}": {{"version": "{version}", "integrity": "{integrity}"}}}}}}"#
        )
    }
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}
