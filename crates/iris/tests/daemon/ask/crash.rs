//! The daemon is killed around the moment in which an answer reaches its agent. Whatever happens, the agent goes on with
//! the answer once.

use std::time::Duration;

use iris_testing::daemon::Daemon;
use serde_json::json;

use super::{asking_setup, question_id};
use crate::world::{World, setup};

const POINTS: [&str; 9] = [
    "question.answer.before_commit",
    "question.answer.after_commit",
    "question.hand.before_commit",
    "question.hand.after_commit",
    "question.confirm.before_commit",
    "question.confirm.after_commit",
    "question.resume.before_commit",
    "question.resume.after_commit",
    "session.ready.after_commit",
];

/// These are reached only if the process that asked is gone when the answer comes. At the last one the turn that brings the
/// answer has begun, and its agent was told nothing.
fn is_in_resume(point: &str) -> bool {
    point.starts_with("question.resume") || point.starts_with("session.ready")
}

/// `IRIS_TEST_ROUNDS=125` makes a thousand kills of it.
fn rounds() -> usize {
    std::env::var("IRIS_TEST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}

/// One life in which a question is asked and answered, killed at a point; then everything is brought to its end.
async fn live(point: &str, goal: &str, value: serde_json::Value) -> World {
    let plain = asking_setup();
    let armed = plain.clone().env("IRIS_CRASH_AT", &format!("{point}:1"));
    let first = if is_in_resume(point) { plain.clone() } else { armed.clone() };
    let world = World::new(first);
    world.tell_async("user", goal).await;
    let question = world.open_question().await;
    let path = format!("/api/questions/{}/answer", question_id(&question));
    let body = json!({"response": {"value": value}});
    let World { mut daemon, home, .. } = if is_in_resume(point) {
        let World { daemon, home, .. } = world;
        daemon.kill().expect("killed");
        let daemon = Daemon::start(&armed, home.path()).expect("it starts");
        World { daemon, setup: armed, home }
    } else {
        world
    };
    // The daemon may die before it can say so.
    daemon.client().post(&path, &body).await.ok();
    let ended = daemon.wait(Duration::from_secs(10)).unwrap_or_else(|_| panic!("{point} was never reached"));
    assert!(!ended.success(), "{point}");
    // Its agents end with it here, and not when the next has some.
    drop(daemon);
    let daemon = Daemon::start(&plain, home.path()).expect("it starts again");
    let world = World { daemon, setup: plain, home };
    let state = world.get(&format!("/api/questions/{}", question_id(&question))).await["state"].clone();
    if state == "open" {
        assert_eq!(point, "question.answer.before_commit", "the answer was on disk");
        assert_eq!(world.post(&path, body).await.0, 200);
    }
    world
}

async fn has_resumed(world: &World, point: &str) {
    world
        .eventually("the answer has reached the agent", async || {
            let due = world.get("/api/sessions").await["items"][0]["queued"].as_i64();
            !world.events("question.resumed").await.is_empty() && due == Some(0)
        })
        .await;
    world.last_turn("user").await;
    assert_eq!(world.events("question.resumed").await.len(), 1, "{point}: once");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_reaches_its_agent_once_wherever_the_daemon_dies() {
    for _ in 0..rounds() {
        for point in POINTS {
            let world = live(point, "ask", json!("Blue")).await;
            has_resumed(&world, point).await;
            // Told on the pipe, or by a turn; never by both, unless the first was in doubt, and then it says so.
            let turns = world.events("turn.finished").await.len();
            let last = world.last_turn("user").await;
            let said = last["response"].as_str().unwrap_or_default();
            if point == "question.confirm.after_commit" {
                assert!(turns == 1 && !said.contains("[Iris]"), "{point}: {last}");
            } else {
                assert!(said.contains("user answered: Blue"), "{point}: {last}");
                let in_doubt = ["question.hand.after", "question.confirm.before", "session.ready"];
                let in_doubt = in_doubt.iter().any(|doubtful| point.starts_with(doubtful));
                assert_eq!(said.contains("a second time"), in_doubt, "{point}: {last}");
            }
        }
    }
}

/// An approval is used at most once, also if the daemon dies while it is passed on.
#[tokio::test(flavor = "multi_thread")]
async fn an_approved_action_runs_at_most_once_wherever_the_daemon_dies() {
    for _ in 0..rounds() {
        for point in POINTS {
            let world = live(point, "permit echo x >> ran.txt", json!(true)).await;
            has_resumed(&world, point).await;
            let ran = std::fs::read_to_string(world.path().join("projects/alpha/ran.txt")).unwrap_or_default();
            let in_doubt = point.starts_with("question.hand.after") || point.starts_with("question.confirm");
            assert!(ran == "x\n" || (in_doubt && ran.is_empty()), "{point}: ran {ran:?}");
        }
    }
}

/// An agent that waits for nothing is told at once: the daemon dies when the turn has begun, and before it is written out.
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_agent_is_told_an_answer_though_the_daemon_dies_before_it_says_so() {
    let plain = asking_setup();
    let World { daemon: mut killed, home, .. } =
        World::new(plain.clone().env("IRIS_CRASH_AT", "question.resume.after_commit:1")).after_asking_idly().await;
    assert!(!killed.wait(Duration::from_secs(10)).expect("it dies").success());
    drop(killed);
    let daemon = Daemon::start(&plain, home.path()).expect("it starts again");
    let world = World { daemon, setup: plain, home };
    has_resumed(&world, "idle").await;
    let last = world.last_turn("user").await;
    let said = last["response"].as_str().unwrap_or_default();
    assert!(said.contains("user answered: tabs") && said.contains("a second time"), "{last}");
    assert_eq!((&last["state"], &last["attempts"]), (&json!("completed"), &json!(2)), "{last}");
}

impl World {
    /// The agent has asked something that it does not wait for, and somebody has answered.
    async fn after_asking_idly(self) -> Self {
        self.tell("prefer").await;
        let question = self.open_question().await;
        let path = format!("/api/questions/{}/answer", question_id(&question));
        self.daemon.client().post(&path, &json!({"response": {"value": "tabs"}})).await.ok();
        self
    }
}

/// An agent that ends before it has said anything to the answer: the next one is told, and not for ever.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_told_to_the_next_agent_if_the_first_ends_without_a_word() {
    let dies_at = |words: &str| {
        let dying = format!("replies:\n  - match: \"{words}\"\n    do: [{{ crash: {{ signal: 9 }} }}]");
        super::ASKING.replacen("\nreplies:", &dying, 1)
    };
    for (words, state, attempts) in [("Go on with that", "completed", 2), ("Tabs", "terminated", 3)] {
        let setup = setup().team("alpha", &dies_at(words));
        let world = World::new(setup.setting("agent: { completionAnalysis: { enabled: false } }"));
        let world = world.after_asking_idly().await;
        has_resumed(&world, words).await;
        let last = world.last_turn("user").await;
        assert_eq!((&last["state"], &last["attempts"]), (&json!(state), &json!(attempts)), "{last}");
        let said = last["response"].as_str().unwrap_or_default();
        assert_eq!(said.contains("a second time"), state == "completed", "{last}");
    }
}
