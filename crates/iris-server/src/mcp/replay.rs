//! What was said in a session of the older revision, kept for a while for a client whose connection broke: it comes back
//! with the last event it has, hears what it missed, and if the call still runs, what follows. What keeps sessions in the
//! protocol's library forgets a call with its answer, which is just when somebody comes back for it.

use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::stream;
use rmcp::model::ServerJsonRpcMessage;
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::session::{EventId, EventStore, EventStoreError, EventStream};
use tokio::sync::watch;

/// How long an answer can be fetched after the call was done.
const KEPT_FOR: Duration = Duration::from_secs(5 * 60);
/// Of each stream. Of older progress nobody needs to hear; the answer is the last there is.
const MOST_OF_ONE: usize = 16;
/// Answers that wait to be fetched, all together, however long they are. When there are more, one goes of whoever has most.
const MOST_DONE: usize = 128;
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
    /// The number of the newest event that was read.
    read: u64,
    /// The number of the newest event. Dropped with what is kept, which ends whoever waits for more.
    newest: watch::Sender<u64>,
    events: VecDeque<(u64, ServerSseMessage)>,
    /// It has had its answer.
    done: Option<Instant>,
}

impl Replays {
    fn lock(&self) -> MutexGuard<'_, All> {
        self.0.lock().expect("nothing panics while it holds these")
    }

    pub fn belongs_to(&self, session: &SessionId, owner: String) {
        self.lock().owners.insert(session.clone(), owner);
    }

    /// Somebody reads this event in this session: nobody reads on from it in another.
    pub fn is_read_in(&self, session: &SessionId, event: &str) {
        if let Some((stream, number)) = place(event)
            && let Some(kept) = self.lock().streams.get_mut(stream)
        {
            kept.session.get_or_insert_with(|| session.clone());
            kept.read = kept.read.max(number);
        }
    }

    /// What was said beside the calls of a session when nobody listened.
    pub fn unread(&self, session: &SessionId) -> Vec<ServerSseMessage> {
        let all = self.lock();
        let Some(kept) = all.streams.get(&format!("{session}{BESIDE}")) else { return Vec::new() };
        kept.events.iter().filter(|(number, _)| *number > kept.read).map(|(_, event)| event.clone()).collect()
    }

    /// Whether an event was read in this session.
    pub fn is_of(&self, session: &SessionId, event: &str) -> bool {
        place(event).is_some_and(|(stream, _)| {
            self.lock().streams.get(stream).is_some_and(|kept| kept.session.as_ref() == Some(session))
        })
    }

    pub fn forget(&self, session: &SessionId) {
        let beside = format!("{session}{BESIDE}");
        let mut all = self.lock();
        all.owners.remove(session);
        all.streams.retain(|stream, kept| kept.session.as_ref() != Some(session) && *stream != beside);
    }

    fn keep(&self, stream: &str, event: &ServerSseMessage) -> EventId {
        let mut all = self.lock();
        let kept = all.streams.entry(stream.to_owned()).or_insert_with(|| Kept {
            session: None,
            read: 0,
            newest: watch::Sender::new(0),
            events: VecDeque::new(),
            done: None,
        });
        let number = *kept.newest.borrow() + 1;
        let id = format!("{stream}/{number}");
        if kept.events.len() >= MOST_OF_ONE {
            kept.events.pop_front();
        }
        let mut event = event.clone();
        event.event_id = Some(id.clone());
        let is_done = is_answer(&event) && !stream.ends_with(BESIDE);
        kept.done = is_done.then(Instant::now);
        kept.events.push_back((number, event));
        kept.newest.send_replace(number);
        if is_done {
            tidy(&mut all);
        }
        id
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

/// The stream of an event, and its number there.
pub(super) fn place(event: &str) -> Option<(&str, u64)> {
    let (stream, number) = event.rsplit_once('/')?;
    Some((stream, number.parse().ok()?))
}

/// What is done goes when it is old. When there is too much, one goes of whoever has most: what was read to its end, or else
/// the oldest.
fn tidy(all: &mut All) {
    let All { streams, owners } = all;
    streams.retain(|_, kept| kept.done.is_none_or(|done| done.elapsed() < KEPT_FOR));
    let done = || streams.iter().filter_map(|(stream, kept)| Some((stream, kept, kept.done?)));
    if done().count() <= MOST_DONE {
        return;
    }
    let owner = |kept: &Kept| kept.session.as_ref().and_then(|session| owners.get(session));
    let mut counts = HashMap::new();
    done().for_each(|(_, kept, _)| *counts.entry(owner(kept)).or_insert(0) += 1);
    let rank = |kept: &Kept, done| (counts[&owner(kept)], kept.read == *kept.newest.borrow(), Reverse(done));
    let next = done().max_by_key(|(_, kept, done)| rank(kept, *done)).map(|(stream, ..)| stream.clone());
    next.and_then(|stream| streams.remove(&stream));
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
        replays.is_read_in(&mine, "mine:common/1");
        assert_eq!(replays.unread(&mine).len(), 1, "and it goes on after an answer");
        replays.keep("open", &progress(1));
        assert!(!replays.is_of(&mine, "open/1"), "nobody has read it");
        replays.is_read_in(&mine, "open/1");
        replays.is_read_in(&other, "open/1");
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
    fn whoever_has_most_loses_what_was_read_and_then_the_oldest() {
        let replays = Replays::default();
        let keep = |session: &str, stream: &str, is_read: bool| {
            let id = SessionId::from(session);
            replays.belongs_to(&id, format!("owner of {session}"));
            let begun = replays.keep(stream, &progress(1));
            replays.is_read_in(&id, &begun);
            let answer = replays.keep(stream, &answer());
            if is_read {
                replays.is_read_in(&id, &answer);
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
}
