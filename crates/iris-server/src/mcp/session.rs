//! Sessions of the older revision: whose they are, how many there may be, and when one is forgotten.
//!
//! A session is a convenience of the protocol and no credential: it is used only by whoever made it.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Json;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::future::ready;
use futures_util::stream::iter;
use futures_util::{Stream, StreamExt};
use iris_core::fault::FaultKind;
use rmcp::model::{ClientJsonRpcMessage, GetExtensions, RequestId, ServerJsonRpcMessage};
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionConfig, SessionError,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::asked::Asked;
use super::replay::{self, Replays};
use crate::auth::Caller;
use crate::http::problem::{self, Fault};

const SESSION: &str = "mcp-session-id";
/// Many more than there are windows and programs on a machine.
const MOST: usize = 1000;
/// Of one credential, except the owner's.
const MOST_OF_ONE: usize = 100;
const OWNER: &str = "owner";
/// How long a session is kept to which nobody listens and in which nobody says anything.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(30 * 60);

/// The sessions there are. When there are too many, those go of whoever has most, and first what was not used for longest.
pub(super) struct Sessions {
    local: LocalSessionManager,
    replays: Replays,
    known: Arc<Mutex<HashMap<SessionId, Known>>>,
}

struct Known {
    owner: Option<String>,
    used: Instant,
    /// Streams that somebody reads, and calls that run. One that takes hours keeps its session, listened to or not: with
    /// the session it would be broken off, which nobody asked for.
    uses: usize,
    /// Cancelled when somebody ends it.
    ended: CancellationToken,
}

/// Its session is in use until it is dropped. An extension of each request in a session, with which a call keeps it.
#[derive(Clone)]
pub(super) struct InUse {
    _one: Arc<Use>,
    ended: CancellationToken,
}

impl InUse {
    /// Waits until somebody ends the session: the library tells its calls five seconds later.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Cancelled when somebody ends the session. Whoever has it does not keep the session.
    pub fn end(&self) -> CancellationToken {
        self.ended.clone()
    }
}

struct Use {
    known: Arc<Mutex<HashMap<SessionId, Known>>>,
    id: SessionId,
}

impl Drop for Use {
    fn drop(&mut self) {
        if let Some(known) = lock(&self.known).get_mut(&self.id) {
            known.uses -= 1;
            known.used = Instant::now();
        }
    }
}

impl Default for Sessions {
    fn default() -> Self {
        let replays = Replays::default();
        let mut local = LocalSessionManager::default().with_event_store(Arc::new(replays.clone()));
        local.session_config = SessionConfig::default();
        // Its own clock does not see that a call is still waited for; ours does.
        local.session_config.keep_alive = None;
        Self { local, replays, known: Arc::default() }
    }
}

/// A session that another made does not exist, and is answered about as one that never did: by us, whatever is asked of it.
pub(super) async fn belongs_to_caller(
    State(sessions): State<Arc<Sessions>>,
    mut request: Request,
    next: Next,
) -> Response {
    let caller = request.extensions().get::<Caller>().map(|caller| caller.credential.id.clone());
    if let Some(session) = named(request.headers()) {
        let Some(in_use) = sessions.use_by(&caller, &session) else {
            return problem::not_found("MCP session", &session).into_response();
        };
        // The library would give an empty stream, which says that there was nothing more.
        let last = last_event(request.headers()).map(str::to_owned);
        if last.as_deref().is_some_and(|last| !sessions.replays.is_of(&session, last)) {
            return gone().into_response();
        }
        if let Some(id) = last.and_then(|last| sessions.replays.asked_by(&last)) {
            request.extensions_mut().insert(Asked::by(id));
        }
        request.extensions_mut().insert(in_use);
    }
    let response = next.run(request).await;
    if let Some(session) = named(response.headers())
        && let Err(fault) = sessions.belongs_to(&session, caller).await
    {
        return fault.into_response();
    }
    in_protocol(response).await
}

/// What the protocol's library says in plain words is said as an error of the protocol.
async fn in_protocol(response: Response) -> Response {
    let status = response.status();
    let is_fault = status.is_client_error() || status.is_server_error();
    if !is_fault || response.headers().contains_key(header::CONTENT_TYPE) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let said = to_bytes(body, LONGEST_WORDS).await.unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let code = match said.strip_prefix("fail to deserialize request body ") {
        Some(why) => {
            // The library takes it for a wrong media type.
            parts.status = StatusCode::BAD_REQUEST;
            if why.contains("did not match any variant") { -32600 } else { -32700 }
        }
        None => -32600,
    };
    let hint = if parts.status == StatusCode::NOT_FOUND { "; send `initialize` to begin a new session" } else { "" };
    let error = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": format!("{said}{hint}") } });
    parts.headers.remove(header::CONTENT_LENGTH);
    (parts.status, parts.headers, Json(error)).into_response()
}

const LONGEST_WORDS: usize = 64 * 1024;

fn named(headers: &HeaderMap) -> Option<SessionId> {
    headers.get(SESSION).and_then(|id| id.to_str().ok()).map(SessionId::from)
}

fn last_event(headers: &HeaderMap) -> Option<&str> {
    headers.get("last-event-id").map(|last| last.to_str().unwrap_or_default())
}

/// Not 404: that would say that the session is gone.
fn gone() -> Fault {
    let what = "what came after that Last-Event-ID in this session is kept no longer".to_owned();
    let hint = "answers are kept for five minutes, fewer if there are many; team_report, or GET /api/turns/{id}, has what was said; \
                and what you watch can be read anew";
    Fault::new(FaultKind::Gone, what).hint(hint)
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, Known>> {
        lock(&self.known)
    }

    /// Nothing, if it is not there. What is in use is not ended to make room.
    fn use_of(&self, id: &SessionId) -> Option<InUse> {
        self.use_if(id, |_| true)
    }

    /// Nor if another made it.
    fn use_by(&self, caller: &Option<String>, id: &SessionId) -> Option<InUse> {
        self.use_if(id, |known| known.owner == *caller)
    }

    fn use_if(&self, id: &SessionId, may: impl Fn(&Known) -> bool) -> Option<InUse> {
        let ended = {
            let mut all = self.lock();
            let known = all.get_mut(id).filter(|known| may(known))?;
            known.uses += 1;
            known.ended.clone()
        };
        Some(InUse { _one: Arc::new(Use { known: Arc::clone(&self.known), id: id.clone() }), ended })
    }

    /// Whose a session is. Whoever has too many of them loses their own, and takes nobody else's room; if all of those are
    /// in use, the new one.
    async fn belongs_to(&self, id: &SessionId, owner: Option<String>) -> Result<(), Fault> {
        let (unused, is_crowded) = {
            let mut known = self.lock();
            let Some(one) = known.get_mut(id) else { return Ok(()) };
            one.owner.clone_from(&owner);
            owner.iter().for_each(|owner| self.replays.belongs_to(id, owner.clone()));
            let is_limited = owner.as_deref().is_some_and(|owner| owner != OWNER);
            let count = known.values().filter(|known| known.owner == owner).count();
            let beyond = if is_limited { count.saturating_sub(MOST_OF_ONE) } else { 0 };
            let mut own = idle(&known, |other, known| other != id && known.owner == owner);
            let is_crowded = own.len() < beyond;
            if is_crowded {
                own.push(id.clone());
            }
            own.truncate(beyond);
            remove(&mut known, &own);
            (own, is_crowded)
        };
        self.close_all(unused).await;
        if is_crowded { Err(crowded()) } else { Ok(()) }
    }

    /// Makes room: what nobody uses goes, and the least used of whoever has most if there are too many.
    pub async fn tidy(&self) {
        self.replays.tidy();
        let unused = {
            let mut known = self.lock();
            let mut unused = idle(&known, |_, known| known.used.elapsed() > FORGOTTEN_AFTER);
            while known.len() - unused.len() >= MOST {
                let left: Vec<_> = known.iter().filter(|(id, _)| !unused.contains(id)).collect();
                let mut counts = HashMap::new();
                left.iter().for_each(|(_, known)| *counts.entry(known.owner.as_deref()).or_insert(0) += 1);
                let idle = left.into_iter().filter(|(_, known)| known.uses == 0);
                let next = idle.max_by_key(|(_, known)| (counts[&known.owner.as_deref()], Reverse(known.used)));
                let Some((id, _)) = next else { break };
                unused.push(id.clone());
            }
            remove(&mut known, &unused);
            unused
        };
        self.close_all(unused).await;
    }

    async fn close_all(&self, sessions: Vec<SessionId>) {
        for id in sessions {
            if let Err(error) = self.close_session(&id).await {
                tracing::debug!(%error, "a session did not end well");
            }
        }
    }

    fn listened_to<S: Stream>(&self, id: &SessionId, stream: S) -> Listened<S> {
        let (in_use, replays) = (self.use_of(id), self.replays.clone());
        Listened { stream: Box::pin(stream), _in_use: in_use, replays, id: id.clone(), asked: None }
    }
}

/// What comes of the library itself has none, and is always new.
fn number(event: &ServerSseMessage) -> u64 {
    event.event_id.as_deref().and_then(replay::place).map_or(u64::MAX, |(_, number)| number)
}

/// Under the lock under which they were not in use, so that nobody begins a call in one that is about to end.
fn remove(known: &mut HashMap<SessionId, Known>, sessions: &[SessionId]) {
    sessions.iter().for_each(|id| drop(known.remove(id)));
}

fn crowded() -> Fault {
    let what = format!("the token has {MOST_OF_ONE} MCP sessions in use, and no more are begun");
    let hint = "end some with DELETE, or wait for their calls; one session carries any number of calls";
    Fault::new(FaultKind::Limit, what).hint(hint).retry_after(1)
}

/// Those that nobody uses, the longest unused first.
fn idle(known: &HashMap<SessionId, Known>, wanted: impl Fn(&SessionId, &Known) -> bool) -> Vec<SessionId> {
    let idle = known.iter().filter(|(id, known)| known.uses == 0 && wanted(id, known));
    let mut idle: Vec<_> = idle.map(|(id, known)| (known.used, id.clone())).collect();
    idle.sort();
    idle.into_iter().map(|(_, id)| id).collect()
}

fn lock(known: &Mutex<HashMap<SessionId, Known>>) -> MutexGuard<'_, HashMap<SessionId, Known>> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        self.tidy().await;
        let (id, transport) = self.local.create_session().await?;
        let known = Known { owner: None, used: Instant::now(), uses: 0, ended: CancellationToken::new() };
        self.lock().insert(id.clone(), known);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.local.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        // What is about to end is not there any more.
        Ok(self.lock().contains_key(id) && self.local.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        if let Some(known) = self.lock().remove(id) {
            known.ended.cancel();
        }
        let closed = self.local.close_session(id).await;
        self.replays.forget(id);
        closed
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let mut asked = None;
        if let ClientJsonRpcMessage::Request(request) = &message {
            Asked::note(request.request.extensions(), &request.id);
            asked = Some(request.id.clone());
        }
        let stream = self.local.create_stream(id, message).await?;
        Ok(Listened { asked, ..self.listened_to(id, stream) })
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let live = self.local.create_standalone_stream(id).await?;
        // Asked after it listens, so that nothing is missed; what comes in between is in both.
        let missed = self.replays.unread(id);
        let last = missed.last().map_or(0, number);
        let live = live.filter(move |event| ready(number(event) > last));
        Ok(self.listened_to(id, iter(missed).chain(live)))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        // An event is no credential either.
        if !self.replays.is_of(id, &last_event_id) {
            return Err(SessionError::InvalidEventId.into());
        }
        Ok(self.listened_to(id, self.local.resume(id, last_event_id).await?))
    }
}

/// A stream that somebody reads, until it is dropped.
struct Listened<S> {
    stream: Pin<Box<S>>,
    _in_use: Option<InUse>,
    replays: Replays,
    id: SessionId,
    /// By what its call was asked.
    asked: Option<RequestId>,
}

impl<S: Stream<Item = ServerSseMessage>> Stream for Listened<S> {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        let polled = self.stream.as_mut().poll_next(context);
        if let Poll::Ready(Some(ServerSseMessage { event_id: Some(event), .. })) = &polled {
            self.replays.is_read_in(&self.id, event, self.asked.as_ref());
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn open(sessions: &Sessions, owner: &str) -> SessionId {
        let (id, _transport) = sessions.create_session().await.expect("a session");
        sessions.belongs_to(&id, Some(owner.to_owned())).await.ok();
        id
    }

    #[tokio::test]
    async fn a_session_in_which_a_call_runs_is_not_ended_to_make_room() {
        let sessions = Sessions::default();
        let running = open(&sessions, "weak").await;
        let call = sessions.use_of(&running).expect("it is there");
        let has = async |id| sessions.has_session(id).await.expect("it is known");
        for _ in 0..2 * MOST_OF_ONE {
            open(&sessions, "weak").await;
        }
        assert!(has(&running).await);
        let long_ago = Instant::now().checked_sub(2 * FORGOTTEN_AFTER).expect("there was such a time");
        sessions.lock().values_mut().for_each(|known| known.used = long_ago);
        let newest = open(&sessions, "weak").await;
        assert!(has(&running).await && sessions.lock().len() == 2, "the others are old");
        drop(call);
        for _ in 0..MOST_OF_ONE - 1 {
            open(&sessions, "weak").await;
        }
        assert!(has(&running).await && !has(&newest).await, "it was used last when its call ended");
        open(&sessions, "weak").await;
        assert!(!has(&running).await);
    }

    #[tokio::test]
    async fn a_session_that_is_ended_ends_its_calls() {
        let sessions = Sessions::default();
        let id = open(&sessions, "mine").await;
        let call = sessions.use_of(&id).expect("it is there");
        assert!(!call.ended.is_cancelled());
        sessions.close_session(&id).await.expect("closed");
        call.ended().await;
    }

    #[tokio::test]
    async fn whoever_uses_all_their_sessions_begins_no_other() {
        let sessions = Sessions::default();
        let weak = || Some("weak".to_owned());
        let mut calls = Vec::new();
        for _ in 0..MOST_OF_ONE {
            calls.extend(sessions.use_of(&open(&sessions, "weak").await));
        }
        let (one_more, _transport) = sessions.create_session().await.expect("a session");
        assert!(sessions.belongs_to(&one_more, weak()).await.is_err());
        assert!(sessions.use_of(&one_more).is_none() && calls.len() == MOST_OF_ONE);
        calls.pop();
        let (one_more, _transport) = sessions.create_session().await.expect("a session");
        assert!(sessions.belongs_to(&one_more, weak()).await.is_ok());
    }

    #[tokio::test]
    async fn nobody_pushes_out_the_session_of_another() {
        let sessions = Sessions::default();
        let mine = open(&sessions, OWNER).await;
        let (first, second) = (open(&sessions, "weak").await, open(&sessions, "weak").await);
        for _ in 0..MOST_OF_ONE - 1 {
            open(&sessions, "weak").await;
        }
        let has = async |id| sessions.has_session(id).await.expect("it is known");
        assert!(has(&mine).await && !has(&first).await && has(&second).await);
        assert_eq!(sessions.lock().len(), 1 + MOST_OF_ONE);
        for number in 0..MOST {
            open(&sessions, &format!("token {}", number % 20)).await;
        }
        assert!(has(&mine).await, "all tokens together do not either");
        assert!(sessions.lock().len() <= MOST);
    }
}
