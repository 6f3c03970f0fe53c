//! The two time-outs: the caller's patience and the agent's health never touch each other.

use std::time::Duration;

use iris_testing::daemon::eventually;
use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::world::{World, id, setup};

const SCRIPT: &str = r#"
replies:
  - match: "^slow$"
    do: [{ say: "first part" }, { delay: 600ms }, { say: "second part" }]
  - match: "^typing$"
    do: [{ say: "done so far" }, { stream: { text: "still typing this", chunk: 5, every: 150ms } }]
  - match: "^chatty$"
    do: [{ times: { n: 8, do: [{ say: "still here" }, { delay: 150ms }] } }]
  - match: "^limited$"
    do: [{ retry: { status: 429, times: 1, delay: 1s } }, { say: "in the end" }]
default: [{ say: "You said: {{text}}" }]
"#;

async fn tell(world: &World, message: &str, timeout: i64) -> Value {
    let (status, value) =
        world.post("/api/teams/tell", json!({"toTeam": "alpha", "message": message, "timeout": timeout})).await;
    assert_eq!(status, 200, "{value}");
    value
}

#[tokio::test]
async fn minus_one_returns_at_once_and_the_answer_is_read_later() {
    let world = World::new(setup().team("alpha", SCRIPT));
    let told = tell(&world, "slow", -1).await;
    assert_eq!((&told["status"], &told["response"]), (&json!("async"), &Value::Null));
    let turn = world.ended(id(&told)).await;
    assert_eq!((&turn["state"], &turn["response"]), (&json!("completed"), &json!("second part")));
}

#[tokio::test]
async fn zero_waits_until_the_end() {
    let world = World::new(setup().team("alpha", SCRIPT));
    assert_eq!(tell(&world, "slow", 0).await["status"], "completed");
}

#[tokio::test]
async fn n_returns_what_there_is_and_the_turn_goes_on() {
    let world = World::new(setup().team("alpha", SCRIPT));
    let told = tell(&world, "slow", 250).await;
    assert_eq!((&told["status"], &told["partialResponse"]), (&json!("mcp_timeout"), &json!("first part")));
    let raw = told["rawMessages"].as_array().expect("messages");
    assert!(raw.iter().any(|message| message["text"] == "first part"), "{raw:?}");
    assert_eq!(world.ended(id(&told)).await["state"], "completed");
}

#[tokio::test]
async fn the_partial_text_includes_what_is_being_typed() {
    let world = World::new(setup().team("alpha", SCRIPT));
    let told = tell(&world, "typing", 400).await;
    let partial = told["partialResponse"].as_str().expect("text");
    assert!(partial.starts_with("done so far\nstill"), "{told}");
}

#[tokio::test]
async fn every_message_restarts_the_response_clock() {
    // In all it takes far longer than the time-out, but it is never silent for that long.
    let world = World::new(setup().team("alpha", SCRIPT).setting("responseTimeout: 500ms"));
    assert_eq!(tell(&world, "chatty", 0).await["status"], "completed");
    // Nor is one that says how long its provider keeps it waiting.
    assert_eq!(tell(&world, "limited", 0).await["response"], "in the end");
    // And the same time-out strikes when it is.
    assert_eq!(tell(&world, "slow", 0).await["reason"], "response_timeout");
}

/// What the agent said while nobody could listen is in its pipe.
#[tokio::test]
async fn a_daemon_that_stood_still_takes_no_agent_for_silent() {
    let world = World::new(setup().team("alpha", SCRIPT).setting("responseTimeout: 1500ms"));
    let told = tell(&world, "slow", -1).await;
    let has_begun = async || Ok(world.turn(id(&told)).await["state"] == "running");
    eventually("it runs", has_begun).await.expect("it does");
    world.daemon.signal(Signal::SIGSTOP).expect("stopped");
    tokio::time::sleep(Duration::from_secs(4)).await;
    world.daemon.signal(Signal::SIGCONT).expect("goes on");
    let turn = world.ended(id(&told)).await;
    assert_eq!((&turn["state"], &turn["response"]), (&json!("completed"), &json!("second part")), "{turn}");
}

#[tokio::test]
async fn an_impatient_caller_does_not_stop_the_response_clock() {
    let world = World::new(setup().team("alpha", SCRIPT).setting("responseTimeout: 400ms"));
    let told = tell(&world, "slow", 50).await;
    assert_eq!(told["status"], "mcp_timeout");
    assert_eq!(world.ended(id(&told)).await["reason"], "response_timeout");
}

#[tokio::test]
async fn a_timeout_that_means_nothing_is_refused() {
    let world = World::new(setup().team("alpha", SCRIPT));
    let (status, problem) =
        world.post("/api/teams/tell", json!({"toTeam": "alpha", "message": "x", "timeout": -2})).await;
    assert_eq!(status, 400, "{problem}");
    assert!(world.events("turn").await.is_empty(), "nothing was changed");
}
