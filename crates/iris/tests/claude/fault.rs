//! What goes wrong at the provider or at the start, and what the user is told.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::stage::{Stage, stage, stages};
use crate::world::{World, setup};

#[tokio::test]
async fn errors_of_the_provider_say_what_helps_and_the_agent_goes_on() {
    for stage in stages(&[]).await {
        let told = stage.tell("alpha", "x", json!([{"http": 401}])).await;
        assert_eq!(told["status"], "failed", "{}: {told}", stage.version);
        assert!(told["error"].to_string().contains("/login"), "{}: {told}", stage.version);

        let told = stage.tell("alpha", "x", json!([{"http": 529}])).await;
        assert!(told["error"].to_string().contains("is overloaded; try again later"), "{}: {told}", stage.version);

        let told = stage.tell("alpha", "x", json!([{"http": 529, "times": 1}, {"text": "recovered"}])).await;
        assert_eq!(told["response"], "recovered", "{}: {told}", stage.version);
        let kept = stage.messages(told["turnId"].as_str().expect("a turn")).await;
        assert!(kept.iter().any(|(kind, text)| kind == "retry" && text.contains("529")), "{}: {kept:?}", stage.version);

        let told = stage.tell("alpha", "x", json!([{"cut": true, "times": 1}, {"text": "whole again"}])).await;
        assert_eq!(told["response"], "whole again", "{}: {told}", stage.version);
        // A program that reads the reply gets it once.
        let cut = r#"y MODEL[{"text":"said once","cut":true,"times":1},{"text":"said once"}]"#;
        assert_eq!(stage.iris(&["tell", "alpha", cut]), "said once\n", "{}", stage.version);
    }
}

/// A limit is a pause with a time, not a failure; what waits runs in order when it is lifted.
#[tokio::test]
async fn a_limit_pauses_the_session_and_nothing_is_lost() {
    let Some((version, program)) = iris_testing::claude::binaries().into_iter().next() else { return };
    let model = iris_testing::model::Model::start().await.expect("a model");
    let setup = setup()
        .claude_team("alpha", &program, &model.url(), &[])
        .setting("limitPause: 2s")
        .setting("responseTimeout: 60s");
    let stage = Stage { world: World::new(setup), model, version };
    // The CLI tries four times; the fifth comes after the pause.
    let first = stage.start("alpha", json!([{"http": 429, "times": 4}, {"text": "at last"}])).await;
    let second = stage.start("alpha", json!([{"text": "and then"}])).await;
    stage.until("it is held", async || stage.session("user", "alpha").await["heldUntil"].is_i64()).await;
    let held = stage.session("user", "alpha").await;
    assert!(held["heldWhy"].to_string().contains("429"), "{held}");
    assert_eq!(stage.world.turn(&first).await["state"], "queued", "it waits");
    assert_eq!(stage.world.ended(&first).await["response"], "at last");
    assert_eq!(stage.world.ended(&second).await["response"], "and then");
    let finished = stage.world.events("turn.finished").await;
    assert_eq!((&finished[0]["turn"], &finished[1]["turn"]), (&json!(first), &json!(second)), "in order");
    assert_eq!(stage.world.events("session.released").await.len(), 1);
}

/// A limit that was set for the account comes as a bad request, with the time of its end in words.
#[tokio::test]
async fn a_limit_that_was_set_for_the_account_is_a_pause_too() {
    let Some((version, program)) = iris_testing::claude::binaries().into_iter().next() else { return };
    let model = iris_testing::model::Model::start().await.expect("a model");
    let setup = setup().claude_team("alpha", &program, &model.url(), &[]).setting("limitPause: 1h");
    let stage = Stage { world: World::new(setup), model, version };
    let words = "You have reached your specified API usage limits. You will regain access on 2026-01-01 at 00:00 UTC.";
    // The CLI asks several times, each time for less.
    let script = json!([{"http": 400, "message": words, "times": 8}, {"text": "at last"}]);
    let told = stage.tell("alpha", "work", script).await;
    assert_eq!(told["response"], "at last", "its time is over: {told}");
    let held = stage.world.events("session.held").await;
    assert!(held[0]["data"].to_string().contains("raise that with the provider"), "{held:?}");
}

/// What was done before a limit is not done again: the agent is told to go on, not told the same.
#[tokio::test]
async fn after_a_limit_in_the_middle_of_its_work_an_agent_goes_on() {
    let Some((version, program)) = iris_testing::claude::binaries().into_iter().next() else { return };
    let model = iris_testing::model::Model::start().await.expect("a model");
    let setup = setup()
        .claude_team("alpha", &program, &model.url(), &["grantPermission: yes"])
        .setting("limitPause: 1h")
        .setting("responseTimeout: 60s");
    let stage = Stage { world: World::new(setup), model, version };
    let done = stage.project("alpha").join("done");
    let deed = json!({"command": format!("echo once >> {}", done.display())});
    let turn = stage.start("alpha", json!([{"tool": "Bash", "input": deed}, {"http": 429, "times": 4}])).await;
    stage.until("it is held", async || stage.session("user", "alpha").await["heldUntil"].is_i64()).await;
    let (status, woken) = stage.world.post("/api/teams/alpha/wake", json!({})).await;
    assert_eq!((status, &woken["wasHeld"]), (200, &json!(true)), "somebody knows that it is lifted: {woken}");
    let ended = stage.world.ended(&turn).await;
    assert_eq!((&ended["state"], &ended["attempts"]), (&json!("completed"), &json!(2)), "{ended}");
    assert_eq!(std::fs::read_to_string(&done).expect("it was done"), "once\n");
    let asked = stage.model.requests().last().expect("a request").last_user_text.clone();
    assert!(asked.contains("go on from there"), "{asked}");
}

/// The same of a turn that the agent began by itself: nobody would tell it again.
#[tokio::test]
async fn a_limit_in_a_turn_of_the_agents_own_is_waited_for() {
    let Some((version, program)) = iris_testing::claude::binaries().into_iter().next() else { return };
    let model = iris_testing::model::Model::start().await.expect("a model");
    let setup = setup()
        .claude_team("alpha", &program, &model.url(), &["grantPermission: yes"])
        .setting("limitPause: 2s")
        .setting("responseTimeout: 60s");
    let stage = Stage { world: World::new(setup), model, version };
    let script = json!([
        {"tool": "Bash", "input": {"command": "sleep 1", "run_in_background": true}},
        {"text": "started"},
        {"http": 429, "times": 4},
        {"text": "own words"}
    ]);
    stage.tell("alpha", "work", script).await;
    stage.until("it is held", async || stage.session("user", "alpha").await["heldUntil"].is_i64()).await;
    stage
        .until("it went on", async || {
            stage.turns("user", "alpha").await.get(1).is_some_and(|turn| turn["state"] == "completed")
        })
        .await;
    let turns = stage.turns("user", "alpha").await;
    assert_eq!((turns.len(), &turns[1]["attempts"]), (2, &json!(2)), "{turns:?}");
    let asked = stage.model.requests().last().expect("a request").last_user_text.clone();
    assert!(asked.contains("begun by yourself") && asked.contains("go on from there"), "{asked}");
}

/// A script that plays a `claude` which cannot start.
fn fake(folder: &Path, name: &str, body: &str) -> std::path::PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{body}\n")).expect("written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("executable");
    file
}

async fn refusal(program: &Path) -> Value {
    refusal_in(setup().claude_team("alpha", program, "http://127.0.0.1:9", &[])).await
}

async fn refusal_in(setup: iris_testing::daemon::Setup) -> Value {
    let world = World::new(setup);
    let began = std::time::Instant::now();
    let told = world.tell("hello").await;
    assert!(began.elapsed().as_secs() < 10, "at once");
    assert_eq!((&told["status"], &told["reason"]), (&json!("terminated"), &json!("not_started")), "{told}");
    told["error"].clone()
}

#[tokio::test]
async fn a_cli_that_cannot_start_is_explained() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = refusal(&folder.path().join("claude")).await.to_string();
    assert!(error.contains("is not installed") && error.contains("npm install -g"), "{error}");

    let old = fake(folder.path(), "old", "echo \"error: unknown option '--permission-prompt-tool'\" >&2; exit 1");
    let error = refusal(&old).await.to_string();
    assert!(error.contains("too old") && error.contains("npm install -g"), "{error}");

    let broken = fake(folder.path(), "broken", "echo 'cannot allocate memory' >&2; exit 7");
    let error = refusal(&broken).await.to_string();
    assert!(error.contains("exit code 7") && error.contains("cannot allocate memory"), "{error}");

    let error = refusal(folder.path()).await.to_string();
    assert!(error.contains("is a folder, not a program"), "{error}");

    let refused = r#"{"type":"control_response","response":{"subtype":"error","request_id":"iris-initialize","error":"no such thing"}}"#;
    let refuses = fake(folder.path(), "refuses", &format!("read line; echo '{refused}'; cat > /dev/null"));
    let error = refusal(&refuses).await.to_string();
    assert!(error.contains("refused the greeting (no such thing)"), "{error}");

    let slow = fake(folder.path(), "slow", "echo 'waiting for a lock' >&2; cat > /dev/null");
    let setup = setup().claude_team("alpha", &slow, "http://127.0.0.1:9", &[]).setting("sessionInitTimeout: 1s");
    let error = refusal_in(setup).await.to_string();
    assert!(error.contains("not ready within 1s") && error.contains("waiting for a lock"), "{error}");
}

/// What the user's own CLI uses is not used in a home of the team's.
#[tokio::test]
async fn a_home_of_its_own_is_not_left_for_the_users_config() {
    let folder = tempfile::tempdir().expect("a folder");
    let tells = fake(folder.path(), "tells", "echo \"config [$CLAUDE_CONFIG_DIR] home [$HOME]\" >&2; exit 3");
    let with = |keys: &[&str]| {
        let setup = setup().claude_team("alpha", &tells, "http://127.0.0.1:9", keys);
        setup.env("CLAUDE_CONFIG_DIR", "/the/users")
    };
    let error = refusal_in(with(&[])).await.to_string();
    assert!(error.contains("config []") && error.contains("homes/alpha"), "{error}");
    let mut shared = with(&[]);
    shared.claude_teams[0].1.retain(|line| line != "home: own");
    let error = refusal_in(shared).await.to_string();
    assert!(error.contains("config [/the/users]"), "{error}");
}

#[tokio::test]
async fn a_cli_that_is_not_logged_in_is_told_from_one_that_is() {
    for (version, program) in iris_testing::claude::binaries() {
        let model = iris_testing::model::Model::start().await.expect("a model");
        let mut setup = setup().claude_team("alpha", &program, &model.url(), &[]);
        let lines = &mut setup.claude_teams[0].1;
        lines.retain(|line| !line.contains("ANTHROPIC_API_KEY"));
        // With a subscription it asks its maker about it, whatever the model's address is: that leads nowhere here.
        let env = lines.iter().position(|line| line == "env:").expect("variables") + 1;
        lines.splice(env..env, ["  HTTPS_PROXY: 'http://127.0.0.1:9'", "  NO_PROXY: '127.0.0.1'"].map(str::to_owned));
        let world = World::new(setup);
        let told = world.tell("hello").await;
        let error = told["error"].to_string();
        assert!(error.contains("not logged in") && error.contains("/login"), "{version}: {told}");

        // As /login leaves it for a subscription: of that the CLI names no source when it is greeted.
        let login = json!({"claudeAiOauth": {
            "accessToken": "sk-ant-oat01-made-up", "refreshToken": "sk-ant-ort01-made-up", "expiresAt": 4_000_000_000_000_i64,
            "scopes": ["user:inference", "user:profile"], "subscriptionType": "max",
        }});
        let file = world.path().join("data/homes/alpha/.claude/.credentials.json");
        std::fs::write(file, login.to_string()).expect("written");
        let told = world.tell("hello").await;
        assert_eq!(told["status"], "completed", "{version}: {told}");
    }
}

/// No secret in an argument, nothing of the daemon's environment that is not on the list, no way to other processes.
#[tokio::test]
async fn the_environment_is_an_allow_list_and_arguments_hold_no_secret() {
    let Some(stage) = stage(&["appendSystemPrompt: 'the magic word is xyzzy'"]).await else { return };
    let told = stage.tell("alpha", "hello", json!([{"text": "hi"}])).await;
    assert_eq!(told["status"], "completed");
    let pid = stage.session("user", "alpha").await["pid"].as_i64().expect("a pid");
    let read = |what: &str| {
        String::from_utf8_lossy(&std::fs::read(format!("/proc/{pid}/{what}")).expect("readable")).replace('\0', "\n")
    };
    let (arguments, environment) = (read("cmdline"), read("environ"));
    assert!(!arguments.contains("sk-made-up") && !arguments.contains("xyzzy"), "{arguments}");
    assert!(arguments.contains("SendMessage,ListAgents"), "{arguments}");
    assert!(!environment.contains("CARGO"), "nothing of ours leaks: {environment}");
    let request = stage.model.requests().pop().expect("asked");
    assert!(request.system.contains("xyzzy"), "the instructions came by the pipe");
    assert!(!request.tools.iter().any(|tool| tool == "SendMessage" || tool == "ListAgents"), "{:?}", request.tools);
    assert!(environment.lines().any(|line| line.starts_with("HOME=") && line.contains("homes/alpha")), "{environment}");
}
