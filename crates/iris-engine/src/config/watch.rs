//! The config file is looked at while the daemon runs. What can be used is used, all of it at once; what cannot be changes
//! nothing, and is shown.
//!
//! A look at the file ten times a second is cheaper than anything that could tell of a change, and works on every disk.

mod arrival;
mod ending;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use iris_core::event::{ConfigEvent, Draft, Fact, Subject};
use iris_store::{event, wall_ms};

use super::change::{Pending, changed, pending};
use super::{Config, ConfigError, load};
use crate::agent::RunnerHandle;
use crate::engine::Inner;
use arrival::{Arrival, Arrivals};

const EVERY: Duration = Duration::from_millis(100);
/// So many looks in a row have to see the same: half a file may be a config, too, and some write with pauses.
const SETTLED: u32 = 3;
/// One that is written again and again before it could settle is read after so many looks, between two writes.
const RESTLESS: u32 = 9;
/// A file that somebody has open to write to is waited for, but not for ever: some never close one. A minute.
const LONGEST_OPEN: u32 = 600;

/// How the file and what is in force are to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigState {
    /// Why the file that was read last is not used, and since when.
    pub refused: Option<(String, i64)>,
    /// What takes effect with the next start.
    pub pending: Vec<Pending>,
    /// Since when a changed file is not used yet, and what for.
    pub waiting: Option<(i64, Waiting)>,
}

impl ConfigState {
    /// Why the file as it is now is not used, and since when. What was refused before it changed is not about what it says
    /// now; in the moment until it rests, it may be.
    pub fn refused_as_it_is(&self) -> Option<&(String, i64)> {
        self.refused.as_ref().filter(|_| !matches!(self.waiting, Some((_, Waiting::Writer))))
    }
}

/// What is waited for before a file that has changed is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It has changed just now, and may again.
    Rest,
    /// Somebody has it open to write to.
    Writer,
}

impl Waiting {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rest => "rest",
            Self::Writer => "writer",
        }
    }
}

/// What the layers above know of a config and of how this daemon was started.
#[derive(Clone, Copy, Debug)]
pub struct Outside {
    /// The port that is listened on, whatever the file says.
    pub port: u16,
    /// What else must be right for a daemon to be started with it.
    pub check: fn(&Path, &Config) -> Result<(), ConfigError>,
}

pub(crate) struct Watched {
    /// What the daemon was started with.
    at_start: Config,
    outside: OnceLock<Outside>,
    state: Mutex<ConfigState>,
    closed: AtomicBool,
}

impl Watched {
    pub fn new(config: &Config) -> Self {
        Self {
            at_start: config.clone(),
            outside: OnceLock::new(),
            state: Mutex::default(),
            closed: AtomicBool::new(false),
        }
    }

    /// Only the first time counts.
    pub fn set_outside(&self, outside: Outside) {
        self.outside.get_or_init(|| outside);
    }

    pub fn state(&self) -> ConfigState {
        self.state.lock().expect("nothing panics while it holds the state").clone()
    }

    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
    }

    /// Something is waited for, or nothing any more. Since when stays as it was.
    fn wait(&self, what: Option<Waiting>) {
        let mut state = self.state.lock().expect("nothing panics while it holds the state");
        let since = state.waiting.map_or_else(wall_ms, |(since, _)| since);
        state.waiting = what.map(|what| (since, what));
    }

    fn set(&self, state: ConfigState) {
        *self.state.lock().expect("nothing panics while it holds the state") = state;
    }
}

/// A file as it was seen. Two that are the same are the same file, whole.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    inode: u64,
    /// The number of a file that is gone is given to another. Not every disk says it.
    born: Option<SystemTime>,
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
        born: about.created().ok(),
        length: about.len(),
        written: (about.mtime(), about.mtime_nsec()),
        changed: (about.ctime(), about.ctime_nsec()),
    })
}

impl Seen {
    /// Whether it was put in the place of the other when it was written already, as far as their times tell: such a file
    /// was moved after it was written, which is seen unless it was too quick. For where nobody tells of moves.
    fn came_whole_after(&self, other: Option<&Self>) -> bool {
        let is_another = other.is_none_or(|other| (self.inode, self.born) != (other.inode, other.born));
        is_another && self.changed > self.written
    }
}

/// What the looks so far have shown.
#[derive(Default)]
struct Looks {
    /// The file that was used or refused. Nothing before the first was read, if it has changed since the daemon did.
    used: Option<Option<Seen>>,
    last: Option<Seen>,
    /// So many looks saw the same as the one before them.
    same: u32,
    /// So many saw something that is not used.
    unread: u32,
    /// How the file came to be there, if that was told.
    arrival: Option<Arrival>,
}

#[derive(Debug, PartialEq, Eq)]
enum Sight {
    Used,
    Changed,
    /// To be read, if nobody has it open.
    Ready,
}

impl Looks {
    /// `told`: what was told before the look. Of what came in between, the next is told.
    fn see(&mut self, told: Option<Arrival>, now: &Option<Seen>) -> Sight {
        match told {
            Some(Arrival::Touched) => {}
            None if *now == self.last => {}
            told => self.arrival = told,
        }
        self.same = if *now == self.last { self.same + 1 } else { 0 };
        self.last.clone_from(now);
        if self.used.as_ref() == Some(now) {
            self.unread = 0;
            return Sight::Used;
        }
        self.unread += 1;
        // Not with every look: looking who has it open takes some time.
        let is_settled = self.same >= SETTLED && self.same.is_multiple_of(SETTLED);
        let is_overdue = self.unread >= RESTLESS && self.unread.is_multiple_of(SETTLED);
        if is_settled || is_overdue { Sight::Ready } else { Sight::Changed }
    }

    /// What was seen is used or refused. The next has its own time to settle, also if it is there before the next look.
    fn use_up(&mut self, now: Option<Seen>) {
        self.used = Some(now);
        self.unread = 0;
    }
}

/// The text that was taken last, and the file it was in.
struct InForce {
    text: String,
    file: Option<Seen>,
}

impl InForce {
    /// What the file as it is now may be half of what is to follow. Nothing where it came whole, as from commands of Iris and
    /// many editors: then it is all that is meant.
    fn text_before(&self, now: Option<&Seen>, arrival: Option<Arrival>) -> Option<&str> {
        let by_its_times = || now.is_some_and(|now| now.came_whole_after(self.file.as_ref()));
        let is_whole = arrival.map_or_else(by_its_times, |arrival| arrival == Arrival::Moved);
        (!is_whole).then_some(&self.text)
    }
}

/// A text that was refused because it may be half-written, and the file it was in. No time tells whether more will come; that
/// somebody saves the same once more does.
struct Half {
    text: String,
    file: Option<Seen>,
}

impl Half {
    /// Whether the same was saved once more. Who may read a file says nothing of what is in it.
    fn is_saved_again(&self, text: &str, now: Option<&Seen>) -> bool {
        let save = |seen: &Seen| (seen.inode, seen.written);
        self.text == text && self.file.as_ref().map(save) != now.map(save)
    }
}

/// From the call on, not only once it is first polled: what the file says then is what an edit is compared with.
pub(crate) fn run(engine: Arc<Inner>) -> impl Future<Output = ()> {
    let (path, mut arrivals) = (engine.home.config(), Arrivals::default());
    arrivals.told(&path);
    let file = look(&path);
    // One that was not there is not missed. One that has changed since the daemon read it is read again.
    let is_in_force = |(_, config): &(String, Config)| changed(&engine.config(), config).is_empty();
    let found = read(&path, None).ok().filter(is_in_force).filter(|_| look(&path) == file);
    let used = (found.is_some() || file.is_none()).then(|| file.clone());
    let in_force = found.map(|(text, _)| InForce { text, file });
    keep_looking(engine, path, arrivals, Looks { used, ..Looks::default() }, in_force)
}

async fn keep_looking(
    engine: Arc<Inner>,
    path: PathBuf,
    mut arrivals: Arrivals,
    mut looks: Looks,
    mut in_force: Option<InForce>,
) {
    let watched = &engine.watched;
    let mut half: Option<Half> = None;
    while !watched.closed.load(Ordering::SeqCst) {
        tokio::time::sleep(EVERY).await;
        let told = arrivals.told(&path);
        let now = look(&path);
        match looks.see(told, &now) {
            Sight::Used => watched.wait(None),
            Sight::Changed if looks.used.is_some() && watched.state().waiting.is_none() => {
                watched.wait(Some(Waiting::Rest));
            }
            Sight::Changed => {}
            Sight::Ready => {
                if looks.same < LONGEST_OPEN && writer::is_at_work(&path).await {
                    watched.wait(Some(Waiting::Writer));
                    continue;
                }
                let before = in_force.as_ref().and_then(|before| before.text_before(now.as_ref(), looks.arrival));
                let found = read(&path, watched.outside.get());
                // Somebody wrote while it was read: the next look finds what came of it.
                if look(&path) != now {
                    continue;
                }
                looks.use_up(now.clone());
                let missing = missing(&engine, &found, before);
                let found = match (found, missing) {
                    (Ok((text, _)), Some(missing))
                        if !half.as_ref().is_some_and(|half| half.is_saved_again(&text, now.as_ref())) =>
                    {
                        half = Some(Half { text, file: now });
                        Err(format!(
                            "{} may be half-written: {missing}; if that is all of it, save it once more",
                            path.display()
                        ))
                    }
                    (Ok((text, config)), _) => {
                        half = None;
                        in_force = Some(InForce { text, file: now });
                        Ok(config)
                    }
                    (Err(why), _) => Err(why),
                };
                take(&engine, found).await;
            }
        }
    }
}

/// What is missing in the file, if it would change something as it is and more of it may be about to be written.
fn missing(engine: &Inner, found: &Result<(String, Config), String>, before: Option<&str>) -> Option<String> {
    let (Ok((text, config)), Some(before)) = (found, before) else { return None };
    let missing = ending::may_go_on(text, before)?;
    (!changed(&engine.config(), config).is_empty()).then_some(missing)
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
            let port = engine.watched.outside.get().map(|outside| outside.port);
            let pending = pending(&engine.watched.at_start, &config, port);
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

/// What it says, and what that means. A file that says nothing is no config: it was emptied, or is about to be written.
fn read(path: &Path, outside: Option<&Outside>) -> Result<(String, Config), String> {
    let text = super::load::read_text(path).map_err(|error| error.to_string())?;
    let text = text.ok_or_else(|| format!("{} cannot be read: it is gone", path.display()))?;
    if super::load::says_nothing(&text) {
        return Err(format!("{} {}", path.display(), super::load::nothing_said(&text)));
    }
    let config = load::parse(path, &text, |name| std::env::var(name).ok()).map_err(|error| error.to_string())?;
    if config.teams.is_empty() && load::is_left_open(&text) {
        let what = "nothing stands behind `teams:`; to have no team, write `teams: {}`";
        return Err(ConfigError::of_key(path, &text, "teams", what).to_string());
    }
    if let Some(Err(error)) = outside.map(|outside| (outside.check)(path, &config)) {
        return Err(error.to_string());
    }
    Ok((text, config))
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

    fn seen(number: u64) -> Option<Seen> {
        Some(Seen { inode: 1, born: None, length: number, written: (0, 0), changed: (0, 0) })
    }

    #[test]
    fn a_file_that_was_moved_into_place_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, beside) = (folder.path().join("config.yaml"), folder.path().join("beside"));
        std::fs::write(&path, "a").expect("written");
        let before = look(&path);
        let is_whole = || look(&path).is_some_and(|now| now.came_whole_after(before.as_ref()));
        std::fs::write(&path, "b").expect("written");
        assert!(!is_whole(), "written in place");
        std::fs::remove_file(&path).and_then(|()| std::fs::write(&path, "c")).expect("written");
        assert!(!is_whole(), "a new one, but written where it is");
        std::fs::write(&beside, "d").expect("written");
        std::thread::sleep(Duration::from_millis(20));
        std::fs::rename(&beside, &path).expect("moved");
        assert!(is_whole());
    }

    #[test]
    fn how_a_file_came_is_known_until_it_changes_untold() {
        let mut looks = Looks::default();
        let mut check = |told, number, expected| {
            looks.see(told, &seen(number));
            assert_eq!(looks.arrival, expected);
        };
        let (moved, written, touched) = (Some(Arrival::Moved), Some(Arrival::Written), Some(Arrival::Touched));
        check(None, 1, None);
        check(moved, 2, moved);
        check(None, 2, moved);
        check(touched, 3, moved);
        check(None, 4, None);
        check(written, 4, written);
        check(touched, 5, written);
    }

    #[test]
    fn a_file_is_read_when_it_rests_or_has_not_for_too_long() {
        let mut looks = Looks { used: Some(seen(0)), ..Looks::default() };
        for file in 1..4 {
            let rests: Vec<_> = (0..4).map(|_| looks.see(None, &seen(file))).collect();
            assert!(rests[..3].iter().all(|sight| *sight == Sight::Changed) && rests[3] == Sight::Ready, "{rests:?}");
            looks.use_up(seen(file));
        }
        assert_eq!(looks.see(None, &seen(3)), Sight::Used);
        // Saved with every third look, it never rests.
        let restless: Vec<_> = (0..20).map(|at| looks.see(None, &seen(4 + at / 3))).collect();
        let first = restless.iter().position(|sight| *sight == Sight::Ready);
        assert_eq!(first, Some(8), "{restless:?}");
    }
}
