//! The wall clock jumps by a day: no timer is early, none is lost.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::shim::Faults;
use crate::world::{ECHO, World, id, setup};

const DAY: i64 = 86_400;

fn world(faults: &Faults) -> World {
    let mut setup = setup().team("alpha", ECHO);
    setup.env.extend(faults.env());
    World::new(setup)
}

async fn tell_later(world: &World, delay_ms: u64) -> Value {
    let body = json!({"toTeam": "alpha", "message": "later", "timeout": -1, "delay": delay_ms});
    let (status, value) = world.post("/api/teams/tell", body).await;
    assert_eq!(status, 200, "{value}");
    value
}

/// Watches a turn that must not run before its time. `began` is when it was told.
async fn runs_in_its_time(world: &World, told: &Value, began: Instant, delay: Duration) {
    loop {
        let state = world.turn(id(told)).await["state"].as_str().expect("a state").to_owned();
        if state != "scheduled" {
            assert!(began.elapsed() >= delay, "it ran {:?} early", delay - began.elapsed());
            break;
        }
        assert!(began.elapsed() < delay + crate::world::SOON, "it was lost");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(world.ended(id(told)).await["state"], "completed");
}

async fn jump(seconds: i64) {
    let faults = Faults::new();
    let world = world(&faults);
    world.tell("hello").await;
    let delay = Duration::from_millis(1500);
    let began = Instant::now();
    let told = tell_later(&world, 1500).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    faults.set("clock", &seconds.to_string());
    let age = world.session("user").await["stateAgeMs"].as_i64().expect("an age");
    assert!((50..60_000).contains(&age), "it is idle for {age} ms");
    runs_in_its_time(&world, &told, began, delay).await;
    assert_eq!(world.session("user").await["state"], "idle", "and no idle agent was reaped for it");
}

#[tokio::test]
async fn forward_by_a_day() {
    jump(DAY).await;
}

#[tokio::test]
async fn back_by_a_day() {
    jump(-DAY).await;
}

#[tokio::test]
async fn while_the_daemon_is_down() {
    for seconds in [DAY, -DAY] {
        let faults = Faults::new();
        let world = world(&faults);
        let delay = Duration::from_millis(2000);
        let began = Instant::now();
        let told = tell_later(&world, 2000).await;
        let World { daemon, setup, home } = world;
        daemon.kill().expect("killed");
        faults.set("clock", &seconds.to_string());
        let daemon = iris_testing::daemon::Daemon::start(&setup, home.path()).expect("it starts again");
        let world = World { daemon, setup, home };
        runs_in_its_time(&world, &told, began, delay).await;
    }
}

#[tokio::test]
async fn a_key_that_was_used_is_known_though_the_clock_jumps() {
    for seconds in [DAY, -DAY] {
        let faults = Faults::new();
        let world = world(&faults);
        let owner = format!("Bearer {}", world.daemon.token);
        let headers =
            [("authorization", owner.as_str()), ("content-type", "application/json"), ("idempotency-key", "one")];
        let sleep = async || {
            let answer =
                world.client().ask("POST", "/api/teams/alpha/sleep", &headers, b"{}").await.expect("an answer");
            (answer.status, answer.header("idempotency-replayed").map(str::to_owned))
        };
        assert_eq!(sleep().await, (200, None));
        faults.set("clock", &seconds.to_string());
        assert_eq!(sleep().await, (200, Some("true".to_owned())));
        assert_eq!(sleep().await, (200, Some("true".to_owned())));
    }
}
