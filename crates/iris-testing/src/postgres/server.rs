//! A PostgreSQL server that one test may stop, or have speak TLS, in a folder of its own.

use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Dropping it stops the server and removes its files.
pub struct Server {
    bin: PathBuf,
    data: tempfile::TempDir,
    port: u16,
    owner: Option<(u32, u32)>,
}

/// The password of the server that speaks TLS.
const PASSWORD: &str = "by tls only";

impl Server {
    /// `None`, and a word about it, where the programs are not known.
    pub fn new() -> Option<Self> {
        let server = Self::prepare()?;
        server.run("initdb", &["-A", "trust", "-U", "postgres"]);
        server.start();
        Some(server)
    }

    /// One that talks to nobody without TLS, and wants a password. Both are PEM.
    pub fn with_tls(certificate: &str, key: &str) -> Option<Self> {
        let server = Self::prepare()?;
        let password = server.place("password", PASSWORD);
        server.run("initdb", &["-A", "scram-sha-256", "-U", "postgres", "--pwfile", &password]);
        server.place("cluster/server.crt", certificate);
        server.place("cluster/server.key", key);
        server.place("cluster/postgresql.auto.conf", "ssl = on\n");
        server.place("cluster/pg_hba.conf", "hostssl all all all scram-sha-256\n");
        server.start();
        Some(server)
    }

    fn prepare() -> Option<Self> {
        let bin = PathBuf::from(std::env::var_os("IRIS_TEST_PG_BIN").or_else(|| {
            eprintln!("IRIS_TEST_PG_BIN is not set: this test is left out");
            None
        })?);
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
        let owner = number("IRIS_TEST_PG_UID").zip(number("IRIS_TEST_PG_GID"));
        let data = tempfile::tempdir().expect("a temporary folder");
        if let Some((uid, gid)) = owner {
            chown(data.path(), Some(uid), Some(gid)).expect("given away");
        }
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
        Some(Self { bin, data, port, owner })
    }

    /// A private file of the server's owner. Returns where it is.
    fn place(&self, name: &str, content: &str) -> String {
        let path = self.data.path().join(name);
        std::fs::write(&path, content).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("private");
        if let Some((uid, gid)) = self.owner {
            chown(&path, Some(uid), Some(gid)).expect("given away");
        }
        path.display().to_string()
    }

    fn run(&self, program: &str, words: &[&str]) {
        let mut command = Command::new(self.bin.join(program));
        if let Some((uid, gid)) = self.owner {
            command.uid(uid).gid(gid);
        }
        let done = command
            .arg("-D")
            .arg(self.data.path().join("cluster"))
            .args(words)
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("it runs");
        assert!(done.success(), "{program} {words:?}");
    }

    pub fn start(&self) {
        let folder = self.data.path().display();
        let options = format!("-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}", self.port);
        self.run("pg_ctl", &["-w", "-o", &options, "start"]);
    }

    pub fn stop(&self) {
        self.run("pg_ctl", &["-w", "-m", "immediate", "stop"]);
    }

    /// Its processes stay where they are: connections to it stand, and nothing is answered.
    pub fn freeze(&self) {
        self.signal(Signal::SIGSTOP);
    }

    pub fn thaw(&self) {
        self.signal(Signal::SIGCONT);
    }

    /// The first process before the others, so that it makes no more of them meanwhile.
    fn signal(&self, signal: Signal) {
        let Ok(file) = std::fs::read_to_string(self.data.path().join("cluster/postmaster.pid")) else { return };
        let first = file.lines().next().expect("a pid").to_owned();
        let send = |pid: &str| kill(Pid::from_raw(pid.parse().expect("a pid")), signal).ok();
        send(&first);
        for process in std::fs::read_dir("/proc").expect("Linux").flatten() {
            let stat = std::fs::read_to_string(process.path().join("stat")).unwrap_or_default();
            // Behind the name, which may have anything in it, come the state and the parent.
            let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1));
            if parent == Some(first.as_str()) {
                send(&process.file_name().to_string_lossy());
            }
        }
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// The url of one that speaks TLS: by this name of this machine, with these words about TLS.
    pub fn tls_url(&self, host: &str, words: &str) -> String {
        let password = PASSWORD.replace(' ', "%20");
        format!("postgres://postgres:{password}@{host}:{}/postgres?{words}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.thaw();
        self.stop();
    }
}
