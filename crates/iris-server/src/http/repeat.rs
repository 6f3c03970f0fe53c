//! `Idempotency-Key` for every POST: a request that comes again with the same key is done once and answered the same.
//!
//! A request with a key is finished even if its sender goes away, so that coming back finds its answer. If the daemon dies
//! in between, nobody knows how it ended, and that is what is said: never is it done a second time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use iris_api::problem;
use iris_core::fault::FaultKind;
use iris_core::hex::hex;
use iris_engine::reply::Begun;
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use super::LARGEST_BODY;
use super::problem::{Fault, too_large};
use crate::App;
use crate::auth::Caller;
use crate::auth::load::Load;

const HEADER: &str = "idempotency-key";
/// On an answer to a request that was done before.
pub(super) const REPLAYED: &str = "idempotency-replayed";
const LONGEST_KEY: usize = 200;
/// The key of a tell, a job or a question is kept with it, in the same transaction: it needs nothing here. And an answer that
/// holds a secret is not written down: a second token of the same name is refused anyway.
const OWN_KEYS: [&str; 5] = ["/api/teams/tell", "/api/jobs", "/api/jobs/{id}/questions", "/api/tokens", "/api/links"];
const LARGEST_ANSWER: usize = 4 * 1024 * 1024;

/// A credential's id and the key: the same key of somebody else is another key.
type Whose = (String, String);

/// The requests with a key that are being done now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Running(Arc<Mutex<HashMap<Whose, Held>>>);

#[derive(Clone, Debug)]
struct Held {
    request: String,
    /// Closed when it is done.
    done: watch::Receiver<()>,
}

/// The right to do what a key stands for. Given back when dropped, also by a panic.
struct Turn {
    running: Running,
    whose: Whose,
    _done: watch::Sender<()>,
}

impl Running {
    /// Taken before the store is asked, so that whoever finds the key begun there and nobody at it here knows that it was
    /// cut off.
    fn take(&self, whose: &Whose, request: &str) -> Result<Turn, Held> {
        let mut held = self.0.lock().expect("nothing panics while it holds these");
        if let Some(held) = held.get(whose) {
            return Err(held.clone());
        }
        let (done, waiting) = watch::channel(());
        held.insert(whose.clone(), Held { request: request.to_owned(), done: waiting });
        Ok(Turn { running: self.clone(), whose: whose.clone(), _done: done })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.running.0.lock().expect("nothing panics while it holds these").remove(&self.whose);
    }
}

pub(crate) async fn once(app: &App, request: Request, next: Next) -> Response {
    let Some(caller) = request.extensions().get::<Caller>().filter(|_| request.method() == Method::POST) else {
        return next.run(request).await;
    };
    let key = match read_key(request.headers()) {
        Ok(Some(key)) => key,
        Ok(None) => return next.run(request).await,
        Err(fault) => return fault.into_response(),
    };
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    match path {
        Some("/mcp") => return not_of_a_call().into_response(),
        Some(path) if OWN_KEYS.contains(&path) => return next.run(request).await,
        _ => {}
    }
    let caller = caller.clone();
    perform(app.clone(), caller, key, request, next).await.unwrap_or_else(IntoResponse::into_response)
}

/// The key of a request that may say it in its body as well. Of two that differ, one would be passed over.
pub(super) fn one_key(headers: &HeaderMap, in_body: Option<String>) -> Result<Option<String>, Fault> {
    if in_body.as_deref().is_some_and(str::is_empty) {
        let hint = "leave it out, or make one up: a UUID for instance";
        return Err(Fault::new(FaultKind::Invalid, "the key is empty".to_owned()).hint(hint));
    }
    match (read_key(headers)?, in_body) {
        (Some(header), Some(body)) if header != body => {
            let what = format!("the request has two keys: '{header}' as its Idempotency-Key and '{body}' in its body");
            Err(Fault::new(FaultKind::Invalid, what).hint("send one of them, or the same twice"))
        }
        (header, body) => Ok(body.or(header)),
    }
}

/// A message of the protocol may be anything, and what is no call has no use for a key.
fn not_of_a_call() -> Fault {
    let what = "/mcp takes no Idempotency-Key: the key of a call is in the call".to_owned();
    Fault::new(FaultKind::Invalid, what)
        .hint("give a tell or a question its `key` as an argument, or as \"iris/key\" in _meta")
}

fn read_key(headers: &HeaderMap) -> Result<Option<String>, Fault> {
    let mut keys = headers.get_all(HEADER).iter();
    let Some(key) = keys.next() else { return Ok(None) };
    if keys.next().is_some() {
        let what = "the request has more than one Idempotency-Key".to_owned();
        return Err(Fault::new(FaultKind::Invalid, what).hint("send one"));
    }
    let text = key.to_str().ok().filter(|text| !text.is_empty() && text.len() <= LONGEST_KEY);
    let what = || format!("an Idempotency-Key has 1 to {LONGEST_KEY} plain characters");
    let hint = "make up a new one for each thing to be done, a UUID for instance";
    text.map(|text| Some(text.to_owned())).ok_or_else(|| Fault::new(FaultKind::Invalid, what()).hint(hint))
}

/// From the moment that the whole request is here, it is seen through, whether anybody waits for it or not.
async fn perform(app: App, caller: Caller, key: String, request: Request, next: Next) -> Result<Response, Fault> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, LARGEST_BODY).await.map_err(|error| too_large(&error.to_string()))?;
    let digest = digest(parts.uri.path(), &body);
    let whose = (caller.credential.id.clone(), key);
    let request = Request::from_parts(parts, Body::from(body));
    let task = iris_engine::tasks::spawn("reply", see_through(app, whose, digest, request, next));
    task.await.unwrap_or_else(|_| {
        Err(Fault::new(FaultKind::Internal, "the request was not finished; the log says why".to_owned()))
    })
}

async fn see_through(app: App, whose: Whose, digest: String, request: Request, next: Next) -> Result<Response, Fault> {
    // It counts for the sender until it is done, whether that one is still there or not.
    let _load = request.extensions().get::<Arc<Load>>().cloned();
    let _turn = loop {
        match app.repeats.take(&whose, &digest) {
            Ok(turn) => break turn,
            Err(held) if held.request != digest => return Err(used_for_another()),
            // Nothing is ever sent: it ends when the first one has ended, and then its answer is this one's too.
            Err(mut held) => {
                held.done.changed().await.ok();
            }
        }
    };
    match app.engine.begin_reply(&whose.0, &whose.1, &digest).await? {
        Begun::Answered { status, body } => Ok(replay(status, body)),
        Begun::Other => Err(used_for_another()),
        Begun::Open => Err(cut_off()),
        Begun::First => {
            let response = next.run(request).await;
            Ok(remember(&app, &whose, response).await)
        }
    }
}

fn used_for_another() -> Fault {
    let what = "the Idempotency-Key was used for another request".to_owned();
    Fault::new(FaultKind::Unfit, what).hint("choose a new key for a new request")
}

fn cut_off() -> Fault {
    let what = "the first request with this Idempotency-Key was cut off; nobody knows whether it was done".to_owned();
    Fault::new(FaultKind::Conflict, what).hint("look whether it was done; to do it anew, choose a new key")
}

async fn remember(app: &App, whose: &Whose, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_ANSWER).await else {
        return Fault::new(FaultKind::Internal, "the answer is too large to be kept".to_owned()).into_response();
    };
    let text = std::str::from_utf8(&body).unwrap_or_default();
    // What was refused has changed nothing, so it may be asked again with the same key. A fault of our own may have.
    let kept = if parts.status.is_client_error() || parts.status == StatusCode::SERVICE_UNAVAILABLE {
        app.engine.forget_reply(&whose.0, &whose.1).await
    } else {
        app.engine.finish_reply(&whose.0, &whose.1, parts.status.as_u16(), text).await
    };
    if let Err(error) = kept {
        tracing::warn!(%error, "the answer to a request with a key was not kept");
    }
    Response::from_parts(parts, Body::from(body))
}

fn replay(status: i64, body: String) -> Response {
    let status = u16::try_from(status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    let status = status.unwrap_or(StatusCode::OK);
    let kind = if status.is_server_error() { problem::CONTENT_TYPE } else { "application/json" };
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    (status, headers, body).into_response()
}

fn digest(path: &str, body: &Bytes) -> String {
    let digest = Sha256::new().chain_update(path).chain_update([0]).chain_update(body).finalize();
    hex(&digest)
}
