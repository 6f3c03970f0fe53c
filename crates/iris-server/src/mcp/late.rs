//! Answers that take their time. Where there is no session the library says nothing, not even a header, before it has
//! something to say; clients give a silent connection up after five minutes, and so cancel what they asked for. An answer
//! that is there soon is one piece of JSON; for one that is not, a stream is begun that says now and then that it is alive.

use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use tokio::time::{Interval, interval};
use tokio_util::sync::CancellationToken;

use crate::accept::liking;

/// How long an answer is waited for, and how often a stream then says that it is alive.
#[derive(Clone, Copy)]
pub(super) struct Pace {
    soon: Duration,
    signs: Duration,
}

/// Most calls are answered sooner, and one piece of JSON costs less. Signs of life are as many as in the library's own streams.
pub(super) const PACE: Pace = Pace { soon: Duration::from_secs(2), signs: Duration::from_secs(15) };
pub(super) const STREAM: &str = "text/event-stream";

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// The answer itself, or a stream that will bring it. Dropped, either is what a client does who wants it no more.
pub(super) async fn answer<F>(pace: Pace, request: Request, handle: impl FnOnce(Request) -> F) -> Response
where
    F: Future<Output = Response> + Send + 'static,
{
    if !takes_stream(request.headers()) {
        return handle(request).await;
    }
    let (request, is_read) = noticed(request);
    let mut answering: Answering = Box::pin(handle(request));
    tokio::select! {
        response = &mut answering => response,
        () = async { is_read.cancelled().await; tokio::time::sleep(pace.soon).await } => later(answering, pace),
    }
}

/// The second is cancelled when the body has been read: before that the time is the client's, and what is wrong with it has a
/// status of its own.
fn noticed(request: Request) -> (Request, CancellationToken) {
    let is_read = CancellationToken::new();
    let unread = is_read.clone().drop_guard();
    let request = request.map(|body| {
        Body::from_stream(body.into_data_stream().inspect(move |_| {
            let _ = &unread;
        }))
    });
    (request, is_read)
}

pub(super) fn takes_stream(headers: &HeaderMap) -> bool {
    liking(headers, STREAM) > 0.0
}

enum Late {
    Waiting(Answering, Interval),
    /// The library has begun a stream after all, with progress for instance.
    Passing(BodyDataStream),
}

fn later(answering: Answering, pace: Pace) -> Response {
    let late = Late::Waiting(answering, interval(pace.signs));
    let pieces = stream::unfold(Some(late), |late| async move {
        let (mut answering, mut signs) = match late? {
            Late::Waiting(answering, signs) => (answering, signs),
            Late::Passing(mut pieces) => {
                let piece = pieces.next().await?;
                return Some((piece, Some(Late::Passing(pieces))));
            }
        };
        tokio::select! {
            response = &mut answering => begun(response).await,
            // The first is at once.
            _ = signs.tick() => Some((Ok(Bytes::from_static(b":\n\n")), Some(Late::Waiting(answering, signs)))),
        }
    });
    let headers = [(header::CONTENT_TYPE, STREAM), (header::CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(pieces)).into_response()
}

/// The first piece of what the library says, and what follows it. What is no message of the protocol has no place in a
/// stream: there is none but when the daemon ends, and whoever waits is told of that (`asked`).
async fn begun(response: Response) -> Option<(Result<Bytes, axum::Error>, Option<Late>)> {
    let kind = response.headers().get(header::CONTENT_TYPE).map(|kind| kind.as_bytes().to_vec()).unwrap_or_default();
    if kind.starts_with(STREAM.as_bytes()) {
        let mut pieces = response.into_body().into_data_stream();
        let piece = pieces.next().await?;
        return Some((piece, Some(Late::Passing(pieces))));
    }
    if !kind.starts_with(b"application/json") {
        return None;
    }
    // JSON as it is written here has no line breaks, so it is one line of data, and one piece.
    let said = match to_bytes(response.into_body(), usize::MAX).await {
        Ok(said) => said,
        Err(error) => return Some((Err(error), None)),
    };
    Some((Ok([b"data: ", &said[..], b"\n\n"].concat().into()), None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Json;
    use axum::http::StatusCode;
    use serde_json::json;

    /// So much longer than any pause of a busy machine, that what is soon and what is late are told apart.
    const QUICK: Pace = Pace { soon: Duration::from_millis(300), signs: Duration::from_secs(60) };
    const LATE: Duration = Duration::from_millis(900);
    const BOTH: &str = "application/json, text/event-stream";
    const JSON: &str = "application/json";

    fn asked(accept: &str) -> Request {
        let request = Request::builder().header(header::ACCEPT, accept);
        request.body(Body::from("{}")).expect("a request")
    }

    /// Reads what was sent, and is done after a while.
    async fn done_after(request: Request, time: Duration, response: Response) -> Response {
        to_bytes(request.into_body(), 100).await.expect("a body");
        tokio::time::sleep(time).await;
        response
    }

    async fn check(accept: &str, time: Duration, response: Response, kind: &str, said: &str) {
        let answer = answer(QUICK, asked(accept), move |request| done_after(request, time, response)).await;
        assert_eq!(answer.headers()[header::CONTENT_TYPE], kind, "{accept}, {time:?}");
        let body = to_bytes(answer.into_body(), 1000).await.expect("a body");
        assert_eq!(String::from_utf8_lossy(&body), said, "{accept}, {time:?}");
    }

    fn result() -> Response {
        Json(json!({"id": 1})).into_response()
    }

    fn begun() -> Response {
        ([(header::CONTENT_TYPE, STREAM)], "data: a\n\n").into_response()
    }

    #[tokio::test]
    async fn what_takes_long_is_a_stream_for_whoever_takes_one() {
        check(BOTH, Duration::ZERO, result(), JSON, "{\"id\":1}").await;
        check(JSON, LATE, result(), JSON, "{\"id\":1}").await;
        check("application/json, text/event-stream;q=0", LATE, result(), JSON, "{\"id\":1}").await;
        check(BOTH, LATE, result(), STREAM, ":\n\ndata: {\"id\":1}\n\n").await;
        check(BOTH, Duration::ZERO, begun(), STREAM, "data: a\n\n").await;
        check(BOTH, LATE, begun(), STREAM, ":\n\ndata: a\n\n").await;
        check(BOTH, LATE, "the daemon ends".into_response(), STREAM, ":\n\n").await;
    }

    #[tokio::test]
    async fn a_stream_says_that_it_lives() {
        let pace = Pace { signs: Duration::from_millis(20), ..QUICK };
        let answer = answer(pace, asked(BOTH), |request| done_after(request, LATE, result())).await;
        let body = to_bytes(answer.into_body(), 1000).await.expect("a body");
        assert!(body.starts_with(b":\n\n:\n\n:\n\n") && body.ends_with(b"\n\ndata: {\"id\":1}\n\n"), "{body:?}");
    }

    #[tokio::test]
    async fn the_time_begins_when_all_was_sent() {
        let slowly = stream::once(async {
            tokio::time::sleep(LATE).await;
            Ok::<_, axum::Error>(Bytes::from_static(b"{"))
        });
        let request = asked(BOTH).map(|_| Body::from_stream(slowly));
        let wrong = (StatusCode::BAD_REQUEST, Json(json!({"id": null}))).into_response();
        let answer = answer(QUICK, request, |request| done_after(request, Duration::ZERO, wrong)).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    }
}
