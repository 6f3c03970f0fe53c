//! /metrics: the figures as Prometheus reads them; and the figures of the doors themselves.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use iris_core::fault::FaultKind;
use opentelemetry::metrics::Histogram;
use opentelemetry::{KeyValue, global};
use prometheus::{Encoder, TextEncoder};

use super::problem::Fault;
use crate::App;
use crate::connection::visit::Visit;

pub(crate) async fn show(State(app): State<App>) -> Result<Response, Fault> {
    let mut text = Vec::new();
    TextEncoder::new()
        .encode(&app.registry.gather(), &mut text)
        .map_err(|error| Fault::new(FaultKind::Internal, format!("the figures cannot be written: {error}")))?;
    Ok(([(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)], text).into_response())
}

fn durations() -> &'static Histogram<f64> {
    static DURATIONS: OnceLock<Histogram<f64>> = OnceLock::new();
    DURATIONS.get_or_init(|| {
        global::meter("iris")
            .f64_histogram("http.server.request.duration")
            .with_unit("s")
            .with_description("How long requests took, until their answer began")
            .with_boundaries(vec![0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0])
            .build()
    })
}

/// What an answer is called in the log.
const REQUEST: HeaderName = HeaderName::from_static("x-request-id");

/// Not the same after a restart.
fn number() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// By route, never by path: names in paths are without number.
pub(crate) async fn measure(request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let method = match request.method().as_str() {
        known @ ("GET" | "HEAD" | "POST" | "DELETE") => known.to_owned(),
        // Anybody can make up more.
        _ => "_OTHER".to_owned(),
    };
    let visit = request.extensions().get::<Arc<Visit>>().cloned();
    let (began, number) = (Instant::now(), number());
    let mut response = next.run(request).await;
    let took = began.elapsed();
    let status = response.status();
    let credential = visit.and_then(|visit| visit.credential());
    if status.is_server_error() {
        tracing::warn!(request = number, method, route, status = status.as_u16(), credential, ?took, "failed");
    } else {
        tracing::debug!(request = number, method, route, status = status.as_u16(), credential, ?took, "answered");
    }
    response.headers_mut().insert(REQUEST, HeaderValue::from_str(&number).expect("digits are plain"));
    let of = [
        KeyValue::new("http.request.method", method),
        KeyValue::new("http.route", route),
        KeyValue::new("http.response.status_code", i64::from(status.as_u16())),
    ];
    durations().record(took.as_secs_f64(), &of);
    response
}
