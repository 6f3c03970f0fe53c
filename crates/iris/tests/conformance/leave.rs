//! Who decides what an agent may do, and what it asks a person.

use serde_json::json;

use crate::kind::Deed;
use crate::promise::{Promise, check};
use crate::stage::says;

#[tokio::test]
async fn permission_is_given() {
    check(Promise::PermissionIsGiven, &["grantPermission: yes"], async |stage| {
        let told = stage.tell("go", Deed::Touch("given.txt")).await;
        assert_eq!(told["status"], "completed", "{told}");
        assert!(stage.project("given.txt").exists(), "{told}");
    })
    .await;
}

#[tokio::test]
async fn permission_is_refused() {
    check(Promise::PermissionIsRefused, &["grantPermission: no"], async |stage| {
        let told = stage.tell("go", Deed::Touch("refused.txt")).await;
        assert_eq!(told["status"], "completed", "it goes on without: {told}");
        assert!(says(&told["response"], "grantPermission: no"), "it is told why: {told}");
        assert!(!stage.project("refused.txt").exists());
    })
    .await;
}

#[tokio::test]
async fn permission_waits_for_a_person() {
    check(Promise::PermissionWaitsForAPerson, &["grantPermission: ask"], async |stage| {
        let turn = stage.start(Deed::Touch("asked.txt")).await;
        let question = stage.world.open_question().await;
        assert_eq!(
            (&question["kind"], &question["action"]["meaning"]["nature"]),
            (&json!("approval"), &json!("shell")),
            "{question}"
        );
        assert_eq!(question["action"]["meaning"]["about"], "touch asked.txt", "{question}");
        assert!(!stage.project("asked.txt").exists(), "nothing before the answer");
        stage.answer(&question, json!({"type": "boolean", "value": true})).await;
        assert_eq!(stage.world.ended(&turn).await["state"], "completed");
        assert!(stage.project("asked.txt").exists());

        let turn = stage.start(Deed::Touch("denied.txt")).await;
        let question = stage.world.open_question().await;
        stage.answer(&question, json!({"type": "boolean", "value": false, "text": "not on a Sunday"})).await;
        let ended = stage.world.ended(&turn).await;
        assert!(says(&ended["response"], "not on a Sunday"), "{ended}");
        assert!(!stage.project("denied.txt").exists());
    })
    .await;
}

#[tokio::test]
async fn permission_is_withdrawn() {
    check(Promise::PermissionIsWithdrawn, &["grantPermission: ask"], async |stage| {
        let turn = stage.start(Deed::Touch("withdrawn.txt")).await;
        let question = stage.world.open_question().await;
        let pid = stage.pid().await;
        stage.world.post("/api/teams/alpha/cancel", json!({})).await;
        assert_eq!(stage.world.ended(&turn).await["state"], "cancelled");
        assert_eq!(stage.world.get("/api/questions/pending").await["questions"], json!([]), "nobody waits any more");
        let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
        assert_eq!(stage.world.post(&path, json!({"response": {"type": "boolean", "value": true}})).await.0, 409);
        assert_eq!(stage.tell("and now", Deed::Say("something else")).await["response"], "something else");
        assert_eq!(stage.pid().await, pid, "it was asked to stop, and did");
        assert!(!stage.project("withdrawn.txt").exists());
    })
    .await;
}

/// Also an agent that may do everything asks a person when it has a question.
#[tokio::test]
async fn questions_reach_a_person() {
    check(Promise::QuestionsReachAPerson, &["grantPermission: yes"], async |stage| {
        let turn = stage.start(Deed::Ask).await;
        let question = stage.world.open_question().await;
        assert_eq!(
            (&question["kind"], &question["question"]),
            (&json!("choice"), &json!("Which colour?")),
            "{question}"
        );
        assert_eq!(question["options"][1]["value"], "Blue", "{question}");
        assert_eq!(question["options"][1]["description"], "cold", "{question}");
        stage.answer(&question, json!({"type": "choice", "value": "Blue"})).await;
        let ended = stage.world.ended(&turn).await;
        assert_eq!(ended["state"], "completed", "{ended}");
        assert!(says(&ended["response"], "Blue"), "{ended}");
    })
    .await;
}
