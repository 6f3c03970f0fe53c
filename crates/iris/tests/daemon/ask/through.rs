//! Who closed a question is told with the credential that was shown and the way they came.

use serde_json::{Value, json};

use super::{asking_setup, question_id};
use crate::doors::caller::{bearer, code_of};
use crate::world::World;

/// The question is asked anew, closed as `close` does it, and what the record and the log then say is the same.
async fn through(world: &World, answer: impl AsyncFnOnce(String, String)) -> Value {
    world.tell_async("user", "ask").await;
    let question = world.open_question().await;
    let path = format!("/api/questions/{}/answer", question_id(&question));
    answer(path.clone(), json!({"response": {"value": "Red"}}).to_string()).await;
    let record = world.get(&format!("/api/questions/{}", question_id(&question))).await;
    let (status, late) = world.post(&path, json!({"response": {"value": "Blue"}})).await;
    assert_eq!((status, &late["closed"]["through"]), (409, &record["closedThrough"]), "{late}");
    let events = world.events("question.answered").await;
    let event = events.iter().find(|event| event["data"]["id"] == question["id"]).expect("it is in the log");
    assert_eq!(event["data"]["through"], record["closedThrough"], "{event}");
    record["closedThrough"].clone()
}

#[tokio::test]
async fn the_record_and_the_log_say_by_which_credential_and_where_it_was_answered() {
    let world = World::new(asking_setup());
    let owner = through(&world, async |path, body| {
        let (status, said) = world.post(&path, serde_json::from_str(&body).expect("JSON")).await;
        assert_eq!(status, 200, "{said}");
    })
    .await;
    assert_eq!(owner, json!({"surface": "api", "credential": "owner", "name": "owner"}));

    let ci = bearer(&world.token("ci", &["read", "answer"]).await);
    let cli = through(&world, async |path, body| {
        let headers = [("authorization", ci.as_str()), ("iris-client", "cli")];
        assert_eq!(world.send("POST", &path, &headers, &body).await.status, 200);
    })
    .await;
    assert_eq!((&cli["surface"], &cli["name"]), (&json!("cli"), &json!("ci")), "{cli}");

    let link = world.send("POST", "/api/links", &[("authorization", ci.as_str())], "").await.json().expect("JSON");
    let browser = world.sign_in(code_of(&link)).await;
    let world = world.crash_and_restart();
    let page = through(&world, async |path, body| {
        let headers = [("cookie", browser.cookie.as_str()), ("iris-csrf", browser.word.as_str())];
        assert_eq!(world.send("POST", &path, &headers, &body).await.status, 200);
    })
    .await;
    assert_eq!((&page["surface"], &page["signedInBy"]), (&json!("dashboard"), &json!("ci")), "{page}");
    let root = cli["credential"].as_str().expect("an id");
    assert!(page["credential"].as_str().is_some_and(|id| id.starts_with(&format!("{root}."))), "{page}");
    let made = world.events("token.created").await;
    assert_eq!(made[0]["data"]["through"]["name"], "owner", "{made:?}");
}

#[tokio::test]
async fn what_a_rule_answered_is_said_to_be_answered_by_one() {
    let world = World::new(asking_setup());
    world.tell_async("user", "permit rm -r build").await;
    let question = world.open_question().await;
    assert_eq!(world.answer(&question, json!(false)).await.0, 200);
    world.tell("permit rm -r build").await;
    let answered = world.events("question.answered").await;
    let surfaces: Vec<&Value> = answered.iter().map(|event| &event["data"]["through"]["surface"]).collect();
    assert_eq!(surfaces, ["api", "rule"], "{answered:?}");
}

/// What was asked in a turn ends with it: by whoever cancelled the turn.
#[tokio::test]
async fn who_cancels_a_turn_has_closed_what_was_asked_in_it() {
    let world = World::new(asking_setup());
    for asked in ["permit touch x", "ask"] {
        world.tell_async("user", asked).await;
        let question = world.open_question().await;
        assert_eq!(world.post("/api/teams/alpha/cancel", json!({})).await.0, 200);
        let record = async || world.get(&format!("/api/questions/{}", question_id(&question))).await;
        world.eventually("it is closed", async || record().await["state"] == "cancelled").await;
        let path = format!("/api/questions/{}/answer", question_id(&question));
        let (status, late) = world.post(&path, json!({"response": {"value": false}})).await;
        assert_eq!((status, &late["closed"]["by"]), (409, &json!("user")), "{asked}: {late}");
        assert_eq!(late["closed"]["through"]["surface"], "api", "{asked}: {late}");
        let events = world.events("question.cancelled").await;
        let event = events.iter().find(|event| event["data"]["id"] == question["id"]).expect("it is in the log");
        assert_eq!(
            (&event["data"]["by"], &event["data"]["through"]["surface"]),
            (&json!("user"), &json!("api")),
            "{event}"
        );
    }
}
