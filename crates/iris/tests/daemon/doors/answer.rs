//! How answers look: errors in one shape, headers that guard, tags and compression.

use serde_json::json;

use super::caller::{bearer, is_problem};
use crate::world::{ECHO, World, setup};

/// A method, a path, headers, a body, and the status that is wanted.
type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], &'a str, u16);

#[tokio::test]
async fn every_error_is_a_problem() {
    let world = World::new(setup().team("alpha", ECHO));
    let owner = bearer(&world.daemon.token);
    let (auth, json_kind) = (("authorization", owner.as_str()), ("content-type", "application/json"));
    let large = format!(r#"{{"code":"{}"}}"#, "x".repeat(2000));
    let reader = bearer(&world.token("reader", &["read"]).await);
    let reads = ("authorization", reader.as_str());
    let over = format!("/api/turns/{}/cancel", crate::world::id(&world.tell("hello").await));
    let stream = ("accept", "text/event-stream");
    let cases: [Case<'_>; 34] = [
        ("POST", "/api/agents/stop", &[reads], "", 403),
        ("GET", "/api/sessions/%ff", &[auth], "", 400),
        ("GET", "/api/turns/none", &[auth], "", 404),
        ("POST", "/api/turns/none/cancel", &[auth, json_kind], "{}", 404),
        ("POST", &over, &[auth, json_kind], "{}", 409),
        ("GET", "/api/turns/none/messages?after=1&before=2", &[auth], "", 400),
        ("GET", "/api/questions/decided?after=x", &[auth], "", 400),
        ("GET", "/api/docs/none.js", &[auth], "", 404),
        ("GET", "/assets/none.js", &[], "", 404),
        ("GET", "/api/teams", &[], "", 401),
        ("GET", "/api/teams", &[auth, ("origin", "null")], "", 403),
        ("GET", "/api/nowhere", &[auth], "", 404),
        ("GET", "/api/sessions/none", &[auth], "", 404),
        ("PUT", "/api/teams", &[auth], "", 405),
        ("POST", "/api/login", &[json_kind], &large, 413),
        ("POST", "/api/teams/tell", &[auth, ("content-type", "text/plain")], "{}", 415),
        ("POST", "/api/teams/tell", &[auth, json_kind], "{", 400),
        ("POST", "/api/teams/tell", &[auth, json_kind], "[]", 422),
        ("GET", "/api/events?after=x", &[auth], "", 400),
        ("GET", "/api/events?after=-1", &[auth], "", 400),
        ("GET", "/api/events?limit=0", &[auth], "", 400),
        ("GET", "/api/sessions?limit=-1", &[auth], "", 400),
        ("GET", "/api/sessions?after=zzz", &[auth], "", 400),
        ("GET", "/api/jobs?after=zzz", &[auth], "", 400),
        ("GET", "/api/sessions/none/turns?after=-1", &[auth], "", 400),
        ("GET", "/api/turns/none/messages?limit=0", &[auth], "", 400),
        ("GET", "/api/events", &[auth, ("accept", "text/event-stream"), ("last-event-id", "x")], "", 400),
        ("GET", "/api/events?limit=1", &[auth, stream], "", 400),
        ("GET", "/api/events?before=9", &[auth, stream], "", 400),
        ("GET", "/api/stream?limit=1", &[auth], "", 400),
        ("GET", "/api/stream?before=9", &[auth], "", 400),
        ("GET", "/api/stream", &[auth], "", 400),
        ("POST", "/api/backup", &[auth, json_kind], r#"{"path":"relative"}"#, 400),
        (
            "POST",
            "/api/teams/tell",
            &[auth, json_kind, ("idempotency-key", "")],
            r#"{"toTeam":"alpha","message":"x"}"#,
            400,
        ),
    ];
    for (method, path, headers, body, status) in cases {
        let answer = world.send(method, path, headers, body).await;
        let problem = is_problem(&answer);
        let sent = if body.len() > 100 { "much" } else { body };
        assert_eq!(answer.status, status, "{method} {path} {sent}: {problem}");
        assert!(problem["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{method} {path} {sent}: {problem}");
        assert!(!problem["detail"].to_string().contains("Failed to"), "in our own words: {problem}");
    }
    let stranger = world.send("GET", "/api/teams", &[], "").await;
    assert_eq!(stranger.header("www-authenticate"), Some("Bearer"));
}

/// For a browser, which takes every other status for an error of the page.
#[tokio::test]
async fn whoever_asks_for_it_has_refusals_as_200_with_their_status_beside_it() {
    let world = World::new(setup().team("alpha", ECHO));
    let owner = bearer(&world.daemon.token);
    let quiet = ("iris-quiet", "1");
    for (path, headers, status) in [
        ("/api/teams/nobody/status", vec![("authorization", &*owner), quiet], "404"),
        ("/api/teams", vec![quiet], "401"),
    ] {
        let answer = world.send("GET", path, &headers, "").await;
        assert_eq!((answer.status, answer.header("iris-status")), (200, Some(status)), "{path}");
        assert_eq!(answer.json().expect("a problem")["status"].to_string(), status, "{path}");
    }
    let answer = world.send("GET", "/api/teams", &[("authorization", &owner), quiet], "").await;
    assert_eq!((answer.status, answer.header("iris-status")), (200, None), "nothing was refused");
}

#[tokio::test]
async fn every_answer_carries_the_guards() {
    let world = World::new(setup().team("alpha", ECHO));
    let owner = bearer(&world.daemon.token);
    for (path, headers) in
        [("/health", vec![]), ("/api/teams", vec![]), ("/api/teams", vec![("authorization", &*owner)])]
    {
        let answer = world.send("GET", path, &headers, "").await;
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
        assert!(answer.headers.iter().all(|(name, _)| !name.starts_with("access-control-")), "no other page may read");
    }
}

#[tokio::test]
async fn what_has_not_changed_is_said_in_one_line() {
    let world = World::new(setup().team("alpha", ECHO));
    let owner = bearer(&world.daemon.token);
    let auth = ("authorization", owner.as_str());
    let first = world.send("GET", "/api/teams", &[auth], "").await;
    let tag = first.header("etag").expect("a tag");
    let same = world.send("GET", "/api/teams", &[auth, ("if-none-match", tag)], "").await;
    assert_eq!((same.status, same.body.len(), same.header("etag")), (304, 0, Some(tag)));
    let list = format!("\"other\", {tag}");
    assert_eq!(world.send("GET", "/api/teams", &[auth, ("if-none-match", &list)], "").await.status, 304);
    let stranger = world.send("GET", "/api/teams", &[("if-none-match", tag)], "").await;
    assert_eq!(stranger.status, 401, "a tag is no credential");
    world.tell("hello").await;
    let changed = world.send("GET", "/api/teams", &[auth, ("if-none-match", tag)], "").await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.header("etag"), Some(tag));
}

#[tokio::test]
async fn a_long_answer_is_sent_short_to_whoever_can_read_it() {
    let world = World::new(setup().team("alpha", ECHO));
    let owner = bearer(&world.daemon.token);
    let auth = ("authorization", owner.as_str());
    let plain = world.send("GET", "/api/openapi.json", &[auth], "").await;
    let short = world.send("GET", "/api/openapi.json", &[auth, ("accept-encoding", "gzip")], "").await;
    assert_eq!((plain.header("content-encoding"), short.header("content-encoding")), (None, Some("gzip")));
    assert!(short.body.starts_with(&[0x1f, 0x8b]) && short.body.len() * 4 < plain.body.len());
    assert_eq!(plain.header("etag"), short.header("etag"), "it is the same answer");
    // A stream is not: it would wait until there is enough to compress.
    let stream = [auth, ("accept-encoding", "gzip"), ("accept", "text/event-stream")];
    let mut client = world.with("");
    let asked = client.ask("GET", "/api/events?after=0", &stream, b"");
    let waited = tokio::time::timeout(std::time::Duration::from_millis(300), asked).await;
    assert!(waited.is_err(), "it goes on for ever");
    assert_eq!(json!(plain.json().expect("JSON")["openapi"]), "3.1.0");
}
