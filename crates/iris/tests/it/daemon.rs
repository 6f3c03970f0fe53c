//! A home of a test's own, a daemon on it, and commands against it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

/// What the teams of these tests answer.
const SCRIPT: &str = r#"
replies:
  - match: "^stream"
    do: [{ stream: { text: "The quick brown fox jumps over the lazy dog.", chunk: 3, every: 2ms } }]
  - match: "^burst"
    do: [{ stream: { text: "abcdefghijklmnopqrstuvwxyz", chunk: 1, every: 0ms } }, { say: "The end." }]
  - match: "^hang"
    do: [{ say: "before" }, { hang: true }]
  - match: "^deaf"
    do: [{ say: "listening no more" }, { hang: deaf }]
  - match: "^evil"
    do: [{ say: "\e[31mred\e[0m \u202etxt.exe zero\u200bwidth\nnext\tline" }]
  - match: "^crash"
    do: [{ say: "going" }, { stderr: "out of cheese" }, { crash: { code: 3 } }]
  - match: "^fail"
    do: [{ fail: "the model is tired" }]
default: [{ say: "You said: {{text}} (turn {{turn}})" }]
"#;

/// A folder with a home in it.
pub struct Place {
    folder: TempDir,
}

impl Place {
    /// With two scripted teams, alpha and beta.
    pub fn with_teams() -> Self {
        let place = Self::empty();
        let script = place.path("script.yaml");
        std::fs::write(&script, SCRIPT).expect("a script");
        let (folder, script) = (place.folder.path().display(), script.display());
        let team = |name: &str| format!("  {name}: {{ path: {folder}, agent: scripted, script: {script} }}\n");
        place.configure(&format!("teams:\n{}{}", team("alpha"), team("beta")));
        place
    }

    pub fn empty() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder") }
    }

    pub fn configure(&self, config: &str) {
        std::fs::create_dir_all(self.home()).expect("a home");
        std::fs::write(self.home().join("config.yaml"), config).expect("a config");
    }

    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_iris"));
        command.args(words).env("IRIS_HOME", self.home()).env("TZ", "UTC").current_dir(self.folder.path());
        for name in ["IRIS_URL", "IRIS_TOKEN", "IRIS_LOG"] {
            command.env_remove(name);
        }
        command
    }

    pub fn iris(&self, words: &[&str]) -> Ran {
        Ran::of(self.command(words))
    }

    /// Hides what is different each time this runs.
    pub fn redact(&self, text: &str) -> String {
        text.replace(&self.folder.path().display().to_string(), "[folder]")
    }
}

/// What a command said, and how it ended.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(mut command: Command) -> Self {
        let output = command.stdin(Stdio::null()).output().expect("iris runs");
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    /// What it printed, if it went well.
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.stdout
    }

    pub fn json(self) -> Value {
        serde_json::from_str(&self.ok()).expect("JSON on stdout")
    }

    /// What it complained of, if it ended with this code.
    pub fn failed(self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:?}");
        self.stderr
    }
}

const LOG: &str = "daemon.log";

/// A daemon on a place. Asked to stop when it is dropped.
pub struct Daemon {
    pub place: Place,
    child: Child,
    pub ready: Value,
}

impl Daemon {
    pub fn start() -> Self {
        Self::on(Place::with_teams())
    }

    pub fn on(place: Place) -> Self {
        Self::by(place.command(&["serve", "--port", "0", "--json"]), place)
    }

    /// By a command that serves on the place.
    pub fn by(mut serve: Command, place: Place) -> Self {
        let log = std::fs::File::create(place.path(LOG)).expect("a file");
        let mut child = serve.stdout(Stdio::piped()).stderr(log).spawn().expect("iris serves");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its stdout is piped");
        BufReader::new(stdout).read_line(&mut line).expect("a line when it is ready");
        let ready = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        Self { place, child, ready }
    }

    pub fn iris(&self, words: &[&str]) -> Ran {
        self.place.iris(words)
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.place.path(LOG)).expect("it was made at the start")
    }

    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.id()).expect("a process id");
        kill(Pid::from_raw(pid), signal).expect("it is ours");
    }

    /// Stops it and gives the place back, with the exit code.
    pub fn stop(mut self) -> (Place, Option<i32>) {
        self.signal(Signal::SIGTERM);
        let code = self.wait();
        (std::mem::replace(&mut self.place, Place::empty()), code)
    }

    pub fn kill(mut self) -> Place {
        self.signal(Signal::SIGKILL);
        self.wait();
        std::mem::replace(&mut self.place, Place::empty())
    }

    fn wait(&mut self) -> Option<i32> {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(30) {
            if let Some(status) = self.child.try_wait().expect("it is ours") {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.child.kill().expect("it is ours");
        panic!("the daemon did not stop: {:?}", self.child.wait());
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if let Ok(Some(_)) = self.child.try_wait() {
            return;
        }
        self.signal(Signal::SIGTERM);
        let ended = self.wait();
        if !std::thread::panicking() {
            assert_eq!(ended, Some(0), "the daemon ends well");
        }
    }
}

pub fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}
