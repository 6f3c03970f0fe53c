//! An answer is for what was shown, to the byte: other bytes are another question, whatever they are called.

use serde_json::{Value, json};

use super::{asking, question_id};
use crate::world::{World, id, setup};

/// The same deed in two wordings. Which it is decides what is run: here the end of a line ends a remark.
const TWO_WORDINGS: &str = r#"
replies:
  - match: "^(other|second)$"
    do: [{ permission: { tool: Bash, input: { command: "echo ok >> ran.txt #\necho pwned >> ran.txt" }, run: true, then: [{ say: ran }], denied: [{ say: denied }] } }]
default: [{ permission: { tool: Bash, input: { command: "echo ok >> ran.txt # echo pwned >> ran.txt" }, run: true, then: [{ say: ran }], denied: [{ say: denied }] } }]
"#;

fn ran(world: &World) -> String {
    std::fs::read_to_string(world.path().join("projects/alpha/ran.txt")).unwrap_or_default()
}

#[tokio::test]
async fn a_remembered_yes_is_for_the_very_bytes() {
    let world = World::new(setup().team("alpha", TWO_WORDINGS));
    let told = world.tell_async("user", "go").await;
    let question = world.open_question().await;
    let path = format!("/api/questions/{}/answer", question_id(&question));
    let yes = json!({"response": {"value": true}, "remember": {"scope": "deed", "forMs": 600_000}});
    assert_eq!(world.post(&path, yes).await.0, 200);
    world.ended(id(&told)).await;
    assert_eq!(world.tell("go").await["response"], "ran", "the same is not asked again");
    let told = world.tell_async("user", "other").await;
    let other = world.open_question().await;
    assert_ne!(other["digest"], question["digest"]);
    assert_eq!(world.answer(&other, json!(false)).await.0, 200);
    assert_eq!(world.ended(id(&told)).await["response"], "denied");
    assert_eq!(ran(&world), "ok\nok\n");
}

/// What somebody looks at is never changed under their eyes: what is asked for now is another question.
#[tokio::test]
async fn other_bytes_for_the_same_deed_are_another_question() {
    let world = World::new(setup().team("alpha", TWO_WORDINGS));
    world.tell_async("user", "first").await;
    let first = world.open_question().await;
    let world = world.crash_and_restart();
    world.tell_async("user", "second").await;
    let path = format!("/api/questions/{}", question_id(&first));
    world.eventually("the first is replaced", async || world.get(&path).await["state"] == "superseded").await;
    let old = world.get(&path).await;
    assert_eq!((&old["action"], &old["digest"]), (&first["action"], &first["digest"]), "it is what it was");
    let second = world.open_question().await;
    assert_eq!(old["replacedBy"], second["id"]);
    assert_ne!(second["digest"], first["digest"]);
    let (status, said) = world.answer(&first, json!(true)).await;
    assert_eq!((status, &said["closed"]["state"]), (409, &json!("superseded")), "{said}");
    assert_eq!(world.events("question.superseded").await.len(), 1);
    assert_eq!(ran(&world), "");
}

const ASKS: &str = r#"
replies:
  - match: "^keyed (.+)$"
    do: [{ mcp: { server: iris, tool: ask_question, arguments: { question: "$1", type: approval, key: k } } }, { say: "{{result}}" }]
  - match: "^approve (\\S+) (.+)$"
    do: [{ mcp: { server: iris, tool: ask_question, arguments: { question: "$1", context: "$2", type: approval } } }, { say: "{{result}}" }]
default: [{ say: "You said: {{text}}" }]
"#;

/// It repeats what it is told, which is not to be taken for a question of its own.
fn world_that_asks() -> World {
    World::new(setup().team("alpha", ASKS).setting("agent: { completionAnalysis: { enabled: false } }"))
}

#[tokio::test]
async fn a_key_is_for_one_question() {
    let world = world_that_asks();
    let told = world.tell_async("user", "keyed Look at the log?").await;
    let question = world.open_question().await;
    assert_eq!(world.answer(&question, json!(true)).await.0, 200);
    world.ended(id(&told)).await;
    let same = world.tell("keyed Look at the log?").await["response"].to_string();
    assert!(same.contains("answered"), "the same finds its answer: {same}");
    let other = world.tell("keyed Delete production?").await["response"].to_string();
    assert!(other.contains("the key 'k'") && other.contains("Look at the log?"), "{other}");
    assert!(!other.contains("answered"), "{other}");
    assert_eq!(world.events("question.opened").await.len(), 1);
}

#[tokio::test]
async fn a_key_is_for_one_question_over_the_api() {
    let world = asking();
    let (_, job) = world.post("/api/jobs", json!({"team": "alpha", "goal": "ask"})).await;
    let path = format!("/api/jobs/{}/questions", job["id"].as_str().expect("an id"));
    let ask = |text: &str, kind: &str| json!({"question": text, "type": kind, "key": "k"});
    let (status, first) = world.post(&path, ask("Look at the log?", "approval")).await;
    assert_eq!(status, 200, "{first}");
    let (status, again) = world.post(&path, ask("Look at the log?", "approval")).await;
    assert_eq!((status, &again["questionId"]), (200, &first["questionId"]));
    for (text, kind) in [("Delete production?", "approval"), ("Look at the log?", "blocking")] {
        let (status, said) = world.post(&path, ask(text, kind)).await;
        assert_eq!(status, 422, "{said}");
        let said = said.to_string();
        assert!(said.contains("'k'") && said.contains(first["questionId"].as_str().expect("an id")), "{said}");
    }
}

/// What an agent asks leave for in words is bound to what is shown, and a no is a no.
#[tokio::test]
async fn an_approval_in_words_is_bound_and_its_refusal_sticks() {
    let world = world_that_asks();
    let told = world.tell_async("user", "approve Deploy? staging").await;
    let staging = world.open_question().await;
    assert!(staging["digest"].is_string(), "{staging}");
    assert_eq!(staging["risk"], "medium");
    assert!(staging["riskWhy"].as_str().expect("why").contains("the agent's word"), "{staging}");
    let path = format!("/api/questions/{}/answer", question_id(&staging));
    let another = json!({"response": {"value": true}, "digest": "0123"});
    assert_eq!(world.post(&path, another).await.0, 409);
    let yes = json!({"response": {"value": true}, "digest": staging["digest"], "remember": {"scope": "question", "forMs": 600_000}});
    assert_eq!(world.post(&path, yes).await.0, 200);
    world.ended(id(&told)).await;
    let by_rule = world.tell("approve Deploy? staging").await["response"].to_string();
    assert!(by_rule.contains("rule:"), "{by_rule}");
    let told = world.tell_async("user", "approve Deploy? production").await;
    let production = world.open_question().await;
    assert_ne!(production["digest"], staging["digest"]);
    assert_eq!(world.answer(&production, json!(false)).await.0, 200);
    world.ended(id(&told)).await;
    let again = world.tell("approve Deploy? production").await;
    assert_eq!(again["status"], "completed", "nobody is asked: {again}");
    assert!(again["response"].to_string().contains("rule:"), "{again}");
    assert_eq!(world.get("/api/questions/pending").await["questions"], json!([]));
    let rules: Value = world.get("/api/rules").await;
    assert_eq!(
        (&rules["rules"][0]["scope"], &rules["rules"][0]["answer"]["value"]),
        (&json!("question"), &json!(false))
    );
}

/// However it wants its answer: with options, as agents ask it over the API.
#[tokio::test]
async fn an_approval_with_options_is_bound_and_its_refusal_sticks() {
    let world = asking();
    let (first, second) = (world.start_job("ask").await, world.start_job("ask").await);
    let ask = async |job: &Value, context: &str| {
        let options = json!([{"label": "Go ahead", "value": "go"}, {"label": "Stop", "value": "halt"}]);
        let asked = json!({
            "question": "May I reset the database?", "type": "approval", "responseType": "choice", "options": options,
            "context": context, "allowFreeText": true,
        });
        let (status, asked) =
            world.post(&format!("/api/jobs/{}/questions", job["id"].as_str().expect("an id")), asked).await;
        assert_eq!(status, 200, "{asked}");
        asked
    };
    let answer = async |asked: &Value, body: Value| {
        world.post(&format!("/api/questions/{}/answer", asked["questionId"].as_str().expect("an id")), body).await
    };
    let staging = ask(&first, "host: staging").await;
    assert_eq!(ask(&first, "host: staging").await["questionId"], staging["questionId"]);
    let production = ask(&first, "host: PRODUCTION").await;
    assert_ne!(production["questionId"], staging["questionId"], "an answer to the one is none to the other");
    let staging = ask(&first, "host: staging").await;
    let shown = world.get(&format!("/api/questions/{}", staging["questionId"].as_str().expect("an id"))).await;
    assert!(
        shown["digest"].is_string() && shown["riskWhy"].as_str().is_some_and(|why| why.contains("cannot be known")),
        "{shown}"
    );
    assert_eq!((&shown["responseType"], &shown["allowFreeText"]), (&json!("choice"), &json!(false)));
    for unclear in ["maybe tomorrow", "yes"] {
        assert_eq!(answer(&staging, json!({"response": {"value": unclear}})).await.0, 422, "{unclear}");
    }
    let yes = json!({"response": {"value": "Go ahead"}, "digest": shown["digest"], "remember": {"scope": "question", "forMs": 600_000}});
    let (status, taken) = answer(&staging, yes).await;
    assert_eq!((status, &taken["answer"]), (200, &json!({"type": "choice", "value": "go"})), "{taken}");
    let by_rule = ask(&second, "host: staging").await;
    assert_eq!((&by_rule["state"], &by_rule["answer"]["value"]), (&json!("answered"), &json!("go")), "{by_rule}");
    let production = ask(&second, "host: PRODUCTION").await;
    assert_eq!(production["state"], "open", "{production}");
    let (status, taken) = answer(&production, json!({"response": {"value": "halt"}})).await;
    assert_eq!((status, &taken["answer"]["value"]), (200, &json!("halt")), "{taken}");
    let refused = ask(&first, "host: PRODUCTION").await;
    assert_eq!((&refused["state"], &refused["answer"]["value"]), (&json!("answered"), &json!(false)), "{refused}");
}
