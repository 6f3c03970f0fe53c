//! A request that comes again with its key: done once, answered the same.

use std::collections::BTreeSet;

use iris_testing::client::Answer;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::caller::{bearer, is_problem};
use crate::world::{World, setup};

const SCRIPT: &str = "replies:\n\
  \x20 - match: long\n    do: [{ delay: 60s }]\n\
  \x20 - match: ask\n    do: [{ permission: { tool: Bash, input: { command: make } } }]\n\
  default: [{ say: 'You said: {{text}}' }]\n";

fn world() -> World {
    World::new(setup().team("alpha", SCRIPT).team_key("grantPermission: ask"))
}

async fn post(world: &World, path: &str, key: &str, body: &Value) -> Answer {
    let owner = bearer(&world.daemon.token);
    world.send("POST", path, &[("authorization", &owner), ("idempotency-key", key)], &body.to_string()).await
}

/// Sends it twice; what is different the second time is only that it says so.
async fn twice(world: &World, path: &str, body: Value, other: Option<Value>) -> Value {
    let first = post(world, path, path, &body).await;
    assert!(first.status == 200 || first.status == 204, "{path}: {first:?}");
    let before = settled(world).await;
    let second = post(world, path, path, &body).await;
    assert_eq!((second.status, &second.body), (first.status, &first.body), "{path}");
    assert_eq!(second.header("idempotency-replayed"), Some("true"), "{path}");
    if let Some(other) = other {
        let refused = post(world, path, path, &other).await;
        assert_eq!(refused.status, 422, "{path}: {refused:?}");
        assert!(is_problem(&refused)["detail"].as_str().expect("a detail").contains("used for another"));
    }
    let after = settled(world).await;
    let since = world.get(&format!("/api/events?after={before}")).await["items"].clone();
    assert_eq!(after, before, "{path}: it was done once, and yet {since}");
    if first.body.is_empty() { Value::Null } else { first.json().expect("JSON") }
}

/// The newest event once what went before has had its consequences.
async fn settled(world: &World) -> i64 {
    loop {
        let before = world.newest().await;
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        if world.newest().await == before {
            return before;
        }
    }
}

/// Each says what it did, and doing it again would say something else.
#[tokio::test]
async fn every_post_of_the_api_is_done_once_for_one_key() {
    let world = world();
    let described = world.get("/api/openapi.json").await;
    let paths = described["paths"].as_object().expect("paths").iter();
    let mut posts: BTreeSet<_> =
        paths.filter(|(_, item)| item["post"].is_object()).map(|(path, _)| path.as_str()).collect();
    let mut tried = |path: &'static str| assert!(posts.remove(path), "{path} is no route");
    let other = Some(json!({"fromTeam": "other"}));

    tried("/api/teams/{name}/wake");
    let woken = twice(&world, "/api/teams/alpha/wake", json!({}), other.clone()).await;
    assert_eq!(woken["wasAwake"], false);
    tried("/api/teams/{name}/sleep");
    assert_eq!(twice(&world, "/api/teams/alpha/sleep", json!({"force": true}), other.clone()).await["stopped"], 1);
    tried("/api/teams/{name}/fork");
    world.tell("begin").await;
    assert_eq!(twice(&world, "/api/teams/alpha/fork", json!({}), other.clone()).await["from"], "user-2");
    tried("/api/questions/{id}/answer");
    world.tell_async("asker", "ask").await;
    let asked = world.open_question().await["id"].as_str().expect("an id").to_owned();
    let (yes, no) = (json!({"response": {"value": true}}), json!({"response": {"value": false}}));
    twice(&world, &format!("/api/questions/{asked}/answer"), yes, Some(no)).await;
    tried("/api/questions/{id}/edit");
    world.tell_async("editor", "ask").await;
    let asked = world.open_question().await["id"].as_str().expect("an id").to_owned();
    let (one, two) = (json!({"input": {"command": "make -k"}}), json!({"input": {"command": "make -j"}}));
    twice(&world, &format!("/api/questions/{asked}/edit"), one, Some(two)).await;
    // Jobs and what is asked in them keep their keys themselves, as tells do.
    tried("/api/jobs");
    let (job, other_job) = (json!({"team": "alpha", "goal": "long"}), json!({"team": "alpha", "goal": "other"}));
    let jobs = [post(&world, "/api/jobs", "j", &job).await, post(&world, "/api/jobs", "j", &job).await];
    let jobs = jobs.map(|answer| answer.json().expect("JSON")["id"].as_str().expect("an id").to_owned());
    assert_eq!(jobs[0], jobs[1]);
    assert_eq!(post(&world, "/api/jobs", "j", &other_job).await.status, 422);
    let job = format!("/api/jobs/{}", jobs[0]);
    tried("/api/jobs/{id}/questions");
    let question = json!({"question": "Which one?", "type": "clarifying"});
    for _ in 0..2 {
        assert_eq!(post(&world, &format!("{job}/questions"), "q", &question).await.status, 200);
    }
    assert_eq!(world.get(&format!("{job}/questions")).await["questions"].as_array().map(Vec::len), Some(1));
    let other_question = json!({"question": "Which other?", "type": "clarifying"});
    assert_eq!(post(&world, &format!("{job}/questions"), "q", &other_question).await.status, 422);
    tried("/api/questions/{id}/cancel");
    let asked = world.open_question().await["id"].as_str().expect("an id").to_owned();
    twice(&world, &format!("/api/questions/{asked}/cancel"), json!({}), None).await;
    tried("/api/jobs/{id}/stop");
    twice(&world, &format!("{job}/stop"), json!({}), None).await;
    tried("/api/teams/{name}/cancel");
    world.tell_async("busy", "long").await;
    let cancelled = twice(&world, "/api/teams/alpha/cancel", json!({"fromTeam": "busy"}), other.clone()).await;
    assert_eq!(cancelled["turns"].as_array().map(Vec::len), Some(1));
    tried("/api/turns/{id}/cancel");
    world.tell_async("busier", "long").await;
    let waits = world.tell_async("busier", "waits").await["turnId"].as_str().expect("an id").to_owned();
    let withdrawn = twice(&world, &format!("/api/turns/{waits}/cancel"), json!({}), None).await;
    assert_eq!(withdrawn["cancelled"], "withdrawn");
    tried("/api/teams/{name}/trust");
    let folder = world.path().join("projects/alpha/.claude");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("settings.json"), "{}").expect("settings");
    let digest = world.get("/api/teams/alpha/trust").await["digest"].clone();
    twice(&world, "/api/teams/alpha/trust", json!({"digest": digest}), Some(json!({"digest": "x"}))).await;
    tried("/api/backup");
    let (one, two) = (world.path().join("one.tar"), world.path().join("two.tar"));
    twice(&world, "/api/backup", json!({"path": one}), Some(json!({"path": two}))).await;
    assert!(one.is_file() && !two.exists());
    tried("/api/agents/stop");
    let stopped = twice(&world, "/api/agents/stop", json!({}), None).await;
    assert!(stopped["agents"].as_u64() > Some(0), "{stopped}");
    tried("/api/logout");
    twice(&world, "/api/logout", json!({}), None).await;

    // A tell's key is kept with its turn, and finds it for ever.
    tried("/api/teams/tell");
    let tell = json!({"toTeam": "alpha", "message": "hello", "timeout": 0});
    let turns = [post(&world, "/api/teams/tell", "t", &tell).await, post(&world, "/api/teams/tell", "t", &tell).await];
    assert_eq!(turns.each_ref().map(|answer| answer.header("idempotency-replayed")), [None, Some("true")]);
    let turns = turns.map(|answer| answer.json().expect("JSON"));
    assert_eq!((&turns[0]["turnId"], &turns[0]["response"]), (&turns[1]["turnId"], &turns[1]["response"]));
    let other = json!({"toTeam": "alpha", "message": "other", "timeout": 0});
    assert_eq!(post(&world, "/api/teams/tell", "t", &other).await.status, 422);
    // What is answered with a secret is not written down. A second token of the name is refused, a second link is no harm,
    // and a code signs in once.
    tried("/api/tokens");
    assert_eq!(post(&world, "/api/tokens", "k", &json!({"name": "a"})).await.status, 200);
    assert_eq!(post(&world, "/api/tokens", "k", &json!({"name": "a"})).await.status, 409);
    tried("/api/links");
    tried("/api/login");
    assert!(posts.is_empty(), "no test shows what a key does for {posts:?}");
}

#[tokio::test]
async fn a_key_is_its_credential_s_own_and_a_refusal_uses_none_up() {
    let world = world();
    let token = world.token("ci", &["read", "tell"]).await;
    post(&world, "/api/teams/alpha/wake", "k", &json!({"fromTeam": "one"})).await;
    let mine = [("authorization", bearer(&token)), ("idempotency-key", "k".to_owned())];
    let mine: Vec<_> = mine.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let answer = world.send("POST", "/api/teams/alpha/wake", &mine, r#"{"fromTeam":"two"}"#).await;
    assert_eq!((answer.status, answer.header("idempotency-replayed")), (200, None));
    // Refused: nothing was done, so it may be tried again.
    for _ in 0..2 {
        let refused = post(&world, "/api/teams/nobody/wake", "r", &json!({})).await;
        assert_eq!((refused.status, refused.header("idempotency-replayed")), (404, None));
    }
    let long = "k".repeat(201);
    for key in ["", long.as_str(), "\u{e9}"] {
        assert_eq!(post(&world, "/api/teams/alpha/wake", key, &json!({})).await.status, 400, "{key:?}");
        let tell = json!({"toTeam": "alpha", "message": "x"});
        assert_eq!(post(&world, "/api/teams/tell", key, &tell).await.status, 400, "{key:?}");
    }
}

/// One of two keys would be passed over, and with it the promise to do it once.
#[tokio::test]
async fn two_keys_are_refused_and_so_is_one_that_nobody_looks_at() {
    let world = world();
    let before = world.newest().await;
    let tell = json!({"toTeam": "alpha", "message": "x", "key": "in-the-body", "timeout": 0});
    let job = json!({"team": "alpha", "goal": "x", "key": "in-the-body"});
    for (path, body) in [("/api/teams/tell", &tell), ("/api/jobs", &job)] {
        let refused = post(&world, path, "in-the-header", body).await;
        let problem = is_problem(&refused);
        let detail = problem["detail"].as_str().expect("a detail");
        assert_eq!(refused.status, 400, "{path}: {problem}");
        assert!(detail.contains("in-the-body") && detail.contains("in-the-header"), "{problem}");
        assert!(problem["hint"].is_string(), "{problem}");
    }
    let owner = bearer(&world.daemon.token);
    let twice = [("authorization", owner.as_str()), ("idempotency-key", "one"), ("idempotency-key", "two")];
    for path in ["/api/teams/tell", "/api/teams/alpha/wake", "/api/jobs", "/api/links"] {
        let refused = world.send("POST", path, &twice, r#"{"toTeam":"alpha","message":"x","team":"alpha","goal":"x"}"#);
        let refused = refused.await;
        let problem = is_problem(&refused);
        assert_eq!((refused.status, problem["hint"].is_string()), (400, true), "{path}: {problem}");
    }
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "team_wake_all"}});
    let refused = post(&world, "/mcp", "k", &call).await;
    let problem = is_problem(&refused);
    assert_eq!(refused.status, 400, "{problem}");
    assert!(problem["hint"].as_str().is_some_and(|hint| hint.contains("iris/key")), "{problem}");
    assert_eq!(world.newest().await, before, "nothing was done");
    let same = post(&world, "/api/teams/tell", "in-the-body", &tell).await;
    assert_eq!(same.status, 200, "the same key twice is one: {same:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_with_one_key_are_one_request() {
    let world = world();
    world.tell("begin").await;
    for round in 0..10 {
        let key = format!("round-{round}");
        let body = json!({"as": format!("copy-{round}")});
        let forks = (0..20).map(|_| post(&world, "/api/teams/alpha/fork", &key, &body));
        let answers = futures_util::future::join_all(forks).await;
        let first = answers.iter().filter(|answer| answer.header("idempotency-replayed").is_none());
        assert_eq!(first.count(), 1, "one did it");
        assert!(answers.iter().all(|answer| (answer.status, &answer.body) == (200, &answers[0].body)), "{answers:?}");
    }
}

/// Gone at many moments: before it was read, while it was done, after. Never is it done twice, never left undone.
#[tokio::test]
async fn a_sender_that_goes_away_and_comes_back_finds_it_done_once() {
    let world = world();
    world.tell("begin").await;
    let (address, token) = (&world.daemon.address, &world.daemon.token);
    let mut done = 0;
    for moment in 0..40 {
        let (key, body) = (format!("gone-{moment}"), json!({"as": format!("copy-{moment}")}));
        let mut stream = TcpStream::connect(address).await.expect("connected");
        let request = format!(
            "POST /api/teams/alpha/fork HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\nidempotency-key: {key}\r\ncontent-length: {}\r\n\r\n{body}",
            body.to_string().len()
        );
        stream.write_all(request.as_bytes()).await.expect("sent");
        tokio::time::sleep(std::time::Duration::from_micros(100 * moment)).await;
        drop(stream);
        let again = post(&world, "/api/teams/alpha/fork", &key, &body).await;
        assert_eq!(again.status, 200, "{again:?}");
        done += usize::from(again.header("idempotency-replayed").is_some());
    }
    let sessions = world.get("/api/sessions?limit=1000").await;
    assert_eq!(sessions["items"].as_array().map(Vec::len), Some(41), "each was done once");
    assert!(done > 0, "some were done before their sender came back");
}

#[tokio::test]
async fn after_a_crash_in_between_nobody_pretends_to_know() {
    let mut world = World::new(setup().team("alpha", SCRIPT).env("IRIS_CRASH_AT", "reply.finish.before_commit:1"));
    let body = json!({});
    let owner = bearer(&world.daemon.token);
    let headers = [("authorization", owner.as_str()), ("idempotency-key", "cut"), ("content-type", "application/json")];
    let cut = world.client().ask("POST", "/api/teams/alpha/wake", &headers, b"{}").await;
    assert!(cut.is_err(), "{cut:?}");
    world.setup.env.clear();
    let world = world.crash_and_restart();
    let told = post(&world, "/api/teams/alpha/wake", "cut", &body).await;
    assert_eq!(told.status, 409);
    assert!(is_problem(&told)["detail"].as_str().expect("a detail").contains("nobody knows"));
    assert_eq!(post(&world, "/api/teams/alpha/wake", "cut", &json!({"fromTeam": "x"})).await.status, 422);
    assert_eq!(post(&world, "/api/teams/alpha/wake", "anew", &body).await.status, 200);
}
