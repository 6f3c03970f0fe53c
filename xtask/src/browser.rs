//! A real browser for the tests: the system's Chromium, driven by playwright-core, which is fetched with npm below the
//! target directory.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::shell;

const PACKAGE: &str = "playwright-core";
const VERSION: &str = "1.65.0";
const INTEGRITY: &str =
    "sha512-vNSKgH6YqtN7cdT/L334zo0a+YwkrpicyrHJlWWPIm/Q+Nn2SWInil01oT0mbu96U4GgoRtCYQD9CzJQgju+lA==";

pub const CHROMIUM: &str = "IRIS_TEST_CHROMIUM";
const MODULES: &str = "IRIS_TEST_PLAYWRIGHT";

pub struct Browser {
    chromium: PathBuf,
    /// The folder with `node_modules`.
    folder: PathBuf,
}

impl Browser {
    /// Fetches what is not there yet; the second time it only looks.
    pub fn ensure() -> Result<Self> {
        let chromium = find_chromium().context("Chromium is not there; on Debian: apt-get install -y chromium")?;
        let folder = shell::target_directory()?.join("browser").join(VERSION);
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let fetching = File::create(folder.join("fetching.lock"))?;
        fetching.lock()?;
        let whole = folder.join("whole");
        if !whole.is_file() {
            eprintln!("      fetching {PACKAGE} {VERSION} (once)");
            fetch(&folder)?;
            File::create(&whole)?;
        }
        Ok(Self { chromium, folder })
    }

    /// Tells the command's tests where they are.
    pub fn export(&self, command: &mut Command) {
        command.env(CHROMIUM, &self.chromium).env(MODULES, &self.folder);
    }

    pub fn describe(&self) -> String {
        format!("{} with {PACKAGE} {VERSION}", self.chromium.display())
    }
}

pub fn forget(command: &mut Command) {
    command.env_remove(CHROMIUM).env_remove(MODULES);
}

pub fn find_chromium() -> Option<PathBuf> {
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(shell::find_program)
}

/// By a lock file, which makes npm compare the checksum. It names no registry: npm asks the one it is set to.
fn fetch(folder: &Path) -> Result<()> {
    let dependencies = format!(r#""dependencies": {{"{PACKAGE}": "{VERSION}"}}"#);
    fs::write(folder.join("package.json"), format!(r#"{{"name": "browser", "private": true, {dependencies}}}"#))?;
    let lock = format!(
        r#"{{"name": "browser", "lockfileVersion": 3, "requires": true, "packages": {{
            "": {{"name": "browser", {dependencies}}},
            "node_modules/{PACKAGE}": {{"version": "{VERSION}", "integrity": "{INTEGRITY}"}}}}}}"#
    );
    fs::write(folder.join("package-lock.json"), lock)?;
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(folder);
    // Node does not look at the certificates the system trusts, such as those of a company's own proxy.
    let system = Path::new("/etc/ssl/certs/ca-certificates.crt");
    if std::env::var_os("NODE_EXTRA_CA_CERTS").is_none() && system.is_file() {
        npm.env("NODE_EXTRA_CA_CERTS", system);
    }
    shell::run_quietly(npm.stdin(Stdio::null())).context("`cargo xtask test --fast` does without it")?;
    Ok(())
}
