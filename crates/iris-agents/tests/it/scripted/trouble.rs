use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use super::agent::{Stage, outline};

fn once(steps: &str) -> super::agent::End {
    Stage::new(&format!("default:\n{steps}")).once("go")
}

#[test]
fn api_errors_and_retries() {
    let end = once("  - api_error: { status: 529, retries: 2, message: Overloaded, delay: 1ms }");
    assert_eq!(
        outline(&end.lines),
        [
            "init",
            "api_retry",
            "api_retry",
            "assistant: API Error: 529 Overloaded",
            "result api_error: API Error: 529 Overloaded"
        ]
    );
    assert_eq!(end.lines[1]["error_status"], 529);
    let result = &end.lines[4];
    assert_eq!((&result["is_error"], &result["subtype"]), (&true.into(), &"success".into()));
    assert_eq!(result["api_error_status"], 529);
    assert_eq!(end.status.code(), Some(1));

    let end = once("  - retry: { status: 500, times: 2 }\n  - say: ok");
    assert_eq!(outline(&end.lines), ["init", "api_retry", "api_retry", "assistant: ok", "result completed: ok"]);
    assert_eq!(end.status.code(), Some(0));
}

#[test]
fn crashes_leave_what_was_said() {
    let end = once("  - say: before\n  - crash: { signal: 9 }");
    assert_eq!(end.status.signal(), Some(9));
    assert_eq!(outline(&end.lines), ["init", "assistant: before"]);

    let end = once("  - stderr: oh no\n  - crash: { code: 3, half: true }");
    assert_eq!(end.status.code(), Some(3));
    assert_eq!(end.stderr, "oh no\n");
    assert_eq!(end.lines.len(), 2);
    assert!(end.lines[1].is_null(), "half a line is no JSON");
}

#[test]
fn garbage_is_passed_on_as_it_is() {
    let stage = Stage::new("default: [{ garbage: not json }, { garbage: { bytes: ff fe 00, newline: false } }]");
    let mut agent = stage.start(&[]);
    agent.tell("go");
    agent.line();
    assert_eq!(agent.raw(), b"not json\n");
    let mixed = agent.raw();
    assert_eq!(mixed[..3], [0xff, 0xfe, 0x00]);
    assert_eq!(mixed.last(), Some(&b'\n'));
}

#[test]
fn a_flood_is_complete_and_can_be_interrupted() {
    let end = once("  - flood: { messages: 10000, size: 200 }");
    assert_eq!(end.lines.len(), 10_002);
    for (number, line) in end.lines[1..10_001].iter().enumerate() {
        let text = line["message"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(text.len(), 200);
        assert!(text.starts_with(&format!("{} x", number + 1)));
    }

    let stage = Stage::new("default: [{ flood: { messages: 1000000000 } }]");
    let mut agent = stage.start(&[]);
    agent.tell("go");
    agent.until("init");
    agent.request("i", serde_json::json!({"subtype": "interrupt"}));
    assert_eq!(agent.until("result")["terminal_reason"], "aborted_streaming");
}

#[test]
fn a_long_line_has_the_length_asked_for() {
    let stage = Stage::new("default: [{ line: 1000000 }]");
    let mut agent = stage.start(&[]);
    agent.tell("go");
    agent.line();
    assert_eq!(agent.raw().len(), 1_000_000);
}

#[test]
fn termination_can_be_ignored() {
    let stage = Stage::new("replies: [{ match: ignore, do: [{ ignore_term: true }] }]");
    for (text, survives) in [("ignore", true), ("obey", false)] {
        let mut agent = stage.start(&[]);
        agent.tell(text);
        agent.until("result");
        let pid = agent.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        if survives {
            agent.tell("hello");
            agent.until("result");
        }
        let status = agent.end().status;
        assert_eq!(status.signal(), (!survives).then_some(15), "{text}");
    }
}

#[test]
fn a_process_left_behind_is_in_a_session_of_its_own() {
    let end = once("  - fork: { daemonise: true, sleep: 600 }\n  - say: \"{{result}}\"");
    let pid = end.lines[1]["message"]["content"][0]["text"].as_str().unwrap();
    // `setsid` needs a moment between being forked and being the leader of its session.
    let leads = || {
        let session = Command::new("ps").args(["-o", "sid=", "-p", pid]).output().unwrap();
        String::from_utf8_lossy(&session.stdout).trim() == pid
    };
    while !leads() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-KILL", pid]).status().unwrap().success());
}
