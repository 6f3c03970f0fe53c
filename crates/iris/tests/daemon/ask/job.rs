//! Jobs: to their end, over what they ask.

use serde_json::{Value, json};

use super::{asking, asking_setup, question_id};
use crate::world::{SOON, World, setup};

impl World {
    pub async fn start_job(&self, goal: &str) -> Value {
        let (status, job) = self.post("/api/jobs", json!({"team": "alpha", "goal": goal})).await;
        assert_eq!(status, 200, "{job}");
        job
    }

    async fn job(&self, job: &Value) -> Value {
        self.get(&format!("/api/jobs/{}", job["id"].as_str().expect("an id"))).await
    }

    async fn job_is(&self, job: &Value, status: &str) -> Value {
        self.eventually(&format!("the job is {status}"), async || self.job(job).await["status"] == status).await;
        self.job(job).await
    }
}

#[tokio::test]
async fn a_job_waits_for_its_answer_and_goes_on_to_its_end() {
    let world = asking();
    let job = world.start_job("ask").await;
    let question = world.open_question().await;
    assert_eq!((&question["job"], &question["kind"]), (&job["id"], &json!("choice")));
    assert_eq!(question["failsJob"], true, "{question}");
    world.job_is(&job, "waiting_for_input").await;
    let session = world.get(&format!("/api/sessions/{}", question["session"].as_str().expect("an id"))).await;
    let opened = world.events("question.opened").await;
    assert_eq!((&session["state"], &session["stateEvent"]), (&json!("waiting_for_input"), &opened[0]["seq"]));
    let (_, answered) = world.answer(&question, json!("Red")).await;
    assert_eq!((&answered["success"], &answered["jobResumed"]), (&json!(true), &json!(true)), "{answered}");
    let over = world.job_is(&job, "completed").await;
    assert_eq!(over["result"], "took Red");
    let questions = world.get(&format!("/api/jobs/{}/questions", job["id"].as_str().expect("an id"))).await;
    assert_eq!(questions["questions"][0]["answer"]["value"], "Red");
    let listed = world.get("/api/jobs").await;
    assert_eq!(listed["items"][0]["id"], job["id"]);

    // What its agent asks when it is told more is not waited for by a job that is over.
    world.tell_async(&format!("job-{}", job["id"].as_str().expect("an id")), "ask").await;
    let later = world.open_question().await;
    let of_it = (&question["session"], &job["id"], None);
    assert_eq!((&later["session"], &later["job"], later.get("failsJob")), of_it, "{later}");
    world.answer(&later, json!("Red")).await;

    let approving = world.start_job("permit true").await;
    let open = world.open_question().await;
    world.job_is(&approving, "waiting_for_approval").await;
    let path = format!("/api/jobs/{}/stop", approving["id"].as_str().expect("an id"));
    assert_eq!(world.post(&path, json!({})).await.1["status"], "stopped");
    let events = world.events("job").await.into_iter().filter(|event| event["data"]["id"] == approving["id"]);
    let stated: Vec<Value> = events.map(|event| event["data"]["status"].clone()).skip(1).collect();
    assert_eq!(stated, ["waiting_for_approval", "stopped"], "it does not run once more in between");
    assert_eq!(world.get("/api/questions/pending").await["questions"], json!([]), "its questions are cancelled");
    let (status, late) = world.answer(&open, json!(true)).await;
    assert_eq!((status, &late["closed"]["by"]), (409, &json!("user")), "{late}");
    assert_eq!(world.post(&path, json!({})).await.0, 409);
}

#[tokio::test]
async fn a_job_that_waits_lives_through_a_restart_and_ends_as_it_should() {
    let world = asking();
    let job = world.start_job("ask").await;
    world.open_question().await;
    let world = world.crash_and_restart();
    world.job_is(&job, "waiting_for_input").await;
    let question = world.open_question().await;
    world.answer(&question, json!("Blue")).await;
    let over = world.job_is(&job, "completed").await;
    assert!(over["result"].as_str().expect("a result").contains("user answered: Blue"), "{over}");
    // One that was at work and asked nothing: its outcome is unknown.
    let script = "default: [{ say: half }, { delay: 60s }]\n";
    let world = World::new(setup().team("alpha", script));
    let job = world.start_job("go").await;
    world.eventually("it runs", async || !world.events("message").await.is_empty()).await;
    let world = world.crash_and_restart();
    let over = world.job_is(&job, "failed").await;
    assert!(over["error"].as_str().expect("why").contains("outcome is unknown"), "{over}");
}

#[tokio::test]
async fn a_question_asked_over_the_api_is_answered_by_a_turn() {
    let world = World::new(setup().team("alpha", "replies:\n  - match: '^work$'\n    do: [{ delay: 400ms }, { say: worked }]\n  - match: 'Iris'\n    do: [{ say: 'told: {{text}}' }]\n").setting("agent: { completionAnalysis: { enabled: false } }"));
    let job = world.start_job("work").await;
    let path = format!("/api/jobs/{}/questions", job["id"].as_str().expect("an id"));
    let ask = json!({"question": "Which persona?", "type": "blocking", "responseType": "choice",
                     "options": [{"label": "Dev"}, {"label": "Ops", "recommended": true}], "timeoutMinutes": 10});
    let (status, asked) = world.post(&path, ask.clone()).await;
    assert_eq!(status, 200, "{asked}");
    assert!(asked["timeoutAt"].as_str().expect("a time").ends_with('Z'), "{asked}");
    for _ in 0..5 {
        assert_eq!(world.post(&path, ask.clone()).await.1["questionId"], asked["questionId"], "one question");
    }
    let bad = json!({"question": "x", "type": "blocking", "timeoutMinutes": 1});
    let (status, problem) = world.post(&path, bad).await;
    assert_eq!(status, 422, "{problem}");
    let question = world.open_question().await;
    for (filter, found) in [
        ("type=blocking", 1),
        ("type=non_blocking", 0),
        ("type=approval", 0),
        ("team=alpha", 1),
        ("projectId=alpha", 1),
        ("projectId=beta", 0),
    ] {
        let open = world.get(&format!("/api/questions/pending?{filter}")).await;
        assert_eq!(open["questions"].as_array().map(Vec::len), Some(found), "{filter}: {open}");
    }
    let wrong = world.client().get("/api/questions/pending?type=blocing").await.expect("an answer");
    let problem: Value = wrong.json().expect("JSON");
    assert_eq!(wrong.status, 400, "{problem}");
    assert!(problem.to_string().contains("'blocing' is no type of question; use blocking, "), "{problem}");
    assert_eq!(world.answer(&question, json!("Nobody")).await.0, 422, "none of the options");
    let waiting = world.job_is(&job, "waiting_for_input").await;
    assert!(waiting["statusEvent"].as_i64().is_some());
    assert_eq!(world.answer(&question, json!("Ops")).await.0, 200);
    let over = world.job_is(&job, "completed").await;
    assert!(over["result"].as_str().expect("a result").contains("answered: Ops"), "{over}");
    assert_eq!(world.post(&path, ask).await.0, 409, "the job is over");
}

#[tokio::test]
async fn the_stream_of_a_job_names_what_happens() {
    let world = asking();
    let job = world.start_job("ask").await;
    let path = format!("/api/jobs/{}/events", job["id"].as_str().expect("an id"));
    let mut stream = world.client().follow(&path).await.expect("a stream");
    let mut seen = Vec::new();
    loop {
        let (name, data) = stream.next(SOON).await.expect("a frame");
        if name == "question_asked" {
            assert_eq!((&data["jobId"], &data["question"]["question"]), (&job["id"], &json!("Which colour?")));
            assert!(data["question"]["timeoutAt"].is_string(), "{data}");
            let question = world.open_question().await;
            assert_eq!(data["question"]["options"], question["options"], "as in the list of what is open");
            assert_eq!(data["question"]["options"][1]["value"], "Blue", "{data}");
            world.answer(&question, json!("Red")).await;
        }
        if name == "question_answered" {
            assert_eq!(data["response"], json!({"type": "choice", "value": "Red"}), "{data}");
        }
        if matches!(name.as_str(), "status" | "question_asked" | "question_answered") {
            seen.push(if name == "status" { data["status"].as_str().expect("a status").to_owned() } else { name });
        }
        if seen.last().is_some_and(|last| last == "completed") {
            break;
        }
    }
    let expected = ["running", "question_asked", "waiting_for_input", "question_answered", "running", "completed"]
        .map(str::to_owned);
    assert_eq!(seen, expected);
}

/// A job that waits for an answer which nobody will give is told so: it would be over with its question as its result.
#[tokio::test]
async fn a_question_in_a_reply_that_is_cancelled_lets_its_job_go_on() {
    let script = r#"
replies:
  - match: "^look$"
    do: [{ say: "Which port should the server use?" }]
  - match: "cancelled, without an answer"
    do: [{ say: "I took 8080." }]
"#;
    let world = World::new(setup().team("alpha", script));
    let job = world.start_job("look").await;
    let question = world.open_question().await;
    let (status, _) = world.post(&format!("/api/questions/{}/cancel", question_id(&question)), json!({})).await;
    assert_eq!(status, 200);
    assert_eq!(world.job_is(&job, "completed").await["result"], "I took 8080.");
    // One that is stopped goes on with nothing.
    let job = world.start_job("look").await;
    world.open_question().await;
    world.post(&format!("/api/jobs/{}/stop", job["id"].as_str().expect("an id")), json!({})).await;
    world.job_is(&job, "stopped").await;
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    assert_eq!(world.events("turn.started").await.len(), 3, "its question is cancelled, and nobody is told");
}

/// A job is not done because nobody is asked any more, and not because nobody tells it what was answered.
#[tokio::test]
async fn a_job_that_waits_is_stopped_with_everything_else() {
    let script = r#"
replies:
  - match: "^look$"
    do: [{ say: "Which port should the server use?" }]
  - match: "^hold$"
    do: [{ delay: 60s }]
"#;
    let world = World::new(setup().team("alpha", script).setting("maxProcesses: 1"));
    let stop_all = async || assert_eq!(world.post("/api/agents/stop", json!({})).await.0, 200);
    let asked = world.start_job("look").await;
    let question = world.open_question().await;
    stop_all().await;
    let over = world.job_is(&asked, "stopped").await;
    assert_eq!(over["error"], "everything was stopped", "{over}");
    let closed = world.get(&format!("/api/questions/{}", question_id(&question))).await;
    assert_eq!((&closed["state"], &closed["closedBy"]), (&json!("cancelled"), &json!("user")), "{closed}");

    let answered = world.start_job("look").await;
    let question = world.open_question().await;
    let held = world.start_job("hold").await;
    world
        .eventually("the only agent is another's", async || {
            world.events("turn.started").await.iter().any(|event| event["session"] == held["session"])
        })
        .await;
    assert_eq!(world.answer(&question, json!("8080")).await.0, 200);
    stop_all().await;
    world.job_is(&held, "stopped").await;
    world.job_is(&answered, "stopped").await;
}

/// Also in the turn that brings an answer: the turn before is not how the job ended.
#[tokio::test]
async fn a_job_whose_turn_is_cancelled_is_stopped() {
    let script = r#"
replies:
  - match: "^look$"
    do: [{ say: "Which port should the server use?" }]
  - match: "answered: 8080"
    do: [{ delay: 60s }]
"#;
    let world = World::new(setup().team("alpha", script));
    let job = world.start_job("look").await;
    let question = world.open_question().await;
    assert_eq!(world.answer(&question, json!("8080")).await.0, 200);
    world.eventually("it goes on", async || world.events("turn.started").await.len() == 2).await;
    let party = format!("job-{}", job["id"].as_str().expect("an id"));
    assert_eq!(world.post("/api/teams/alpha/cancel", json!({"fromTeam": party})).await.0, 200);
    assert_eq!(world.job_is(&job, "stopped").await["error"], "cancelled before it ended");
}

#[tokio::test]
async fn nobody_answers_in_time() {
    let setup =
        asking_setup().questions("shortestDeadline: 1ms").questions("deadlines: { blocking: 700ms, approval: 700ms }");
    let world = World::new(setup);
    let job = world.start_job("ask").await;
    let question = world.open_question().await;
    let over = world.job_is(&job, "failed").await;
    assert!(over["error"].as_str().expect("why").contains("nobody answered in time"), "{over}");
    let (status, late) = world.answer(&question, json!("Red")).await;
    assert_eq!(status, 410, "{late}");
    assert!(late["hint"].as_str().expect("an offer").contains("--again"), "{late}");
    // The offer is taken up: the work is done again, with the answer.
    let path = format!("/api/questions/{}/answer", question_id(&question));
    let (status, taken) = world.post(&path, json!({"response": {"value": "Red"}, "again": true})).await;
    assert_eq!(status, 200, "{taken}");
    let jobs = world.get("/api/jobs").await;
    assert_eq!(jobs["items"][0]["againOf"], job["id"], "{jobs}");
    // Once, with one answer: whoever comes with another is told.
    let remember = json!({"scope": "question", "forMs": 600_000});
    let (status, other) =
        world.post(&path, json!({"response": {"value": "Blue"}, "again": true, "remember": remember})).await;
    let why = other["detail"].as_str().unwrap_or_default();
    let first = format!("(job {})", jobs["items"][0]["id"].as_str().expect("an id"));
    assert!(status == 409 && why.contains("user has, with another answer") && why.contains(&first), "{other}");
    assert_eq!(world.get("/api/rules").await["rules"], json!([]), "nor does it become a rule");
    assert_eq!(world.post(&path, json!({"response": {"value": "Red"}, "again": true})).await.0, 200, "the same again");
    let again = world.job_is(&jobs["items"][0], "completed").await;
    assert!(again["result"].as_str().expect("a result").contains("answers now: Red"), "{again}");

    let told = world.tell_async("user", "permit touch never.txt").await;
    let said = world.ended(crate::world::id(&told)).await["response"].as_str().expect("a reply").to_owned();
    assert!(said.contains("nobody answered in time"), "{said}");
    assert!(!world.path().join("projects/alpha/never.txt").exists(), "silence is no yes");
    let figures = world.get("/api/questions/figures").await;
    assert_eq!(figures["timeoutRate"], 1.0, "{figures}");
    let metrics = world.client().get("/metrics").await.expect("figures").body;
    let metrics = String::from_utf8_lossy(&metrics);
    assert!(metrics.contains("iris_questions_alert{kind=\"long_wait\"} 0"), "{metrics}");
}
