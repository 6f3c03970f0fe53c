//! `iris detect`: texts on stdin, no daemon.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::daemon::Place;

struct Answer {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn detect(place: &Place, words: &[&str], input: &str) -> Answer {
    let words: Vec<&str> = std::iter::once("detect").chain(words.iter().copied()).collect();
    let mut child = place
        .command(&words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("iris starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // It may end before it has read everything, when a line is wrong.
    stdin.write_all(input.as_bytes()).ok();
    drop(stdin);
    let output = child.wait_with_output().expect("iris ends");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Answer { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

#[test]
fn one_text_for_people_and_for_machines() {
    let place = Place::empty();
    let text = "Tests pass.\n\nShould I push it, or wait for the review?\n";
    insta::assert_snapshot!("detect_ask", detect(&place, &[], text).stdout);
    insta::assert_snapshot!("detect_offer", detect(&place, &[], "Done. Let me know if you need more.").stdout);
    insta::assert_snapshot!("detect_nothing", detect(&place, &[], "Done.").stdout);
    let found: Value = serde_json::from_str(&detect(&place, &["--json"], text).stdout).expect("JSON");
    assert_eq!(found["needsAnswer"], json!(true));
    assert_eq!(found["kind"], json!("choice"));
    let question = "Should I push it, or wait for the review?";
    assert_eq!(found["question"], json!({"start": 13, "end": 13 + question.len(), "text": question}));
    assert_eq!(found["options"], json!(["push it", "wait for the review"]));
    assert!(found.get("id").is_none());
}

#[test]
fn many_lines_are_answered_one_by_one() {
    let place = Place::empty();
    let input = "{\"id\":1,\"text\":\"要我继续吗？\"}\n\n{\"id\":\"b\",\"text\":\"Fertig.\"}\n{\"id\":3}\n{\"id\":4,\"text\":\"x\"}\n";
    let answer = detect(&place, &["--jsonl"], input);
    let lines: Vec<Value> =
        answer.stdout.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    assert_eq!(lines.len(), 4, "a line that is wrong keeps no other from its answer: {}", answer.stdout);
    assert_eq!((&lines[0]["id"], &lines[0]["needsAnswer"]), (&json!(1), &json!(true)));
    assert_eq!(lines[0]["question"], json!({"start": 0, "end": 6, "text": "要我继续吗？"}));
    assert_eq!((&lines[1]["id"], &lines[1]["question"]), (&json!("b"), &Value::Null));
    assert_eq!((&lines[2]["id"], &lines[2]["line"]), (&json!(3), &json!(4)), "{}", lines[2]);
    assert!(lines[2]["error"].as_str().expect("why").contains("missing field `text`"), "{}", lines[2]);
    assert_eq!((&lines[3]["id"], &lines[3]["needsAnswer"]), (&json!(4), &json!(false)));
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("line 4: missing field `text`"), "{}", answer.stderr);
}

#[test]
fn a_line_that_is_no_object_is_refused_in_words_and_half_a_character_is_read_as_one_that_cannot_be() {
    let place = Place::empty();
    let input = "[1,\"Shall I push?\"]\n\"Shall I push?\"\nShall I push?\n{\"id\":\"h\",\"text\":\"a\\ud800\"}\n\
                 {\"text\":\"\\ud800\",\"id\":5}\n{\"id\":6,\"text\":7}\n";
    let answer = detect(&place, &["--jsonl"], input);
    let lines: Vec<Value> =
        answer.stdout.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    assert_eq!(lines.len(), 6, "{}", answer.stdout);
    for (at, line) in lines[..3].iter().enumerate() {
        assert_eq!(*line, json!({"id": null, "line": at + 1, "error": "it is no JSON object"}));
    }
    let ids: Vec<_> = lines[3..].iter().map(|line| (&line["id"], line["error"].is_string())).collect();
    assert_eq!(ids, [(&json!("h"), false), (&json!(5), false), (&json!(6), true)], "{}", answer.stdout);
    assert!(!answer.stdout.contains("struct"), "{}", answer.stdout);
    let cut = r#"{"id":1,"text":"C:\\udir \ud83d\ude00 Shall I push? \ud83d"}"#;
    let found: Value = serde_json::from_str(&detect(&place, &["--jsonl"], cut).stdout).expect("a line is JSON");
    assert_eq!((&found["needsAnswer"], &found["error"]), (&json!(true), &json!(null)), "{found}");
    assert_eq!(found["question"]["text"].as_str().map(|text| text.contains("Shall I push?")), Some(true), "{found}");
}

#[test]
fn a_mark_at_the_beginning_of_a_file_costs_no_line() {
    let place = Place::empty();
    let answer =
        detect(&place, &["--jsonl"], "\u{feff}{\"id\":1,\"text\":\"Shall I push?\"}\n{\"id\":2,\"text\":\"x\"}\n");
    let ids: Vec<Value> =
        answer.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["id"].clone()).collect();
    assert_eq!((ids, answer.code), (vec![json!(1), json!(2)], Some(0)), "{}", answer.stderr);
}

#[test]
fn the_config_has_a_say() {
    let place = Place::empty();
    let config = |text: &str| place.configure(&format!("settings:\n  agent:\n    completionAnalysis:\n      {text}\n"));
    config("questionPatterns: ['over to you']");
    assert!(detect(&place, &["--json"], "All set. Over to you now.").stdout.contains("\"needsAnswer\":true"));
    config("minConfidence: 1");
    assert!(detect(&place, &["--json"], "Shall I push?").stdout.contains("\"needsAnswer\":false"));
    config("questionPatterns: ['(']");
    let answer = detect(&place, &[], "Shall I push?");
    assert_eq!(answer.code, Some(2));
    assert!(answer.stderr.contains("questionPatterns: '(' is not a pattern"), "{}", answer.stderr);
}
