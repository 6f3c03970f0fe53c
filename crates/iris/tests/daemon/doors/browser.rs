//! Browsers: signed in by a link, known by a cookie and by a word that only our own pages have.

use serde_json::json;

use super::caller::{bearer, code_of, is_problem};
use super::stream::Socket;
use crate::world::{ECHO, World, setup};

#[tokio::test]
async fn a_link_signs_one_browser_in_once() {
    let world = World::new(setup().team("alpha", ECHO));
    let (_, link) = world.post("/api/links", json!({})).await;
    let browser = world.sign_in(code_of(&link)).await;
    for attribute in ["Path=/", "Secure", "HttpOnly", "SameSite=Strict"] {
        assert!(browser.set.split("; ").any(|part| part == attribute), "{}", browser.set);
    }
    assert!(browser.set.starts_with("__Host-iris=iris_") && !browser.set.contains("Domain"), "{}", browser.set);
    let spent = world.send("POST", "/api/login", &[], &json!({"code": code_of(&link)}).to_string()).await;
    assert_eq!(spent.status, 409);
    assert_eq!(is_problem(&spent)["hint"], "run `iris link` for a new one");
    assert!(spent.header("set-cookie").is_none());
    let wrong = world.send("POST", "/api/login", &[], r#"{"code":"iris_guessed"}"#).await;
    assert_eq!((wrong.status, wrong.body), (409, spent.body), "a wrong code is told the same as a spent one");
    // A link is in memory only.
    let (_, other) = world.post("/api/links", json!({})).await;
    let world = world.crash_and_restart();
    let old = world.send("POST", "/api/login", &[], &json!({"code": code_of(&other)}).to_string()).await;
    assert_eq!(old.status, 409);
    let headers = [("cookie", browser.cookie.as_str()), ("iris-csrf", browser.word.as_str())];
    assert_eq!(world.send("GET", "/api/teams", &headers, "").await.status, 200, "a browser stays signed in");
}

#[tokio::test]
async fn a_hundred_who_follow_one_link_are_one_browser() {
    let world = World::new(setup().team("alpha", ECHO));
    let (_, link) = world.post("/api/links", json!({})).await;
    let code = json!({"code": code_of(&link)}).to_string();
    // Fewer than strangers may try in a second, so that it is the link that refuses them.
    let tries = (0..15).map(|_| world.send("POST", "/api/login", &[], &code));
    let statuses: Vec<u16> = futures_util::future::join_all(tries).await.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(world.get("/api/tokens").await["items"].as_array().expect("tokens").len(), 1);
}

#[tokio::test]
async fn the_cookie_alone_reads_nothing_and_changes_nothing() {
    let world = World::new(setup().team("alpha", ECHO));
    world.tell("hello").await;
    let (mine, other) = (world.browser().await, world.browser().await);
    let before = world.newest().await;
    let tell = json!({"toTeam": "alpha", "message": "x", "timeout": 0}).to_string();
    let cookie = ("cookie", mine.cookie.as_str());
    for word in [None, Some(""), Some("wrong"), Some(mine.secret()), Some(other.word.as_str())] {
        let mut headers = vec![cookie];
        headers.extend(word.map(|word| ("iris-csrf", word)));
        for (method, path, body) in [
            ("GET", "/api/sessions", ""),
            ("GET", "/api/events?after=0", ""),
            ("GET", "/mcp", ""),
            ("POST", "/api/teams/tell", tell.as_str()),
            ("POST", "/api/tokens", r#"{"name":"x","scopes":["admin"]}"#),
            ("POST", "/api/links", "{}"),
            ("POST", "/api/logout", "{}"),
            ("DELETE", "/api/tokens/nobody", ""),
        ] {
            let refused = world.send(method, path, &headers, body).await;
            assert_eq!(refused.status, 403, "{method} {path} with {word:?}");
            assert!(is_problem(&refused)["detail"].as_str().expect("a detail").contains("Iris-Csrf"));
        }
        // It says who one is, so that a page knows whether to sign in again; the word it does not say.
        let me = world.send("GET", "/api/me", &headers, "").await;
        assert!(me.status == 200 && !String::from_utf8_lossy(&me.body).contains(&mine.word), "{me:?}");
    }
    assert_eq!(world.newest().await, before, "nothing was changed");
    let headers = [cookie, ("iris-csrf", mine.word.as_str())];
    assert_eq!(world.send("POST", "/api/teams/tell", &headers, &tell).await.status, 200);
    // With a bearer token beside it the cookie does not count, in either direction.
    let bad = bearer("wrong");
    let both = [cookie, ("iris-csrf", mine.word.as_str()), ("authorization", bad.as_str())];
    assert_eq!(world.send("GET", "/api/sessions", &both, "").await.status, 401);
}

#[tokio::test]
async fn a_page_hears_whether_it_is_signed_in_without_an_error() {
    let world = World::new(setup().team("alpha", ECHO));
    let (mine, other) = (world.browser().await, world.browser().await);
    let owner = bearer(&world.daemon.token);
    let as_cookie = format!("__Host-iris={}", world.daemon.token);
    let cases: &[(&[(&str, &str)], bool)] = &[
        (&[("cookie", &mine.cookie), ("iris-csrf", &mine.word)], true),
        (&[("cookie", &mine.cookie)], false),
        (&[("cookie", &mine.cookie), ("iris-csrf", "")], false),
        (&[("cookie", &mine.cookie), ("iris-csrf", &other.word)], false),
        (&[("iris-csrf", &mine.word)], false),
        (&[("cookie", "__Host-iris=iris_of_before"), ("iris-csrf", &mine.word)], false),
        (&[("cookie", &as_cookie), ("iris-csrf", "")], false),
        (&[("authorization", &owner)], false),
        (&[], false),
    ];
    for (headers, signed_in) in cases {
        let answer = world.send("GET", "/api/login", headers, "").await;
        assert_eq!(
            (answer.status, answer.json().expect("an object")),
            (200, json!({"signedIn": signed_in})),
            "{headers:?}"
        );
        assert!(answer.header("set-cookie").is_none());
    }
    // Also while somebody guesses, and of whatever it is that they try.
    for number in 0..60 {
        let guess = format!("__Host-iris=iris_{number}");
        let answer = world.send("GET", "/api/login", &[("cookie", &guess)], "").await;
        assert_eq!((answer.status, answer.json().expect("an object")), (200, json!({"signedIn": false})));
    }
}

#[tokio::test]
async fn signing_out_ends_the_cookie() {
    let world = World::new(setup().team("alpha", ECHO));
    let (mine, other) = (world.browser().await, world.browser().await);
    let headers = [("cookie", mine.cookie.as_str()), ("iris-csrf", mine.word.as_str())];
    let out = world.send("POST", "/api/logout", &headers, "").await;
    assert_eq!(out.status, 204);
    assert!(out.header("set-cookie").is_some_and(|set| set.starts_with("__Host-iris=;") && set.contains("Max-Age=0")));
    assert_eq!(world.send("GET", "/api/teams", &headers, "").await.status, 401);
    let other = [("cookie", other.cookie.as_str()), ("iris-csrf", other.word.as_str())];
    assert_eq!(world.send("GET", "/api/teams", &other, "").await.status, 200, "the other one is still signed in");
}

#[tokio::test]
async fn a_socket_of_a_browser_needs_our_own_page() {
    let world = World::new(setup().team("alpha", ECHO));
    let browser = world.browser().await;
    let own = format!("http://{}", world.daemon.address);
    let (cookie, word) = (("cookie", browser.cookie.as_str()), format!("iris, {}", browser.word));
    let (origin, protocol) = (("origin", own.as_str()), ("sec-websocket-protocol", word.as_str()));
    for headers in [
        vec![cookie],
        vec![cookie, protocol],
        vec![cookie, origin],
        vec![cookie, origin, ("sec-websocket-protocol", "iris, wrong")],
        vec![cookie, protocol, ("origin", "http://evil.example")],
        vec![cookie, protocol, ("origin", "null")],
        vec![cookie, protocol, ("origin", "http://127.0.0.1:1")],
    ] {
        assert_eq!(Socket::open(&world, "/api/stream", &headers).await.err(), Some(403), "{headers:?}");
    }
    let mut socket = Socket::open(&world, "/api/stream?after=0", &[cookie, origin, protocol]).await.expect("open");
    assert_eq!(socket.next().await.expect("an event")["type"], "event");
    // Whoever signs out there is signed out everywhere.
    let headers = [cookie, ("iris-csrf", browser.word.as_str())];
    assert_eq!(world.send("POST", "/api/logout", &headers, "").await.status, 204);
    socket.closed().await;
}
