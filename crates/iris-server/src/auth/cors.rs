//! Pages of other origins that `server.allowedOrigins` names: their browsers are told that they may ask and read. All other
//! origins are told nothing. Cookies do not count there: no answer allows credentials, so such a page sends a token.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::host::Allowed;
use crate::App;

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, DELETE");
/// What a page may send. `Iris-Csrf` is not among them: it is for our own.
const HEADERS: HeaderValue = HeaderValue::from_static(
    "authorization, content-type, accept, idempotency-key, if-none-match, last-event-id, mcp-session-id, \
     mcp-protocol-version, mcp-method, mcp-name",
);
/// What it may read, beside what every page may.
const EXPOSED: HeaderValue =
    HeaderValue::from_static("x-request-id, etag, retry-after, idempotency-replayed, www-authenticate, mcp-session-id");
/// How long a browser need not ask again, in seconds.
const REMEMBERED: HeaderValue = HeaderValue::from_static("600");

pub(crate) async fn allow<F>(app: &App, request: Request, next: impl FnOnce(Request) -> F) -> Response
where
    F: Future<Output = Response>,
{
    let config = app.engine.config();
    let server = &config.server;
    if server.allowed_origins.is_empty() {
        return next(request).await;
    }
    let allowed = Allowed { hosts: &server.allowed_hosts, origins: &server.allowed_origins, tls: app.is_secure };
    let origin = named(&allowed, request.headers());
    let mut response = match &origin {
        // A browser asks before the page does, without its token; nothing is done, and nothing told.
        Some(_) if is_asked_first(&request) => {
            let told = [
                (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
                (header::ACCESS_CONTROL_ALLOW_HEADERS, HEADERS),
                (header::ACCESS_CONTROL_MAX_AGE, REMEMBERED),
            ];
            (StatusCode::NO_CONTENT, told).into_response()
        }
        _ => next(request).await,
    };
    let headers = response.headers_mut();
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
    response
}

/// The origin, if it is in the list and the request is for this daemon.
fn named(allowed: &Allowed<'_>, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    let is_named = allowed.names(origin.to_str().ok()?) && allowed.check(headers).is_ok();
    is_named.then(|| origin.clone())
}

fn is_asked_first(request: &Request) -> bool {
    const METHOD: HeaderName = header::ACCESS_CONTROL_REQUEST_METHOD;
    request.method() == Method::OPTIONS && request.headers().contains_key(METHOD)
}
