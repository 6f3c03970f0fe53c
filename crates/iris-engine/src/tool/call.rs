//! Carrying out a tool call of an agent.

use std::sync::{Arc, Mutex};

use iris_core::agent::{ToolAnswer, ToolCall};
use iris_core::id::{Party, TurnId};
use iris_core::team::TeamName;
use iris_core::turn::Ending;
use iris_store::session::SessionRow;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::session::Sleep;
use crate::turn::tell::{DEFAULT_TIMEOUT_MS, Patience, Tell, TellOutcome, TellReport};

/// Who calls: known by the pipe.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub team: TeamName,
    /// The turn in which it calls.
    pub turn: Option<TurnId>,
    /// The turn it has told and waits for, for whoever has to break that off.
    pub told: Arc<Mutex<Option<TurnId>>>,
}

impl Caller {
    fn party(&self) -> Party {
        Party::new(self.team.as_str())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TellArguments {
    to_team: String,
    message: String,
    timeout: Option<i64>,
}

#[derive(Deserialize)]
struct TeamArguments {
    team: String,
}

#[derive(Deserialize)]
struct ReadArguments {
    team: String,
    #[serde(default)]
    after: i64,
    limit: Option<i64>,
}

const DEFAULT_TURNS: i64 = 20;
const WAKE_LIMIT: std::time::Duration = std::time::Duration::from_secs(20);

pub(crate) async fn call(engine: &Engine, caller: &Caller, call: &ToolCall) -> ToolAnswer {
    match call.tool.as_str() {
        "team_tell" => tell(engine, caller, arguments(call)?).await,
        "team_teams" => teams(engine, caller).await,
        "team_getTeamName" => Ok(json!({ "team": caller.team })),
        "team_wake" => wake(engine, caller, &named(call)?).await,
        "team_wake_all" => wake_all(engine, caller).await,
        "team_isAwake" => is_awake(engine, caller, &named(call)?).await,
        "team_sleep" => sleep(engine, caller, &named(call)?).await,
        "team_cancel" => cancel(engine, caller, &named(call)?).await,
        "team_report" => report(engine, caller, &named(call)?).await,
        "team_cache_read" => read(engine, caller, arguments(call)?).await,
        "team_cache_clear" => clear(engine, caller, &named(call)?).await,
        other => Err(format!("Iris has no tool '{other}'")),
    }
}

fn arguments<T: DeserializeOwned>(call: &ToolCall) -> Result<T, String> {
    serde_json::from_str(call.arguments.get()).map_err(|error| format!("{}: {error}", call.tool))
}

fn named(call: &ToolCall) -> Result<TeamName, String> {
    let TeamArguments { team } = arguments(call)?;
    parse(&team)
}

fn parse(team: &str) -> Result<TeamName, String> {
    team.parse().map_err(|error: iris_core::team::TeamNameError| error.to_string())
}

/// What went wrong, and what to do about it, in one line.
fn told(error: &impl std::fmt::Display, hint: Option<String>) -> String {
    hint.map_or_else(|| error.to_string(), |hint| format!("{error}; {hint}"))
}

async fn tell(engine: &Engine, caller: &Caller, arguments: TellArguments) -> ToolAnswer {
    let patience = Patience::from_millis(arguments.timeout.unwrap_or(DEFAULT_TIMEOUT_MS));
    let tell = Tell {
        from: caller.party(),
        to: parse(&arguments.to_team)?,
        text: arguments.message,
        patience: patience.map_err(|error| error.to_string())?,
        key: None,
        delay: None,
        within: caller.turn.clone(),
    };
    let note = |turn: &TurnId| {
        *caller.told.lock().expect("nothing panics while it holds this") = Some(turn.clone());
    };
    match engine.tell_noting(tell, note).await {
        Ok(report) => answer(report),
        Err(error) => Err(told(&error, error.hint())),
    }
}

fn answer(report: TellReport) -> ToolAnswer {
    let mut answer =
        json!({ "from": report.from, "to": report.to, "sessionId": report.session, "turnId": report.turn });
    let status = match &report.outcome {
        TellOutcome::Accepted => "async",
        TellOutcome::OutOfPatience { .. } => "mcp_timeout",
        TellOutcome::Ended { ending, .. } => ending.state().as_str(),
    };
    answer["status"] = Value::from(status);
    match report.outcome {
        TellOutcome::Accepted => answer["position"] = Value::from(report.position),
        TellOutcome::OutOfPatience { partial, .. } => answer["partialResponse"] = Value::from(partial),
        TellOutcome::Ended { ending: Ending::Completed, response, .. } => answer["response"] = Value::from(response),
        TellOutcome::Ended { ending, response, .. } => {
            let why = ending.explain().unwrap_or_default();
            return Err(format!("{} did not answer: {why}. It had said: {response}", report.to));
        }
    }
    Ok(answer)
}

async fn teams(engine: &Engine, caller: &Caller) -> ToolAnswer {
    let mut teams = Vec::new();
    for (name, team) in &engine.config().teams {
        let session = session_of(engine, caller, name).await?;
        teams.push(json!({
            "name": name,
            "description": team.description,
            "you": *name == caller.team,
            "state": session.map(|session| session.shown_state()),
        }));
    }
    Ok(json!({ "teams": teams }))
}

async fn session_of(engine: &Engine, caller: &Caller, team: &TeamName) -> Result<Option<SessionRow>, String> {
    engine.find_session_of(&caller.party(), team).await.map_err(|error| error.to_string())
}

/// The session, which has to be there.
async fn own_session(engine: &Engine, caller: &Caller, team: &TeamName) -> Result<SessionRow, String> {
    if !engine.config().teams.contains_key(team) {
        return Err(format!("there is no team '{team}'; call team_teams to see the names"));
    }
    let session = session_of(engine, caller, team).await?;
    session.ok_or_else(|| format!("you have not spoken to {team} yet; use team_tell"))
}

async fn wake(engine: &Engine, caller: &Caller, team: &TeamName) -> ToolAnswer {
    // The caller's own agent has a place in the pool; it must not wait for ever for another to become free.
    let party = caller.party();
    let Ok(woken) = tokio::time::timeout(WAKE_LIMIT, engine.wake(&party, team)).await else {
        return Err(format!(
            "{team} is not awake after {} s: every place may be taken; tell it when you need it",
            WAKE_LIMIT.as_secs()
        ));
    };
    let woken = woken.map_err(|error| told(&error, error.hint()))?;
    Ok(json!({ "team": team, "wasAwake": woken.was_awake, "state": woken.session.shown_state() }))
}

async fn wake_all(engine: &Engine, caller: &Caller) -> ToolAnswer {
    let others = engine.config().teams.keys().filter(|team| **team != caller.team);
    let waking = others.map(|team| async move {
        wake(engine, caller, team).await.unwrap_or_else(|error| json!({ "team": team, "error": error }))
    });
    Ok(json!({ "teams": futures_util::future::join_all(waking).await }))
}

async fn is_awake(engine: &Engine, caller: &Caller, team: &TeamName) -> ToolAnswer {
    let session = session_of(engine, caller, team).await?;
    let awake = session.as_ref().is_some_and(|session| session.state.is_live());
    Ok(json!({ "team": team, "awake": awake, "state": session.map(|session| session.shown_state()) }))
}

async fn sleep(engine: &Engine, caller: &Caller, team: &TeamName) -> ToolAnswer {
    let session = own_session(engine, caller, team).await?;
    let stopped = engine.sleep(&session.id, Sleep::WhenIdle).await.map_err(|error| error.to_string())?;
    Ok(json!({ "team": team, "stopped": stopped }))
}

async fn cancel(engine: &Engine, caller: &Caller, team: &TeamName) -> ToolAnswer {
    let session = own_session(engine, caller, team).await?;
    let turns = engine.cancel_session(&session.id).await.map_err(|error| error.to_string())?;
    Ok(json!({ "team": team, "cancelled": turns }))
}

async fn report(engine: &Engine, caller: &Caller, team: &TeamName) -> ToolAnswer {
    let session = own_session(engine, caller, team).await?;
    let last = engine.list_turns(&session.id, session.next_number - 2, 1).await.map_err(|error| error.to_string())?;
    let turn = last.first().map(describe);
    Ok(json!({ "team": team, "state": session.shown_state(), "queued": session.queued, "lastTurn": turn }))
}

fn describe(row: &iris_store::turn::TurnRow) -> Value {
    json!({
        "number": row.number,
        "turnId": row.id,
        "state": row.state,
        "message": row.body,
        "response": row.response,
        "error": row.ending.as_ref().and_then(Ending::explain),
    })
}

async fn read(engine: &Engine, caller: &Caller, arguments: ReadArguments) -> ToolAnswer {
    let session = own_session(engine, caller, &parse(&arguments.team)?).await?;
    let limit = arguments.limit.unwrap_or(DEFAULT_TURNS).clamp(1, 100);
    let turns = engine.list_turns(&session.id, arguments.after, limit).await.map_err(|error| error.to_string())?;
    let turns: Vec<_> = turns.iter().map(describe).collect();
    Ok(json!({ "team": arguments.team, "sessionId": session.id, "turns": turns }))
}

async fn clear(engine: &Engine, caller: &Caller, team: &TeamName) -> ToolAnswer {
    let session = own_session(engine, caller, team).await?;
    let cleared = engine.clear_cache(&session.id).await.map_err(|error| error.to_string())?;
    Ok(json!({ "team": team, "cleared": cleared }))
}
