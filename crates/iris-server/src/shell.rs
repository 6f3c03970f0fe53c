//! Who speaks from the shell of an agent. The programs that Iris brings say in whose session they run; then it is the agent
//! who speaks, in the turn it works on, and not the person whose token the shell can read. Without that, agents who tell
//! each other by `iris tell` would be people to each other, and nothing would count how deep they are.
//!
//! It keeps honest agents honest: whoever hides where it runs can read what its user can read (docs/asks.md).

use axum::http::HeaderMap;
use iris_core::id::{Party, SessionId, TurnId};
use iris_engine::StoreError;

use crate::App;

/// The session in whose shell the client runs, as `IRIS_SESSION` has it there.
const SESSION: &str = "iris-session";

pub(crate) struct Shell {
    pub party: Party,
    /// The turn it works on or, in the background, the last it worked on.
    pub turn: Option<TurnId>,
}

/// The agent in whose shell the client runs. A session that is not of this daemon is nobody's.
pub(crate) async fn of(app: &App, headers: &HeaderMap) -> Result<Option<Shell>, StoreError> {
    let Some(id) = headers.get(SESSION).and_then(|id| id.to_str().ok()) else { return Ok(None) };
    let found = app.engine.find_working(&SessionId::new(id)).await?;
    Ok(found.map(|(team, turn)| Shell { party: Party::new(team.as_str()), turn }))
}
