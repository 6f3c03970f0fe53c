//! What is left of a request that nobody reads to its end. A connection that is closed with something unread in it is reset,
//! and a client that is still sending never hears why it was refused. So the rest is taken and thrown away, for a while.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use futures_util::StreamExt;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::header::EXPECT;
use iris_engine::tasks;

use super::visit::Visit;
use crate::http::LARGEST_BODY;

/// What somebody sends whom we know: more than may be sent, so that it can be said that it is too much.
const MOST: usize = 2 * LARGEST_BODY;
const MOST_OF_STRANGERS: usize = LARGEST_BODY / 4;
const WITHIN: Duration = Duration::from_secs(3);

/// The body of a request. Dropped before its end, the rest is thrown away.
pub(super) struct Sent {
    body: Option<Incoming>,
    /// The client waits to be told to send it, and was not.
    is_held_back: bool,
    visit: Arc<Visit>,
}

impl Sent {
    pub fn of(request: hyper::Request<Incoming>, visit: &Arc<Visit>) -> hyper::Request<Self> {
        let is_held_back = request.headers().contains_key(EXPECT);
        request.map(|body| Self { body: Some(body), is_held_back, visit: Arc::clone(visit) })
    }
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.is_held_back = false;
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(SizeHint::default, HttpBody::size_hint)
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        // The connection of a daemon that has ended needs no good end.
        if self.is_end_stream() || self.is_held_back || tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        let most = if self.visit.credential().is_some() { MOST } else { MOST_OF_STRANGERS };
        if let Some(body) = self.body.take() {
            // Nobody waits for it: it ends by itself, with the connection at the latest.
            drop(tasks::spawn("rest of a request", tokio::time::timeout(WITHIN, throw_away(body, most))));
        }
    }
}

async fn throw_away(body: Incoming, most: usize) {
    let mut pieces = axum::body::Body::new(body).into_data_stream();
    let mut bytes = 0;
    while bytes <= most
        && let Some(Ok(piece)) = pieces.next().await
    {
        bytes += piece.len();
    }
}
