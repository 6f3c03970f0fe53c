//! The home: is it there, is it whole, and can nobody else look inside?

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use iris_engine::home::{Home, SHORTEST_TOKEN};
use nix::errno::Errno;
use nix::unistd::AccessFlags;

use super::denied;
use super::finding::{Finding, Verdict};
use super::fix::{self, Remedy};
use crate::place;

const HOME: &str = "home";
const TOKEN: &str = "token";
const FILES: &str = "files";
const RUN_AS_YOU: &str = "they can have Iris run any command as you";

pub(super) fn look(home: &Home, has_daemon: bool) -> Vec<Finding> {
    let mode = match Seen::at(home.root()) {
        Seen::Absent => return vec![not_there(home.root())],
        Seen::Hidden(why) => return vec![hidden(HOME, home.root(), &why)],
        Seen::Mode(_) if !home.root().is_dir() => return vec![no_folder(home.root())],
        Seen::Mode(mode) => mode,
    };
    let mut findings = vec![access(home, mode)];
    // Where nothing can be written, nothing can be made either.
    findings.extend(missing_folders(home).filter(|_| findings[0].verdict != Verdict::Problem));
    findings.extend(no_folders(home));
    findings.extend(open_config(home, mode));
    findings.extend(denied::look(home));
    findings.push(token(home));
    findings.extend(unfinished(home, has_daemon));
    findings
}

/// `iris up` makes it, if it can be made where it is to be.
fn not_there(root: &Path) -> Finding {
    let shown = place::shown(root);
    let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
    let nearest = root.ancestors().skip(1).find(|folder| folder.symlink_metadata().is_ok()).unwrap_or(Path::new("/"));
    let can_be_made = match nearest.is_dir() {
        true => nix::unistd::access(nearest, AccessFlags::W_OK | AccessFlags::X_OK),
        false => Err(Errno::ENOTDIR),
    };
    match can_be_made {
        Ok(()) => Finding::warning(HOME, format!("{shown} is not there yet"), "`iris up` makes it"),
        Err(error) => {
            let what =
                format!("{shown} is not there, and cannot be made in {} ({})", place::shown(nearest), error.desc());
            let nearest = place::in_command(nearest);
            let help = format!("see who owns it (`ls -ld {nearest}`), or choose another home: --home or IRIS_HOME");
            Finding::problem(HOME, what, help)
        }
    }
}

fn no_folder(root: &Path) -> Finding {
    let help = format!("move it away (`{}`), or choose another home: --home or IRIS_HOME", move_away(root));
    Finding::problem(HOME, format!("{} is no folder, and has to be one", place::shown(root)), help)
}

/// The command for it.
fn move_away(path: &Path) -> String {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".old");
    format!("mv {} {}", place::in_command(path), place::in_command(Path::new(&aside)))
}

/// Something that has the name of one of our files. To make it private would help nobody.
pub(super) fn no_file(check: &'static str, path: &Path) -> Finding {
    let what = format!("{} is no file, and has to be one; Iris cannot start", place::shown(path));
    Finding::problem(check, what, format!("move it away: `{}`; the next start makes the file", move_away(path)))
}

fn access(home: &Home, mode: u32) -> Finding {
    let (shown, word) = (place::shown(home.root()), place::in_command(home.root()));
    if let Some(found) = denied::find(HOME, home.root(), AccessFlags::R_OK | AccessFlags::W_OK | AccessFlags::X_OK) {
        return found;
    }
    if let Err(error) = nix::unistd::access(home.root(), AccessFlags::W_OK) {
        return unwritable(home.root(), error);
    }
    let private = |finding: Finding| private(finding, home.root(), 0o700);
    if mode & 0o022 != 0 {
        let what = format!("others may write to {shown} (mode {mode:o}): {RUN_AS_YOU}");
        let help = format!("run `chmod 700 {word}`, and look at what config.yaml says");
        return private(Finding::problem(HOME, what, help));
    }
    if mode & 0o077 != 0 {
        let help = format!("run `chmod 700 {word}`");
        return private(Finding::warning(HOME, format!("others may look into {shown} (mode {mode:o})"), help));
    }
    Finding::ok(HOME, shown)
}

/// What the config says is run. A group may write to many files because of a umask, and gets no further than the home lets it.
fn open_config(home: &Home, home_mode: u32) -> Option<Finding> {
    let path = home.config();
    let Seen::Mode(mode) = Seen::at(&path) else { return None };
    let is_open = mode & 0o002 != 0 || mode & 0o020 != 0 && home_mode & 0o010 != 0;
    let what = format!("others may change {} (mode {mode:o}): {RUN_AS_YOU}", place::shown(&path));
    let help = format!("run `chmod go-w {}`, and look at what it says", place::in_command(&path));
    is_open.then(|| private(Finding::problem(FILES, what, help), &path, mode & !0o022))
}

/// Nobody but the owner of a file, and root, can change its mode.
fn private(finding: Finding, path: &Path, mode: u32) -> Finding {
    if denied::is_own(path) {
        return finding.fixed_by(Remedy::MakePrivate { path: path.to_owned(), mode });
    }
    Finding { help: finding.help.map(|help| help.replace("`chmod", "`sudo chmod")), ..finding }
}

fn unwritable(root: &Path, error: Errno) -> Finding {
    let what = format!("nothing can be written to {} ({})", place::shown(root), error.desc());
    let help = match error {
        Errno::EROFS => {
            "mount its file system to be written to, or choose another home: --home or IRIS_HOME".to_owned()
        }
        _ => {
            let root = place::in_command(root);
            format!("see who owns it (`ls -ld {root}`), or choose another home: --home or IRIS_HOME")
        }
    };
    Finding::problem(HOME, what, help)
}

const FOLDERS: [&str; 3] = ["data", "run", "logs"];

/// Something else that has the name of one of our folders.
fn no_folders(home: &Home) -> impl Iterator<Item = Finding> {
    let paths = FOLDERS.map(|name| home.root().join(name)).into_iter();
    paths
        .filter(|path| {
            path.symlink_metadata().is_ok() && matches!(Seen::at(path), Seen::Mode(_) | Seen::Absent) && !path.is_dir()
        })
        .map(|path| {
            let what = format!("{} is no folder, and has to be one; Iris cannot start", place::shown(&path));
            Finding::problem(
                HOME,
                what,
                format!("move it away: `{}`; the next start makes the folder", move_away(&path)),
            )
        })
}

fn missing_folders(home: &Home) -> Option<Finding> {
    let missing = FOLDERS.into_iter().filter(|name| home.root().join(name).symlink_metadata().is_err());
    let missing = missing.collect::<Vec<_>>().join(", ");
    let what = format!("{} has no {missing}", place::shown(home.root()));
    let finding = || Finding::warning(HOME, what, "the next start makes what is missing").fixed_by(Remedy::MakeFolders);
    (!missing.is_empty()).then(finding)
}

fn token(home: &Home) -> Finding {
    let file = home.token_file();
    let shown = place::shown(&file);
    match Seen::at(&file) {
        Seen::Absent => Finding::warning(TOKEN, format!("there is no {shown} yet"), "the next start makes it"),
        Seen::Hidden(why) => hidden(TOKEN, &file, &why),
        Seen::Mode(_) if !file.is_file() => no_file(TOKEN, &file),
        Seen::Mode(_) if let Some(found) = denied::find(TOKEN, &file, AccessFlags::R_OK) => found,
        Seen::Mode(_) if length(&file) == Some(0) => {
            let what = format!("{shown} is empty, so that no command finds its way in");
            Finding::problem(TOKEN, what, "start Iris anew, which makes another: `iris down`, then `iris up`")
        }
        Seen::Mode(_) if length(&file).is_some_and(|length| length < SHORTEST_TOKEN) => {
            let what = format!(
                "{shown} has fewer than {SHORTEST_TOKEN} characters and could be guessed, so Iris does not start"
            );
            let help = format!("run `rm {}`; the next start makes another", place::in_command(&file));
            Finding::problem(TOKEN, what, help)
        }
        Seen::Mode(mode) if mode & 0o077 == 0 => Finding::ok(TOKEN, format!("{shown} is the owner's alone")),
        Seen::Mode(mode) => {
            let what = format!("others may read {shown} (mode {mode:o}): whoever has it controls every agent");
            let word = place::in_command(&file);
            let help = format!("run `chmod 600 {word}`; if somebody read it, delete it and start Iris anew");
            Finding::problem(TOKEN, what, help).fixed_by(Remedy::MakePrivate { path: file, mode: 0o600 })
        }
    }
}

/// In characters, as the daemon reads it; nothing if it cannot be read.
fn length(token: &Path) -> Option<usize> {
    std::fs::read_to_string(token).ok().map(|token| token.trim().chars().count())
}

/// What is being written is under another name until it is whole. The lock is not looked at: it is held by a process and
/// not by its file, which has to stay, because the agents of this home are known by it.
const UNFINISHED: [&str; 5] =
    ["config.yaml.new", "config.schema.json.new", "token.new", "data/node.new", "run/processes.json.new"];
/// Nothing takes that long to write.
const ABANDONED: Duration = Duration::from_secs(60);

fn unfinished(home: &Home, has_daemon: bool) -> Option<Finding> {
    let paths = UNFINISHED.map(|name| home.root().join(name));
    let files: Vec<PathBuf> =
        paths.into_iter().chain(configs_in_writing(home)).filter(|path| is_abandoned(path)).collect();
    if files.is_empty() {
        return None;
    }
    let what = format!("{} was being written when its process ended; nobody reads it", fix::shown(&files));
    let finding = Finding::warning(FILES, what, format!("remove it: rm {}", fix::words(&files)));
    Some(if has_daemon { finding } else { finding.fixed_by(Remedy::RemoveFiles(files)) })
}

/// Every command that changes the config writes to a file of its own.
fn configs_in_writing(home: &Home) -> impl Iterator<Item = PathBuf> + use<> {
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.strip_prefix("config.yaml.").and_then(|rest| rest.strip_suffix(".new")).is_some_and(|id| !id.is_empty())
    };
    let mut paths: Vec<_> = std::fs::read_dir(home.root())
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(is_one)
        .collect();
    paths.sort();
    paths.into_iter()
}

fn is_abandoned(path: &Path) -> bool {
    let age = std::fs::metadata(path).and_then(|found| found.modified()).ok().and_then(|time| time.elapsed().ok());
    age.is_some_and(|age| age > ABANDONED)
}

/// What there is to see of a file. That it cannot be looked at does not mean that it is not there.
pub(super) enum Seen {
    Mode(u32),
    Absent,
    Hidden(std::io::Error),
}

impl Seen {
    pub fn at(path: &Path) -> Self {
        Self::of(std::fs::metadata(path).map(|found| found.permissions().mode()))
    }

    fn of(mode: std::io::Result<u32>) -> Self {
        match mode {
            Ok(mode) => Self::Mode(mode & 0o777),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Self::Absent,
            Err(error) => Self::Hidden(error),
        }
    }
}

pub(super) fn hidden(check: &'static str, path: &Path, why: &std::io::Error) -> Finding {
    let (shown, folder) = (place::shown(path), place::in_command(path.parent().unwrap_or(path)));
    let what = format!("whether there is {shown} cannot be seen ({why})");
    Finding::problem(check, what, format!("see who may look there: `ls -ld {folder}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_not_be_looked_at_is_not_said_to_be_missing() {
        let denied = || std::io::Error::from_raw_os_error(Errno::EACCES as i32);
        assert!(matches!(Seen::of(Err(denied())), Seen::Hidden(_)));
        assert!(matches!(Seen::of(Err(std::io::ErrorKind::NotFound.into())), Seen::Absent));
        let found = hidden(TOKEN, Path::new("/h/token"), &denied());
        assert!(found.verdict == Verdict::Problem && found.what.contains("Permission denied"), "{}", found.what);
    }

    #[test]
    fn a_home_that_takes_nothing_is_named_with_why() {
        let found = unwritable(Path::new("/h/.iris"), Errno::EROFS);
        assert_eq!(found.what, "nothing can be written to /h/.iris (Read-only file system)");
        assert!(
            unwritable(Path::new("/h/.iris"), Errno::EACCES).help.is_some_and(|help| help.contains("ls -ld /h/.iris"))
        );
    }
}
