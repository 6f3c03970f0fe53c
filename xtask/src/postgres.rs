//! A PostgreSQL server of our own for one run: started from nothing, gone afterwards.
//! Never touches a server that the machine has already.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::net::TcpListener;
use std::os::unix::fs::{DirBuilderExt, chown};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};

use crate::{setup, shell};

/// What the tests read. The last two are there only when xtask runs as root: PostgreSQL refuses root, so a test that
/// starts a server of its own must do it as this user.
const VARIABLES: [&str; 6] = [
    "IRIS_TEST_POSTGRES",
    "IRIS_TEST_PG_BIN",
    "IRIS_TEST_PG_CTL",
    "IRIS_TEST_PG_DATA",
    "IRIS_TEST_PG_UID",
    "IRIS_TEST_PG_GID",
];

/// A running server. Dropping it stops the server and removes its files.
pub struct Postgres {
    port: u16,
    place: Place,
    server: Option<Child>,
    /// Held as long as we live: a place whose lock is free was left behind.
    _lock: File,
}

impl Postgres {
    pub fn start() -> Result<Self> {
        let programs = setup::find_postgres().context("the PostgreSQL server programs are not found")?;
        let owner = Owner::choose()?;
        let records = shell::target_directory()?.join("xtask");
        fs::create_dir_all(&records)?;

        // One at a time, so that nobody takes a server that is being set up for one that was left behind.
        let starting = File::create(records.join("starting.lock"))?;
        starting.lock()?;
        remove_leftovers(&records, &programs, owner);
        let lock = File::create(records.join(format!("pg-{}.lock", std::process::id())))?;
        lock.lock()?;
        let place = Place::create(&records, programs, owner)?;

        let mut server = Self { port: 0, place, server: None, _lock: lock };
        server.place.initialise()?;
        server.start_on_free_port()?;
        Ok(server)
    }

    /// Tells the command's tests where the server is.
    pub fn export(&self, command: &mut Command) {
        forget(command);
        command
            .env("IRIS_TEST_POSTGRES", format!("postgres://postgres@127.0.0.1:{}/postgres", self.port))
            .env("IRIS_TEST_PG_BIN", &self.place.programs)
            .env("IRIS_TEST_PG_CTL", self.place.programs.join("pg_ctl"))
            .env("IRIS_TEST_PG_DATA", self.place.data());
        if let Owner::Other { user, group } = self.place.owner {
            command.env("IRIS_TEST_PG_UID", user.to_string()).env("IRIS_TEST_PG_GID", group.to_string());
        }
    }

    pub fn describe(&self) -> String {
        format!("PostgreSQL on 127.0.0.1:{}, private, in {}", self.port, self.place.folder.display())
    }

    fn start_on_free_port(&mut self) -> Result<()> {
        // Between our look and the server's start someone may take the port.
        let mut last = anyhow!("no port was tried");
        for _ in 0..3 {
            self.port = free_port()?;
            self.place.configure(self.port)?;
            match self.place.start() {
                Ok(server) => {
                    self.server = Some(server);
                    return Ok(());
                }
                Err(error) if shell::interrupted() => return Err(error),
                Err(error) => last = error,
            }
        }
        let log = fs::read_to_string(self.place.log()).unwrap_or_default();
        Err(last.context(format!("PostgreSQL does not start; its log:\n{log}")))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Err(error) = self.place.take_down() {
            eprintln!("warning: PostgreSQL did not end well: {error:#}");
        }
        // It has ended already, unless a test made it deaf.
        if let Some(server) = &mut self.server
            && let Err(error) = server.kill().and_then(|()| server.wait())
        {
            eprintln!("warning: lost sight of PostgreSQL: {error}");
        }
    }
}

/// Makes sure that the command's tests find no server, also none that our own environment speaks of.
pub fn forget(command: &mut Command) {
    for name in VARIABLES {
        command.env_remove(name);
    }
}

/// Who runs the server.
#[derive(Clone, Copy)]
enum Owner {
    Ourselves,
    /// PostgreSQL refuses to run as root.
    Other {
        user: u32,
        group: u32,
    },
}

impl Owner {
    fn choose() -> Result<Self> {
        if !setup::is_root()? {
            return Ok(Owner::Ourselves);
        }
        for name in ["postgres", "nobody"] {
            if let Ok(user) = setup::user_number("-u", Some(name)) {
                let group = setup::user_number("-g", Some(name))?;
                return Ok(Owner::Other { user, group });
            }
        }
        bail!("PostgreSQL refuses to run as root, and there is no user `postgres` or `nobody`")
    }

    /// A command that the owner runs, out of reach of Ctrl-C: we decide when the server ends.
    fn command(self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir("/").process_group(0);
        if let Owner::Other { user, group } = self {
            // Changing the user also drops root's other groups.
            command.uid(user).gid(group);
        }
        command
    }

    fn give(self, folder: &Path) -> Result<()> {
        if let Owner::Other { user, group } = self {
            chown(folder, Some(user), Some(group))?;
        }
        Ok(())
    }
}

/// The server's folder and the programs that work on it.
struct Place {
    folder: PathBuf,
    /// Under target/, named like the lock file beside it; a link when the server's folder has to be elsewhere.
    record: PathBuf,
    programs: PathBuf,
    owner: Owner,
}

impl Place {
    fn create(records: &Path, programs: PathBuf, owner: Owner) -> Result<Self> {
        let name = format!("pg-{}", std::process::id());
        let record = records.join(&name);
        let place = Self { folder: record.clone(), record, programs, owner };
        if place.prepare()? {
            return Ok(place);
        }
        fs::remove_dir(&place.folder)?;

        let folder = PathBuf::from("/tmp").join(format!("iris-{name}"));
        let place = Self { folder, ..place };
        if !place.prepare()? {
            bail!("{} cannot be used by the user that runs PostgreSQL", place.folder.display());
        }
        std::os::unix::fs::symlink(&place.folder, &place.record)?;
        Ok(place)
    }

    /// Makes the folder, and says whether a server can live there.
    fn prepare(&self) -> Result<bool> {
        DirBuilder::new()
            .mode(0o700)
            .create(&self.folder)
            .with_context(|| format!("cannot create {}", self.folder.display()))?;
        self.owner.give(&self.folder)?;
        // The kernel takes no longer socket names; and a checkout below someone's closed home folder is out of reach
        // for another user.
        let fits = self.socket(65535).as_os_str().len() < 100;
        let reachable = self.owner.command("/bin/sh").arg("-c").arg(r#"test -w "$0""#).arg(&self.folder).status()?;
        Ok(fits && reachable.success())
    }

    fn initialise(&self) -> Result<()> {
        shell::run_quietly(
            self.owner
                .command(self.programs.join("initdb"))
                .arg("--pgdata")
                .arg(self.data())
                // Text sorts by bytes, as it does in SQLite. `--no-sync` is about these first files only.
                .args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"]),
        )?;
        Ok(())
    }

    /// Settings go into the file, not on the command line, so that a restart by a test keeps them.
    fn configure(&self, port: u16) -> Result<()> {
        let settings = format!(
            "listen_addresses = '127.0.0.1'\n\
             port = {port}\n\
             unix_socket_directories = '{}'\n\
             max_connections = 200\n\
             fsync = on\n",
            self.folder.display().to_string().replace('\'', "''"),
        );
        let file = self.data().join("postgresql.auto.conf");
        fs::write(&file, settings).with_context(|| format!("cannot write {}", file.display()))
    }

    /// Starts the server as a child of ours (`pg_ctl start` would hand it to init, which in a container may never bury
    /// it) and waits until it takes connections.
    fn start(&self) -> Result<Child> {
        let log = OpenOptions::new().create(true).append(true).open(self.log())?;
        let mut server = self
            .owner
            .command(self.programs.join("postgres"))
            .arg("-D")
            .arg(self.data())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("cannot start the PostgreSQL server")?;
        let deadline = Instant::now() + Duration::from_secs(60);
        while !self.is_ready() {
            if let Some(status) = server.try_wait()? {
                bail!("the PostgreSQL server ended with {status}");
            }
            if Instant::now() > deadline || shell::interrupted() {
                server.kill()?;
                server.wait()?;
                bail!("the PostgreSQL server was not ready in time");
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(server)
    }

    /// The server says so in the last line of this file; `pg_ctl` looks there too.
    fn is_ready(&self) -> bool {
        let file = fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
        file.lines().last().is_some_and(|line| line.trim() == "ready")
    }

    /// At once: nobody needs what is in it.
    fn stop(&self) -> Result<()> {
        shell::run_quietly(self.pg_ctl().args(["--mode=immediate", "--wait", "--timeout=30", "stop"]))?;
        Ok(())
    }

    /// Asks the socket, not the process number in `postmaster.pid`, which may belong to another program by now.
    fn is_running(&self) -> bool {
        let Ok(entries) = self.folder.read_dir() else {
            return false;
        };
        entries
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(".s.PGSQL."))
            .any(|entry| UnixStream::connect(entry.path()).is_ok())
    }

    fn take_down(&self) -> Result<()> {
        if self.is_running() {
            self.stop()?;
        }
        // A run that failed may be explained by what the server said, so the last log stays.
        if self.log().is_file() {
            fs::copy(self.log(), self.record.with_file_name("postgres.log"))?;
        }
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder).with_context(|| format!("cannot remove {}", self.folder.display()))?;
        }
        if self.record.is_symlink() {
            fs::remove_file(&self.record)?;
        }
        fs::remove_file(self.record.with_extension("lock"))?;
        Ok(())
    }

    fn pg_ctl(&self) -> Command {
        let mut command = self.owner.command(self.programs.join("pg_ctl"));
        command.arg("--pgdata").arg(self.data()).arg("--silent");
        command
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }

    fn socket(&self, port: u16) -> PathBuf {
        self.folder.join(format!(".s.PGSQL.{port}"))
    }
}

/// Takes down what a run that was killed could not.
fn remove_leftovers(records: &Path, programs: &Path, owner: Owner) {
    let Ok(entries) = records.read_dir() else { return };
    for entry in entries.flatten() {
        let lock = entry.path();
        let is_lock =
            entry.file_name().to_string_lossy().starts_with("pg-") && lock.extension().is_some_and(|e| e == "lock");
        if !is_lock {
            continue;
        }
        let Ok(file) = File::open(&lock) else { continue };
        if file.try_lock().is_err() {
            continue;
        }
        let record = lock.with_extension("");
        let folder = record.canonicalize().unwrap_or_else(|_| record.clone());
        eprintln!("      removing the PostgreSQL of a run that was killed ({})", folder.display());
        let place = Place { folder, record, programs: programs.to_owned(), owner };
        if let Err(error) = place.take_down() {
            eprintln!("warning: it stays: {error:#}");
        }
    }
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).context("cannot get a free port")?;
    Ok(listener.local_addr()?.port())
}
