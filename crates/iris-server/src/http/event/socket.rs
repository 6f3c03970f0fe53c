//! /api/stream: the same events by WebSocket, for clients that cannot read SSE.
//!
//! Each message is `{"type":"event",…}` or `{"type":"delta",…}`. What a client sends is not read, beyond pings and goodbyes.

use std::time::Duration;

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::extract::{Query, State};
use axum::response::Response;
use futures_util::StreamExt;
use futures_util::stream::SplitSink;
use futures_util::{SinkExt, stream::SplitStream};

use super::Filter;
use super::follow::{Follower, Item};
use crate::App;
use crate::auth::Caller;
use crate::http::problem::{Fault, refused};

/// A client has nothing to say here that is longer.
const LARGEST_MESSAGE: usize = 4096;
const PING_EVERY: Duration = Duration::from_secs(20);
/// Nothing was heard for this long, not even the answer to a ping: nobody is there.
const SILENT: Duration = Duration::from_secs(50);
/// A reader that takes nothing for this long has stalled.
const STALLED: Duration = Duration::from_secs(20);

/// The log as it grows, by WebSocket
#[utoipa::path(
    get,
    path = "/api/stream",
    tag = "events",
    params(Filter),
    responses((status = 101, description = "messages follow: `type` is `event` or `delta`"))
)]
pub(crate) async fn open(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    filter: Result<Query<Filter>, QueryRejection>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Fault> {
    let Query(filter) = filter?;
    let upgrade = upgrade.map_err(|rejection| {
        refused(rejection.status(), "invalid", rejection.body_text())
            .hint("connect with a WebSocket, or read /api/events")
    })?;
    let follower = Follower::new(app, filter, None);
    Ok(upgrade.max_message_size(LARGEST_MESSAGE).on_upgrade(move |socket| async move {
        let (sink, heard) = socket.split();
        let why = tokio::select! {
            why = speak(sink, follower) => why,
            why = listen(heard) => why,
            () = caller.credential.ended() => "the credential is good no longer",
        };
        tracing::debug!(credential = caller.credential.id, why, "a socket ends");
    }))
}

async fn speak(mut sink: SplitSink<WebSocket, Message>, mut follower: Follower) -> &'static str {
    let mut pings = tokio::time::interval(PING_EVERY);
    loop {
        let message = tokio::select! {
            item = follower.next() => match item {
                Some(item) => Message::text(shape(item)),
                None => {
                    let frame = CloseFrame { code: close_code::RESTART, reason: "the daemon ends".into() };
                    // Whoever is gone need not be told.
                    sink.send(Message::Close(Some(frame))).await.ok();
                    return "the daemon ends";
                }
            },
            _ = pings.tick() => Message::Ping(Default::default()),
        };
        match tokio::time::timeout(STALLED, sink.send(message)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return "the reader is gone",
            Err(_) => {
                tracing::info!("a reader took nothing for {} s and was dropped", STALLED.as_secs());
                return "the reader has stalled";
            }
        }
    }
}

async fn listen(mut heard: SplitStream<WebSocket>) -> &'static str {
    loop {
        match tokio::time::timeout(SILENT, heard.next()).await {
            Ok(Some(Ok(Message::Close(_)) | Err(_)) | None) => return "the reader left",
            Ok(Some(Ok(_))) => {}
            Err(_) => return "the reader was silent",
        }
    }
}

/// The shapes of SSE, with their name inside.
fn shape(item: Item) -> String {
    let (kind, json) = match item {
        Item::Event { json, .. } => ("event", json),
        Item::Delta { json } => ("delta", json),
    };
    // Both are objects that are not empty.
    format!("{{\"type\":\"{kind}\",{}", &json[1..])
}
