//! /api/agents

use axum::extract::State;
use axum::{Extension, Json};
use iris_api::status::StopResponse;

use super::problem::Fault;
use crate::App;
use crate::auth::Caller;

/// Ends every agent, within ten seconds, and withdraws what waits
#[utoipa::path(post, path = "/api/agents/stop", tag = "agents", responses((status = 200, description = "done", body = StopResponse)))]
pub(crate) async fn stop(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
) -> Result<Json<StopResponse>, Fault> {
    let halted = app.engine.stop_everything(&caller.actor()).await?;
    let withdrawn = halted.withdrawn.iter().map(ToString::to_string).collect();
    Ok(Json(StopResponse { agents: halted.agents, withdrawn }))
}
