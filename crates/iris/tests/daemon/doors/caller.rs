//! Those who try: each with a credential of its own.

use iris_testing::client::{Answer, Client};
use serde_json::{Value, json};

use crate::world::World;

impl World {
    /// The text of a new token.
    pub async fn token(&self, name: &str, scopes: &[&str]) -> String {
        self.make_token(json!({"name": name, "scopes": scopes})).await
    }

    pub async fn agent_token(&self, team: &str) -> String {
        self.make_token(json!({"name": format!("agent of {team}"), "kind": "agent", "party": team})).await
    }

    pub async fn make_token(&self, wanted: Value) -> String {
        let (status, made) = self.post("/api/tokens", wanted).await;
        assert_eq!(status, 200, "{made}");
        made["secret"].as_str().expect("a secret").to_owned()
    }

    pub fn with(&self, token: &str) -> Client {
        Client::new(&self.daemon.address, token)
    }

    /// Signs a browser in, by a link of the owner's.
    pub async fn browser(&self) -> Browser {
        let (_, link) = self.post("/api/links", json!({})).await;
        self.sign_in(code_of(&link)).await
    }

    pub async fn sign_in(&self, code: &str) -> Browser {
        let answer = self.send("POST", "/api/login", &[], &json!({"code": code}).to_string()).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let set = answer.header("set-cookie").expect("a cookie").to_owned();
        let word = answer.json().expect("JSON")["csrf"].as_str().expect("a word").to_owned();
        let cookie = set.split(';').next().expect("a cookie").to_owned();
        Browser { cookie, word, set }
    }

    /// A request with these headers and no credential of our own.
    pub async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut headers = headers.to_vec();
        if !body.is_empty() && !headers.iter().any(|(name, _)| *name == "content-type") {
            headers.push(("content-type", "application/json"));
        }
        self.with("").ask(method, path, &headers, body.as_bytes()).await.expect("an answer")
    }

    /// The number of the newest event: what changes something leaves a trace.
    pub async fn newest(&self) -> i64 {
        self.get("/api/status").await["newestEvent"].as_i64().expect("a number")
    }
}

/// What a browser holds once it is signed in.
pub struct Browser {
    pub cookie: String,
    pub word: String,
    /// The header that set the cookie.
    pub set: String,
}

impl Browser {
    pub fn secret(&self) -> &str {
        self.cookie.split_once('=').expect("a cookie").1
    }
}

pub fn code_of(link: &Value) -> &str {
    link["path"].as_str().and_then(|path| path.strip_prefix("/login#")).expect("a code")
}

pub fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

/// Every error says what is wrong, in one shape.
pub fn is_problem(answer: &Answer) -> Value {
    assert_eq!(answer.header("content-type"), Some("application/problem+json"), "{answer:?}");
    let problem = answer.json().expect("JSON");
    assert_eq!(problem["status"], answer.status, "{problem}");
    assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{problem}");
    assert!(problem["kind"].is_string() && problem["title"].is_string(), "{problem}");
    problem
}
