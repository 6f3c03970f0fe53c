//! What runs of a daemon's agents, written down while it runs. A process can throw its mark away, and once its daemon is
//! gone nobody knows whose child it was; the next daemon reads it here. What a number meant is only believed if the process
//! that has it now began when the one in the notes did, on the same system.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard};

use serde::{Deserialize, Serialize};

use super::Instance;
use super::sweep;
use crate::process::Process;

/// A number and a start time, and the session it belongs to, if that could be seen.
pub(super) type Noted = BTreeMap<(i32, u64), Option<String>>;

/// More are not written down; the oldest are.
const MOST: usize = 4096;

#[derive(Debug)]
pub(super) struct Notes {
    instance: Instance,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    noted: Noted,
    /// They could not be written the last time.
    troubled: bool,
}

impl Notes {
    /// Begins with what an earlier daemon wrote down and could not end.
    pub fn open(instance: &Instance) -> Self {
        let known = Known { noted: read(instance), troubled: false };
        let notes = Self { instance: instance.clone(), known: Mutex::new(known) };
        notes.save(&mut notes.known());
        notes
    }

    /// Takes down who of the family runs now. Who was ours once and still runs stays so.
    pub fn take(&self, family: &[Process]) {
        let mut known = self.known();
        let earlier = &known.noted;
        let said = |one: &Process| {
            let before = earlier.get(&one.identity()).cloned().flatten();
            before.or_else(|| self.instance.marked_session(one))
        };
        let mut noted: Noted =
            sweep::sessions(family, said).into_iter().map(|(one, session)| (one.identity(), session)).collect();
        for (identity, session) in earlier.iter().filter(|(identity, _)| runs(**identity)) {
            noted.entry(*identity).or_insert_with(|| session.clone());
        }
        if noted != known.noted || known.troubled {
            known.noted = noted;
            self.save(&mut known);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.known().noted.is_empty()
    }

    pub fn is_of(&self, process: &Process, session: &str) -> bool {
        self.known().noted.get(&process.identity()).is_some_and(|noted| noted.as_deref() == Some(session))
    }

    fn save(&self, known: &mut Known) {
        let Some(path) = self.instance.notes() else { return };
        let written = match known.noted.is_empty() {
            true => remove(path),
            false => write(path, &Page::of(&self.instance, &known.noted)),
        };
        match written {
            Ok(()) => known.troubled = false,
            Err(error) if !known.troubled => {
                known.troubled = true;
                tracing::warn!(%error, "what agents started cannot be written down, should this daemon be killed");
            }
            Err(_) => {}
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().expect("nothing panics while it holds the notes")
    }
}

/// Who was written down and still runs.
pub(super) fn read(instance: &Instance) -> Noted {
    let text = instance.notes().and_then(|path| std::fs::read(path).ok()).unwrap_or_default();
    let Ok(page) = serde_json::from_slice::<Page>(&text) else { return Noted::new() };
    // A copy of a home brings the notes of the original along, and after a restart of the system they are of no use.
    if !instance.names().any(|name| page.instance == name) || page.system != system() {
        return Noted::new();
    }
    let noted = page.processes.into_iter().map(|line| ((line.pid, line.started), line.session));
    noted.filter(|(identity, _)| runs(*identity)).collect()
}

fn runs(identity: (i32, u64)) -> bool {
    Process::find(identity.0).is_some_and(|now| now.identity() == identity && now.is_alive())
}

#[derive(Debug, Serialize, Deserialize)]
struct Page {
    instance: String,
    system: String,
    processes: Vec<Line>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Line {
    pid: i32,
    /// In ticks since the system started.
    started: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<String>,
}

impl Page {
    fn of(instance: &Instance, noted: &Noted) -> Self {
        let line = |((pid, started), session): (&(i32, u64), &Option<String>)| Line {
            pid: *pid,
            started: *started,
            session: session.clone(),
        };
        let mut processes: Vec<Line> = noted.iter().map(line).collect();
        processes.sort_by_key(|line| line.started);
        processes.truncate(MOST);
        Self { instance: instance.name().to_owned(), system: system(), processes }
    }
}

/// Where a number and a start time mean one process: this start of the kernel, and this space of numbers.
fn system() -> String {
    let start = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let numbers = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{} {}", start.trim(), numbers.display())
}

/// Under another name until it is whole. Not synced: it has to outlive the daemon, not the system.
fn write(path: &Path, page: &Page) -> io::Result<()> {
    let beside = path.with_extension("json.new");
    let mut file = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    file.write_all(&serde_json::to_vec(page)?)?;
    std::fs::rename(&beside, path)
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: impl FnOnce(&mut Page), expected: usize) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let instance = Instance::new("a", folder.path().join("processes.json"));
        let own = Process::find(i32::try_from(std::process::id()).expect("a number")).expect("we run");
        let mut written = Page::of(&instance, &Noted::from([(own.identity(), None)]));
        page(&mut written);
        write(instance.notes().expect("a file"), &written).expect("written");
        assert_eq!(read(&instance).len(), expected, "{written:?}");
    }

    #[test]
    fn only_the_very_process_that_was_written_down_is_known_again() {
        check(|_| {}, 1);
        check(|page| page.processes[0].started -= 1, 0);
        check(|page| page.processes[0].pid = i32::MAX, 0);
        check(|page| page.instance = "the original of a copy".to_owned(), 0);
        check(|page| page.system = "before a restart".to_owned(), 0);
    }

    #[test]
    fn what_has_ended_is_forgotten_and_what_lost_its_parent_is_not() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let instance = Instance::new("a", folder.path().join("processes.json"));
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("sleep runs");
        let one = Process::find(i32::try_from(child.id()).expect("a number")).expect("it runs");
        let notes = Notes::open(&instance);
        notes.take(&[one]);
        notes.take(&[]);
        assert_eq!(read(&instance).into_keys().collect::<Vec<_>>(), [one.identity()]);
        child.kill().and_then(|()| child.wait()).expect("ours");
        notes.take(&[]);
        assert!(notes.is_empty() && !instance.notes().expect("a file").exists());
    }

    #[test]
    fn no_more_than_so_many_are_written_down() {
        let many = (1..=MOST + 1).map(|n| ((i32::try_from(n).expect("small"), n as u64), None)).collect();
        let page = Page::of(&Instance::passing("a"), &many);
        assert_eq!((page.processes.len(), page.processes[0].started), (MOST, 1));
    }
}
