//! /api/stream: the same events by WebSocket, for clients that cannot read SSE.
//!
//! Each message is `{"type":"event",…}`, `{"type":"delta",…}` or, first, `{"type":"reset",…}`. What a client sends is not
//! read, beyond pings and goodbyes.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Query, State};
use axum::response::Response;
use futures_util::StreamExt;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, stream, stream::SplitStream};

use super::follow::{Follower, Item};
use super::{Filter, StreamFilter, why_dropped};
use crate::App;
use crate::auth::{Caller, NO_LONGER_GOOD};
use crate::connection::outflow::{Outflow, STALLED};
use crate::connection::visit::Visit;
use crate::http::problem::{Fault, refused};
use crate::http::request::RequestId;

/// A client has nothing to say here that is longer.
const LARGEST_MESSAGE: usize = 4096;
/// A browser names it beside its word, and wants to be told which of the two it was.
const PROTOCOL: &str = "iris";
const PING_EVERY: Duration = Duration::from_secs(20);
/// Nothing was heard for this long, not even the answer to a ping: nobody is there.
const SILENT: Duration = Duration::from_secs(50);
/// One that has stalled may take this long to hear why it ends; then the connection's own patience is over.
const LAST_WORD_STALLED: Duration = Duration::from_secs(9);
/// How long whoever is told that it ends may take to hear it and to say goodbye too.
const LAST_WORD: Duration = Duration::from_secs(2);
/// Whose credential is good no longer is gone within a second.
const LAST_WORD_REVOKED: Duration = Duration::from_millis(500);

/// The log as it grows, by WebSocket
#[utoipa::path(
    get,
    path = "/api/stream",
    tag = "events",
    params(StreamFilter),
    responses((status = 101, description = "messages follow: `type` is `event` or `delta`; `reset` first, \
     with `asked` and `head`, if the number `after` is not of this log: read anew what you know, and go on from `head`"))
)]
pub(crate) async fn open(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Extension(id): Extension<RequestId>,
    visit: Option<Extension<Arc<Visit>>>,
    outflow: Option<Extension<Outflow>>,
    filter: Result<Query<StreamFilter>, QueryRejection>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Fault> {
    let filter = Filter::from(filter?.0).resolved(&app).await?;
    let upgrade = upgrade.map_err(|rejection| {
        refused(rejection.status(), "invalid", rejection.body_text())
            .hint("connect with a WebSocket, or read /api/events")
    })?;
    let follower = Follower::new(app, filter, None);
    let outflow = outflow.unwrap_or_default().0;
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(LARGEST_MESSAGE).max_frame_size(LARGEST_MESSAGE);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let _visit = visit;
        let (mut sink, mut heard) = socket.split();
        let goodbye = tokio::select! {
            goodbye = speak(&mut sink, &outflow, follower, &caller.credential.id, &id) => goodbye,
            goodbye = listen(&mut heard, &outflow) => goodbye,
            () = caller.credential.ended() => {
                Goodbye::of(close_code::POLICY, NO_LONGER_GOOD, LAST_WORD_REVOKED)
            }
        };
        tracing::debug!(request = %id.0, credential = caller.credential.id, why = %goodbye.why, "a socket ends");
        // Whoever is gone need not be told, and whose credential is good no longer is not waited for.
        tokio::select! {
            _ = tokio::time::timeout(goodbye.within, part(&mut sink, &mut heard, goodbye)) => {}
            () = async { caller.credential.ended().await; tokio::time::sleep(LAST_WORD_REVOKED).await } => {}
        }
        if outflow.is_behind() && !caller.credential.is_good() {
            outflow.cut();
        }
    }))
}

/// Why it ends. A code is for a reader that does not know it yet.
struct Goodbye {
    why: Cow<'static, str>,
    code: Option<u16>,
    within: Duration,
}

impl Goodbye {
    fn of(code: u16, why: impl Into<Cow<'static, str>>, within: Duration) -> Self {
        Self { why: why.into(), code: Some(code), within }
    }
}

/// Both sides say that it ends, and then it does.
async fn part(sink: &mut SplitSink<WebSocket, Message>, heard: &mut SplitStream<WebSocket>, goodbye: Goodbye) {
    if let Some(code) = goodbye.code {
        let frame = CloseFrame { code, reason: goodbye.why.as_ref().into() };
        sink.send(Message::Close(Some(frame))).await.ok();
    }
    // The answer to a goodbye that was heard is waiting in there already.
    sink.close().await.ok();
    while let Some(Ok(_)) = heard.next().await {}
}

async fn speak(
    sink: &mut SplitSink<WebSocket, Message>,
    outflow: &Outflow,
    mut follower: Follower,
    credential: &str,
    id: &RequestId,
) -> Goodbye {
    let mut pings = tokio::time::interval(PING_EVERY);
    loop {
        let messages = tokio::select! {
            items = follower.next() => match items {
                Some(items) => items.into_iter().map(|item| Message::text(shape(&item))).collect(),
                None => return Goodbye::of(close_code::RESTART, "the daemon ends", LAST_WORD),
            },
            _ = pings.tick() => vec![Message::Ping(Default::default())],
        };
        // All that there is to say at one time goes out as one piece.
        let mut messages = stream::iter(messages.into_iter().map(Ok));
        tokio::select! {
            sent = sink.send_all(&mut messages) => if sent.is_err() {
                return Goodbye { why: "the reader is gone".into(), code: None, within: LAST_WORD };
            },
            () = outflow.stalled() => {
                tracing::info!(request = %id.0, credential, "a reader took nothing for {} s and was dropped", STALLED.as_secs());
                // It is behind what was not taken, so it arrives only if the reader wakes up now.
                return Goodbye::of(close_code::POLICY, why_dropped(), LAST_WORD_STALLED);
            }
        }
    }
}

async fn listen(heard: &mut SplitStream<WebSocket>, outflow: &Outflow) -> Goodbye {
    let gone = |why: &'static str| Goodbye { why: why.into(), code: None, within: LAST_WORD };
    loop {
        match tokio::time::timeout(SILENT, heard.next()).await {
            // The library has no other word for it.
            Ok(Some(Err(error))) if error.to_string().contains("too long") => {
                let why = format!("nothing longer than {LARGEST_MESSAGE} bytes is taken here, and nothing is read");
                return Goodbye::of(close_code::SIZE, why, LAST_WORD);
            }
            Ok(Some(Ok(Message::Close(_)) | Err(_)) | None) => return gone("the reader left"),
            Ok(Some(Ok(_))) => {}
            // A ping is behind what it has to take first.
            Err(_) if outflow.is_behind() => {}
            Err(_) => return gone("the reader was silent"),
        }
    }
}

/// The shapes of SSE, with their name inside.
fn shape(item: &Item) -> String {
    let (kind, json): (_, &str) = match item {
        Item::Event { json, .. } => ("event", json),
        Item::Delta { json } => ("delta", json),
        Item::Reset { json, .. } => ("reset", json),
    };
    // Both are objects that are not empty.
    format!("{{\"type\":\"{kind}\",{}", &json[1..])
}
