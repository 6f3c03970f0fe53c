//! /api/teams/tell, /api/turns, and the turns of a session

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue};
use axum::{Extension, Json};
use iris_api::Page;
use iris_api::turn::{Message, TellRequest, TellResponse, Turn, TurnCancelled, TurnFigures};
use iris_core::duration::Millis;
use iris_core::fault::FaultKind;
use iris_core::id::{SessionId, TurnId};
use iris_engine::turn::cancel::Cancelled;
use iris_engine::turn::read::{Most, Side};
use iris_engine::turn::tell::{DEFAULT_TIMEOUT_MS, Patience, Tell};
use iris_engine::wall_ms;
use serde::Deserialize;
use utoipa::IntoParams;

use super::body::Object;
use super::problem::{Fault, not_found};
use super::repeat;
use super::request::RequestId;
use super::{PAGE_BYTES, page_after, page_size};
use crate::auth::Caller;
use crate::speaker::speaker;
use crate::{App, wire};

/// Tells a team something, and waits for the answer as long as `timeout` says
#[utoipa::path(post, path = "/api/teams/tell", tag = "turns", request_body = TellRequest, responses((status = 200, description = "done", body = TellResponse)))]
pub(crate) async fn tell(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Extension(id): Extension<RequestId>,
    headers: HeaderMap,
    Object(request): Object<TellRequest>,
) -> Result<(HeaderMap, Json<TellResponse>), Fault> {
    let key = repeat::one_key(&headers, request.key)?;
    let speaker = speaker(&app, &caller, &headers, request.from_team.as_deref()).await?;
    let tell = Tell {
        from: speaker.party,
        through: Some(caller.through()),
        voice: speaker.voice,
        to: request.to_team.parse()?,
        text: request.message,
        patience: Patience::from_millis(request.timeout.unwrap_or(DEFAULT_TIMEOUT_MS))?,
        key: key.map(|given| caller.keys().key(&given)),
        delay: request.delay.map(Millis),
        within: speaker.turn,
        follower: follower(&headers).map(str::to_owned),
    };
    let report = app.engine.tell_for(Some(&id.0), tell, |_| {}).await?;
    let mut headers = HeaderMap::new();
    if report.is_repeated {
        headers.insert(repeat::REPLAYED, HeaderValue::from_static("true"));
    }
    Ok((headers, Json(wire::tell(report))))
}

/// The name under which whoever sends this follows what it tells.
pub(super) fn follower(headers: &HeaderMap) -> Option<&str> {
    headers.get(iris_api::FOLLOWS).and_then(|name| name.to_str().ok())
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paging {
    /// The `next` of the page before.
    #[param(minimum = 0)]
    after: Option<i64>,
    /// At most this many; 100 if not said, 1000 at most. A page of large ones has fewer, and a `next`.
    #[param(minimum = 1)]
    limit: Option<i64>,
}

/// The turns of a session, oldest first
#[utoipa::path(get, path = "/api/sessions/{id}/turns", tag = "turns", params(("id" = String, Path, description = "The session"), Paging), responses((status = 200, description = "done", body = Page<Turn>)))]
pub(crate) async fn list(
    State(app): State<App>,
    Path(id): Path<String>,
    paging: Result<Query<Paging>, QueryRejection>,
) -> Result<Json<Page<Turn>>, Fault> {
    let (Query(paging), session) = (paging?, SessionId::new(id.as_str()));
    let (after, limit) = (page_after(paging.after)?, page_size(paging.limit)?);
    if app.engine.find_session(&session).await?.is_none() {
        return Err(not_found("session", &id));
    }
    let (rows, has_more) = app.engine.page_of_turns(&session, after, a_page(limit)).await?;
    let next = rows.last().filter(|_| has_more).map(|row| row.number.to_string());
    let waits = app.engine.waits_of(&rows).await?;
    let items = rows.into_iter().zip(&waits).map(|(row, waits)| wire::turn(row, waits.as_ref()));
    Ok(Json(Page { items: items.collect(), next }))
}

/// One turn
#[utoipa::path(get, path = "/api/turns/{id}", tag = "turns", params(("id" = String, Path, description = "The turn")), responses((status = 200, description = "done", body = Turn)))]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<Json<Turn>, Fault> {
    let row = app.engine.find_turn(&TurnId::new(id.as_str())).await?;
    let row = row.ok_or_else(|| not_found("turn", &id))?;
    let waits = app.engine.waits_of(std::slice::from_ref(&row)).await?.pop().flatten();
    Ok(Json(wire::turn(row, waits.as_ref())))
}

/// A page of messages is read from either end of a turn: a long one is looked at from its end.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct MessagePaging {
    /// The `next` of the page before.
    #[param(minimum = 0)]
    after: Option<i64>,
    /// Instead of `after`, to read towards the oldest: the `next` of such a page, or any number beyond the newest to begin
    /// at the end. Each page is oldest first all the same.
    before: Option<i64>,
    /// At most this many; 100 if not said, 1000 at most. A page of large ones has fewer, and a `next`.
    #[param(minimum = 1)]
    limit: Option<i64>,
}

impl MessagePaging {
    fn side(&self) -> Result<Side, Fault> {
        match (self.after, self.before) {
            (Some(_), Some(_)) => {
                let what = "a page has an `after` or a `before`, not both".to_owned();
                Err(Fault::new(FaultKind::Invalid, what).hint("leave one of them out"))
            }
            (None, Some(before)) => Ok(Side::Before(before)),
            (after, None) => Ok(Side::After(page_after(after)?)),
        }
    }
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Since {
    /// Of the turns that ended since then, in milliseconds since 1970; a day ago if not said.
    since: Option<i64>,
    /// In so many equal pieces of time at most; none if not said, 1000 at most.
    #[param(minimum = 0)]
    slots: Option<i64>,
}

const A_DAY: i64 = 24 * 3_600_000;

/// How turns ended, how long they took and what they cost: in all, by session and over time
#[utoipa::path(get, path = "/api/turns/figures", tag = "turns", params(Since), responses((status = 200, description = "done", body = TurnFigures)))]
pub(crate) async fn figures(
    State(app): State<App>,
    since: Result<Query<Since>, QueryRejection>,
) -> Result<Json<TurnFigures>, Fault> {
    let Query(asked) = since?;
    let since = asked.since.unwrap_or_else(|| wall_ms() - A_DAY).max(0);
    let slots = match asked.slots {
        Some(fewer @ ..0) => {
            let hint = format!("ask for `slots` of 0 to {MOST_SLOTS}, or leave it out for none");
            return Err(Fault::new(FaultKind::Invalid, format!("time has no {fewer} pieces")).hint(hint));
        }
        asked => asked.unwrap_or(0).min(MOST_SLOTS),
    };
    let figures = app.engine.turn_figures(since, slots).await?;
    Ok(Json(wire::turn_figures(since, figures)))
}

const MOST_SLOTS: i64 = 1000;

/// What the agent said and did in a turn
#[utoipa::path(get, path = "/api/turns/{id}/messages", tag = "turns", params(("id" = String, Path, description = "The turn"), MessagePaging), responses((status = 200, description = "done", body = Page<Message>)))]
pub(crate) async fn messages(
    State(app): State<App>,
    Path(id): Path<String>,
    paging: Result<Query<MessagePaging>, QueryRejection>,
) -> Result<Json<Page<Message>>, Fault> {
    let (Query(paging), turn) = (paging?, TurnId::new(id.as_str()));
    let (side, limit) = (paging.side()?, page_size(paging.limit)?);
    if app.engine.find_turn(&turn).await?.is_none() {
        return Err(not_found("turn", &id));
    }
    let (events, has_more) = app.engine.page_of_messages(&turn, side, a_page(limit)).await?;
    let edge = match side {
        Side::After(_) => events.last(),
        Side::Before(_) => events.first(),
    };
    let next = edge.filter(|_| has_more).map(|event| event.seq.to_string());
    // Each is let go when it has been written anew.
    Ok(Json(Page { items: events.into_iter().map(|event| wire::message(&event)).collect(), next }))
}

/// Withdraws a turn that waits, or breaks off one that runs
#[utoipa::path(post, path = "/api/turns/{id}/cancel", tag = "turns", params(("id" = String, Path, description = "The turn")), responses((status = 200, description = "done", body = TurnCancelled)))]
pub(crate) async fn cancel(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<Json<TurnCancelled>, Fault> {
    let cancelled = match app.engine.cancel_turn(&TurnId::new(id), Some(&caller.actor())).await? {
        Cancelled::Withdrawn => "withdrawn",
        Cancelled::Interrupted => "interrupted",
    };
    Ok(Json(TurnCancelled { cancelled: cancelled.to_owned() }))
}

/// As many as were asked for, unless they are large: whoever may read at all could else have the daemon hold gigabytes.
fn a_page(limit: i64) -> Most {
    Most { rows: limit, bytes: PAGE_BYTES, each: usize::MAX }
}
