//! What a machine needs besides Rust: found if it is there, installed where we may, else named with the exact command.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{browser, shell};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    CCompiler,
    Strace,
    Postgres,
    Npm,
    Python,
    Chromium,
}

/// For building Iris without its dashboard.
pub const TO_BUILD: &[Tool] = &[Tool::CCompiler];

/// For building all of Iris and running it.
pub const TO_RUN: &[Tool] = &[Tool::CCompiler, Tool::Npm];

/// For measuring the release build, on both databases and with the real CLI.
pub const TO_MEASURE: &[Tool] = &[Tool::CCompiler, Tool::Postgres, Tool::Npm];

/// For every test.
pub const TO_TEST: &[Tool] = &[Tool::CCompiler, Tool::Strace, Tool::Postgres, Tool::Npm, Tool::Python, Tool::Chromium];

/// Sees to it that the tools are there. Does nothing, quickly, the second time.
pub fn ensure(tools: &[Tool]) -> Result<()> {
    let missing = missing(tools);
    if missing.is_empty() {
        return Ok(());
    }
    for tool in &missing {
        eprintln!("      {} is missing: {}", tool.name(), tool.purpose());
    }
    if !(is_root()? && shell::find_program("apt-get").is_some()) {
        bail!("install what is missing and try again:\n\n    {}\n", install_command(&missing));
    }
    install_with_apt(&missing)?;
    match self::missing(tools).first() {
        None => Ok(()),
        Some(tool) => bail!("{} was installed but is still not found", tool.name()),
    }
}

/// The folder with the PostgreSQL server programs. Debian keeps it out of PATH.
pub fn find_postgres() -> Option<PathBuf> {
    let in_path = shell::find_program("initdb").and_then(|program| {
        let program = program.canonicalize().ok()?;
        Some(program.parent()?.to_owned())
    });
    in_path
        .into_iter()
        .chain(debian_postgres_folders())
        .find(|folder| ["initdb", "pg_ctl", "postgres"].iter().all(|name| folder.join(name).is_file()))
}

pub fn is_root() -> Result<bool> {
    Ok(user_number("-u", None)? == 0)
}

/// What `id` says: `-u` for the user's number, `-g` for the group's; of ourselves if no name is given.
pub fn user_number(option: &str, name: Option<&str>) -> Result<u32> {
    let answer = shell::run_quietly(Command::new("id").arg(option).args(name))?;
    answer.parse().with_context(|| format!("`id` answered `{answer}`"))
}

impl Tool {
    fn is_there(self) -> bool {
        match self {
            Tool::CCompiler => std::env::var_os("CC").is_some() || shell::find_program("cc").is_some(),
            // Only Linux has it, and only there do the tests use it.
            Tool::Strace => !cfg!(target_os = "linux") || shell::find_program("strace").is_some(),
            Tool::Postgres => find_postgres().is_some(),
            // The doors are tried by programs that npm fetches, beside the CLI.
            Tool::Npm => shell::find_program("npm").is_some(),
            // Debian has what makes environments in a package of its own.
            Tool::Python => shell::run_quietly(Command::new("python3").args(["-c", "import ensurepip"])).is_ok(),
            Tool::Chromium => browser::find_chromium().is_some(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Tool::CCompiler => "a C compiler",
            Tool::Strace => "strace",
            Tool::Postgres => "PostgreSQL",
            Tool::Npm => "npm",
            Tool::Python => "Python with venv",
            Tool::Chromium => "Chromium",
        }
    }

    fn purpose(self) -> &'static str {
        match self {
            Tool::CCompiler => "SQLite is built from its source",
            Tool::Strace => "the fault tests make system calls fail with it",
            Tool::Postgres => "every store test runs on it as well as on SQLite",
            Tool::Npm => "the dashboard is built with it, and what the tests need from outside is fetched",
            Tool::Python => "schemathesis and one of the MCP clients run in it",
            Tool::Chromium => "the dashboard is tested in it, and what a page of another site can do",
        }
    }

    fn packages(self, installer: Installer) -> &'static str {
        match (self, installer) {
            (Tool::CCompiler, Installer::Apt) => "gcc libc6-dev",
            (Tool::CCompiler, _) => "gcc",
            (Tool::Strace, _) => "strace",
            (Tool::Postgres, Installer::Dnf) => "postgresql-server",
            (Tool::Postgres, _) => "postgresql",
            (Tool::Npm, Installer::Brew) => "node",
            (Tool::Npm, _) => "npm",
            (Tool::Python, Installer::Apt) => "python3 python3-venv",
            (Tool::Python, _) => "python3",
            (Tool::Chromium, _) => "chromium",
        }
    }
}

#[derive(Clone, Copy)]
enum Installer {
    Apt,
    Dnf,
    Brew,
}

fn missing(tools: &[Tool]) -> Vec<Tool> {
    tools.iter().copied().filter(|tool| !tool.is_there()).collect()
}

fn install_command(tools: &[Tool]) -> String {
    let known = [
        ("apt-get", Installer::Apt, "sudo apt-get install -y"),
        ("dnf", Installer::Dnf, "sudo dnf install -y"),
        ("brew", Installer::Brew, "brew install"),
    ];
    let found = known.into_iter().find(|(program, ..)| shell::find_program(program).is_some());
    // Without a package manager we know, Debian's names are the best hint.
    let (_, installer, command) = found.unwrap_or(known[0]);
    format!("{command} {}", packages(tools, installer).join(" "))
}

/// Debian may start a server of its own after the installation; the tests never use that one.
fn install_with_apt(tools: &[Tool]) -> Result<()> {
    let packages = packages(tools, Installer::Apt);
    eprintln!("      installing {}", packages.join(", "));
    shell::run(Command::new("apt-get").args(["update", "-qq"]))?;
    shell::run(
        Command::new("apt-get")
            .args(["install", "-y", "-qq", "--no-install-recommends"])
            .args(packages)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
}

fn packages(tools: &[Tool], installer: Installer) -> Vec<&'static str> {
    tools.iter().flat_map(|tool| tool.packages(installer).split(' ')).collect()
}

/// `/usr/lib/postgresql/<version>/bin`, the newest first.
fn debian_postgres_folders() -> Vec<PathBuf> {
    let Ok(entries) = Path::new("/usr/lib/postgresql").read_dir() else {
        return Vec::new();
    };
    let mut versions: Vec<(u32, PathBuf)> =
        entries.flatten().filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path()))).collect();
    versions.sort_by(|one, other| other.cmp(one));
    versions.into_iter().map(|(_, folder)| folder.join("bin")).collect()
}
