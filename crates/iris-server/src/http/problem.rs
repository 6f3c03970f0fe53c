//! Faults as problem details. This is the one place where a kind of fault becomes an HTTP status.

use super::request::Why;
use axum::Json;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use iris_api::problem::{CONTENT_TYPE, Closed, Problem};
use iris_core::fault::{FaultKind, in_words};
use iris_core::team::TeamNameError;
use iris_engine::StoreError;
use iris_engine::backup::BackupError;
use iris_engine::halt::HaltError;
use iris_engine::job::JobError;
use iris_engine::question::QuestionError;
use iris_engine::rule::RuleError;
use iris_engine::session::SessionError;
use iris_engine::token::TokenError;
use iris_engine::trust::TrustError;
use iris_engine::turn::cancel::CancelError;
use iris_engine::turn::tell::TellError;

use crate::wire::question::through;

#[derive(Debug)]
pub(crate) struct Fault {
    status: StatusCode,
    kind: String,
    detail: String,
    hint: Option<String>,
    /// Seconds.
    retry_after: Option<u64>,
    /// How a question was closed that somebody wanted to answer.
    closed: Option<Box<Closed>>,
    /// The end of the log, for whoever has a number of another.
    head: Option<i64>,
}

impl Fault {
    pub fn new(kind: FaultKind, detail: String) -> Self {
        let (status, name) = match kind {
            FaultKind::Invalid => (StatusCode::BAD_REQUEST, "invalid"),
            FaultKind::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            FaultKind::Conflict => (StatusCode::CONFLICT, "conflict"),
            FaultKind::Unfit => (StatusCode::UNPROCESSABLE_ENTITY, "unfit"),
            FaultKind::Gone => (StatusCode::GONE, "gone"),
            FaultKind::Limit => (StatusCode::TOO_MANY_REQUESTS, "limit"),
            FaultKind::Unavailable => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
            FaultKind::Unsupported => (StatusCode::NOT_IMPLEMENTED, "unsupported"),
            FaultKind::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        };
        refused(status, name, detail)
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// Its kind, and what there is to say of it in one line.
    pub fn tell(self) -> (String, String) {
        let text = match self.hint {
            Some(hint) => format!("{}; {hint}", self.detail),
            None => self.detail,
        };
        (self.kind, text)
    }

    pub fn head(mut self, head: i64) -> Self {
        self.head = Some(head);
        self
    }

    fn maybe_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

pub(crate) fn refused(status: StatusCode, kind: &str, detail: String) -> Fault {
    Fault { status, kind: kind.to_owned(), detail, hint: None, retry_after: None, closed: None, head: None }
}

pub(crate) fn not_found(what: &str, id: &str) -> Fault {
    let hint = match what {
        "session" => Some("GET /api/sessions lists them"),
        "turn" => Some("GET /api/sessions/{id}/turns lists those of a session"),
        "job" => Some("GET /api/jobs lists them"),
        "route" => Some("GET /api/openapi.json says what there is"),
        "MCP session" => Some("send `initialize` to begin a new one"),
        _ => None,
    };
    Fault::new(FaultKind::NotFound, format!("there is no {what} {id}")).maybe_hint(hint.map(str::to_owned))
}

pub(crate) fn too_large(what: &str) -> Fault {
    refused(StatusCode::PAYLOAD_TOO_LARGE, "limit", format!("the body is not taken: {what}"))
        .hint("send less; what is long can be in a file that the agent reads")
}

/// Where nothing better is known. Nobody is left with only what went wrong.
fn what_helps(kind: &str) -> &'static str {
    match kind {
        "invalid" | "unfit" | "not_found" => DESCRIBED,
        "conflict" | "gone" => "nothing was changed; look how things are now, and decide anew",
        "limit" => "wait a little, then send it again",
        "unavailable" => "send it again in a moment",
        "unsupported" => "another version of Iris may know it; `iris --version` says which this is",
        "unauthorized" | "forbidden" => "`iris token create --help` says what a token can open",
        _ => "the log says more: logs/daemon.log in IRIS_HOME",
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let why = self.status.is_server_error().then(|| Why(self.detail.clone()));
        let problem = Problem {
            type_uri: "about:blank".to_owned(),
            title: self.status.canonical_reason().unwrap_or("Error").to_owned(),
            status: self.status.as_u16(),
            detail: self.detail,
            hint: Some(self.hint.unwrap_or_else(|| what_helps(&self.kind).to_owned())),
            kind: self.kind,
            closed: self.closed.map(|closed| *closed),
            head: self.head,
        };
        let mut response = (self.status, Json(problem)).into_response();
        why.map(|why| response.extensions_mut().insert(why));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<TellError> for Fault {
    fn from(error: TellError) -> Self {
        let mut fault = Self::new(error.kind(), error.to_string()).maybe_hint(error.hint());
        // A limit too, but waiting does not help.
        if matches!(error, TellError::TooLong { .. }) {
            fault.status = StatusCode::PAYLOAD_TOO_LARGE;
        }
        fault
    }
}

impl From<SessionError> for Fault {
    fn from(error: SessionError) -> Self {
        Self::new(error.kind(), error.to_string()).maybe_hint(error.hint())
    }
}
impl From<QuestionError> for Fault {
    fn from(error: QuestionError) -> Self {
        let mut fault = Self::new(error.kind(), error.to_string()).maybe_hint(error.hint());
        if error.closed().is_some() && fault.hint.is_none() {
            fault.hint =
                Some("nothing was changed; `iris inbox`, or GET /api/questions/pending, lists what is open".to_owned());
        }
        if matches!(error, QuestionError::Limited(_)) {
            fault = fault.retry_after(60);
        }
        fault.closed = error.closed().map(|row| {
            let through = row.closed_through.clone().map(through);
            Box::new(Closed { state: row.state.to_string(), by: row.closed_by.clone(), at: row.closed_at, through })
        });
        fault
    }
}

impl From<JobError> for Fault {
    fn from(error: JobError) -> Self {
        Self::new(error.kind(), error.to_string()).maybe_hint(error.hint())
    }
}

impl From<RuleError> for Fault {
    fn from(error: RuleError) -> Self {
        Self::new(error.kind(), error.to_string()).maybe_hint(error.hint())
    }
}
impl From<TrustError> for Fault {
    fn from(error: TrustError) -> Self {
        Self::new(error.kind(), error.to_string()).maybe_hint(error.hint())
    }
}

impl From<TokenError> for Fault {
    fn from(error: TokenError) -> Self {
        Self::new(error.kind(), error.to_string()).maybe_hint(error.hint())
    }
}

impl From<CancelError> for Fault {
    fn from(error: CancelError) -> Self {
        Self::new(error.kind(), error.to_string()).maybe_hint(error.hint())
    }
}

impl From<HaltError> for Fault {
    fn from(error: HaltError) -> Self {
        Self::new(error.kind(), error.to_string()).hint(error.hint())
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::new(error.kind(), error.to_string()).maybe_hint(error.hint().map(str::to_owned))
    }
}

impl From<BackupError> for Fault {
    fn from(error: BackupError) -> Self {
        Self::new(error.kind(), error.to_string()).maybe_hint(error.hint())
    }
}

impl From<TeamNameError> for Fault {
    fn from(error: TeamNameError) -> Self {
        Self::new(FaultKind::Invalid, error.to_string()).hint("GET /api/teams lists them")
    }
}

impl From<JsonRejection> for Fault {
    fn from(rejection: JsonRejection) -> Self {
        // axum knows which status; what it says is about its own types.
        let (status, text) = (rejection.status(), rejection.body_text());
        let why = what_is_wrong(&text);
        match rejection {
            _ if status == StatusCode::PAYLOAD_TOO_LARGE => too_large("it is too long"),
            JsonRejection::JsonDataError(_) => {
                refused(status, "invalid", format!("the body does not fit: {why}")).hint(DESCRIBED)
            }
            JsonRejection::JsonSyntaxError(_) => {
                refused(status, "invalid", format!("the body is not JSON: {why}")).hint(DESCRIBED)
            }
            JsonRejection::MissingJsonContentType(_) => {
                refused(status, "invalid", "the body is not said to be JSON".to_owned())
                    .hint("send it with `Content-Type: application/json`")
            }
            _ => refused(status, "invalid", format!("the body did not come: {why}")).hint("send it again"),
        }
    }
}

impl From<QueryRejection> for Fault {
    fn from(rejection: QueryRejection) -> Self {
        let text = rejection.body_text();
        let hint = match text.split_once("duplicate field `") {
            Some((_, rest)) if rest.starts_with("kind`") => KINDS,
            Some(_) => "give it once",
            None => DESCRIBED,
        };
        Self::new(FaultKind::Invalid, format!("the query does not fit: {}", what_is_wrong(&text))).hint(hint)
    }
}

const KINDS: &str = "give it once; several kinds have commas between them: `kind=turn,question.opened`";
pub(super) const DESCRIBED: &str = "GET /api/openapi.json says what is taken here";

/// Without what was to be done when it went wrong, and without the names of our types.
fn what_is_wrong(text: &str) -> String {
    let why = text.strip_prefix("Failed to ").and_then(|text| text.split_once(": ")).map_or(text, |(_, why)| why);
    in_words(why)
}

/// What answers without a word of its own, or with a word of somebody else's, is put into the same shape.
pub(crate) fn shaped(path: &str, response: Response) -> Response {
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let is_plain = kind.is_empty() || kind.starts_with(b"text/plain");
    if path == "/mcp" || !is_plain || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    match status {
        StatusCode::NOT_FOUND => not_found("route", path).into_response(),
        StatusCode::BAD_REQUEST => {
            let what = format!("the address {path} cannot be read");
            refused(status, "invalid", what).hint("names in it are UTF-8, percent-encoded").into_response()
        }
        _ => response,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;

    /// Whatever goes wrong, and whoever wrote the words for it: there is something to do about it.
    #[tokio::test]
    async fn every_problem_has_a_hint() {
        use FaultKind::{Conflict, Gone, Internal, Invalid, Limit, NotFound, Unavailable, Unfit, Unsupported};
        let kinds = [Conflict, Gone, Internal, Invalid, Limit, NotFound, Unavailable, Unfit, Unsupported];
        let refusals = [(StatusCode::UNAUTHORIZED, "unauthorized"), (StatusCode::FORBIDDEN, "forbidden")];
        let faults = kinds.map(|kind| Fault::new(kind, "x".to_owned())).into_iter();
        let faults = faults.chain(refusals.map(|(status, kind)| refused(status, kind, "x".to_owned())));
        for fault in faults.chain([not_found("thing", "x")]) {
            let kind = fault.kind.clone();
            let body = to_bytes(fault.into_response().into_body(), 10_000).await.expect("a body");
            let problem: Problem = serde_json::from_slice(&body).expect("a problem");
            assert!(problem.hint.is_some_and(|hint| !hint.is_empty()), "{kind}");
        }
    }
}
