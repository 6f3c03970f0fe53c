//! The routes: one file per noun. This is their table of contents.

mod agent;
mod event;
pub(crate) mod problem;
mod question;
mod session;
mod status;
mod team;
mod turn;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{delete, get, post};
use iris_engine::turn::tell::LONGEST_MESSAGE;

use crate::App;

/// A message in JSON may be six times as long as its text, if every character of it has to be escaped.
const LARGEST_BODY: usize = 6 * LONGEST_MESSAGE + 64 * 1024;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/api/status", get(status::show))
        .route("/api/backup", post(status::back_up))
        .route("/api/agents/stop", post(agent::stop))
        .route("/api/teams", get(team::list))
        .route("/api/teams/tell", post(turn::tell))
        .route("/api/teams/{name}/status", get(team::show))
        .route("/api/teams/{name}/wake", post(team::wake))
        .route("/api/teams/{name}/sleep", post(team::sleep))
        .route("/api/teams/{name}/cancel", post(team::cancel))
        .route("/api/teams/{name}/fork", post(team::fork))
        .route("/api/teams/{name}/trust", get(team::trust).post(team::grant_trust).delete(team::revoke_trust))
        .route("/api/questions/pending", get(question::pending))
        .route("/api/questions/{id}/answer", post(question::answer))
        .route("/api/sessions", get(session::list))
        .route("/api/sessions/{id}", get(session::show).delete(session::remove))
        .route("/api/sessions/{id}/turns", get(turn::list))
        .route("/api/sessions/{id}/cache", delete(session::clear_cache))
        .route("/api/turns/{id}", get(turn::show))
        .route("/api/turns/{id}/messages", get(turn::messages))
        .route("/api/turns/{id}/cancel", post(turn::cancel))
        .route("/api/events", get(event::list))
        .fallback(nowhere)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
}

async fn nowhere(uri: axum::http::Uri) -> problem::Fault {
    problem::not_found("route", uri.path())
}

/// The only open route: says that there is a daemon, and nothing else.
pub(crate) async fn health() -> &'static str {
    "ok"
}

const PAGE: i64 = 100;
const LARGEST_PAGE: i64 = 1000;

fn page_size(asked: Option<i64>) -> i64 {
    asked.unwrap_or(PAGE).clamp(1, LARGEST_PAGE)
}
