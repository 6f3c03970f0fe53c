//! A daemon with two teams of one kind, and what a promise needs to look at.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::kind::{Deed, Kind};
use crate::world::{World, setup};

pub struct Stage {
    pub world: World,
    pub kind: Box<dyn Kind>,
}

impl Stage {
    pub fn new(kind: Box<dyn Kind>, keys: &[&str]) -> Self {
        let setup = kind.configure(setup(), &["alpha", "beta"], keys);
        Self { world: World::new(setup), kind }
    }

    /// The daemon dies, and another takes its place.
    pub fn crash_and_restart(self) -> Self {
        Self { world: self.world.crash_and_restart(), kind: self.kind }
    }

    /// Has alpha do something, with some words before it, and waits until the end.
    pub async fn tell(&self, words: &str, deed: Deed<'_>) -> Value {
        self.tell_as("user", words, deed).await
    }

    pub async fn tell_as(&self, party: &str, words: &str, deed: Deed<'_>) -> Value {
        let message = format!("{words} {}", self.kind.words(&deed));
        self.world.client().tell(party, "alpha", &message).await.expect("told")
    }

    /// Has alpha do something and does not wait: the turn's id.
    pub async fn start(&self, deed: Deed<'_>) -> String {
        let told = self.world.tell_async("user", &self.kind.words(&deed)).await;
        told["turnId"].as_str().expect("a turn").to_owned()
    }

    /// Has alpha begin something that does not end by itself.
    pub async fn start_running(&self, deed: Deed<'_>) -> String {
        let turn = self.start(deed).await;
        self.until("the turn runs", async || self.world.turn(&turn).await["state"] == "running").await;
        turn
    }

    pub async fn session(&self, from: &str, to: &str) -> Value {
        let page = self.world.get("/api/sessions?limit=1000").await;
        let mut sessions = page["items"].as_array().expect("sessions").iter();
        let found = sessions.find(|session| session["from"] == from && session["to"] == to);
        found.cloned().unwrap_or_else(|| panic!("no session from {from} to {to}: {page}"))
    }

    /// The process that serves the user in alpha.
    pub async fn pid(&self) -> u64 {
        let session = self.session("user", "alpha").await;
        session["pid"].as_u64().unwrap_or_else(|| panic!("no process: {session}"))
    }

    pub async fn turns(&self, from: &str, to: &str) -> Vec<Value> {
        let session = self.session(from, to).await;
        let path = format!("/api/sessions/{}/turns?limit=1000", session["id"].as_str().expect("an id"));
        self.world.get(&path).await["items"].as_array().expect("turns").clone()
    }

    /// What was kept of a turn.
    pub async fn messages(&self, turn: &Value) -> Vec<Value> {
        let path = format!("/api/turns/{}/messages?limit=1000", turn["turnId"].as_str().expect("a turn"));
        self.world.get(&path).await["items"].as_array().expect("messages").clone()
    }

    pub async fn answer(&self, question: &Value, response: Value) {
        let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
        let (status, said) = self.world.post(&path, json!({"response": response})).await;
        assert_eq!(status, 200, "{said}");
    }

    /// What of alpha's conversation with the user reached the agent last.
    pub async fn heard(&self) -> String {
        let session = self.session("user", "alpha").await;
        self.kind.heard(&self.world, session["id"].as_str().expect("an id"))
    }

    pub async fn until(&self, what: &str, mut holds: impl AsyncFnMut() -> bool) {
        let until = std::time::Instant::now() + crate::world::SOON;
        while !holds().await {
            assert!(std::time::Instant::now() < until, "it never came true that {what}");
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }

    pub fn project(&self, file: &str) -> PathBuf {
        self.world.path().join("projects/alpha").join(file)
    }
}

/// Whether a text of a turn or a message has these words in it.
pub fn says(value: &Value, words: &str) -> bool {
    value.as_str().is_some_and(|text| text.contains(words))
}
