//! /metrics: the figures as Prometheus reads them.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use iris_core::fault::FaultKind;
use prometheus::proto::MetricFamily;
use prometheus::{Encoder, IntGaugeVec, Opts, TextEncoder, core::Collector};

use super::problem::Fault;
use super::question::A_WEEK;
use crate::App;
use crate::wire::question::{ALERTS, figures};

/// The figures, as Prometheus reads them
#[utoipa::path(get, path = "/metrics", tag = "daemon", operation_id = "metrics", responses((status = 200, description = "done", body = String, content_type = "text/plain")))]
pub(crate) async fn show(State(app): State<App>) -> Result<Response, Fault> {
    let failed =
        |error: prometheus::Error| Fault::new(FaultKind::Internal, format!("the figures cannot be written: {error}"));
    let mut text = Vec::new();
    let mut all = app.registry.gather();
    all.extend(alerts(&app).await.map_err(failed)?);
    TextEncoder::new().encode(&all, &mut text).map_err(failed)?;
    Ok(([(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)], text).into_response())
}

/// What is wrong with questions, of the same week as in /api/questions/figures. Nothing while the database cannot be read:
/// the other figures say so.
async fn alerts(app: &App) -> Result<Vec<MetricFamily>, prometheus::Error> {
    let Ok(found) = app.engine.question_figures(A_WEEK).await else { return Ok(Vec::new()) };
    let about = "1 while something is wrong with questions: too many without an answer, or one that waits too long";
    let gauge = IntGaugeVec::new(Opts::new("iris_questions_alert", about), &["kind"])?;
    let raised = figures(A_WEEK, &found).alerts;
    for kind in ALERTS {
        gauge.with_label_values(&[kind]).set(i64::from(raised.iter().any(|alert| alert.kind == kind)));
    }
    Ok(gauge.collect())
}
