//! Answers of people on their way to whoever asked over MCP. One that was written to the caller's connection is used up:
//! the same words asked again are another question. Only a call that was cut finds its answer when it is made again.
//!
//! A call that ends says nothing about that: in the older revision it ends as well when nobody reads its stream, and the
//! answer may be fetched by another request. So what goes out is looked at.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use iris_core::id::QuestionId;
use iris_engine::Engine;
use serde_json::Value;

/// Longer than a call that was cut may find its answer.
const KEPT: Duration = Duration::from_secs(15 * 60);

/// The questions whose answers were handed to a call and have not been written to a connection yet.
#[derive(Clone, Default)]
pub(super) struct Handed(Arc<Mutex<HashMap<QuestionId, Instant>>>);

impl Handed {
    /// A call ends with this. Nothing, if it is no answer to a question.
    pub(super) fn note(&self, answer: &Value) {
        if let (Some("answered"), Some(id)) = (answer["status"].as_str(), answer["questionId"].as_str()) {
            let mut handed = self.lock();
            // What nobody ever reads is not kept for ever.
            handed.retain(|_, since| since.elapsed() < KEPT);
            handed.insert(QuestionId::new(id), Instant::now());
        }
    }

    /// Those whose answer is in these bytes. A message is one frame, as the library writes it.
    fn take_written(&self, bytes: &[u8]) -> Vec<QuestionId> {
        let mut handed = self.lock();
        if handed.is_empty() {
            return Vec::new();
        }
        let holds = |id: &QuestionId| bytes.windows(id.as_str().len()).any(|window| window == id.as_str().as_bytes());
        handed.extract_if(|id, _| holds(id)).map(|(id, _)| id).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<QuestionId, Instant>> {
        self.0.lock().expect("nothing panics while it holds what was handed out")
    }
}

/// Looks at what goes out.
pub(super) async fn watched(
    State((handed, engine)): State<(Handed, Engine)>,
    request: Request,
    next: Next,
) -> Response {
    next.run(request).await.map(|body| Body::new(Watched { body, handed, engine, held: None }))
}

struct Watched {
    body: Body,
    handed: Handed,
    engine: Engine,
    held: Option<Held>,
}

/// Bytes with an answer, until it is written down that they went out. In this order: whoever reads them may ask the same
/// at once. A connection that is gone asks for no bytes, so the answer to a call that was cut never comes here.
struct Held {
    frame: Option<Frame<Bytes>>,
    noting: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.held.is_none() {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => frame,
                other => return Poll::Ready(other),
            };
            let written = frame.data_ref().map_or_else(Vec::new, |bytes| self.handed.take_written(bytes));
            if written.is_empty() {
                return Poll::Ready(Some(Ok(frame)));
            }
            let engine = self.engine.clone();
            let noting = Box::pin(async move { engine.note_heard(written).await });
            self.held = Some(Held { frame: Some(frame), noting });
        }
        let held = self.held.as_mut().expect("it was put there");
        ready!(held.noting.as_mut().poll(context));
        let frame = held.frame.take();
        self.held = None;
        Poll::Ready(frame.map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.held.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
