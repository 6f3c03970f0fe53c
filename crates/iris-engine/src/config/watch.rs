//! The config file is looked at while the daemon runs. What can be used is used, all of it at once; what cannot be changes
//! nothing, and is shown.
//!
//! A look at the file ten times a second is cheaper than anything that could tell of a change, and works on every disk.

mod writer;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use iris_core::event::{ConfigEvent, Draft, Fact, Subject};
use iris_store::{event, wall_ms};

use super::change::{Pending, changed, pending};
use super::{Config, ConfigError, load};
use crate::agent::RunnerHandle;
use crate::engine::Inner;

const EVERY: Duration = Duration::from_millis(100);
/// So many looks in a row have to see the same: half a file may be a config, too, and some write with pauses.
const SETTLED: u32 = 5;
/// A file that somebody has open to write to is waited for, but not for ever: some never close one. A minute.
const LONGEST_OPEN: u32 = 600;

/// How the file and what is in force are to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigState {
    /// Why the file as it is now is not used, and since when.
    pub refused: Option<(String, i64)>,
    /// What takes effect with the next start.
    pub pending: Vec<Pending>,
    /// Since when a changed file is not read because somebody has it open to write to.
    pub waiting: Option<i64>,
}

pub(crate) struct Watched {
    /// What the daemon was started with.
    at_start: Config,
    state: Mutex<ConfigState>,
    closed: AtomicBool,
}

impl Watched {
    pub fn new(config: &Config) -> Self {
        Self { at_start: config.clone(), state: Mutex::default(), closed: AtomicBool::new(false) }
    }

    pub fn state(&self) -> ConfigState {
        self.state.lock().expect("nothing panics while it holds the state").clone()
    }

    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    /// A writer is waited for, or not any more. Since when stays as it was.
    fn wait(&self, is_waiting: bool) {
        let mut state = self.state.lock().expect("nothing panics while it holds the state");
        state.waiting = is_waiting.then(|| state.waiting.unwrap_or_else(wall_ms));
    }

    fn set(&self, state: ConfigState) {
        *self.state.lock().expect("nothing panics while it holds the state") = state;
    }
}

/// A file as it was seen. Two that are the same are the same file, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    inode: u64,
    length: u64,
    written: (i64, i64),
    /// As the system noted it: a program can put back when it was written, but not this.
    changed: (i64, i64),
}

fn look(path: &Path) -> Option<Seen> {
    use std::os::unix::fs::MetadataExt;
    let about = std::fs::metadata(path).ok()?;
    Some(Seen {
        inode: about.ino(),
        length: about.len(),
        written: (about.mtime(), about.mtime_nsec()),
        changed: (about.ctime(), about.ctime_nsec()),
    })
}

pub(crate) async fn run(engine: Arc<Inner>) {
    let path = engine.home.config();
    // Nothing was looked at yet: the file may have changed since the daemon read it at its start. One that was not there is
    // not missed.
    let mut used = look(&path).is_none().then_some(None);
    let (mut last, mut same) = (None, 0);
    let mut in_force = None;
    while !engine.watched.closed.load(Ordering::SeqCst) {
        tokio::time::sleep(EVERY).await;
        let now = look(&path);
        same = if now == last { same + 1 } else { 0 };
        last.clone_from(&now);
        // Once in half a second: looking who has it open takes some time.
        let is_settled = same >= SETTLED && same % SETTLED == 0 && used.as_ref() != Some(&now);
        if used.as_ref() == Some(&now) {
            engine.watched.wait(false);
        }
        if is_settled {
            let is_written = same < LONGEST_OPEN && writer::is_at_work(&path).await;
            engine.watched.wait(is_written);
            if is_written {
                continue;
            }
            let found = read(&path, in_force.as_deref());
            // Somebody wrote while it was read: the next look finds what came of it.
            if look(&path) == now {
                used = Some(now);
                let found = found.map(|(text, config)| {
                    in_force = Some(text);
                    config
                });
                take(&engine, found).await;
            }
        }
    }
}

async fn take(engine: &Inner, found: Result<Config, String>) {
    match found {
        Err(why) => {
            tracing::error!(why, "the config file cannot be used; the config that was in force stays");
            // What an earlier file would have brought with the next start, this one does not.
            engine.watched.set(ConfigState { refused: Some((why.clone(), wall_ms())), ..ConfigState::default() });
            note(engine, ConfigEvent::Refused { why }).await;
        }
        Ok(config) => {
            let changed = changed(&engine.config(), &config);
            let pending = pending(&engine.watched.at_start, &config);
            let needs_restart: Vec<_> = pending.iter().map(|pending| pending.key.clone()).collect();
            let was_refused = engine.watched.state().refused.is_some();
            engine.watched.set(ConfigState { refused: None, pending, waiting: None });
            if changed.is_empty() && !was_refused {
                return;
            }
            engine.set_config(config);
            tracing::info!(?changed, pending = ?needs_restart, "the config file has changed and is in force");
            engine.pool.nudge();
            engine.runners().values().for_each(RunnerHandle::take_up_config);
            note(engine, ConfigEvent::Applied { changed, needs_restart }).await;
        }
    }
}

/// What it says, and what that means. A file that says nothing is no config: it was emptied, or is about to be written. Nor
/// is the beginning of what is in force one, if it stops in the middle of a line.
fn read(path: &Path, in_force: Option<&str>) -> Result<(String, Config), String> {
    let text = super::load::read_text(path).map_err(|error| error.to_string())?;
    let text = text.ok_or_else(|| format!("{} cannot be read: it is gone", path.display()))?;
    if super::load::says_nothing(&text) {
        return Err(format!("{} is empty; to have no team, write `teams: {{}}`", path.display()));
    }
    if in_force.is_some_and(|whole| is_cut_off(&text, whole)) {
        return Err(format!(
            "{} is the beginning of what it was, cut off in the middle of a line; if that is all of it, end that line",
            path.display()
        ));
    }
    let config = load::parse(path, &text, |name| std::env::var(name).ok()).map_err(|error| error.to_string())?;
    if config.teams.is_empty() && load::is_left_open(&text) {
        let what = "nothing stands behind `teams:`; to have no team, write `teams: {}`";
        return Err(ConfigError::of_key(path, &text, "teams", what).to_string());
    }
    Ok((text, config))
}

fn is_cut_off(text: &str, whole: &str) -> bool {
    let rest = whole.strip_prefix(text).unwrap_or_default();
    !rest.is_empty() && !rest.starts_with(['\r', '\n']) && !text.ends_with('\n')
}

async fn note(engine: &Inner, what: ConfigEvent) {
    let noted = engine.persist("config.change", move |tx| {
        event::append(tx, &[Draft { subject: Subject::default(), fact: Fact::Config(what.clone()) }])
    });
    if let Err(error) = noted.await {
        tracing::warn!(%error, "a change of the config was not written down");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_seen_that_keeps_the_length_and_the_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("config.yaml");
        std::fs::write(&path, "settings: { port: 1 }").expect("written");
        let (before, written) =
            (look(&path), std::fs::metadata(&path).and_then(|about| about.modified()).expect("a time"));
        std::thread::sleep(Duration::from_millis(20));
        std::fs::write(&path, "settings: { port: 2 }").expect("written");
        let file = std::fs::File::options().write(true).open(&path).expect("a file");
        file.set_modified(written).expect("the time is set");
        assert_ne!(look(&path), before);
    }

    #[test]
    fn a_beginning_that_stops_within_a_line_is_no_config() {
        let whole = "settings:\n  maxProcesses: 40\nteams: {}\n";
        for cut in ["settings:\n  maxProcesses: 4", "set", "settings:\n  maxProcesses: 40\nteams: {"] {
            assert!(is_cut_off(cut, whole), "{cut}");
        }
        // Whole lines may be all that is meant, and so may another text.
        for meant in
            [whole, whole.trim_end(), "settings:\n  maxProcesses: 40", "settings:\n", "settings:\n  maxProcesses: 5"]
        {
            assert!(!is_cut_off(meant, whole), "{meant}");
        }
    }
}
