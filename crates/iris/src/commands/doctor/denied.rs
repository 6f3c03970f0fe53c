//! What Iris keeps below its home, and whether this user may use it: what was once run with `sudo` belongs to root.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use iris_engine::home::Home;
use nix::errno::Errno;
use nix::unistd::{AccessFlags, Uid, User, access, geteuid};

use super::finding::Finding;
use super::fix::Remedy;
use crate::place;

const CHECK: &str = "access";
const FOLDERS: [&str; 6] = ["data", "data/agents", "data/homes", "run", "logs", "backups"];
/// What is written to where it is.
const WRITTEN: [&str; 6] =
    ["data/iris.db", "data/iris.db-wal", "data/iris.db-shm", "run/daemon.lock", "run/config.lock", "logs/daemon.log"];
/// What is replaced as a whole, or never written.
const READ: [&str; 3] = ["config.yaml", "data/node", "run/processes.json"];

/// Of what is in a folder that may not be used nothing is said: it is not known, and the folder comes first.
pub(super) fn look(home: &Home) -> Vec<Finding> {
    let below = |names: &[&str]| names.iter().map(|name| home.root().join(name)).collect::<Vec<PathBuf>>();
    let both = AccessFlags::R_OK | AccessFlags::W_OK;
    let folders = below(&FOLDERS).into_iter().map(|path| (path, both | AccessFlags::X_OK));
    let files = below(&WRITTEN).into_iter().map(|path| (path, both));
    let read = below(&READ).into_iter().map(|path| (path, AccessFlags::R_OK));
    // What is no folder is told where the home is looked at.
    let folders = folders.filter(|(path, _)| path.is_dir());
    folders.chain(files).chain(read).filter_map(|(path, wanted)| find(CHECK, &path, wanted)).collect()
}

/// Nothing if it is not there, or may be used.
pub(super) fn find(check: &'static str, path: &Path, wanted: AccessFlags) -> Option<Finding> {
    let found = std::fs::metadata(path).ok()?;
    (access(path, wanted) == Err(Errno::EACCES)).then(|| finding(check, path, &found, wanted))
}

fn finding(check: &'static str, path: &Path, found: &Metadata, wanted: AccessFlags) -> Finding {
    let shown = place::shown(path);
    // Whoever changes all below a link changes the link alone.
    let word = place::in_command(&path.canonicalize().unwrap_or_else(|_| path.to_owned()));
    let (what, mode) = match found.is_dir() {
        true => ("looked into and written to", 0o700),
        false if wanted.contains(AccessFlags::W_OK) => ("read and written", 0o600),
        false => ("read", 0o600),
    };
    let (own, owner) = (geteuid(), Uid::from_raw(found.uid()));
    if own == owner {
        let what = format!("{shown} is yours, but may not be {what} (mode {:o}); Iris needs it", found.mode() & 0o777);
        let remedy = Remedy::MakePrivate { path: path.to_owned(), mode };
        return Finding::problem(check, what, format!("run `chmod u+rwX {word}`")).fixed_by(remedy);
    }
    let what = format!("{shown} belongs to {} and may not be {what} by you; Iris needs it", name(owner));
    let all = if found.is_dir() { "-R " } else { "" };
    let help =
        format!("if it is to be yours, run `sudo chown {all}{} {word}`; `sudo iris` makes such files", name(own));
    Finding::problem(check, what, help)
}

pub(super) fn is_own(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.uid() == geteuid().as_raw())
}

fn name(user: Uid) -> String {
    User::from_uid(user).ok().flatten().map_or_else(|| user.to_string(), |user| user.name)
}
