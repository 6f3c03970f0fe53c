//! `cargo xtask pictures`: the pictures in the README, taken anew of the real dashboard in the real browser.

use std::fs;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::browser::Browser;
use crate::shell::{self, Steps};
use crate::{dashboard, setup};

const HELP: &str = "\
Takes the README's pictures anew: a daemon with scripted teams, the dashboard in Chromium.

Usage: cargo xtask pictures
";

const PICTURES: [&str; 3] = ["inbox-wide-light.png", "session-wide-light.png", "inbox-phone-dark.png"];

pub fn perform(arguments: &[String]) -> Result<ExitCode> {
    if shell::asks_for_help(arguments) {
        return Ok(shell::help(HELP));
    }
    let mut steps = Steps::new(3);
    steps.next("looking for a C compiler, npm and Chromium");
    setup::ensure(setup::TO_TEST)?;
    Browser::ensure()?;
    dashboard::ensure()?;
    steps.next("taking them");
    let mut look = dashboard::browser_check()?.command;
    shell::run(look.args(["--", "picture"]))?;
    steps.next("keeping them");
    let folder = shell::root().join("docs/pictures");
    fs::create_dir_all(&folder)?;
    for picture in PICTURES {
        let taken = shell::target_directory()?.join("screenshots").join(format!("readme-{picture}"));
        fs::copy(&taken, folder.join(picture)).with_context(|| format!("{} was not taken", taken.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
