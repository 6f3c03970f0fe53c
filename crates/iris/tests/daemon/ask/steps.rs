//! The daemon killed before and after every durable step of questions, jobs, rules, own turns, limits and trust.
//! Afterwards everything comes to its end, and no answer is lost or given twice.

use std::time::Duration;

use iris_testing::daemon::{Daemon, Setup};
use serde_json::{Value, json};

use super::ASKING;
use crate::world::{World, setup};

const OF_QUESTIONS: [&str; 14] = [
    "question.open",
    "question.answer",
    "question.hand",
    "question.confirm",
    "question.resume",
    "question.withdraw",
    "question.cancel",
    "question.edit",
    "question.expire",
    "question.limited",
    "rule.revoke",
    "job.start",
    "job.stop",
    "job.settle",
];

const OF_AGENTS: [&str; 8] = [
    "turn.begin_own",
    "turn.pause",
    "session.background",
    "session.release",
    "session.fork",
    "trust.grant",
    "trust.revoke",
    "question.withdraw",
];

/// Asks that may find no daemon any more: what they answer does not matter here.
struct Careless<'a>(&'a World);

impl Careless<'_> {
    async fn post(&self, path: &str, body: Value) -> Value {
        let answer = self.0.client().post(path, &body).await.ok();
        answer.and_then(|answer| answer.json().ok()).unwrap_or_default()
    }

    async fn get(&self, path: &str) -> Value {
        let answer = self.0.client().get(path).await.ok();
        answer.and_then(|answer| answer.json().ok()).unwrap_or_default()
    }

    async fn tell(&self, message: &str) -> Value {
        self.post("/api/teams/tell", json!({"toTeam": "alpha", "message": message, "timeout": -1, "key": message}))
            .await
    }

    /// The first open question, if one is opened within a moment.
    async fn question(&self) -> String {
        for _ in 0..150 {
            let pending = self.get("/api/questions/pending").await;
            match pending["questions"][0]["id"].as_str() {
                Some(id) => return id.to_owned(),
                None if pending.is_null() => break,
                None => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
        "none".to_owned()
    }

    /// Or until there is no daemon any more.
    async fn until_it_has_begun_a_turn_of_its_own(&self) {
        for _ in 0..500 {
            let started = self.get("/api/events?kind=turn.started&limit=1000").await;
            let own = |event: &Value| event["data"]["origin"].is_string();
            match started["items"].as_array() {
                Some(events) if !events.iter().any(own) => tokio::time::sleep(Duration::from_millis(10)).await,
                _ => break,
            }
        }
    }

    async fn answer(&self, id: &str, value: Value) {
        self.post(&format!("/api/questions/{id}/answer"), json!({"response": {"value": value}})).await;
    }
}

async fn ask_everything(world: &World) {
    let careless = Careless(world);
    careless.tell("ask").await;
    careless.answer(&careless.question().await, json!("Blue")).await;
    careless.tell("permit echo one >> ran.txt").await;
    let id = careless.question().await;
    let edited = careless.post(&format!("/api/questions/{id}/edit"), json!({"input": {"command": "true"}})).await;
    careless.answer(edited["id"].as_str().unwrap_or("none"), json!(false)).await;
    let rules = careless.get("/api/rules").await;
    let rule = rules["rules"][0]["id"].as_str().unwrap_or("none").to_owned();
    world.client().delete(&format!("/api/rules/{rule}")).await.ok();
    careless.tell("tool Which one?").await;
    let id = careless.question().await;
    careless.post(&format!("/api/questions/{id}/cancel"), json!({})).await;
    careless.tell("prefer").await;
    careless.answer(&careless.question().await, json!("tabs")).await;
    let job = careless.post("/api/jobs", json!({"team": "alpha", "goal": "hello", "key": "j1"})).await;
    careless.post("/api/jobs", json!({"team": "alpha", "goal": "ask", "key": "j2"})).await;
    let stopped = careless.post("/api/jobs", json!({"team": "alpha", "goal": "tool Really?", "key": "j3"})).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    careless.post(&format!("/api/jobs/{}/stop", stopped["id"].as_str().unwrap_or("none")), json!({})).await;
    careless.get(&format!("/api/jobs/{}", job["id"].as_str().unwrap_or("none"))).await;
    careless.tell("permit sleep 0").await;
    careless.question().await;
    careless.post("/api/teams/alpha/cancel", json!({})).await;
    careless.tell("many").await;
}

/// Lives once with a daemon that is killed at a point, then again until everything is over.
async fn killed_at(point: &str, setup: &Setup, deeds: impl AsyncFn(&World)) {
    let armed = setup.clone().env("IRIS_CRASH_AT", &format!("{point}:1"));
    let world = World::new(armed);
    deeds(&world).await;
    let World { mut daemon, home, .. } = world;
    let ended = daemon.wait(Duration::from_secs(10)).unwrap_or_else(|_| panic!("{point} was never reached"));
    assert!(!ended.success(), "{point}");
    drop(daemon);
    let daemon = Daemon::start(setup, home.path()).expect("it starts again");
    let world = World { daemon, setup: setup.clone(), home };
    settle(&world, point).await;
}

/// Answers what is open, waits until everything is over, and holds the log against what it promises.
async fn settle(world: &World, point: &str) {
    world
        .eventually(&format!("everything is over after {point}"), async || {
            let pending = world.get("/api/questions/pending").await;
            for question in pending["questions"].as_array().expect("a list") {
                let value = match question["responseType"].as_str() {
                    Some("approval" | "boolean") => json!(true),
                    Some("choice") => question["options"][0]["value"].clone(),
                    _ => json!("this"),
                };
                world.answer(question, value).await;
            }
            let jobs = world.get("/api/jobs?limit=1000").await;
            let over = |job: &Value| matches!(job["status"].as_str(), Some("completed" | "failed" | "stopped"));
            let sessions = world.get("/api/sessions?limit=1000").await;
            let idle = |session: &Value| session["running"].is_null() && session["queued"] == 0;
            pending["questions"].as_array().expect("a list").is_empty()
                && jobs["items"].as_array().expect("jobs").iter().all(over)
                && sessions["items"].as_array().expect("sessions").iter().all(idle)
        })
        .await;
    for answered in world.events("question.answered").await {
        let id = &answered["data"]["id"];
        let closings = ["question.answered", "question.defaulted", "question.expired", "question.cancelled"];
        let mut closed = 0;
        for kind in closings {
            closed += world.events(kind).await.iter().filter(|event| event["data"]["id"] == *id).count();
        }
        assert_eq!(closed, 1, "{point}: {answered} was closed more than once");
        let resumed = world.events("question.resumed").await;
        let times = resumed.iter().filter(|event| event["data"]["id"] == *id).count();
        assert!(times <= 1, "{point}: {answered} was passed on {times} times");
    }
    assert_eq!(world.tell("after").await["status"], "completed", "{point}");
}

/// More than may be asked in a minute.
fn many() -> String {
    let each = (0..30).map(|number| {
        format!("{{ mcp: {{ server: iris, tool: ask_question, arguments: {{ question: 'Fine {number}?', type: celebratory }} }} }}")
    });
    format!("\n  - match: '^many$'\n    do: [{}]\n", each.collect::<Vec<_>>().join(", "))
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_every_step_of_a_question() {
    let script = ASKING.replacen("replies:\n", &format!("replies:{}", many()), 1);
    let setup = setup()
        .team("alpha", &script)
        .setting("agent: { completionAnalysis: { enabled: false } }")
        .questions("perMinute: 25")
        .questions("shortestDeadline: 1ms")
        .questions("deadlines: { blocking: 4s, approval: 4s }");
    for step in OF_QUESTIONS {
        for moment in ["before_commit", "after_commit"] {
            killed_at(&format!("{step}.{moment}"), &setup, ask_everything).await;
        }
    }
}

const BUSY: &str = r#"
replies:
  - match: "^background$"
    do:
      - subagent: { type: explorer, prompt: look, background: true, do: [{ delay: 100ms }, { say: found }], notify: [{ say: notified }] }
      - say: started
  - match: "^limit$"
    do: [{ when: { text: "{{turn}}", matches: "^[12]$", then: [{ api_error: { status: 429, retries: 0, message: "usage limit reached" } }], else: [{ say: "went on" }] } }]
  - match: "^permit$"
    do: [{ permission: { tool: Bash, input: { command: ls } } }, { say: permitted }]
default: [{ say: "You said: {{text}}" }]
"#;

async fn keep_busy(world: &World) {
    let careless = Careless(world);
    let folder = world.path().join("projects/alpha/.claude");
    std::fs::create_dir_all(&folder).expect("made");
    std::fs::write(folder.join("settings.json"), "{}").expect("written");
    let found = careless.get("/api/teams/alpha/trust").await;
    careless.post("/api/teams/alpha/trust", json!({"digest": found["digest"]})).await;
    world.client().delete("/api/teams/alpha/trust").await.ok();
    careless.tell("limit").await;
    careless.tell("background").await;
    careless.until_it_has_begun_a_turn_of_its_own().await;
    careless.post("/api/teams/alpha/fork", json!({})).await;
    careless.tell("permit").await;
    careless.question().await;
    careless.post("/api/teams/alpha/cancel", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_every_step_of_an_agent_s_own() {
    let setup = setup().team("alpha", BUSY).setting("limitPause: 1s");
    for step in OF_AGENTS {
        for moment in ["before_commit", "after_commit"] {
            killed_at(&format!("{step}.{moment}"), &setup, keep_busy).await;
        }
    }
}
