//! Notices: a client that watches a resource is told that it changed, and reads it if it cares. Fed by the log, so that
//! nothing is announced that is not on disk, and a client that is slow costs nothing.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use iris_core::event::{ConfigEvent, Recorded, SessionEvent};
use iris_core::id::Party;
use iris_core::team::TeamName;
use iris_engine::bus::Batch;
use iris_engine::tasks;
use rmcp::model::{ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use tokio::sync::watch;

use super::Door;
use super::caller::{of_request, reader};
use super::resource::{Of, may_read, may_watch, not_found};
use crate::App;
use crate::auth::Caller;
use crate::http::LARGEST_BODY;
use crate::http::problem::too_large;

/// What a session of the older revision watches.
#[derive(Debug, Default)]
pub(super) struct Subscribed {
    resources: BTreeSet<String>,
    list: bool,
    /// Somebody follows the log for this session already.
    followed: bool,
}

/// As many as one session may watch.
pub(super) const MOST: usize = 1000;
/// What happens within this time is told at once.
const TOGETHER: Duration = Duration::from_millis(200);
/// How often it is looked whether anybody still listens, when nothing happens.
const STILL_THERE: Duration = Duration::from_secs(30);
const AT_ONCE: Batch = Batch { events: 256, bytes: 1024 * 1024 };

pub(super) async fn subscribe(door: &Door, uri: String, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    let who = reader(&door.app, &context.extensions)?;
    if !may_watch(&door.app, &who, &uri).await {
        return Err(not_found(&uri));
    }
    {
        let mut subscribed = lock(&door.subscribed);
        if subscribed.resources.len() >= MOST && !subscribed.resources.contains(&uri) {
            return Err(ErrorData::invalid_request(format!("at most {MOST} resources can be watched"), None));
        }
        subscribed.resources.insert(uri);
    }
    follow_for(door, &who, context);
    Ok(())
}

pub(super) fn unsubscribe(door: &Door, uri: &str) {
    lock(&door.subscribed).resources.remove(uri);
}

/// Whoever has seen the list is told when it changes; in the newer revision one has to ask for it.
pub(super) fn follow_list(door: &Door, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    if context.meta.protocol_version().is_none() {
        let who = reader(&door.app, &context.extensions)?;
        lock(&door.subscribed).list = true;
        follow_for(door, &who, context);
    }
    Ok(())
}

fn lock(subscribed: &Mutex<Subscribed>) -> MutexGuard<'_, Subscribed> {
    subscribed.lock().expect("nothing panics while it holds what is watched")
}

fn follow_for(door: &Door, who: &Caller, context: &RequestContext<RoleServer>) {
    if std::mem::replace(&mut lock(&door.subscribed).followed, true) {
        return;
    }
    let (door, peer, who) = (door.clone(), context.peer.clone(), who.clone());
    let mut log = Log::new(&door.app);
    // It ends with the session, or with the daemon.
    drop(tasks::spawn("mcp notices", async move {
        while let Some(changed) = log.changed().await {
            if peer.is_transport_closed() {
                return;
            }
            let (uris, list) = {
                let subscribed = lock(&door.subscribed);
                let uris = subscribed.resources.intersection(&changed.resources).cloned().collect();
                (uris, subscribed.list && changed.list_of(&who))
            };
            if tell(&peer, uris, list).await.is_none() {
                return;
            }
        }
    }));
}

async fn tell(peer: &Peer<RoleServer>, uris: Vec<String>, list: bool) -> Option<()> {
    for uri in uris {
        peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await.ok()?;
    }
    if list {
        peer.notify_resource_list_changed().await.ok()?;
    }
    Some(())
}

/// In the newer revision it is acknowledged at once what is watched, by a library that does not say who asks. So what they
/// cannot watch is taken out of the request before.
pub(super) async fn only_watchable(State(app): State<App>, request: Request, next: Next) -> Response {
    if request.headers().get("mcp-method").is_none_or(|method| method != "subscriptions/listen") {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let body = match to_bytes(body, LARGEST_BODY).await {
        Ok(body) => body,
        Err(error) => return too_large(&error.to_string()).into_response(),
    };
    let body = match narrowed(&app, &parts, &body).await {
        Some(narrowed) => {
            parts.headers.remove(header::CONTENT_LENGTH);
            Body::from(narrowed)
        }
        None => Body::from(body),
    };
    next.run(Request::from_parts(parts, body)).await
}

/// `None` if there is nothing in it to look at.
async fn narrowed(app: &App, parts: &Parts, body: &[u8]) -> Option<String> {
    let who = of_request(app, parts)?;
    let mut message: Value = serde_json::from_slice(body).ok()?;
    let uris = message.pointer_mut("/params/notifications/resourceSubscriptions")?.as_array_mut()?;
    uris.truncate(MOST);
    for asked in std::mem::take(uris) {
        // What is no address at all is refused by whoever reads it.
        let keep = match asked.as_str() {
            Some(uri) => may_watch(app, &who, uri).await,
            None => true,
        };
        uris.extend(Some(asked).filter(|_| keep));
    }
    Some(message.to_string())
}

/// What can be watched in the newer revision: resources, and their list.
pub(super) fn accepted(requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
    let mut accepted = requested.clone();
    if let Some(uris) = &mut accepted.resource_subscriptions {
        uris.retain(|uri| Of::parse(uri).is_some());
        uris.truncate(MOST);
    }
    Some(accepted)
}

pub(super) async fn listen(app: &App, context: SubscriptionContext) -> Result<(), ErrorData> {
    let mut log = Log::new(app);
    let who = reader(app, &context.request_context().extensions)?;
    let mut uris = BTreeSet::new();
    for uri in context.accepted().resource_subscriptions.iter().flatten() {
        if may_watch(app, &who, uri).await {
            uris.insert(uri.clone());
        }
    }
    let list = context.accepted().resources_list_changed == Some(true);
    loop {
        let changed = tokio::select! {
            changed = log.changed() => changed,
            () = context.cancelled() => None,
        };
        let Some(changed) = changed else { return Ok(()) };
        for uri in uris.intersection(&changed.resources) {
            if context.sink().notify_resource_updated(uri.as_str()).await.is_err() {
                return Ok(());
            }
        }
        if list && changed.list_of(&who) && context.sink().notify_resource_list_changed().await.is_err() {
            return Ok(());
        }
    }
}

/// A reader of the log that says which resources changed.
struct Log {
    app: App,
    after: i64,
    head: watch::Receiver<i64>,
    closing: watch::Receiver<bool>,
}

#[derive(Debug, Default)]
struct Changed {
    resources: BTreeSet<String>,
    /// The list of teams has changed, for everybody.
    teams: bool,
    /// Whose conversations began or were deleted.
    conversations: Vec<(Party, TeamName)>,
}

impl Log {
    /// From now on.
    fn new(app: &App) -> Self {
        let (head, _) = app.engine.bus().subscribe();
        let after = *head.borrow();
        Self { app: app.clone(), after, head, closing: app.closing.clone() }
    }

    /// What has changed since the last time, or nothing after a while without any; `None` when the daemon ends.
    async fn changed(&mut self) -> Option<Changed> {
        if *self.closing.borrow() {
            return None;
        }
        tokio::select! {
            grown = self.head.changed() => grown.ok()?,
            closed = self.closing.changed() => { closed.ok()?; return None }
            () = tokio::time::sleep(STILL_THERE) => return Some(Changed::default()),
        }
        tokio::time::sleep(TOGETHER).await;
        let mut changed = Changed::default();
        let newest = *self.head.borrow_and_update();
        while self.after < newest {
            let bus = self.app.engine.bus();
            let events = match bus.read_after(self.app.engine.store(), self.after, AT_ONCE).await {
                Ok(events) => events,
                Err(error) => {
                    tracing::debug!(%error, "notices stop: the log cannot be read");
                    return None;
                }
            };
            events.iter().for_each(|event| changed.take(event));
            self.after = events.last().map_or(newest, |event| event.seq);
        }
        Some(changed)
    }
}

impl Changed {
    /// Whether the list that this one sees has changed.
    fn list_of(&self, who: &Caller) -> bool {
        self.teams || self.conversations.iter().any(|(from, to)| may_read(who, from, to))
    }

    fn take(&mut self, event: &Recorded) {
        let subject = &event.subject;
        if let Some(team) = &subject.team {
            self.resources.insert("iris://teams".to_owned());
            self.resources.insert(format!("iris://teams/{team}"));
        }
        if let Some(session) = &subject.session {
            self.resources.insert(format!("iris://sessions/{session}"));
        }
        if let Some(turn) = &subject.turn {
            self.resources.insert(format!("iris://turns/{turn}"));
        }
        if matches!(&*event.kind, "session.created" | "session.deleted") {
            let between = match serde_json::from_str(&event.body) {
                Ok(SessionEvent::Created { from, to } | SessionEvent::Deleted { from, to, .. }) => Some((from, to)),
                _ => None,
            };
            self.conversations.extend(between);
        }
        if event.kind == "config.applied" {
            self.take_config(&event.body);
        }
    }

    /// A team that is new, gone or other than before.
    fn take_config(&mut self, body: &str) {
        let Ok(ConfigEvent::Applied { changed, .. }) = serde_json::from_str(body) else { return };
        for key in changed.iter().filter_map(|key| key.strip_prefix("teams.")) {
            self.resources.insert("iris://teams".to_owned());
            self.teams = true;
            // A name may have dots in it, as the path to what changed in the team has; nobody watches what is no team.
            let ends = key.match_indices('.').map(|(end, _)| end).chain([key.len()]);
            self.resources.extend(ends.map(|end| format!("iris://teams/{}", &key[..end])));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iris_core::event::Subject;
    use std::borrow::Cow;

    #[test]
    fn a_config_that_changes_teams_changes_them_and_the_list() {
        let applied = |changed: &[&str]| {
            let body = serde_json::json!({ "changed": changed, "needsRestart": [] }).to_string().into();
            let kind = Cow::Borrowed("config.applied");
            let mut found = Changed::default();
            found.take(&Recorded { seq: 1, at: 0, kind, subject: Subject::default(), body });
            found
        };
        let found = applied(&["teams.gamma", "teams.a.b.model"]);
        assert!(found.teams);
        for uri in ["iris://teams", "iris://teams/gamma", "iris://teams/a.b"] {
            assert!(found.resources.contains(uri), "{uri}: {found:?}");
        }
        let found = applied(&["settings.maxQueue"]);
        assert!(!found.teams && found.resources.is_empty(), "{found:?}");
    }
}
