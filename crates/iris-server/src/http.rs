//! The routes: one file per noun. This is their table of contents.

mod agent;
mod body;
pub(crate) mod event;
pub(crate) mod figures;
mod job;
pub(crate) mod openapi;
pub(crate) mod problem;
mod question;
pub(crate) mod repeat;
pub(crate) mod request;
mod rule;
mod session;
mod status;
pub(crate) mod team;
mod token;
mod turn;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use iris_engine::turn::tell::LONGEST_MESSAGE;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::auth::table;
use crate::{App, dashboard};
use iris_core::fault::FaultKind;
use problem::Fault;

/// A message in JSON may be six times as long as its text, if every character of it has to be escaped.
pub(crate) const LARGEST_BODY: usize = 6 * LONGEST_MESSAGE + 64 * 1024;

/// What somebody may send whom nobody knows yet.
const LARGEST_CODE: usize = 1024;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(openapi::head())
        .routes(routes!(health))
        .routes(routes!(figures::show))
        .routes(routes!(openapi::description))
        .routes(routes!(status::show))
        .routes(routes!(status::back_up))
        .routes(routes!(status::config))
        .routes(routes!(agent::stop))
        .routes(routes!(team::list))
        .routes(routes!(turn::tell))
        .routes(routes!(team::show))
        .routes(routes!(team::wake))
        .routes(routes!(team::sleep))
        .routes(routes!(team::cancel))
        .routes(routes!(team::fork))
        .routes(routes!(team::trust, team::grant_trust, team::revoke_trust))
        .routes(routes!(question::pending))
        .routes(routes!(question::figures))
        .routes(routes!(question::decided))
        .routes(routes!(question::show))
        .routes(routes!(question::answer))
        .routes(routes!(question::edit))
        .routes(routes!(question::cancel))
        .routes(routes!(rule::list))
        .routes(routes!(rule::revoke))
        .routes(routes!(job::list, job::start))
        .routes(routes!(job::show))
        .routes(routes!(job::stop))
        .routes(routes!(job::questions, job::ask))
        .routes(routes!(job::events))
        .routes(routes!(session::list))
        .routes(routes!(session::show, session::remove))
        .routes(routes!(session::clear_cache))
        .routes(routes!(turn::list))
        .routes(routes!(turn::figures))
        .routes(routes!(turn::show))
        .routes(routes!(turn::messages))
        .routes(routes!(turn::cancel))
        .routes(routes!(event::list))
        .routes(routes!(event::socket::open))
        .routes(routes!(token::me))
        .routes(routes!(token::list, token::create))
        .routes(routes!(token::revoke))
        .routes(routes!(token::link))
        .routes(routes!(token::log_out))
        .routes(routes!(token::is_signed_in, token::log_in))
        .fallback(nowhere)
}

/// How much may be sent. Whoever says that it is going to send more need not send it to hear so.
pub(crate) fn announced(request: &Request) -> Result<usize, problem::Fault> {
    let length: Option<usize> =
        request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let is_login = request.uri().path() == "/api/login";
    let most = if is_login { LARGEST_CODE } else { LARGEST_BODY };
    match length {
        Some(length) if length > most => {
            Err(problem::too_large(&format!("it has {length} bytes; at most {most} are taken")))
        }
        _ => Ok(most),
    }
}

async fn nowhere(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if dashboard::is_for_people(&method, uri.path(), &headers) {
        return dashboard::page_elsewhere(uri.path()).await;
    }
    problem::not_found("route", uri.path()).into_response()
}

/// What is said of a route that has no row for this method. One that has none at all is not there.
pub(crate) fn shut(request: &Request) -> Response {
    let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let (allowed, path) = (matched.map(table::methods).unwrap_or_default(), request.uri().path());
    if allowed.is_empty() {
        return problem::not_found("route", path).into_response();
    }
    let what = format!("{path} does not take {}", request.method());
    let fault = problem::refused(StatusCode::METHOD_NOT_ALLOWED, "invalid", what);
    ([(header::ALLOW, allowed)], fault.hint("GET /api/openapi.json says what there is")).into_response()
}

/// That there is a daemon, and nothing else
#[utoipa::path(get, path = "/health", tag = "daemon", responses((status = 200, description = "`ok`", body = String, content_type = "text/plain")))]
pub(crate) async fn health() -> &'static str {
    "ok"
}

const PAGE: i64 = 100;
/// How much a page holds at most, beyond one that is larger.
const PAGE_BYTES: usize = 8 * 1024 * 1024;
const LARGEST_PAGE: i64 = 1000;

fn page_size(asked: Option<i64>) -> Result<i64, Fault> {
    match asked {
        Some(none @ ..1) => Err(Fault::new(FaultKind::Invalid, format!("a page of {none} holds nothing"))
            .hint(format!("ask for a `limit` of 1 to {LARGEST_PAGE}, or leave it out for {PAGE}"))),
        asked => Ok(asked.unwrap_or(PAGE).min(LARGEST_PAGE)),
    }
}

/// Where a page begins that goes by ids. It need not be there any more.
fn page_after_id(asked: &str) -> Result<(), Fault> {
    match uuid::Uuid::try_parse(asked) {
        Ok(_) => Ok(()),
        Err(_) => Err(Fault::new(FaultKind::Invalid, format!("'{asked}' is not the `next` of a page"))
            .hint("send the `next` of the page before as `after`, or leave it out to begin with the first")),
    }
}

/// Where a page begins: the number of something, or 0 for the first of all.
fn page_after(asked: Option<i64>) -> Result<i64, Fault> {
    match asked {
        Some(none @ ..0) => Err(Fault::new(FaultKind::Invalid, format!("nothing has the number {none}"))
            .hint("send the `next` of the page before as `after`, or leave it out to begin with the first")),
        asked => Ok(asked.unwrap_or(0)),
    }
}
