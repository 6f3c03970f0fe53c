//! /api/events and /api/stream: the log as a page of JSON, or as a stream that goes on, by SSE or by WebSocket.

mod follow;
pub(crate) mod frame;
pub(crate) mod socket;

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use futures_util::{StreamExt, stream};
use iris_api::Page;
use iris_api::event::{Event, Frame};
use iris_api::problem::Problem;
use iris_core::event::{KINDS, MESSAGE, Recorded};
use iris_core::fault::FaultKind;
use iris_core::id::{JobId, SessionId, TurnId};
use iris_engine::bus::{self, Batch};
use iris_engine::config::closest;
use iris_engine::session::SessionError;
use serde::Deserialize;
use utoipa::IntoParams;

use super::problem::{Fault, not_found};
use super::team::known as known_team;
use super::turn::follower;
use super::{PAGE_BYTES, page_after, page_size};
use crate::accept::liking;
use crate::connection::outflow::{Outflow, STALLED};
use crate::{App, wire};
pub(in crate::http) use follow::Follower;
use follow::Item;

#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Filter {
    /// Only events with higher numbers. A stream without it starts with what happens next.
    #[param(minimum = 0)]
    after: Option<i64>,
    /// For a page: only events with lower numbers.
    before: Option<i64>,
    /// For a page: at most this many; 100 if not said, 1000 at most. A page with fewer, because they are large or rare,
    /// may have a `next` too.
    #[param(minimum = 1)]
    limit: Option<i64>,
    team: Option<String>,
    session: Option<String>,
    /// The id of a job: what happens in its session.
    job: Option<String>,
    turn: Option<String>,
    /// A kind (`turn.finished`) or the noun of several (`turn`); more than one with commas between them.
    kind: Option<String>,
}

/// As a filter, without what makes a page.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct StreamFilter {
    /// Only events with higher numbers. Without it, it starts with what happens next.
    #[param(minimum = 0)]
    after: Option<i64>,
    team: Option<String>,
    session: Option<String>,
    /// The id of a job: what happens in its session.
    job: Option<String>,
    turn: Option<String>,
    /// A kind (`turn.finished`) or the noun of several (`turn`); more than one with commas between them.
    kind: Option<String>,
}

impl From<StreamFilter> for Filter {
    fn from(StreamFilter { after, team, session, job, turn, kind }: StreamFilter) -> Self {
        Self { after, before: None, limit: None, team, session, job, turn, kind }
    }
}

impl Filter {
    /// What would be passed over is refused: whoever says where to end would wait for it.
    fn is_of_stream(&self) -> Result<(), Fault> {
        let named = [("before", self.before), ("limit", self.limit)].into_iter().find(|(_, given)| given.is_some());
        let Some((name, _)) = named else { return Ok(()) };
        let hint = "leave it out and end the stream yourself, or read pages: `Accept: application/json`";
        Err(Fault::new(FaultKind::Invalid, format!("a stream takes no `{name}`, because it goes on")).hint(hint))
    }

    /// Everything that happens in one session.
    pub(super) fn of_session(session: &str) -> Self {
        let session = Some(session.to_owned());
        Self { after: None, before: None, limit: None, team: None, session, job: None, turn: None, kind: None }
    }

    /// With the session of its job in place of the job, which has one of its own. What there is not would give a stream that
    /// says nothing, which looks like an answer.
    async fn resolved(mut self, app: &App) -> Result<Self, Fault> {
        page_after(self.after)?;
        if let Some(team) = &self.team {
            known_team(app, team).await?;
        }
        if let Some(session) = &self.session {
            known_session(app, session).await?;
        }
        if let Some(turn) = &self.turn {
            known_turn(app, turn).await?;
        }
        self.kind.as_deref().map_or(Ok(()), known_kinds)?;
        let Some(job) = self.job.take() else { return Ok(self) };
        let session = app.engine.find_job(&JobId::new(job.as_str())).await?.session.to_string();
        if self.session.as_ref().is_some_and(|asked| *asked != session) {
            let what = format!("job {job} is in session {session}, not in the one that was asked for");
            return Err(Fault::new(FaultKind::Invalid, what).hint("give either `job` or `session`"));
        }
        self.session = Some(session);
        Ok(self)
    }

    fn takes(&self, event: &Recorded) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| wanted.is_none() || wanted.as_deref() == found;
        let subject = &event.subject;
        let is_of =
            |kind: &str| event.kind == kind || event.kind.strip_prefix(kind).is_some_and(|rest| rest.starts_with('.'));
        let kind = self.kind.as_deref().is_none_or(|kinds| kinds.split(',').any(is_of));
        kind && is(&self.team, subject.team.as_ref().map(|team| team.as_str()))
            && is(&self.session, subject.session.as_ref().map(|session| session.as_str()))
            && is(&self.turn, subject.turn.as_ref().map(|turn| turn.as_str()))
    }

    fn takes_delta(&self, delta: &bus::Delta) -> bool {
        let is = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|wanted| wanted == found);
        self.kind.as_deref().is_none_or(|kinds| kinds.split(',').any(|kind| kind == "message"))
            && is(&self.team, delta.team.as_str())
            && is(&self.session, delta.session.as_str())
            && is(&self.turn, delta.turn.as_str())
    }
}

/// What was said in a session that was forgotten is gone, but that it was there stands in the log: an id that may have been one's
/// is taken.
async fn known_session(app: &App, session: &str) -> Result<(), Fault> {
    if uuid::Uuid::parse_str(session).is_ok() || app.engine.find_session(&SessionId::new(session)).await?.is_some() {
        return Ok(());
    }
    Err(Fault::from(SessionError::NotFound(session.to_owned())).hint("give the whole id, as GET /api/sessions has it"))
}

/// So is one that may have been a turn's.
async fn known_turn(app: &App, turn: &str) -> Result<(), Fault> {
    if uuid::Uuid::parse_str(turn).is_ok() || app.engine.find_turn(&TurnId::new(turn)).await?.is_some() {
        return Ok(());
    }
    Err(not_found("turn", turn).hint("give the whole id, as GET /api/sessions/{id}/turns has it"))
}

fn known_kinds(kinds: &str) -> Result<(), Fault> {
    let nouns = || KINDS.iter().filter_map(|kind| kind.split('.').next()).chain([MESSAGE]);
    let is_known = |kind: &str| KINDS.contains(&kind) || nouns().any(|noun| noun == kind);
    let Some(unknown) = kinds.split(',').find(|kind| !is_known(kind)) else { return Ok(()) };
    let all: BTreeSet<_> = nouns().chain(KINDS).collect();
    let meant = closest(unknown, &all.into_iter().collect::<Vec<_>>());
    let nouns = nouns().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ");
    let meant = meant.map(|meant| format!("did you mean `{meant}`? ")).unwrap_or_default();
    let hint = format!("{meant}a kind is a noun ({nouns}), or one with what happened, such as turn.finished");
    Err(Fault::new(FaultKind::Invalid, format!("there is no kind of event '{unknown}'")).hint(hint))
}

/// The log: a page of JSON, or a stream that goes on if `Accept` is `text/event-stream`
#[utoipa::path(
    get,
    path = "/api/events",
    tag = "events",
    params(
        Filter,
        ("Last-Event-ID" = Option<i64>, Header, description = "Where a stream goes on; stronger than `after`"),
    ),
    responses(
        (status = 200, description = "done", content(
            (Page<Event> = "application/json"),
            (Frame = "text/event-stream"),
        )),
        (status = 410, description = "for a page: the number `after` is not of this log, whose end is `head`", body = Problem),
    )
)]
pub(crate) async fn list(
    State(app): State<App>,
    outflow: Option<Extension<Outflow>>,
    headers: HeaderMap,
    filter: Result<Query<Filter>, QueryRejection>,
) -> Result<Response, Fault> {
    let filter = filter?.0.resolved(&app).await?;
    // Looked at for a page too, where it means nothing: a number that cannot be read is not one of ours.
    let last = last_seen(&headers)?;
    if wants_stream(&headers) {
        filter.is_of_stream()?;
        let following = follower(&headers).map(|name| app.engine.follow(name));
        let follower = Follower::new(app, filter, last).of(following);
        return Ok(follow(follower, outflow.unwrap_or_default().0, |_, _| None));
    }
    Ok(page(&app, filter).await?.into_response())
}

/// Whether a stream is taken at all, and liked no less than a page.
fn wants_stream(headers: &HeaderMap) -> bool {
    let stream = liking(headers, "text/event-stream");
    stream > 0.0 && stream >= liking(headers, "application/json")
}

/// A number that cannot be read is not passed over: the reader would miss what came since.
pub(super) fn last_seen(headers: &HeaderMap) -> Result<Option<i64>, Fault> {
    let Some(last) = headers.get("last-event-id") else { return Ok(None) };
    let number = last.to_str().ok().and_then(|last| last.parse().ok()).filter(|last| *last >= 0);
    let what = || "Last-Event-ID is not the number of an event".to_owned();
    let hint = "send the `id` of the last event that you had, or no such header to begin with what happens next";
    number.map(Some).ok_or_else(|| Fault::new(FaultKind::Invalid, what()).hint(hint))
}

/// How many events are read at once, if they are small. Others read the store in between.
const AT_ONCE: usize = 1000;
/// What is held beside the page is never much.
const BYTES_AT_ONCE: usize = PAGE_BYTES / 4;
/// How many events are looked at for one page. A filter that takes few may give a page that is not full and not last: whoever
/// may read at all could else have the whole log looked through with every request.
const LOOKED_AT: usize = 20 * AT_ONCE;

async fn page(app: &App, filter: Filter) -> Result<Json<Page<Event>>, Fault> {
    let wanted = usize::try_from(page_size(filter.limit)?).unwrap_or(AT_ONCE);
    let mut after = page_after(filter.after)?;
    is_of_this_log(app, after).await?;
    let (mut items, mut bytes, mut looked_at) = (Vec::new(), 0, 0);
    let mut at_once = Batch { events: wanted, bytes: BYTES_AT_ONCE };
    // Goes on until the page is full, so that what is rare is found with few requests.
    while looked_at < LOOKED_AT {
        let events = app.engine.bus().read_after(app.engine.store(), after, at_once).await?;
        let is_last = !at_once.is_full(&events);
        looked_at += events.len();
        at_once.events = AT_ONCE.min(LOOKED_AT.saturating_sub(looked_at).max(1));
        // Each is let go when it has been written anew.
        for event in events {
            if filter.before.is_some_and(|before| event.seq >= before) {
                return Ok(Json(Page { items, next: None }));
            }
            after = event.seq;
            if filter.takes(&event) {
                bytes += event.body.len();
                items.push(wire::event(&event));
            }
            if items.len() == wanted || bytes >= PAGE_BYTES {
                return Ok(Json(Page { next: Some(after.to_string()), items }));
            }
        }
        if is_last {
            return Ok(Json(Page { items, next: None }));
        }
    }
    Ok(Json(Page { items, next: Some(after.to_string()) }))
}

/// An empty page would say that nothing has happened since, to a reader that would wait for ever. A stream says `reset`.
async fn is_of_this_log(app: &App, after: i64) -> Result<(), Fault> {
    let bus = app.engine.bus();
    if after <= bus.head() {
        return Ok(());
    }
    let head = bus.newest(app.engine.store()).await?;
    if after <= head {
        return Ok(());
    }
    let what = format!("the log has no event {after}; its newest is {head}");
    let hint = format!("the number is of another log: read anew what you know, and go on with after={head}");
    Err(Fault::new(FaultKind::Gone, what).hint(hint).head(head))
}

/// Whoever reads knows by its absence that a connection is dead, so it says how long something dead looks alive.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(5);

/// What a stream says of an event of this kind, with this JSON, in place of it: the name of the frame, and what is in it. Nothing
/// for what it has no words of its own for.
pub(super) trait Words: Fn(&str, &str) -> Option<(&'static str, String)> + Send + 'static {}

impl<F: Fn(&str, &str) -> Option<(&'static str, String)> + Send + 'static> Words for F {}

/// Everything that there is to say at one time goes out as one piece, whatever the number of events in it, unless they are
/// large. The next piece is asked for when there is room for it, so a reader that stalled and wakes up before the connection
/// itself is given up is told why it ends.
pub(super) fn follow<W: Words>(follower: Follower, outflow: Outflow, words: W) -> Response {
    let stalls_before = outflow.stalls();
    let reader = Some((follower, outflow, words));
    let pieces = stream::unfold(reader, move |reader| async move {
        let (mut follower, outflow, words) = reader?;
        if outflow.stalls() > stalls_before {
            return Some((pieces_of(vec![dropped(&why_dropped()).into()]), None));
        }
        let pieces = match tokio::time::timeout(HEARTBEAT, follower.next()).await {
            Ok(items) => write_frames(items?, &words),
            // A line that means nothing, so that whoever is in between does not think that nobody is there.
            Err(_) => vec![Bytes::from_static(b":\n\n")],
        };
        Some((pieces_of(pieces), Some((follower, outflow, words))))
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(pieces.flatten())).into_response()
}

fn pieces_of(pieces: Vec<Bytes>) -> stream::Iter<impl Iterator<Item = Result<Bytes, Infallible>>> {
    stream::iter(pieces.into_iter().map(Ok))
}

/// What a reader that stalled is told, by either way.
pub(super) fn why_dropped() -> String {
    format!("nothing was taken for {} s; come back with your number", STALLED.as_secs())
}

/// The last frame of a stream that is ended here.
pub(crate) fn dropped(why: &str) -> String {
    format!("event: dropped\ndata: {}\n\n", serde_json::json!({ "why": why }))
}

/// JSON has no line breaks of its own, so it is one line of data. What is large goes out as it was written for all, by itself:
/// readers that have stalled at the same event hold it once.
fn write_frames(items: Vec<Item>, words: &impl Words) -> Vec<Bytes> {
    let (mut pieces, mut text) = (Vec::new(), String::new());
    for item in items {
        let (number, name, json) = match item {
            Item::Event { seq, kind, json } => match words(&kind, &json) {
                Some((name, said)) => (Some(seq), name, Arc::new(said)),
                None => (Some(seq), "event", json),
            },
            Item::Delta { json } => (None, "delta", Arc::new(json)),
            Item::Reset { head, json } => (Some(head), "reset", Arc::new(json)),
        };
        if let Some(number) = number {
            text.push_str("id: ");
            text.push_str(&number.to_string());
            text.push('\n');
        }
        for part in ["event: ", name, "\ndata: "] {
            text.push_str(part);
        }
        if frame::is_large(&json) {
            pieces.push(std::mem::take(&mut text).into());
            pieces.push(Bytes::from_owner(Shared(json)));
        } else {
            text.push_str(&json);
        }
        text.push_str("\n\n");
    }
    pieces.push(text.into());
    pieces
}

struct Shared(Arc<String>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_for_whoever_takes_one() {
        let wants_stream =
            |accept: &str| wants_stream(&HeaderMap::from_iter([(header::ACCEPT, accept.parse().expect("a value"))]));
        for yes in ["text/event-stream", "Text/Event-Stream;q=0.5, */*;q=0.1", "application/json, text/event-stream"] {
            assert!(wants_stream(yes), "{yes}");
        }
        let no = ["", "*/*", "application/json", "text/event-stream;q=0", "text/event-stream; q=0.0, application/json"];
        for no in no.into_iter().chain(["text/event-stream;q=0.2, application/json", "text/event-streams"]) {
            assert!(!wants_stream(no), "{no}");
        }
    }

    #[test]
    fn what_is_large_is_sent_by_itself_and_not_copied() {
        let (small, large) = (Arc::new("{}".to_owned()), Arc::new("x".repeat(1_000_000)));
        let event = |seq, json: &Arc<String>| Item::Event { seq, kind: "message".into(), json: Arc::clone(json) };
        let pieces = write_frames(vec![event(1, &small), event(2, &large), event(3, &small)], &|_, _| None);
        let text = String::from_utf8(pieces.concat()).expect("text");
        let frame = |seq: i64, json: &str| format!("id: {seq}\nevent: event\ndata: {json}\n\n");
        assert_eq!(text, frame(1, &small) + &frame(2, &large) + &frame(3, &small));
        assert!(pieces.len() == 3 && std::ptr::eq(pieces[1].as_ptr(), large.as_ptr()));
        let words = |kind: &str, json: &str| (kind == "message").then(|| ("said", json.len().to_string()));
        assert_eq!(write_frames(vec![event(4, &large)], &words).concat(), b"id: 4\nevent: said\ndata: 1000000\n\n");
    }
}
