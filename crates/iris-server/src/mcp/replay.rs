//! What was said in a session of the older revision, kept for a while for a client whose connection broke: it comes back
//! with the last event it has, hears what it missed, and if the call still runs, what follows. What keeps sessions in the
//! protocol's library forgets a call with its answer, which is just when somebody comes back for it.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::stream;
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, RequestId, ServerJsonRpcMessage, ServerNotification, ServerResult};
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::session::{EventId, EventStore, EventStoreError, EventStream};
use tokio::sync::watch;

/// How long an answer can be fetched after the call was done.
const KEPT_FOR: Duration = Duration::from_secs(5 * 60);
/// Of each call. Of older progress nobody needs to hear; the answer is the last there is.
const MOST_OF_ONE: usize = 16;
/// Of what is said beside the calls, where the same notice is kept once: all that a session may watch, and some more.
const MOST_BESIDE: usize = super::notice::MOST + 24;
/// Answers that wait to be fetched, all together. When there are more, one goes of whoever has most.
const MOST_DONE: usize = 128;
/// What one credential may have kept. Of an answer that is too long for it there is kept only where to find it.
const MOST_BYTES_OF_ONE: usize = 32 * 1024 * 1024;
/// What all have together.
const MOST_BYTES: usize = 2 * MOST_BYTES_OF_ONE;
/// What the stream beside the calls is called, after its session.
const BESIDE: &str = ":common";

#[derive(Clone, Default)]
pub(super) struct Replays(Arc<Mutex<All>>);

#[derive(Default)]
struct All {
    streams: HashMap<String, Kept>,
    /// The credential of each session.
    owners: HashMap<SessionId, String>,
}

/// One stream: what was said in a call, or in a session beside its calls.
struct Kept {
    /// Known as soon as somebody has read something of it.
    session: Option<SessionId>,
    /// By what the call was asked.
    asked: Option<RequestId>,
    /// The number of the newest event that was read.
    read: u64,
    /// The number of the newest event. Dropped with what is kept, which ends whoever waits for more.
    newest: watch::Sender<u64>,
    events: VecDeque<(u64, ServerSseMessage)>,
    /// The number of the newest event that somebody would miss who has only older ones.
    lost: u64,
    /// It has had its answer.
    done: Option<Instant>,
    /// How long its answer is. Everything else that is said is short.
    bytes: usize,
}

impl Kept {
    fn is_read(&self) -> bool {
        self.read == *self.newest.borrow()
    }

    fn make_room_beside(&mut self, event: &ServerSseMessage) {
        // That a thing changed is not worth more because it was said twice.
        if let Some(what) = changed(event) {
            self.events.retain(|(_, known)| changed(known) != Some(what));
        }
        if self.events.len() >= MOST_BESIDE {
            self.lost = self.events.pop_front().map_or(self.lost, |(number, _)| number);
        }
    }

    /// Whoever comes back for the answer is told where it is.
    fn shorten(&mut self) {
        if let Some((_, event)) = self.events.back_mut() {
            event.message = event.message.take().map(|answer| Arc::new(elsewhere(&answer, self.bytes)));
        }
        self.bytes = 0;
    }
}

impl Replays {
    fn lock(&self) -> MutexGuard<'_, All> {
        self.0.lock().expect("nothing panics while it holds these")
    }

    pub fn belongs_to(&self, session: &SessionId, owner: String) {
        self.lock().owners.insert(session.clone(), owner);
    }

    /// Somebody reads this event in this session: nobody reads on from it in another.
    pub fn is_read_in(&self, session: &SessionId, event: &str, asked: Option<&RequestId>) {
        if let Some((stream, number)) = place(event)
            && let Some(kept) = self.lock().streams.get_mut(stream)
        {
            kept.session.get_or_insert_with(|| session.clone());
            kept.read = kept.read.max(number);
            kept.asked = kept.asked.take().or_else(|| asked.cloned());
        }
    }

    /// The id of the call that an event was said in.
    pub fn asked_by(&self, event: &str) -> Option<RequestId> {
        let (stream, _) = place(event)?;
        self.lock().streams.get(stream)?.asked.clone()
    }

    /// What was said beside the calls of a session when nobody listened.
    pub fn unread(&self, session: &SessionId) -> Vec<ServerSseMessage> {
        let all = self.lock();
        let Some(kept) = all.streams.get(&format!("{session}{BESIDE}")) else { return Vec::new() };
        kept.events.iter().filter(|(number, _)| *number > kept.read).map(|(_, event)| event.clone()).collect()
    }

    /// Whether an event was read in this session, and what came after it is kept.
    pub fn is_of(&self, session: &SessionId, event: &str) -> bool {
        let Some((stream, number)) = place(event) else { return false };
        let all = self.lock();
        all.streams.get(stream).is_some_and(|kept| kept.session.as_ref() == Some(session) && number >= kept.lost)
    }

    pub fn forget(&self, session: &SessionId) {
        let beside = format!("{session}{BESIDE}");
        let mut all = self.lock();
        all.owners.remove(session);
        all.streams.retain(|stream, kept| kept.session.as_ref() != Some(session) && *stream != beside);
    }

    fn keep(&self, stream: &str, event: &ServerSseMessage) -> EventId {
        let is_beside = stream.ends_with(BESIDE);
        let is_done = is_answer(event) && !is_beside;
        let bytes = if is_done { length(event) } else { 0 };
        let mut all = self.lock();
        let kept = all.streams.entry(stream.to_owned()).or_insert_with(|| Kept {
            session: None,
            asked: None,
            read: 0,
            newest: watch::Sender::new(0),
            events: VecDeque::new(),
            lost: 0,
            done: None,
            bytes: 0,
        });
        let number = *kept.newest.borrow() + 1;
        let id = format!("{stream}/{number}");
        if is_beside {
            kept.make_room_beside(event);
        } else if kept.events.len() >= MOST_OF_ONE {
            kept.events.pop_front();
        }
        let mut event = event.clone();
        event.event_id = Some(id.clone());
        kept.done = is_done.then(Instant::now);
        kept.bytes = bytes;
        kept.events.push_back((number, event));
        if bytes > MOST_BYTES_OF_ONE {
            kept.shorten();
        }
        kept.newest.send_replace(number);
        if is_done {
            tidy(&mut all);
        }
        id
    }

    /// Done now and then too, so that nothing is kept longer because nobody calls.
    pub fn tidy(&self) {
        tidy(&mut self.lock());
    }

    /// The first event after this one, or who tells of it; nothing at the end.
    fn after(&self, stream: &str, number: u64) -> Option<Next> {
        let all = self.lock();
        let kept = all.streams.get(stream)?;
        match kept.events.iter().find(|(known, _)| *known > number) {
            Some((number, event)) => Some(Next::Event(*number, event.clone())),
            None if kept.done.is_some() => None,
            None => Some(Next::Wait(kept.newest.subscribe())),
        }
    }
}

enum Next {
    Event(u64, ServerSseMessage),
    Wait(watch::Receiver<u64>),
}

#[async_trait]
impl EventStore for Replays {
    async fn store_event(&self, stream: &str, event: &ServerSseMessage) -> Result<EventId, EventStoreError> {
        Ok(self.keep(stream, event))
    }

    async fn replay_events_after(&self, last: &str) -> Result<EventStream, EventStoreError> {
        let (stream, number) = place(last).ok_or("that is no event of a stream")?;
        let begin = (self.clone(), stream.to_owned(), number);
        Ok(Box::pin(stream::unfold(begin, async |(replays, stream, number)| {
            loop {
                match replays.after(&stream, number)? {
                    Next::Event(number, event) => return Some((event, (replays, stream, number))),
                    // Subscribed under the lock under which there was nothing, so nothing is missed.
                    Next::Wait(mut newest) => newest.changed().await.ok()?,
                }
            }
        })))
    }
}

fn is_answer(event: &ServerSseMessage) -> bool {
    matches!(event.message.as_deref(), Some(ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)))
}

/// What a notice says of: a resource, or the list of them.
fn changed(event: &ServerSseMessage) -> Option<&str> {
    let ServerJsonRpcMessage::Notification(notice) = event.message.as_deref()? else { return None };
    match &notice.notification {
        ServerNotification::ResourceUpdatedNotification(updated) => Some(&updated.params.uri),
        ServerNotification::ResourceListChangedNotification(_) => Some("the list"),
        _ => None,
    }
}

/// The stream of an event, and its number there.
pub(super) fn place(event: &str) -> Option<(&str, u64)> {
    let (stream, number) = event.rsplit_once('/')?;
    Some((stream, number.parse().ok()?))
}

/// How long it is as it is sent.
fn length(event: &ServerSseMessage) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    serde_json::to_writer(&mut count, &event.message).expect("a message is plain data");
    count.0
}

/// What is said in place of an answer that is too long to be kept.
fn elsewhere(answer: &ServerJsonRpcMessage, bytes: usize) -> ServerJsonRpcMessage {
    let (id, turn) = match answer {
        ServerJsonRpcMessage::Response(response) => {
            let structured = match &response.result {
                ServerResult::CallToolResult(result) => result.structured_content.as_ref(),
                _ => None,
            };
            (Some(response.id.clone()), structured.and_then(|answer| answer["turnId"].as_str()))
        }
        ServerJsonRpcMessage::Error(error) => (error.id.clone(), None),
        _ => (None, None),
    };
    let place = match turn {
        Some(turn) => format!("team_report, or GET /api/turns/{turn}, has what was said"),
        None => "make the call again if it only reads".to_owned(),
    };
    let what = format!("the call is done, but its answer of {bytes} bytes was too much to be kept; {place}");
    ServerJsonRpcMessage::error(ErrorData::new(ErrorCode::INTERNAL_ERROR, what, None), id)
}

/// What is done goes when it is old. When there is too much, one goes of whoever has most: what was read to its end, or else
/// the oldest.
fn tidy(all: &mut All) {
    let All { streams, owners } = all;
    streams.retain(|_, kept| kept.done.is_none_or(|done| done.elapsed() < KEPT_FOR));
    let owner = |kept: &Kept| kept.session.as_ref().and_then(|session| owners.get(session));
    if streams.values().filter(|kept| kept.done.is_some()).count() > MOST_DONE
        && let Some(stream) = of_most(streams, owner, |_| 1)
    {
        streams.remove(&stream);
    }
    while is_too_much(streams, owner)
        && let Some(stream) = of_most(streams, owner, |kept| kept.bytes)
    {
        streams.get_mut(&stream).expect("it was found there").shorten();
    }
}

fn is_too_much<'a>(streams: &HashMap<String, Kept>, owner: impl Fn(&Kept) -> Option<&'a String>) -> bool {
    let held = held(streams, owner, |kept| kept.bytes);
    held.values().any(|bytes| *bytes > MOST_BYTES_OF_ONE) || held.values().sum::<usize>() > MOST_BYTES
}

/// What is done, by whose it is.
fn held<'a>(
    streams: &HashMap<String, Kept>,
    owner: impl Fn(&Kept) -> Option<&'a String>,
    weight: impl Fn(&Kept) -> usize,
) -> HashMap<Option<&'a String>, usize> {
    let mut held = HashMap::new();
    let done = streams.values().filter(|kept| kept.done.is_some());
    done.for_each(|kept| *held.entry(owner(kept)).or_insert(0) += weight(kept));
    held
}

/// Of what weighs something: the one to go first.
fn of_most<'a>(
    streams: &HashMap<String, Kept>,
    owner: impl Fn(&Kept) -> Option<&'a String>,
    weight: impl Fn(&Kept) -> usize,
) -> Option<String> {
    let held = held(streams, &owner, &weight);
    let done = streams.iter().filter_map(|(stream, kept)| Some((stream, kept, kept.done?)));
    done.filter(|(_, kept, _)| weight(kept) > 0)
        .max_by_key(|(_, kept, done)| (held[&owner(kept)], kept.is_read(), Reverse(*done)))
        .map(|(stream, ..)| stream.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::StreamExt;
    use serde_json::json;

    fn event(message: serde_json::Value) -> ServerSseMessage {
        ServerSseMessage::from_message(serde_json::from_value(message).expect("a message"))
    }

    fn progress(number: u64) -> ServerSseMessage {
        let params = json!({"progressToken": 1, "progress": number});
        event(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}))
    }

    fn answer() -> ServerSseMessage {
        event(json!({"jsonrpc": "2.0", "id": 1, "result": {}}))
    }

    fn long_answer(bytes: usize) -> ServerSseMessage {
        let structured = json!({"turnId": "turn-7", "response": "x".repeat(bytes)});
        let result = json!({"content": [], "structuredContent": structured, "resultType": "complete"});
        event(json!({"jsonrpc": "2.0", "id": 1, "result": result}))
    }

    async fn read(replays: &Replays, last: &str) -> Vec<String> {
        let stream = replays.replay_events_after(last).await.expect("a stream");
        stream.filter_map(async |event| event.event_id).collect().await
    }

    #[tokio::test]
    async fn whoever_comes_back_hears_what_it_missed_to_the_end() {
        let replays = Replays::default();
        let first = replays.keep("a", &progress(1));
        let waits = iris_engine::tasks::spawn("test", {
            let (replays, first) = (replays.clone(), first.clone());
            async move { read(&replays, &first).await }
        });
        tokio::task::yield_now().await;
        replays.keep("b", &progress(1));
        replays.keep("a", &progress(2));
        replays.keep("a", &answer());
        assert_eq!(waits.await.expect("read"), ["a/2", "a/3"], "while the call ran");
        assert_eq!(read(&replays, &first).await, ["a/2", "a/3"], "and after it");
        assert!(read(&replays, "a/3").await.is_empty() && read(&replays, "nothing/1").await.is_empty());
    }

    #[tokio::test]
    async fn what_is_kept_is_bounded_and_ends_with_its_session() {
        let replays = Replays::default();
        for number in 0..100 {
            replays.keep("long", &progress(number));
        }
        replays.keep("long", &answer());
        assert_eq!(read(&replays, "long/1").await.len(), MOST_OF_ONE);
        for number in 0..2 * MOST_DONE {
            replays.keep(&format!("call {number}"), &answer());
        }
        assert_eq!(replays.lock().streams.len(), MOST_DONE);

        let (mine, other) = (SessionId::from("mine"), SessionId::from("other"));
        replays.keep("mine:common", &answer());
        replays.keep("mine:common", &progress(1));
        replays.is_read_in(&mine, "mine:common/1", None);
        assert_eq!(replays.unread(&mine).len(), 1, "and it goes on after an answer");
        replays.keep("open", &progress(1));
        assert!(!replays.is_of(&mine, "open/1"), "nobody has read it");
        replays.is_read_in(&mine, "open/1", None);
        replays.is_read_in(&other, "open/1", None);
        assert!(replays.is_of(&mine, "open/1") && !replays.is_of(&other, "open/1"));
        let waits = iris_engine::tasks::spawn("test", {
            let replays = replays.clone();
            async move { read(&replays, "open/1").await }
        });
        tokio::task::yield_now().await;
        replays.forget(&mine);
        assert!(replays.unread(&mine).is_empty());
        assert!(waits.await.expect("it ends").is_empty());
    }

    #[test]
    fn beside_the_calls_each_notice_is_kept_once_and_what_is_lost_is_said_to_be() {
        let replays = Replays::default();
        let mine = SessionId::from("mine");
        let changed = |number: usize| {
            let params = json!({"uri": format!("iris://sessions/{number}")});
            let notice = json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": params});
            replays.keep("mine:common", &event(notice))
        };
        let first = changed(0);
        replays.is_read_in(&mine, &first, None);
        for _ in 0..3 {
            (1..MOST_BESIDE).for_each(|number| drop(changed(number)));
        }
        assert_eq!(replays.unread(&mine).len(), MOST_BESIDE - 1);
        assert!(replays.is_of(&mine, &first), "it misses nothing");
        let second = changed(MOST_BESIDE);
        assert!(replays.is_of(&mine, &first), "it has had what made room");
        changed(MOST_BESIDE + 1);
        assert!(!replays.is_of(&mine, &first) && replays.is_of(&mine, &second));
    }

    #[test]
    fn whoever_has_most_loses_what_was_read_and_then_the_oldest() {
        let replays = Replays::default();
        let keep = |session: &str, stream: &str, is_read: bool| {
            let id = SessionId::from(session);
            replays.belongs_to(&id, format!("owner of {session}"));
            let begun = replays.keep(stream, &progress(1));
            replays.is_read_in(&id, &begun, None);
            let answer = replays.keep(stream, &answer());
            if is_read {
                replays.is_read_in(&id, &answer, None);
            }
        };
        let has = |stream: &str| replays.lock().streams.contains_key(stream);
        keep("mine", "mine", false);
        keep("weak", "unread", false);
        for number in 0..2 * MOST_DONE {
            keep("weak", &format!("call {number}"), true);
        }
        assert!(has("mine") && has("unread") && !has("call 0"));
        for number in 0..MOST_DONE {
            keep("weak", &format!("unread {number}"), false);
        }
        assert!(has("mine") && !has("unread") && has(&format!("unread {}", MOST_DONE - 1)));
        assert_eq!(replays.lock().streams.len(), MOST_DONE);
    }

    #[test]
    fn long_answers_are_kept_as_long_as_there_is_room_and_then_say_where_they_are() {
        const MEGABYTE: usize = 1024 * 1024;
        let replays = Replays::default();
        let keep = |session: &str, stream: &str, megabytes: usize, is_read: bool| {
            let id = SessionId::from(session);
            replays.belongs_to(&id, format!("owner of {session}"));
            let begun = replays.keep(stream, &progress(1));
            replays.is_read_in(&id, &begun, None);
            let answer = replays.keep(stream, &long_answer(megabytes * MEGABYTE));
            if is_read {
                replays.is_read_in(&id, &answer, None);
            }
        };
        let said = |stream: &str| {
            let all = replays.lock();
            let (_, event) = all.streams[stream].events.back().expect("it has an answer");
            serde_json::to_value(&event.message).expect("JSON")
        };
        let is_whole = |stream: &str| said(stream)["result"].is_object();
        keep("other", "others", 20, false);
        keep("mine", "unread", 10, false);
        keep("mine", "read", 10, true);
        keep("mine", "new", 10, false);
        assert!(["others", "unread", "read", "new"].into_iter().all(is_whole), "it fits");
        keep("mine", "newer", 10, false);
        assert!(is_whole("unread") && !is_whole("read") && is_whole("newer"), "what was read goes first");
        keep("mine", "newest", 10, false);
        assert!(!is_whole("unread") && is_whole("new") && is_whole("others"), "then the oldest");
        keep("mine", "larger than all", 40, false);
        assert!(is_whole("new") && is_whole("newest"), "it takes the room of none");
        let instead = said("larger than all");
        assert_eq!(instead["id"], 1, "the call has its end: {instead}");
        assert!(
            instead["error"]["message"].as_str().is_some_and(|said| said.contains("/api/turns/turn-7")),
            "{instead}"
        );
        keep("third", "thirds", 20, false);
        assert!(!is_whole("new") && is_whole("others") && is_whole("thirds"), "all together have a bound too");
    }
}
