use serde_json::json;

use super::agent::{ID, Stage, outline};

const SCRIPT: &str = r#"
replies:
  - { match: wait, do: [{ say: waiting }, { delay: 1m }, { say: never }] }
  - { match: stream, do: [{ stream: { text: abcdef, chunk: 3, every: 1m } }] }
  - { match: run, do: [{ run: "echo started > mark; sleep 60" }] }
  - { match: hang, do: [{ hang: true }] }
  - { match: fail, do: [{ fail: "no good" }] }
  - { match: short, do: [{ delay: 100 }, { say: done }] }
"#;

#[test]
fn initialize_is_the_ready_signal_and_unknown_requests_are_refused() {
    let stage = Stage::new(SCRIPT);
    let mut agent = stage.start(&["--session-id", ID]);
    agent.request("1", json!({"subtype": "initialize"}));
    let ready = agent.line();
    assert_eq!(ready["response"]["request_id"], "1");
    assert_eq!(ready["response"]["response"]["pid"], agent.child.id());
    agent.request("2", json!({"subtype": "bogus"}));
    assert_eq!(
        agent.line()["response"],
        json!({
            "subtype": "error", "request_id": "2", "error_code": "unsupported_request",
            "error": "Unsupported control request subtype: bogus",
        })
    );
    agent.request("3", json!({"subtype": "set_permission_mode", "mode": "plan"}));
    assert_eq!(agent.until("status")["permissionMode"], "plan");
    agent.request("4", json!({"subtype": "interrupt"}));
    assert_eq!(agent.line()["response"]["response"], json!({"still_queued": []}));
    agent.send("");
    agent.send(r#"{"type":"keep_alive"}"#);
    agent.request("5", json!({"subtype": "end_session"}));
    assert_eq!(outline(&agent.all_until("control_response")), ["response success"]);
    assert_eq!(agent.end().status.code(), Some(0));
}

#[test]
fn an_interrupt_ends_every_kind_of_wait() {
    for (text, aborted) in [
        ("wait", "aborted_streaming"),
        ("stream", "aborted_streaming"),
        ("hang", "aborted_streaming"),
        ("run", "aborted_tools"),
    ] {
        let stage = Stage::new(SCRIPT);
        let mut agent = stage.start(&[]);
        agent.tell(text);
        agent.until("init");
        while text == "run" && !stage.path("work/mark").exists() {
            std::thread::yield_now();
        }
        agent.request("i", json!({"subtype": "interrupt"}));
        let lines = agent.all_until("result");
        let result = lines.last().unwrap();
        assert_eq!(result["terminal_reason"], aborted, "{text}");
        assert_eq!(result["subtype"], "error_during_execution", "{text}");
        assert!(result.get("result").is_none(), "{text}");
        if text == "stream" {
            let partial = lines.iter().find(|line| line["aborted"] == true).unwrap();
            assert_eq!(partial["message"]["content"][0]["text"], "abc");
        }
        agent.tell("on");
        assert_eq!(agent.until("result")["result"], "on");
    }
}

#[test]
fn messages_sent_during_a_turn_get_turns_of_their_own() {
    let stage = Stage::new(SCRIPT);
    let mut agent = stage.start(&["--session-id", ID]);
    let message = |uuid: &str, text: &str| {
        json!({"type": "user", "uuid": uuid, "message": {"role": "user", "content": text}}).to_string()
    };
    agent.send(&message("a", "wait"));
    agent.until("assistant");
    agent.send(&message("b", "second"));
    assert_eq!(agent.line()["state"], "queued");
    agent.request("i", json!({"subtype": "interrupt"}));
    assert_eq!(agent.line()["response"]["response"]["still_queued"], json!(["b"]));
    assert_eq!(agent.until("result")["user_message_uuids"], json!(["a"]));
    let second = agent.until("result");
    assert_eq!(second["result"], "second");
    assert_eq!(second["user_message_uuids"], json!(["b"]));
    assert_eq!(stage.journal().len(), 2);
}

#[test]
fn the_end_of_input_lets_the_turn_finish() {
    for (text, code, last) in [("short", 0, "done"), ("fail", 1, "no good")] {
        let end = Stage::new(SCRIPT).once(text);
        assert_eq!(end.status.code(), Some(code));
        assert_eq!(end.lines.last().unwrap()["result"], last);
    }
    let stage = Stage::new(SCRIPT);
    let end = stage.start(&["--session-id", ID]).end();
    assert_eq!((end.status.code(), end.lines.len()), (Some(0), 0));
    assert!(!stage.path("state").exists(), "an id that was sent nothing stays free");
}

#[test]
fn ids_are_used_once_and_resumed_only_when_known() {
    let stage = Stage::new(SCRIPT);
    let unknown = stage.start(&["--resume", ID]).end();
    let told = format!("No conversation found with session ID: {ID}");
    assert_eq!(unknown.stderr.trim(), told);
    assert_eq!(unknown.lines[0]["errors"], json!([told]));
    assert_eq!(unknown.status.code(), Some(1));

    let mut first = stage.start(&["--session-id", ID]);
    first.tell("hello");
    first.end();
    let second = stage.start(&["--session-id", ID]).end();
    assert_eq!(second.stderr.trim(), format!("Error: Session ID {ID} is already in use."));
    assert_eq!((second.status.code(), second.lines.len()), (Some(1), 0));
}

#[test]
fn a_line_that_is_no_json_kills() {
    let stage = Stage::new(SCRIPT);
    let mut agent = stage.start(&[]);
    agent.send("this is not json");
    let end = agent.end();
    assert_eq!(end.stderr.trim(), "Error parsing streaming input line (type=unknown, 16 chars): SyntaxError");
    assert_eq!((end.status.code(), end.lines.len()), (Some(1), 0));
}

#[test]
fn a_start_can_fail_or_stay_silent() {
    let end = Stage::new("start: { delay: 5ms, exit: { code: 7, stderr: no licence } }").start(&[]).end();
    assert_eq!((end.status.code(), end.stderr.trim()), (Some(7), "no licence"));
    let stage = Stage::new("start: { silent: true }");
    let mut agent = stage.start(&[]);
    agent.request("1", json!({"subtype": "initialize"}));
    assert_eq!(agent.end().lines.len(), 0);
}

#[test]
fn a_wrong_script_is_told_with_its_place() {
    let stage = Stage::new("default:\n  - say: hello\n    delay: 5\n");
    let end = stage.start(&[]).end();
    let place = format!("Error: {}:3:5: ", stage.path("script.yaml").display());
    assert!(end.stderr.starts_with(&place), "{}", end.stderr);
    assert_eq!(end.status.code(), Some(1));
}
