//! The dashboard: built with npm when its sources have changed, checked, and tried in a real browser. Cargo itself
//! calls npm only for a release without any (`cargo install`); a binary that is built without the dashboard says so in its place.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::check::Check;
use crate::{browser, shell};

/// What the bundle is made from. All else in the folder is for tests.
const SOURCES: &[&str] =
    &["src", "public", "index.html", "package.json", "package-lock.json", "vite.config.ts", "tsconfig.json"];

/// Builds it if something has changed. Says what it does, if anything.
pub fn ensure() -> Result<()> {
    let made_from = digest(SOURCES)?;
    let stamp = shell::target_directory()?.join("xtask/dashboard.stamp");
    let is_there = folder().join("dist/index.html").is_file();
    if is_there && fs::read_to_string(&stamp).is_ok_and(|stamp| stamp == made_from) {
        return Ok(());
    }
    install()?;
    eprintln!("      building the dashboard");
    shell::run_quietly(&mut script("build")).context("cannot build the dashboard")?;
    fs::create_dir_all(stamp.parent().context("a stamp is in a folder")?)?;
    fs::write(stamp, made_from)?;
    Ok(())
}

/// The packages of the lock file, if they are not there yet.
pub fn install() -> Result<()> {
    let wanted = digest(&["package.json", "package-lock.json"])?;
    let stamp = folder().join("node_modules/.iris-stamp");
    if fs::read_to_string(&stamp).is_ok_and(|stamp| stamp == wanted) {
        return Ok(());
    }
    eprintln!("      fetching the dashboard's packages (once; some 200 MB on disk)");
    shell::run_quietly(&mut shell::npm_ci(&folder())).context("cannot fetch the dashboard's packages")?;
    fs::write(stamp, wanted)?;
    Ok(())
}

/// The types of the API anew, from its description.
pub fn generate_types() -> Result<()> {
    install()?;
    shell::run_quietly(&mut script("types")).context("cannot write the dashboard's types")?;
    Ok(())
}

/// Types up to date, lints, tests of what decides, and the size of the first page.
pub fn check() -> Check {
    Check {
        name: "dashboard",
        command: script("check"),
        repeat: "cd dashboard && npm run check".to_owned(),
        component: None,
    }
}

/// The built dashboard in the browser, against the built daemon.
pub fn browser_check() -> Result<Check> {
    shell::run(shell::cargo().args(["build", "--package", "iris"]))?;
    let mut command = script("e2e");
    command.env("IRIS_TEST_BINARY", shell::built_program("debug", "iris")?);
    command.env("IRIS_TEST_PICTURES", shell::target_directory()?.join("screenshots"));
    command.envs(browser::find_chromium().map(|program| (browser::CHROMIUM, program)));
    Ok(Check {
        name: "dashboard in the browser",
        command,
        repeat: "cargo build && cd dashboard && npm run e2e".to_owned(),
        component: None,
    })
}

fn folder() -> PathBuf {
    shell::root().join("dashboard")
}

/// A script of package.json. Debian's Node may be too old for the build tools; then npm fetches a newer one for them.
fn script(name: &str) -> Command {
    let mut command = npm();
    if !is_new_enough() {
        command.args(["exec", "--yes", "--package=node@22", "--", "npm"]);
    }
    command.args(["run", name]);
    command
}

/// What the build tools say they need: 20.19, or 22.12 and newer.
fn is_new_enough() -> bool {
    let said = shell::run_quietly(Command::new("node").arg("--version")).unwrap_or_default();
    let mut numbers = said.trim_start_matches('v').split('.').map_while(|number| number.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(20), Some(minor)) => minor >= 19,
        (Some(22), Some(minor)) => minor >= 12,
        (Some(major), _) => major > 22,
        _ => false,
    }
}

fn npm() -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(folder()).stdin(Stdio::null());
    shell::trust_system_certificates(&mut npm);
    npm
}

/// Of every file's name and bytes.
fn digest(paths: &[&str]) -> Result<String> {
    let mut files = Vec::new();
    for path in paths {
        list(&folder().join(path), &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.hash(&mut hasher);
        fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn list(path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    for entry in path.read_dir()? {
        list(&entry?.path(), files)?;
    }
    Ok(())
}
