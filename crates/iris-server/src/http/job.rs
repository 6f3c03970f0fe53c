//! /api/jobs

mod stream;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::{Extension, Json};
use iris_api::Page;
use iris_api::event::Frame;
use iris_api::job::{Job, StartJobRequest};
use iris_api::question::{AskRequest, AskResponse, Pending};
use iris_core::fault::FaultKind;
use iris_core::id::JobId;
use iris_engine::job::StartJob;
use serde::Deserialize;
use utoipa::IntoParams;

use super::body::Object;
use super::event::last_seen;
use super::problem::{Fault, not_found};
use super::repeat;
use super::{page_after, page_after_id, page_size};
use crate::App;
use crate::auth::Caller;
use crate::connection::outflow::Outflow;
use crate::wire::question as wire;

/// Gives a team a goal; it is worked on to its end
#[utoipa::path(post, path = "/api/jobs", tag = "jobs", request_body = StartJobRequest, responses((status = 200, description = "done", body = Job)))]
pub(crate) async fn start(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Object(request): Object<StartJobRequest>,
) -> Result<Json<Job>, Fault> {
    let start = StartJob {
        team: request.team.parse()?,
        goal: request.goal,
        by: caller.actor(),
        key: repeat::one_key(&headers, request.key)?.map(|given| caller.keys().key(&given)),
        again_of: None,
    };
    Ok(Json(wire::job(app.engine.start_job(start).await?)))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paging {
    /// The `next` of the page before.
    after: Option<String>,
    /// At most this many; 100 if not said, 1000 at most.
    #[param(minimum = 1)]
    limit: Option<i64>,
}

/// The jobs, newest first
#[utoipa::path(get, path = "/api/jobs", tag = "jobs", params(Paging), responses((status = 200, description = "done", body = Page<Job>)))]
pub(crate) async fn list(
    State(app): State<App>,
    paging: Result<Query<Paging>, QueryRejection>,
) -> Result<Json<Page<Job>>, Fault> {
    let Query(paging) = paging?;
    let limit = page_size(paging.limit)?;
    paging.after.as_deref().map(page_after_id).transpose()?;
    let rows = app.engine.list_jobs(paging.after, limit).await?;
    let full = i64::try_from(rows.len()).is_ok_and(|count| count == limit);
    let next = rows.last().filter(|_| full).map(|row| row.id.to_string());
    Ok(Json(Page { items: rows.into_iter().map(wire::job).collect(), next }))
}

/// One job
#[utoipa::path(get, path = "/api/jobs/{id}", tag = "jobs", params(("id" = String, Path, description = "The job")), responses((status = 200, description = "done", body = Job)))]
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<Json<Job>, Fault> {
    Ok(Json(wire::job(app.engine.find_job(&JobId::new(id)).await?)))
}

/// Ends a job: its questions are cancelled and its turns broken off
#[utoipa::path(post, path = "/api/jobs/{id}/stop", tag = "jobs", params(("id" = String, Path, description = "The job")), responses((status = 200, description = "done", body = Job)))]
pub(crate) async fn stop(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<Json<Job>, Fault> {
    Ok(Json(wire::job(app.engine.stop_job(&JobId::new(id), &caller.actor()).await?)))
}

/// Asks a question in a job
#[utoipa::path(post, path = "/api/jobs/{id}/questions", tag = "jobs", params(("id" = String, Path, description = "The job")), request_body = AskRequest, responses((status = 200, description = "done", body = AskResponse)))]
pub(crate) async fn ask(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Object(mut request): Object<AskRequest>,
) -> Result<Json<AskResponse>, Fault> {
    request.key = repeat::one_key(&headers, request.key)?;
    let job = JobId::new(id);
    // An agent asks in the jobs of its own team, and does not learn of others.
    if !caller.credential.kind.is_human() && app.engine.find_job(&job).await?.team.as_str() != caller.party.as_str() {
        return Err(not_found("job", job.as_str()));
    }
    // The same shape, as the rules know it.
    let request = serde_json::to_value(&request).and_then(serde_json::from_value);
    let request = request.map_err(|error| Fault::new(FaultKind::Invalid, error.to_string()))?;
    Ok(Json(wire::ask(&app.engine.ask_in_job(&job, &caller.keys(), &request).await?)))
}

/// All questions of a job, oldest first
#[utoipa::path(get, path = "/api/jobs/{id}/questions", tag = "jobs", params(("id" = String, Path, description = "The job")), responses((status = 200, description = "done", body = Pending)))]
pub(crate) async fn questions(State(app): State<App>, Path(id): Path<String>) -> Result<Json<Pending>, Fault> {
    let listed = app.engine.list_job_questions(&JobId::new(id)).await?;
    let questions = listed.rows.into_iter().map(|row| wire::question(&app.engine, row)).collect();
    Ok(Json(Pending { questions, more: listed.more }))
}

/// What happens in a job, as a stream: `question_asked`, `question_answered`, `status`, and everything else as `event`
#[utoipa::path(get, path = "/api/jobs/{id}/events", tag = "jobs", params(
    ("id" = String, Path, description = "The job"),
    ("after" = Option<i64>, Query, description = "Only events with higher numbers; all of the job's if not said"),
), responses((status = 200, description = "done", content((Frame = "text/event-stream")))))]
pub(crate) async fn events(
    State(app): State<App>,
    Path(id): Path<String>,
    outflow: Option<Extension<Outflow>>,
    headers: HeaderMap,
    after: Result<Query<After>, QueryRejection>,
) -> Result<Response, Fault> {
    let Query(After { after }) = after?;
    page_after(after)?;
    let job = app.engine.find_job(&JobId::new(id)).await?;
    Ok(stream::follow(app, outflow.unwrap_or_default().0, &job, last_seen(&headers)?.or(after)))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct After {
    after: Option<i64>,
}
