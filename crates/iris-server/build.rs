//! The dashboard's files become part of a release build, so a new dashboard is a new build. `cargo xtask` builds it before;
//! for who calls cargo alone (`cargo install`) it is built here, if npm is there. One that cannot be built fails no build: the
//! binary says that it has none.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// What it is built from, as in xtask/src/dashboard.rs.
const SOURCES: &[&str] =
    &["src", "public", "index.html", "package.json", "package-lock.json", "vite.config.ts", "tsconfig.json"];

fn main() {
    println!("cargo:rerun-if-changed=../../dashboard/dist");
    // A debug build reads the files when they are asked for.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        release(Path::new("../../dashboard"));
    }
}

fn release(folder: &Path) {
    for source in SOURCES {
        println!("cargo:rerun-if-changed={}", folder.join(source).display());
    }
    let built = fs::metadata(folder.join("dist/index.html")).and_then(|file| file.modified()).ok();
    let newest = SOURCES.iter().filter_map(|source| newest(&folder.join(source))).max();
    if built >= newest || is_built(folder) {
        return;
    }
    let what = if built.is_some() { "an older dashboard" } else { "no dashboard" };
    println!("cargo:warning=built with {what}: `cargo xtask run` builds it, and says what npm lacks");
}

fn newest(path: &Path) -> Option<SystemTime> {
    let own = fs::metadata(path).and_then(|file| file.modified()).ok();
    let within =
        fs::read_dir(path).ok().and_then(|entries| entries.flatten().filter_map(|entry| newest(&entry.path())).max());
    own.max(within)
}

fn is_built(folder: &Path) -> bool {
    let is_done = |words: &[&str]| {
        let mut npm = Command::new("npm");
        npm.args(words).current_dir(folder).stdin(Stdio::null());
        npm.output().is_ok_and(|ran| ran.status.success())
    };
    is_done(&["ci", "--ignore-scripts", "--no-audit", "--no-fund"]) && is_done(&["run", "build"])
}
