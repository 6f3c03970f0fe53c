//! The session of a client that speaks the older revision. The daemon forgets it when it is restarted; then it is made
//! anew, as the client made it, and the client does not notice.

use std::collections::BTreeSet;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::bridge::Bridge;
use super::forward::{Trouble, ask, notice};
use super::message::Message;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

#[derive(Debug, Default)]
pub struct Session {
    state: Mutex<State>,
}

#[derive(Clone, Debug, Default)]
struct State {
    id: Option<String>,
    version: Option<String>,
    /// What the client said of itself.
    introduction: Option<Value>,
    /// Which of the sessions this bridge has had.
    number: u64,
    watched: BTreeSet<String>,
    /// It has read the list of resources, so it is told when that changes.
    has_list: bool,
}

/// A session as it was when a message was sent in it.
#[derive(Clone, Debug, Default)]
pub struct Current {
    pub number: u64,
    headers: HeaderMap,
}

impl Current {
    pub fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    pub fn is_one(&self) -> bool {
        self.headers.contains_key(SESSION)
    }
}

impl Session {
    pub async fn current(&self) -> Current {
        self.state.lock().await.current()
    }

    /// The client introduced itself and the daemon answered.
    pub async fn begin(&self, introduction: &Value, headers: &HeaderMap, answer: &Value) {
        let mut state = self.state.lock().await;
        state.introduction = Some(introduction.clone());
        state.take(headers, answer);
    }

    pub async fn watch(&self, message: &Message) {
        let uri = || message.params()["uri"].as_str().unwrap_or_default();
        match message.method() {
            "resources/list" => self.state.lock().await.has_list = true,
            "resources/subscribe" => drop(self.state.lock().await.watched.insert(uri().to_owned())),
            "resources/unsubscribe" => drop(self.state.lock().await.watched.remove(uri())),
            _ => {}
        }
    }

    /// Makes the session anew, unless somebody else did meanwhile. Nothing has changed if it cannot be made whole.
    pub async fn renew(&self, bridge: &Bridge, old: &Current) -> Result<(), Trouble> {
        // Held all the time: others wait for it, because nothing can be said without a session.
        let mut state = self.state.lock().await;
        if state.number != old.number {
            return Ok(());
        }
        let Some(introduction) = state.introduction.clone() else {
            return Err(Trouble::Refused("the client has not introduced itself".to_owned()));
        };
        let request = json!({ "jsonrpc": "2.0", "id": "iris-again", "method": "initialize", "params": introduction });
        let (headers, answer) = ask(bridge, &Message::of(request), HeaderMap::new()).await?;
        let mut new = state.clone();
        new.take(&headers, &answer);
        if !new.current().is_one() {
            return Err(Trouble::NoSession);
        }
        let headers = new.current().headers;
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        ask(bridge, &Message::of(ready), headers.clone()).await?;
        for uri in &new.watched {
            let params = json!({ "uri": uri });
            let watch = json!({ "jsonrpc": "2.0", "id": uri, "method": "resources/subscribe", "params": params });
            ask(bridge, &Message::of(watch), headers.clone()).await?;
        }
        if new.has_list {
            // Nobody needs the answer: whoever has asked once is told of changes.
            let list = json!({ "jsonrpc": "2.0", "id": "iris-list", "method": "resources/list" });
            ask(bridge, &Message::of(list), headers.clone()).await?;
        }
        let (watched, has_list) = (new.watched.clone(), new.has_list);
        *state = new;
        drop(state);
        // Nobody heard what changed while there was no session.
        for uri in watched {
            bridge.say(notice("resources/updated", json!({ "uri": uri })).to_string()).await;
        }
        if has_list {
            bridge.say(notice("resources/list_changed", json!({})).to_string()).await;
        }
        Ok(())
    }
}

impl State {
    fn current(&self) -> Current {
        let mut headers = HeaderMap::new();
        let mut put = |name: HeaderName, value: &Option<String>| {
            if let Some(value) = value.as_deref().and_then(|value| HeaderValue::from_str(value).ok()) {
                headers.insert(name, value);
            }
        };
        put(SESSION, &self.id);
        put(HeaderName::from_static("mcp-protocol-version"), &self.version);
        Current { number: self.number, headers }
    }

    fn take(&mut self, headers: &HeaderMap, answer: &Value) {
        self.id = headers.get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
        self.version = answer["result"]["protocolVersion"].as_str().map(str::to_owned);
        self.number += 1;
    }
}
