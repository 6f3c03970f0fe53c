use serde_json::json;

use super::agent::{ID, Stage, outline};

const SCRIPT: &str = r#"
replies:
  - match: "^build (.+)"
    do:
      - think: hmm
      - say: "Building $1, turn {{turn}}"
      - tool: { name: Bash, input: { command: "make $1" }, result: "a.txt" }
      - times: { n: 2, do: [{ say: again }] }
      - cost: 0.25
      - usage: { input: 10, output: 5 }
  - match: "^stream"
    do: [{ stream: { text: "żółw über alles", chunk: 6 } }]
  - match: "^run"
    do:
      - run: "echo hi > f.txt; cat f.txt; exit 3"
      - write: { path: "src/a.txt", content: "{{result}}" }
      - write: { path: "../a.txt", content: "" }
  - match: "^spawn"
    do:
      - subagent: { type: explorer, prompt: look, do: [{ tool: { name: Read } }, { say: found }] }
      - say: "it {{result}}"
  - match: "^background"
    do:
      - subagent: { prompt: look, background: true, do: [{ delay: 20ms }, { say: report }] }
      - say: started
  - match: "^numbers"
    do: [{ say: 42 }, { when: { text: "{{text}}", matches: "x", then: [{ say: yes }], else: [{ say: "no" }] } }]
"#;

fn check(text: &str, expected: &[&str]) {
    let end = Stage::new(SCRIPT).once(text);
    assert_eq!(outline(&end.lines), expected, "{}", end.stderr);
    assert!(end.status.success());
}

#[test]
fn a_reply_has_the_lines_of_the_real_cli() {
    check(
        "build 木",
        &[
            "init",
            "assistant: think hmm",
            "assistant: Building 木, turn 1",
            r#"assistant: use Bash {"command":"make 木"}"#,
            "user: result a.txt",
            "assistant: again",
            "assistant: again",
            "result completed: again",
        ],
    );
}

#[test]
fn without_a_default_the_text_comes_back() {
    check(
        "ünï {{turn}} $1\n\"x\"",
        &["init", "assistant: ünï {{turn}} $1\n\"x\"", "result completed: ünï {{turn}} $1\n\"x\""],
    );
}

#[test]
fn numbers_are_text_and_branches_are_taken() {
    check("numbers", &["init", "assistant: 42", "assistant: no", "result completed: no"]);
}

#[test]
fn commands_run_and_files_are_written_below_the_working_directory() {
    let stage = Stage::new(SCRIPT);
    let end = stage.once("run");
    let lines = outline(&end.lines);
    assert_eq!(lines[2], "user: error Exit code 3\nhi");
    assert!(lines[4].starts_with("user: result File created successfully at: "), "{}", lines[4]);
    assert_eq!(lines[6], "user: error cannot write ../a.txt: it is not below the working directory");
    assert_eq!(std::fs::read_to_string(stage.path("work/src/a.txt")).unwrap(), "hi");
    assert!(!stage.path("a.txt").exists());
}

#[test]
fn streamed_text_comes_in_pieces_and_then_whole() {
    let lines = Stage::new(SCRIPT).once("stream").lines;
    let pieces: Vec<&str> = lines.iter().filter_map(|line| line["event"]["delta"]["text"].as_str()).collect();
    assert_eq!(pieces, ["żółw ü", "ber al", "les"]);
    assert_eq!(outline(&lines)[6], "assistant: żółw über alles");
    assert_eq!(lines.last().unwrap()["result"], "żółw über alles");
}

#[test]
fn a_message_with_a_uuid_is_followed_through_its_life() {
    let stage = Stage::new(SCRIPT);
    let mut agent = stage.start(&[]);
    let content = json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]);
    agent.send(&json!({"type": "user", "uuid": "u1", "message": {"role": "user", "content": content}}).to_string());
    let lines = agent.end().lines;
    assert_eq!(
        outline(&lines),
        [
            "lifecycle queued",
            "lifecycle started",
            "init",
            "assistant: one\ntwo",
            "result completed: one\ntwo",
            "lifecycle completed"
        ]
    );
    assert_eq!(lines[4]["user_message_uuids"], json!(["u1"]));
}

#[test]
fn a_resumed_conversation_goes_on_where_it_was() {
    let stage = Stage::new(SCRIPT);
    for (flag, turn, cost) in [("--session-id", 1, 0.25), ("--resume", 2, 0.5), ("--resume", 3, 0.75)] {
        let mut agent = stage.start(&[flag, ID]);
        agent.tell("build it");
        let lines = agent.end().lines;
        assert_eq!(outline(&lines)[2], format!("assistant: Building it, turn {turn}"));
        let result = lines.last().unwrap();
        assert_eq!(result["total_cost_usd"], cost);
        assert_eq!(result["usage"]["input_tokens"], 10);
        assert_eq!(result["modelUsage"]["scripted-1"]["inputTokens"], 10 * turn);
        assert_eq!(result["session_id"], ID);
    }
    assert_eq!(stage.journal()[2], json!({"turn": 3, "uuid": null, "text": "build it"}));
}

#[test]
fn a_subagent_in_the_foreground() {
    check(
        "spawn",
        &[
            "init",
            r#"assistant: use Agent {"description":"look","prompt":"look","run_in_background":false,"subagent_type":"explorer"}"#,
            "task_started",
            "sub user: look",
            "sub assistant: use Read {}",
            "sub user: result done",
            "task_progress",
            "task_updated",
            "task_notification",
            r#"user: result [{"text":"[Subagent hand-back] The text below is the final report of a subagent this session delegated to.\nfound","type":"text"}]"#,
            "assistant: it found",
            "result completed: it found",
        ],
    );
}

#[test]
fn a_subagent_in_the_background_starts_a_turn_of_its_own() {
    let end = Stage::new(SCRIPT).once("background");
    let lines = outline(&end.lines);
    assert_eq!(
        lines[5..],
        [
            "assistant: started",
            "result completed: started",
            "sub assistant: report",
            "task_updated",
            "task_notification",
            "background_tasks_changed",
            "init",
            "assistant: Background agent finished: report",
            "result completed: Background agent finished: report",
        ]
    );
    assert_eq!(end.lines[2]["tasks"].as_array().unwrap().len(), 1);
    assert_eq!(end.lines[10]["tasks"], json!([]));
    assert_eq!(end.lines[13]["origin"]["kind"], "task-notification");
}

#[test]
fn a_message_does_not_wait_for_background_work() {
    let stage = Stage::new(
        "replies: [{match: go, do: [{subagent: {prompt: p, background: true, do: [{delay: 1m}, {say: late}]}}, {say: started}]}]",
    );
    let mut agent = stage.start(&[]);
    agent.tell("go");
    agent.until("result");
    agent.tell("meanwhile");
    assert_eq!(agent.until("result")["result"], "meanwhile");
    agent.request("r", json!({"subtype": "interrupt"}));
    assert_eq!(agent.until("task_notification")["status"], "stopped");
}
