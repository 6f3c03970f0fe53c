//! /api/sessions

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::{Extension, Json};
use iris_api::Page;
use iris_api::session::{Removed, Session};
use iris_core::id::SessionId;
use iris_engine::{Record, SessionRow};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::problem::{Fault, not_found};
use super::team::known as known_team;
use super::{page_after_id, page_size};
use crate::auth::Caller;
use crate::{App, wire};

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Filter {
    /// Only those of this team.
    team: Option<String>,
    /// The `next` of the page before.
    #[serde(default)]
    after: String,
    /// At most this many; 100 if not said, 1000 at most.
    #[param(minimum = 1)]
    limit: Option<i64>,
}

/// The sessions, of all teams or of one
#[utoipa::path(get, path = "/api/sessions", tag = "sessions", params(Filter), responses((status = 200, description = "done", body = Page<Session>)))]
pub(crate) async fn list(
    State(app): State<App>,
    filter: Result<Query<Filter>, QueryRejection>,
) -> Result<Json<Page<Session>>, Fault> {
    let Query(filter) = filter?;
    let team = match filter.team {
        Some(name) => Some(known_team(&app, &name).await?),
        None => None,
    };
    let limit = page_size(filter.limit)?;
    if !filter.after.is_empty() {
        page_after_id(&filter.after)?;
    }
    let rows = app.engine.list_sessions(team.as_ref(), &filter.after, limit).await?;
    let full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
    let next = if full { rows.last().map(|row| row.id.to_string()) } else { None };
    Ok(Json(Page { items: seen(&app, &rows).await?, next }))
}

/// One session
#[utoipa::path(get, path = "/api/sessions/{id}", tag = "sessions", params(("id" = String, Path, description = "The session")), responses((status = 200, description = "done", body = Session)))]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<Json<Session>, Fault> {
    let row = app.engine.find_session(&SessionId::new(id.as_str())).await?;
    let row = row.ok_or_else(|| not_found("session", &id))?;
    let mut shown = seen(&app, &[row]).await?;
    shown.pop().map(Json).ok_or_else(|| not_found("session", &id))
}

/// These sessions, each with what the log says of it.
pub(super) async fn seen(app: &App, rows: &[SessionRow]) -> Result<Vec<Session>, Fault> {
    let seen = app.engine.see_sessions(rows).await?;
    Ok(rows.iter().zip(&seen).map(|(row, seen)| wire::session_seen(&app.engine, row, seen)).collect())
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Removing {
    /// `forget`: what was asked and decided in it, and its events, go too. They are kept if not said.
    #[param(inline)]
    record: Option<Forget>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Forget {
    Forget,
}

/// Forgets a session and everything that was said in it
#[utoipa::path(delete, path = "/api/sessions/{id}", tag = "sessions", params(("id" = String, Path, description = "The session"), Removing), responses((status = 200, description = "done", body = Removed)))]
pub(crate) async fn remove(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    how: Result<Query<Removing>, QueryRejection>,
) -> Result<Json<Removed>, Fault> {
    let record = how?.0.record.map_or(Record::Kept, |Forget::Forget| Record::Forgotten);
    let turns = app.engine.delete_session(&SessionId::new(id), &caller.actor(), record).await?;
    Ok(Json(Removed { turns }))
}

/// Forgets the recorded turns of a session; its agent still remembers
#[utoipa::path(delete, path = "/api/sessions/{id}/cache", tag = "sessions", params(("id" = String, Path, description = "The session")), responses((status = 200, description = "done", body = Removed)))]
pub(crate) async fn clear_cache(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<Json<Removed>, Fault> {
    let turns = app.engine.clear_cache(&SessionId::new(id), &caller.actor()).await?;
    Ok(Json(Removed { turns }))
}
