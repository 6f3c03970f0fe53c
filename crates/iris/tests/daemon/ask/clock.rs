//! Deadlines are measured in time that passes, whatever the clock on the wall says.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{asking_setup, question_id};
use crate::shim::Faults;
use crate::world::World;

const DAY: i64 = 86_400;
const DEADLINE: Duration = Duration::from_millis(2500);

fn world(faults: &Faults, zone: &str) -> World {
    let mut setup =
        asking_setup().questions("shortestDeadline: 1ms").questions("deadlines: { blocking: 2500ms }").env("TZ", zone);
    setup.env.extend(faults.env());
    World::new(setup)
}

/// It is open until its time is over, and not much longer.
async fn ends_in_its_time(world: &World, id: &str, began: Instant) {
    let path = format!("/api/questions/{id}");
    loop {
        let state = world.get(&path).await["state"].as_str().expect("a state").to_owned();
        if state != "open" {
            assert_eq!(state, "expired");
            assert!(began.elapsed() >= DEADLINE, "it ended {:?} early", DEADLINE - began.elapsed());
            return;
        }
        assert!(began.elapsed() < DEADLINE + crate::world::SOON, "it was forgotten");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn the_clock_jumps_while_somebody_thinks() {
    for (seconds, zone) in [(DAY, "UTC"), (-DAY, "America/New_York"), (3600, "Pacific/Apia")] {
        let faults = Faults::new();
        let world = world(&faults, zone);
        world.tell_async("user", "ask").await;
        let began = Instant::now();
        let question = world.open_question().await;
        faults.set("clock", &seconds.to_string());
        ends_in_its_time(&world, question_id(&question), began - Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn the_clock_jumps_while_the_daemon_is_down() {
    for seconds in [DAY, -DAY] {
        let faults = Faults::new();
        let world = world(&faults, "UTC");
        world.tell_async("user", "ask").await;
        let began = Instant::now();
        let question = world.open_question().await;
        let World { daemon, setup, home } = world;
        daemon.kill().expect("killed");
        faults.set("clock", &seconds.to_string());
        let daemon = iris_testing::daemon::Daemon::start(&setup, home.path()).expect("it starts again");
        let world = World { daemon, setup, home };
        let same = world.get(&format!("/api/questions/{}", question_id(&question))).await;
        assert!(same["deadline"].is_i64() && same["state"] != json!("cancelled"), "{same}");
        ends_in_its_time(&world, question_id(&question), began - Duration::from_millis(50)).await;
    }
}

/// The machine sleeps while a question is open: its time goes on. What is over when the machine wakes ends then, and what
/// is not stays.
#[tokio::test]
async fn the_machine_sleeps_while_somebody_thinks() {
    let faults = Faults::new();
    let mut setup = asking_setup().questions("deadlines: { blocking: 10m }");
    setup.env.extend(faults.env());
    let world = World::new(setup);
    world.tell_async("user", "ask").await;
    let question = world.open_question().await;
    let path = format!("/api/questions/{}", question_id(&question));
    faults.set("asleep", "300");
    // Long enough for everything that is looked at now and then.
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(world.get(&path).await["state"], "open", "half of its time is over");
    faults.set("asleep", "700");
    let began = Instant::now();
    while world.get(&path).await["state"] == "open" {
        assert!(began.elapsed() < crate::world::SOON, "it was forgotten");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(world.get(&path).await["state"], "expired");
}

/// What is edited keeps the time that is left, whatever the clock on the wall says.
#[tokio::test]
async fn the_clock_jumps_before_somebody_edits() {
    for seconds in [DAY, -DAY] {
        let faults = Faults::new();
        let mut setup = asking_setup().questions("shortestDeadline: 1ms").questions("deadlines: { approval: 3s }");
        setup.env.extend(faults.env());
        let world = World::new(setup);
        world.tell_async("user", "permit true").await;
        let began = Instant::now();
        let question = world.open_question().await;
        faults.set("clock", &seconds.to_string());
        let path = format!("/api/questions/{}/edit", question_id(&question));
        let (status, edited) = world.post(&path, json!({"input": {"command": "false"}})).await;
        assert_eq!(status, 200, "{edited}");
        let path = format!("/api/questions/{}", question_id(&edited));
        while world.get(&path).await["state"] == "open" {
            assert!(began.elapsed() < crate::world::SOON, "it was forgotten");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(began.elapsed() >= Duration::from_millis(2900), "it ended early: {:?}", began.elapsed());
    }
}
