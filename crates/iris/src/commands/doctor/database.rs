//! The database: is it whole, of a version we know, and nobody else's business?

use std::path::PathBuf;

use iris_api::status::{Status, StoreStatus};
use iris_engine::StoreError;
use iris_engine::config::Config;
use iris_engine::home::Home;

use super::finding::Finding;
use super::fix::Remedy;
use super::home::{Seen, hidden, no_file};
use crate::place;

const CHECK: &str = "database";
const LOST: &str = "if you have a backup, `iris restore FILE` puts it back; else the next start makes a new one, with nothing \
                    in it (which is right if conversations were in PostgreSQL so far)";

/// Also says when the newest event was written, if that can be seen from here.
pub(super) fn look(home: &Home, config: &Config, status: Option<&Status>) -> (Vec<Finding>, Option<i64>) {
    let mut findings = Vec::new();
    if let Some(StoreStatus::Troubled { what, hint, .. }) = status.map(|status| &status.store) {
        let help = hint.clone().unwrap_or_else(|| "read the log; Iris tries again by itself".to_owned());
        findings.push(Finding::problem(CHECK, what, help));
    }
    if let Some(url) = &config.database.url {
        if findings.is_empty() {
            findings.push(match status {
                Some(_) => Finding::ok(CHECK, "PostgreSQL, and the daemon writes to it"),
                None => look_at_server(url.clone()),
            });
        }
        return (findings, None);
    }
    let (file, newest) = look_at_file(home);
    findings.extend(file);
    (findings, newest)
}

fn look_at_server(url: String) -> Finding {
    // The client runs a loop of its own, which must not be inside another.
    let looked = std::thread::spawn(move || iris_engine::look_at_server(&url)).join();
    match looked.unwrap_or_else(|_| Err(StoreError::Unavailable("the look at it broke off".to_owned()))) {
        Ok(0) => Finding::ok(CHECK, "PostgreSQL answers, and holds nothing yet; the first start makes it"),
        Ok(schema) => Finding::ok(CHECK, format!("PostgreSQL answers (schema {schema})")),
        Err(error) => {
            let help = error.hint_at_start().unwrap_or("look into the log of the server").to_owned();
            Finding::problem(CHECK, error.to_string(), help)
        }
    }
}

fn find_open(path: PathBuf, mode: u32) -> Option<Finding> {
    if mode & 0o077 == 0 {
        return None;
    }
    let what = format!("others may read {} (mode {mode:o}): everything agents said is in it", place::shown(&path));
    let help = format!("run `chmod 600 {}`", place::in_command(&path));
    Some(Finding::warning(CHECK, what, help).fixed_by(Remedy::MakePrivate { path, mode: 0o600 }))
}

fn look_at_file(home: &Home) -> (Vec<Finding>, Option<i64>) {
    let path = home.database();
    let shown = place::shown(&path);
    // A token is made once there is a database to go with it.
    let was_used = matches!(Seen::at(&home.token_file()), Seen::Mode(_));
    let mode = match Seen::at(&path) {
        Seen::Absent if was_used => {
            let what = format!("there is no {shown}, though a daemon ran here");
            return (vec![Finding::warning(CHECK, what, LOST)], None);
        }
        Seen::Absent => {
            return (vec![Finding::ok(CHECK, format!("there is no {shown} yet; the first start makes it"))], None);
        }
        Seen::Hidden(why) => return (vec![hidden(CHECK, &path, &why)], None),
        Seen::Mode(_) if !path.is_file() => return (vec![no_file(CHECK, &path)], None),
        Seen::Mode(mode) => mode,
    };
    // What was written last is in those beside it.
    let beside = ["-wal", "-shm"].map(|end| path.with_extension(format!("db{end}")));
    let beside = beside.into_iter().filter_map(|path| match Seen::at(&path) {
        Seen::Mode(mode) => Some((path, mode)),
        Seen::Absent | Seen::Hidden(_) => None,
    });
    let files = std::iter::once((path.clone(), mode)).chain(beside);
    let mut findings: Vec<_> = files.filter_map(|(path, mode)| find_open(path, mode)).collect();
    match iris_engine::look_at_database(&path) {
        Ok(seen) if seen.schema == 0 && was_used => {
            let what = format!("{shown} holds nothing, though a daemon ran here: what was in it is gone");
            findings.push(Finding::problem(CHECK, what, LOST));
            (findings, None)
        }
        Ok(seen) if seen.schema == 0 => {
            let what = format!("{shown} holds nothing yet: the first start did not get that far");
            findings.push(Finding::warning(CHECK, what, "the next start makes it; nothing is lost"));
            (findings, None)
        }
        Ok(seen) => {
            let size = std::fs::metadata(&path).map_or(0, |found| found.len()) / (1024 * 1024);
            let next = match seen.schema < seen.known {
                true => format!(", which the next start brings to {} after making a copy", seen.known),
                false => String::new(),
            };
            findings.push(Finding::ok(CHECK, format!("{shown} is whole ({size} MB, schema {}{next})", seen.schema)));
            (findings, seen.newest_event_at)
        }
        // That was said with the home.
        Err(StoreError::Denied(_)) => (findings, None),
        Err(error) => {
            let help = error.hint_at_start().unwrap_or("see that nobody else uses the file, and look again").to_owned();
            findings.push(Finding::problem(CHECK, error.to_string(), help));
            (findings, None)
        }
    }
}
