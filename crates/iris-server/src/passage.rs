//! What every request passes, from the outside in. It is one layer round the router and not ten: each layer of axum's copies
//! all that is within it for every request, and of ten a hundred copies were counted.

use axum::body::{Body, HttpBody};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::convert::Infallible;
use std::time::Duration;
use tower::ServiceExt;
use tower_http::compression::Compression;
use tower_http::timeout::TimeoutBody;

use crate::auth::Caller;
use crate::http::request::Noted;
use crate::http::{self, problem, repeat};
use crate::{App, auth, headers};

/// A client that is sending something may pause for this long.
const BODY_PAUSE: Duration = Duration::from_secs(30);

pub(crate) async fn pass(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let quiet = headers::Quiet::of(&request);
    let noted = Noted::begin(&mut request);
    let inside = |request| serve(&app, request, next);
    let past_the_door = |request| auth::require(&app, request, inside);
    let mut response = auth::cors::allow(&app, request, past_the_door).await;
    headers::guard(&mut response);
    noted.end(&mut response);
    quiet.put(&mut response);
    response
}

/// Whoever gets here may.
async fn serve(app: &App, request: Request, next: Next) -> Response {
    let packing = Packing::of(&request);
    let tagging = headers::Tagging::of(&request);
    let path = request.uri().path().to_owned();
    let caller = request.extensions().get::<Caller>().cloned();
    let response = match http::announced(&request) {
        Err(fault) => fault.into_response(),
        Ok(most) => problem::shaped(&path, repeat::once(app, prepared(request, most), next).await),
    };
    let response = tagging.tag(response).await;
    let response = match caller {
        Some(caller) => app.loads.count_answer(&caller, response).await,
        None => response,
    };
    packing.pack(response).await
}

/// With bounds to how long its body may be, and may take.
fn prepared(mut request: Request, most: usize) -> Request {
    DefaultBodyLimit::max(most).apply(&mut request);
    if request.body().is_end_stream() {
        return request;
    }
    request.map(|body| Body::new(TimeoutBody::new(BODY_PAUSE, body)))
}

/// Whether an answer is compressed.
struct Packing {
    accepted: Option<HeaderValue>,
    /// What may be kept by somebody on the way says that it depends on what was accepted.
    may_be_kept: bool,
}

impl Packing {
    fn of(request: &Request) -> Self {
        Self {
            accepted: request.headers().get(header::ACCEPT_ENCODING).cloned(),
            may_be_kept: matches!(*request.method(), Method::GET | Method::HEAD),
        }
    }

    async fn pack(self, response: Response) -> Response {
        if self.accepted.is_none() && !self.may_be_kept {
            return response;
        }
        let mut asked = Request::new(Body::empty());
        self.accepted.map(|accepted| asked.headers_mut().insert(header::ACCEPT_ENCODING, accepted));
        let mut answer = Some(response);
        let given =
            tower::service_fn(move |_| std::future::ready(Ok::<_, Infallible>(answer.take().unwrap_or_default())));
        match Compression::new(given).gzip(true).oneshot(asked).await {
            Ok(packed) => packed.map(Body::new),
            Err(never) => match never {},
        }
    }
}
