//! `iris mcp` as a client starts it: a process with two pipes.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use iris_agents::contain::end_leftovers;
use iris_engine::home::Home;
use iris_testing::daemon::Setup;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::stage::{SCRIPT, until};
use crate::world::setup;

/// A home in which nothing runs yet. What was started in it ends with the test.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self::with(|setup, _| setup)
    }

    /// With more in its config.
    pub fn with(more: impl FnOnce(Setup, &Path) -> Setup) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let setup = more(setup().team("alpha", SCRIPT).team("beta", SCRIPT), folder.path());
        setup.write(folder.path()).expect("a home");
        Self { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn team(&self, name: &str) -> std::path::PathBuf {
        self.path().join("projects").join(name)
    }

    pub fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_iris"));
        command.arg("mcp").env_clear().env("IRIS_HOME", self.path()).env("HOME", self.path());
        command.current_dir(folder).kill_on_drop(true);
        command
    }

    /// A bridge that has introduced its client.
    pub async fn open(&self, folder: &Path) -> Pipe {
        Self::introduced(self.command(folder)).await
    }

    pub async fn introduced(command: Command) -> Pipe {
        let mut pipe = Pipe::start(command);
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let answer = pipe.request("initialize", params).await;
        assert_eq!(answer["result"]["serverInfo"]["name"], "iris", "{answer}");
        pipe.send(json!({"method": "notifications/initialized"})).await;
        pipe
    }

    pub fn daemon(&self) -> Option<i32> {
        Home::at(self.path()).holder().and_then(|holder| i32::try_from(holder.pid).ok())
    }

    /// As a user does after its end.
    pub async fn start_daemon(&self) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_iris"));
        command.args(["serve", "--detached"]).env_clear().env("IRIS_HOME", self.path()).env("HOME", self.path());
        // One that was killed may have the home for a moment longer.
        until("the one before is gone", async || self.daemon().is_none()).await;
        let ended = command.output().await.expect("it runs");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }

    pub fn kill_daemon(&self) {
        self.signal_daemon(Signal::SIGKILL);
    }

    pub fn signal_daemon(&self, signal: Signal) {
        let pid = self.daemon().expect("a daemon");
        kill(Pid::from_raw(pid), signal).expect("sent");
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(pid) = self.daemon() {
            kill(Pid::from_raw(pid), Signal::SIGKILL).ok();
        }
        if let Some(instance) = Home::at(self.path()).instance() {
            end_leftovers(&instance);
        }
    }
}

pub struct Pipe {
    pub child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    next: u64,
    /// What the server said by itself.
    pub heard: Vec<Value>,
}

impl Pipe {
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        Self { child, input, output, next: 0, heard: Vec::new() }
    }

    pub async fn write(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open");
        input.write_all(format!("{line}\n").as_bytes()).await.expect("written");
    }

    pub async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        self.write(&message.to_string()).await;
    }

    /// A request that is not waited for: its number.
    pub async fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        self.send(json!({"id": self.next, "method": method, "params": params})).await;
        self.next
    }

    pub async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.read().await;
            if message.get("method").is_none() && message["id"] == id {
                return message;
            }
            self.heard.push(message);
        }
    }

    pub async fn read(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(40), self.output.next_line()).await;
        let line = line.expect("a line in time").expect("readable").expect("it goes on");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("stdout has nothing but the protocol: {line}"))
    }

    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.answer(id).await
    }

    pub async fn done(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments})).await;
        assert_ne!(answer["result"]["isError"], true, "{tool}: {answer}");
        answer["result"]["structuredContent"].clone()
    }

    /// Closes its end and waits until the bridge has gone.
    pub async fn close(mut self) -> std::process::ExitStatus {
        drop(self.input.take());
        tokio::time::timeout(Duration::from_secs(20), self.child.wait()).await.expect("it ends").expect("it ended")
    }
}
