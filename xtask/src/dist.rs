//! `cargo xtask dist`: what is given to people. One program with the dashboard inside, what it is made of, and checksums.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::shell::{self, Steps};
use crate::{dashboard, setup};

const HELP: &str = "\
Builds what is given to people, in target/dist:
  iris-VERSION-ARCH-OS.tar.gz   the program (the dashboard is inside), man pages, completions, licences, README
  iris-VERSION.cdx.json         what the program is made of (CycloneDX), and dashboard-VERSION.cdx.json for the dashboard
  SHA256SUMS                    checksums of these: `sha256sum --check SHA256SUMS`

Usage: cargo xtask dist
";

/// Writes what Cargo packages a program is made of. Built once, and kept in the target directory.
const LISTER: &str = "cargo-cyclonedx";
const LISTER_VERSION: &str = "0.5.9";

pub fn perform(arguments: &[String]) -> Result<ExitCode> {
    if shell::asks_for_help(arguments) {
        return Ok(shell::help(HELP));
    }
    let mut steps = Steps::new(6);
    steps.next("looking for a C compiler and npm");
    setup::ensure(setup::TO_RUN)?;
    steps.next("building the dashboard");
    dashboard::ensure()?;
    steps.next("building Iris for speed (first time: several minutes)");
    shell::run(shell::cargo().args(["build", "--release", "--locked", "--package", "iris"]))?;
    let program = shell::built_program("release", "iris")?;
    let version = read_version(&program)?;

    steps.next("packing");
    let folder = shell::target_directory()?.join("dist");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(&folder)?;
    let archive = pack(&program, &version, &folder)?;

    steps.next("listing what it is made of");
    let lists = list_parts(&version, &folder)?;

    steps.next("checksums");
    let mut sum = Command::new("sha256sum");
    sum.current_dir(&folder).arg(&archive).args(&lists);
    let sums = shell::run_quietly(&mut sum)? + "\n";
    fs::write(folder.join("SHA256SUMS"), &sums)?;
    eprint!("{sums}");
    eprintln!("in {}", folder.display());
    Ok(ExitCode::SUCCESS)
}

fn read_version(program: &Path) -> Result<String> {
    let said = shell::run_quietly(Command::new(program).arg("--version"))?;
    Ok(said.split_whitespace().nth(1).context("the program does not say its version")?.to_owned())
}

/// The archive's name. What is packed came out of the very program that is in it.
fn pack(program: &Path, version: &str, folder: &Path) -> Result<String> {
    let name = format!("iris-{version}-{ARCH}-{OS}");
    let staged = folder.join(&name);
    fs::create_dir_all(staged.join("completions"))?;
    fs::copy(program, staged.join("iris")).context("cannot copy the program")?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(shell::root().join(file), staged.join(file)).with_context(|| format!("cannot copy {file}"))?;
    }
    shell::run_quietly(Command::new(program).arg("man").arg(staged.join("man")))?;
    for shell_name in ["bash", "zsh", "fish"] {
        let text = shell::run_quietly(Command::new(program).args(["completions", shell_name]))? + "\n";
        fs::write(staged.join("completions").join(format!("iris.{shell_name}")), text)?;
    }
    let archive = format!("{name}.tar.gz");
    let mut tar = Command::new("tar");
    tar.current_dir(folder).args(["--create", "--gzip", "--file", &archive, &name]);
    shell::run_quietly(&mut tar)?;
    fs::remove_dir_all(&staged)?;
    Ok(archive)
}

fn list_parts(version: &str, folder: &Path) -> Result<[String; 2]> {
    let lists = [format!("iris-{version}.cdx.json"), format!("dashboard-{version}.cdx.json")];
    let lister = ensure_lister()?;
    // It writes beside the manifest of each package of the workspace.
    let mut list = Command::new(lister);
    list.current_dir(shell::root()).args([
        "cyclonedx",
        "--format",
        "json",
        "--spec-version",
        "1.5",
        "--override-filename",
        "sbom",
    ]);
    shell::run_quietly(&mut list)?;
    let written = find_written()?;
    fs::copy(shell::root().join("crates/iris/sbom.json"), folder.join(&lists[0]))
        .context("no list of Iris was written")?;
    for file in written {
        fs::remove_file(file)?;
    }
    let mut npm = Command::new("npm");
    npm.current_dir(shell::root().join("dashboard")).args(["sbom", "--omit=dev", "--sbom-format=cyclonedx"]);
    fs::write(folder.join(&lists[1]), shell::run_quietly(&mut npm)? + "\n")?;
    Ok(lists)
}

fn find_written() -> Result<Vec<PathBuf>> {
    let packages = fs::read_dir(shell::root().join("crates"))?.filter_map(Result::ok).map(|entry| entry.path());
    let files = packages.chain([shell::root().join("xtask")]).map(|package| package.join("sbom.json"));
    Ok(files.filter(|file| file.is_file()).collect())
}

fn ensure_lister() -> Result<PathBuf> {
    let tools = shell::target_directory()?.join("tools");
    let program = tools.join("bin").join(LISTER);
    let said = Command::new(&program).args(["cyclonedx", "--version"]).output();
    if said.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains(LISTER_VERSION)) {
        return Ok(program);
    }
    eprintln!("      building {LISTER} (once)");
    let mut install = shell::cargo();
    install.args(["install", LISTER, "--version", LISTER_VERSION, "--locked", "--force", "--root"]).arg(&tools);
    shell::run_quietly(&mut install)?;
    if !program.is_file() {
        bail!("{LISTER} was not built");
    }
    Ok(program)
}
