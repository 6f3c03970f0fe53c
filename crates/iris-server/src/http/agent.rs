//! /api/agents

use axum::Json;
use axum::extract::State;
use iris_api::status::StopResponse;

use super::problem::Fault;
use crate::App;

/// The kill switch.
pub(crate) async fn stop(State(app): State<App>) -> Result<Json<StopResponse>, Fault> {
    let halted = app.engine.stop_everything().await?;
    let withdrawn = halted.withdrawn.iter().map(ToString::to_string).collect();
    Ok(Json(StopResponse { agents: halted.agents, withdrawn }))
}
