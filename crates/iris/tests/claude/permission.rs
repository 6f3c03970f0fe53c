//! Who decides what an agent may do, and what it asks.

use serde_json::json;

use crate::stage::stages;

fn touch(file: &str) -> serde_json::Value {
    json!([{"tool": "Bash", "input": {"command": format!("touch {file}")}}, {"echo": true}])
}

#[tokio::test]
async fn yes_and_no_are_decided_by_iris() {
    for stage in stages(&["grantPermission: yes"]).await {
        stage.tell("alpha", "go", touch("allowed.txt")).await;
        assert!(stage.project("alpha").join("allowed.txt").exists(), "{}", stage.version);
    }
    for stage in stages(&["grantPermission: no"]).await {
        let told = stage.tell("alpha", "go", touch("refused.txt")).await;
        assert!(!stage.project("alpha").join("refused.txt").exists(), "{}", stage.version);
        assert!(
            told["response"].to_string().contains("grantPermission: no"),
            "{}: it is told why: {told}",
            stage.version
        );
    }
}

#[tokio::test]
async fn a_person_is_asked_and_the_agent_waits() {
    for stage in stages(&["grantPermission: ask"]).await {
        let turn = stage.start("alpha", touch("asked.txt")).await;
        let question = stage.world.open_question().await;
        assert_eq!(
            (&question["kind"], &question["action"]["tool"]),
            (&json!("approval"), &json!("Bash")),
            "{question}"
        );
        assert_eq!(question["action"]["input"]["command"], "touch asked.txt");
        assert!(!stage.project("alpha").join("asked.txt").exists(), "{}: nothing before the answer", stage.version);
        let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
        let (status, _) = stage.world.post(&path, json!({"response": {"type": "boolean", "value": true}})).await;
        assert_eq!(status, 200);
        assert_eq!(stage.world.ended(&turn).await["state"], "completed");
        assert!(stage.project("alpha").join("asked.txt").exists(), "{}", stage.version);

        let turn = stage.start("alpha", touch("denied.txt")).await;
        let question = stage.world.open_question().await;
        let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
        let refusal = json!({"response": {"type": "boolean", "value": false, "text": "not on a Sunday"}});
        assert_eq!(stage.world.post(&path, refusal).await.0, 200);
        let ended = stage.world.ended(&turn).await;
        assert!(ended["response"].to_string().contains("not on a Sunday"), "{}: {ended}", stage.version);
        assert!(!stage.project("alpha").join("denied.txt").exists());
    }
}

#[tokio::test]
async fn forward_asks_the_party_that_told() {
    for stage in stages(&["grantPermission: forward"]).await {
        let turn = stage.start("alpha", touch("forwarded.txt")).await;
        let question = stage.world.open_question().await;
        assert_eq!(question["askedOf"], "user", "{}: {question}", stage.version);
        stage.world.post("/api/teams/alpha/cancel", json!({})).await;
        assert_eq!(stage.world.ended(&turn).await["state"], "cancelled", "{}", stage.version);
        assert_eq!(stage.world.get("/api/questions/pending").await["questions"], json!([]), "it is withdrawn");
    }
}

/// Also a team that may do everything asks a person when it has a question.
#[tokio::test]
async fn the_tool_that_asks_the_user_reaches_a_person() {
    for stage in stages(&["grantPermission: yes"]).await {
        let ask = json!([
            {"tool": "AskUserQuestion", "input": {"questions": [{
                "question": "Which colour?", "header": "Colour", "multiSelect": false,
                "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
            }]}},
            {"echo": true}
        ]);
        let turn = stage.start("alpha", ask).await;
        let question = stage.world.open_question().await;
        assert_eq!(question["question"], "Which colour?", "{}: {question}", stage.version);
        assert_eq!(question["options"][1], json!({"value": "Blue", "label": "Blue", "description": "cold"}));
        let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
        let (status, said) = stage.world.post(&path, json!({"response": {"type": "choice", "value": "Blue"}})).await;
        assert_eq!(status, 200, "{said}");
        let ended = stage.world.ended(&turn).await;
        assert!(ended["response"].to_string().contains("Blue"), "{}: {ended}", stage.version);
    }
}

/// An agent at work on a long command has nothing to say. Older versions say nothing at all, and the answer to what they asked
/// is the last that they hear.
#[tokio::test]
async fn a_long_command_is_no_silence() {
    // The newest gives signs of life, though not every three seconds.
    for stage in stages(&["grantPermission: ask", "responseTimeout: 3s"]).await.into_iter().skip(1) {
        let command = "python3 -c 'import time; time.sleep(8)'";
        let turn =
            stage.start("alpha", json!([{"tool": "Bash", "input": {"command": command}}, {"text": "slept"}])).await;
        let question = stage.world.open_question().await;
        let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
        let (status, answered) = stage.world.post(&path, json!({"response": {"value": "yes"}})).await;
        assert_eq!(status, 200, "{}: {answered}", stage.version);
        let over = stage.world.ended(&turn).await;
        assert_eq!((&over["state"], &over["response"]), (&json!("completed"), &json!("slept")), "{}", stage.version);
    }
}

/// Nobody is asked then, and nothing that the CLI says of it, or of a result that it has shortened, is garbage.
#[tokio::test]
async fn what_a_rule_refuses_is_told_and_what_was_shortened_is_read() {
    for stage in stages(&["grantPermission: yes", "disallowedTools: ['Bash(touch *)']"]).await {
        let smiles = r#"python3 -c "print('x' + chr(0x1F600) * 60000)""#;
        let script = json!([
            {"tool": "Bash", "input": {"command": "touch made"}},
            {"tool": "Bash", "input": {"command": smiles}},
            {"text": "done"}
        ]);
        let told = stage.tell("alpha", "x", script).await;
        assert_eq!(told["response"], "done", "{}: {told}", stage.version);
        let kept = stage.messages(told["turnId"].as_str().expect("a turn")).await;
        let count = |kind: &str, words: &str| kept.iter().filter(|(k, text)| k == kind && text.contains(words)).count();
        assert_eq!(count("system", "a rule does not allow Bash"), 1, "{}: {kept:?}", stage.version);
        assert_eq!((count("tool_result", ""), count("garbage", "")), (2, 0), "{}: {kept:?}", stage.version);
        assert!(!stage.project("alpha").join("made").exists(), "{}", stage.version);
    }
}
