use serde_json::{Value, json};

use super::agent::{Agent, Stage, outline};

const SCRIPT: &str = r#"
replies:
  - match: permission
    do:
      - permission:
          tool: Bash
          input: { command: "rm -rf build" }
          then: [{ say: "ran {{input.command}}" }]
          denied: [{ say: "kept: {{message}}" }]
  - match: command
    do: [{ permission: { tool: Bash, input: { command: "false" }, run: true, then: [{ say: "{{result}}" }] } }]
  - match: question
    do:
      - ask: { question: "Which colour?", header: Colour, options: [Red, { label: Blue, description: cold }], denied: [{ say: shrug }] }
      - say: "<{{answer}}>"
  - match: tool
    do: [{ mcp: { server: iris, tool: team_tell, arguments: { to: "{{text}}" } } }, { say: "{{result}}" }]
"#;

fn asked(stage: &Stage, text: &str) -> (Agent, Value) {
    let mut agent = stage.start(&[]);
    agent.tell(text);
    let request = agent.until("control_request");
    (agent, request)
}

fn check(text: &str, answer: Value, expected: &[&str]) -> Value {
    let stage = Stage::new(SCRIPT);
    let (mut agent, request) = asked(&stage, text);
    agent.answer(&request, answer);
    let mut lines = agent.all_until("result");
    assert_eq!(outline(&lines), expected);
    lines.pop().unwrap()
}

#[test]
fn permission_is_asked_in_the_words_of_the_real_cli() {
    let (mut agent, request) = asked(&Stage::new(SCRIPT), "permission");
    assert_eq!(request["request"]["tool_name"], "Bash");
    assert_eq!(request["request"]["input"], json!({"command": "rm -rf build"}));
    assert_eq!(request["request"]["description"], "rm -rf build");
    agent.close();
    let denied = "Tool permission request failed: AbortError: Tool permission stream closed before response received";
    assert_eq!(outline(&agent.all_until("result"))[0], format!("user: error {denied}"));
}

#[test]
fn permission_granted_denied_or_changed() {
    check(
        "permission",
        json!({"behavior": "allow"}),
        &["user: result done", "assistant: ran rm -rf build", "result completed: ran rm -rf build"],
    );
    check(
        "permission",
        json!({"behavior": "allow", "updatedInput": {"command": "ls"}}),
        &["user: result done", "assistant: ran ls", "result completed: ran ls"],
    );
    let result = check(
        "permission",
        json!({"behavior": "deny", "message": "not today"}),
        &["user: error not today", "assistant: kept: not today", "result completed: kept: not today"],
    );
    assert_eq!(result["permission_denials"][0]["tool_input"]["command"], "rm -rf build");
    check(
        "command",
        json!({"behavior": "allow", "updatedInput": {"command": "echo $((6*7))"}}),
        &["user: result 42", "assistant: 42", "result completed: 42"],
    );
}

#[test]
fn a_denial_that_interrupts_ends_the_turn() {
    let stage = Stage::new(SCRIPT);
    let (mut agent, request) = asked(&stage, "permission");
    agent.answer(&request, json!({"behavior": "deny", "message": "stop", "interrupt": true}));
    let result = agent.until("result");
    assert_eq!(result["terminal_reason"], "aborted_tools");
    assert_eq!(result["is_error"], true);
}

#[test]
fn questions_are_answered_freely_or_not_at_all() {
    let answers = |answer: &str| json!({"behavior": "allow", "updatedInput": {"answers": {"Which colour?": answer}}});
    check(
        "question",
        answers("Blue"),
        &[
            "user: result Your questions have been answered: \"Which colour?\"=\"Blue\". You can now continue with these answers in mind.",
            "assistant: <Blue>",
            "result completed: <Blue>",
        ],
    );
    let result = check(
        "question",
        answers("neither"),
        &[
            "user: result The user answered: \"Which colour?\"=\"neither\". Read the answers carefully — they may request clarification, changes, or that you not proceed — and follow what they actually say.",
            "assistant: <neither>",
            "result completed: <neither>",
        ],
    );
    assert_eq!(result["num_turns"], 2);
    check(
        "question",
        json!({"behavior": "deny", "message": "away"}),
        &["user: error away", "assistant: shrug", "assistant: <>", "result completed: <>"],
    );
}

#[test]
fn an_interrupt_withdraws_the_question() {
    let stage = Stage::new(SCRIPT);
    let (mut agent, request) = asked(&stage, "question");
    agent.request("i", json!({"subtype": "interrupt"}));
    let lines = agent.all_until("result");
    assert_eq!(lines[0], json!({"type": "control_cancel_request", "request_id": request["request_id"]}));
    assert_eq!(lines[1]["response"]["request_id"], "i");
    assert_eq!(lines.last().unwrap()["terminal_reason"], "aborted_tools");
    agent.tell("still there?");
    assert_eq!(agent.until("result")["result"], "still there?");
}

#[test]
fn the_host_s_own_tools_are_called_after_a_handshake() {
    let stage = Stage::new(SCRIPT);
    let mut agent = stage.start(&[]);
    agent.request("1", json!({"subtype": "initialize", "sdkMcpServers": ["iris"]}));
    assert_eq!(agent.until("control_response")["response"]["response"]["claude_code_version"], "scripted");
    agent.tell("tool");
    for (method, result) in [
        ("initialize", json!({})),
        ("notifications/initialized", json!({})),
        ("tools/list", json!({"tools": []})),
        ("tools/call", json!({"content": [{"type": "text", "text": "told"}]})),
    ] {
        let request = agent.until("control_request");
        let message = &request["request"]["message"];
        assert_eq!(message["method"], method);
        if method == "tools/call" {
            assert_eq!(message["params"]["arguments"], json!({"to": "tool"}));
        }
        let response = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        agent.answer(&request, json!({"mcp_response": response}));
    }
    assert_eq!(agent.until("result")["result"], "told");
}

#[test]
fn a_server_the_host_did_not_name_has_no_tools() {
    let lines = outline(&Stage::new(SCRIPT).once("tool").lines);
    assert_eq!(lines[2], "user: error Error: No such tool available: mcp__iris__team_tell");
}
