//! /api/status and /api/backup

use std::path::PathBuf;

use axum::Json;
use axum::extract::State;
use iris_api::status::{
    BackupRequest, BackupResponse, ConfigStatus, ContainmentStatus, EffectiveConfig, PendingSetting, Status,
    StoreStatus,
};
use iris_core::fault::FaultKind;
use iris_engine::config::Pending;
use iris_engine::{Holds, StoreHealth};

use super::body::Object;
use super::problem::Fault;
use crate::App;

/// How the daemon is
#[utoipa::path(get, path = "/api/status", tag = "daemon", responses((status = 200, description = "done", body = Status)))]
pub(crate) async fn show(State(app): State<App>) -> Json<Status> {
    let status = app.engine.status();
    Json(Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        node: status.node,
        machine: status.machine,
        home: app.engine.home().root().display().to_string(),
        database: status.database.to_owned(),
        store: match status.store {
            StoreHealth::Well => StoreStatus::Well,
            StoreHealth::Troubled { what, hint, since_ms } => {
                StoreStatus::Troubled { what, hint: hint.map(str::to_owned), since: since_ms }
            }
        },
        agents: status.agents,
        max_agents: status.max_agents,
        waiting_sessions: status.waiting_sessions,
        newest_event: status.head,
        containment: match status.containment {
            Holds::Cgroup { group } => ContainmentStatus::Cgroup { group: group.display().to_string() },
            Holds::Sweep { why } => ContainmentStatus::Sweep { why },
        },
        config: config_status(&app),
        uptime_ms: i64::try_from(app.started.elapsed().as_millis()).unwrap_or(i64::MAX),
    })
}

/// Copies the database while it is in use
#[utoipa::path(post, path = "/api/backup", tag = "daemon", request_body = BackupRequest, responses((status = 200, description = "done", body = BackupResponse)))]
pub(crate) async fn back_up(
    State(app): State<App>,
    Object(request): Object<BackupRequest>,
) -> Result<Json<BackupResponse>, Fault> {
    let path = PathBuf::from(request.path);
    if !path.is_absolute() {
        let what = format!("'{}' is not an absolute path", path.display());
        let hint = "the daemon has a folder of its own: give the whole path, beginning with /";
        return Err(Fault::new(FaultKind::Invalid, what).hint(hint));
    }
    let made = app.engine.back_up(path).await?;
    Ok(Json(BackupResponse { path: made.path.display().to_string(), bytes: made.bytes, schema: made.manifest.schema }))
}

/// The config in force: every key with its value, secrets masked
#[utoipa::path(get, path = "/api/config", tag = "daemon", responses((status = 200, description = "done", body = EffectiveConfig)))]
pub(crate) async fn config(State(app): State<App>) -> Json<EffectiveConfig> {
    Json(EffectiveConfig {
        file: app.engine.home().config().display().to_string(),
        status: config_status(&app),
        config: app.engine.config().shown(),
    })
}

fn config_status(app: &App) -> ConfigStatus {
    let state = app.engine.config_state();
    let (refused, refused_at) = state.refused_as_it_is().cloned().unzip();
    let pending = |Pending { key, now, next }| PendingSetting { key, now, next };
    let pending = state.pending.into_iter().map(pending).collect();
    let (waiting_since, waiting_for) = state.waiting.map(|(since, what)| (since, what.as_str().to_owned())).unzip();
    ConfigStatus { refused, refused_at, waiting_since, waiting_for, pending }
}
