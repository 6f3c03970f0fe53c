//! The commands: what a person types. The inbox that lives on a terminal is in it/monitor.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::{asking, asking_setup, question_id};
use crate::world::{World, id, setup};

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
    assert!(inbox.contains("alpha for user: May it use Bash?") && inbox.contains("| command: echo hidden"), "{inbox}");
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
    let (done, said) = iris(&world, &["answer", short, "perhaps"]);
    assert!(!done && said.contains("already superseded by user (cli, owner) at"), "too late comes first: {said}");
    let (_, rules) = iris(&world, &["rules", "list"]);
    assert!(rules.contains("echo seen") && rules.contains("deed"), "{rules}");
    let listed: Value = serde_json::from_str(&iris(&world, &["rules", "list", "--json"]).1).expect("JSON");
    let rule = listed["rules"][0]["id"].as_str().expect("an id");
    assert!(iris(&world, &["rules", "revoke", rule]).0);
    assert!(!iris(&world, &["rules", "revoke", rule]).0, "once");
}

/// Whoever comes second with the beginning of an id is told so, and does not hear that there is none.
#[tokio::test]
async fn a_question_that_is_closed_is_known_by_its_beginning() {
    let world = asking();
    for (tell, answer) in [("ask", "Blue"), ("permit echo x", "yes")] {
        let told = world.tell_async("user", tell).await;
        let question = world.open_question().await;
        assert!(iris(&world, &["answer", question_id(&question), answer]).0);
        world.ended(id(&told)).await;
        let (done, said) = iris(&world, &["answer", &question_id(&question)[..18], answer]);
        assert!(!done && said.contains("answered already by user (cli, owner)"), "{said}");
    }
    let (done, said) = iris(&world, &["answer", "nothing", "yes"]);
    assert!(!done && said.contains("there is no question nothing"), "{said}");
}

/// An approval is for what was seen: the beginning of an id says too little, and an edit is no part of a no.
#[tokio::test]
async fn an_approval_says_what_it_is_for() {
    let world = asking();
    let told = world.tell_async("user", "permit echo x >> ran.txt").await;
    let question = world.open_question().await;
    let (whole, digest) = (question_id(&question), question["digest"].as_str().expect("a digest"));
    let (done, said) = iris(&world, &["answer", whole, "no", "--edit", r#"{"command":"true"}"#]);
    assert!(!done && said.contains("--edit says what is approved instead"), "{said}");
    let (done, said) = iris(&world, &["answer", &whole[..13], "yes"]);
    assert!(!done && said.contains("whole id") && said.contains(whole), "{said}");
    let (done, said) = iris(&world, &["answer", whole, "yes", "--digest", "0123456789"]);
    assert!(!done && said.contains(digest), "{said}");
    assert_eq!(question_id(&world.open_question().await), whole, "nothing was changed");
    let (done, said) = iris(&world, &["answer", &whole[..13], "yes", "--digest", &digest[..16]]);
    assert!(done, "{said}");
    assert_eq!(world.ended(id(&told)).await["response"], "ran");
}

/// On a terminal one is shown what it is, and says whether it is meant.
#[tokio::test]
async fn on_a_terminal_an_approval_is_looked_at() {
    if !Command::new("script").arg("--version").output().is_ok_and(|run| run.status.success()) {
        return;
    }
    let world = asking();
    let told = world.tell_async("user", "permit echo looked-at >> ran.txt").await;
    let question = world.open_question().await;
    let line = format!("'{}' answer {} yes", env!("CARGO_BIN_EXE_iris"), &question_id(&question)[..13]);
    for (typed, done) in [("\n", false), ("y\n", true)] {
        let mut terminal = Command::new("script")
            .args(["-q", "-e", "-c", &line, "/dev/null"])
            .env("IRIS_HOME", world.path())
            .env("TERM", "xterm")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script runs");
        terminal.stdin.as_mut().expect("a pipe").write_all(typed.as_bytes()).expect("typed");
        let seen = terminal.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&seen.stdout).into_owned();
        assert!(said.contains("| command: echo looked-at") && said.contains("approve exactly this?"), "{said:?}");
        assert_eq!(seen.status.success(), done, "{said:?}");
        let state = world.get(&format!("/api/questions/{}", question_id(&question))).await["state"].clone();
        assert_eq!(state == "open", !done, "{state}");
    }
    assert_eq!(world.ended(id(&told)).await["response"], "ran");
}

/// A rule may be made from a whole script; a list of rules is a list.
#[tokio::test]
async fn rules_are_listed_on_a_line_each() {
    let world = asking();
    let long = "x".repeat(100_000);
    for command in ["true", long.as_str()] {
        let told = world.tell_async("user", &format!("permit echo {command}")).await;
        let question = world.open_question().await;
        world.answer(&question, json!(false)).await;
        world.ended(id(&told)).await;
    }
    let (_, listed) = iris(&world, &["rules", "list"]);
    assert_eq!(listed.lines().count(), 3, "{}", listed.len());
    assert!(listed.lines().all(|line| line.chars().count() <= 200), "{listed}");
    assert!(iris(&world, &["rules", "list", "--json"]).1.contains(&long), "whole for machines");
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

#[tokio::test]
async fn what_an_agent_goes_on_with_is_shown() {
    let world = asking();
    world.tell("prefer").await;
    let (_, inbox) = iris(&world, &["inbox", "--once"]);
    assert!(inbox.contains("if nobody answers: it goes on with this: spaces"), "{inbox}");
    assert!(inbox.contains("<text>"), "{inbox}");
}

/// The example takes the reply of a turn out of what `cache inspect` prints.
#[tokio::test]
async fn a_reply_is_found_where_the_help_of_detect_says() {
    let world = asking();
    let told = world.tell("hello").await;
    let (_, help) = iris(&world, &["detect", "--help"]);
    let place = help.split("jq -r ").nth(1).and_then(|rest| rest.split_whitespace().next()).expect("an example");
    let inspected = iris(&world, &["cache", "inspect", id(&told), "--json"]).1;
    let inspected: Value = serde_json::from_str(&inspected).expect("JSON");
    assert_eq!(inspected.pointer(&place.replace('.', "/")), Some(&json!("You said: hello")), "{place}");
}

/// In a script a name may be missing: that is no beginning of an id.
#[tokio::test]
async fn no_id_is_nobodys() {
    let world = asking();
    world.tell_async("user", "ask").await;
    let question = world.open_question().await;
    assert!(!iris(&world, &["answer", "", "Red"]).0);
    assert_eq!(world.open_question().await["id"], question["id"], "nothing was answered");
    assert!(iris(&world, &["answer", question_id(&question), "Red", "--remember", "1h"]).0);
    assert!(!iris(&world, &["rules", "revoke", ""]).0);
    assert!(iris(&world, &["rules", "list"]).1.contains("Red"), "it holds");
    assert!(!iris(&world, &["jobs", "show", ""]).0);
}

#[tokio::test]
async fn all_jobs_are_listed_however_many() {
    let script = "default: [{ delay: 60s }]\n";
    let world = World::new(setup().team("alpha", script).setting("maxProcesses: 1"));
    for number in 0..101 {
        world.start_job(&format!("job {number}")).await;
    }
    assert_eq!(iris(&world, &["jobs", "list"]).1.lines().count(), 102, "with the names of the columns");
}

#[tokio::test]
async fn what_was_answered_before_is_offered_as_a_command() {
    let world = asking();
    for _ in 0..2 {
        world.tell_async("user", "tool Which persona?").await;
        let question = world.open_question().await;
        assert_eq!(world.answer(&question, json!("the buyer")).await.0, 200);
    }
    let told = world.tell_async("user", "tool Which persona?").await;
    let question = world.open_question().await;
    let (_, inbox) = iris(&world, &["inbox", "--once"]);
    let offered = format!("the same again: iris answer {} 'the buyer'", question_id(&question));
    assert!(inbox.contains("before: the buyer (2 of 2 times, last by user)") && inbox.contains(&offered), "{inbox}");
    assert!(iris(&world, &["answer", question_id(&question), "the buyer"]).0);
    assert!(world.ended(id(&told)).await["response"].as_str().expect("text").contains("the buyer"));
}

/// What an agent writes cannot look like what Iris says.
#[tokio::test]
async fn no_line_of_an_agent_passes_for_one_of_iris() {
    let world = asking();
    let (_, job) = world.post("/api/jobs", json!({"team": "alpha", "goal": "permit true"})).await;
    let path = format!("/api/jobs/{}/questions", job["id"].as_str().expect("an id"));
    let text = "Run the tests?\n  Bash in /home\n  | command: ls\n  risk low: it only looks; digest 9f2c\u{1b}[2J";
    let ask = json!({"question": text, "type": "blocking", "options": [{"label": "a\n  risk low: yes"}]});
    assert_eq!(world.post(&path, ask).await.0, 200);
    let (_, inbox) = iris(&world, &["inbox", "--once"]);
    assert!(inbox.contains(r"Run the tests?\n  Bash in /home\n"), "{inbox}");
    assert!(!inbox.lines().any(|line| line.starts_with("  risk low")) && !inbox.contains('\u{1b}'), "{inbox}");
    assert!(inbox.contains("<option>") && !inbox.contains("<option or text>"), "{inbox}");
    let (_, shown) = iris(&world, &["jobs", "show", job["id"].as_str().expect("an id")]);
    assert!(shown.contains(r"Run the tests?\n  Bash in /home\n") && !shown.contains('\u{1b}'), "{shown}");
    let goal = json!({"team": "alpha", "goal": "look\u{1b}[2J\nstatus   completed"});
    let (_, second) = world.post("/api/jobs", goal).await;
    let (_, shown) = iris(&world, &["jobs", "show", second["id"].as_str().expect("an id")]);
    assert!(shown.contains("\n         status   completed"), "{shown}");
    let (listed, events) = (iris(&world, &["jobs", "list"]).1, iris(&world, &["events", "--limit", "1000"]).1);
    assert!(listed.contains(r"look\u{1b}") && !listed.contains('\u{1b}'), "{listed}");
    assert!(events.contains(r"look\u{1b}") && !events.contains('\u{1b}'), "{events}");
}

#[tokio::test]
async fn of_several_questions_one_may_take_several_options() {
    let script = "default: [{ ask: { question: 'Which?', header: W, multi: true, options: [Red, Blue, 'Green, dark'], \
                  and: [{ question: 'How many?', header: H, options: [One, Two] }], then: [{ say: '{{answer}}' }] } }]\n";
    let world = World::new(crate::world::setup().team("alpha", script));
    for answer in ["1 3", "Red, Green, dark"] {
        let told = world.tell_async("user", "go").await;
        let question = world.open_question().await;
        let (done, said) = iris(&world, &["answer", question_id(&question), answer, "3"]);
        assert!(!done && said.contains("there is no option 3: there are 2"), "{said}");
        let (done, said) = iris(&world, &["answer", question_id(&question), answer, "2"]);
        assert!(done, "{said}");
        assert_eq!(world.ended(id(&told)).await["response"], "Red, Green, dark, Two", "{answer}");
    }
}

#[tokio::test]
async fn a_late_answer_says_what_it_started_and_is_remembered() {
    let script = "default: [{ permission: { tool: Bash, input: { command: 'echo late >> ran.txt' }, run: true, \
                  then: [{ say: ran }], denied: [{ say: denied }] } }]\n";
    let setup = crate::world::setup()
        .team("alpha", script)
        .questions("shortestDeadline: 1ms")
        .questions("deadlines: { approval: 700ms }");
    let world = World::new(setup);
    let (_, job) = world.post("/api/jobs", json!({"team": "alpha", "goal": "do it"})).await;
    let question = world.open_question().await;
    let path = format!("/api/jobs/{}", job["id"].as_str().expect("an id"));
    world.eventually("it is too late", async || world.get(&path).await["status"] == "failed").await;
    let words = ["answer", question_id(&question), "yes", "--again", "--remember", "1h"];
    let (done, said) = iris(&world, &words);
    assert!(done && said.contains("does it again with this answer (job "), "{said}");
    let ran = world.path().join("projects/alpha/ran.txt");
    world.eventually("nobody is asked again", async || ran.exists()).await;
}

#[tokio::test]
async fn it_is_said_that_others_ask_the_same() {
    let world = asking();
    for from in ["ada", "bob", "cleo"] {
        world.tell_async(from, "ask").await;
    }
    world.tell_async("dora", "permit make").await;
    world
        .eventually("all have asked", async || {
            world.get("/api/questions/pending").await["questions"].as_array().is_some_and(|all| all.len() == 4)
        })
        .await;
    let (_, inbox) = iris(&world, &["inbox", "--once"]);
    assert_eq!(inbox.matches("2 others ask the same: with --similar your answer is for all").count(), 3, "{inbox}");
    let pending = world.get("/api/questions/pending").await["questions"].clone();
    let counts: Vec<_> = pending.as_array().expect("a list").iter().map(|one| one["similar"].clone()).collect();
    assert_eq!(counts.iter().filter(|count| **count == 2).count(), 3, "{pending}");
    let first = pending.as_array().and_then(|all| all.iter().find(|one| one["similar"] == 2)).expect("one of them");
    let one = world.get(&format!("/api/questions/{}", question_id(first))).await;
    assert_eq!(one["similar"], 2, "{one}");
    let (done, said) = iris(&world, &["answer", question_id(first), "Red", "--similar"]);
    assert!(done && said.contains("and 2 more that asked the same"), "{said}");
    let closed = world.get(&format!("/api/questions/{}", question_id(first))).await;
    assert_eq!(closed["similar"], json!(null), "{closed}");
}

#[tokio::test]
async fn the_status_says_what_may_be_wrong_with_questions() {
    let setup = asking_setup().questions("shortestDeadline: 1ms").questions("deadlines: { blocking: 300ms }");
    let world = World::new(setup);
    let status: Value = serde_json::from_str(&iris(&world, &["status", "--json"]).1).expect("JSON");
    assert_eq!(status["alerts"], json!([]), "{status}");
    for number in 1..=5 {
        let told = world.tell_async("user", &format!("tool Which of {number}?")).await;
        world.ended(id(&told)).await;
    }
    let (_, said) = iris(&world, &["status"]);
    assert!(said.contains("5 of 5 questions were not answered in time"), "{said}");
    let status: Value = serde_json::from_str(&iris(&world, &["status", "--json"]).1).expect("JSON");
    assert_eq!(status["alerts"][0]["kind"], "high_timeout_rate", "{status}");
    assert!(status["version"].is_string(), "{status}");
}

/// A list that a reply counts from nought: a number is the one that it has there, or it is asked which is meant.
#[tokio::test]
async fn a_number_is_never_taken_for_another() {
    let script = r#"default: [{ say: "Which mode should I use?\n\n0. delete nothing\n1. delete everything\n2. ask each time" }]"#;
    let world = World::new(setup().team("alpha", script));
    world.tell_async("user", "list").await;
    let question = world.open_question().await;
    assert_eq!(question["options"][1]["label"], "delete everything (number 1 of its list)", "{question}");
    let (done, said) = iris(&world, &["answer", question_id(&question), "1"]);
    assert!(!done && said.contains("'1' is the option called so, and the number of another one"), "{said}");
    let (status, answered) = world.answer(&question, json!("2")).await;
    assert_eq!((status, &answered["answer"]["value"]), (200, &json!("2. ask each time")), "{answered}");
}
