//! Readers that never read: they cost nothing, are dropped, and lose nothing when they come back.

use std::time::Duration;

use iris_testing::client::stalled::{Stalled, Way};
use serde_json::{Value, json};

use crate::world::{ECHO, SOON, World, setup};

const READERS: usize = 50;
const MEGABYTE: u64 = 1024 * 1024;

/// However large what happened is: those that have stalled at the same event hold it once.
#[tokio::test(flavor = "multi_thread")]
async fn readers_that_never_read_cost_nothing_with_large_events() {
    let world = World::new(setup().team("alpha", ECHO));
    for _ in 0..12 {
        world.tell(&"x".repeat(1_500_000)).await;
    }
    // Warm: what one reader takes.
    let mut stream = world.client().follow("/api/events?after=0").await.expect("a stream");
    let newest = world.newest().await;
    while stream.next(SOON).await.expect("it goes on").1["seq"] != newest {}
    check_that_readers_are_cheap(&world, "/api/events", 64).await;
    let (_, job) = world.post("/api/jobs", json!({"team": "alpha", "goal": "x".repeat(1_500_000)})).await;
    let path = format!("/api/jobs/{}/events", job["id"].as_str().expect("an id"));
    world.eventually("the job is over", async || !world.events("job.ended").await.is_empty()).await;
    // Its own words are written for each, after a look at the event; only so many look at the same time.
    check_that_readers_are_cheap(&world, &path, 100).await;
}

async fn check_that_readers_are_cheap(world: &World, path: &str, most: u64) {
    let before = world.daemon.memory().expect("a figure");
    let stalled: Vec<_> = (0..READERS).map(|_| Stalled::open_at(&world.client(), path).expect("open")).collect();
    let mut largest = 0;
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        largest = largest.max(world.daemon.memory().expect("a figure"));
    }
    let grown = largest.saturating_sub(before) / MEGABYTE;
    eprintln!("{path}: {} MB before, {grown} MB more with {} stalled readers", before / MEGABYTE, stalled.len());
    assert!(grown <= most, "{grown} MB");
}

const LARGE: &str = "replies:\n  - match: much\n    do: [{ flood: { messages: 1, size: 3000000 } }, { say: enough }]\n\
                     default: [{ say: 'You said: {{text}}' }]\n";

/// Whatever the time that one event takes: only who takes nothing at all has stalled.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_reads_slowly_hears_everything() {
    let world = World::new(setup().team("alpha", LARGE));
    world.tell("much").await;
    let (ways, paces) = ([Way::Sse, Way::Socket], [(450_000, 60), (15_000, 25)]);
    let readers = ways.into_iter().flat_map(|way| paces.map(|pace| (way, pace)));
    let reading = readers.map(|(way, (bytes_per_second, seconds))| {
        let reader = Stalled::open_kind(&world.client(), way, "message").expect("open");
        let slowly_for = Duration::from_secs(seconds);
        let read = tokio::task::spawn_blocking(move || reader.read_slowly(bytes_per_second, slowly_for, "enough"));
        async move { (way, bytes_per_second, read.await.expect("no panic").expect("read")) }
    });
    for (way, bytes_per_second, is_heard) in futures_util::future::join_all(reading).await {
        assert!(is_heard, "dropped in the middle by {way:?} at {bytes_per_second} bytes a second");
    }
}

/// Nor does it read on what was written for it before, whatever it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_is_behind_reads_no_further_when_its_token_is_revoked() {
    let world = World::new(setup().team("alpha", LARGE));
    world.tell("much").await;
    let client = world.with(&world.token("one", &["read"]).await);
    let readers = [
        Stalled::open_kind(&client, Way::Sse, "message"),
        Stalled::open_kind(&client, Way::Socket, "message"),
        Stalled::open_page(&client, "/api/events?after=0&kind=message"),
    ];
    // Until there is no more room for what they do not read.
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(world.client().delete("/api/tokens/one").await.expect("an answer").status, 200);
    tokio::time::sleep(Duration::from_secs(1)).await;
    for (reader, way) in readers.into_iter().zip(["SSE", "a socket", "a page"]) {
        let read = reader.expect("open").read_to_end(SOON).expect("read").expect("it was dropped").len() as u64;
        assert!(read < MEGABYTE, "{read} bytes by {way}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_that_never_read_cost_nothing_and_lose_nothing() {
    let script = "replies:\n  - match: much\n    do: [{ flood: { messages: 10000, size: 2000 } }]\n\
                  default: [{ say: hello }]\n";
    let world = World::new(setup().team("alpha", script));
    // Warm: what a turn with much output takes by itself is not the readers' doing.
    world.tell("much").await;
    let before = world.daemon.memory().expect("a figure");
    let ways = [Way::Sse, Way::Socket].into_iter().cycle().take(READERS);
    let stalled: Vec<_> = ways.map(|way| Stalled::open(&world.client(), way).expect("open")).collect();
    let mut largest = 0;
    let mut telling = std::pin::pin!(world.tell("much"));
    let told = loop {
        tokio::select! {
            told = &mut telling => break told,
            () = tokio::time::sleep(Duration::from_millis(50)) => {
                largest = largest.max(world.daemon.memory().expect("a figure"));
            }
        }
    };
    assert_eq!(told["status"], "completed", "the agent's work went on: {told}");
    largest = largest.max(world.daemon.memory().expect("a figure"));
    let grown = largest.saturating_sub(before) / MEGABYTE;
    eprintln!("{} MB before, {grown} MB more with {READERS} stalled readers", before / MEGABYTE);
    assert!(grown <= 64, "{grown} MB");

    // Those that wake up in time are told why they were dropped, who follows a job too.
    let (_, job) = world.post("/api/jobs", json!({"team": "alpha", "goal": "much"})).await;
    let job = format!("/api/jobs/{}", job["id"].as_str().expect("an id"));
    let until = std::time::Instant::now() + 3 * SOON;
    while world.get(&job).await["status"] != "completed" {
        assert!(std::time::Instant::now() < until, "its job never ends");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let of_job = Stalled::open_at(&world.client(), &format!("{job}/events")).expect("open");
    let [sse, socket] = [Way::Sse, Way::Socket].map(|way| Stalled::open(&world.client(), way).expect("open"));
    let in_time = [sse, socket, of_job];
    tokio::time::sleep(Duration::from_secs(14)).await;
    let reading = |reader: Stalled| tokio::task::spawn_blocking(move || reader.read_to_end(Duration::from_secs(20)));
    for read in futures_util::future::join_all(in_time.map(reading)).await {
        let read = read.expect("no panic").expect("read").expect("it was dropped");
        let end = String::from_utf8_lossy(&read[read.len().saturating_sub(200)..]).into_owned();
        assert!(end.contains("nothing was taken for 10 s; come back with your number"), "{} bytes: {end}", read.len());
    }
    // Longer than they are waited for. They read at last, and find that they were dropped long ago.
    tokio::time::sleep(Duration::from_secs(12)).await;
    let whole = 40 * MEGABYTE;
    for reader in stalled {
        let read = tokio::task::spawn_blocking(move || reader.read_to_end(Duration::from_secs(20))).await;
        let read = read.expect("no panic").expect("read").expect("it was dropped").len() as u64;
        assert!(read < whole / 2, "{read} bytes were kept for it");
    }
    assert!(world.daemon.log().contains("took nothing for 20 s and was dropped"), "with a reason");
    assert!(world.daemon.log().contains("took nothing for 10 s and was dropped"), "sockets too");

    let newest = world.newest().await;
    let mut stream = world.client().follow("/api/events?after=0").await.expect("a stream");
    let (mut by_sse, mut by_socket) = (Vec::new(), Vec::new());
    let seq = |event: &Value| event["seq"].as_i64().expect("a number");
    while by_sse.last() < Some(&newest) {
        let (kind, event) = stream.next(SOON).await.expect("it goes on");
        by_sse.extend((kind == "event").then(|| seq(&event)));
    }
    let mut socket = super::stream::Socket::of_the_owner(&world, "/api/stream?after=0").await;
    while by_socket.last() < Some(&newest) {
        let said = socket.next().await.expect("it goes on");
        by_socket.extend((said["type"] == "event").then(|| seq(&said)));
    }
    assert_eq!(by_sse, by_socket);
    assert!(by_sse.len() > 20_000 && by_sse.windows(2).all(|pair| pair[0] < pair[1]));
}
