//! /api/rules

use axum::extract::{Path, State};
use axum::{Extension, Json};
use iris_api::rule::Rules;
use iris_core::id::RuleId;

use super::problem::Fault;
use crate::App;
use crate::auth::Caller;
use crate::wire::question as wire;

/// The rules that hold
#[utoipa::path(get, path = "/api/rules", tag = "rules", responses((status = 200, description = "done", body = Rules)))]
pub(crate) async fn list(State(app): State<App>) -> Result<Json<Rules>, Fault> {
    let rules = app.engine.list_rules().await?;
    Ok(Json(Rules { rules: rules.into_iter().map(wire::rule).collect() }))
}

/// Takes a rule back
#[utoipa::path(delete, path = "/api/rules/{id}", tag = "rules", params(("id" = String, Path, description = "The rule")), responses((status = 200, description = "done", body = Rules)))]
pub(crate) async fn revoke(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(id): Path<String>,
) -> Result<Json<Rules>, Fault> {
    app.engine.revoke_rule(&RuleId::new(id), &caller.actor()).await?;
    list(State(app)).await
}
