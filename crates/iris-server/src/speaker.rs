//! Who speaks, and in which turn. The programs that Iris brings say in whose session they run; then it is the agent who
//! speaks, in the turn it works on, and not the person whose token the shell can read. Without that, agents who tell each
//! other by `iris tell` would be people to each other, and nothing would count how deep they are. Whoever holds a token of an
//! agent's and says nothing of the kind speaks in what its team works on, for the same reason.
//!
//! It keeps honest agents honest: whoever hides where it runs can read what its user can read (docs/asks.md).

use axum::http::HeaderMap;
use iris_core::credential::Scope;
use iris_core::id::{Party, SessionId, TurnId};
use iris_core::relay::Voice;
use iris_engine::StoreError;

use crate::App;
use crate::auth::Caller;

/// The session in whose shell the client runs, as `IRIS_SESSION` has it there.
const SESSION: &str = "iris-session";

pub(crate) struct Speaker {
    pub party: Party,
    pub voice: Voice,
    /// The turn that an agent works on or, in the background, the last it worked on.
    pub turn: Option<TurnId>,
}

/// `named`: whom the request says it speaks for, which counts for a human.
pub(crate) async fn speaker(
    app: &App,
    caller: &Caller,
    headers: &HeaderMap,
    named: Option<&str>,
) -> Result<Speaker, StoreError> {
    match in_shell(app, headers).await? {
        // A token of an agent's is its team's, wherever it says to be.
        Some(shell) if caller.is_human() || shell.party == caller.party => Ok(shell),
        _ if caller.is_human() => {
            let voice = if caller.may(Scope::Answer).is_ok() { Voice::Answers } else { Voice::Tells };
            Ok(Speaker { party: caller.speaks_as(named), voice, turn: None })
        }
        _ => {
            let turn = app.engine.find_likely_turn(&caller.party).await?;
            Ok(Speaker { party: caller.party.clone(), voice: Voice::Agent, turn })
        }
    }
}

/// The agent in whose shell the client runs. A session that is not of this daemon is nobody's.
async fn in_shell(app: &App, headers: &HeaderMap) -> Result<Option<Speaker>, StoreError> {
    let Some(id) = headers.get(SESSION).and_then(|id| id.to_str().ok()) else { return Ok(None) };
    let found = app.engine.find_working(&SessionId::new(id)).await?;
    Ok(found.map(|(team, turn)| Speaker { party: Party::new(team.as_str()), voice: Voice::Agent, turn }))
}
