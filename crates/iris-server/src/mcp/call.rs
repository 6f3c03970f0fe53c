//! A tool call: carried out beside the request, watched while it runs, broken off when nobody wants it any more.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::http::HeaderMap;
use axum::http::request::Parts;
use iris_core::agent::{ToolEffect, ToolSpec};
use iris_core::credential::Scope;
use iris_core::key::{Key, KeyHolder};
use iris_engine::tool::{self as tools, Refusal, Told};
use iris_engine::{Engine, tasks};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, CustomRequest, CustomResult, ErrorCode, JsonObject,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::to_raw_value;

use super::Door;
use super::asked::Asked;
use super::caller::{caller, may};
use super::progress::Progress;
use super::session::InUse;
use crate::auth::Caller;
use crate::http::request::RequestId;
use crate::speaker::{Speaker, speaker};

/// Names a call that may be sent again, in `_meta`. The argument `key` of a tell is the same.
const KEY: &str = "iris/key";
/// Breaks off the call with a key, for a client whose dropped connection is not yet a wish to break off.
const CANCEL: &str = "iris/cancel";

/// From this revision on there are no sessions.
const NEWER: &str = "2026-07-28";
/// How long a call with a key that nobody listens to any more may be sent again, before what it set going is broken off.
const SENT_AGAIN: Duration = Duration::from_secs(15);

pub(super) async fn call(
    door: &Door,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    Asked::note(&context.extensions, &context.id);
    let Some(spec) = tools::find(&request.name) else {
        return Err(ErrorData::invalid_params(format!("Iris has no tool '{}'", request.name), None));
    };
    let who = caller(&door.app, &context.extensions)?;
    let needed = if spec.effect == ToolEffect::Reads { Scope::Read } else { Scope::Tell };
    if let Err(why) = may(&who, needed, spec.name, &context.extensions) {
        return Ok(refused(why));
    }
    if !who.is_human() && spec.effect == ToolEffect::Makes {
        return Ok(refused(
            "an agent's credential speaks in one conversation with each team and cannot copy it; \
                           a person can, with `iris fork`",
        ));
    }
    let mut arguments = request.arguments.unwrap_or_default();
    let (named, key) = match (take(&mut arguments, "fromTeam"), key(spec, &arguments, &context)) {
        (Ok(named), Ok(key)) => (named, key),
        (Err(why), _) | (_, Err(why)) => return Ok(refused(why)),
    };
    if let Some(key) = &key {
        arguments.insert("key".to_owned(), Value::from(key.as_str()));
    }
    let Speaker { party, voice, turn } = speaker_of(door, &who, named.as_deref(), &context).await?;
    let told = Told::default();
    let keys = KeyHolder::speaker(&who.credential.id, &party);
    let open = key.map(|key| door.calls.open(keys.key(&key), &told));
    let request_id = context.extensions.get::<Parts>().and_then(|parts| RequestId::of(&parts.extensions));
    let asked =
        tools::Caller { party, through: who.through(), voice, keys, turn, told: told.clone(), request: request_id };
    let progress = Progress::of(door, &context, &told);
    let answer = carry_out(door.app.engine.clone(), asked, request.name.into_owned(), arguments);
    tokio::select! {
        answer = answer => {
            if let (tools::ASK, Ok(answer)) = (spec.name, &answer) {
                door.handed.note(answer);
            }
            Ok(answer.map_or_else(not_done, CallToolResult::structured))
        }
        () = progress.tell() => unreachable!("progress is told as long as somebody listens"),
        () = is_broken_off(&context) => {
            // Whoever asked may hear no more of it; that is no wish of theirs to break it off.
            if !who.credential.is_good() {
                return Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, "the credential is good no longer", None));
            }
            let modern = context.protocol_version().is_some_and(|version| version.as_str() >= NEWER);
            break_off(door, told, open.filter(|_| modern));
            Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, "the call was cancelled", None))
        }
    }
}

/// By a notice, by the end of the connection or by that of the session.
async fn is_broken_off(context: &RequestContext<RoleServer>) {
    let in_use = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<InUse>());
    match in_use {
        Some(in_use) => tokio::select! {
            () = context.ct.cancelled() => {}
            () = in_use.ended() => {}
        },
        None => context.ct.cancelled().await,
    }
}

async fn speaker_of(
    door: &Door,
    who: &Caller,
    named: Option<&str>,
    context: &RequestContext<RoleServer>,
) -> Result<Speaker, ErrorData> {
    let none = HeaderMap::new();
    let headers = context.extensions.get::<Parts>().map_or(&none, |parts| &parts.headers);
    let found = speaker(&door.app, who, headers, named).await;
    found.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// In a task of its own, which goes on if nobody waits for it any more: a tell that is dropped half-way might have been
/// written down and not set going.
async fn carry_out(engine: Engine, caller: tools::Caller, name: String, arguments: JsonObject) -> Answer {
    let task = tasks::spawn("mcp call", async move {
        let given = to_raw_value(&arguments).expect("JSON stays JSON");
        // It may be long, and so may the call.
        drop(arguments);
        tools::call(&engine, &caller, &name, given).await
    });
    task.await.unwrap_or_else(|_| Err("something went wrong inside Iris; its log says more".to_owned().into()))
}

type Answer = Result<Value, Refusal>;

fn not_done(refusal: Refusal) -> CallToolResult {
    let mut result = refused(refusal.why);
    result.structured_content = refusal.answer;
    result
}

fn refused(why: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why)])
}

fn take(arguments: &mut JsonObject, name: &str) -> Result<Option<String>, String> {
    match arguments.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("{name} has to be a string")),
    }
}

/// The key of a call, if its tool takes one.
fn key(
    spec: &ToolSpec,
    arguments: &JsonObject,
    context: &RequestContext<RoleServer>,
) -> Result<Option<String>, String> {
    if spec.effect != ToolEffect::Tells {
        return Ok(None);
    }
    match (arguments.get("key"), context.meta.get(KEY)) {
        (Some(Value::String(key)), _) => Ok(Some(key.clone())),
        (None, Some(Value::String(key))) => Ok(Some(key.clone())),
        (None, None) => Ok(None),
        _ => Err(format!("key, or {KEY} in _meta, has to be a string")),
    }
}

/// Nobody listens any more. In the newer revision that is all a client can do to say that it wants no answer, and also
/// what a broken connection looks like; a call with a key may then come again, and is waited for.
fn break_off(door: &Door, told: Told, may_come_again: Option<OpenCall>) {
    // The daemon ends and takes the connections with it: its turns are settled by the engine.
    if *door.app.closing.borrow() {
        return;
    }
    let engine = door.app.engine.clone();
    drop(tasks::spawn("mcp break off", async move {
        if let Some(mut call) = may_come_again {
            call.leave();
            tokio::time::sleep(SENT_AGAIN).await;
            if call.came_again() {
                return;
            }
        }
        cancel_told(&engine, &told).await;
    }));
}

/// How long a call may take to say what it told. Most tell nothing.
const TOLD_SOON: Duration = Duration::from_secs(10);

/// Whether there was something to cancel.
async fn cancel_told(engine: &Engine, told: &Told) -> bool {
    let Ok(turn) = tokio::time::timeout(TOLD_SOON, told.known()).await else { return false };
    let cancelled = engine.cancel_turn(&turn, None).await;
    if let Err(error) = &cancelled {
        tracing::debug!(%turn, %error, "what a call had told was over already");
    }
    cancelled.is_ok()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CancelParams {
    key: String,
    from_team: Option<String>,
}

/// Methods that need params.
const KNOWN: [&str; 7] = [
    "tools/call",
    "prompts/get",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "subscriptions/listen",
];

/// The only method of our own: `iris/cancel`.
pub(super) async fn cancel(
    door: &Door,
    request: CustomRequest,
    context: &RequestContext<RoleServer>,
) -> Result<CustomResult, ErrorData> {
    if request.method != CANCEL {
        // What has a method of the protocol and is not taken as such has other params than it needs.
        return Err(if KNOWN.contains(&request.method.as_str()) {
            let what = format!("the params of {} do not fit; see its schema", request.method);
            ErrorData::invalid_params(what, None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("unknown method '{}'", request.method), None)
        });
    }
    let mut params = request.params.unwrap_or_default();
    if let Some(params) = params.as_object_mut() {
        params.remove("_meta");
    }
    let CancelParams { key, from_team } = serde_json::from_value(params)
        .map_err(|error| ErrorData::invalid_params(format!("{CANCEL}: {error}"), None))?;
    let who = caller(&door.app, &context.extensions)?;
    may(&who, Scope::Tell, CANCEL, &context.extensions).map_err(|why| ErrorData::invalid_request(why, None))?;
    // As the call itself was: in an agent's shell it is the agent who speaks, whatever is said.
    let party = speaker_of(door, &who, from_team.as_deref(), context).await?.party;
    let mut cancelled = 0;
    for told in door.calls.list(&KeyHolder::speaker(&who.credential.id, &party).key(&key)) {
        cancelled += usize::from(cancel_told(&door.app.engine, &told).await);
    }
    Ok(CustomResult::new(serde_json::json!({ "cancelled": cancelled })))
}

/// The calls with a key that somebody waits for, or waited for until just now and may wait for again.
#[derive(Clone, Default)]
pub(super) struct OpenCalls(Arc<Mutex<HashMap<Key, Calls>>>);

/// The calls with the same key.
#[derive(Default)]
struct Calls {
    /// How many there ever were, while there was one: the number of the next.
    opened: u64,
    known: BTreeMap<u64, Known>,
}

struct Known {
    told: Told,
    /// Nobody listens to it any more.
    is_left: bool,
}

/// Known until it is dropped.
pub(super) struct OpenCall {
    calls: OpenCalls,
    key: Key,
    number: u64,
    /// How many there had been when nobody listened to this one any more; nothing if another was listened to then.
    left_at: Option<u64>,
}

impl OpenCalls {
    fn open(&self, key: Key, told: &Told) -> OpenCall {
        let mut all = self.lock();
        let calls = all.entry(key.clone()).or_default();
        let number = calls.opened;
        calls.opened += 1;
        calls.known.insert(number, Known { told: told.clone(), is_left: false });
        OpenCall { calls: self.clone(), key, number, left_at: None }
    }

    fn list(&self, key: &Key) -> Vec<Told> {
        let all = self.lock();
        all.get(key).into_iter().flat_map(|calls| calls.known.values()).map(|known| known.told.clone()).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Calls>> {
        self.0.lock().expect("nothing panics while it holds the calls")
    }
}

impl OpenCall {
    /// Nobody listens to it any more. It can still be found, and cancelled.
    fn leave(&mut self) {
        let mut all = self.calls.lock();
        let Some(calls) = all.get_mut(&self.key) else { return };
        if let Some(known) = calls.known.get_mut(&self.number) {
            known.is_left = true;
        }
        self.left_at = calls.known.values().all(|known| known.is_left).then_some(calls.opened);
    }

    /// Whether anybody listened to a call with its key since it was left, also if that one has its answer by now.
    fn came_again(&self) -> bool {
        self.calls.lock().get(&self.key).is_none_or(|calls| Some(calls.opened) != self.left_at)
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let mut all = self.calls.lock();
        if let Some(calls) = all.get_mut(&self.key) {
            calls.known.remove(&self.number);
            if calls.known.is_empty() {
                all.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_came_again_is_remembered_also_when_it_has_its_answer() {
        let calls = OpenCalls::default();
        let (key, told) = (KeyHolder::credential("owner").key("k"), Told::default());
        let open = || calls.open(key.clone(), &told);

        let mut alone = open();
        alone.leave();
        assert!(!alone.came_again());
        assert_eq!(calls.list(&key).len(), 1, "it can still be cancelled");
        drop(open());
        assert!(alone.came_again(), "it came, and has its answer");
        drop(alone);
        assert!(calls.lock().is_empty());

        let (mut first, second) = (open(), open());
        first.leave();
        drop(second);
        assert!(first.came_again(), "the other was waited for when this one was left");

        let mut third = open();
        third.leave();
        assert!(first.came_again() && !third.came_again(), "the last that was left counts");
    }
}
