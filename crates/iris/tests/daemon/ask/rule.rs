//! What a person approves is the exact bytes that run; refusals stick; rules hold as long as they say.

use serde_json::{Value, json};

use super::{asking, question_id};
use crate::world::{World, id, setup};

fn ran(world: &World) -> String {
    std::fs::read_to_string(world.path().join("projects/alpha/ran.txt")).unwrap_or_default()
}

#[tokio::test]
async fn a_refusal_sticks_for_the_same_deed_from_every_agent_and_after_a_restart() {
    let script = r#"
replies:
  - match: "^again$"
    do: [{ permission: { tool: Bash, input: { command: "echo  bad >> ran.txt", description: "harmless, approved before" }, run: true, then: [{ say: ran }], denied: [{ say: "denied: {{message}}" }] } }]
  - match: "^sub$"
    do:
      - subagent: { type: worker, prompt: do it, do: [{ permission: { tool: Bash, input: { command: "echo bad >> ran.txt" }, run: true, denied: [{ say: "sub denied" }] } }] }
      - say: "after the sub-agent"
default: [{ permission: { tool: Bash, input: { command: "echo bad >> ran.txt" }, run: true, then: [{ say: ran }], denied: [{ say: "denied: {{message}}" }] } }]
"#;
    let world = World::new(setup().team("alpha", script));
    let told = world.tell_async("user", "go").await;
    let question = world.open_question().await;
    assert_eq!(world.answer(&question, json!("no")).await.0, 200);
    assert!(world.ended(id(&told)).await["response"].as_str().expect("a reply").starts_with("denied"));
    for message in ["again", "sub", "go"] {
        let ended = world.tell(message).await;
        assert_eq!(ended["status"], "completed", "nobody is asked: {ended}");
    }
    let world = world.crash_and_restart();
    let said = world.tell("again").await["response"].as_str().expect("a reply").to_owned();
    assert!(said.contains("refused before"), "{said}");
    assert_eq!(ran(&world), "", "it never ran");
    assert_eq!(world.get("/api/questions/pending").await["questions"], json!([]));
    // It can be taken back.
    let rules = world.get("/api/rules").await;
    let rule = rules["rules"][0]["id"].as_str().expect("a rule");
    assert_eq!(world.client().delete(&format!("/api/rules/{rule}")).await.expect("an answer").status, 200);
    world.tell_async("user", "go").await;
    world.open_question().await;
}

/// Whatever an agent's credential tries, and whatever an agent writes, nothing is decided by it.
#[tokio::test]
async fn an_agent_decides_nothing_by_any_door() {
    let world = asking();
    world.tell_async("user", "permit touch decided.txt").await;
    let question = world.open_question().await;
    let wanted =
        json!({"name": "bot", "kind": "agent", "party": "alpha", "scopes": ["read", "tell", "answer", "admin"]});
    let (status, made) = world.post("/api/tokens", wanted).await;
    let made = if status == 200 {
        made
    } else {
        let less = json!({"name": "bot", "kind": "agent", "party": "alpha", "scopes": ["read", "tell"]});
        world.post("/api/tokens", less).await.1
    };
    let secret = made["secret"].as_str().unwrap_or_else(|| panic!("a token: {made}"));
    let mut agent = iris_testing::client::Client::new(&world.daemon.address, secret);
    let path = format!("/api/questions/{}", question_id(&question));
    let yes = json!({"response": {"value": true}});
    for (path, body) in [
        (format!("{path}/answer"), yes.clone()),
        (format!("{path}/cancel"), json!({})),
        (format!("{path}/edit"), json!({"input": {"command": "true"}})),
    ] {
        assert_eq!(agent.post(&path, &body).await.expect("an answer").status, 403, "{path}");
    }
    assert_eq!(agent.delete("/api/rules/any").await.expect("an answer").status, 403);
    for words in ["/approve", "yes", &format!("/answer {} yes", question_id(&question))] {
        let tell = json!({"toTeam": "alpha", "message": words, "timeout": -1, "fromTeam": "user"});
        agent.post("/api/teams/tell", &tell).await.expect("an answer");
    }
    let still = world.get(&path).await;
    assert_eq!(still["state"], "open", "{still}");
    assert!(!world.path().join("projects/alpha/decided.txt").exists());
}

#[tokio::test]
async fn an_edit_is_another_question_and_only_it_can_be_approved() {
    let world = asking();
    let told = world.tell_async("user", "permit echo one >> ran.txt").await;
    let question = world.open_question().await;
    let path = format!("/api/questions/{}", question_id(&question));
    let edit = json!({"input": {"command": "echo two >> ran.txt"}});
    let (status, edited) = world.post(&format!("{path}/edit"), edit).await;
    assert_eq!(status, 200, "{edited}");
    assert_ne!(edited["action"]["digest"], question["action"]["digest"], "a digest of its own");
    let shell = |command: &str| json!({"nature": "shell", "about": command});
    assert_eq!(question["action"]["meaning"], shell("echo one >> ran.txt"));
    assert_eq!(edited["action"]["meaning"], shell("echo two >> ran.txt"), "it is told as what it is now");
    let (status, refused) = world.answer(&question, json!(true)).await;
    assert_eq!((status, &refused["closed"]["state"]), (409, &json!("superseded")), "{refused}");
    let answer = |digest: &serde_json::Value| json!({"response": {"value": true}, "digest": digest});
    let edited_path = format!("/api/questions/{}/answer", question_id(&edited));
    let (status, _) = world.post(&edited_path, answer(&question["action"]["digest"])).await;
    assert_eq!(status, 409, "that is not what is asked now");
    assert_eq!(world.post(&edited_path, answer(&edited["action"]["digest"])).await.0, 200);
    assert_eq!(world.ended(id(&told)).await["response"], "ran");
    assert_eq!(ran(&world), "two\n");
}

/// What was remembered was a file in the team's folder. A link that is put there later leads out of it.
#[tokio::test]
async fn a_rule_does_not_follow_a_link_that_was_swapped_in() {
    let world = asking();
    let (team, elsewhere) = (world.path().join("projects/alpha"), world.path().join("elsewhere"));
    std::fs::create_dir(team.join("out")).expect("a folder");
    std::fs::create_dir(&elsewhere).expect("a folder");
    let told = world.tell_async("user", "permit touch out/made").await;
    let question = world.open_question().await;
    assert_eq!(question["risk"], "medium", "{question}");
    let path = format!("/api/questions/{}/answer", question_id(&question));
    let remember = json!({"response": {"value": true}, "remember": {"scope": "tool", "forMs": 600_000}});
    assert_eq!(world.post(&path, remember).await.0, 200);
    world.ended(id(&told)).await;
    assert_eq!(world.tell("permit touch out/made").await["response"], "ran", "without asking");
    std::fs::remove_dir_all(team.join("out")).expect("it is there");
    std::os::unix::fs::symlink(&elsewhere, team.join("out")).expect("a link");
    world.tell_async("user", "permit touch out/made").await;
    let question = world.open_question().await;
    assert_eq!(question["risk"], "high", "{question}");
    assert!(!elsewhere.join("made").exists());
}

/// What only looks was let through. Where a pattern or a flag that follows links leads is not known before it runs.
#[tokio::test]
async fn a_rule_for_what_only_looks_is_none_for_a_pattern() {
    let world = asking();
    let team = world.path().join("projects/alpha");
    std::fs::create_dir(team.join("d")).expect("a folder");
    std::os::unix::fs::symlink("/etc", team.join("d/e")).expect("a link");
    let told = world.tell_async("user", "permit ls d").await;
    let question = world.open_question().await;
    assert_eq!(question["risk"], "low", "{question}");
    let path = format!("/api/questions/{}/answer", question_id(&question));
    let remember = json!({"response": {"value": true}, "remember": {"scope": "tool", "forMs": 600_000}});
    assert_eq!(world.post(&path, remember).await.0, 200);
    world.ended(id(&told)).await;
    assert_eq!(world.tell("permit ls -l d").await["response"], "ran", "without asking");
    for command in ["cat d/*/passwd", "ls -L d", "grep -R root ."] {
        let told = world.tell_async("user", &format!("permit {command}")).await;
        let question = world.open_question().await;
        assert_eq!(question["risk"], "medium", "{question}");
        assert_eq!(world.answer(&question, json!(false)).await.0, 200);
        world.ended(id(&told)).await;
    }
}

#[tokio::test]
async fn a_rule_answers_for_as_long_as_it_says_and_its_answers_say_so() {
    let world = asking();
    let told = world.tell_async("user", "permit echo x >> ran.txt").await;
    let question = world.open_question().await;
    let path = format!("/api/questions/{}/answer", question_id(&question));
    let forever = json!({"response": {"value": true}, "remember": {"scope": "tool", "forMs": 999_999_999_999_u64}});
    assert_eq!(world.post(&path, forever).await.0, 422, "not for ever");
    let unfit = json!({"response": {"value": true}, "remember": {"scope": "question", "forMs": 600_000}});
    assert_eq!(world.post(&path, unfit).await.0, 422);
    let body = json!({"response": {"value": true}, "remember": {"scope": "deed", "forMs": 600_000}});
    assert_eq!(world.post(&path, body).await.0, 200);
    world.ended(id(&told)).await;
    assert_eq!(world.tell("permit echo x >> ran.txt").await["response"], "ran", "without asking");
    assert_eq!(ran(&world), "x\nx\n");
    let answered = world.events("question.answered").await;
    assert!(answered[1]["data"]["by"].as_str().expect("by whom").starts_with("rule:"), "{answered:?}");
    assert_eq!(world.get("/api/rules").await["rules"][0]["uses"], 1);
}

/// The record is changed in many ways between the question and the answer. `IRIS_TEST_ROUNDS=10000` for the full count.
#[tokio::test]
async fn bytes_that_were_changed_after_they_were_asked_for_never_run() {
    let world = World::new(super::asking_setup().questions("perMinute: 1000000"));
    let rounds = std::env::var("IRIS_TEST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(20);
    let database = world.path().join("data/iris.db");
    let mut ways = std::collections::HashSet::new();
    for round in 0..rounds {
        let told = world.tell_async("user", &format!("permit echo asked{round} >> ran.txt")).await;
        let question = world.open_question().await;
        let changed = change(&database, &question, round);
        let path = format!("/api/questions/{}/answer", question_id(&question));
        let mut yes = json!({"response": {"value": true}});
        if round / 2 % 2 == 0 {
            yes["digest"] = question["action"]["digest"].clone();
        }
        let (status, said) = world.post(&path, yes).await;
        assert_eq!(status, 409, "{changed}: {said}");
        assert!(ways.insert(changed.clone()), "each round is another way: {changed}");
        let cancel = format!("/api/questions/{}/cancel", question_id(&question));
        world.post(&cancel, json!({})).await;
        world.ended(id(&told)).await;
    }
    assert_eq!(ran(&world), "", "nothing of it ran");
}

/// Somebody who can write to the database changes something of the action, something else in each round: in every other
/// one a single letter of the tool, the command or the folder.
fn change(database: &std::path::Path, question: &Value, round: usize) -> String {
    let connection = rusqlite::Connection::open(database).expect("it opens");
    connection.busy_timeout(std::time::Duration::from_secs(5)).expect("it waits");
    let id = question_id(question);
    let read = "SELECT detail FROM question WHERE id = ?1";
    let detail: String = connection.query_row(read, [id], |row| row.get(0)).expect("it is there");
    let (changed, edit) =
        if round.is_multiple_of(2) { swap(&detail, round / 2) } else { letter(&detail, question, round / 2) };
    assert_ne!(changed, detail, "{edit}");
    let rows = connection.execute("UPDATE question SET detail = ?1 WHERE id = ?2", [&changed, id]).expect("changed");
    assert_eq!(rows, 1);
    edit
}

fn swap(detail: &str, number: usize) -> (String, String) {
    let swaps = [
        ("asked", "evil"),
        ("echo", "ech0"),
        ("echo", "echo\u{200b}"),
        ("Bash", "bash"),
        ("ran.txt", "../ran.txt"),
        ("projects/alpha", "projects/omega"),
        (" >> ", " >  "),
        ("command", "commаnd"),
    ];
    let (from, to) = swaps[number % swaps.len()];
    let to = match number / swaps.len() {
        0 => to.to_owned(),
        tail => format!("{to}{tail}"),
    };
    (detail.replace(from, &to), format!("{from} for {to}"))
}

fn letter(detail: &str, question: &Value, number: usize) -> (String, String) {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,:;+*#~ \x7f";
    let action = &question["action"];
    // The number of the round in the command is left out: it has another length each time.
    let parts = [(&action["tool"], 4), (&action["input"]["command"], 10), (&action["folder"], usize::MAX)];
    let mut places: Vec<usize> = Vec::new();
    for (part, most) in parts {
        let part = part.as_str().expect("words");
        let at = detail.find(part).expect("it is kept as it was asked");
        places
            .extend((at..at + part.len()).take(most).filter(|place| detail.as_bytes()[*place].is_ascii_alphanumeric()));
    }
    let (place, pass) = (places[number % places.len()], number / places.len());
    let was = detail.as_bytes()[place];
    let others: Vec<u8> = LETTERS.iter().copied().filter(|letter| *letter != was).collect();
    // Each place is first given every other letter, and then one more before it.
    let letter = others[pass % others.len()];
    let (taken, how) = if pass < others.len() { (1, "is") } else { (0, "follows on") };
    assert!(pass < 2 * others.len(), "{number} edits are too many");
    let mut changed = detail.as_bytes().to_vec();
    changed.splice(place..place + taken, [letter]);
    let changed = String::from_utf8(changed).expect("letters");
    (changed, format!("letter {} of {} {how} {letter}", number % places.len(), places.len()))
}

/// As suggestions and `similar` do: the same in other capitals, spaces or without its mark is the same question. An approval is
/// for what was seen.
#[tokio::test]
async fn a_remembered_answer_holds_for_the_question_however_it_is_written() {
    let world = asking();
    let asked = world.tell_async("user", "tool Vim or Emacs preference?").await;
    let question = world.open_question().await;
    let path = format!("/api/questions/{}/answer", question_id(&question));
    let vim = json!({"response": {"value": "vim"}, "remember": {"scope": "question", "forMs": 600_000}});
    assert_eq!(world.post(&path, vim).await.0, 200);
    world.ended(id(&asked)).await;
    for (at, words) in ["tool vim or  emacs preference", "tool VIM OR EMACS PREFERENCE ?"].iter().enumerate() {
        let told = world.ended(id(&world.tell_async("user", words).await)).await;
        assert!(told["response"].as_str().is_some_and(|said| said.contains("vim")), "{told}");
        assert_eq!(world.get("/api/rules").await["rules"][0]["uses"], at + 1);
    }
    world.tell_async("user", "tool Vim or Nano preference?").await;
    assert_eq!(world.open_question().await["question"], "Vim or Nano preference?");
}

#[tokio::test]
async fn an_approval_takes_a_yes_or_a_no_and_no_list() {
    let world = asking();
    let told = world.tell_async("user", "permit echo x >> ran.txt").await;
    let question = world.open_question().await;
    for list in [json!([true]), json!(["yes"]), json!([false]), json!([[true]]), json!(1), json!({"yes": true})] {
        let (status, refused) = world.answer(&question, list.clone()).await;
        assert_eq!(status, 422, "{list}: {refused}");
    }
    assert_eq!(world.open_question().await["state"], "open");
    assert_eq!(world.answer(&question, json!("yes")).await.0, 200, "the words are taken");
    assert_eq!(world.ended(id(&told)).await["response"], "ran");
}
