//! Pages of other origins that the config names, as their browsers ask.

use iris_testing::client::Answer;

use super::caller::bearer;
use crate::world::{ECHO, World, setup};

const PAGE: &str = "https://tools.example";

fn world() -> World {
    World::new(setup().team("alpha", ECHO).server(&format!("allowedOrigins: [\"{PAGE}\"]")))
}

fn grants(answer: &Answer) -> Option<&str> {
    assert_eq!(answer.header("access-control-allow-credentials"), None);
    answer.header("access-control-allow-origin")
}

#[tokio::test]
async fn a_page_that_is_named_asks_with_a_token_and_reads_the_answer() {
    let world = world();
    let owner = bearer(&world.daemon.token);
    let asks = [
        ("origin", PAGE),
        ("sec-fetch-site", "cross-site"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization,content-type"),
    ];
    let first = world.send("OPTIONS", "/api/teams/tell", &asks, "").await;
    assert_eq!((first.status, grants(&first)), (204, Some(PAGE)));
    let allowed = first.header("access-control-allow-headers").expect("headers");
    assert!(
        ["authorization", "content-type", "idempotency-key", "mcp-session-id"].iter().all(|it| allowed.contains(it))
    );
    assert!(
        !allowed.contains("csrf") && first.header("access-control-allow-methods").is_some_and(|it| it.contains("POST"))
    );
    assert_eq!(first.header("x-frame-options"), Some("DENY"), "the guards are there too");

    let headers = [("origin", PAGE), ("sec-fetch-site", "cross-site"), ("authorization", owner.as_str())];
    let told = world.send("POST", "/api/teams/tell", &headers, r#"{"toTeam":"alpha","message":"hello"}"#).await;
    assert_eq!((told.status, grants(&told)), (200, Some(PAGE)));
    assert!(told.header("access-control-expose-headers").is_some_and(|it| it.contains("x-request-id")));
    let varies = |(name, value): &(String, String)| name.eq_ignore_ascii_case("vary") && value == "origin";
    assert!(told.headers.iter().any(varies), "{:?}", told.headers);
    let stranger = world.send("GET", "/api/teams", &headers[..2], "").await;
    assert_eq!((stranger.status, grants(&stranger)), (401, Some(PAGE)), "the page can read why");
}

#[tokio::test]
async fn a_page_that_is_not_named_is_told_nothing() {
    let world = world();
    let owner = bearer(&world.daemon.token);
    for origin in ["https://evil.example", "http://tools.example", "https://tools.example.evil", "null"] {
        let asks = [("origin", origin), ("access-control-request-method", "GET")];
        let asked = world.send("OPTIONS", "/api/teams", &asks, "").await;
        assert_eq!((asked.status, grants(&asked)), (403, None), "{origin}");
        let sent = world.send("GET", "/api/teams", &[asks[0], ("authorization", &owner)], "").await;
        assert_eq!((sent.status, grants(&sent)), (403, None), "{origin}");
    }
    // By another name than the daemon's, not even a page that is named.
    let asks = [("origin", PAGE), ("host", "evil.example"), ("access-control-request-method", "GET")];
    let asked = world.send("OPTIONS", "/api/teams", &asks, "").await;
    assert_eq!((asked.status, grants(&asked)), (403, None));
    // Nobody asks in advance without an origin; what is no such question is no open door.
    for headers in [vec![], vec![("origin", PAGE)]] {
        assert_eq!(world.send("OPTIONS", "/api/teams", &headers, "").await.status, 401);
    }
}
