//! What agents ask, over everything that can happen between the question and the answer.

mod bound;
mod clock;
mod command;
mod crash;
mod found;
mod job;
mod race;
mod rule;
mod steps;
mod through;

use std::time::Duration;

use iris_testing::daemon::Setup;
use serde_json::{Value, json};

use crate::world::{SOON, World, id, setup};

/// An agent that asks in every way there is. What it does when it is told an answer later, it does then.
pub const ASKING: &str = r#"
replies:
  - match: "^ask$"
    do: [{ ask: { question: "Which colour?", header: Colour, options: [Red, Blue], then: [{ say: "took {{answer}}" }], denied: [{ say: "no answer: {{message}}" }] } }]
  - match: "^permit (.+)$"
    do: [{ permission: { tool: Bash, input: { command: "$1" }, run: true, then: [{ say: "ran" }], denied: [{ say: "denied: {{message}}" }] } }]
  - match: "^tool (.+)$"
    do: [{ mcp: { server: iris, tool: ask_question, arguments: { question: "$1", type: blocking } } }, { say: "tool said: {{result}}" }]
  - match: "^prefer$"
    do: [{ mcp: { server: iris, tool: ask_question, arguments: { question: "Tabs?", type: preference, defaultResponse: "spaces" } } }, { say: "went on" }]
  - match: "You asked leave[\\s\\S]*\"command\":\"([^\"]+)\"[\\s\\S]*let through once"
    do: [{ permission: { tool: Bash, input: { command: "$1" }, run: true, then: [{ say: "ran later" }], denied: [{ say: "denied later: {{message}}" }] } }]
  - match: "\\[Iris\\]"
    do: [{ say: "told: {{text}}" }]
default: [{ say: "You said: {{text}}" }]
"#;

/// It repeats what it is told, also a question, which is then not to be taken for one of its own.
pub fn asking_setup() -> Setup {
    setup().team("alpha", ASKING).setting("agent: { completionAnalysis: { enabled: false } }")
}

pub fn asking() -> World {
    World::new(asking_setup())
}

pub fn question_id(question: &Value) -> &str {
    question["id"].as_str().expect("an id")
}

impl World {
    pub async fn answer(&self, question: &Value, value: Value) -> (u16, Value) {
        let path = format!("/api/questions/{}/answer", question_id(question));
        self.post(&path, json!({"response": {"value": value}})).await
    }

    /// The last turn of a session once nothing runs in it any more.
    pub async fn last_turn(&self, from: &str) -> Value {
        let session = self.session(from).await["id"].as_str().expect("an id").to_owned();
        let until = std::time::Instant::now() + SOON;
        loop {
            let turns = self.get(&format!("/api/sessions/{session}/turns?limit=1000")).await;
            let turns = turns["items"].as_array().expect("turns");
            let over = |turn: &Value| !matches!(turn["state"].as_str(), Some("queued" | "running"));
            if let Some(last) = turns.last().filter(|_| turns.iter().all(over)) {
                return last.clone();
            }
            assert!(std::time::Instant::now() < until, "it never ends: {turns:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub async fn eventually(&self, what: &str, mut holds: impl AsyncFnMut() -> bool) {
        let until = std::time::Instant::now() + SOON;
        while !holds().await {
            assert!(std::time::Instant::now() < until, "it never came true that {what}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn an_answer_given_after_a_restart_resumes_the_conversation() {
    let world = asking();
    let told = world.tell_async("user", "ask").await;
    let question = world.open_question().await;
    assert_eq!(world.session("user").await["state"], "waiting_for_input");
    let world = world.crash_and_restart();
    assert_eq!(world.ended(id(&told)).await["reason"], "interrupted");
    let same = world.open_question().await;
    assert_eq!(question_id(&same), question_id(&question), "it is still open");
    let (status, answered) = world.answer(&same, json!("Blue")).await;
    assert_eq!((status, &answered["jobResumed"]), (200, &json!(true)), "{answered}");
    let last = world.last_turn("user").await;
    let said = last["response"].as_str().expect("a reply");
    assert!(said.contains("Which colour?") && said.contains("user answered: Blue"), "{last}");
    assert_eq!(last["origin"], "answer");
    let (status, late) = world.answer(&same, json!("Red")).await;
    assert_eq!((status, &late["closed"]["by"]), (409, &json!("user")), "{late}");
}

#[tokio::test]
async fn an_approval_given_after_a_restart_runs_the_action_once() {
    let world = asking();
    world.tell_async("user", "permit echo x >> ran.txt").await;
    world.open_question().await;
    let world = world.crash_and_restart();
    let question = world.open_question().await;
    assert_eq!(world.answer(&question, json!(true)).await.0, 200);
    let last = world.last_turn("user").await;
    assert_eq!(last["response"], "ran later", "{last}");
    assert_eq!(std::fs::read_to_string(world.path().join("projects/alpha/ran.txt")).expect("it ran"), "x\n");
    // It was good for once: the same is asked for again.
    world.tell_async("user", "permit echo x >> ran.txt").await;
    let again = world.open_question().await;
    assert_ne!(question_id(&again), question_id(&question));
}

#[tokio::test]
async fn a_question_stays_open_over_many_restarts() {
    let mut world = asking();
    world.tell_async("user", "tool Which one?").await;
    let question = world.open_question().await;
    for _ in 0..20 {
        world = world.crash_and_restart();
    }
    let same = world.open_question().await;
    assert_eq!(question_id(&same), question_id(&question));
    assert_eq!(world.answer(&same, json!("the first")).await.0, 200);
    let last = world.last_turn("user").await;
    assert!(last["response"].as_str().expect("a reply").contains("the first"), "{last}");
    assert_eq!(world.events("question.resumed").await.len(), 1);
}

/// A daemon is one workspace.
#[tokio::test]
async fn the_questions_of_a_workspace_are_those_of_the_daemon() {
    let world = asking();
    world.tell_async("user", "ask").await;
    let question = world.open_question().await;
    let pending = world.get("/api/questions/pending?workspaceId=home&projectId=alpha").await;
    assert_eq!(pending["questions"][0]["id"], question["id"], "{pending}");
}

#[tokio::test]
async fn the_tool_that_asks_waits_or_goes_on_by_its_kind() {
    let world = asking();
    let told = world.tell_async("user", "tool Which one?").await;
    let question = world.open_question().await;
    assert_eq!((&question["way"], &question["blocking"]), (&json!("tool"), &json!(true)));
    assert_eq!(world.answer(&question, json!("this one")).await.0, 200);
    let said = world.ended(id(&told)).await["response"].as_str().expect("a reply").to_owned();
    assert!(said.contains("this one") && said.contains("\"by\": \"user\""), "{said}");

    assert_eq!(world.tell("prefer").await["response"], "went on");
    let question = world.open_question().await;
    assert_eq!((&question["kind"], &question["default"]["value"]), (&json!("preference"), &json!("spaces")));
    assert_eq!(world.session("user").await["state"], "idle", "nobody waits");
    assert_eq!(world.answer(&question, json!("tabs")).await.0, 200);
    let last = world.last_turn("user").await;
    assert!(last["response"].as_str().expect("a reply").contains("tabs"), "it is told later: {last}");
    // The next time it is offered, with the evidence, and no more than that.
    world.tell("prefer").await;
    let question = world.open_question().await;
    assert_eq!(question["suggestion"]["answer"]["value"], "tabs", "{question}");
    assert_eq!((&question["suggestion"]["times"], &question["state"]), (&json!(1), &json!("open")));
}

/// The same words are the same question, whatever team asks. What is approved is approved in its team.
#[tokio::test]
async fn the_very_same_is_answered_together_in_all_teams() {
    let other = ASKING.replace("Which colour?", " which  Colour ?");
    let world = World::new(asking_setup().team("beta", &other));
    let tell = async |team: &str, message: &str| {
        let told = json!({"toTeam": team, "fromTeam": "user", "message": message, "timeout": -1});
        world.post("/api/teams/tell", told).await.1
    };
    let open = async |count: usize| {
        let pending =
            async || world.get("/api/questions/pending").await["questions"].as_array().expect("a list").clone();
        world.eventually("they all ask", async || pending().await.len() == count).await;
        pending().await
    };
    let told = [tell("alpha", "ask").await, tell("beta", "ask").await];
    let asked = open(2).await;
    let path = format!("/api/questions/{}/answer", question_id(&asked[0]));
    let (status, answered) = world.post(&path, json!({"response": {"value": "Blue"}, "similar": true})).await;
    assert_eq!((status, &answered["also"]), (200, &json!([asked[1]["id"]])), "{answered}");
    for told in told {
        assert_eq!(world.ended(id(&told)).await["response"], "took Blue");
    }
    // Whoever comes too late is told so, whatever was said.
    let (status, late) = world.answer(&asked[0], json!({"size": 1})).await;
    assert_eq!((status, &late["closed"]["by"]), (409, &json!("user")), "{late}");

    tell("alpha", "permit touch x").await;
    tell("beta", "permit touch x").await;
    let asked = open(2).await;
    let path = format!("/api/questions/{}/answer", question_id(&asked[0]));
    let (status, answered) = world.post(&path, json!({"response": {"value": true}, "similar": true})).await;
    assert_eq!((status, &answered["also"]), (200, &json!(null)), "{answered}");
    open(1).await;
}

#[tokio::test]
async fn what_cannot_be_asked_is_told_to_the_agent() {
    let script = "default: [{ mcp: { server: iris, tool: ask_question, arguments: { question: 'x', type: rude } } }, { say: '{{result}}' }]\n";
    let world = World::new(setup().team("alpha", script));
    let said = world.tell("go").await["response"].as_str().expect("a reply").to_owned();
    assert!(said.contains("'rude' is no type of question"), "{said}");
    assert_eq!(world.get("/api/questions/pending").await["questions"], json!([]));
}

#[tokio::test]
async fn a_question_that_is_cancelled_lets_its_agent_go() {
    let world = asking();
    let told = world.tell_async("user", "ask").await;
    let question = world.open_question().await;
    let path = format!("/api/questions/{}/cancel", question_id(&question));
    let (status, cancelled) = world.post(&path, json!({})).await;
    assert_eq!((status, &cancelled["state"], &cancelled["closedBy"]), (200, &json!("cancelled"), &json!("user")));
    assert!(world.ended(id(&told)).await["response"].as_str().expect("a reply").starts_with("no answer"));
    assert_eq!(world.post(&path, json!({})).await.0, 409);
}

#[tokio::test]
async fn a_flood_of_questions_is_limited_with_a_reason_and_others_are_untouched() {
    let script = r#"
replies:
  - match: "^flood$"
    do:
      - times: { n: 1000, do: [{ permission: { tool: Bash, input: { command: "rm {{text}}" }, denied: [] } }] }
      - say: "last: {{message}}"
  - match: "^refused$"
    do:
      - times: { n: 1000, do: [{ permission: { tool: Bash, input: { command: "rm it" } } }] }
      - say: "last: {{message}}"
default: [{ ask: { question: "Which?", header: H, options: [A, B] } }, { say: "{{answer}}" }]
"#;
    let world = World::new(setup().team("alpha", script).team("beta", script));
    let flood = world.tell_async("user", "refused").await;
    let first = world.open_question().await;
    world.answer(&first, json!(false)).await;
    // The rest is refused without bothering anybody, and then the agent is told that it asks too much.
    let last = world.ended(id(&flood)).await["response"].as_str().expect("a reply").to_owned();
    assert!(last.contains("questions within a minute"), "{last}");
    assert_eq!(world.events("question.limited").await.len(), 1, "people are told once");
    let asked = world.events("question.opened").await.len();
    assert!(asked <= 30, "{asked} were written down");
    let body = json!({"toTeam": "beta", "message": "hello", "timeout": -1});
    let other = world.post("/api/teams/tell", body).await.1;
    let question = world.open_question().await;
    assert_eq!(question["team"], "beta");
    world.answer(&question, json!("B")).await;
    assert_eq!(world.ended(id(&other)).await["response"], "B");
}

/// Over HTTP, with an agent's token, as on the pipe.
#[tokio::test]
async fn a_flood_from_outside_is_limited_and_people_are_told_of_it_once() {
    let world = World::new(asking_setup().server("requestsPerSecond: 100000"));
    let token = world.agent_token("alpha").await;
    let job = world.start_job("ask").await;
    world.open_question().await;
    let path = format!("/api/jobs/{}/questions", job["id"].as_str().expect("an id"));
    let mut client = world.with(&token);
    let mut limited = 0;
    for number in 0..1000 {
        let ask = json!({"question": format!("Which of {number}?"), "type": "blocking"});
        let answer = client.post(&path, &ask).await.expect("an answer");
        if answer.status == 429 {
            limited += 1;
            let said = answer.json().expect("JSON");
            assert!(said.to_string().contains("questions within a minute"), "{said}");
        }
    }
    assert!(limited >= 970, "{limited} were refused");
    let told = world.events("question.limited").await;
    assert_eq!(told.len(), 1, "people are told once: {told:?}");
    assert!(told[0]["data"]["why"].as_str().expect("why").contains("within a minute"), "{told:?}");
}
