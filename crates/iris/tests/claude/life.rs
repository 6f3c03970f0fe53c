//! A conversation outlives its process.

use serde_json::json;

use crate::stage::{Stage, stage, stages};
use crate::world::World;

#[tokio::test]
async fn a_conversation_is_resumed_after_sleep_and_after_a_death_in_the_middle_of_a_tool() {
    for stage in stages(&["grantPermission: yes"]).await {
        stage.tell("alpha", "remember the number 1615", json!([{"text": "noted"}])).await;
        let (status, slept) = stage.world.post("/api/teams/alpha/sleep", json!({})).await;
        assert_eq!((status, &slept["stopped"]), (200, &json!(1)), "{slept}");
        let told = stage.tell("alpha", "what was it?", json!([{"echo": true}])).await;
        assert!(told["response"].to_string().contains("1615"), "{}: resumed after sleep: {told}", stage.version);

        let tool = json!([{"tool": "Bash", "input": {"command": "python3 -c 'import time; time.sleep(30)'"}},
                          {"text": "slept"}]);
        let turn = stage.start("alpha", tool).await;
        stage
            .until("the tool runs", async || stage.messages(&turn).await.iter().any(|(kind, _)| kind == "tool_use"))
            .await;
        let pid = stage.session("user", "alpha").await["pid"].as_i64().expect("a pid");
        assert!(std::process::Command::new("kill").args(["-9", &pid.to_string()]).status().expect("kill").success());
        let began = std::time::Instant::now();
        let ended = stage.world.ended(&turn).await;
        assert!(began.elapsed().as_secs() < 5, "the caller is told soon");
        assert_eq!((&ended["state"], &ended["reason"]), (&json!("terminated"), &json!("exited")), "{ended}");
        assert!(ended["error"].to_string().contains("signal 9"), "{ended}");
        let usage = &ended["usage"];
        assert!(usage["incomplete"] == true && usage["inputTokens"].as_i64() > Some(0), "what is known of: {usage}");
        let told = stage.tell("alpha", "and now?", json!([{"echo": true}])).await;
        assert!(told["response"].to_string().contains("1615"), "{}: resumed after death: {told}", stage.version);
    }
}

/// Whoever sends a signal to the process breaks its turn off. It ends by itself then, and is not told anything more.
#[tokio::test]
async fn an_agent_that_somebody_else_interrupts_says_so_and_another_goes_on() {
    for stage in stages(&["grantPermission: yes"]).await {
        let tool = json!([{"tool": "Bash", "input": {"command": "python3 -c 'import time; time.sleep(30)'"}},
                          {"text": "slept"}]);
        let turn = stage.start("alpha", tool).await;
        stage
            .until("the tool runs", async || stage.messages(&turn).await.iter().any(|(kind, _)| kind == "tool_use"))
            .await;
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        let pid = stage.session("user", "alpha").await["pid"].as_i64().expect("a pid");
        assert!(std::process::Command::new("kill").args(["-INT", &pid.to_string()]).status().expect("kill").success());
        let ended = stage.world.ended(&turn).await;
        // Older versions do not always say so before they end.
        let said = ["the agent was interrupted from outside", "the agent ended before the turn did: exit code 0"];
        let error = ended["error"].as_str().expect("why");
        assert!(said.iter().any(|words| error.starts_with(words)), "{}: {ended}", stage.version);
        let told = stage.tell("alpha", "and now?", json!([{"text": "here"}])).await;
        assert_eq!((&told["status"], &told["response"]), (&json!("completed"), &json!("here")), "{}", stage.version);
    }
}

#[tokio::test]
async fn a_conversation_survives_the_daemon() {
    let Some(stage) = stage(&[]).await else { return };
    stage.tell("alpha", "remember the number 1616", json!([{"text": "noted"}])).await;
    let stage = Stage { world: stage.world.crash_and_restart(), ..stage };
    let told = stage.tell("alpha", "what was it?", json!([{"echo": true}])).await;
    assert!(told["response"].to_string().contains("1616"), "{told}");
}

/// An agent whose program has lost the conversation begins anew, and nobody is left to think that it knows it.
#[tokio::test]
async fn a_conversation_that_is_lost_is_said_to_be() {
    for stage in stages(&[]).await {
        stage.tell("alpha", "remember the number 1618", json!([{"text": "noted"}])).await;
        stage.world.post("/api/teams/alpha/sleep", json!({})).await;
        std::fs::remove_dir_all(stage.world.path().join("data/homes/alpha/.claude/projects")).expect("it was there");
        let told = stage.tell("alpha", "what was it?", json!([{"echo": true}])).await;
        assert!(!told["response"].to_string().contains("1618"), "{}: {told}", stage.version);
        let said = stage.world.events("session.began_anew").await;
        assert_eq!(said.len(), 1, "{}", stage.version);
        assert_eq!(said[0]["data"]["turns"], 1, "{}: {said:?}", stage.version);
        let kept = stage.messages(told["turnId"].as_str().expect("a turn")).await;
        let (kind, text) = &kept[0];
        assert!(kind == "system" && text.contains("knows nothing of the turn before"), "{}: {kept:?}", stage.version);
    }
}

/// A backup has the conversations of agents with homes of their own, and nothing else of these homes.
#[tokio::test]
async fn a_conversation_in_a_home_of_its_own_is_in_the_backup() {
    let Some(stage) = stage(&[]).await else { return };
    stage.tell("alpha", "remember the number 1619", json!([{"text": "noted"}])).await;
    let folder = tempfile::tempdir().expect("a folder");
    let (file, other) = (folder.path().join("all.tar"), folder.path().join("home"));
    assert_eq!(stage.world.post("/api/backup", json!({ "path": file })).await.0, 200);
    let iris = || {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_iris"));
        command.env("IRIS_HOME", &other).args(["restore", "--yes"]).arg(&file);
        command
    };
    // Twice: what was there is kept, and the conversation is there all the same.
    for _ in 0..2 {
        let restored = iris().output().expect("it runs");
        assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
    }
    let own = other.join("data/homes/alpha");
    assert_eq!(std::fs::read_dir(&own).expect("a home").count(), 1, "only .claude");
    let setup = stage.world.setup.clone();
    let world =
        World { daemon: iris_testing::daemon::Daemon::start(&setup, &other).expect("it serves"), setup, home: folder };
    let restored = Stage { world, ..stage };
    let told = restored.tell("alpha", "what was it?", json!([{"echo": true}])).await;
    assert!(told["response"].to_string().contains("1619"), "{told}");
    assert!(restored.world.events("session.began_anew").await.is_empty());
}

/// What is forgotten is not kept by the agent's program either, where its home is the team's own.
#[tokio::test]
async fn a_session_that_is_deleted_leaves_no_conversation_behind() {
    for stage in stages(&["grantPermission: yes"]).await {
        let bash = json!({"tool": "Bash", "input": {"command": "true", "run_in_background": true}});
        stage.tell("alpha", "remember the number 1623", json!([bash, {"text": "noted"}])).await;
        let id = stage.session("user", "alpha").await["id"].as_str().expect("an id").to_owned();
        let home = stage.world.path().join("data/homes/alpha");
        let named = || {
            let found = std::process::Command::new("find").arg(&home).args(["-name", &format!("*{id}*")]).output();
            String::from_utf8(found.expect("it runs").stdout).expect("text")
        };
        assert!(named().contains(&format!("{id}.jsonl")), "{}: {}", stage.version, named());
        stage.until("it rests", async || stage.world.post("/api/teams/alpha/sleep", json!({})).await.0 == 200).await;
        stage.iris(&["sessions", "delete", &id, "--yes"]);
        assert_eq!(named(), "", "{}", stage.version);
    }
}

#[tokio::test]
async fn a_copy_of_a_conversation_goes_its_own_way() {
    for stage in stages(&[]).await {
        stage.tell("alpha", "remember the number 1617", json!([{"text": "noted"}])).await;
        let (status, forked) = stage.world.post("/api/teams/alpha/fork", json!({"as": "twin"})).await;
        assert_eq!((status, &forked["from"]), (200, &json!("twin")), "{forked}");
        let (_, told) = stage
            .world
            .post(
                "/api/teams/tell",
                json!({"toTeam": "alpha", "fromTeam": "twin", "message": "what was it? only twin asks MODEL[{\"echo\":true}]", "timeout": 0}),
            )
            .await;
        assert!(told["response"].to_string().contains("1617"), "{}: {told}", stage.version);
        let told = stage.tell("alpha", "and you?", json!([{"echo": true}])).await;
        let said = told["response"].to_string();
        assert!(said.contains("1617") && !said.contains("only twin"), "{}: {said}", stage.version);
        assert_eq!(stage.world.post("/api/teams/alpha/fork", json!({"as": "twin"})).await.0, 409, "the name is taken");
    }
}

#[tokio::test]
async fn an_interrupt_ends_a_turn_also_while_the_provider_hangs() {
    for stage in stages(&[]).await {
        for hang in ["hang", "hang_before_headers"] {
            let turn = stage.start("alpha", json!([{hang: true}])).await;
            stage.running(&turn).await;
            let asked = stage.model.requests().len();
            stage.until("the model is asked", async || stage.model.requests().len() >= asked.max(1)).await;
            stage.world.post("/api/teams/alpha/cancel", json!({})).await;
            let ended = stage.world.ended(&turn).await;
            assert_eq!(ended["state"], "cancelled", "{} {hang}: {ended}", stage.version);
            let told = stage.tell("alpha", "again", json!([{"text": "fine"}])).await;
            assert_eq!(told["response"], "fine", "{}: the process lives", stage.version);
        }
    }
}

/// Ten agents at once, each with its own conversation, and messages of two megabytes both ways.
#[tokio::test]
async fn ten_at_once_and_very_long_messages() {
    let Some(stage) = stage(&[]).await else { return };
    let mut telling = tokio::task::JoinSet::new();
    for number in 0..10 {
        let mut client = stage.world.client();
        telling.spawn(async move {
            let message = format!("I am {number} MODEL[{{\"text\": \"hello {number}\"}}]");
            (number, client.tell(&format!("party-{number}"), "alpha", &message).await.expect("told"))
        });
    }
    for (number, told) in telling.join_all().await {
        assert_eq!(told["response"], format!("hello {number}"), "{told}");
    }
    let long = "x".repeat(2 * 1024 * 1024);
    let told = stage.tell("beta", &long, json!([{"big": 2_000_000}])).await;
    assert_eq!(told["response"].as_str().map(str::len), Some(2_000_000));
    let sent = stage.model.requests().pop().expect("asked").last_user_text;
    assert!(sent.len() > long.len(), "all of it reached the model: {}", sent.len());
}
