//! A scripted agent as a real child process, with its pipes in our hands.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

/// Long enough for the slowest machine; a test that reaches it has failed.
const PATIENCE: Duration = Duration::from_secs(60);

pub const ID: &str = "0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f0";

/// A directory with a script, a place for conversations and a working directory.
pub struct Stage {
    directory: TempDir,
}

pub struct Agent {
    pub child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
}

/// What was left after the process ended.
pub struct End {
    pub status: ExitStatus,
    pub lines: Vec<Value>,
    pub stderr: String,
}

impl Stage {
    pub fn new(script: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("script.yaml"), script).unwrap();
        std::fs::create_dir(directory.path().join("work")).unwrap();
        Self { directory }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn start(&self, arguments: &[&str]) -> Agent {
        let mut child = Command::new(program())
            .args(["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"])
            .arg("--script")
            .arg(self.path("script.yaml"))
            .arg("--state-dir")
            .arg(self.path("state"))
            .args(arguments)
            .current_dir(self.path("work"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            loop {
                let mut line = Vec::new();
                match stdout.read_until(b'\n', &mut line) {
                    Ok(1..) => sender.send(line).ok(),
                    _ => return,
                };
            }
        });
        Agent { stdin: child.stdin.take(), child, lines }
    }

    /// Starts, tells, and reads to the end.
    pub fn once(&self, text: &str) -> End {
        let mut agent = self.start(&[]);
        agent.tell(text);
        agent.end()
    }

    pub fn journal(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.path("state").join(format!("{ID}.jsonl"))).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Agent {
    pub fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
    }

    pub fn tell(&mut self, text: &str) {
        self.send(&json!({"type": "user", "message": {"role": "user", "content": text}}).to_string());
    }

    pub fn request(&mut self, id: &str, request: Value) {
        self.send(&json!({"type": "control_request", "request_id": id, "request": request}).to_string());
    }

    /// Answers a control request of the agent's.
    pub fn answer(&mut self, request: &Value, response: Value) {
        let id = &request["request_id"];
        let response = json!({"subtype": "success", "request_id": id, "response": response});
        self.send(&json!({"type": "control_response", "response": response}).to_string());
    }

    pub fn close(&mut self) {
        self.stdin = None;
    }

    pub fn raw(&mut self) -> Vec<u8> {
        self.lines.recv_timeout(PATIENCE).expect("a line within the patience of the test")
    }

    pub fn line(&mut self) -> Value {
        let line = self.raw();
        serde_json::from_slice(&line).unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&line)))
    }

    /// Reads on to the first line of that type, or of that subtype.
    pub fn until(&mut self, kind: &str) -> Value {
        self.all_until(kind).pop().unwrap()
    }

    /// Everything up to and with the first line of that type or subtype.
    pub fn all_until(&mut self, kind: &str) -> Vec<Value> {
        let mut lines = Vec::new();
        loop {
            let line = self.line();
            let found = line["type"] == kind || line["subtype"] == kind;
            lines.push(line);
            if found {
                return lines;
            }
        }
    }

    /// Closes the input and reads everything to the end of the process.
    pub fn end(mut self) -> End {
        self.close();
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => lines.push(serde_json::from_slice(&line).unwrap_or(Value::Null)),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("the agent does not end"),
            }
        }
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        End { status: self.child.wait().unwrap(), lines, stderr }
    }
}

/// A test that fails must not leave an agent behind.
impl Drop for Agent {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The lines in a form short enough to compare: what kind, and the text of it.
pub fn outline(lines: &[Value]) -> Vec<String> {
    lines.iter().map(outline_line).collect()
}

fn outline_line(line: &Value) -> String {
    let kind = line["type"].as_str().unwrap_or("?");
    let block = &line["message"]["content"][0];
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match kind {
        "system" => text(&line["subtype"]),
        "assistant" | "user" => {
            let within = if line["parent_tool_use_id"].is_null() { "" } else { "sub " };
            let said = match text(&block["type"]).as_str() {
                "tool_use" => format!("use {} {}", text(&block["name"]), block["input"]),
                "tool_result" if block["is_error"] == true => format!("error {}", text(&block["content"])),
                "tool_result" => format!("result {}", text(&block["content"])),
                "thinking" => format!("think {}", text(&block["thinking"])),
                _ => text(&block["text"]),
            };
            format!("{within}{kind}: {said}")
        }
        "result" => format!("result {}: {}", text(&line["terminal_reason"]), text(&line["result"])),
        "command_lifecycle" => format!("lifecycle {}", text(&line["state"])),
        "control_response" => format!("response {}", text(&line["response"]["subtype"])),
        "control_request" => format!("request {}", text(&line["request"]["subtype"])),
        "stream_event" => format!("event {}", text(&line["event"]["type"])),
        other => other.to_owned(),
    }
}

/// Cargo builds examples for a full `cargo test` only, so the program is built here, once, whatever was asked for.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let test = std::env::current_exe().unwrap();
        let profile = test.ancestors().nth(2).unwrap();
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "iris-agents", "--example", "scripted_agent", "--target-dir"]);
        build.arg(profile.parent().unwrap()).current_dir(env!("CARGO_MANIFEST_DIR"));
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success(), "the scripted agent builds");
        profile.join("examples/scripted_agent")
    })
}
