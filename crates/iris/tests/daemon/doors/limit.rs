//! How much, how often, how slowly.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::caller::{bearer, code_of, is_problem};
use super::stream::Socket;
use crate::world::{ECHO, SOON, World, setup};

#[tokio::test]
async fn a_token_that_asks_too_often_is_told_to_wait_and_the_owner_is_not() {
    let world = World::new(setup().team("alpha", ECHO).server("requestsPerSecond: 5"));
    let (one, two) = (world.token("one", &["read"]).await, world.token("two", &["read"]).await);
    let (mut ones, mut refused) = (world.with(&one), None);
    for _ in 0..200 {
        let answer = ones.get("/api/teams").await.expect("an answer");
        if answer.status != 200 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.expect("somewhere is an end");
    assert_eq!(refused.status, 429);
    let problem = is_problem(&refused);
    assert!(problem["detail"].as_str().expect("a detail").contains("'one' asks too often"), "{problem}");
    let wait: u64 = refused.header("retry-after").expect("how long").parse().expect("seconds");
    assert_eq!(world.with(&two).get("/api/teams").await.expect("an answer").status, 200, "others are not held up");
    let mut owner = world.client();
    for _ in 0..100 {
        assert_eq!(owner.get("/api/teams").await.expect("an answer").status, 200);
    }
    tokio::time::sleep(Duration::from_secs(wait)).await;
    assert_eq!(ones.get("/api/teams").await.expect("an answer").status, 200, "after that time it may ask again");
}

#[tokio::test]
async fn guessing_is_slow_and_does_not_hold_up_those_who_know() {
    let world = World::new(setup().team("alpha", ECHO));
    let (mut guesser, mut owner) = (world.with("iris_guess"), world.client());
    let mut statuses = [0, 0];
    for _ in 0..200 {
        let answer = guesser.get("/api/teams").await.expect("an answer");
        statuses[usize::from(answer.status == 429)] += 1;
        assert!(answer.status == 401 || answer.header("retry-after").is_some(), "{answer:?}");
        assert_eq!(owner.get("/api/teams").await.expect("an answer").status, 200);
    }
    assert!(statuses[1] > statuses[0], "{statuses:?}");
    // A code of a link cannot be guessed any faster.
    let mut told = Vec::new();
    for number in 0..60 {
        told.push(
            world.send("POST", "/api/login", &[], &json!({"code": format!("iris_{number}")}).to_string()).await.status,
        );
    }
    assert!(told.iter().all(|status| [409, 429].contains(status)) && told.contains(&429), "{told:?}");
    // Nor does guessing keep anybody with a good one out.
    let (_, link) = world.post("/api/links", json!({})).await;
    for number in 0..60 {
        world.send("POST", "/api/login", &[], &json!({"code": format!("iris_x{number}")}).to_string()).await;
    }
    world.sign_in(code_of(&link)).await;
}

#[tokio::test]
async fn a_stranger_may_send_very_little() {
    let world = World::new(setup().team("alpha", ECHO));
    let large = json!({"code": "x".repeat(100_000)}).to_string();
    assert_eq!(world.send("POST", "/api/login", &[], &large).await.status, 413);
    // Before it is sent, if it is said how much it is.
    let mut stranger = TcpStream::connect(&world.daemon.address).await.expect("connected");
    let head =
        "POST /api/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2000\r\n\r\n";
    stranger.write_all(head.as_bytes()).await.expect("sent");
    let mut said = [0; 12];
    tokio::time::timeout(SOON, stranger.read_exact(&mut said)).await.expect("in time").expect("an answer");
    assert_eq!(String::from_utf8_lossy(&said), "HTTP/1.1 413");
    let socket = Socket::of_the_owner(&world, "/api/stream").await;
    drop(socket);
}

#[tokio::test]
async fn headers_have_an_end() {
    let world = World::new(setup().team("alpha", ECHO));
    let owner = bearer(&world.daemon.token);
    for (bytes, status) in [(30_000, 200), (66_000, 431), (90_000, 431)] {
        let long = "x".repeat(bytes);
        let headers = [("authorization", owner.as_str()), ("x-long", long.as_str())];
        assert_eq!(world.send("GET", "/api/teams", &headers, "").await.status, status, "{bytes}");
    }
}

/// How long a connection stays open that only ever says this.
async fn stays_open(world: &World, says: &[u8], patience: Duration) -> bool {
    let mut stream = TcpStream::connect(&world.daemon.address).await.expect("connected");
    stream.write_all(says).await.expect("sent");
    let mut answer = Vec::new();
    tokio::time::timeout(patience, stream.read_to_end(&mut answer)).await.is_err()
}

/// Much longer than any of the daemon's own bounds.
const LONG: Duration = Duration::from_secs(50);

#[tokio::test(flavor = "multi_thread")]
async fn whoever_dawdles_is_sent_away() {
    let world = World::new(setup().team("alpha", ECHO));
    let host = &world.daemon.address;
    let slow: [(&str, String); 5] = [
        ("says nothing", String::new()),
        ("stops in the first line", "GET /api/te".to_owned()),
        ("stops in the headers", format!("GET /api/teams HTTP/1.1\r\nhost: {host}\r\n")),
        ("stops after an answer", format!("GET /health HTTP/1.1\r\nhost: {host}\r\n\r\n")),
        (
            "never sends its code",
            format!(
                "POST /api/login HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n{{"
            ),
        ),
    ];
    let tries = slow.iter().map(|(what, says)| {
        let world = &world;
        async move { (what, stays_open(world, says.as_bytes(), LONG).await) }
    });
    for (what, stays) in futures_util::future::join_all(tries).await {
        assert!(!stays, "whoever {what} is waited for");
    }
}

/// Strangers that hold on to their connections take nobody's place.
#[tokio::test(flavor = "multi_thread")]
async fn a_crowd_of_strangers_keeps_nobody_out() {
    let world = World::new(setup().team("alpha", ECHO));
    let mut known = world.client();
    assert_eq!(known.get("/api/teams").await.expect("an answer").status, 200);
    let mut following = world.client().follow("/api/events?after=0").await.expect("a stream");
    following.next(crate::world::SOON).await.expect("open");
    let mut crowd = Vec::new();
    for _ in 0..3000 {
        let Ok(mut stream) = TcpStream::connect(&world.daemon.address).await else { break };
        stream.write_all(b"GET /api/te").await.ok();
        crowd.push(stream);
    }
    assert!(crowd.len() > 900, "only {} could be opened here", crowd.len());
    let began = Instant::now();
    for _ in 0..20 {
        assert_eq!(world.client().get("/api/teams").await.expect("a newcomer is served").status, 200);
    }
    assert_eq!(known.get("/api/teams").await.expect("an answer").status, 200);
    world.tell("hello").await;
    following.next(crate::world::SOON).await.expect("a reader goes on");
    eprintln!("{} strangers, 20 newcomers in {:?}", crowd.len(), began.elapsed());
}

/// One token, an agent's too, does not take everybody's place with streams that nobody reads.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_has_so_many_connections_and_no_more() {
    let world = World::new(setup().team("alpha", ECHO).server("requestsPerSecond: 10000"));
    let (greedy, other) = (world.token("greedy", &["read"]).await, world.token("other", &["read"]).await);
    let mut streams = Vec::new();
    loop {
        let mut stream = world.with(&greedy).follow("/api/events?after=0").await.expect("connected");
        if stream.next(crate::world::SOON).await.is_err() {
            break;
        }
        streams.push(stream);
        assert!(streams.len() < 2000, "there is no end of it");
    }
    assert_eq!(streams.len(), 256);
    let refused = world.with(&greedy).get("/api/teams").await.expect("an answer");
    assert_eq!(refused.status, 429);
    let problem = is_problem(&refused);
    assert!(problem["detail"].as_str().expect("a detail").contains("'greedy' has 256 connections"), "{problem}");
    assert!(problem["hint"].is_string() && refused.header("retry-after").is_some(), "{refused:?}");
    assert_eq!(world.with(&other).get("/api/teams").await.expect("an answer").status, 200);
    assert_eq!(world.client().get("/api/teams").await.expect("an answer").status, 200);
    streams.clear();
    let until = Instant::now() + crate::world::SOON;
    while world.with(&greedy).get("/api/teams").await.expect("an answer").status != 200 {
        assert!(Instant::now() < until, "its places were not given back");
    }
}

/// What is sent and never finished is held, so nobody has much of it at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_sends_only_so_much_at_once() {
    const LENGTH: usize = 60_000_000;
    let world = World::new(setup().team("alpha", ECHO));
    let token = bearer(&world.agent_token("alpha").await);
    let begin = async |bytes: usize| {
        let mut stream = TcpStream::connect(&world.daemon.address).await.expect("connected");
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: {token}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\ncontent-length: {LENGTH}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.expect("sent");
        let sent = stream.write_all(&vec![b' '; bytes]).await;
        (stream, sent)
    };
    let held = [begin(LENGTH - 1).await, begin(LENGTH - 1).await];
    assert!(held.iter().all(|(_, sent)| sent.is_ok()), "so much is taken");
    // What was sent may not have been read yet, so it is tried until it is.
    let until = Instant::now() + 3 * SOON;
    let said = loop {
        let (mut third, _) = begin(20_000_000).await;
        let mut said = [0; 12];
        if let Ok(Ok(_)) = tokio::time::timeout(Duration::from_secs(2), third.read_exact(&mut said)).await {
            break String::from_utf8_lossy(&said).into_owned();
        }
        assert!(Instant::now() < until, "all of it was taken");
    };
    assert_eq!(said, "HTTP/1.1 429");
    let tell = json!({"toTeam": "alpha", "message": "hello", "timeout": 0});
    assert_eq!(world.client().post("/api/teams/tell", &tell).await.expect("an answer").status, 200, "the owner may");
    drop(held);
    let until = Instant::now() + SOON;
    loop {
        let large = json!({"jsonrpc": "2.0", "method": "x", "params": {"x": "x".repeat(20_000_000)}}).to_string();
        let headers = [
            ("authorization", token.as_str()),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        if world.send("POST", "/mcp", &headers, &large).await.status != 429 {
            break;
        }
        assert!(Instant::now() < until, "it was not given back");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// A request with this many spaces behind its body.
async fn send_padded(world: &World, head: &str, spaces: usize) -> TcpStream {
    let mut stream = TcpStream::connect(&world.daemon.address).await.expect("connected");
    let head = format!("POST {head}\r\nhost: localhost\r\ncontent-type: application/json\r\n");
    let head = format!("{head}content-length: {}\r\n\r\n{{}}", 2 + spaces);
    stream.write_all(head.as_bytes()).await.expect("sent");
    stream.write_all(&vec![b' '; spaces]).await.expect("it is taken, though nobody reads it");
    stream
}

/// Most clients send all that they have before they listen: they too hear why nobody wants it.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_sends_too_much_hears_so_when_all_is_sent() {
    let world = World::new(setup().team("alpha", ECHO));
    for (token, spaces, told) in [
        (world.daemon.token.as_str(), 70_000_000, "HTTP/1.1 413"),
        (world.daemon.token.as_str(), 1_000, "HTTP/1.1 200"),
        ("nobody", 10_000_000, "HTTP/1.1 401"),
    ] {
        let head = format!("/api/teams/alpha/wake HTTP/1.1\r\nauthorization: {}", bearer(token));
        let mut stream = send_padded(&world, &head, spaces).await;
        let mut said = [0; 12];
        let read = tokio::time::timeout(SOON, stream.read_exact(&mut said)).await.expect("in time");
        assert!(read.is_ok() && said == *told.as_bytes(), "{read:?} {}", String::from_utf8_lossy(&said));
    }
    // Who asks first whether to send it is told no, and not to go on.
    let mut stream = TcpStream::connect(&world.daemon.address).await.expect("connected");
    let head =
        "POST /api/teams/alpha/wake HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\ncontent-length: 9\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("sent");
    let mut said = String::new();
    let read = tokio::time::timeout(SOON, stream.read_to_string(&mut said)).await.expect("it ends");
    assert!(read.is_ok() && said.starts_with("HTTP/1.1 401"), "{said}");
}

/// A request with a key is seen through when its sender is gone, and still counts for it.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_seen_through_counts_when_its_sender_is_gone() {
    let script = "start: { delay: 50s }\ndefault: [{ say: hello }]\n";
    let world = World::new(setup().team("alpha", ECHO).team("slow", script));
    let token = bearer(&world.token("gone", &["read", "tell"]).await);
    let head = format!("/api/teams/slow/wake HTTP/1.1\r\nauthorization: {token}\r\nidempotency-key: k");
    let senders = [send_padded(&world, &head, 60_000_000).await, send_padded(&world, &head, 60_000_000).await];
    let is_refused = async || {
        let other = format!("/api/teams/alpha/wake HTTP/1.1\r\nauthorization: {token}");
        let mut said = [0; 12];
        let mut stream = send_padded(&world, &other, 14_300_000).await;
        let read = tokio::time::timeout(SOON, stream.read_exact(&mut said)).await.expect("in time");
        read.expect("it hears so, though it went on to send");
        said == *b"HTTP/1.1 429"
    };
    // What was sent may not have been read yet, so it is tried until it is.
    let until = Instant::now() + 3 * SOON;
    while !is_refused().await {
        assert!(Instant::now() < until, "nobody counts it");
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    drop(senders);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(is_refused().await, "it is held, and nobody counts it");
}

/// Large answers that nobody reads are held, so nobody has many of them at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_sent_only_so_much_at_once() {
    let world = World::new(setup().team("alpha", ECHO));
    let token = world.token("lazy", &["read"]).await;
    let told = world.tell(&"x".repeat(9_000_000)).await;
    let path = format!("/api/turns/{}", told["turnId"].as_str().expect("an id"));
    for packed in ["identity", "gzip"] {
        let begin = async |token: &str| {
            let mut stream = TcpStream::connect(&world.daemon.address).await.expect("connected");
            let token = bearer(token);
            let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: {token}\r\n");
            let head = format!("{head}accept-encoding: {packed}\r\n\r\n");
            stream.write_all(head.as_bytes()).await.expect("sent");
            let mut said = [0; 12];
            tokio::time::timeout(SOON, stream.read_exact(&mut said)).await.expect("in time").expect("an answer");
            (stream, String::from_utf8_lossy(&said).into_owned())
        };
        if packed == "identity" {
            let mut held = Vec::new();
            while let (stream, said) = begin(&token).await
                && said == "HTTP/1.1 200"
            {
                held.push(stream);
                assert!(held.len() < 20, "all of them are held");
            }
            assert!(held.len() > 2, "{}", held.len());
            assert_eq!(begin(&world.daemon.token).await.1, "HTTP/1.1 200", "the owner may");
        }
        let until = Instant::now() + SOON;
        while begin(&token).await.1 != "HTTP/1.1 200" {
            assert!(Instant::now() < until, "it was not given back");
        }
    }
    let whole = world.with(&token).get(&path).await.expect("an answer");
    assert_eq!((whole.status, whole.json().expect("JSON")["id"].clone()), (200, told["turnId"].clone()));
}

/// A frame that says it is larger than anything a client has to say is not waited for.
#[tokio::test]
async fn a_socket_does_not_take_large_messages() {
    let world = World::new(setup().team("alpha", ECHO));
    let (address, owner) = (&world.daemon.address, bearer(&world.daemon.token));
    let mut stream = TcpStream::connect(address).await.expect("connected");
    let upgrade = format!(
        "GET /api/stream HTTP/1.1\r\nhost: {address}\r\nauthorization: {owner}\r\nconnection: upgrade\r\n\
         upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    stream.write_all(upgrade.as_bytes()).await.expect("sent");
    let mut head = [0; 12];
    stream.read_exact(&mut head).await.expect("an answer");
    assert_eq!(&head, b"HTTP/1.1 101");
    // A text frame of 10 MB, of which only the head is sent.
    let mut frame = vec![0x81, 0xff];
    frame.extend_from_slice(&10_000_000u64.to_be_bytes());
    frame.extend_from_slice(&[1, 2, 3, 4]);
    stream.write_all(&frame).await.expect("sent");
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(crate::world::SOON, stream.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "it was waited for");
    // A goodbye, its length, and 1009: too big.
    let goodbye = rest.windows(4).any(|four| four[0] == 0x88 && four[2..] == 1009_u16.to_be_bytes());
    assert!(goodbye && String::from_utf8_lossy(&rest).contains("4096 bytes"), "it is told why: {rest:?}");
}
