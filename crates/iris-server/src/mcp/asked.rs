//! What a request was asked by, and whether it has its answer. Clients of MCP take the end of a stream for no answer, and go on
//! waiting for one: a stream that ends before it, with the daemon, its session or its credential, says so in its place.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use axum::Json;
use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, Extensions, RequestId, ServerJsonRpcMessage};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::late::STREAM;

/// An extension of each request, where whoever reads its message notes the id, and of its answer, for whoever ends that.
#[derive(Clone, Default)]
pub(crate) struct Asked(Arc<State>);

#[derive(Default)]
struct State {
    id: OnceLock<RequestId>,
    is_answered: AtomicBool,
}

/// Why there is no answer: a kind for machines, as in problem details, and words.
pub(crate) type Why<'a> = (&'static str, &'a str);

/// The bridge knows it by its kind, and asks again when there is a daemon.
const CLOSING: Why = (
    "unavailable",
    "Iris is shutting down and does not answer any more; when it is there again (`iris up`), team_report has what came of \
     a tell, and what only reads can be called again",
);

/// Whoever ends a session need not be who waits in it.
const ENDED: Why = (
    "gone",
    "the session was ended with DELETE, and the call with it: what it told is cancelled, and a question stays open; `initialize` \
     begins a new session",
);

impl Asked {
    pub fn by(id: RequestId) -> Self {
        let asked = Self::default();
        asked.0.id.get_or_init(|| id);
        asked
    }

    /// The message of a request has been read.
    pub fn note(extensions: &Extensions, id: &RequestId) {
        if let Some(asked) = extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Self>()) {
            asked.0.id.get_or_init(|| id.clone());
        }
    }

    /// The last frame of a stream that ends here; nothing, if nothing more is waited for in it.
    pub fn last_words(&self, why: Why) -> Option<Bytes> {
        let id = self.0.id.get().filter(|_| !self.0.is_answered.load(Ordering::Relaxed))?;
        let error = serde_json::to_string(&error(why, Some(id.clone()))).expect("a message is plain data");
        Some(format!("data: {error}\n\n").into())
    }

    /// What the library says, and why it says no more if the daemon or the session ends.
    pub fn answered_by(
        self,
        mut response: Response,
        closing: watch::Receiver<bool>,
        ended: Option<CancellationToken>,
    ) -> Response {
        response.extensions_mut().insert(self.clone());
        let kind = response.headers().get(header::CONTENT_TYPE);
        if kind.is_none() && response.status() == StatusCode::INTERNAL_SERVER_ERROR && *closing.borrow() {
            let error = error(CLOSING, self.0.id.get().cloned());
            return (StatusCode::SERVICE_UNAVAILABLE, Json(error)).into_response();
        }
        if !kind.is_some_and(|kind| kind.as_bytes().starts_with(STREAM.as_bytes())) {
            return response;
        }
        response.map(|body| {
            let asked = self.clone();
            let pieces = body.into_data_stream().inspect(move |piece| {
                if piece.as_ref().is_ok_and(|piece| is_answer(piece)) {
                    asked.0.is_answered.store(true, Ordering::Relaxed);
                }
            });
            let end = stream::once(async move {
                let is_ended = ended.is_some_and(|ended| ended.is_cancelled());
                let why = if *closing.borrow() { Some(CLOSING) } else { is_ended.then_some(ENDED) };
                why.and_then(|why| self.last_words(why))
            });
            Body::from_stream(pieces.chain(end.filter_map(async |words| words.map(Ok))))
        })
    }
}

fn error((kind, what): Why, id: Option<RequestId>) -> ServerJsonRpcMessage {
    let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, what.to_owned(), Some(json!({ "kind": kind })));
    ServerJsonRpcMessage::error(error, id)
}

/// Whether there is one in a piece of a stream. A message is one piece, and one line of data.
fn is_answer(piece: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Said {
        id: Option<IgnoredAny>,
        method: Option<IgnoredAny>,
    }
    let mut data = piece.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"data:"));
    data.any(|data| serde_json::from_slice::<Said>(data).is_ok_and(|said| said.id.is_some() && said.method.is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;

    const PROGRESS: &str = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n";
    const QUESTION: &str = "id: 7\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n";
    const ANSWER: &str = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n";
    const REFUSAL: &str = "id: 8\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}\n\n";

    /// How often the end is said of what the library streams.
    async fn check(asked: Asked, said: &str, closing: bool, times: usize) {
        let library = ([(header::CONTENT_TYPE, STREAM)], said.to_owned()).into_response();
        let response = asked.answered_by(library, watch::channel(closing).1, None);
        let body = to_bytes(response.into_body(), 10_000).await.expect("a body");
        let text = String::from_utf8_lossy(&body);
        let rest = text.strip_prefix(said).expect("what was said comes first");
        assert_eq!(rest.matches("\"kind\":\"unavailable\"").count(), times, "{text}");
        assert!(times == 0 || (rest.starts_with("data: {") && rest.contains("\"id\":1")), "{rest}");
    }

    #[tokio::test]
    async fn a_stream_that_ends_with_the_daemon_says_so_if_somebody_waits() {
        let asked = || Asked::by(RequestId::Number(1));
        for (said, times) in [(":\n\n", 1), (PROGRESS, 1), (QUESTION, 1), (ANSWER, 0), (REFUSAL, 0)] {
            check(asked(), said, true, times).await;
            check(asked(), said, false, 0).await;
        }
        check(Asked::default(), PROGRESS, true, 0).await;
    }

    #[tokio::test]
    async fn a_stream_that_ends_with_its_session_says_so_if_somebody_waits() {
        let ended = CancellationToken::new();
        for (is_ended, said, times) in [(false, PROGRESS, 0), (true, PROGRESS, 1), (true, ANSWER, 0)] {
            if is_ended {
                ended.cancel();
            }
            let library = ([(header::CONTENT_TYPE, STREAM)], said).into_response();
            let (asked, closing) = (Asked::by(RequestId::Number(1)), watch::channel(false).1);
            let response = asked.answered_by(library, closing, Some(ended.clone()));
            let body = to_bytes(response.into_body(), 10_000).await.expect("a body");
            assert_eq!(String::from_utf8_lossy(&body).matches("\"kind\":\"gone\"").count(), times, "{said}");
        }
    }

    #[tokio::test]
    async fn what_was_never_begun_is_refused_by_its_id() {
        for (closing, status) in [(true, 503), (false, 500)] {
            let library = StatusCode::INTERNAL_SERVER_ERROR.into_response();
            let response = Asked::by(RequestId::Number(1)).answered_by(library, watch::channel(closing).1, None);
            assert_eq!(response.status(), status);
            let body = to_bytes(response.into_body(), 10_000).await.expect("a body");
            assert_eq!(String::from_utf8_lossy(&body).contains("\"id\":1"), closing);
        }
    }
}
