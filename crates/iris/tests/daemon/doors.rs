//! Who gets in, and what a wrong request gets.

use serde_json::json;

use iris_testing::client::Client;

use crate::world::{ECHO, World, setup};

const ROUTES: [(&str, &str); 12] = [
    ("GET", "/api/status"),
    ("GET", "/api/teams"),
    ("GET", "/api/teams/alpha/status"),
    ("POST", "/api/teams/tell"),
    ("POST", "/api/teams/alpha/wake"),
    ("POST", "/api/teams/alpha/sleep"),
    ("GET", "/api/sessions"),
    ("DELETE", "/api/sessions/x"),
    ("GET", "/api/turns/x"),
    ("POST", "/api/turns/x/cancel"),
    ("GET", "/api/events"),
    ("POST", "/api/backup"),
];

#[tokio::test]
async fn nothing_but_health_is_open_without_the_token() {
    let world = World::new(setup().team("alpha", ECHO));
    let mut stranger = Client::new(&world.daemon.address, "not-the-token");
    assert_eq!(stranger.get("/health").await.expect("an answer").body, b"ok");
    for (method, path) in ROUTES {
        let answer = match method {
            "GET" => stranger.get(path).await,
            "DELETE" => stranger.delete(path).await,
            _ => stranger.post(path, &json!({})).await,
        };
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, 401, "{method} {path}");
        assert_eq!(answer.json().expect("a problem")["kind"], "unauthorized");
    }
    assert!(world.events("turn").await.is_empty());
}

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
        (json!({"toTeam": "alpha"}), 422, "message"),
        (json!({"toTeam": "alpha", "message": "x", "wait": 1}), 422, "wait"),
        (json!({"toTeam": "alpha", "message": "x".repeat(11 * 1024 * 1024)}), 429, "at most 10485760"),
        (json!({"toTeam": "alpha", "message": "x", "key": "k".repeat(300)}), 400, "at most 256"),
    ];
    for (body, status, detail) in cases {
        let (found, problem) = world.post("/api/teams/tell", body).await;
        assert_eq!(found, status, "{problem}");
        assert!(problem["detail"].as_str().expect("a detail").contains(detail), "{problem}");
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
    assert_eq!(world.tell("nul\u{0}bytes").await["response"], "You said: nulbytes", "only these are taken out");
}

#[tokio::test]
async fn a_reader_of_events_resumes_by_number_without_gap_or_repeat() {
    let world = World::new(setup().team("alpha", ECHO));
    for number in 0..5 {
        world.tell(&format!("m{number}")).await;
    }
    let all: Vec<i64> = world.events("").await.iter().map(|event| event["seq"].as_i64().expect("a number")).collect();
    let newest = world.get("/api/status").await["newestEvent"].as_i64().expect("a number");
    assert!(all.is_empty(), "an empty kind names nothing");
    let mut seen = Vec::new();
    // A new connection for every three events.
    while seen.last() != Some(&newest) {
        let after = seen.last().copied().unwrap_or(0);
        let mut stream = world.client().follow(&format!("/api/events?after={after}")).await.expect("a stream");
        for _ in 0..3 {
            if seen.last() == Some(&newest) {
                break;
            }
            let (_, event) = stream.next(crate::world::SOON).await.expect("a frame");
            seen.push(event["seq"].as_i64().expect("a number"));
        }
    }
    assert_eq!(seen, (1..=newest).collect::<Vec<_>>());
}
