//! What the model was asked, for tests to look at.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use axum::http::HeaderMap;
use tokio::sync::watch;

use super::history::{self, Call, Message};

/// One call of the model.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    pub model: String,
    pub stream: bool,
    /// The names of the tools it was offered.
    pub tools: Vec<String>,
    pub system: String,
    pub messages: Vec<Message>,
    /// What the person said last, without the CLI's own notes.
    pub last_user_text: String,
    /// From `x-api-key`, or a bearer token.
    pub api_key: Option<String>,
    /// From `x-claude-code-session-id`. A sub-agent has the session of who started it.
    pub session: Option<String>,
    /// Of the body.
    pub bytes: usize,
}

impl ModelRequest {
    pub fn read(headers: &HeaderMap, call: &Call, bytes: usize) -> Self {
        let messages = call.messages();
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let bearer = || Some(header("authorization")?.strip_prefix("Bearer ")?.to_owned());
        Self {
            model: call.model.clone(),
            stream: call.stream,
            tools: call.tool_names(),
            system: call.system_text(),
            last_user_text: history::last_user_text(&messages),
            messages,
            api_key: header("x-api-key").or_else(bearer),
            session: header("x-claude-code-session-id"),
            bytes,
        }
    }

    /// Every text of the conversation, whoever said it; tool results are not among them.
    pub fn texts(&self) -> Vec<&str> {
        self.messages.iter().flat_map(Message::texts).collect()
    }
}

/// Every call holds its whole conversation, so that only the newest are kept: as many as fit into this.
const KEPT_BYTES: usize = 256 * 1024 * 1024;
const KEPT_STRAYS: usize = 1000;

#[derive(Default)]
pub struct Log {
    kept: Mutex<Kept>,
    count: watch::Sender<usize>,
}

#[derive(Default)]
struct Kept {
    requests: VecDeque<ModelRequest>,
    bytes: usize,
    strays: Vec<String>,
}

impl Log {
    pub fn add(&self, request: ModelRequest) {
        let mut kept = self.kept();
        kept.bytes += request.bytes;
        kept.requests.push_back(request);
        while kept.bytes > KEPT_BYTES && kept.requests.len() > 1 {
            let oldest = kept.requests.pop_front().map_or(0, |request| request.bytes);
            kept.bytes -= oldest;
        }
        drop(kept);
        self.count.send_modify(|count| *count += 1);
    }

    /// The first so many: whoever has more has lost its way.
    pub fn add_stray(&self, stray: String) {
        let mut kept = self.kept();
        if kept.strays.len() < KEPT_STRAYS {
            kept.strays.push(stray);
        }
    }

    pub fn requests(&self) -> Vec<ModelRequest> {
        self.kept().requests.iter().cloned().collect()
    }

    pub fn strays(&self) -> Vec<String> {
        self.kept().strays.clone()
    }

    pub fn count(&self) -> usize {
        *self.count.borrow()
    }

    pub async fn wait_for(&self, wanted: usize) {
        let mut count = self.count.subscribe();
        count.wait_for(|count| *count >= wanted).await.expect("the log holds the sender");
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().expect("nothing panics while it holds the log")
    }
}
