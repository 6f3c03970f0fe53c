//! A real daemon: the real binary, in a home of its own, on a port of its own.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use iris_agents::contain::end_leftovers;
use iris_engine::home::Home;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::client::Client;

/// How a test wants its daemon.
#[derive(Clone, Debug)]
pub struct Setup {
    pub binary: PathBuf,
    /// Lines under `settings:`.
    pub settings: Vec<String>,
    /// Lines under `questions:`.
    pub questions: Vec<String>,
    /// Lines under `server:`.
    pub server: Vec<String>,
    /// Team name and the text of its script.
    pub teams: Vec<(String, String)>,
    /// Teams of the real CLI: name and the lines under it.
    pub claude_teams: Vec<(String, Vec<String>)>,
    /// Further keys of every team, such as `onInterrupted: resume`.
    pub team_keys: Vec<String>,
    pub database: Option<String>,
    /// Further lines under `database:`.
    pub database_keys: Vec<String>,
    pub env: Vec<(String, String)>,
    /// A program that runs the daemon: `strace -f …`.
    pub wrapper: Vec<String>,
}

impl Setup {
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        Self {
            binary: binary.into(),
            settings: Vec::new(),
            questions: Vec::new(),
            server: Vec::new(),
            teams: Vec::new(),
            claude_teams: Vec::new(),
            team_keys: Vec::new(),
            database: None,
            database_keys: Vec::new(),
            env: Vec::new(),
            wrapper: Vec::new(),
        }
    }

    pub fn team(mut self, name: &str, script: &str) -> Self {
        self.teams.push((name.to_owned(), script.to_owned()));
        self
    }

    /// A team that the real CLI serves, against a model of the test's, in a home of its own.
    pub fn claude_team(mut self, name: &str, program: &Path, model: &str, keys: &[&str]) -> Self {
        let mut lines = vec![
            "agent: claude".to_owned(),
            format!("command: {}", program.display()),
            "home: own".to_owned(),
            "env:".to_owned(),
        ];
        let own = ["HOME", "PATH", "CLAUDE_CODE_TMPDIR"];
        let env = crate::claude::environment(Path::new("/nowhere"), model);
        let env = env.into_iter().filter(|(name, _)| !own.contains(name));
        lines.extend(env.map(|(name, value)| format!("  {name}: '{value}'")));
        lines.extend(keys.iter().map(|&key| key.to_owned()));
        self.claude_teams.push((name.to_owned(), lines));
        self
    }

    pub fn setting(mut self, line: &str) -> Self {
        self.settings.push(line.to_owned());
        self
    }

    pub fn questions(mut self, line: &str) -> Self {
        self.questions.push(line.to_owned());
        self
    }

    pub fn server(mut self, line: &str) -> Self {
        self.server.push(line.to_owned());
        self
    }

    pub fn team_key(mut self, line: &str) -> Self {
        self.team_keys.push(line.to_owned());
        self
    }

    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn database(mut self, url: &str) -> Self {
        self.database = Some(url.to_owned());
        self
    }

    pub fn database_key(mut self, line: &str) -> Self {
        self.database_keys.push(line.to_owned());
        self
    }

    /// Writes the home: config, scripts, project folders.
    pub fn write(&self, home: &Path) -> Result<()> {
        let mut config = String::from("settings:\n  port: 0\n");
        self.settings.iter().for_each(|line| config.push_str(&format!("  {line}\n")));
        if !self.questions.is_empty() {
            config.push_str("questions:\n");
            self.questions.iter().for_each(|line| config.push_str(&format!("  {line}\n")));
        }
        if !self.server.is_empty() {
            config.push_str("server:\n");
        }
        self.server.iter().for_each(|line| config.push_str(&format!("  {line}\n")));
        if let Some(url) = &self.database {
            config.push_str(&format!("database:\n  url: {url}\n"));
            self.database_keys.iter().for_each(|line| config.push_str(&format!("  {line}\n")));
        }
        config.push_str("teams:\n");
        std::fs::create_dir_all(home.join("scripts"))?;
        for (name, script) in &self.teams {
            let (folder, file) = (home.join("projects").join(name), home.join(format!("scripts/{name}.yaml")));
            std::fs::create_dir_all(&folder)?;
            std::fs::write(&file, script)?;
            config.push_str(&format!(
                "  {name}:\n    path: {}\n    agent: scripted\n    script: {}\n",
                folder.display(),
                file.display()
            ));
            self.team_keys.iter().for_each(|line| config.push_str(&format!("    {line}\n")));
        }
        for (name, lines) in &self.claude_teams {
            let folder = home.join("projects").join(name);
            std::fs::create_dir_all(&folder)?;
            config.push_str(&format!("  {name}:\n    path: {}\n", folder.display()));
            lines.iter().for_each(|line| config.push_str(&format!("    {line}\n")));
        }
        if self.teams.is_empty() && self.claude_teams.is_empty() {
            config.push_str("  {}\n");
        }
        std::fs::write(home.join("config.yaml"), config)?;
        Ok(())
    }
}

pub struct Daemon {
    child: Child,
    /// The daemon's own process, which is not the child when a wrapper runs it.
    pub pid: u32,
    pub address: String,
    pub token: String,
    pub home: PathBuf,
    pub took: Duration,
    end: End,
}

/// What becomes of the agents of a daemon that is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The test is over: nothing stays.
    OfTheTest,
    /// The next daemon on the same home has to deal with them.
    OfALife,
}

impl Daemon {
    /// Starts a daemon and returns when it serves.
    pub fn start(setup: &Setup, home: &Path) -> Result<Self> {
        let (daemon, _) = Self::start_or_exit(setup, home)?;
        daemon.context("the daemon ended at once")
    }

    /// Starts a daemon that may end before it serves; then its exit status and what it said are returned.
    pub fn start_or_exit(setup: &Setup, home: &Path) -> Result<(Option<Self>, String)> {
        let mut words = setup.wrapper.clone();
        words.push(setup.binary.display().to_string());
        words.extend(["serve", "--json"].map(str::to_owned));
        let log = std::fs::OpenOptions::new().create(true).append(true).open(home.join("daemon.log"))?;
        let began = Instant::now();
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .env("IRIS_HOME", home)
            .envs(setup.env.iter().cloned())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .process_group(0)
            .spawn()
            .with_context(|| format!("{} can be started", words[0]))?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("a pipe")?).read_line(&mut line)?;
        if line.trim().is_empty() {
            let status = child.wait()?;
            return Ok((None, status.to_string()));
        }
        let said: Value = serde_json::from_str(&line).with_context(|| format!("not JSON: {line}"))?;
        let url = said["url"].as_str().context("it says its url")?;
        let pid = said["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).context("it says its pid")?;
        let daemon = Self {
            child,
            pid,
            address: url.trim_start_matches("http://").to_owned(),
            token: std::fs::read_to_string(home.join("token"))?.trim().to_owned(),
            home: home.to_owned(),
            took: began.elapsed(),
            end: End::OfTheTest,
        };
        Ok((Some(daemon), String::new()))
    }

    pub fn client(&self) -> Client {
        Client::new(&self.address, &self.token)
    }

    /// As a crash would: at once, with nothing written.
    pub fn kill(mut self) -> Result<()> {
        self.end = End::OfALife;
        self.signal(Signal::SIGKILL)?;
        self.child.wait()?;
        Ok(())
    }

    /// Asks it to end and waits until it has.
    pub fn stop(mut self) -> Result<std::process::ExitStatus> {
        self.signal(Signal::SIGTERM)?;
        Ok(self.child.wait()?)
    }

    /// Waits for a daemon that is expected to end by itself.
    pub fn wait(&mut self, patience: Duration) -> Result<std::process::ExitStatus> {
        let until = Instant::now() + patience;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() > until {
                bail!("the daemon did not end");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    pub fn signal(&self, signal: Signal) -> Result<()> {
        kill(Pid::from_raw(i32::try_from(self.pid)?), signal)?;
        Ok(())
    }

    /// Resident memory in bytes.
    pub fn memory(&self) -> Result<u64> {
        self.figure("VmRSS:")
    }

    /// The most of it that there ever was.
    pub fn most_memory(&self) -> Result<u64> {
        self.figure("VmHWM:")
    }

    fn figure(&self, name: &'static str) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid))?;
        let line = status.lines().find_map(|line| line.strip_prefix(name)).context(name)?;
        let kilobytes: u64 = line.trim().trim_end_matches(" kB").trim().parse()?;
        Ok(kilobytes * 1024)
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.home.join("daemon.log")).unwrap_or_default()
    }
}

impl Drop for Daemon {
    /// A test that fails leaves nothing running, neither the daemon nor its agents.
    fn drop(&mut self) {
        if self.is_alive() {
            self.signal(Signal::SIGKILL).ok();
            self.child.kill().ok();
            self.child.wait().ok();
        }
        if self.end == End::OfTheTest
            && let Some(instance) = Home::at(&self.home).instance()
        {
            end_leftovers(&instance);
        }
    }
}

/// Waits until something is true, and says what it was if it never is.
pub async fn eventually<F>(what: &str, mut check: impl FnMut() -> F) -> Result<()>
where
    F: Future<Output = Result<bool>>,
{
    let until = Instant::now() + Duration::from_secs(30);
    while !check().await? {
        if Instant::now() > until {
            bail!("it never came true that {what}");
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}
