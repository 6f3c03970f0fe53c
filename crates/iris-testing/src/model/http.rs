//! The API's routes: reading a call, and performing what the script says.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{head, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use serde_json::{Value, json};
use uuid::Uuid;

use super::answer::Answer;
use super::attempts::Attempts;
use super::history::Call;
use super::log::{Log, ModelRequest};
use super::script::find_cue;
use super::step::{AnswerStep, Hang, HindranceKind};
use super::stream;

const BODY_LIMIT: usize = 64 * 1024 * 1024;

struct Surroundings {
    log: Arc<Log>,
    attempts: Attempts,
}

pub fn router(log: Arc<Log>) -> Router {
    Router::new()
        // The CLI's first knock at the door, before it has something to say.
        .route("/", head(|| async {}))
        .route("/v1/messages", post(answer))
        .route("/v1/messages/count_tokens", post(count_tokens))
        .fallback(refuse)
        .method_not_allowed_fallback(refuse)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(Arc::new(Surroundings { log, attempts: Attempts::default() }))
}

pub async fn serve(listener: std::net::TcpListener, router: Router) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener from another loop of ours");
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            eprintln!("the model's answers may come late: {error}");
        }
    });
    if let Err(error) = axum::serve(listener, router).await {
        eprintln!("the model ended: {error}");
    }
}

type Sent = Result<Bytes, BytesRejection>;

async fn answer(State(here): State<Arc<Surroundings>>, headers: HeaderMap, body: Sent) -> Response {
    let (call, bytes) = match read(body) {
        Ok(read) => read,
        Err(refusal) => return *refusal,
    };
    let request = ModelRequest::read(&headers, &call, bytes);
    let cue = find_cue(&request.messages);
    let hindrance = here.attempts.next_hindrance(request.session.as_deref(), &cue, call.stream);
    let answer = Answer::compose(&cue.answer, &call, &request.messages);
    here.log.add(request);
    match hindrance {
        Some(kind) => hinder(&kind, &answer),
        None => give(&cue.answer, &answer, call.stream).await,
    }
}

fn hinder(kind: &HindranceKind, answer: &Answer) -> Response {
    match kind {
        HindranceKind::Http { status, headers, message } => with_headers(refusal(*status, message), headers),
        HindranceKind::Cut => events(stream::cut(answer)),
        HindranceKind::BadEvents => events(stream::garbage()),
    }
}

async fn give(step: &AnswerStep, answer: &Answer, is_stream: bool) -> Response {
    tokio::time::sleep(step.delay).await;
    match (step.hang, is_stream) {
        (Some(Hang::AfterStart), true) => events(stream::hanging(answer)),
        // In one piece there is nothing between the headers and the end.
        (Some(_), _) => std::future::pending().await,
        (None, true) => events(stream::whole(answer, step.pause)),
        (None, false) => (request_id(), Json(answer.whole())).into_response(),
    }
}

async fn count_tokens(body: Sent) -> Response {
    match read(body) {
        Ok((call, _)) => Json(json!({"input_tokens": call.input_tokens()})).into_response(),
        Err(refusal) => *refusal,
    }
}

/// The call and its size, or what to answer instead.
fn read(body: Sent) -> Result<(Call, usize), Box<Response>> {
    let body = body.map_err(|error| refusal(error.status().as_u16(), &error.body_text()))?;
    let call =
        serde_json::from_slice(&body).map_err(|error| refusal(400, &format!("the call cannot be read: {error}")))?;
    Ok((call, body.len()))
}

async fn refuse(State(here): State<Arc<Surroundings>>, request: Request) -> Response {
    let asked = format!("{} {}", request.method(), request.uri());
    let refusal = refusal(404, &format!("the scripted model has no {asked}"));
    here.log.add_stray(asked);
    refusal
}

fn events(body: Body) -> Response {
    (request_id(), [(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

fn refusal(status: u16, message: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let error = json!({"type": "error", "error": {"type": error_type(status.as_u16()), "message": message}});
    (status, request_id(), Json::<Value>(error)).into_response()
}

fn error_type(status: u16) -> &'static str {
    match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    }
}

fn request_id() -> [(&'static str, String); 1] {
    [("request-id", format!("req_{}", Uuid::new_v4().simple()))]
}

/// A header that cannot be sent is left out, and said: a script is written by a person.
fn with_headers(mut response: Response, headers: &BTreeMap<String, String>) -> Response {
    for (name, value) in headers {
        match (name.parse::<HeaderName>(), value.parse::<HeaderValue>()) {
            (Ok(name), Ok(value)) => {
                response.headers_mut().insert(name, value);
            }
            _ => eprintln!("the script has a header that cannot be sent: {name}: {value}"),
        }
    }
    response
}
