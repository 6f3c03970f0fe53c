//! schemathesis for the tests: it makes requests out of the API's own description, and sees what comes back. In a Python of
//! its own, below the target directory.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell;

const VERSION: &str = "4.32.5";
const VARIABLE: &str = "IRIS_TEST_SCHEMATHESIS";

pub struct Schemathesis {
    program: PathBuf,
}

impl Schemathesis {
    /// Installs it if it is not there; the second time it only looks.
    pub fn ensure() -> Result<Self> {
        let folder = shell::target_directory()?.join("schemathesis");
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let installing = File::create(folder.join("installing.lock"))?;
        installing.lock()?;
        let place = folder.join(VERSION);
        let program = place.join("bin/schemathesis");
        // Written last, so that what is there is whole.
        let whole = place.join("whole");
        if !whole.is_file() {
            eprintln!("      installing schemathesis {VERSION} (once)");
            let mut venv = Command::new("python3");
            shell::run_quietly(venv.args(["-m", "venv", "--clear"]).arg(&place))
                .context("cannot make a Python environment; on Debian: apt-get install -y python3-venv")?;
            let mut pip = Command::new(place.join("bin/pip"));
            pip.args(["install", "--quiet", "--disable-pip-version-check", &format!("schemathesis=={VERSION}")]);
            shell::run_quietly(&mut pip).context("`cargo xtask test --fast` does without it")?;
            File::create(&whole)?;
        }
        Ok(Self { program })
    }

    /// Tells the command's tests where it is.
    pub fn export(&self, command: &mut Command) {
        command.env(VARIABLE, &self.program);
    }

    pub fn describe(&self) -> String {
        format!("schemathesis {VERSION}")
    }
}

pub fn forget(command: &mut Command) {
    command.env_remove(VARIABLE);
}
