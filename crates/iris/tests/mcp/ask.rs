//! Asking a person from outside: a call that is cut and made again is one question. `IRIS_TEST_ROUNDS=1000` for the full
//! count.

use std::time::Duration;

use serde_json::json;

use crate::stage::{Modern, world};

#[tokio::test]
async fn a_call_that_is_cut_and_made_again_is_one_question() {
    let world = world();
    let client = Modern::of(&world).in_folder_of(&world, "alpha");
    let rounds = std::env::var("IRIS_TEST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(10);
    let ask = json!({"question": "Which port?", "type": "blocking"});
    for _ in 0..rounds {
        let call = client.call("ask_question", ask.clone());
        tokio::time::timeout(Duration::from_millis(30), call).await.ok();
    }
    world.open_question().await;
    let pending = world.get("/api/questions/pending").await;
    let [question] = pending["questions"].as_array().expect("a list").as_slice() else { panic!("one: {pending}") };
    assert_eq!((&question["way"], &question["team"]), (&json!("api"), &json!("alpha")));
    let answering = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
        world.post(&path, json!({"response": {"value": "1615"}})).await
    };
    let (called, (status, _)) = tokio::join!(client.call("ask_question", ask.clone()), answering);
    assert_eq!(status, 200);
    assert_eq!(called["structuredContent"]["response"]["value"], "1615", "{called}");
    // Cut off just when the answer came: asked again, it is there.
    let again = client.call("ask_question", ask).await;
    assert_eq!(again["structuredContent"]["response"]["value"], "1615", "{again}");
    assert_eq!(world.events("question.opened").await.len(), 1);
    assert!(world.events("turn.started").await.is_empty(), "no agent of Iris's was told anything");
}

#[tokio::test]
async fn an_approval_that_was_heard_is_used_up() {
    let world = world();
    let client = Modern::of(&world).in_folder_of(&world, "alpha");
    let ask = json!({"question": "Deploy to prod?", "type": "approval", "responseType": "approval"});
    for round in 1..=2 {
        let answering = async {
            let question = world.open_question().await;
            let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
            let yes = json!({"response": {"value": true}, "digest": question["digest"]});
            world.post(&path, yes).await
        };
        let (called, (status, _)) = tokio::join!(client.call("ask_question", ask.clone()), answering);
        assert_eq!((status, &called["structuredContent"]["response"]["value"]), (200, &json!(true)), "{called}");
        assert_eq!(world.events("question.opened").await.len(), round, "each is asked for");
    }
}
