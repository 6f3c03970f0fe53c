//! Conversations copied, begun anew and forgotten: what clients may do and agents may not.

use iris_core::id::Party;
use iris_core::team::TeamName;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answer::Refusal;
use super::call::{Answer, Caller, parse, refused, session_of, wake};
use crate::engine::Engine;
use crate::session::{SessionError, Sleep};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ForkArguments {
    #[serde(alias = "toTeam")]
    team: String,
    #[serde(rename = "as")]
    name: Option<String>,
}

pub(super) async fn fork(engine: &Engine, caller: &Caller, arguments: ForkArguments) -> Answer {
    let team = parse(&arguments.team)?;
    let forked = engine.fork(&caller.party, &team, arguments.name.map(Party::new)).await.map_err(said)?;
    Ok(json!({ "team": team, "sessionId": forked.id, "fromTeam": forked.from }))
}

pub(super) async fn reboot(engine: &Engine, caller: &Caller, team: &TeamName) -> Answer {
    let mut answer = delete(engine, caller, team).await?;
    wake(engine, caller, team).await?;
    let session = session_of(engine, caller, team).await?;
    answer["sessionId"] = session.map(|session| Value::from(session.id.as_str())).unwrap_or_default();
    Ok(answer)
}

/// Nothing waits, nothing runs, nothing is kept: in this order, so that nothing is started behind it.
pub(super) async fn delete(engine: &Engine, caller: &Caller, team: &TeamName) -> Answer {
    let Some(session) = session_of(engine, caller, team).await? else {
        return Ok(json!({ "team": team, "hadSession": false, "forgotten": 0 }));
    };
    engine
        .cancel_session(&session.id, Some(&caller.actor()))
        .await
        .map_err(|error| Refusal::from(error.to_string()))?;
    engine.sleep(&session.id, Sleep::Now).await.map_err(said)?;
    let forgotten =
        engine.delete_session(&session.id, &caller.actor(), iris_store::session::Record::Kept).await.map_err(said)?;
    Ok(json!({ "team": team, "hadSession": true, "forgotten": forgotten }))
}

fn said(error: SessionError) -> Refusal {
    refused(&error, error.hint())
}
