//! /api/events and /api/stream: the log as a page of JSON, or as a stream that goes on, by SSE or by WebSocket.

mod follow;
pub(crate) mod socket;

use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::sse::{Event as Frame, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use iris_api::Page;
use iris_api::event::Event;
use iris_core::event::Recorded;
use iris_engine::bus;
use serde::Deserialize;
use utoipa::IntoParams;

use super::page_size;
use super::problem::Fault;
use super::turn::next_page;
use crate::{App, wire};
pub(super) use follow::{Follower, Item};

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Filter {
    /// Only events with higher numbers. A stream without it starts with what happens next.
    after: Option<i64>,
    /// For a page: at most this many; 100 if not said, 1000 at most.
    #[param(minimum = 1)]
    limit: Option<i64>,
    team: Option<String>,
    session: Option<String>,
    turn: Option<String>,
    /// A kind (`turn.finished`) or the noun of several (`turn`).
    kind: Option<String>,
}

impl Filter {
    /// Everything that happens in one session.
    pub(super) fn of_session(session: &str) -> Self {
        Self { after: None, limit: None, team: None, session: Some(session.to_owned()), turn: None, kind: None }
    }

    fn takes(&self, event: &Recorded) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| wanted.is_none() || wanted.as_deref() == found;
        let subject = &event.subject;
        let kind = self.kind.as_deref().is_none_or(|kind| {
            event.kind == kind || event.kind.strip_prefix(kind).is_some_and(|rest| rest.starts_with('.'))
        });
        kind && is(&self.team, subject.team.as_ref().map(|team| team.as_str()))
            && is(&self.session, subject.session.as_ref().map(|session| session.as_str()))
            && is(&self.turn, subject.turn.as_ref().map(|turn| turn.as_str()))
    }

    fn takes_delta(&self, delta: &bus::Delta) -> bool {
        let is = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        self.kind.as_deref().is_none_or(|kind| kind == "message")
            && is(&self.team, delta.team.as_str())
            && is(&self.session, delta.session.as_str())
            && is(&self.turn, delta.turn.as_str())
    }
}

/// The log: a page of JSON, or a stream that goes on if `Accept` is `text/event-stream`
#[utoipa::path(
    get,
    path = "/api/events",
    tag = "events",
    params(
        Filter,
        ("Last-Event-ID" = Option<i64>, Header, description = "Where a stream goes on; stronger than `after`"),
    ),
    responses((status = 200, description = "done", content(
        (Page<Event> = "application/json"),
        (String = "text/event-stream"),
    )))
)]
pub(crate) async fn list(
    State(app): State<App>,
    headers: HeaderMap,
    filter: Result<Query<Filter>, QueryRejection>,
) -> Result<Response, Fault> {
    let Query(filter) = filter?;
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if accept.contains("text/event-stream") {
        let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
        return Ok(follow(app, filter, last).into_response());
    }
    Ok(page(&app, filter).await?.into_response())
}

/// How many events are looked at for one page. A filter that takes few may give a page that is not full and not last.
const LOOKED_AT: usize = 1000;

async fn page(app: &App, filter: Filter) -> Result<Json<Page<Event>>, Fault> {
    let limit = page_size(filter.limit);
    let wanted = usize::try_from(limit).unwrap_or(LOOKED_AT);
    let mut after = filter.after.unwrap_or(0);
    let mut items = Vec::new();
    // Goes on until the page is full or the log is at its end, so that a rare kind is found in one request.
    loop {
        let events = app.engine.bus().read_after(app.engine.store(), after, LOOKED_AT).await?;
        let seen = events.len();
        for event in &events {
            after = event.seq;
            if filter.takes(event) {
                items.push(wire::event(event));
            }
            if items.len() == wanted {
                return Ok(Json(Page { next: next_page(items.len(), limit, Some(after)), items }));
            }
        }
        if seen < LOOKED_AT {
            return Ok(Json(Page { items, next: None }));
        }
    }
}

pub(super) const HEARTBEAT: Duration = Duration::from_secs(15);

fn follow(app: App, filter: Filter, last: Option<i64>) -> Sse<impl Stream<Item = Result<Frame, Infallible>>> {
    let frames = stream::unfold(Follower::new(app, filter, last), |mut follower| async move {
        let frame = match follower.next().await? {
            Item::Event { seq, json } => Frame::default().id(seq.to_string()).event("event").data(json),
            Item::Delta { json } => Frame::default().event("delta").data(json),
        };
        Some((Ok(frame), follower))
    });
    Sse::new(frames).keep_alive(KeepAlive::new().interval(HEARTBEAT))
}
