//! Figures are counted from what was written down: they are the same after a restart, and however much was said since.

use serde_json::json;

use crate::world::{World, setup};

const SCRIPT: &str = r#"
replies:
  - match: "^fail$"
    do: [{ cost: 0.25 }, { fail: "it would not" }]
default: [{ cost: 0.5 }, { say: done }]
"#;

#[tokio::test]
async fn figures_outlast_the_daemon_and_the_session() {
    let world = World::new(setup().team("alpha", SCRIPT).team_key("maxBudgetUsd: 5"));
    world.tell("work").await;
    world.tell("fail").await;
    let figures = world.get("/api/turns/figures?since=0&slots=10").await;
    assert_eq!(
        (&figures["ended"], &figures["bad"], &figures["costUsd"]),
        (&json!(2), &json!(1), &json!(0.75)),
        "{figures}"
    );
    for wrong in
        ["/api/turns/figures?slots=-1", "/api/questions/figures?withinMs=0", "/api/questions/figures?withinMs=-1"]
    {
        let refused = world.client().get(wrong).await.expect("an answer");
        assert!(refused.status == 400 && refused.json().expect("JSON")["hint"].is_string(), "{wrong}: {refused:?}");
    }
    let session = &figures["sessions"][0];
    assert_eq!((&session["spentUsd"], &session["last"]["ending"]), (&json!(0.75), &json!("failed")), "{figures}");
    let over_time = figures["slots"].as_array().expect("pieces").iter();
    assert_eq!(over_time.map(|slot| slot["ended"].as_i64().unwrap_or(0)).sum::<i64>(), 2);
    let later = world.get("/api/turns/figures?since=9999999999999").await;
    assert_eq!((&later["ended"], &later["sessions"][0]["last"]["ending"]), (&json!(0), &json!("failed")), "{later}");

    let world = world.crash_and_restart();
    let after = world.get("/api/turns/figures?since=0").await;
    assert_eq!((&after["ended"], &after["costUsd"]), (&json!(2), &json!(0.75)), "{after}");
    assert_eq!(after["sessions"][0]["spentUsd"], json!(null), "its process is gone");
    let session = world.session("user").await["id"].as_str().expect("an id").to_owned();
    world.client().delete(&format!("/api/sessions/{session}")).await.expect("deleted");
    assert_eq!(world.get("/api/turns/figures?since=0").await["costUsd"], json!(0.75), "it was spent all the same");
}
