//! A daemon with teams that the real CLI serves.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use iris_testing::claude::binaries;
use iris_testing::model::Model;
use serde_json::{Value, json};

use crate::world::{World, setup};

pub struct Stage {
    pub world: World,
    pub model: Model,
    pub version: String,
}

/// A stage for each version of the CLI.
pub async fn stages(keys: &[&str]) -> Vec<Stage> {
    let mut stages = Vec::new();
    for (version, program) in binaries() {
        stages.push(Stage::new(version, program, keys).await);
    }
    stages
}

/// One for the newest version only, where versions have no reason to differ.
pub async fn stage(keys: &[&str]) -> Option<Stage> {
    let (version, program) = binaries().into_iter().next()?;
    Some(Stage::new(version, program, keys).await)
}

/// Holds back what the CLI says from the end of its background work on, until it is told something: so it is told in a turn
/// of its own that nobody else knows of yet.
const CROSSING: &str = r#"#!/usr/bin/env python3
import subprocess, sys, threading

cli = subprocess.Popen(["PROGRAM", *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
told = threading.Event()

def pass_on():
    for line in sys.stdin.buffer:
        cli.stdin.write(line)
        cli.stdin.flush()
        if b'"user"' in line:
            told.set()
    cli.stdin.close()

threading.Thread(target=pass_on, daemon=True).start()
for line in cli.stdout:
    if b'"task_notification"' in line:
        told.clear()
        open("HELD", "w").close()
        told.wait(20)
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
sys.exit(cli.wait())
"#;

/// Stages on which what the agent is told crosses with a turn that it begins by itself, each with the file that says so.
pub async fn crossing_stages(folder: &Path, keys: &[&str]) -> Vec<(Stage, PathBuf)> {
    let mut stages = Vec::new();
    for (version, program) in binaries() {
        let (shim, held) = (folder.join(&version), folder.join(format!("{version}.held")));
        let text = CROSSING.replace("PROGRAM", &program.display().to_string());
        std::fs::write(&shim, text.replace("HELD", &held.display().to_string())).expect("written");
        std::fs::set_permissions(&shim, std::fs::Permissions::from_mode(0o755)).expect("ours");
        stages.push((Stage::new(version, shim, keys).await, held));
    }
    stages
}

impl Stage {
    async fn new(version: String, program: PathBuf, keys: &[&str]) -> Self {
        let model = Model::start().await.expect("a model");
        let setup = setup()
            .claude_team("alpha", &program, &model.url(), keys)
            .claude_team("beta", &program, &model.url(), keys)
            .setting("responseTimeout: 60s");
        Self { world: World::new(setup), model, version }
    }

    /// Tells a team something with a script for the model, and waits until the end.
    pub async fn tell(&self, team: &str, words: &str, script: Value) -> Value {
        let message = format!("{words} MODEL{script}");
        let body = json!({"toTeam": team, "message": message, "timeout": 0});
        let (status, told) = self.world.post("/api/teams/tell", body).await;
        assert_eq!(status, 200, "{}: {told}", self.version);
        told
    }

    /// Told, but not waited for: the turn's id.
    pub async fn start(&self, team: &str, script: Value) -> String {
        let body = json!({"toTeam": team, "message": format!("MODEL{script}"), "timeout": -1});
        let (status, told) = self.world.post("/api/teams/tell", body).await;
        assert_eq!(status, 200, "{}: {told}", self.version);
        told["turnId"].as_str().expect("a turn").to_owned()
    }

    /// What a command prints to a program.
    pub fn iris(&self, words: &[&str]) -> String {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_iris"));
        let ran = command.env("IRIS_HOME", self.world.path()).args(words).output().expect("it runs");
        assert!(ran.status.success(), "{}: {}", self.version, String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).expect("text")
    }

    /// The session between two parties.
    pub async fn session(&self, from: &str, to: &str) -> Value {
        let page = self.world.get("/api/sessions?limit=1000").await;
        let found = page["items"].as_array().expect("sessions").iter();
        let mut found = found.filter(|session| session["from"] == from && session["to"] == to);
        found.next().cloned().unwrap_or_else(|| panic!("{}: no session from {from} to {to}: {page}", self.version))
    }

    pub async fn turns(&self, from: &str, to: &str) -> Vec<Value> {
        let session = self.session(from, to).await;
        let path = format!("/api/sessions/{}/turns?limit=1000", session["id"].as_str().expect("an id"));
        self.world.get(&path).await["items"].as_array().expect("turns").clone()
    }

    /// What was kept of a turn, as pairs of kind and text.
    pub async fn messages(&self, turn: &str) -> Vec<(String, String)> {
        let page = self.world.get(&format!("/api/turns/{turn}/messages?limit=1000")).await;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        page["items"].as_array().expect("messages").iter().map(|m| (text(&m["type"]), text(&m["text"]))).collect()
    }

    /// How many tokens went into what was said in a turn, by the lines of the CLI.
    pub async fn tokens_of(&self, turn: &str) -> u64 {
        let page = self.world.get(&format!("/api/turns/{turn}/messages?limit=1000")).await;
        let calls = page["items"].as_array().expect("messages").iter().map(|message| &message["data"]["message"]);
        let calls = calls.filter_map(|call| Some((call["id"].as_str()?, call["usage"]["input_tokens"].as_u64()?)));
        calls.collect::<std::collections::HashMap<_, _>>().values().sum()
    }

    /// Waits until a turn runs.
    pub async fn running(&self, turn: &str) {
        self.until("it runs", async || self.world.turn(turn).await["state"] == "running").await;
    }

    pub async fn until(&self, what: &str, mut holds: impl AsyncFnMut() -> bool) {
        let until = std::time::Instant::now() + crate::world::SOON;
        while !holds().await {
            assert!(std::time::Instant::now() < until, "{}: it never came true that {what}", self.version);
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }

    pub fn project(&self, team: &str) -> PathBuf {
        self.world.path().join("projects").join(team)
    }
}
