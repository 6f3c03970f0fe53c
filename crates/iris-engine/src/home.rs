//! IRIS_HOME: the one folder that one daemon owns. Paths, the lock, the token, the node's name.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use iris_agents::contain::Instance;
use iris_core::id::NodeId;
use iris_core::team::TeamName;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug)]
pub struct Home {
    root: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    #[error("{} cannot be used ({source})", .path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("iris is already running for {} ({})", .home.display(), .holder)]
    AlreadyRunning { home: PathBuf, holder: Holder },
    #[error("another command has been changing {} for {} seconds", .config.display(), CONFIG_PATIENCE.as_secs())]
    ConfigHeld { config: PathBuf },
    #[error("another command has been at the demo in {} for {} seconds", .home.display(), DEMO_PATIENCE.as_secs())]
    DemoHeld { home: PathBuf },
    #[error("the token in {} has fewer than {SHORTEST_TOKEN} characters, and could be guessed", .path.display())]
    ShortToken { path: PathBuf },
}

/// In characters. A token that is made here has more than twice as many.
pub const SHORTEST_TOKEN: usize = 16;

/// How long one command that changes the config waits for another. Each holds it for a few milliseconds.
const CONFIG_PATIENCE: Duration = Duration::from_secs(10);
/// How long one command that begins the demo, or takes it away, waits for another. Each waits for the daemon meanwhile.
const DEMO_PATIENCE: Duration = Duration::from_secs(60);

/// What the daemon that holds a home says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.url {
            // It holds the folder itself, and the file with its name was taken away.
            _ if self.pid == 0 => write!(f, "which process is not known: run/daemon.lock was removed"),
            Some(url) => write!(f, "process {}, {url}", self.pid),
            None => write!(f, "process {}, still starting", self.pid),
        }
    }
}

impl Home {
    /// Makes the folders that are missing. Only the owner may look inside.
    pub fn prepare(root: &Path) -> Result<Self, HomeError> {
        let home = Self { root: root.to_owned() };
        for folder in [home.root.clone(), home.root.join("data"), home.root.join("run"), home.root.join("logs")] {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed(&folder))?;
        }
        Ok(home)
    }

    /// For clients: looks, makes nothing.
    pub fn at(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn config(&self) -> PathBuf {
        self.root.join("config.yaml")
    }

    pub fn database(&self) -> PathBuf {
        self.root.join("data/iris.db")
    }

    pub fn agent_state(&self) -> PathBuf {
        self.root.join("data/agents")
    }

    /// The homes of those teams that have one of their own.
    pub fn agent_homes(&self) -> PathBuf {
        self.root.join("data/homes")
    }

    /// The home of a team's own in which its agents live, made if it is not there.
    pub fn agent_home(&self, team: &TeamName) -> std::io::Result<PathBuf> {
        let home = self.agent_homes().join(team.as_str());
        std::fs::create_dir_all(&home)?;
        std::fs::set_permissions(&home, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
        Ok(home)
    }

    fn lock_file(&self) -> PathBuf {
        self.root.join("run/daemon.lock")
    }

    pub fn token_file(&self) -> PathBuf {
        self.root.join("token")
    }

    /// Takes the home for this process. The lock is on the folder itself, so every path that leads to it meets the same
    /// lock, and nobody can take it away; and it goes with the process, however that ends. The file in it says who holds
    /// it, and is locked as well: a daemon of an older Iris holds only that.
    pub fn lock(&self) -> Result<HomeLock, HomeError> {
        let folder = File::open(&self.root).map_err(failed(&self.root))?;
        let folder = match Flock::lock(folder, FlockArg::LockExclusiveNonblock) {
            Ok(folder) => Some(folder),
            Err((_, nix::errno::Errno::EWOULDBLOCK)) => {
                let holder = self.wait_for_holder();
                return Err(HomeError::AlreadyRunning { home: self.root.clone(), holder });
            }
            // Not every file system can lock a folder (NFS cannot); the file has to do there.
            Err(_) => None,
        };
        let path = self.lock_file();
        let file = open_lock(&path)?;
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(file) => {
                let mut lock = HomeLock { file, path, root: self.root.clone(), folder, url: None };
                lock.announce(None)?;
                Ok(lock)
            }
            Err((_, nix::errno::Errno::EWOULDBLOCK)) => {
                Err(HomeError::AlreadyRunning { home: self.root.clone(), holder: self.wait_for_holder() })
            }
            Err((_, errno)) => Err(HomeError::Io { path, source: errno.into() }),
        }
    }

    /// Who holds this home. Whoever has taken it just now is about to write that down.
    fn wait_for_holder(&self) -> Holder {
        for _ in 0..25 {
            if let Some(holder) = File::open(self.lock_file()).ok().and_then(|mut file| read_holder(&mut file)) {
                return holder;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Holder::default()
    }

    /// For whoever reads the config, changes it and writes it: until the lock is dropped nobody else does. It is on a file
    /// of its own, because the config is replaced by every change.
    pub fn lock_config(&self) -> Result<CommandLock, HomeError> {
        let held = CommandLock::take(self.root.join("run/config.lock"), CONFIG_PATIENCE)?;
        held.ok_or_else(|| HomeError::ConfigHeld { config: self.config() })
    }

    /// For whoever begins the demo or takes it away, which leaves nothing behind: it is on a folder that is there anyway.
    pub fn lock_demo(&self) -> Result<CommandLock, HomeError> {
        let path = self.root.join("run");
        let folder = File::open(&path).map_err(failed(&path))?;
        let held = CommandLock::wait(folder, path, DEMO_PATIENCE)?;
        held.ok_or_else(|| HomeError::DemoHeld { home: self.root.clone() })
    }

    /// The daemon that holds this home, if there is one.
    pub fn holder(&self) -> Option<Holder> {
        let mut file = File::open(self.lock_file()).ok()?;
        let holder = read_holder(&mut file)?;
        match Flock::lock(file, FlockArg::LockSharedNonblock) {
            Ok(_free) => None,
            Err(_) => Some(holder),
        }
    }

    /// The lock, if this user may not look at it: whether a daemon holds this home is then not known.
    pub fn hidden_lock(&self) -> Option<PathBuf> {
        let path = self.lock_file();
        let is_hidden = File::open(&path).is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied);
        is_hidden.then_some(path)
    }

    /// The owner's token, made on first use and readable by the owner only.
    pub fn token(&self) -> Result<String, HomeError> {
        let path = self.token_file();
        if let Ok(token) = std::fs::read_to_string(&path)
            && !token.trim().is_empty()
        {
            let token = token.trim().to_owned();
            if token.chars().count() < SHORTEST_TOKEN {
                return Err(HomeError::ShortToken { path });
            }
            keep_private(&path);
            return Ok(token);
        }
        let token = format!("iris_{}", uuid::Uuid::new_v4().simple());
        write_private(&path, &token)?;
        Ok(token)
    }

    /// The name of the node on this home; the same after every restart, so that it finds its own lanes again.
    pub fn node(&self) -> Result<NodeId, HomeError> {
        let path = self.node_file();
        if let Ok(node) = std::fs::read_to_string(&path)
            && !node.trim().is_empty()
        {
            return Ok(NodeId::new(node.trim()));
        }
        let node = uuid::Uuid::new_v4().simple().to_string()[..12].to_owned();
        write_private(&path, &node)?;
        Ok(NodeId::new(node))
    }
}

impl Home {
    /// What the processes of this home's daemons are known by: a name, and what is written down of them. The node alone
    /// would not do: a copy of a home has the same one, and must leave the agents of the original alone. Nobody else has
    /// this very folder. `None` if no daemon ever ran here.
    pub fn instance(&self) -> Option<Instance> {
        let node = std::fs::read_to_string(self.node_file()).ok()?;
        let node = Some(node.trim()).filter(|node| !node.is_empty())?;
        let folder = std::fs::metadata(&self.root).ok()?;
        let name = format!("{node}-{:x}-{:x}", folder.dev(), folder.ino());
        let instance = Instance::new(name, self.root.join("run/processes.json"));
        // Agents that an older Iris started are marked with the inode of the lock file.
        Some(match std::fs::metadata(self.lock_file()) {
            Ok(lock) => instance.earlier(format!("{node}-{:x}", lock.ino())),
            Err(_) => instance,
        })
    }

    /// A daemon ran here, and what it kept is gone: a token is made once there is a database to go with it.
    pub fn has_lost_database(&self) -> bool {
        let is_empty = std::fs::metadata(self.database())
            .map_or_else(|error| error.kind() == ErrorKind::NotFound, |found| found.len() == 0);
        is_empty && self.token_file().exists()
    }

    fn node_file(&self) -> PathBuf {
        self.root.join("data/node")
    }
}

/// Held by a command while it changes something that others change, too.
#[derive(Debug)]
pub struct CommandLock {
    _held: Option<Flock<File>>,
}

impl CommandLock {
    /// Nothing, if somebody else has it for longer than anybody should.
    fn take(path: PathBuf, patience: Duration) -> Result<Option<Self>, HomeError> {
        Self::wait(open_lock(&path)?, path, patience)
    }

    fn wait(mut file: File, path: PathBuf, patience: Duration) -> Result<Option<Self>, HomeError> {
        let began = Instant::now();
        loop {
            file = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                Ok(held) => return Ok(Some(Self { _held: Some(held) })),
                Err((file, nix::errno::Errno::EWOULDBLOCK | nix::errno::Errno::EINTR)) => file,
                // Not every file system can lock a folder (NFS cannot). There, two at once meet in the demo's files.
                Err((folder, _)) if folder.metadata().is_ok_and(|about| about.is_dir()) => {
                    return Ok(Some(Self { _held: None }));
                }
                Err((_, errno)) => return Err(HomeError::Io { path, source: errno.into() }),
            };
            if began.elapsed() > patience {
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Held by the daemon for as long as it lives.
#[derive(Debug)]
pub struct HomeLock {
    file: Flock<File>,
    path: PathBuf,
    root: PathBuf,
    folder: Option<Flock<File>>,
    url: Option<String>,
}

impl HomeLock {
    /// Says where the daemon can be reached, for whoever finds the lock taken.
    pub fn announce(&mut self, url: Option<&str>) -> Result<(), HomeError> {
        self.url = url.map(str::to_owned);
        let holder = Holder { pid: std::process::id(), url: self.url.clone() };
        let text = serde_json::to_string(&holder).expect("plain data");
        let path = self.path.clone();
        let file = &mut *self.file;
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(text.as_bytes()))
            .map_err(failed(&path))
    }
}

impl HomeLock {
    /// Says it again if somebody took the file away: clients find the daemon by it. The home itself is still held.
    pub fn renew(&mut self) -> Result<(), HomeError> {
        let is_there = |path: &Path, file: &File| match (std::fs::metadata(path), file.metadata()) {
            (Ok(found), Ok(held)) => (found.dev(), found.ino()) == (held.dev(), held.ino()),
            _ => false,
        };
        // What was put in the place of a home that was taken away is not ours.
        let is_home = self.folder.as_ref().is_some_and(|folder| is_there(&self.root, folder));
        if !is_home || is_there(&self.path, &self.file) {
            return Ok(());
        }
        let folder = self.root.join("run");
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(failed(&folder))?;
        // Whoever looks just now holds it for the blink of an eye; the next time will do.
        if let Ok(file) = Flock::lock(open_lock(&self.path)?, FlockArg::LockExclusiveNonblock) {
            self.file = file;
            self.announce(self.url.clone().as_deref())?;
        }
        Ok(())
    }
}

fn open_lock(path: &Path) -> Result<File, HomeError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.open(path).map_err(failed(path))
}

fn read_holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// Whoever can read it can do everything. Where others could, they may have: that is for the owner to decide.
fn keep_private(path: &Path) {
    let mode = std::fs::metadata(path).map_or(0, |file| file.permissions().mode());
    if mode & 0o077 == 0 {
        return;
    }
    let (path, mode) = (path.display(), format!("{:o}", mode & 0o777));
    match std::fs::set_permissions(path.to_string(), Permissions::from_mode(0o600)) {
        Ok(()) => {
            tracing::warn!(%path, mode, "others could read the owner's token; now only you can. To have a new one, delete the file and start Iris again")
        }
        Err(error) => {
            tracing::warn!(%path, mode, %error, "others can read the owner's token, and that cannot be changed")
        }
    }
}

fn write_private(path: &Path, text: &str) -> Result<(), HomeError> {
    let beside = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    write().map_err(failed(path))
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> HomeError + use<> {
    let path = path.to_owned();
    move |source| HomeError::Io { path: path.clone(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_is_taken(home: &Home, by: &str) {
        let error = home.lock().expect_err("somebody holds it").to_string();
        assert!(error.contains("already running") && error.contains(by), "{error}");
    }

    #[test]
    fn a_home_is_held_also_when_its_lock_file_is_taken_away() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let home = Home::prepare(folder.path()).expect("a home");
        let mut held = home.lock().expect("nobody holds it");
        held.announce(Some("http://here")).expect("written");
        check_is_taken(&home, &format!("process {}", std::process::id()));
        std::fs::remove_file(home.lock_file()).expect("it is there");
        check_is_taken(&home, "run/daemon.lock was removed");
        std::fs::remove_dir(home.root().join("run")).expect("it is empty");
        check_is_taken(&home, "run/daemon.lock was removed");
        held.renew().expect("written");
        let here = Holder { pid: std::process::id(), url: Some("http://here".to_owned()) };
        assert_eq!(home.holder(), Some(here), "and says who holds it again");
        drop(held);
        assert_eq!(home.holder(), None);
        Home::prepare(folder.path()).and_then(|home| home.lock()).expect("it is free again");
    }

    #[test]
    fn the_token_is_the_owners_alone_and_no_short_one() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let home = Home::prepare(folder.path()).expect("a home");
        let made = home.token().expect("a new one");
        let mode = || std::fs::metadata(home.token_file()).expect("it is there").permissions().mode() & 0o777;
        for others in [0o644, 0o640, 0o604] {
            std::fs::set_permissions(home.token_file(), Permissions::from_mode(others)).expect("changed");
            assert_eq!((home.token().expect("the same"), mode()), (made.clone(), 0o600));
        }
        std::fs::write(home.token_file(), "fifteen-letters\n").expect("written");
        assert!(matches!(home.token(), Err(HomeError::ShortToken { .. })));
        std::fs::write(home.token_file(), "sixteen-letters!\n").expect("written");
        assert_eq!(home.token().expect("long enough"), "sixteen-letters!");
        std::fs::remove_file(home.token_file()).expect("it is there");
        assert!(home.token().expect("a new one").len() > 2 * SHORTEST_TOKEN);
    }

    #[test]
    fn a_daemon_that_holds_only_the_file_is_noticed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let home = Home::prepare(folder.path()).expect("a home");
        let mut file = open_lock(&home.lock_file()).expect("a file");
        file.write_all(br#"{"pid":4711}"#).expect("writable");
        let _held = Flock::lock(file, FlockArg::LockExclusiveNonblock).expect("nobody holds it");
        check_is_taken(&home, "");
    }

    #[test]
    fn what_an_older_iris_started_is_still_known() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let home = Home::prepare(folder.path()).expect("a home");
        let (node, _held) = (home.node().expect("a name"), home.lock().expect("nobody holds it"));
        let inode = std::fs::metadata(home.lock_file()).expect("it is there").ino();
        let mut agent = std::process::Command::new("sleep");
        let mut agent = agent.arg("60").env("IRIS_INSTANCE", format!("{node}-{inode:x}")).spawn().expect("sleep runs");
        let found = iris_agents::contain::list_leftovers(&home.instance().expect("it has a name"));
        agent.kill().and_then(|()| agent.wait()).expect("ours");
        let found: Vec<_> = found.iter().filter_map(|left| u32::try_from(left.process.pid).ok()).collect();
        assert_eq!(found, [agent.id()]);
    }
}
