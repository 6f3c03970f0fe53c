//! Who gets in, what they may do there, and what a wrong request gets. One file for each thing that could be tried.

mod agent;
mod answer;
mod browser;
pub mod caller;
mod cors;
mod key;
mod limit;
mod log;
mod origin;
mod page;
mod route;
mod stall;
mod stream;
mod tls;
mod token;

use serde_json::json;

use crate::world::{ECHO, World, setup};

#[tokio::test]
async fn a_wrong_request_names_the_thing_and_changes_nothing() {
    let world = World::new(setup().team("alpha", ECHO).setting("maxQueue: 5"));
    let before = world.get("/api/status").await["newestEvent"].clone();
    let cases = [
        (json!({"toTeam": "beta", "message": "x"}), 404, "there is no team 'beta'"),
        (json!({"toTeam": "../x", "message": "x"}), 400, "is not a team name"),
        (json!({"toTeam": "alpha", "message": "  "}), 400, "the message is empty"),
        (json!({"toTeam": "alpha", "message": "x", "fromTeam": ""}), 400, "is not a party"),
        (json!({"toTeam": "alpha", "message": "x", "fromTeam": "a\u{0}b"}), 400, "is not a party"),
        (json!({"toTeam": "alpha", "message": "x", "fromTeam": "a\u{202e}b"}), 400, "'a\\u{202e}b' is not a party"),
        (json!({"toTeam": "alpha", "message": "x", "fromTeam": "a\u{a0}b"}), 400, "printable characters"),
        (json!({"toTeam": "alpha", "message": "x", "fromTeam": "Owner"}), 400, "'Owner' has a meaning of its own"),
        (json!({"toTeam": "alpha", "message": "x", "fromTeam": "iris"}), 400, "'iris' has a meaning of its own"),
        (json!({"toTeam": "alpha", "message": "x", "delay": i64::MAX}), 400, "put off by at most"),
        (json!(["alpha", "an array", null, null, null, null]), 422, "has to be an object"),
        (json!({"toTeam": "alpha"}), 422, "message"),
        (json!({"toTeam": "alpha", "message": "x", "wait": 1}), 422, "wait"),
        (json!({"toTeam": "alpha", "message": "x".repeat(11 * 1024 * 1024)}), 413, "at most 10485760"),
        (json!({"toTeam": "alpha", "message": "x", "key": "k".repeat(300)}), 400, "at most 256"),
    ];
    for (body, status, detail) in cases {
        let (found, problem) = world.post("/api/teams/tell", body).await;
        assert_eq!(found, status, "{problem}");
        assert!(problem["detail"].as_str().expect("a detail").contains(detail), "{problem}");
        assert!(problem["hint"].is_string(), "{problem}");
    }
    for party in ["a\u{200b}b", "a\u{2066}b", "owner"] {
        let (status, problem) = world.post("/api/teams/alpha/wake", json!({"fromTeam": party})).await;
        assert!(status == 400 && problem["detail"].to_string().contains("party"), "{problem}");
    }
    assert_eq!(world.get("/api/status").await["newestEvent"], before, "nothing was changed");
    let hint = world.post("/api/teams/tell", json!({"toTeam": "beta", "message": "x"})).await.1;
    assert_eq!(hint["hint"], "known teams: alpha");
}

#[tokio::test]
async fn any_text_comes_back_as_it_went_in() {
    let world = World::new(setup().team("alpha", ECHO));
    for text in ["Grüße, 世界 🌍", "a\nb\tc\"d\\e", "/clear", "\u{202e}bidi\u{200b}", "{\"type\":\"result\"}"] {
        assert_eq!(world.tell(text).await["response"], format!("You said: {text}"), "{text:?}");
    }
    let nul = json!({"toTeam": "alpha", "message": "nul\u{0}bytes", "timeout": 0});
    let (_, problem) = world.post("/api/teams/tell", nul).await;
    assert_eq!(problem["kind"], "invalid", "only these are not taken: {problem}");
    assert!(problem["hint"].to_string().contains("leave it out"), "{problem}");
}
