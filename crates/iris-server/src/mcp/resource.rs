//! Teams, sessions and turns to read, in the shapes of the HTTP API.

use axum::Json;
use axum::extract::{Path, State};
use iris_api::turn;
use iris_core::id::{Party, SessionId, TurnId};
use iris_core::team::TeamName;
use iris_engine::tool::{LONGEST, shorten};
use iris_engine::turn::read::{Most, Part, Side};
use iris_engine::{SessionRow, TurnRow};
use rmcp::model::{
    ListResourcesResult, PaginatedRequestParams, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use super::caller::reader;
use crate::auth::Caller;
use crate::http::problem::Fault;
use crate::http::team;
use crate::{App, wire};

const JSON: &str = "application/json";
/// How many sessions are listed at once.
const PAGE: i64 = 100;
/// How many of a session's turns and of a turn's messages are shown with it: the newest.
const TURNS: Most = Most { rows: 20, bytes: MOST_BYTES, each: LONGEST };
const MESSAGES: Most = Most { rows: 200, bytes: MOST_BYTES, each: LONGEST };
const MOST_BYTES: usize = 512 * 1024;

/// What a resource is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Teams,
    Team(String),
    Session(SessionId),
    Turn(TurnId),
}

impl Of {
    pub fn parse(uri: &str) -> Option<Self> {
        match uri.strip_prefix("iris://")?.split_once('/') {
            None if uri == "iris://teams" => Some(Self::Teams),
            Some((_, name)) if name.is_empty() || name.contains('/') => None,
            Some(("teams", name)) => Some(Self::Team(name.to_owned())),
            Some(("sessions", id)) => Some(Self::Session(SessionId::new(id))),
            Some(("turns", id)) => Some(Self::Turn(TurnId::new(id))),
            _ => None,
        }
    }
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, title: &str, description: &str| {
        let template = ResourceTemplate::new(uri, name).with_title(title);
        template.with_description(description).with_mime_type(JSON)
    };
    vec![
        template("iris://teams/{name}", "team", "A team", "A team and its conversations: what they are doing now."),
        template(
            "iris://sessions/{id}",
            "session",
            "A conversation",
            "A conversation with its newest turns; `leftOut` says what is not shown.",
        ),
        template(
            "iris://turns/{id}",
            "turn",
            "A turn",
            "One thing a team was told and what it said to it; `leftOut` says what is not shown.",
        ),
    ]
}

/// The teams first, then the conversations, page by page.
pub(super) async fn list(
    app: &App,
    request: Option<PaginatedRequestParams>,
    context: &RequestContext<RoleServer>,
) -> Result<ListResourcesResult, ErrorData> {
    let who = reader(app, &context.extensions)?;
    let cursor = request.and_then(|request| request.cursor).unwrap_or_default();
    let mut resources = if cursor.is_empty() { teams(app) } else { Vec::new() };
    let rows = app.engine.list_sessions(None, &cursor, PAGE).await.map_err(Fault::from)?;
    let more = i64::try_from(rows.len()).is_ok_and(|count| count == PAGE);
    let next = rows.last().filter(|_| more).map(|row| row.id.to_string());
    resources.extend(rows.iter().filter(|row| may_read(&who, &row.from, &row.to)).map(session));
    let mut listed = ListResourcesResult::with_all_items(resources);
    listed.next_cursor = next;
    Ok(listed)
}

fn teams(app: &App) -> Vec<Resource> {
    let all = Resource::new("iris://teams", "teams").with_title("All teams").with_mime_type(JSON);
    let config = app.engine.config();
    let each = config.teams.iter().map(|(name, team)| {
        let resource = Resource::new(format!("iris://teams/{name}"), name.as_str()).with_mime_type(JSON);
        match &team.description {
            Some(description) => resource.with_description(description.as_str()),
            None => resource,
        }
    });
    std::iter::once(all).chain(each).collect()
}

fn session(row: &SessionRow) -> Resource {
    let name = format!("{} to {}", row.from, row.to);
    Resource::new(format!("iris://sessions/{}", row.id), name).with_mime_type(JSON)
}

/// An agent reads its own conversations: those it has with others and those others have with it.
pub(super) fn may_read(who: &Caller, from: &Party, to: &TeamName) -> bool {
    who.is_human() || *from == who.party || to.as_str() == who.party.as_str()
}

pub(super) async fn read(
    app: &App,
    uri: &str,
    context: &RequestContext<RoleServer>,
) -> Result<ReadResourceResult, ErrorData> {
    let who = reader(app, &context.extensions)?;
    let found = match Of::parse(uri) {
        Some(of) => look(app, &who, of).await?,
        None => None,
    };
    let value = found.ok_or_else(|| not_found(uri))?;
    let text = serde_json::to_string_pretty(&value).expect("JSON has a text form");
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(JSON)]))
}

/// Whether who calls may be told that it changed: what is there and may be read.
pub(super) async fn may_watch(app: &App, who: &Caller, uri: &str) -> bool {
    let Some(of) = Of::parse(uri) else { return false };
    let session = match of {
        Of::Teams => return true,
        Of::Team(name) => return is_team(app, &name),
        Of::Session(id) => Some(id),
        Of::Turn(id) => app.engine.find_turn(&id).await.ok().flatten().map(|turn| turn.session),
    };
    let Some(session) = session else { return false };
    app.engine.find_session(&session).await.ok().flatten().is_some_and(|found| may_read(who, &found.from, &found.to))
}

fn is_team(app: &App, name: &str) -> bool {
    app.engine.config().teams.keys().any(|team| team.as_str() == name)
}

pub(super) fn not_found(uri: &str) -> ErrorData {
    ErrorData::resource_not_found(format!("there is no resource {uri}"), Some(json!({ "uri": uri })))
}

async fn look(app: &App, who: &Caller, of: Of) -> Result<Option<Value>, Fault> {
    match of {
        Of::Teams => all_teams(app).await.map(Some),
        Of::Team(name) => look_at_team(app, who, name).await,
        Of::Session(id) => look_at_session(app, who, &id).await,
        Of::Turn(id) => look_at_turn(app, who, &id).await,
    }
}

pub(super) async fn all_teams(app: &App) -> Result<Value, Fault> {
    let Json(page) = team::list(State(app.clone())).await?;
    Ok(json!({ "teams": page.items }))
}

async fn look_at_team(app: &App, who: &Caller, name: String) -> Result<Option<Value>, Fault> {
    if !is_team(app, &name) {
        return Ok(None);
    }
    let Json(mut status) = team::show(State(app.clone()), Path(name)).await?;
    let name = who.party.as_str();
    status.sessions.retain(|session| who.is_human() || session.from == name || session.to == name);
    Ok(Some(json!(status)))
}

async fn look_at_session(app: &App, who: &Caller, id: &SessionId) -> Result<Option<Value>, Fault> {
    let found = app.engine.find_session(id).await?;
    let Some(row) = found.filter(|row| may_read(who, &row.from, &row.to)) else { return Ok(None) };
    let found = app.engine.some_turns(id, Side::Before(i64::MAX), TURNS).await?;
    let left_out = left_out(&found, &format!("GET /api/sessions/{id}/turns or `iris cache inspect {id} --after 0`"));
    let turns: Vec<_> = found.rows.into_iter().map(shortened).collect();
    Ok(Some(json!({ "session": wire::session(&app.engine, &row), "turns": turns, "leftOut": left_out })))
}

/// What is not shown, and where it is. The newest are.
fn left_out<T>(found: &Part<T>, whole: &str) -> Option<Value> {
    let older = found.total - i64::try_from(found.rows.len()).unwrap_or(i64::MAX);
    found.has_more.then(|| json!({ "older": older, "how": format!("{whole} has them") }))
}

fn shortened(row: TurnRow) -> turn::Turn {
    let mut turn = wire::turn(row, None);
    let whole = format!("GET /api/turns/{0} or `iris cache inspect {0}` has all of it", turn.id);
    if let Some(short) = shorten(&turn.message, LONGEST, &whole) {
        turn.message = short;
    }
    turn.response = turn.response.map(|said| shorten(&said, LONGEST, &whole).unwrap_or(said));
    turn
}

async fn look_at_turn(app: &App, who: &Caller, id: &TurnId) -> Result<Option<Value>, Fault> {
    let Some(turn) = app.engine.find_turn(id).await? else { return Ok(None) };
    let session = app.engine.find_session(&turn.session).await?;
    if !session.is_some_and(|found| may_read(who, &found.from, &found.to)) {
        return Ok(None);
    }
    let found = app.engine.newest_messages(id, MESSAGES).await?;
    let whole = format!("GET /api/turns/{id}/messages or `iris cache inspect {id}`");
    let left_out = left_out(&found, &whole);
    let messages = found.rows.iter().map(wire::message).map(|message| {
        let short = message.text.as_deref().and_then(|text| shorten(text, LONGEST, &format!("{whole} has all of it")));
        json!({ "type": message.kind, "text": short.or(message.text) })
    });
    let messages: Vec<_> = messages.collect();
    Ok(Some(json!({ "turn": shortened(turn), "messages": messages, "leftOut": left_out })))
}

/// This is the one place where a fault becomes an error of the protocol. What goes wrong in a tool is its answer, not this.
impl From<Fault> for ErrorData {
    fn from(fault: Fault) -> Self {
        let (kind, text) = fault.tell();
        match kind.as_str() {
            "invalid" | "not_found" => Self::invalid_params(text, None),
            _ => Self::internal_error(text, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_or_refused() {
        let team = Of::Team("alpha".to_owned());
        assert_eq!(Of::parse("iris://teams"), Some(Of::Teams));
        assert_eq!(Of::parse("iris://teams/alpha"), Some(team));
        assert_eq!(Of::parse("iris://sessions/s-1"), Some(Of::Session(SessionId::new("s-1"))));
        assert_eq!(Of::parse("iris://turns/t-1"), Some(Of::Turn(TurnId::new("t-1"))));
        for bad in ["iris://", "iris://teams/", "iris://turns", "iris://teams/a/b", "file:///etc/passwd", "teams"] {
            assert_eq!(Of::parse(bad), None, "{bad}");
        }
    }
}
