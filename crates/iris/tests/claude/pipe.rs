//! What may come out of an agent's pipe besides what should. A stand-in for the CLI writes it: no real one would.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::json;

use crate::world::{World, setup};

/// Answers the greeting, then does to its pipe what it is told.
const STAND_IN: &str = r#"#!/usr/bin/env python3
import json, os, sys, time
out = sys.stdout.buffer
def say(*pieces):
    for piece in pieces:
        out.write(piece)
        out.flush()
        time.sleep(0.02)
def line(value):
    say(json.dumps(value).encode() + b"\n")
def result(text):
    line({"type": "result", "subtype": "success", "is_error": False, "result": text, "terminal_reason": "completed"})
for raw in sys.stdin:
    message = json.loads(raw)
    if message["type"] == "control_request":
        request = message["request_id"]
        line({"type": "control_response", "response": {"subtype": "success", "request_id": request, "response": {}}})
        if message["request"]["subtype"] == "end_session":
            sys.exit(0)
        continue
    word, _, amount = message["message"]["content"].partition(" ")
    if word == "garbage":
        say(b"\xff\xfe not json at all\n", b"\n", b"   \n", b'{"type": "assi')
        say(b'stant", "message": {"content": [{"type": "text", "text": "sp\xc3', b'\xa4t"}]}}\n')
        say(b'{"type": "assistant", "message": "a raw\nnewline"}\n')
        say(b'{"type": "something_new", "with": ["fields"]}\n', b'[1, 2]\n', b'{"no": "type"}\n')
    elif word == "long":
        say(b'{"type": "assistant", "padding": "')
        for _ in range(int(amount)):
            out.write(b"x" * 1000000)
        say(b'"}\n')
    elif word == "flood":
        piece = b'{"type": "keep_alive", "padding": "' + b"x" * 1000000 + b'"}\n'
        for _ in range(int(amount)):
            out.write(piece)
    elif word == "end":
        say(b'{"duration_api_ms": 1, "result": "')
        for _ in range(int(amount)):
            out.write(b"x" * 1000000)
        say(b'","type":"result","uuid":"1"}\n')
        continue
    elif word == "mute":
        sys.stderr.write("cannot write any more\n")
        sys.stderr.flush()
        os.close(1)
        time.sleep(600)
    elif word == "half":
        say(b'{"type": "assistant", "message": {"content": [{"type": "text", "text": "unfini')
        os._exit(5)
    result("done " + word)
"#;

struct Fake {
    world: World,
    _folder: tempfile::TempDir,
}

fn fake() -> Fake {
    let folder = tempfile::tempdir().expect("a folder");
    let program: PathBuf = folder.path().join("stand-in");
    std::fs::write(&program, STAND_IN).expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let setup = setup().claude_team("alpha", &program, "http://127.0.0.1:9", &[]);
    Fake { world: World::new(setup), _folder: folder }
}

#[tokio::test]
async fn garbage_is_kept_and_shown_and_never_fatal() {
    let Fake { world, .. } = &fake();
    let told = world.tell("garbage").await;
    assert_eq!((&told["status"], &told["response"]), (&json!("completed"), &json!("done garbage")), "{told}");
    let page = world.get(&format!("/api/turns/{}/messages", crate::world::id(&told))).await;
    let items = page["items"].as_array().expect("messages");
    let of = |kind: &str| -> Vec<&str> {
        items.iter().filter(|m| m["type"] == kind).map(|m| m["text"].as_str().unwrap_or_default()).collect()
    };
    assert_eq!(of("assistant"), ["spät"], "a letter in two pieces is one letter: {page}");
    assert!(of("unknown").contains(&"something_new"), "{page}");
    assert_eq!(of("garbage").len(), 5, "the bytes, two halves of a torn line, and two lines of no kind: {page}");

    let told = world.tell("half").await;
    assert_eq!((&told["status"], &told["exitCode"]), (&json!("terminated"), &json!(5)), "{told}");
    assert_eq!(world.tell("garbage").await["status"], "completed", "the next one starts anew");
}

/// A turn that has ended, and one that cannot come to an end any more, are not waited for.
#[tokio::test]
async fn an_end_that_cannot_be_read_is_an_end() {
    let Fake { world, .. } = &fake();
    let told = world.tell("end 70").await;
    assert_eq!(told["status"], "failed", "{told}");
    assert!(told["error"].to_string().contains("its answer was lost"), "{told}");
    let told = world.tell("mute").await;
    assert_eq!((&told["status"], &told["reason"]), (&json!("terminated"), &json!("exited")), "{told}");
    assert!(told["error"].to_string().contains("it closed its output and went on; Iris ended it"), "{told}");
}

/// 100 MB in one line, and more than that in all, pass through without piling up.
#[tokio::test]
async fn no_amount_of_output_piles_up() {
    let Fake { world, .. } = &fake();
    let told = world.tell("long 100").await;
    assert_eq!(told["response"], "done long", "{told}");
    let page = world.get(&format!("/api/turns/{}/messages", crate::world::id(&told))).await;
    assert!(page.to_string().contains("a line of 1000000"), "it is said that it was passed over: {page}");
    let before = world.daemon.memory().expect("readable");
    // In full with IRIS_TEST_LONG: 10 GB.
    let megabytes = if std::env::var_os("IRIS_TEST_LONG").is_some() { 10_000 } else { 500 };
    let (status, told) = world
        .post("/api/teams/tell", json!({"toTeam": "alpha", "message": format!("flood {megabytes}"), "timeout": 0}))
        .await;
    assert_eq!((status, &told["response"]), (200, &json!("done flood")), "{told}");
    let grown = world.daemon.memory().expect("readable").saturating_sub(before) / 1024 / 1024;
    assert!(grown < 50, "it grew by {grown} MB");
}
