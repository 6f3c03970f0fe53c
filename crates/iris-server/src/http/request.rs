//! Every request: numbered, measured and said in the log.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{Extensions, HeaderName, HeaderValue};
use axum::response::Response;
use opentelemetry::metrics::Histogram;
use opentelemetry::{KeyValue, global};

use crate::connection::visit::Visit;

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

/// Not the same after a restart, and nothing about the process: strangers are told it too.
fn number() -> String {
    static START: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{:x}-{}", *START, NEXT.fetch_add(1, Ordering::Relaxed))
}

/// How a request is called in the log, for whoever writes there on its behalf. It is an extension of the request.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(pub Arc<str>);

impl RequestId {
    pub fn of(extensions: &Extensions) -> Option<Arc<str>> {
        extensions.get::<Self>().map(|id| Arc::clone(&id.0))
    }
}

/// Why a request was not served, in an extension of its answer: not all of it is for whoever asked to know.
#[derive(Clone, Debug)]
pub(crate) struct Why(pub String);

/// A request that is being served.
pub(crate) struct Noted {
    number: Arc<str>,
    method: &'static str,
    route: Option<MatchedPath>,
    visit: Option<Arc<Visit>>,
    began: Instant,
}

impl Noted {
    pub fn begin(request: &mut Request) -> Self {
        let number: Arc<str> = number().into();
        let extensions = request.extensions_mut();
        extensions.insert(RequestId(Arc::clone(&number)));
        let (route, visit) = (extensions.get::<MatchedPath>().cloned(), extensions.get::<Arc<Visit>>().cloned());
        let method = match request.method().as_str() {
            "GET" => "GET",
            "HEAD" => "HEAD",
            "POST" => "POST",
            "DELETE" => "DELETE",
            // Anybody can make up more.
            _ => "_OTHER",
        };
        Self { number, method, route, visit, began: Instant::now() }
    }

    /// By route, never by path: names in paths are without number.
    pub fn end(self, response: &mut Response) {
        let Self { number, method, route, visit, began } = self;
        let route = route.as_ref().map_or("none", MatchedPath::as_str);
        let (took, status) = (began.elapsed(), response.status());
        let credential = || visit.and_then(|visit| visit.credential());
        if status.is_server_error() {
            let why = response.extensions_mut().remove::<Why>().map(|why| why.0);
            let credential = credential();
            tracing::warn!(request = %number, method, route, status = status.as_u16(), credential, ?took, why, "failed");
        } else {
            tracing::debug!(request = %number, method, route, status = status.as_u16(), credential = credential(), ?took, "answered");
        }
        response.headers_mut().insert(REQUEST, HeaderValue::from_str(&number).expect("digits are plain"));
        let of = [
            KeyValue::new("http.request.method", method),
            KeyValue::new("http.route", route.to_owned()),
            KeyValue::new("http.response.status_code", i64::from(status.as_u16())),
        ];
        durations().record(took.as_secs_f64(), &of);
    }
}
