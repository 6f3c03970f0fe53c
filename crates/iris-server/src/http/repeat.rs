//! `Idempotency-Key` for every POST: a request that comes again with the same key is done once and answered the same.
//!
//! A request with a key is finished even if its sender goes away, so that coming back finds its answer. If the daemon dies
//! in between, nobody knows how it ended, and that is what is said: never is it done a second time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use iris_core::fault::FaultKind;
use iris_engine::reply::Begun;
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use super::LARGEST_BODY;
use super::problem::{Fault, refused};
use crate::App;
use crate::auth::Caller;

const HEADER: &str = "idempotency-key";
const LONGEST_KEY: usize = 200;
/// The key of a tell, a job or a question is kept with it, in the same transaction: it needs nothing here. Tools have keys of their own. And an
/// answer that holds a secret is not written down: a second token of the same name is refused anyway.
const OWN_KEYS: [&str; 6] =
    ["/api/teams/tell", "/api/jobs", "/api/jobs/{id}/questions", "/mcp", "/api/tokens", "/api/links"];
const LARGEST_ANSWER: usize = 4 * 1024 * 1024;

/// The requests with a key that are being done now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Running(Arc<Mutex<HashMap<(String, String), watch::Receiver<()>>>>);

impl Running {
    fn find(&self, of: &(String, String)) -> Option<watch::Receiver<()>> {
        self.0.lock().expect("nothing panics while it holds these").get(of).cloned()
    }
}

pub(crate) async fn once(State(app): State<App>, request: Request, next: Next) -> Response {
    let path = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned()).unwrap_or_default();
    let caller = request.extensions().get::<Caller>().cloned();
    let (Some(caller), Some(key)) = (caller, request.headers().get(HEADER)) else { return next.run(request).await };
    if request.method() != Method::POST || OWN_KEYS.contains(&path.as_str()) {
        return next.run(request).await;
    }
    let key = match read_key(key) {
        Ok(key) => key,
        Err(fault) => return fault.into_response(),
    };
    perform(app, caller, key, request, next).await.unwrap_or_else(IntoResponse::into_response)
}

fn read_key(key: &HeaderValue) -> Result<String, Fault> {
    let text = key.to_str().ok().filter(|text| !text.is_empty() && text.len() <= LONGEST_KEY);
    let what = || format!("an Idempotency-Key has 1 to {LONGEST_KEY} plain characters");
    text.map(str::to_owned).ok_or_else(|| Fault::new(FaultKind::Invalid, what()))
}

async fn perform(app: App, caller: Caller, key: String, request: Request, next: Next) -> Result<Response, Fault> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, LARGEST_BODY).await.map_err(|error| {
        refused(StatusCode::PAYLOAD_TOO_LARGE, "limit", format!("the body cannot be read: {error}"))
    })?;
    let digest = digest(parts.uri.path(), &body);
    let of = (caller.credential.id.clone(), key);
    loop {
        let running = app.repeats.find(&of);
        match app.engine.begin_reply(&of.0, &of.1, &digest).await? {
            Begun::Answered { status, body } => return Ok(replay(status, body)),
            Begun::Other => {
                let what = "the Idempotency-Key was used for another request".to_owned();
                return Err(Fault::new(FaultKind::Unfit, what).hint("choose a new key for a new request"));
            }
            Begun::First => {
                let request = Request::from_parts(parts, Body::from(body));
                return Ok(finish_in_any_case(app, of, request, next).await);
            }
            Begun::Open { .. } => match running {
                // The first one is still at it, here: its answer is this one's too.
                Some(mut running) => {
                    running.changed().await.ok();
                }
                // It may have ended between the two looks.
                None if app.repeats.find(&of).is_some() => {}
                None => return unknown(&app, &of, &digest).await,
            },
        }
    }
}

/// Looks once more: the first one may have written its answer down just now.
async fn unknown(app: &App, of: &(String, String), digest: &str) -> Result<Response, Fault> {
    if let Begun::Answered { status, body } = app.engine.begin_reply(&of.0, &of.1, digest).await? {
        return Ok(replay(status, body));
    }
    let what = "the first request with this Idempotency-Key was cut off; nobody knows whether it was done".to_owned();
    Err(Fault::new(FaultKind::Conflict, what).hint("look whether it was done; to do it anew, choose a new key"))
}

async fn finish_in_any_case(app: App, of: (String, String), request: Request, next: Next) -> Response {
    let (done, running) = watch::channel(());
    app.repeats.0.lock().expect("nothing panics while it holds these").insert(of.clone(), running);
    let task = iris_engine::tasks::spawn("reply", async move {
        let response = next.run(request).await;
        let response = remember(&app, &of, response).await;
        app.repeats.0.lock().expect("nothing panics while it holds these").remove(&of);
        drop(done);
        response
    });
    task.await.unwrap_or_else(|_| {
        Fault::new(FaultKind::Internal, "the request was not finished; the log says why".to_owned()).into_response()
    })
}

async fn remember(app: &App, of: &(String, String), response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_ANSWER).await else {
        return Fault::new(FaultKind::Internal, "the answer is too large to be kept".to_owned()).into_response();
    };
    let text = std::str::from_utf8(&body).unwrap_or_default();
    // What was refused has changed nothing, so it may be asked again with the same key. A fault of our own may have.
    let kept = if parts.status.is_client_error() || parts.status == StatusCode::SERVICE_UNAVAILABLE {
        app.engine.forget_reply(&of.0, &of.1).await
    } else {
        app.engine.finish_reply(&of.0, &of.1, parts.status.as_u16(), text).await
    };
    if let Err(error) = kept {
        tracing::warn!(%error, "the answer to a request with a key was not kept");
    }
    Response::from_parts(parts, Body::from(body))
}

fn replay(status: i64, body: String) -> Response {
    let status = u16::try_from(status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("idempotency-replayed", HeaderValue::from_static("true"));
    (status.unwrap_or(StatusCode::OK), headers, body).into_response()
}

fn digest(path: &str, body: &Bytes) -> String {
    let digest = Sha256::new().chain_update(path).chain_update([0]).chain_update(body).finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
