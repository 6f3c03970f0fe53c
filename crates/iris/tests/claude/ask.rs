//! Questions of the real CLI: answered late, answered after a restart, refused for good.

use std::time::Duration;

use iris_testing::daemon::Daemon;
use serde_json::{Value, json};

use crate::stage::{Stage, stage, stages};
use crate::world::World;

async fn answer(stage: &Stage, question: &Value, value: Value) {
    let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
    let (status, said) = stage.world.post(&path, json!({"response": {"value": value}})).await;
    assert_eq!(status, 200, "{}: {said}", stage.version);
}

fn restart(stage: Stage) -> Stage {
    let Stage { world: World { daemon, setup, home }, model, version } = stage;
    daemon.kill().expect("killed");
    let daemon = Daemon::start(&setup, home.path()).expect("it starts again");
    Stage { world: World { daemon, setup, home }, model, version }
}

/// `IRIS_TEST_THINK_SECONDS=660` for the eleven minutes; a person thinks for a moment otherwise.
#[tokio::test]
async fn a_permission_waits_as_long_as_a_person_thinks() {
    let seconds = std::env::var("IRIS_TEST_THINK_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(3);
    let Some(stage) = stage(&["grantPermission: ask", "responseTimeout: 1s"]).await else { return };
    let turn =
        stage.start("alpha", json!([{"tool": "Bash", "input": {"command": "touch late.txt"}}, {"echo": true}])).await;
    let question = stage.world.open_question().await;
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    assert_eq!(stage.world.turn(&turn).await["state"], "running", "nobody calls it silent");
    answer(&stage, &question, json!(true)).await;
    assert_eq!(stage.world.ended(&turn).await["state"], "completed");
    assert!(stage.project("alpha").join("late.txt").exists());
}

#[tokio::test]
async fn a_question_is_answered_after_a_restart_of_the_daemon() {
    for stage in stages(&["grantPermission: yes"]).await {
        let ask = json!([
            {"tool": "AskUserQuestion", "input": {"questions": [{
                "question": "Which colour?", "header": "Colour", "multiSelect": false,
                "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
            }]}},
            {"echo": true}, {"echo": true}, {"echo": true}
        ]);
        let turn = stage.start("alpha", ask).await;
        stage.world.open_question().await;
        let stage = restart(stage);
        assert_eq!(stage.world.ended(&turn).await["reason"], "interrupted", "{}", stage.version);
        let question = stage.world.open_question().await;
        assert_eq!(question["question"], "Which colour?", "{}: it is still open", stage.version);
        answer(&stage, &question, json!("Blue")).await;
        stage
            .until("the agent has it", async || {
                let turns = stage.turns("user", "alpha").await;
                turns.len() == 2 && turns[1]["state"] == "completed"
            })
            .await;
        let told = &stage.turns("user", "alpha").await[1];
        assert!(told["message"].to_string().contains("user answered: Blue"), "{}: {told}", stage.version);
        assert!(told["response"].to_string().contains("Blue"), "{}: the model has it: {told}", stage.version);
    }
}

#[tokio::test]
async fn what_was_refused_never_runs_also_not_by_a_sub_agent() {
    for stage in stages(&["grantPermission: ask"]).await {
        let bad = json!({"tool": "Bash", "input": {"command": "touch bad.txt", "description": "first"}});
        let turn = stage.start("alpha", json!([bad, {"echo": true}])).await;
        let question = stage.world.open_question().await;
        answer(&stage, &question, json!(false)).await;
        stage.world.ended(&turn).await;
        let again = json!({"tool": "Bash", "input": {"command": "touch  bad.txt", "description": "quite harmless"}});
        let sub = format!("MODEL{}", json!([again, {"text": "sub-agent done"}]));
        let agent = json!({"tool": "Agent", "input": {"description": "try", "prompt": sub,
                           "subagent_type": "general-purpose", "run_in_background": false}});
        let told = stage.tell("alpha", "again", json!([again, agent, {"text": "done"}])).await;
        assert_eq!(told["status"], "completed", "{}: nobody is asked: {told}", stage.version);
        assert!(!stage.project("alpha").join("bad.txt").exists(), "{}", stage.version);
        let refused = stage.world.events("question.answered").await;
        let by_rule = refused.iter().filter(|event| event["data"]["rule"].is_string()).count();
        assert_eq!(by_rule, 2, "{}: both tries were refused: {refused:?}", stage.version);
    }
}

#[tokio::test]
async fn a_plan_is_put_to_a_person_with_its_text() {
    let Some(stage) = stage(&["grantPermission: ask"]).await else { return };
    let script = json!([
        {"tool": "EnterPlanMode", "input": {}},
        {"tool": "ExitPlanMode", "input": {"plan": "1. paint it blue"}},
        {"echo": true}
    ]);
    let turn = stage.start("alpha", script).await;
    loop {
        let question = stage.world.open_question().await;
        let is_plan = question["way"] == "plan";
        if is_plan {
            assert_eq!(question["question"], "May it carry out its plan?");
            assert!(question["action"]["shown"].to_string().contains("paint it blue"), "{question}");
            assert_eq!(question["risk"], "medium", "{question}");
        }
        answer(&stage, &question, json!(true)).await;
        if is_plan {
            break;
        }
    }
    assert_eq!(stage.world.ended(&turn).await["state"], "completed");
}

/// Asks leave for a plan, on the way to it for whatever it needs; returns the question about the plan.
async fn plan_asked(stage: &Stage, plan: &str) -> (String, Value) {
    let script = json!([{"tool": "EnterPlanMode", "input": {}}, {"tool": "ExitPlanMode", "input": {"plan": plan}}, {"echo": true}]);
    let turn = stage.start("alpha", script).await;
    loop {
        let question = stage.world.open_question().await;
        if question["way"] == "plan" {
            return (turn, question);
        }
        answer(stage, &question, json!(true)).await;
    }
}

/// Without a file for the plan the request for leave is the same for every plan, `{}`: an answer is for the one that was
/// shown. The older version keeps the first plan in a file, and asks with that.
#[tokio::test]
async fn an_answer_to_one_plan_is_no_answer_to_another() {
    let Some(stage) = stage(&["grantPermission: ask"]).await else { return };
    let (turn, blue) = plan_asked(&stage, "1. paint it blue").await;
    assert_eq!(blue["action"]["input"], json!({}), "{blue}");
    let path = format!("/api/questions/{}/answer", blue["id"].as_str().expect("an id"));
    let yes = json!({"response": {"value": true}, "remember": {"scope": "deed", "forMs": 600_000}});
    assert_eq!(stage.world.post(&path, yes).await.0, 200);
    stage.world.ended(&turn).await;
    let (turn, red) = plan_asked(&stage, "1. paint it red").await;
    assert_ne!(red["digest"], blue["digest"]);
    assert!(red["action"]["shown"].to_string().contains("paint it red"), "{red}");
    answer(&stage, &red, json!(false)).await;
    stage.world.ended(&turn).await;
    let (turn, green) = plan_asked(&stage, "1. paint it green").await;
    assert!(green["action"]["shown"].to_string().contains("paint it green"), "{green}");
    answer(&stage, &green, json!(true)).await;
    stage.world.ended(&turn).await;
    let answered = stage.world.events("question.answered").await;
    let by_rule = answered.iter().filter(|event| event["data"]["rule"].is_string()).count();
    assert_eq!(by_rule, 0, "nothing was decided without a person");
}

/// A plan that the agent wrote to its file, as it is told to, comes with the request: another text is another question.
#[tokio::test]
async fn a_no_to_one_plan_in_a_file_is_no_answer_to_another() {
    for stage in stages(&["grantPermission: ask"]).await {
        stage.tell("alpha", "plan", json!([{"tool": "EnterPlanMode", "input": {}}, {"text": "entered"}])).await;
        let path = plan_file(&format!("{:?}", stage.model.requests()));
        for plan in ["1. paint it blue", "1. paint it red"] {
            let script = json!([
                {"tool": "Read", "input": {"file_path": path}},
                {"tool": "Write", "input": {"file_path": path, "content": plan}},
                {"tool": "ExitPlanMode", "input": {}},
                {"echo": true}
            ]);
            let turn = stage.start("alpha", script).await;
            let question = stage.world.open_question().await;
            assert_eq!(question["action"]["input"]["plan"], plan, "{}: {question}", stage.version);
            assert!(question["action"]["shown"].to_string().contains(plan), "{}: {question}", stage.version);
            answer(&stage, &question, json!(false)).await;
            stage.world.ended(&turn).await;
        }
    }
}

/// The file that the CLI names to the model.
fn plan_file(told: &str) -> String {
    let at = told.find("/.claude/plans/").expect("a file is named");
    let is_of_path = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    let start = told[..at].rfind(|c| !is_of_path(c)).map_or(0, |before| before + 1);
    let end = at + told[at..].find(".md").expect("it ends") + ".md".len();
    told[start..end].to_owned()
}

/// A yes that is kept over a restart lets that plan through, and no other.
#[tokio::test]
async fn a_yes_kept_over_a_restart_is_for_that_plan() {
    let Some(stage) = stage(&["grantPermission: ask"]).await else { return };
    let (turn, blue) = plan_asked(&stage, "1. paint it blue").await;
    let stage = restart(stage);
    stage.world.ended(&turn).await;
    answer(&stage, &blue, json!(true)).await;
    let told = async || stage.turns("user", "alpha").await.iter().any(|turn| turn["origin"] == "answer");
    stage.until("the agent is told", told).await;
    let (_, red) = plan_asked(&stage, "1. paint it red").await;
    assert_ne!(red["digest"], blue["digest"]);
    assert!(red["action"]["shown"].to_string().contains("paint it red"), "{red}");
}

#[tokio::test]
async fn the_tool_of_iris_waits_for_a_person() {
    for stage in stages(&["grantPermission: ask"]).await {
        let ask = json!({"tool": "mcp__iris__ask_question", "input": {"question": "Which port?", "type": "blocking"}});
        let turn = stage.start("alpha", json!([ask, {"echo": true}])).await;
        let question = stage.world.open_question().await;
        assert_eq!((&question["way"], &question["question"]), (&json!("tool"), &json!("Which port?")));
        answer(&stage, &question, json!("1615")).await;
        let ended = stage.world.ended(&turn).await;
        assert!(ended["response"].to_string().contains("1615"), "{}: {ended}", stage.version);
    }
}

/// A server of the agent's own, which asks for a form before it answers.
const FORM_SERVER: &str = r#"
import json, sys

def say(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

calls = {}
for line in sys.stdin:
    told = json.loads(line)
    id, method = told.get("id"), told.get("method")
    if method == "initialize":
        say({"id": id, "result": {"protocolVersion": told["params"]["protocolVersion"], "capabilities": {"tools": {}},
                                  "serverInfo": {"name": "lab", "version": "1"}}})
    elif method == "tools/list":
        say({"id": id, "result": {"tools": [{"name": "name", "description": "asks for a name",
                                             "inputSchema": {"type": "object", "properties": {}}}]}})
    elif method == "tools/call":
        calls[900] = id
        say({"id": 900, "method": "elicitation/create", "params": {"message": "Your name?", "requestedSchema": {
            "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}})
    elif method is None and id in calls:
        given = json.dumps(told.get("result"))
        say({"id": calls.pop(id), "result": {"content": [{"type": "text", "text": "the form says " + given}]}})
    elif id is not None:
        say({"id": id, "error": {"code": -32601, "message": "unknown"}})
"#;

#[tokio::test]
async fn a_form_of_a_tool_server_is_filled_in_by_a_person() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("server.py");
    std::fs::write(&program, FORM_SERVER).expect("written");
    let servers = json!({"mcpServers": {"lab": {"command": "python3", "args": [program]}}});
    let args = format!("args: {}", json!(["--mcp-config", servers.to_string()]));
    let Some(stage) = stage(&["grantPermission: yes", &args]).await else { return };
    let turn = stage.start("alpha", json!([{"tool": "mcp__lab__name", "input": {}}, {"echo": true}])).await;
    let question = stage.world.open_question().await;
    assert_eq!((&question["way"], &question["question"]), (&json!("elicitation"), &json!("Your name?")), "{question}");
    assert_eq!(question["schema"]["required"], json!(["name"]), "{question}");
    answer(&stage, &question, json!({"name": "Ada"})).await;
    let over = stage.world.ended(&turn).await;
    assert!(over["response"].to_string().contains("Ada"), "the model has it: {over}");
}
