//! The daemon killed before and after every durable step, and at random under load, against a shadow model.

use std::path::Path;
use std::time::Duration;

use iris_testing::shadow::{Crash, Shadow};

use crate::world::{ECHO, World, id, setup};

/// Steps that a life of tells alone reaches. A step that is in neither list has no crash test, and fails the test below.
const REACHED_BY_TELLS: [&str; 11] = [
    "daemon.started",
    "session.spawning",
    "session.process",
    "session.ready",
    "session.waiting",
    "session.terminating",
    "session.stopped",
    "turn.accept",
    "turn.record",
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
    assert!(
        shadow.crashes * 2 >= shadow.lives,
        "at least half of the lives must have ended where they should: {shadow:?}"
    );
    assert!(verdict.completed > 20, "{verdict:?}");
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
    // On a busy machine a short life does little: then it takes more of them.
    for life in 0..lives * 10 {
        if life >= lives && shadow.accepted() >= ENOUGH {
            break;
        }
        let pause = Duration::from_millis(20 + (life * 7919) % 230);
        shadow.live(&setup, home.path(), &Crash::After(pause), 100).await.expect("a life");
    }
    let verdict = shadow.settle(&setup, home.path()).await.expect("nothing lost, doubled or out of order");
    eprintln!("{} kills, {} accepted, {verdict:?}", shadow.crashes, shadow.accepted());
    assert!(verdict.completed > 20, "{verdict:?}");
}

/// So many tells say something about what is lost.
const ENOUGH: usize = 40;

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

/// The steps that tells alone do not reach: waking, putting off, cancelling, forgetting, failing to start, stopping.
const REACHED_OTHERWISE: [&str; 12] = [
    "link.make",
    "session.create",
    "session.start_failed",
    "session.clear_cache",
    "session.delete",
    "turn.start",
    "turn.cancel",
    "turn.withdraw",
    "timer.fire",
    "turn.record",
    "daemon.halt",
    "daemon.stopped",
];

/// Does a little of everything. The daemon may die anywhere in it, so what is answered does not matter here.
async fn everything(world: &World) {
    let post = async |path: &str, body: serde_json::Value| {
        let answer = world.client().post(path, &body).await.ok().filter(|answer| answer.status == 200);
        answer.and_then(|answer| answer.json().ok()).unwrap_or_default()
    };
    let tell = async |team: &str, message: &str, delay: Option<u64>| {
        let mut body = serde_json::json!({"toTeam": team, "message": message, "timeout": -1, "key": message});
        if let Some(delay) = delay {
            body["delay"] = delay.into();
        }
        post("/api/teams/tell", body).await
    };
    post("/api/links", serde_json::json!(null)).await;
    post("/api/teams/alpha/wake", serde_json::json!({})).await;
    tell("alpha", "put off", Some(60)).await;
    tell("broken", "never starts", None).await;
    tokio::time::sleep(Duration::from_millis(150)).await;
    tell("alpha", "slow", None).await;
    let waiting = tell("alpha", "withdrawn", None).await;
    post(&format!("/api/turns/{}/cancel", waiting["turnId"].as_str().unwrap_or("none")), serde_json::json!({})).await;
    // A slow machine has to have begun with it.
    tokio::time::sleep(Duration::from_millis(1000)).await;
    post("/api/teams/alpha/sleep", serde_json::json!({})).await;
    let session = waiting["sessionId"].as_str().unwrap_or("none");
    world.client().delete(&format!("/api/sessions/{session}/cache")).await.ok();
    world.client().delete(&format!("/api/sessions/{session}")).await.ok();
    tell("alpha", "too late", Some(1500)).await;
    post("/api/agents/stop", serde_json::json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_every_other_step() {
    let script = "replies:\n  - match: '^slow$'\n    do: [{ say: a }, { delay: 100ms }, { say: b }]\n";
    let setup = setup().team("alpha", script).team("broken", "start: { exit: { code: 1, stderr: no } }\n");
    for step in REACHED_OTHERWISE {
        for moment in ["before_commit", "after_commit"] {
            let point = format!("{step}.{moment}");
            let world = World::new(setup.clone().env("IRIS_CRASH_AT", &format!("{point}:1")));
            everything(&world).await;
            let World { mut daemon, home, .. } = world;
            let ended = if step == "daemon.stopped" { daemon.stop() } else { daemon.wait(Duration::from_secs(20)) };
            let ended = ended.unwrap_or_else(|error| panic!("{point} was never reached: {error:#}"));
            assert!(!ended.success(), "{point} was never reached");
            let daemon = iris_testing::daemon::Daemon::start(&setup, home.path()).expect("it starts again");
            let world = World { daemon, setup: setup.clone(), home };
            let turns = iris_testing::shadow::all_over(&mut world.client()).await.expect("everything comes to its end");
            let ran = iris_testing::shadow::journals(world.path()).expect("readable");
            for turn in turns.values() {
                let runs = ran.iter().filter(|run| turn["message"] == run.text.as_str()).count();
                let attempts = turn["attempts"].as_u64().expect("a number");
                assert!(runs as u64 <= attempts && attempts <= 1, "{point}: {turn} ran {runs} times");
                assert!(turn["state"] != "completed" || runs == 1, "{point}: {turn} ran {runs} times");
            }
            assert_eq!(world.tell("after").await["status"], "completed", "{point}");
        }
    }
}

/// The lists above are complete: a daemon that does everything reaches no step that is not in it.
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
        let known = REACHED_BY_TELLS.contains(&name) || REACHED_OTHERWISE.contains(&name);
        assert!(known, "{name} is a durable step without a crash test");
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
    assert_eq!(turn["usage"]["incomplete"], true, "nobody knows what the first try cost: {turn}");
    says_that_it_ran_again(&world, id(&told)).await;
}

/// Whoever reads the turn, and whoever follows it.
async fn says_that_it_ran_again(world: &World, turn: &str) {
    let messages = world.get(&format!("/api/turns/{turn}/messages")).await;
    let said = messages["items"].as_array().expect("messages").iter().map(|message| message["text"].to_string());
    assert!(said.filter(|text| text.contains("may be done a second time")).count() == 1, "{messages}");
    let queued = world.events("turn.queued").await;
    let again = queued.last().expect("it was queued")["data"]["again"].to_string();
    assert!(again.contains("may be done a second time"), "{queued:?}");
}

/// An orderly end does the same to a turn that does not end within the grace.
#[tokio::test]
async fn a_turn_that_is_cut_off_by_a_shutdown_runs_again_if_its_team_chose_so() {
    let script = "replies:\n  - match: '^once$'\n    do: [{ say: begun }, { delay: 4s }, { say: done }]\n";
    for (policy, expected) in [("resume", ("completed", 2)), ("stop", ("terminated", 1))] {
        let setup = setup().team("alpha", script).setting("shutdownGrace: 100ms");
        let world = World::new(setup.team_key(&format!("onInterrupted: {policy}")));
        let told = world.tell_async("user", "once").await;
        let begun = async || Ok(!world.events("message").await.is_empty());
        iris_testing::daemon::eventually("it runs", begun).await.expect("runs");
        let World { daemon, setup, home } = world;
        assert!(daemon.stop().expect("stopped").success());
        let daemon = iris_testing::daemon::Daemon::start(&setup, home.path()).expect("starts");
        let world = World { daemon, setup, home };
        let turn = world.ended(id(&told)).await;
        assert_eq!((turn["state"].as_str(), turn["attempts"].as_i64()), (Some(expected.0), Some(expected.1)), "{turn}");
        match policy {
            "resume" => says_that_it_ran_again(&world, id(&told)).await,
            _ => {
                assert_eq!(turn["reason"], "stopped");
                assert!(turn["error"].as_str().expect("why").starts_with("Iris was stopped"), "{turn}");
            }
        }
    }
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
    assert_eq!(world.post("/api/teams/tell", other).await.0, 422);
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

#[tokio::test]
async fn a_backup_made_in_the_middle_of_work_goes_on_in_another_home() {
    let script = "replies:\n  - match: '^slow$'\n    do: [{ delay: 60s }]\ndefault: [{ say: 'turn {{turn}}' }]\n";
    let world = World::new(setup().team("alpha", script));
    assert_eq!(world.tell("hello").await["response"], "turn 1");
    let slow = world.tell_async("user", "slow").await;
    let queued = world.tell_async("user", "next").await;
    iris_testing::daemon::eventually("it runs", async || Ok(world.turn(id(&slow)).await["state"] == "running"))
        .await
        .expect("runs");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, other) = (folder.path().join("backup.tar"), folder.path().join("home"));
    let (status, made) = world.post("/api/backup", serde_json::json!({ "path": file })).await;
    assert_eq!(status, 200, "{made}");
    let beside: Vec<_> =
        std::fs::read_dir(folder.path()).expect("readable").map(|e| e.expect("an entry").file_name()).collect();
    assert_eq!(beside, ["backup.tar"], "one file, and nothing beside it");

    let restored = std::process::Command::new(env!("CARGO_BIN_EXE_iris"))
        .args(["restore", "--yes"])
        .arg(&file)
        .env("IRIS_HOME", &other)
        .output()
        .expect("it runs");
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
    let daemon = iris_testing::daemon::Daemon::start(&setup(), &other).expect("the restored home serves");
    let there = World { daemon, setup: setup(), home: folder };
    assert_eq!(there.ended(id(&slow)).await["reason"], "interrupted");
    assert_eq!(there.ended(id(&queued)).await["response"], "turn 3", "the conversation goes on");
}
