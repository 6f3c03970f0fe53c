//! Where figures and traces go: `/metrics` reads the figures, and a collector gets both if the config names one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use iris_engine::config::TelemetryConfig;
use iris_engine::figures::Ids;
use opentelemetry::global;
use opentelemetry::trace::{SpanId, TraceId};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{MetricExporter, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator, SdkTracerProvider};
use prometheus::Registry;

use crate::failure::Failure;

/// Kept as long as the daemon lives; what is not sent yet is sent at its end.
pub struct Telemetry {
    meters: SdkMeterProvider,
    tracers: Option<SdkTracerProvider>,
    pub registry: Registry,
}

const SEND_WITHIN: Duration = Duration::from_secs(10);
/// Of what is left at the end, while somebody waits for that.
const LAST_WITHIN: Duration = Duration::from_secs(2);

pub fn start(config: &TelemetryConfig) -> Result<Telemetry, Failure> {
    let registry = Registry::new();
    let about = Resource::builder()
        .with_service_name("iris")
        .with_attribute(opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    let about = about.build();
    let failed = |error: String| {
        Failure::invalid(format!("telemetry cannot be set up: {error}"))
            .hint("telemetry.otlp in config.yaml is the address of a collector, such as http://127.0.0.1:4318")
    };
    let exporter = opentelemetry_prometheus::exporter().with_registry(registry.clone()).build();
    let exporter = exporter.map_err(|error| failed(error.to_string()))?;
    let mut meters = SdkMeterProvider::builder().with_resource(about.clone()).with_reader(exporter);
    let mut tracers = None;
    if let Some(collector) = &config.otlp {
        let base = collector.trim_end_matches('/');
        let client = Collector::new(config);
        let figures = MetricExporter::builder()
            .with_http()
            .with_http_client(client.clone())
            .with_timeout(SEND_WITHIN)
            .with_endpoint(format!("{base}/v1/metrics"))
            .build()
            .map_err(|error| failed(error.to_string()))?;
        meters = meters.with_reader(PeriodicReader::builder(figures).with_interval(config.interval.duration()).build());
        let spans = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_timeout(SEND_WITHIN)
            .with_endpoint(format!("{base}/v1/traces"))
            .build()
            .map_err(|error| failed(error.to_string()))?;
        let provider = SdkTracerProvider::builder()
            .with_resource(about)
            .with_id_generator(TurnIds(RandomIdGenerator::default()))
            .with_batch_exporter(spans)
            .build();
        global::set_tracer_provider(provider.clone());
        tracers = Some(provider);
    }
    let meters = meters.build();
    global::set_meter_provider(meters.clone());
    Ok(Telemetry { meters, tracers, registry })
}

impl Telemetry {
    /// Sends what is left, both at once. A collector that does not answer is waited for a little, not longer.
    pub async fn finish(self) {
        let Self { meters, tracers: Some(tracers), .. } = self else { return };
        tracing::info!("sending the last traces and figures to the collector of telemetry.otlp");
        // The SDK has limits of its own for some of this, and none for the rest.
        let spans = tokio::task::spawn_blocking(move || tracers.shutdown());
        let figures = tokio::task::spawn_blocking(move || meters.shutdown());
        let sent = tokio::time::timeout(LAST_WITHIN, async { tokio::join!(spans, figures) }).await;
        let Ok((Ok(Ok(())), Ok(Ok(())))) = sent else {
            return tracing::warn!("the last traces and figures were not taken by the collector of telemetry.otlp");
        };
    }
}

/// A turn's span is named after the turn.
#[derive(Debug)]
struct TurnIds(RandomIdGenerator);

impl IdGenerator for TurnIds {
    fn new_trace_id(&self) -> TraceId {
        Ids::next().map_or_else(|| self.0.new_trace_id(), |ids| ids.trace)
    }

    fn new_span_id(&self) -> SpanId {
        Ids::next().map_or_else(|| self.0.new_span_id(), |ids| ids.span)
    }
}

/// Exporters send from threads of their own, where no runtime is; this one has the daemon's.
#[derive(Clone, Debug)]
struct Collector {
    http: reqwest::Client,
    runtime: tokio::runtime::Handle,
    headers: Vec<(String, String)>,
    /// The last thing that was sent did not arrive.
    is_away: Arc<AtomicBool>,
}

impl Collector {
    fn new(config: &TelemetryConfig) -> Self {
        // Somebody else may have chosen already, which is as good.
        rustls::crypto::ring::default_provider().install_default().ok();
        let http = reqwest::Client::builder().no_proxy().timeout(SEND_WITHIN).build();
        Self {
            http: http.expect("the provider was chosen just now"),
            runtime: tokio::runtime::Handle::current(),
            headers: config.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            is_away: Arc::default(),
        }
    }

    /// Said once, and again when it is there: it is tried with every interval.
    fn note(&self, went_wrong: Option<String>) {
        match (went_wrong, &*self.is_away) {
            (Some(why), is_away) if !is_away.swap(true, Ordering::Relaxed) => {
                tracing::warn!(%why, "the collector of telemetry.otlp takes nothing; traces and figures of this time are lost to it");
            }
            (None, is_away) if is_away.swap(false, Ordering::Relaxed) => {
                tracing::info!("the collector of telemetry.otlp takes what it is sent again");
            }
            _ => {}
        }
    }
}

#[async_trait::async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let mut sent = self.http.post(request.uri().to_string());
        for (name, value) in request.headers() {
            sent = sent.header(name, value);
        }
        for (name, value) in &self.headers {
            sent = sent.header(name, value);
        }
        let sent = sent.body(request.into_body());
        let answered = self.runtime.spawn(async move {
            let response = sent.send().await?;
            let status = response.status();
            Ok::<_, reqwest::Error>((status, response.bytes().await?))
        });
        let answered = answered.await?;
        self.note(match &answered {
            Ok((status, _)) => (!status.is_success()).then(|| format!("it answers {status}")),
            // Without its address, which may hold a login.
            Err(error) => Some(in_full(error)),
        });
        let (status, body) = answered?;
        Ok(Response::builder().status(status).body(body)?)
    }
}

fn in_full(error: &reqwest::Error) -> String {
    let causes = std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
