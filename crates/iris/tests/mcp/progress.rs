//! What a client hears while it waits: what was written, what comes first, for whom it waits.

use serde_json::{Value, json};

use crate::stage::{Messages, Modern, SCRIPT, world};
use crate::world::{World, setup};

/// The words of the first progress that has them.
async fn heard(messages: &mut Messages, wanted: &str) -> String {
    let mut all = Vec::new();
    for _ in 0..40 {
        let message = messages.next().await.unwrap_or_default();
        let words = message["params"]["message"].as_str().unwrap_or_default().to_owned();
        if words.contains(wanted) {
            return words;
        }
        all.push(words);
    }
    panic!("'{wanted}' was not heard: {all:?}");
}

fn tell(message: &str) -> Value {
    json!({"toTeam": "alpha", "message": message, "timeout": 0})
}

const WATCHED: &str = "watched";

#[tokio::test]
async fn messages_that_are_finished_are_told_also_to_whoever_comes_later() {
    let world = world();
    let modern = Modern::of(&world);
    let keyed = || json!({"progressToken": WATCHED, "iris/key": "once"});
    let mut first = modern.begin_call("team_tell", tell("report"), keyed()).await;
    let whole = heard(&mut first, "second part").await;
    assert_eq!(whole, "first part\nsecond part");
    let mut again = modern.begin_call("team_tell", tell("report"), keyed()).await;
    assert_eq!(heard(&mut again, "part").await, whole, "it found the turn, and what was said in it");
}

#[tokio::test]
async fn a_turn_that_waits_its_turn_says_how_many_come_first() {
    let world = world();
    let modern = Modern::of(&world);
    for message in ["work", "another"] {
        modern.done("quick_message", json!({"toTeam": "alpha", "message": message})).await;
    }
    let mut third = modern.begin_call("team_tell", tell("third"), json!({"progressToken": WATCHED})).await;
    assert_eq!(heard(&mut third, "queued").await, "queued, 2 ahead");
    let fourth = json!({"toTeam": "alpha", "message": "fourth", "timeout": 50});
    let fourth = modern.done("team_tell", fourth).await;
    assert_eq!((&fourth["status"], &fourth["position"]), (&json!("mcp_timeout"), &json!(3)), "{fourth}");
    assert_eq!(fourth["note"], "queued, 3 ahead");
}

#[tokio::test]
async fn an_agent_that_waits_for_a_person_is_said_to() {
    let quiet = "agent: { completionAnalysis: { enabled: false } }";
    let asking = setup().team("alpha", SCRIPT).setting(quiet).team_key("grantPermission: ask");
    let world = World::new(asking);
    let modern = Modern::of(&world);
    let mut asked = modern.begin_call("team_tell", tell("permit"), json!({"progressToken": WATCHED})).await;
    assert_eq!(heard(&mut asked, "waits").await, "waits for a person's approval");
    let waiting = json!("waiting_for_approval");
    assert_eq!(modern.done("team_isAwake", json!({"team": "alpha"})).await["state"], waiting);
    assert_eq!(modern.done("team_status", json!({})).await["teams"][0]["state"], waiting);
    assert_eq!(modern.done("team_report", json!({"team": "alpha"})).await["state"], waiting);
    assert_eq!(modern.done("team_teams", json!({})).await["teams"][0]["state"], waiting);
    let refused = modern.refused("team_sleep", json!({"team": "alpha"})).await;
    assert!(refused.contains("`force`: true"), "{refused}");
}
