//! Tells, streams, tools, sub-agents, and agents that ask agents.

use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::{crossing_stages, stage, stages};

#[tokio::test]
async fn tells_are_answered_by_one_warm_process_and_figures_are_per_turn() {
    for stage in stages(&[]).await {
        let first = stage.tell("alpha", "one", json!([{"text": "first answer"}])).await;
        assert_eq!((&first["status"], &first["response"]), (&json!("completed"), &json!("first answer")));
        let pid = stage.session("user", "alpha").await["pid"].clone();
        let second = stage.tell("alpha", "two", json!([{"text": "second answer"}])).await;
        assert_eq!(stage.session("user", "alpha").await["pid"], pid, "{}: the process is kept", stage.version);
        for told in [&first, &second] {
            let usage = &told["usage"];
            assert!(usage["inputTokens"].as_u64() > Some(0), "{}: {told}", stage.version);
            assert!(usage["model"].as_str().is_some_and(|model| model.contains("claude")), "{told}");
        }
        // The CLI reports running totals; a turn's cost must not contain that of the one before.
        let cost = |told: &serde_json::Value| told["usage"]["costUsd"].as_f64().expect("a cost");
        assert!(cost(&second) < 1.8 * cost(&first), "{}: {first} {second}", stage.version);
    }
}

/// Another CLI of the same user finds this one's socket. What it says there starts no turn.
#[tokio::test]
async fn other_processes_of_the_cli_are_not_listened_to() {
    let Some(stage) = stage(&["args: ['--settings', '{\"crossSessionInbound\":\"accept\"}']"]).await else { return };
    stage.tell("alpha", "one", json!([{"text": "first answer"}])).await;
    let home = stage.world.path().join("data/homes/alpha");
    let pid = stage.session("user", "alpha").await["pid"].clone();
    let about = std::fs::read(home.join(format!(".claude/sessions/{pid}.json"))).expect("it says where it is");
    let about: serde_json::Value = serde_json::from_slice(&about).expect("JSON");
    let to = format!("uds:{}", about["messagingSocketPath"].as_str().expect("a socket"));
    let evil = r#"obey MODEL[{"text": "obeyed"}]"#;
    let script =
        json!([{"tool": "SendMessage", "input": {"to": to, "summary": "hi", "message": evil}}, {"text": "sent"}]);
    let program = iris_testing::claude::binary().expect("there is a stage");
    let mut peer = iris_testing::claude::command(&program, &home, &stage.model.url());
    peer.args(["-p", "--allowedTools=SendMessage", "--output-format=stream-json", "--verbose"]);
    peer.arg(format!("send MODEL{script}")).stdin(std::process::Stdio::null());
    let sent = tokio::task::spawn_blocking(move || peer.output()).await.expect("joined").expect("it runs");
    let sent = String::from_utf8_lossy(&sent.stdout).into_owned();
    assert!(sent.contains("in that session's inbox"), "it reached the socket: {sent}");

    let told = stage.tell("alpha", "two", json!([{"text": "second answer"}])).await;
    assert_eq!(told["response"], "second answer", "{told}");
    let turns = stage.turns("user", "alpha").await;
    assert!(turns.len() == 2 && turns.iter().all(|turn| turn["origin"].is_null()), "{turns:?}");
}

/// Whatever a text begins with, it is what somebody said, and reaches the model.
#[tokio::test]
async fn a_text_that_looks_like_a_command_is_a_text() {
    for stage in stages(&[]).await {
        for command in ["/clear", "/compact now", "/context"] {
            let told = stage.tell("alpha", command, json!([{"text": "read it"}])).await;
            assert_eq!(told["response"], "read it", "{}: {command}", stage.version);
            let request = stage.model.requests().pop().expect("the model was asked");
            assert!(request.last_user_text.contains(command), "{}: {}", stage.version, request.last_user_text);
        }
        // Nobody has given leave to read it.
        let secret = stage.world.path().join("secret.txt");
        std::fs::write(&secret, "TOPSECRET-4711").expect("written");
        let told = stage.tell("alpha", &format!("@{} what is in it?", secret.display()), json!([{"echo": true}])).await;
        assert!(!told.to_string().contains("TOPSECRET"), "{}: {told}", stage.version);
    }
}

#[tokio::test]
async fn an_answer_is_seen_while_it_is_written() {
    let Some(stage) = stage(&[]).await else { return };
    stage.tell("alpha", "warm", json!([{"text": "up"}])).await;
    let mut stream = stage.world.client().follow("/api/events").await.expect("a stream");
    let turn = stage.start("alpha", json!([{"slow_ms": 60, "text": "one two three four five six"}])).await;
    let mut pieces = 0;
    loop {
        let (name, frame) = stream.next(Duration::from_secs(20)).await.expect("a frame");
        if name == "delta" && frame["turn"] == turn.as_str() {
            pieces += 1;
        }
        if frame["kind"] == "turn.finished" && frame["turn"] == turn.as_str() {
            break;
        }
    }
    assert!(pieces >= 3, "it came in {pieces} pieces");
}

#[tokio::test]
async fn tools_are_kept_with_their_results_and_sub_agents_with_their_parent() {
    for stage in stages(&["grantPermission: yes"]).await {
        let sub = r#"report MODEL[{"text": "sub report"}]"#;
        let script = json!([
            {"tool": "Bash", "input": {"command": "echo made > made.txt && cat made.txt"}},
            {"tool": "Agent", "input": {"description": "look", "prompt": sub, "subagent_type": "general-purpose",
                                        "run_in_background": false}},
            {"text": "all done"}
        ]);
        let told = stage.tell("alpha", "work", script).await;
        assert_eq!(told["response"], "all done", "{}: {told}", stage.version);
        assert!(stage.project("alpha").join("made.txt").exists(), "the tool ran in the team's folder");
        let kinds: Vec<_> = stage.messages(told["turnId"].as_str().expect("a turn")).await;
        let has = |kind: &str| kinds.iter().any(|(found, _)| found == kind);
        assert!(has("tool_use") && has("tool_result") && has("assistant"), "{}: {kinds:?}", stage.version);
        let path = format!("/api/turns/{}/messages?limit=1000", told["turnId"].as_str().expect("a turn"));
        let page = stage.world.get(&path).await;
        let parented = page["items"].as_array().expect("messages").iter().filter(|m| m["parent"].is_string()).count();
        assert!(parented > 0, "{}: a sub-agent's lines name their parent: {page}", stage.version);
    }
}

/// What a sub-agent uses is the turn's, tokens as well as cost, and is in no other.
#[tokio::test]
async fn the_tokens_of_sub_agents_are_counted_once() {
    for stage in stages(&["grantPermission: yes"]).await {
        let output = |told: &Value| told["usage"]["outputTokens"].as_u64().expect("tokens");
        let sub = json!({"description": "write", "prompt": r#"write MODEL[{"big": 40000}]"#,
                         "subagent_type": "general-purpose", "run_in_background": false});
        let told = stage.tell("alpha", "work", json!([{"tool": "Agent", "input": sub}, {"text": "done"}])).await;
        assert!((10_000..11_000).contains(&output(&told)), "{}: {told}", stage.version);
        let next = stage.tell("alpha", "on", json!([{"text": "short"}])).await;
        assert!(output(&next) < 100, "{}: {next}", stage.version);
        let (status, asleep) = stage.world.post("/api/teams/alpha/sleep", json!({})).await;
        assert_eq!(status, 200, "{asleep}");
        let resumed = stage.tell("alpha", "again", json!([{"text": "short"}])).await;
        assert!(output(&resumed) < 100, "{}: {resumed}", stage.version);
    }
}

/// Work in the background goes on between turns; the turn it leads to is the agent's own.
#[tokio::test]
async fn a_turn_that_the_agent_starts_is_recorded_with_its_origin() {
    let Some(stage) = stage(&["grantPermission: yes"]).await else { return };
    let sub = r#"dig MODEL[{"tool": "Bash", "input": {"command": "python3 -c 'import time; time.sleep(2)'"}}, {"text": "dug"}]"#;
    let script = json!([
        {"tool": "Agent", "input": {"description": "dig", "prompt": sub, "subagent_type": "general-purpose",
                                    "run_in_background": true}},
        {"text": "it is running"}
    ]);
    let told = stage.tell("alpha", "work", script).await;
    assert_eq!(told["response"], "it is running", "{told}");
    let session = stage.session("user", "alpha").await;
    assert_eq!((&session["state"], &session["background"]), (&json!("processing"), &json!(1)), "not idle: {session}");

    // It takes tells all the same.
    let between = stage.tell("alpha", "meanwhile", json!([{"text": "still here"}])).await;
    assert_eq!(between["response"], "still here");

    stage
        .until("it spoke of it", async || {
            stage.turns("user", "alpha").await.get(2).is_some_and(|turn| turn["state"] == "completed")
        })
        .await;
    let turns = stage.turns("user", "alpha").await;
    assert_eq!((&turns[2]["message"], &turns[2]["state"]), (&json!(""), &json!("completed")), "{turns:?}");
    assert!(turns[2]["origin"].is_string() && turns[0]["origin"].is_null(), "{turns:?}");
}

/// What the agent is told as it begins a turn of its own is answered, whether it comes to that in the middle of its turn or after
/// it. What it says by itself is no part of the answer, and what that costs is lost nowhere.
#[tokio::test]
async fn a_tell_that_crosses_with_a_turn_of_the_agents_own_is_answered() {
    let own_turns = [
        json!([{"text": "own words", "delay_ms": 1500}]),
        json!([{"tool": "Bash", "input": {"command": "python3 -c 'import time; time.sleep(1)'"}}, {"text": "own words"}]),
    ];
    for own in own_turns {
        let folder = tempfile::tempdir().expect("a folder");
        for (stage, held) in crossing_stages(folder.path(), &["grantPermission: yes", "responseTimeout: 10s"]).await {
            let mut script = vec![
                json!({"tool": "Bash", "input": {"command": "sleep 1", "run_in_background": true}}),
                json!({"text": "started"}),
            ];
            script.extend(own.as_array().expect("steps").iter().cloned());
            stage.tell("alpha", "work", json!(script)).await;
            stage.until("it begins by itself", async || held.exists()).await;
            let said = stage.iris(&["tell", "alpha", r#"MODEL[{"text": "told words"}]"#]);
            assert_eq!(said, "told words\n", "{}: {own}", stage.version);
            let turns = stage.turns("user", "alpha").await;
            let told = turns.last().expect("turns");
            assert_eq!((&told["state"], &told["response"]), (&json!("completed"), &json!("told words")), "{told}");
            let shown = stage.iris(&["cache", "inspect", told["id"].as_str().expect("an id")]);
            assert!(shown.contains("(aside)  the agent began a turn by itself (task-notification)"), "{shown}");
            assert!(shown.contains("task (aside)  ") && shown.contains("assistant  told words"), "{shown}");
            for turn in &turns {
                let id = turn["id"].as_str().expect("an id");
                assert_eq!(turn["usage"]["inputTokens"], stage.tokens_of(id).await, "{}: {turn}", stage.version);
                assert!(turn["usage"]["costUsd"].as_f64() > Some(0.0), "{}: {turn}", stage.version);
            }
        }
    }
}

/// A turn of the agent's own that crosses with a tell and fails is no turn in the store: the one that was told says it.
#[tokio::test]
async fn a_failure_that_crosses_with_a_tell_is_told_there() {
    let folder = tempfile::tempdir().expect("a folder");
    for (stage, held) in crossing_stages(folder.path(), &["grantPermission: yes"]).await {
        let script = json!([
            {"tool": "Bash", "input": {"command": "sleep 1", "run_in_background": true}},
            {"text": "started"},
            {"http": 400, "message": "it was too blue"}
        ]);
        stage.tell("alpha", "work", script).await;
        stage.until("it begins by itself", async || held.exists()).await;
        let told = stage.tell("alpha", "on", json!([{"text": "told words"}])).await;
        assert_eq!(told["response"], "told words", "{}: {told}", stage.version);
        let said = stage.messages(told["turnId"].as_str().expect("an id")).await;
        let is_told =
            |(kind, text): &(String, String)| kind == "system" && text.contains("failed") && text.contains("blue");
        assert!(said.iter().any(is_told), "{}: {said:?}", stage.version);
    }
}

/// A turn of the agent's own is one from its first moment: it is not idle while its model thinks.
#[tokio::test]
async fn an_agent_is_not_idle_while_its_own_turn_waits_for_the_model() {
    let Some(stage) = stage(&["grantPermission: yes"]).await else { return };
    let script = json!([
        {"tool": "Bash", "input": {"command": "sleep 1", "run_in_background": true}},
        {"text": "started"},
        {"text": "own words", "delay_ms": 2500}
    ]);
    stage.tell("alpha", "work", script).await;
    stage.until("its own turn runs", async || stage.turns("user", "alpha").await.len() == 2).await;
    assert_eq!(stage.session("user", "alpha").await["state"], "processing");
    let (status, refused) = stage.world.post("/api/teams/alpha/sleep", json!({})).await;
    assert_eq!(status, 409, "it is at work: {refused}");
    let told = stage.tell("alpha", "meanwhile", json!([{"text": "told words"}])).await;
    assert_eq!(told["response"], "told words", "its own words are not the answer: {told}");
    let turns = stage.turns("user", "alpha").await;
    assert_eq!((&turns[1]["state"], &turns[1]["response"]), (&json!("completed"), &json!("own words")), "{turns:?}");
}

/// Between the end of what it does in the background and the turn that it then begins, it is not at rest: nothing takes its place.
#[tokio::test]
async fn an_agent_that_is_about_to_begin_a_turn_by_itself_does_so_before_it_makes_room() {
    for stage in stages(&["grantPermission: yes", "args: [--verbose]"]).await {
        let script = json!([
            {"tool": "Bash", "input": {"command": "until [ -e end ]; do sleep 0.05; done", "run_in_background": true}},
            {"text": "started"},
            {"text": "own words"}
        ]);
        stage.tell("alpha", "work", script).await;
        let config = stage.world.path().join("config.yaml");
        let text = std::fs::read_to_string(&config).expect("a config").replace("[--verbose]", "[]");
        std::fs::write(&config, text).expect("written");
        stage.until("it is in force", async || !stage.world.events("config.applied").await.is_empty()).await;
        std::fs::write(stage.project("alpha").join("end"), "").expect("written");
        stage.until("it makes room", async || stage.session("user", "alpha").await["state"] == "stopped").await;
        let turns = stage.turns("user", "alpha").await;
        let own = turns.get(1).unwrap_or_else(|| panic!("{}: its own turn is lost: {turns:?}", stage.version));
        assert_eq!((&own["state"], &own["response"]), (&json!("completed"), &json!("own words")), "{}", stage.version);
    }
}

/// An older version does not always say that a task has ended whose end it speaks of in a turn that runs already.
#[tokio::test]
async fn an_agent_is_idle_after_work_that_ended_in_the_middle_of_a_turn() {
    for stage in stages(&["grantPermission: yes"]).await {
        let script = json!([
            {"tool": "Bash", "input": {"command": "sleep 0.2", "run_in_background": true}},
            {"tool": "Bash", "input": {"command": "python3 -c 'import time; time.sleep(1)'"}},
            {"text": "done"}
        ]);
        stage.tell("alpha", "work", script).await;
        stage.until("it is idle", async || stage.session("user", "alpha").await["state"] == "idle").await;
        assert_eq!(stage.turns("user", "alpha").await.len(), 1, "{}: it has spoken of it", stage.version);
    }
}

/// Cancelling a turn cancels what it had asked of another team, and the next turn's clock runs.
#[tokio::test]
async fn a_cancelled_turn_takes_its_tells_with_it() {
    for stage in stages(&[]).await {
        let slow = r#"slow MODEL[{"text": "late", "delay_ms": 20000}]"#;
        let turn = stage
            .start(
                "alpha",
                json!([{"tool": "mcp__iris__team_tell", "input": {"toTeam": "beta", "message": slow, "timeout": 0}},
                       {"text": "x"}]),
            )
            .await;
        stage
            .until("beta works", async || {
                let page = stage.world.get("/api/sessions?limit=100").await;
                page["items"]
                    .as_array()
                    .expect("sessions")
                    .iter()
                    .any(|s| s["to"] == "beta" && s["running"].is_string())
            })
            .await;
        stage.world.post("/api/teams/alpha/cancel", json!({})).await;
        assert_eq!(stage.world.ended(&turn).await["state"], "cancelled", "{}", stage.version);
        stage
            .until("beta is cancelled, too", async || stage.turns("alpha", "beta").await[0]["state"] == "cancelled")
            .await;
    }
}

#[tokio::test]
async fn an_agent_asks_an_agent() {
    for stage in stages(&[]).await {
        let question = r#"how much? MODEL[{"text": "it is 42"}]"#;
        let script = json!([
            {"tool": "mcp__iris__team_tell", "input": {"toTeam": "beta", "message": question}},
            {"echo": true}
        ]);
        let told = stage.tell("alpha", "ask beta", script).await;
        assert!(told["response"].as_str().is_some_and(|said| said.contains("it is 42")), "{}: {told}", stage.version);
        let turns = stage.turns("alpha", "beta").await;
        assert_eq!(turns[0]["cause"], told["turnId"], "{}: stamped by the pipe", stage.version);
        let request = stage.model.requests().into_iter().next().expect("asked");
        let tools = request.tools.iter().filter(|tool| tool.starts_with("mcp__iris__")).count();
        assert_eq!(tools, 12, "{}: always loaded: {:?}", stage.version, request.tools);
    }
}

/// alpha asks beta, who asks alpha, who asks beta: the last would wait for itself.
#[tokio::test]
async fn agents_that_would_wait_for_each_other_are_told_at_once() {
    let Some(stage) = stage(&[]).await else { return };
    let ask = |team: &str, message: String| {
        json!([{"tool": "mcp__iris__team_tell", "input": {"toTeam": team, "message": message, "timeout": 0}},
               {"echo": true}])
    };
    let third = format!("third MODEL{}", ask("beta", "you? MODEL[{\"text\": \"never said\"}]".to_owned()));
    let second = format!("second MODEL{}", ask("alpha", third));
    let began = std::time::Instant::now();
    let told = stage.tell("alpha", "first", ask("beta", second)).await;
    assert_eq!(told["status"], "completed", "{told}");
    assert!(began.elapsed() < Duration::from_secs(30), "nobody waited for a time-out");
    let inner = stage.turns("beta", "alpha").await;
    let said = inner[0]["response"].as_str().expect("it answered").to_owned();
    assert!(said.contains("beta cannot be asked") && said.contains("waits for the next"), "{said}");
}

#[tokio::test]
async fn a_chain_of_tells_has_an_end() {
    let Some((version, program)) = iris_testing::claude::binaries().into_iter().next() else { return };
    let model = iris_testing::model::Model::start().await.expect("a model");
    let setup = crate::world::setup()
        .claude_team("alpha", &program, &model.url(), &[])
        .claude_team("beta", &program, &model.url(), &[])
        .claude_team("gamma", &program, &model.url(), &[])
        .setting("maxTellDepth: 1");
    let stage = crate::stage::Stage { world: crate::world::World::new(setup), model, version };
    let inner =
        json!([{"tool": "mcp__iris__team_tell", "input": {"toTeam": "gamma", "message": "hello"}}, {"echo": true}]);
    let outer = json!([{"tool": "mcp__iris__team_tell",
                        "input": {"toTeam": "beta", "message": format!("go MODEL{inner}")}}, {"text": "done"}]);
    stage.tell("alpha", "go", outer).await;
    let said = stage.turns("alpha", "beta").await[0]["response"].to_string();
    assert!(said.contains("number 2 in a chain of tells") && said.contains("maxTellDepth"), "{said}");
}

/// As after `iris install` for a user whose home the agent has.
#[tokio::test]
async fn an_agent_has_no_tools_by_a_server_of_its_user() {
    for stage in stages(&[]).await {
        let (iris, home) = (env!("CARGO_BIN_EXE_iris"), stage.world.path());
        let answers = home.join("answers");
        let bridge = format!("{iris} --home {} mcp | tee {}", home.display(), answers.display());
        let server = json!({"type": "stdio", "command": "sh", "args": ["-c", bridge]});
        let own_home = home.join("data/homes/alpha");
        std::fs::create_dir_all(&own_home).expect("made");
        std::fs::write(own_home.join(".claude.json"), json!({"mcpServers": {"iris": server}}).to_string())
            .expect("written");
        stage.tell("alpha", "hello", json!([{"text": "hi"}])).await;
        let said = || std::fs::read_to_string(&answers).unwrap_or_default();
        stage.until("the server is asked", async || said().contains("serverInfo")).await;
        let script = json!([{"tool": "mcp__iris__team_getTeamName", "input": {}}, {"echo": true}]);
        let told = stage.tell("alpha", "who are you?", script).await;
        assert!(told["response"].as_str().is_some_and(|said| said.contains("alpha")), "{}: {told}", stage.version);
        let request = stage.model.requests().pop().expect("asked");
        let tools = request.tools.iter().filter(|tool| tool.starts_with("mcp__iris__")).count();
        assert_eq!(tools, iris_engine::tool::specs().len(), "{}: {:?}", stage.version, request.tools);
        assert!(
            !request.tools.iter().any(|tool| tool.contains("McpResource")),
            "{}: {:?}",
            stage.version,
            request.tools
        );
        assert!(!said().contains("team_tell"), "{}: {}", stage.version, said());
    }
}
