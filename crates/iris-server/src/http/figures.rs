//! /metrics: the figures as Prometheus reads them.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use iris_core::fault::FaultKind;
use prometheus::{Encoder, TextEncoder};

use super::problem::Fault;
use crate::App;

pub(crate) async fn show(State(app): State<App>) -> Result<Response, Fault> {
    let mut text = Vec::new();
    TextEncoder::new()
        .encode(&app.registry.gather(), &mut text)
        .map_err(|error| Fault::new(FaultKind::Internal, format!("the figures cannot be written: {error}")))?;
    Ok(([(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)], text).into_response())
}
