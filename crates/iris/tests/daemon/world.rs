//! A daemon in a temporary home, for one test.

use std::path::Path;
use std::time::Duration;

use iris_testing::client::Client;
use iris_testing::daemon::{Daemon, Setup};
use serde_json::{Value, json};

pub const ECHO: &str = "default: [{ say: 'You said: {{text}}' }]\n";
pub const SOON: Duration = Duration::from_secs(20);

pub fn setup() -> Setup {
    Setup::new(env!("CARGO_BIN_EXE_iris"))
}

pub struct World {
    pub daemon: Daemon,
    pub setup: Setup,
    pub home: tempfile::TempDir,
}

impl World {
    pub fn new(setup: Setup) -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        setup.write(home.path()).expect("a home");
        let daemon = Daemon::start(&setup, home.path()).expect("the daemon starts");
        Self { daemon, setup, home }
    }

    pub fn client(&self) -> Client {
        self.daemon.client()
    }

    pub fn path(&self) -> &Path {
        self.home.path()
    }

    /// Kills the daemon and starts another on the same home.
    pub fn crash_and_restart(self) -> Self {
        let Self { daemon, setup, home } = self;
        daemon.kill().expect("killed");
        let daemon = Daemon::start(&setup, home.path()).expect("the daemon starts again");
        Self { daemon, setup, home }
    }

    pub async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        let answer = self.client().post(path, &body).await.expect("an answer");
        (answer.status, answer.json().expect("JSON"))
    }

    pub async fn get(&self, path: &str) -> Value {
        let answer = self.client().get(path).await.expect("an answer");
        assert_eq!(answer.status, 200, "{path}: {}", String::from_utf8_lossy(&answer.body));
        answer.json().expect("JSON")
    }

    pub async fn tell(&self, message: &str) -> Value {
        self.client().tell("user", "alpha", message).await.expect("told")
    }

    /// Told, but not waited for.
    pub async fn tell_async(&self, from: &str, message: &str) -> Value {
        let (status, value) = self
            .post("/api/teams/tell", json!({"toTeam": "alpha", "fromTeam": from, "message": message, "timeout": -1}))
            .await;
        assert_eq!(status, 200, "{value}");
        value
    }

    pub async fn turn(&self, id: &str) -> Value {
        self.get(&format!("/api/turns/{id}")).await
    }

    /// The turn once it is over.
    pub async fn ended(&self, id: &str) -> Value {
        let until = std::time::Instant::now() + SOON;
        loop {
            let turn = self.turn(id).await;
            if !matches!(turn["state"].as_str(), Some("queued" | "running" | "scheduled")) {
                return turn;
            }
            assert!(std::time::Instant::now() < until, "it never ends: {turn}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    pub async fn events(&self, kind: &str) -> Vec<Value> {
        let page = self.get(&format!("/api/events?limit=1000&kind={kind}")).await;
        page["items"].as_array().expect("events").clone()
    }

    /// The one question that is open, once there is one.
    pub async fn open_question(&self) -> Value {
        let until = std::time::Instant::now() + SOON;
        loop {
            let pending = self.get("/api/questions/pending").await;
            if let Some(question) = pending["questions"].as_array().expect("a list").first() {
                return question.clone();
            }
            assert!(std::time::Instant::now() < until, "nobody asks anything");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    pub async fn session(&self, from: &str) -> Value {
        let page = self.get("/api/sessions?limit=1000").await;
        let sessions = page["items"].as_array().expect("sessions");
        sessions.iter().find(|session| session["from"] == from).expect("the party has a session").clone()
    }
}

pub fn id(value: &Value) -> &str {
    value["turnId"].as_str().expect("a turn")
}
