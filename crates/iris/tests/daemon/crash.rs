//! The daemon killed before and after every durable step, and at random under load, against a shadow model.

use std::path::Path;
use std::time::Duration;

use iris_testing::shadow::{Crash, Shadow};

use crate::world::{ECHO, World, id, setup};

/// Every durable step of a daemon. A step that is not here has no crash test, so a new one fails the test below.
const STEPS: [&str; 15] = [
    "daemon.started",
    "daemon.renew",
    "daemon.stopped",
    "session.create",
    "session.spawning",
    "session.ready",
    "session.waiting",
    "session.terminating",
    "session.stopped",
    "turn.accept",
    "turn.start",
    "turn.record",
    "turn.finish",
    "turn.cancel",
    "timer.fire",
];

/// Steps that a life of tells alone reaches.
const REACHED_BY_TELLS: [&str; 9] = [
    "daemon.started",
    "session.spawning",
    "session.ready",
    "session.waiting",
    "session.terminating",
    "session.stopped",
    "turn.accept",
    "turn.finish",
    "daemon.renew",
];

fn binary() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_iris"))
}

async fn kill_at_every_step(database: Option<String>, counts: &[u32]) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let mut setup = Shadow::setup(binary());
    setup.database = database;
    setup.write(home.path()).expect("a home");
    let mut shadow = Shadow::new();
    for step in REACHED_BY_TELLS {
        for moment in ["before_commit", "after_commit"] {
            for count in counts {
                let crash = Crash::At { point: format!("{step}.{moment}"), count: *count };
                shadow.live(&setup, home.path(), &crash, 15).await.expect("a life");
            }
        }
    }
    let verdict = shadow.settle(&setup, home.path()).await.expect("nothing lost, doubled or out of order");
    eprintln!("{} lives, {} kills, {} accepted, {verdict:?}", shadow.lives, shadow.crashes, shadow.accepted());
    assert!(shadow.crashes * 3 >= shadow.lives * 2, "most lives must have ended where they should: {shadow:?}");
    assert!(verdict.completed > 100, "{verdict:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_every_durable_step_on_sqlite() {
    kill_at_every_step(None, &[1, 4]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_every_durable_step_on_postgres() {
    if let Some(url) = iris_testing::postgres::fresh_database() {
        kill_at_every_step(Some(url), &[2]).await;
    }
}

async fn kill_at_random(database: Option<String>, lives: u64) {
    let home = tempfile::tempdir().expect("a temporary folder");
    let mut setup = Shadow::setup(binary());
    setup.database = database;
    setup.write(home.path()).expect("a home");
    let mut shadow = Shadow::new();
    for life in 0..lives {
        let pause = Duration::from_millis(20 + (life * 7919) % 230);
        shadow.live(&setup, home.path(), &Crash::After(pause), 100).await.expect("a life");
    }
    let verdict = shadow.settle(&setup, home.path()).await.expect("nothing lost, doubled or out of order");
    eprintln!("{} kills, {} accepted, {verdict:?}", shadow.crashes, shadow.accepted());
    assert!(verdict.completed > 100, "{verdict:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_random_under_load_on_sqlite() {
    kill_at_random(None, 15).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_random_under_load_on_postgres() {
    if let Some(url) = iris_testing::postgres::fresh_database() {
        kill_at_random(Some(url), 6).await;
    }
}

/// The list above is complete: a daemon that does everything reaches no step that is not in it.
#[tokio::test]
async fn every_durable_step_is_known_to_these_tests() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let list = folder.path().join("steps");
    let script = "replies:\n  - match: '^slow$'\n    do: [{ say: a }, { delay: 100ms }, { say: b }]\n";
    let world = World::new(
        setup()
            .team("alpha", script)
            .setting("maxProcesses: 1")
            .setting("healthCheckInterval: 100ms")
            .env("IRIS_LIST_CRASH_POINTS", list.to_str().expect("a path")),
    );
    let later = serde_json::json!({"toTeam": "alpha", "message": "later", "timeout": -1, "delay": 50});
    let later = world.post("/api/teams/tell", later).await.1;
    world.post("/api/teams/alpha/wake", serde_json::json!({})).await;
    let slow = world.tell_async("user", "slow").await;
    let other = world.tell_async("other", "hello").await;
    let withdrawn = world.tell_async("other", "withdrawn").await;
    world.post(&format!("/api/turns/{}/cancel", id(&withdrawn)), serde_json::json!({})).await;
    for told in [&later, &slow, &other] {
        assert_eq!(world.ended(id(told)).await["state"], "completed");
    }
    world.post("/api/teams/alpha/sleep", serde_json::json!({"all": true})).await;
    assert!(world.daemon.stop().expect("stopped").success());
    let reached = std::fs::read_to_string(list).expect("a list");
    for step in reached.lines() {
        let name = step.rsplit_once('.').expect("step.moment").0;
        assert!(STEPS.contains(&name), "{name} is a durable step without a crash test");
    }
    for step in REACHED_BY_TELLS {
        assert!(reached.contains(step), "{step} was not reached: {reached}");
    }
}

#[tokio::test]
async fn a_turn_that_ran_when_the_daemon_died_says_that_its_outcome_is_unknown() {
    let script = "replies:\n  - match: '^slow$'\n    do: [{ say: 'half' }, { delay: 60s }]\ndefault: [{ say: 'turn {{turn}}' }]\n";
    let world = World::new(setup().team("alpha", script));
    let told = world.tell_async("user", "slow").await;
    let queued = world.tell_async("user", "next").await;
    iris_testing::daemon::eventually("half is said", async || {
        Ok(!world.events("message").await.iter().all(|event| event["data"]["text"] != "half"))
    })
    .await
    .expect("said");
    let world = world.crash_and_restart();
    let turn = world.ended(id(&told)).await;
    assert_eq!((turn["state"].as_str(), turn["reason"].as_str()), (Some("terminated"), Some("interrupted")));
    assert_eq!(turn["response"], "half", "what it had said is kept");
    assert!(turn["error"].as_str().expect("why").contains("outcome is unknown"), "{turn}");
    // What was queued runs on, in the same conversation.
    assert_eq!(world.ended(id(&queued)).await["response"], "turn 2");
    assert_eq!(world.events("daemon.recovered").await[0]["data"]["interrupted"], 1);
}

#[tokio::test]
async fn a_team_may_choose_to_have_such_a_turn_run_again() {
    let script = "replies:\n  - match: '^once$'\n    do: [{ delay: 300ms }, { say: 'turn {{turn}}' }]\n";
    let world = World::new(setup().team("alpha", script).team_key("onInterrupted: resume"));
    let told = world.tell_async("user", "once").await;
    iris_testing::daemon::eventually("it runs", async || Ok(world.turn(id(&told)).await["state"] == "running"))
        .await
        .expect("runs");
    let world = world.crash_and_restart();
    let turn = world.ended(id(&told)).await;
    assert_eq!((turn["state"].as_str(), turn["attempts"].as_i64()), (Some("completed"), Some(2)), "{turn}");
}

#[tokio::test]
async fn a_repeated_key_finds_the_same_turn_also_after_a_crash() {
    let world = World::new(setup().team("alpha", ECHO));
    let body = serde_json::json!({"toTeam": "alpha", "message": "once", "timeout": 0, "key": "k-1"});
    let (_, first) = world.post("/api/teams/tell", body.clone()).await;
    let (_, second) = world.post("/api/teams/tell", body.clone()).await;
    let world = world.crash_and_restart();
    let (_, third) = world.post("/api/teams/tell", body).await;
    assert_eq!((id(&first), &first["response"]), (id(&second), &second["response"]));
    assert_eq!((id(&first), &first["response"]), (id(&third), &third["response"]));
    let other = serde_json::json!({"toTeam": "alpha", "message": "another", "key": "k-1"});
    assert_eq!(world.post("/api/teams/tell", other).await.0, 409);
    assert_eq!(world.events("turn.finished").await.len(), 1);
}

#[tokio::test]
async fn the_cache_survives_a_crash_and_is_read_in_pages() {
    let world = World::new(setup().team("alpha", ECHO));
    for number in 0..7 {
        world.tell(&format!("m{number}")).await;
    }
    let world = world.crash_and_restart();
    let session = world.session("user").await["id"].as_str().expect("an id").to_owned();
    let (mut seen, mut after) = (Vec::new(), "0".to_owned());
    loop {
        let page = world.get(&format!("/api/sessions/{session}/turns?limit=3&after={after}")).await;
        for turn in page["items"].as_array().expect("turns") {
            let messages = world.get(&format!("/api/turns/{}/messages", turn["id"].as_str().expect("an id"))).await;
            let said = messages["items"].as_array().expect("messages");
            assert!(said.iter().any(|message| message["text"] == turn["response"]), "{messages}");
            seen.push(turn["message"].as_str().expect("text").to_owned());
        }
        match page["next"].as_str() {
            Some(next) => after = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen, ["m0", "m1", "m2", "m3", "m4", "m5", "m6"]);
}
