//! A daemon with scripted teams, and a client of the newer revision that is nothing but requests.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::{Value, json};

use crate::world::{World, setup};

pub const SCRIPT: &str = "\
replies:
  - match: '^work$'
    do: [{ delay: 60s }, { say: 'worked' }]
  - match: '^think$'
    do: [{ delay: 4s }, { say: 'thought' }]
  - match: '^write$'
    do: [{ stream: { text: 'one two three four five six seven eight', chunk: 4, every: 100ms } }]
  - match: '^write slowly$'
    do: [{ delay: 1s }, { stream: { text: 'one two three four five six seven eight nine ten', chunk: 2, every: 100ms } }]
  - match: '^die$'
    do: [{ crash: { code: 7 } }]
  - match: '^report$'
    do: [{ say: 'first part' }, { delay: 1s }, { say: 'second part' }, { delay: 60s }]
  - match: '^permit$'
    do: [{ permission: { tool: Bash, input: { command: 'rm -rf /srv/shop' }, then: [{ say: 'ran' }], denied: [{ say: 'denied' }] } }]
  - match: '^talk$'
    do: [{ times: { n: 230, do: [{ say: 'piece' }] } }, { say: 'the end' }]
default: [{ say: 'You said: {{text}}' }]
";

pub fn world() -> World {
    World::new(setup().team("alpha", SCRIPT).team("beta", SCRIPT))
}

/// It wants to know what it would encrypt with, though it never does here.
pub fn http() -> reqwest::Client {
    rustls::crypto::ring::default_provider().install_default().ok();
    reqwest::Client::new()
}

pub struct Modern {
    http: reqwest::Client,
    url: String,
    token: String,
    folder: Option<String>,
    session: Option<String>,
}

impl Modern {
    pub fn of(world: &World) -> Self {
        Self::with(world, &world.daemon.token)
    }

    /// With another credential than the owner's.
    pub fn with(world: &World, token: &str) -> Self {
        let url = format!("http://{}/mcp", world.daemon.address);
        Self { http: http(), url, token: token.to_owned(), folder: None, session: None }
    }

    /// Says that it runs in the folder of a team, as the bridge does.
    pub fn in_folder_of(mut self, world: &World, team: &str) -> Self {
        self.folder = Some(world.path().join("projects").join(team).display().to_string());
        self
    }

    /// Says that it runs in the shell of a session's agent, as Iris's own programs do.
    pub fn in_shell_of(mut self, session: &str) -> Self {
        self.session = Some(session.to_owned());
        self
    }

    pub fn get(&self) -> reqwest::RequestBuilder {
        self.http.get(&self.url).bearer_auth(&self.token)
    }

    pub fn delete(&self) -> reqwest::RequestBuilder {
        self.http.delete(&self.url).bearer_auth(&self.token)
    }

    pub fn post(&self) -> reqwest::RequestBuilder {
        let mut request = self.http.post(&self.url).bearer_auth(&self.token);
        if let Some(session) = &self.session {
            request = request.header("iris-session", session);
        }
        if let Some(folder) = &self.folder {
            request = request.header("iris-folder", folder);
        }
        request.header("accept", "application/json, text/event-stream").header("content-type", "application/json")
    }

    /// What comes back, message by message. Dropped, it is cancelled.
    pub async fn begin(&self, method: &str, mut params: Value) -> Messages {
        for (name, value) in newer() {
            params["_meta"][name] = value;
        }
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
        let request = self.post().header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
        Messages::of(request.header("mcp-name", name).body(body.to_string()).send().await.expect("an answer"))
    }

    pub async fn request(&self, method: &str, params: Value) -> Value {
        self.begin(method, params).await.last().await
    }

    pub async fn begin_call(&self, tool: &str, arguments: Value, meta: Value) -> Messages {
        self.begin("tools/call", json!({ "name": tool, "arguments": arguments, "_meta": meta })).await
    }

    /// The result of a call.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        assert!(answer["result"].is_object(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// The answer of a call that is carried out.
    pub async fn done(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// The words of a call that is not.
    pub async fn refused(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        result["content"][0]["text"].as_str().expect("words").to_owned()
    }
}

pub struct Messages {
    response: reqwest::Response,
    text: String,
    ready: VecDeque<Value>,
}

impl Messages {
    pub fn of(response: reqwest::Response) -> Self {
        Self { response, text: String::new(), ready: VecDeque::new() }
    }

    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// What it is: one piece, or a stream.
    pub fn kind(&self) -> &str {
        self.response.headers().get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default()
    }

    /// `None` at the end.
    pub async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(value) = self.ready.pop_front() {
                return Some(value);
            }
            let chunk = tokio::time::timeout(Duration::from_secs(30), self.response.chunk()).await;
            let chunk = chunk.expect("something comes within half a minute").expect("the connection holds")?;
            self.text.push_str(&String::from_utf8_lossy(&chunk));
            if let Ok(value) = serde_json::from_str(&self.text) {
                self.text.clear();
                return Some(value);
            }
            while let Some(end) = self.text.find("\n\n") {
                let frame: String = self.text.drain(..end + 2).collect();
                let data = frame.lines().find_map(|line| line.strip_prefix("data: "));
                self.ready.extend(data.and_then(|data| serde_json::from_str(data).ok()));
            }
        }
    }

    pub async fn last(mut self) -> Value {
        let mut last = Value::Null;
        while let Some(value) = self.next().await {
            last = value;
        }
        last
    }
}

/// What a message of the newer revision says of itself, in `_meta`.
pub fn newer() -> [(&'static str, Value); 2] {
    [
        ("io.modelcontextprotocol/protocolVersion", json!("2026-07-28")),
        ("io.modelcontextprotocol/clientCapabilities", json!({})),
    ]
}

pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let until = std::time::Instant::now() + crate::world::SOON;
    while !holds().await {
        assert!(std::time::Instant::now() < until, "it never came true that {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The state of the last turn that a party told alpha.
pub async fn last_state(world: &World, from: &str) -> String {
    let page = world.get("/api/sessions?limit=1000").await;
    let mut sessions = page["items"].as_array().expect("sessions").iter();
    let Some(session) = sessions.find(|session| session["from"] == from && session["to"] == "alpha") else {
        return "none".to_owned();
    };
    let turns = world.get(&format!("/api/sessions/{}/turns", session["id"].as_str().expect("an id"))).await;
    let last = turns["items"].as_array().and_then(|turns| turns.last().cloned()).unwrap_or_default();
    last["state"].as_str().unwrap_or("none").to_owned()
}
