//! The commands: what a person types. The inbox that lives on a terminal is in it/monitor.

use std::process::Command;

use serde_json::{Value, json};

use super::{asking, question_id};
use crate::world::{World, id};

fn iris(world: &World, words: &[&str]) -> (bool, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_iris")).args(words).env("IRIS_HOME", world.path()).output();
    let run = run.expect("it runs");
    let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    (run.status.success(), said)
}

#[tokio::test]
async fn a_question_is_seen_and_answered_by_commands() {
    let world = asking();
    let told = world.tell_async("user", "permit echo hidden\u{202e} >> ran.txt").await;
    let question = world.open_question().await;
    let (_, inbox) = iris(&world, &["inbox", "--once"]);
    assert!(inbox.contains("May it use Bash?") && inbox.contains("| command: echo hidden"), "{inbox}");
    assert!(inbox.contains("risk high: it holds characters that cannot be seen"), "{inbox}");
    assert!(inbox.contains("\\u{202e}") && !inbox.contains('\u{202e}'), "nothing hides: {inbox}");
    let short = &question_id(&question)[..36];
    let edit = r#"{"command":"echo seen >> ran.txt"}"#;
    let (done, said) = iris(&world, &["answer", short, "yes", "--edit", edit, "--remember", "1h"]);
    assert!(done && said.contains("alpha goes on"), "{said}");
    assert_eq!(world.ended(id(&told)).await["response"], "ran");
    assert_eq!(std::fs::read_to_string(world.path().join("projects/alpha/ran.txt")).expect("it ran"), "seen\n");
    let (done, said) = iris(&world, &["answer", short, "no"]);
    assert!(!done && said.contains("superseded"), "{said}");
    let (_, rules) = iris(&world, &["rules", "list"]);
    assert!(rules.contains("echo seen") && rules.contains("deed"), "{rules}");
    let listed: Value = serde_json::from_str(&iris(&world, &["rules", "list", "--json"]).1).expect("JSON");
    let rule = listed["rules"][0]["id"].as_str().expect("an id");
    assert!(iris(&world, &["rules", "revoke", rule]).0);
    assert!(!iris(&world, &["rules", "revoke", rule]).0, "once");
}

#[tokio::test]
async fn a_job_is_started_shown_and_stopped_by_commands() {
    let world = asking();
    let (done, said) = iris(&world, &["jobs", "start", "alpha", "ask", "--json"]);
    assert!(done, "{said}");
    let job: Value = serde_json::from_str(&said).expect("JSON");
    let job = job["id"].as_str().expect("an id");
    world.open_question().await;
    let (_, shown) = iris(&world, &["jobs", "show", job]);
    assert!(shown.contains("waiting_for_input") && shown.contains("Which colour?"), "{shown}");
    assert!(iris(&world, &["jobs", "list"]).1.contains("waiting_for_input"));
    assert!(iris(&world, &["jobs", "stop", job]).0);
    let (done, said) = iris(&world, &["jobs", "stop", job]);
    assert!(!done && said.contains("stopped already"), "{said}");
    assert!(iris(&world, &["inbox", "--once"]).1.contains("nobody waits for you"));
    assert!(iris(&world, &["jobs", "start", "nobody", "x"]).1.contains("nobody"), "an unknown team is named");
}
