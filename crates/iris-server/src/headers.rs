//! Headers that hold for every answer.

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use iris_api::problem::CONTENT_TYPE;
use iris_core::hex::hex;
use sha2::{Digest, Sha256};

/// Nothing but our own files is loaded, run or framed, whatever ends up in a page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
                      connect-src 'self'; manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; \
                      base-uri 'none'; form-action 'self'";

const GUARDS: [(HeaderName, &str); 5] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

pub(crate) fn guard(response: &mut Response) {
    let headers = response.headers_mut();
    for (name, value) in GUARDS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // What is said here is for whoever asked, now. A file that never changes says otherwise itself.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// A browser writes into its console, as an error of the page, every answer that is not a success: also one that the page
/// expects, as of two who answer at once one gets. A page that asks for it has refusals as 200, with their status beside it.
pub(crate) struct Quiet(bool);

impl Quiet {
    pub fn of(request: &Request) -> Self {
        Self(request.headers().contains_key(iris_api::QUIET))
    }

    pub fn put(self, response: &mut Response) {
        let is_problem = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == CONTENT_TYPE);
        if self.0 && is_problem {
            let status = std::mem::replace(response.status_mut(), StatusCode::OK);
            response.headers_mut().insert(HeaderName::from_static(iris_api::STATUS), status.as_u16().into());
        }
    }
}

/// Answers larger than this are not worth being hashed.
const LARGEST_TAGGED: u64 = 512 * 1024;

/// Whoever has an answer already and asks whether it still holds is told so in one line.
pub(crate) struct Tagging {
    asked: Option<HeaderValue>,
    is_get: bool,
}

impl Tagging {
    pub fn of(request: &Request) -> Self {
        Self { asked: request.headers().get(header::IF_NONE_MATCH).cloned(), is_get: request.method() == Method::GET }
    }

    pub async fn tag(self, response: Response) -> Response {
        let size = axum::body::HttpBody::size_hint(response.body()).exact();
        let is_small = size.is_some_and(|size| size <= LARGEST_TAGGED);
        let is_tagged = response.headers().contains_key(header::ETAG);
        if !self.is_get || !is_small || is_tagged || response.status() != StatusCode::OK {
            return response;
        }
        tagged(self.asked, response).await
    }
}

async fn tagged(asked: Option<HeaderValue>, response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, usize::try_from(LARGEST_TAGGED).unwrap_or(usize::MAX)).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let digest = hex(&Sha256::digest(&body)[..12]);
    // Weak: compression makes other bytes of the same answer.
    let tag = HeaderValue::from_str(&format!("W/\"{digest}\"")).expect("hex is plain");
    let is_same = asked.is_some_and(|asked| {
        asked.to_str().is_ok_and(|asked| asked.split(',').any(|asked| asked.trim().as_bytes() == tag.as_bytes()))
    });
    parts.headers.insert(header::ETAG, tag);
    parts.headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    if is_same {
        parts.status = StatusCode::NOT_MODIFIED;
        parts.headers.remove(header::CONTENT_LENGTH);
        return Response::from_parts(parts, Body::empty());
    }
    Response::from_parts(parts, Body::from(body))
}
