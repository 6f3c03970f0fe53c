//! Carrying out a tool call. Who calls is in the caller; what is said of it in the arguments is not looked at here.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use iris_core::actor::{Actor, Through};
use iris_core::duration::Millis;
use iris_core::fault::in_words;
use iris_core::id::{Party, TurnId};
use iris_core::key::KeyHolder;
use iris_core::relay::Voice;
use iris_core::team::TeamName;
use iris_core::turn::Ending;
use iris_store::session::SessionRow;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::answer::Refusal;
use super::{ASK, conversation, question, read};
use crate::engine::Engine;
use crate::session::{SessionError, Sleep};
use crate::turn::tell::{DEFAULT_TIMEOUT_MS, Patience, Tell, TellOutcome, TellReport};

/// Who calls: known by the pipe or by the credential.
#[derive(Clone, Debug)]
pub struct Caller {
    pub party: Party,
    pub through: Through,
    pub voice: Voice,
    /// Whose keys it gives.
    pub keys: KeyHolder,
    /// The turn in which an agent calls.
    pub turn: Option<TurnId>,
    pub told: Told,
    /// How the request is called in the log, if it came by one.
    pub request: Option<Arc<str>>,
}

impl Caller {
    pub(super) fn actor(&self) -> Actor {
        Actor { party: self.party.clone(), through: Some(self.through.clone()) }
    }
}

/// The turn that a call has told and waits for, for whoever watches it or has to break it off.
#[derive(Clone, Debug, Default)]
pub struct Told(Arc<watch::Sender<Option<TurnId>>>);

impl Told {
    fn note(&self, turn: &TurnId) {
        self.0.send_replace(Some(turn.clone()));
    }

    pub fn turn(&self) -> Option<TurnId> {
        self.0.borrow().clone()
    }

    /// Returns as soon as there is one; never, if nothing is told.
    pub async fn known(&self) -> TurnId {
        let mut told = self.0.subscribe();
        match told.wait_for(Option::is_some).await.ok().and_then(|turn| turn.clone()) {
            Some(turn) => turn,
            None => std::future::pending().await,
        }
    }
}

pub(super) type Answer = Result<Value, Refusal>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TellArguments {
    to_team: String,
    message: String,
    timeout: Option<i64>,
    delay: Option<Millis>,
    key: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TeamArguments {
    #[serde(alias = "toTeam")]
    team: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SleepArguments {
    team: String,
    #[serde(default)]
    force: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NameArguments {
    pwd: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StatusArguments {
    team: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoArguments {}

/// An agent that wakes others has a place in the pool itself, and must not wait for ever for another to become free.
const WAKE_LIMIT: Duration = Duration::from_secs(20);
/// Anybody else waits as long as an agent may take to start, and a little.
const LONG_WAKE_LIMIT: Duration = Duration::from_secs(60);

/// Carries a call out. The names of all tools are here, those that only clients have too.
pub async fn call(engine: &Engine, caller: &Caller, tool: &str, arguments: Box<RawValue>) -> Answer {
    let given = Given { tool, arguments: &arguments };
    let told = match tool {
        "team_tell" | "send_message" => given.read()?,
        "ask_message" => given.with_timeout(0)?,
        "quick_message" => given.with_timeout(-1)?,
        _ => return call_other(engine, caller, given).await,
    };
    // A message may be long, and is not kept here for as long as its answer takes.
    drop(arguments);
    tell(engine, caller, told).await
}

async fn call_other(engine: &Engine, caller: &Caller, given: Given<'_>) -> Answer {
    match given.tool {
        "team_teams" | "list_teams" => teams(engine, caller, given.read()?).await,
        "team_getTeamName" => name(engine, caller, &given.read()?),
        "team_wake" => wake(engine, caller, &given.team()?).await,
        "team_wake_all" => wake_all(engine, caller, given.read()?).await,
        "team_isAwake" => is_awake(engine, caller, &given.team()?).await,
        "team_status" => status(engine, caller, given.read()?).await,
        "team_sleep" => sleep(engine, caller, given.read()?).await,
        "team_cancel" | "session_cancel" => cancel(engine, caller, &given.team()?).await,
        "team_report" | "session_report" => read::report(engine, caller, &given.team()?).await,
        "team_cache_read" => read::read(engine, caller, given.read()?).await,
        "team_cache_clear" => clear(engine, caller, &given.team()?).await,
        "team_fork" | "session_fork" => conversation::fork(engine, caller, given.read()?).await,
        ASK => question::ask(engine, caller, given.arguments).await,
        "session_reboot" => conversation::reboot(engine, caller, &given.team()?).await,
        "session_delete" => conversation::delete(engine, caller, &given.team()?).await,
        other => Err(format!("Iris has no tool '{other}'").into()),
    }
}

/// For a door behind which it is known who speaks: whom a call names as `fromTeam` is taken, as everywhere, and does not count.
pub(crate) fn without_speaker(arguments: Box<RawValue>) -> Box<RawValue> {
    // Most name nobody, and a message may be long.
    if !arguments.get().contains("fromTeam") {
        return arguments;
    }
    let Ok(mut given) = serde_json::from_str::<Map<String, Value>>(arguments.get()) else { return arguments };
    if given.remove("fromTeam").is_none() {
        return arguments;
    }
    to_raw_value(&given).expect("JSON stays JSON")
}

/// Arguments, or what does not fit in them, in words for a model: which one it is, and no place in a text it never saw.
pub(super) fn read_arguments<T: DeserializeOwned>(tool: &str, arguments: &RawValue) -> Result<T, Refusal> {
    let mut reader = serde_json::Deserializer::from_str(arguments.get());
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let (path, said) = (error.path().to_string(), error.inner().to_string());
        let said = in_words(said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said));
        let said = match (said.strip_prefix("missing field "), said.strip_prefix("unknown field ")) {
            (Some(field), _) => format!("{field} is missing"),
            (_, Some(field)) => {
                let (field, taken) = field.split_once(", ").unwrap_or((field, ""));
                let taken = taken.strip_prefix("expected ").map(|taken| taken.trim_start_matches("one of "));
                let taken = taken.map(|taken| taken.replace("` or `", "`, `") + ", ").unwrap_or_default();
                // Of every tool, and taken by whoever finds out who speaks.
                format!("it takes no {field}; it takes {taken}`fromTeam`")
            }
            _ if path == "." => said,
            _ => format!("`{path}`: {said}"),
        };
        format!("{tool}: {said}").into()
    })
}

struct Given<'a> {
    tool: &'a str,
    arguments: &'a RawValue,
}

impl Given<'_> {
    fn read<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        read_arguments(self.tool, self.arguments)
    }

    fn team(&self) -> Result<TeamName, Refusal> {
        let TeamArguments { team } = self.read()?;
        parse(&team)
    }

    /// Of a tell whose name says how long to wait.
    fn with_timeout(&self, timeout: i64) -> Result<TellArguments, Refusal> {
        let given: TellArguments = self.read()?;
        match given.timeout {
            None => Ok(TellArguments { timeout: Some(timeout), ..given }),
            Some(_) => Err(format!("{}: it takes no timeout; team_tell does", self.tool).into()),
        }
    }
}

pub(super) fn parse(team: &str) -> Result<TeamName, Refusal> {
    team.parse().map_err(|error: iris_core::team::TeamNameError| error.to_string().into())
}

/// What went wrong, and what to do about it, in one line.
pub(super) fn refused(error: &impl std::fmt::Display, hint: Option<String>) -> Refusal {
    hint.map_or_else(|| error.to_string(), |hint| format!("{error}; {hint}")).into()
}

pub(super) fn failed(error: impl std::fmt::Display) -> Refusal {
    error.to_string().into()
}

async fn tell(engine: &Engine, caller: &Caller, arguments: TellArguments) -> Answer {
    let patience = Patience::from_millis(arguments.timeout.unwrap_or(DEFAULT_TIMEOUT_MS));
    let tell = Tell {
        from: caller.party.clone(),
        through: Some(caller.through.clone()),
        voice: caller.voice,
        to: parse(&arguments.to_team)?,
        text: arguments.message,
        patience: patience.map_err(failed)?,
        key: arguments.key.as_deref().map(|given| caller.keys.key(given)),
        delay: arguments.delay,
        within: caller.turn.clone(),
        follower: None,
    };
    match engine.tell_for(caller.request.as_deref(), tell, |turn| caller.told.note(turn)).await {
        Ok(report) => answer(report),
        Err(error) => Err(refused(&error, error.hint())),
    }
}

fn answer(report: TellReport) -> Answer {
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
        TellOutcome::OutOfPatience { standing, waited_ms, .. } => {
            answer["durationMs"] = Value::from(waited_ms);
            answer["position"] = Value::from(standing.ahead());
            if let Some(waits) = &standing.waits {
                answer["note"] = Value::from(waits.to_string());
            }
            answer["partialResponse"] = Value::from(standing.text);
        }
        TellOutcome::Ended { ending: Ending::Completed, response, duration_ms, usage } => {
            answer["response"] = Value::from(response);
            answer["durationMs"] = Value::from(duration_ms);
            answer["usage"] = json!(usage);
        }
        TellOutcome::Ended { ending, response, duration_ms, usage } => {
            let error = ending.explain().unwrap_or_default();
            let said = if response.is_empty() { String::new() } else { format!(". It had said: {response}") };
            let why = format!("{} did not answer: {error}{said}", report.to);
            answer["partialResponse"] = Value::from(response);
            answer["durationMs"] = Value::from(duration_ms);
            answer["error"] = Value::from(error);
            answer["usage"] = json!(usage);
            if let Some(reason) = ending.reason() {
                answer["reason"] = Value::from(reason);
            }
            if let Some(exit) = ending.into_exit() {
                answer["exitCode"] = json!(exit.code);
                answer["signal"] = json!(exit.signal);
                answer["stderr"] = Value::from(exit.stderr);
            }
            return Err(Refusal { why, answer: Some(answer) });
        }
    }
    Ok(answer)
}

async fn teams(engine: &Engine, caller: &Caller, NoArguments {}: NoArguments) -> Answer {
    let mut teams = Vec::new();
    for (name, team) in &engine.config().teams {
        let session = session_of(engine, caller, name).await?;
        teams.push(json!({
            "name": name,
            "description": team.description,
            "you": is_own(caller, name),
            "state": session.map(|session| session.shown()),
        }));
    }
    Ok(json!({ "teams": teams }))
}

fn is_own(caller: &Caller, team: &TeamName) -> bool {
    team.as_str() == caller.party.as_str()
}

fn name(engine: &Engine, caller: &Caller, arguments: &NameArguments) -> Answer {
    let team = match &arguments.pwd {
        Some(folder) => engine.team_of(Path::new(folder)),
        None => engine.config().teams.keys().find(|team| is_own(caller, team)).cloned(),
    };
    Ok(json!({ "team": team, "party": caller.party }))
}

pub(super) async fn session_of(
    engine: &Engine,
    caller: &Caller,
    team: &TeamName,
) -> Result<Option<SessionRow>, Refusal> {
    if !engine.config().teams.contains_key(team) {
        return Err(format!("there is no team '{team}'; call team_teams to see the names").into());
    }
    engine.find_session_of(&caller.party, team).await.map_err(failed)
}

/// The session, which has to be there.
pub(super) async fn own_session(engine: &Engine, caller: &Caller, team: &TeamName) -> Result<SessionRow, Refusal> {
    let session = session_of(engine, caller, team).await?;
    session.ok_or_else(|| format!("you have not spoken to {team} yet; use team_tell").into())
}

pub(super) async fn wake(engine: &Engine, caller: &Caller, team: &TeamName) -> Answer {
    let limit = if caller.turn.is_some() { WAKE_LIMIT } else { LONG_WAKE_LIMIT };
    let Ok(woken) = tokio::time::timeout(limit, engine.wake(&caller.party, team)).await else {
        return Err(format!(
            "{team} is not awake after {} s: every place may be taken; tell it when you need it",
            limit.as_secs()
        )
        .into());
    };
    let woken = woken.map_err(|error| refused(&error, error.hint()))?;
    Ok(json!({ "team": team, "wasAwake": woken.was_awake, "state": woken.session.shown() }))
}

async fn wake_all(engine: &Engine, caller: &Caller, NoArguments {}: NoArguments) -> Answer {
    let config = engine.config();
    let others = config.teams.keys().filter(|team| !is_own(caller, team));
    let waking = others.map(|team| async move {
        wake(engine, caller, team).await.unwrap_or_else(|refusal| json!({ "team": team, "error": refusal.why }))
    });
    Ok(json!({ "teams": futures_util::future::join_all(waking).await }))
}

async fn is_awake(engine: &Engine, caller: &Caller, team: &TeamName) -> Answer {
    let session = session_of(engine, caller, team).await?;
    let awake = session.as_ref().is_some_and(|session| session.state.is_live());
    Ok(json!({ "team": team, "awake": awake, "state": session.map(|session| session.shown()) }))
}

async fn status(engine: &Engine, caller: &Caller, arguments: StatusArguments) -> Answer {
    let wanted = match &arguments.team {
        Some(team) => vec![parse(team)?],
        None => engine.config().teams.keys().cloned().collect(),
    };
    let mut teams = Vec::new();
    for team in &wanted {
        let queued = session_of(engine, caller, team).await?.map_or(0, |session| session.queued);
        let mut status = is_awake(engine, caller, team).await?;
        status["queued"] = Value::from(queued);
        teams.push(status);
    }
    Ok(json!({ "teams": teams }))
}

async fn sleep(engine: &Engine, caller: &Caller, arguments: SleepArguments) -> Answer {
    let team = parse(&arguments.team)?;
    let session = own_session(engine, caller, &team).await?;
    let how = if arguments.force { Sleep::Now } else { Sleep::WhenIdle };
    let stopped = engine.sleep(&session.id, how).await.map_err(|error| match error {
        SessionError::Busy => refused(&error, Some("wait, or give `force`: true; its turn is then lost".to_owned())),
        _ => refused(&error, error.hint()),
    })?;
    Ok(json!({ "team": team, "stopped": stopped }))
}

async fn cancel(engine: &Engine, caller: &Caller, team: &TeamName) -> Answer {
    let session = own_session(engine, caller, team).await?;
    let turns = engine.cancel_session(&session.id, Some(&caller.actor())).await.map_err(failed)?;
    Ok(json!({ "team": team, "cancelled": turns }))
}

async fn clear(engine: &Engine, caller: &Caller, team: &TeamName) -> Answer {
    let session = own_session(engine, caller, team).await?;
    let cleared = engine.clear_cache(&session.id, &caller.actor()).await.map_err(failed)?;
    Ok(json!({ "team": team, "cleared": cleared }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: DeserializeOwned>(arguments: &Value, wanted: &str) {
        let refusal = read_arguments::<T>("tool", &to_raw_value(arguments).expect("plain data")).err();
        assert_eq!(refusal.expect("it does not fit").why, format!("tool: {wanted}"));
    }

    #[test]
    fn what_does_not_fit_is_named_with_all_that_would() {
        let x = json!({ "x": 1 });
        check::<NoArguments>(&x, "it takes no `x`; it takes `fromTeam`");
        check::<NameArguments>(&x, "it takes no `x`; it takes `pwd`, `fromTeam`");
        check::<SleepArguments>(&x, "it takes no `x`; it takes `team`, `force`, `fromTeam`");
        check::<TellArguments>(
            &x,
            "it takes no `x`; it takes `toTeam`, `message`, `timeout`, `delay`, `key`, `fromTeam`",
        );
        check::<SleepArguments>(&json!({}), "`team` is missing");
    }
}
