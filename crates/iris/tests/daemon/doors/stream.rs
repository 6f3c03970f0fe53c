//! The log as it grows: the same events by SSE and by WebSocket, from any number on, without a gap or a repeat.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use iris_testing::client::socket::{self, Message};
use serde_json::{Value, json};

use super::caller::{bearer, is_problem};
use crate::world::{ECHO, SOON, World, setup};

/// A socket in a test: what goes wrong fails it.
pub struct Socket(socket::Socket);

impl Socket {
    pub async fn open(world: &World, path: &str, headers: &[(&str, &str)]) -> Result<Self, u16> {
        let opened = socket::Socket::open(&world.daemon.address, path, headers).await.expect("an answer");
        opened.map(Self)
    }

    pub async fn of_the_owner(world: &World, path: &str) -> Self {
        Self::open(world, path, &[("authorization", &bearer(&world.daemon.token))]).await.expect("open")
    }

    /// Says goodbye and waits for the answer to it: with which code.
    pub async fn leave(mut self) -> Option<u16> {
        self.0.0.send(Message::Close(None)).await.expect("sent");
        self.code().await
    }

    /// What is said last.
    pub async fn code(&mut self) -> Option<u16> {
        loop {
            match tokio::time::timeout(SOON, self.0.0.next()).await.expect("in time") {
                Some(Ok(Message::Close(frame))) => return Some(frame.map_or(1005, |frame| frame.code.into())),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return None,
            }
        }
    }

    pub async fn next(&mut self) -> Option<Value> {
        self.0.next(SOON).await.expect("something comes")
    }

    /// Waits until the other side has closed it.
    pub async fn closed(&mut self) {
        while self.next().await.is_some() {}
    }
}

/// One reader, by either way, that knows the number it has come to.
struct Reader {
    way: Way,
    filter: String,
    after: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Sse,
    Socket,
}

impl Reader {
    fn new(way: Way, filter: &str) -> Self {
        Self { way, filter: filter.to_owned(), after: 0 }
    }

    /// Connects, takes up to so many events, and cuts the connection. An error is a connection that was cut for it.
    async fn take(&mut self, world: &World, most: usize, patience: Duration) -> Vec<Value> {
        let path = format!("after={}{}", self.after, self.filter);
        let mut taken = Vec::new();
        match self.way {
            Way::Sse => {
                let Ok(mut stream) = world.client().follow(&format!("/api/events?{path}")).await else { return taken };
                while taken.len() < most
                    && let Ok((kind, event)) = stream.next(patience).await
                {
                    taken.extend((kind == "event").then_some(event));
                }
            }
            Way::Socket => {
                let (path, owner) = (format!("/api/stream?{path}"), bearer(&world.daemon.token));
                let headers = [("authorization", owner.as_str())];
                let Ok(Ok(mut socket)) = socket::Socket::open(&world.daemon.address, &path, &headers).await else {
                    return taken;
                };
                while taken.len() < most
                    && let Ok(Some(mut said)) = socket.next(patience).await
                {
                    let is_event = said["type"] == "event";
                    said.as_object_mut().expect("an object").remove("type");
                    taken.extend(is_event.then_some(said));
                }
            }
        }
        self.after = taken.last().map_or(self.after, |event| event["seq"].as_i64().expect("a number"));
        taken
    }

    async fn take_all(&mut self, world: &World, until: i64) -> Vec<Value> {
        let mut all = Vec::new();
        while self.after < until {
            let before = self.after;
            all.extend(self.take(world, usize::try_from(until).expect("few"), Duration::from_millis(300)).await);
            assert!(self.after > before, "{until} never comes");
        }
        all
    }
}

async fn whole_log(world: &World) -> Vec<Value> {
    let (mut all, mut after) = (Vec::new(), String::from("0"));
    loop {
        let page = world.get(&format!("/api/events?limit=1000&after={after}")).await;
        all.extend(page["items"].as_array().expect("events").iter().cloned());
        match page["next"].as_str() {
            Some(next) => next.clone_into(&mut after),
            None => return all,
        }
    }
}

#[tokio::test]
async fn both_ways_carry_the_same_events_and_the_same_filters() {
    let world = World::new(setup().team("alpha", ECHO).team("beta", ECHO));
    let told = world.tell("one").await;
    world.client().tell("user", "beta", "two").await.expect("told");
    world.client().tell("other", "alpha", "three").await.expect("told");
    let (session, turn) = (told["sessionId"].as_str().expect("an id"), told["turnId"].as_str().expect("an id"));
    let (status, job) = world.post("/api/jobs", json!({"team": "alpha", "goal": "four"})).await;
    assert_eq!(status, 200, "{job}");
    let job = job["id"].as_str().expect("an id");
    while world.events("job.ended").await.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let unknown = world.client().get("/api/events?job=none").await.expect("an answer");
    assert_eq!(unknown.status, 404);
    let twice = world.client().get("/api/events?kind=turn&kind=job").await.expect("an answer");
    assert!(twice.status == 400 && is_problem(&twice)["hint"].to_string().contains("kind=turn,question"), "{twice:?}");
    let stream = [("authorization", &*bearer(&world.daemon.token)), ("accept", "text/event-stream")];
    for path in ["/api/events?after=-1", &format!("/api/jobs/{job}/events?after=-1")] {
        assert_eq!(world.send("GET", path, &stream, "").await.status, 400, "{path}");
    }
    for (path, last) in [(format!("/api/jobs/{job}/events"), "x"), ("/api/events".to_owned(), "")] {
        let headers = [("authorization", &*bearer(&world.daemon.token)), ("last-event-id", last)];
        let lost = world.send("GET", &path, &headers, "").await;
        assert_eq!(lost.status, 400, "{lost:?}");
    }
    for (filter, status, hint) in [
        ("session=zzz", 404, "give the whole id"),
        ("turn=zz", 404, "give the whole id"),
        ("kind=zzz", 400, "a noun (config, daemon, job, link, message, question, rule, session, token, trust, turn)"),
        ("kind=turn,turn.finishd", 400, "did you mean `turn.finished`?"),
        ("kind=", 400, "a kind is a noun"),
    ] {
        for path in ["/api/events", "/api/stream"] {
            let refused = world.client().get(&format!("{path}?{filter}")).await.expect("an answer");
            let problem = is_problem(&refused);
            assert_eq!(refused.status, status, "{path} {filter}: {problem}");
            assert!(problem["hint"].as_str().expect("a hint").contains(hint), "{path} {filter}: {problem}");
        }
    }
    let log = whole_log(&world).await;
    for (filter, least) in [
        (format!("&job={job}"), 3),
        (String::new(), 12),
        ("&team=beta".to_owned(), 3),
        (format!("&session={session}"), 3),
        (format!("&turn={turn}"), 3),
        ("&kind=turn".to_owned(), 6),
        ("&kind=turn.finished".to_owned(), 3),
        (format!("&kind=turn.finished&session={session}"), 1),
    ] {
        let page = world.get(&format!("/api/events?limit=1000&after=0{filter}")).await;
        let expected = page["items"].as_array().expect("events");
        assert!(expected.len() >= least && (filter.is_empty() || expected.len() < log.len()), "{filter}: {page}");
        let number = |at: usize| expected[at]["seq"].as_i64().expect("a number");
        let between =
            format!("/api/events?limit=1000&after={}&before={}{filter}", number(0), number(expected.len() - 1));
        assert_eq!(
            world.get(&between).await["items"].as_array().expect("events"),
            &expected[1..expected.len().max(2) - 1]
        );
        for way in [Way::Sse, Way::Socket] {
            let until = expected.last().and_then(|event| event["seq"].as_i64()).expect("an event");
            assert_eq!(&Reader::new(way, &filter).take_all(&world, until).await, expected, "{way:?} {filter}");
        }
    }
}

/// A name that is mistyped is not a team in which nothing happens; and one that is gone still has its past.
#[tokio::test]
async fn a_team_that_never_was_is_said_to_be_none_and_one_that_is_gone_can_be_read() {
    let world = World::new(setup().team("alpha", ECHO));
    world.tell("hello").await;
    let lists = ["/api/events?after=0&team=", "/api/sessions?team=", "/api/questions/pending?team="];
    let status = async |path: &str| world.client().get(path).await.expect("an answer").status;
    let owner = bearer(&world.daemon.token);
    let streamed = [("authorization", owner.as_str()), ("accept", "text/event-stream")];
    for list in lists {
        let none = world.client().get(&format!("{list}alpah")).await.expect("an answer");
        assert_eq!(none.status, 404, "{list}");
        let problem = is_problem(&none);
        assert_eq!(problem["detail"], "there is no team 'alpah'");
        assert_eq!(problem["hint"], "did you mean 'alpha'? known teams: alpha");
        assert_eq!(status(&format!("{list}alpha")).await, 200, "{list}");
    }
    assert_eq!(world.send("GET", "/api/events?team=alpah", &streamed, "").await.status, 404);
    assert_eq!(Socket::open(&world, "/api/stream?team=alpah", &streamed[..1]).await.err(), Some(404));
    world.edit("  alpha:", "  beta:").await;
    for list in lists {
        assert_eq!(status(&format!("{list}alpha")).await, 200, "{list}");
    }
    let log = world.get("/api/events?after=0&team=alpha").await;
    assert!(log["items"].as_array().is_some_and(|events| !events.is_empty()), "{log}");
}

#[tokio::test]
async fn text_as_it_is_written_goes_by_both_ways() {
    let script = "default: [{ stream: { text: 'some words as they come', chunk: 4, every: 5ms } }]\n";
    let world = World::new(setup().team("alpha", script));
    let mut stream = world.client().follow("/api/events").await.expect("a stream");
    let mut socket = Socket::of_the_owner(&world, "/api/stream").await;
    // Both are there once they were told something.
    world.tell_async("user", "go").await;
    let (mut by_sse, mut by_socket) = (String::new(), String::new());
    loop {
        let (kind, said) = stream.next(SOON).await.expect("a frame");
        match kind.as_str() {
            "delta" => by_sse.push_str(said["text"].as_str().expect("text")),
            _ if said["kind"] == "turn.finished" => break,
            _ => {}
        }
    }
    while let Some(said) = socket.next().await {
        match said["type"].as_str() {
            Some("delta") => by_socket.push_str(said["text"].as_str().expect("text")),
            _ if said["kind"] == "turn.finished" => break,
            _ => {}
        }
    }
    assert_eq!((by_sse.as_str(), by_socket.as_str()), ("some words as they come", "some words as they come"));
}

/// How often a reader comes back: a few hundred times, or as often as the environment says.
fn rounds() -> usize {
    std::env::var("IRIS_TEST_RECONNECTS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(300)
}

/// Cut at random points while agents work and the daemon is killed now and then: what was read is the log, once.
#[tokio::test(flavor = "multi_thread")]
async fn readers_that_are_cut_off_miss_nothing_and_see_nothing_twice() {
    let script = "default: [{ flood: { messages: 20, size: 100 } }]\n";
    let mut world = World::new(setup().team("alpha", script));
    let mut readers: Vec<_> = [Way::Sse, Way::Socket, Way::Sse, Way::Socket].map(|way| Reader::new(way, "")).into();
    let mut seen: Vec<Vec<i64>> = vec![Vec::new(); readers.len()];
    // The same every time, and unlike any pattern in the daemon.
    let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut draw = move |below: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below
    };
    let (rounds, mut done) = (rounds(), 0);
    while done < rounds {
        for party in 0..3 {
            world.tell_async(&format!("p{party}"), "go").await;
        }
        for _ in 0..25 {
            let cuts: Vec<_> = readers.iter().map(|_| (draw(15), Duration::from_millis(1 + draw(20)))).collect();
            let taking = readers
                .iter_mut()
                .zip(cuts)
                .map(|(reader, (most, patience))| reader.take(&world, usize::try_from(most).expect("few"), patience));
            for (seen, taken) in seen.iter_mut().zip(futures_util::future::join_all(taking).await) {
                seen.extend(taken.iter().map(|event| event["seq"].as_i64().expect("a number")));
            }
            done += readers.len();
        }
        // A life of the daemon is at most a few hundred of these.
        if draw(4) == 0 {
            world = world.crash_and_restart();
        }
    }
    let log: Vec<i64> = whole_log(&world).await.iter().map(|event| event["seq"].as_i64().expect("a number")).collect();
    let until = *log.last().expect("events");
    for (reader, mut seen) in readers.iter_mut().zip(seen) {
        let rest = reader.take_all(&world, until).await;
        seen.extend(rest.iter().map(|event| event["seq"].as_i64().expect("a number")));
        seen.retain(|seq| *seq <= until);
        assert_eq!(seen, log, "{:?}", reader.way);
    }
    eprintln!("{done} connections, {} events", log.len());
}

/// However long the log, one request looks at so much of it; the page says where the next one goes on.
#[tokio::test]
async fn a_filter_that_takes_nothing_is_not_tried_on_the_whole_log() {
    let script = "default: [{ times: { n: 21000, do: [{ say: 'x' }] } }, { say: 'done' }]\n";
    let world = World::new(setup().team("alpha", script));
    world.tell("go").await;
    let newest = world.newest().await;
    assert!(newest > 21_000, "{newest}");
    let nothing = world.get("/api/events?after=100&kind=trust.revoked").await;
    assert_eq!(nothing, json!({"items": [], "next": "20100"}));
    let rest = world.get("/api/events?after=20100&kind=trust.revoked").await;
    assert_eq!((&rest["items"], &rest["next"]), (&json!([]), &json!(null)));
    let (mut found, mut after) = (Vec::new(), json!("0"));
    while let Some(next) = after.as_str() {
        let page = world.get(&format!("/api/events?after={next}&kind=turn.finished")).await;
        found.extend(page["items"].as_array().expect("events").clone());
        after = page["next"].clone();
    }
    assert_eq!(found.len(), 1, "{found:?}");
    let mut rare = world.client().follow("/api/events?after=0&kind=turn.finished").await.expect("a stream");
    assert_eq!(rare.next(SOON).await.expect("an event").1["kind"], "turn.finished");
}

#[tokio::test]
async fn a_number_from_nowhere_is_no_harm() {
    let world = World::new(setup().team("alpha", ECHO));
    for after in [i64::MAX, i64::MAX - 1, i64::MIN, -1] {
        let page = world.client().get(&format!("/api/events?after={after}")).await.expect("an answer");
        assert_eq!(page.status, if after < 0 { 400 } else { 410 }, "{after}");
        let mut stream = world.client().follow(&format!("/api/events?after={after}")).await.expect("a stream");
        stream.next(Duration::from_millis(50)).await.ok();
    }
    assert_eq!(world.tell("still there").await["response"], "You said: still there");
    assert_eq!(json!(world.get("/api/status").await["store"]["state"]), "well");
}

#[tokio::test]
async fn a_reader_of_another_log_is_told_and_goes_on_with_this_one() {
    let world = World::new(setup().team("alpha", ECHO));
    world.tell("one").await;
    let head = whole_log(&world).await.last().expect("events")["seq"].as_i64().expect("a number");
    let mut stream = world.client().follow("/api/events?after=1000000").await.expect("a stream");
    let mut socket = Socket::of_the_owner(&world, "/api/stream?after=1000000").await;
    let page = world.client().get("/api/events?after=1000000").await.expect("an answer");
    assert_eq!((page.status, &page.json().expect("JSON")["head"]), (410, &json!(head)), "{page:?}");
    let end = world.client().get(&format!("/api/events?after={head}")).await.expect("an answer");
    assert_eq!((end.status, &end.json().expect("JSON")["items"]), (200, &json!([])), "{end:?}");
    let (kind, said) = stream.next(SOON).await.expect("a frame");
    assert_eq!((kind.as_str(), &said), ("reset", &json!({"asked": 1_000_000, "head": head})));
    let said = socket.next().await.expect("a message");
    assert_eq!(said, json!({"type": "reset", "asked": 1_000_000, "head": head}));
    world.tell("two").await;
    let (kind, event) = stream.next(SOON).await.expect("a frame");
    assert_eq!((kind.as_str(), event["seq"].as_i64()), ("event", Some(head + 1)));
    assert_eq!(socket.next().await.expect("a message")["seq"], head + 1);
    assert_eq!(socket.leave().await, Some(1005), "a goodbye is answered");
}
