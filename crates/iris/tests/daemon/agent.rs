//! What an agent can do wrong, and what the caller is told.

use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::reconfigure::BEHIND;
use crate::world::{ECHO, World, id, setup};

const SCRIPT: &str = r#"
replies:
  - match: "^crash$"
    do: [{ say: "half an answer" }, { stderr: "out of luck" }, { crash: { code: 3 } }]
  - match: "^kill$"
    do: [{ crash: { signal: 9 } }]
  - match: "^hang$"
    do: [{ say: "thinking" }, { stderr: "no route to the model" }, { hang: true }]
  - match: "^deaf$"
    do: [{ hang: deaf }]
  - match: "^fail$"
    do: [{ fail: "the model refused" }]
  - match: "^overloaded$"
    do: [{ api_error: { status: 529, retries: 1, message: "Overloaded", delay: 1ms } }]
  - match: "^garbage$"
    do: [{ garbage: "this is not json" }, { say: "after" }]
  - match: "^flood$"
    do: [{ flood: { messages: 3000, size: 100 } }, { say: "dry" }]
  - match: "^big$"
    do: [{ line: 2000000 }]
  - match: "^permission$"
    do: [{ permission: { tool: Bash, input: { command: "rm" }, then: [{ say: allowed }], denied: [{ say: "denied: {{message}}" }] } }]
  - match: "^stream$"
    do: [{ stream: "streamed in pieces" }]
  - match: "^which turn$"
    do: [{ say: "turn {{turn}}" }]
default: [{ say: "You said: {{text}}" }]
"#;

fn world() -> World {
    World::new(setup().team("alpha", SCRIPT).setting("responseTimeout: 400ms"))
}

#[tokio::test]
async fn an_exit_mid_turn_is_told_with_code_and_last_words_and_the_next_tell_resumes() {
    let world = world();
    assert_eq!(world.tell("which turn").await["response"], "turn 1");
    let died = world.tell("crash").await;
    assert_eq!((&died["status"], &died["reason"]), (&json!("terminated"), &json!("exited")));
    assert_eq!(died["exitCode"], 3);
    assert_eq!(died["stderr"], "out of luck");
    assert_eq!(died["partialResponse"], "half an answer");
    let killed = world.tell("kill").await;
    assert_eq!(killed["signal"], 9);
    // A new process, the same conversation.
    assert_eq!(world.tell("which turn").await["response"], "turn 4");
}

#[tokio::test]
async fn silence_ends_the_turn_and_the_process() {
    let world = world();
    let silent = world.tell("hang").await;
    assert_eq!((&silent["status"], &silent["reason"]), (&json!("terminated"), &json!("response_timeout")));
    assert_eq!((&silent["partialResponse"], &silent["stderr"]), (&json!("thinking"), &json!("no route to the model")));
    assert_eq!(world.tell("hello").await["response"], "You said: hello");
    let stops = world.events("session.stopped").await;
    assert_eq!(stops[0]["data"]["why"], "response_timeout");
}

#[tokio::test]
async fn a_failure_is_told_and_the_agent_lives_on() {
    let world = world();
    let failed = world.tell("fail").await;
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!("the model refused")));
    let overloaded = world.tell("overloaded").await;
    assert_eq!(overloaded["status"], "failed");
    assert!(overloaded["error"].as_str().expect("why").contains("Overloaded"), "{overloaded}");
    assert_eq!(world.tell("hello").await["status"], "completed");
    assert!(world.events("session.stopped").await.is_empty(), "no process was lost");
}

#[tokio::test]
async fn garbage_floods_and_huge_lines_are_kept_and_harmless() {
    let world = world();
    let garbage = world.tell("garbage").await;
    assert_eq!(garbage["response"], "after");
    let messages = world.get(&format!("/api/turns/{}/messages", id(&garbage))).await;
    let kinds: Vec<_> = messages["items"].as_array().expect("messages").iter().map(|m| m["type"].clone()).collect();
    assert!(kinds.contains(&json!("garbage")), "{kinds:?}");

    let flood = world.tell("flood").await;
    assert_eq!(flood["response"], "dry");
    let mut count = 0;
    let mut after = "0".to_owned();
    loop {
        let page = world.get(&format!("/api/turns/{}/messages?limit=1000&after={after}", id(&flood))).await;
        let items = page["items"].as_array().expect("messages");
        count += items.iter().filter(|message| message["type"] == "assistant").count();
        match page["next"].as_str() {
            Some(next) => after = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(count, 3001, "every message is in the cache");
    let big = world.tell("big").await;
    assert!(big["response"].as_str().expect("text").len() >= 1_900_000);
}

#[tokio::test]
async fn an_agent_that_cannot_start_says_why_at_once() {
    let world = World::new(setup().team("alpha", "start: { exit: { code: 7, stderr: 'no licence' } }\n"));
    let refused = world.tell("hello").await;
    assert_eq!((&refused["status"], &refused["reason"]), (&json!("terminated"), &json!("not_started")));
    let error = refused["error"].as_str().expect("why");
    assert!(error.contains("exit code 7") && error.contains("no licence"), "{error}");
    let (status, problem) = world.post("/api/teams/alpha/wake", json!({})).await;
    assert_eq!(status, 503);
    assert!(problem["detail"].as_str().expect("why").contains("no licence"), "{problem}");
}

/// In the moment in which one that could not start is forgotten, another that is wanted is not taken for it.
#[tokio::test]
async fn a_wake_right_after_a_failed_start_is_answered() {
    let world = World::new(setup().team("alpha", "start: { exit: { code: 7 } }\n"));
    for _ in 0..50 {
        world.tell("hello").await;
        assert_eq!(world.post("/api/teams/alpha/wake", json!({})).await.0, 503);
    }
}

#[tokio::test]
async fn an_agent_that_is_never_ready_is_given_up_on() {
    let world = World::new(setup().team("alpha", "start: { silent: true }\n").setting("sessionInitTimeout: 200ms"));
    let refused = world.tell("hello").await;
    assert_eq!(refused["reason"], "not_started");
    assert!(refused["error"].as_str().expect("why").contains("not ready within 200ms"), "{refused}");
}

/// It has to be made to end, which takes its time; nobody waits for that, and nothing is started beside it.
#[tokio::test]
async fn whoever_waits_for_an_agent_that_is_never_ready_does_not_wait_for_its_end() {
    let world = World::new(setup().team("alpha", "start: { delay: 60s }\n").setting("sessionInitTimeout: 300ms"));
    let refused = world.tell("hello").await;
    assert!(refused["error"].as_str().expect("why").contains("not ready within 300ms"), "{refused}");
    let ending = world.session("user").await;
    assert_eq!(ending["state"], "terminating", "its process is still to be ended: {ending}");
    let next = world.tell_async("user", "again").await;
    let (status, problem) = world.post("/api/teams/alpha/wake", json!({})).await;
    assert_eq!(status, 503, "{problem}");
    assert!(problem["detail"].as_str().expect("why").contains("not ready within 300ms"), "{problem}");
    assert_eq!(world.session("user").await["state"], "terminating");
    assert_eq!(world.ended(id(&next)).await["reason"], "not_started", "the next was a try of its own");
    let order: Vec<String> = world.get("/api/events?limit=1000").await["items"]
        .as_array()
        .expect("events")
        .iter()
        .filter_map(|event| event["kind"].as_str().map(str::to_owned))
        .filter(|kind| matches!(kind.as_str(), "session.spawning" | "session.stopped"))
        .collect();
    assert_eq!(order, ["session.spawning", "session.stopped", "session.spawning"], "one after the other");
}

#[tokio::test]
async fn a_running_turn_is_cancelled_and_one_that_does_not_listen_too() {
    let world = World::new(setup().team("alpha", SCRIPT));
    for message in ["hang", "deaf"] {
        let told = world.tell_async("user", message).await;
        let waiting = world.tell_async("user", "never run").await;
        iris_testing::daemon::eventually("the turn runs", async || {
            Ok(world.turn(id(&told)).await["state"] == "running")
        })
        .await
        .expect("running");
        let (status, cancelled) = world.post("/api/teams/alpha/cancel", json!({})).await;
        assert_eq!((status, cancelled["turns"].as_array().map(Vec::len)), (200, Some(2)), "{cancelled}");
        assert_eq!(world.ended(id(&told)).await["state"], "cancelled");
        assert_eq!(world.ended(id(&waiting)).await["state"], "cancelled");
        assert_eq!(world.tell("hello").await["response"], "You said: hello", "after {message}");
    }
}

#[tokio::test]
async fn permission_is_decided_by_the_team() {
    let yes = World::new(setup().team("alpha", SCRIPT).team_key("grantPermission: yes"));
    assert_eq!(yes.tell("permission").await["response"], "allowed");
    let no = World::new(setup().team("alpha", SCRIPT).team_key("grantPermission: no"));
    let denied = no.tell("permission").await;
    assert!(denied["response"].as_str().expect("text").starts_with("denied: Iris does not let"), "{denied}");
}

#[tokio::test]
async fn text_streams_as_deltas_and_is_stored_once() {
    let world = world();
    let mut stream = world.client().follow("/api/events?after=0").await.expect("a stream");
    let told = world.tell("stream").await;
    let (mut pieces, mut whole) = (String::new(), None);
    while whole.is_none() {
        let (name, data) = stream.next(crate::world::SOON).await.expect("a frame");
        if name == "delta" {
            pieces.push_str(data["text"].as_str().expect("text"));
        } else if data["kind"] == "message" && data["data"]["type"] == "assistant" {
            whole = data["data"]["text"].as_str().map(str::to_owned);
        }
    }
    assert_eq!(pieces, "streamed in pieces");
    assert_eq!(whole.as_deref(), Some("streamed in pieces"));
    assert_eq!(told["response"], "streamed in pieces");
}

#[tokio::test]
async fn an_agent_that_outlives_a_killed_daemon_is_ended_by_the_next() {
    let world = World::new(setup().team("alpha", SCRIPT));
    let told = world.tell_async("user", "deaf").await;
    iris_testing::daemon::eventually("it runs", async || Ok(world.turn(id(&told)).await["state"] == "running"))
        .await
        .expect("runs");
    let agent = format!("/proc/{}", world.session("user").await["pid"].as_u64().expect("a pid"));
    assert!(std::path::Path::new(&agent).exists());
    let world = world.crash_and_restart();
    iris_testing::daemon::eventually("it is gone", async || Ok(!std::path::Path::new(&agent).exists()))
        .await
        .expect("gone");
    assert_eq!(world.ended(id(&told)).await["reason"], "interrupted");
}

#[tokio::test]
async fn a_turn_costs_what_it_cost_also_after_a_restart_of_its_agent() {
    let world = World::new(setup().team("alpha", "default: [{ cost: 0.25 }, { say: ok }]\n"));
    for _ in 0..3 {
        assert_eq!(world.tell("hello").await["usage"]["costUsd"], 0.25);
        world.post("/api/teams/alpha/sleep", json!({})).await;
    }
}

#[tokio::test]
async fn an_agent_that_was_starting_when_the_daemon_died_is_ended_too() {
    let world = World::new(setup().team("alpha", "start: { delay: 60s }\n"));
    world.tell_async("user", "hello").await;
    iris_testing::daemon::eventually("it starts", async || Ok(world.session("user").await["pid"].as_u64().is_some()))
        .await
        .expect("started");
    let agent = format!("/proc/{}", world.session("user").await["pid"].as_u64().expect("a pid"));
    let _world = world.crash_and_restart();
    iris_testing::daemon::eventually("it is gone", async || Ok(!std::path::Path::new(&agent).exists()))
        .await
        .expect("gone");
}

#[tokio::test]
async fn a_turn_the_agent_starts_itself_is_not_the_answer_to_a_tell() {
    let script = r#"
replies:
  - match: "^go$"
    do:
      - subagent: { type: explorer, prompt: look, background: true, do: [{ delay: 200ms }, { say: found }], notify: [{ delay: 400ms }, { say: "notified" }] }
      - say: started
default: [{ say: "You said: {{text}}" }]
"#;
    let world = World::new(setup().team("alpha", script));
    assert_eq!(world.tell("go").await["response"], "started");
    // While the agent is in a turn of its own.
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    assert_eq!(world.tell("mine").await["response"], "You said: mine");
}

#[tokio::test]
async fn an_agent_that_dies_says_that_its_work_in_the_background_is_lost() {
    let world = World::new(setup().team("alpha", BEHIND));
    assert_eq!(world.tell("go").await["response"], "started");
    let pid = world.session("user").await["pid"].as_i64().expect("a process");
    let pid = Pid::from_raw(i32::try_from(pid).expect("a pid"));
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).expect("it was alive");
    world.eventually("it is gone", async || world.session("user").await["state"] == "stopped").await;
    let stopped = world.events("session.stopped").await;
    let reason = &stopped[0]["data"]["reason"];
    assert_eq!(reason, "what it did in the background is lost (killed by signal 9)", "{stopped:?}");
}

#[tokio::test]
async fn a_question_waits_for_its_answer_whatever_the_team_may_do() {
    let script = "default: [{ ask: { question: 'Which?', header: H, options: [A, B], denied: [{ say: 'refused: {{message}}' }] } }, { say: 'answer: {{answer}}' }]\n";
    let world = World::new(setup().team("alpha", script).team_key("grantPermission: yes"));
    let told = world.tell_async("user", "ask").await;
    let question = world.open_question().await;
    assert_eq!((question["kind"].as_str(), question["question"].as_str()), (Some("choice"), Some("Which?")));
    assert_eq!(question["options"][1]["value"], "B", "{question}");
    let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
    let answer = |value: Value| world.post(&path, json!({"response": {"type": "choice", "value": value}}));
    assert_eq!(answer(json!(true)).await.0, 422, "this is not a yes or no");
    assert_eq!(answer(json!(["A", "B"])).await.0, 422, "one thing is asked");
    assert_eq!(answer(json!("B")).await.0, 200);
    let (status, late) = answer(json!("A")).await;
    assert_eq!(status, 409, "{late}");
    assert!(late["detail"].as_str().is_some_and(|detail| detail.contains("by user")), "{late}");
    assert_eq!(world.ended(id(&told)).await["response"], "answer: B");
}

/// While a person thinks, nobody calls the agent silent; when it no longer waits, the question is gone.
#[tokio::test]
async fn a_permission_waits_with_the_clock_stopped_and_ends_with_its_turn() {
    let script =
        "default: [{ permission: { tool: Bash, input: { command: ls }, result: listed } }, { say: 'went on' }]\n";
    let world = World::new(setup().team("alpha", script).team_key("responseTimeout: 300ms"));
    let told = world.tell_async("user", "go").await;
    let question = world.open_question().await;
    let action = &question["action"];
    assert_eq!((&action["tool"], &action["input"]), (&json!("Bash"), &json!({"command": "ls"})));
    assert_eq!((&action["shown"], &question["risk"]), (&json!("command: ls"), &json!("low")), "{question}");
    tokio::time::sleep(std::time::Duration::from_millis(900)).await;
    assert_eq!(world.turn(id(&told)).await["state"], "running", "three times the response time-out has passed");
    let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
    let (status, _) = world.post(&path, json!({"response": {"type": "boolean", "value": true}})).await;
    assert_eq!(status, 200);
    assert_eq!(world.ended(id(&told)).await["response"], "went on");

    let told = world.tell_async("user", "again").await;
    let question = world.open_question().await;
    world.post("/api/teams/alpha/cancel", json!({})).await;
    assert_eq!(world.ended(id(&told)).await["state"], "cancelled");
    assert_eq!(world.get("/api/questions/pending").await["questions"], json!([]), "nobody waits any more");
    let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
    assert_eq!(world.post(&path, json!({"response": {"value": true}})).await.0, 409);
}

#[tokio::test]
async fn an_idle_agent_that_is_frozen_is_replaced() {
    let world = World::new(setup().team("alpha", SCRIPT).setting("healthCheckInterval: 100ms"));
    world.tell("hello").await;
    let pid = world.session("user").await["pid"].as_i64().expect("a pid").to_string();
    assert!(std::process::Command::new("kill").args(["-STOP", &pid]).status().expect("kill runs").success());
    iris_testing::daemon::eventually("it is ended", async || Ok(world.session("user").await["state"] == "stopped"))
        .await
        .expect("ended");
    assert_eq!(world.events("session.stopped").await[0]["data"]["why"], "frozen");
    assert_eq!(world.tell("which turn").await["response"], "turn 2", "the conversation goes on");
}

/// Everything an agent says is written down; what is held of it meanwhile, and sent when it ends badly, has an end.
#[tokio::test]
async fn an_agent_may_say_more_than_is_good_to_hold() {
    let script = "default: [{ flood: { messages: 8000, size: 10000 } }, { crash: { signal: 9 } }]\n";
    let world = World::new(setup().team("alpha", script));
    let before = world.daemon.most_memory().expect("known");
    let told = world.tell("go on").await;
    let said = told["response"].as_str().or(told["partialResponse"].as_str()).expect("what it said");
    assert!(said.starts_with("[… what came before is left out here"), "{}", &said[..200]);
    assert!(said.len() < 5_000_000 && said.contains("\n8000 x"), "the newest of 80 MB: {}", said.len());
    let grown = world.daemon.most_memory().expect("known") - before;
    assert!(grown < 120_000_000, "{grown} bytes more, for 80 MB and its copies");
    let first = world.get(&format!("/api/turns/{}/messages?limit=5", id(&told))).await;
    let first: Vec<_> =
        first["items"].as_array().expect("messages").iter().filter_map(|m| m["text"].as_str()).collect();
    assert!(first.iter().any(|text| text.starts_with("1 x")), "the log has the first, too");
}

/// A variable that is no text is nobody's business; no tell is to wait for it.
#[tokio::test]
async fn an_environment_that_is_no_text_is_no_obstacle() {
    let mut setup = setup().team("alpha", ECHO);
    setup.wrapper = ["sh", "-c", "export WEIRD=\"$(printf '\\377')\"; exec \"$@\"", "sh"].map(str::to_owned).into();
    let world = World::new(setup);
    let environment = std::fs::read(format!("/proc/{}/environ", world.daemon.pid)).expect("readable");
    assert!(environment.contains(&0xff), "the daemon has it");
    assert_eq!(world.tell("hello").await["response"], "You said: hello");
}
