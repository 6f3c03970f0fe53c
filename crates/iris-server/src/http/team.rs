//! /api/teams

use axum::extract::{Path, State};
use axum::{Extension, Json};
use iris_api::Page;
use iris_api::session::Session;
use iris_api::team::{
    CancelResponse, ForkRequest, PartyRequest, SleepResponse, Team, TeamStatus, Trust, TrustRequest, WakeResponse,
};
use iris_core::fault::FaultKind;
use iris_core::id::Party;
use iris_core::team::TeamName;
use iris_engine::SessionRow;
use iris_engine::config::Config;
use iris_engine::session::{SessionError, Sleep, Woken};

use super::LARGEST_PAGE;
use super::body::Object;
use super::problem::Fault;
use crate::auth::Caller;
use crate::{App, wire};

/// The teams, with how many of their agents are awake
#[utoipa::path(get, path = "/api/teams", tag = "teams", responses((status = 200, description = "done", body = Page<Team>)))]
pub(crate) async fn list(State(app): State<App>) -> Result<Json<Page<Team>>, Fault> {
    // By one config: a team that goes meanwhile is in the list, or not, and no fault of the list.
    let config = app.engine.config();
    let mut items = Vec::new();
    for name in config.teams.keys() {
        let sessions = sessions_of(&app, name).await?;
        items.push(describe(&config, name, &sessions)?);
    }
    Ok(Json(Page { items, next: None }))
}

/// One team and its sessions
#[utoipa::path(get, path = "/api/teams/{name}/status", tag = "teams", params(("name" = String, Path, description = "The team")), responses((status = 200, description = "done", body = TeamStatus)))]
pub(crate) async fn show(State(app): State<App>, Path(name): Path<String>) -> Result<Json<TeamStatus>, Fault> {
    let name: TeamName = name.parse()?;
    let sessions = sessions_of(&app, &name).await?;
    Ok(Json(TeamStatus {
        team: describe(&app.engine.config(), &name, &sessions)?,
        sessions: super::session::seen(&app, &sessions).await?,
    }))
}

/// A team whose past is asked for: one that is configured, or was and has conversations.
pub(super) async fn known(app: &App, name: &str) -> Result<TeamName, Fault> {
    let name: TeamName = name.parse()?;
    let config = app.engine.config();
    if config.teams.contains_key(&name) || !app.engine.list_sessions(Some(&name), "", 1).await?.is_empty() {
        return Ok(name);
    }
    Err(Fault::from(SessionError::from(config.unknown_team(&name))))
}

fn describe(config: &Config, name: &TeamName, sessions: &[SessionRow]) -> Result<Team, Fault> {
    let team = config.teams.get(name);
    let team = team.ok_or_else(|| Fault::from(SessionError::from(config.unknown_team(name))))?;
    Ok(Team {
        name: name.to_string(),
        path: team.path.display().to_string(),
        agent: team.agent.as_str().to_owned(),
        description: team.description.clone(),
        color: team.color.clone(),
        awake: sessions.iter().filter(|session| session.state.is_live()).count(),
        sessions: sessions.len(),
        queued: sessions.iter().map(|session| session.queued).sum(),
    })
}

/// All sessions of a team, page by page.
async fn sessions_of(app: &App, team: &TeamName) -> Result<Vec<SessionRow>, Fault> {
    let mut all: Vec<SessionRow> = Vec::new();
    loop {
        let after = all.last().map(|session| session.id.to_string()).unwrap_or_default();
        let page = app.engine.list_sessions(Some(team), &after, LARGEST_PAGE).await?;
        let last = page.len() < usize::try_from(LARGEST_PAGE).unwrap_or(usize::MAX);
        all.extend(page);
        if last {
            return Ok(all);
        }
    }
}

/// Starts the agent before it is needed
#[utoipa::path(post, path = "/api/teams/{name}/wake", tag = "teams", params(("name" = String, Path, description = "The team")), request_body = Option<PartyRequest>, responses((status = 200, description = "done", body = WakeResponse)))]
pub(crate) async fn wake(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    body: Option<Object<PartyRequest>>,
) -> Result<Json<WakeResponse>, Fault> {
    let (team, request) = (name.parse()?, given(body));
    let woken = app.engine.wake(&party(&caller, &request), &team).await?;
    let Woken { session, was_awake, was_held } = woken;
    Ok(Json(WakeResponse { session: wire::session(&app.engine, &session), was_awake, was_held }))
}

/// Ends the agent; the conversation is kept
#[utoipa::path(post, path = "/api/teams/{name}/sleep", tag = "teams", params(("name" = String, Path, description = "The team")), request_body = Option<PartyRequest>, responses((status = 200, description = "done", body = SleepResponse)))]
pub(crate) async fn sleep(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    body: Option<Object<PartyRequest>>,
) -> Result<Json<SleepResponse>, Fault> {
    let (team, request) = (name.parse()?, given(body));
    let how = if request.force { Sleep::Now } else { Sleep::WhenIdle };
    let mut stopped = 0;
    for session in chosen(&app, &caller, &team, &request).await? {
        stopped += usize::from(app.engine.sleep(&session.id, how).await?);
    }
    Ok(Json(SleepResponse { stopped }))
}

/// Breaks off what the team is doing for the party, and withdraws what waits
#[utoipa::path(post, path = "/api/teams/{name}/cancel", tag = "teams", params(("name" = String, Path, description = "The team")), request_body = Option<PartyRequest>, responses((status = 200, description = "done", body = CancelResponse)))]
pub(crate) async fn cancel(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    body: Option<Object<PartyRequest>>,
) -> Result<Json<CancelResponse>, Fault> {
    let (team, request) = (name.parse()?, given(body));
    let mut turns = Vec::new();
    for session in chosen(&app, &caller, &team, &request).await? {
        turns.extend(
            app.engine.cancel_session(&session.id, Some(&caller.actor())).await?.iter().map(ToString::to_string),
        );
    }
    Ok(Json(CancelResponse { turns }))
}

/// Goes on with a copy of the conversation
#[utoipa::path(post, path = "/api/teams/{name}/fork", tag = "teams", params(("name" = String, Path, description = "The team")), request_body = Option<ForkRequest>, responses((status = 200, description = "done", body = Session)))]
pub(crate) async fn fork(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    body: Option<Object<ForkRequest>>,
) -> Result<Json<Session>, Fault> {
    let team = name.parse()?;
    let request = body.map(|Object(request)| request).unwrap_or_default();
    let from = caller.speaks_as(request.from_team.as_deref());
    let forked = app.engine.fork(&from, &team, request.new_party.map(Party::new)).await?;
    Ok(Json(wire::session(&app.engine, &forked)))
}

/// Whether the folder's own settings are trusted
#[utoipa::path(get, path = "/api/teams/{name}/trust", tag = "teams", params(("name" = String, Path, description = "The team")), responses((status = 200, description = "done", body = Trust)))]
pub(crate) async fn trust(State(app): State<App>, Path(name): Path<String>) -> Result<Json<Trust>, Fault> {
    Ok(Json(wire::trust(app.engine.look_at_trust(&name.parse()?).await?)))
}

/// Trusts the folder's settings as they are now
#[utoipa::path(post, path = "/api/teams/{name}/trust", tag = "teams", params(("name" = String, Path, description = "The team")), request_body = TrustRequest, responses((status = 200, description = "done", body = Trust)))]
pub(crate) async fn grant_trust(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    Object(request): Object<TrustRequest>,
) -> Result<Json<Trust>, Fault> {
    Ok(Json(wire::trust(app.engine.trust(&name.parse()?, &request.digest, &caller.actor()).await?)))
}

/// Trusts the folder's settings no longer
#[utoipa::path(delete, path = "/api/teams/{name}/trust", tag = "teams", params(("name" = String, Path, description = "The team")), responses((status = 200, description = "done", body = Trust)))]
pub(crate) async fn revoke_trust(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
) -> Result<Json<Trust>, Fault> {
    Ok(Json(wire::trust(app.engine.distrust(&name.parse()?, &caller.actor()).await?)))
}

/// Saying nothing is saying the usual.
fn given(body: Option<Object<PartyRequest>>) -> PartyRequest {
    body.map(|Object(request)| request).unwrap_or_default()
}

fn party(caller: &Caller, request: &PartyRequest) -> Party {
    caller.speaks_as(request.from_team.as_deref())
}

/// The session of the party, or all of the team's. A party that never spoke to the team has none, which is an error only
/// if the team does not exist. What one that was taken out of the config left behind can still be ended.
async fn chosen(app: &App, caller: &Caller, team: &TeamName, request: &PartyRequest) -> Result<Vec<SessionRow>, Fault> {
    if request.all && request.from_team.is_some() {
        let what = "say either whose session is meant (fromTeam) or all of them, not both".to_owned();
        return Err(Fault::new(FaultKind::Invalid, what));
    }
    let sessions: Vec<_> = match request.all {
        true => sessions_of(app, team).await?,
        false => app.engine.find_session_of(&party(caller, request), team).await?.into_iter().collect(),
    };
    if sessions.is_empty() && !app.engine.config().teams.contains_key(team) {
        return Err(SessionError::from(app.engine.config().unknown_team(team)).into());
    }
    Ok(sessions)
}
