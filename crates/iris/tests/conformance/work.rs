//! Iris's own tools, and work that goes on between turns.

use serde_json::json;

use crate::kind::Deed;
use crate::promise::{Promise, check};
use crate::stage::says;

#[tokio::test]
async fn tools_of_iris_work() {
    check(Promise::ToolsOfIrisWork, &["grantPermission: no"], async |stage| {
        let told = stage.tell("who are you?", Deed::NameItself).await;
        assert_eq!(told["status"], "completed", "{told}");
        assert!(says(&told["response"], "alpha"), "no leave is needed: {told}");
    })
    .await;
}

#[tokio::test]
async fn the_caller_is_stamped() {
    check(Promise::TheCallerIsStamped, &[], async |stage| {
        let message = format!("how much? {}", stage.kind.words(&Deed::Say("it is 42")));
        let told = stage.tell("ask beta", Deed::Tell { team: "beta", message: &message }).await;
        assert!(says(&told["response"], "it is 42"), "{told}");
        let turns = stage.turns("alpha", "beta").await;
        assert_eq!(
            (turns.len(), &turns[0]["cause"]),
            (1, &told["turnId"]),
            "who tells is not said but known: {turns:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn background_work_is_known() {
    check(Promise::BackgroundWorkIsKnown, &["grantPermission: yes"], async |stage| {
        let told = stage.tell("work", Deed::WorkBehind).await;
        assert_eq!(told["response"], "it is running", "{told}");
        let session = stage.session("user", "alpha").await;
        let state = (&session["state"], &session["background"]);
        assert_eq!(state, (&json!("processing"), &json!(1)), "not idle: {session}");

        let between = stage.tell("meanwhile", Deed::Say("still here")).await;
        assert_eq!(between["response"], "still here", "it takes tells all the same: {between}");

        stage.until("it spoke of it", async || stage.turns("user", "alpha").await.len() == 3).await;
        stage.until("it is idle", async || stage.session("user", "alpha").await["state"] == "idle").await;
        let turns = stage.turns("user", "alpha").await;
        assert_eq!((&turns[2]["message"], &turns[2]["state"]), (&json!(""), &json!("completed")), "{turns:#?}");
        assert!(turns[2]["origin"].is_string() && turns[0]["origin"].is_null(), "{turns:#?}");
    })
    .await;
}
