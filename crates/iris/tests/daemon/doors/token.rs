//! Tokens: made, shown once, kept as a digest, listed, ended.

use std::path::Path;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::caller::{bearer, is_problem};
use super::stream::Socket;
use crate::world::{ECHO, SOON, World, setup};

#[tokio::test]
async fn a_secret_is_in_no_file_no_log_and_no_event() {
    let world = World::new(setup().team("alpha", ECHO).env("IRIS_LOG", "trace"));
    let token = world.token("ci", &["read", "tell"]).await;
    let browser = world.browser().await;
    let tell = json!({"toTeam": "alpha", "message": "hello", "timeout": 0});
    assert_eq!(world.with(&token).post("/api/teams/tell", &tell).await.expect("an answer").status, 200);
    let headers = [("cookie", browser.cookie.as_str()), ("iris-csrf", browser.word.as_str())];
    assert_eq!(world.send("GET", "/api/sessions", &headers, "").await.status, 200);
    // Refused ones end in no log either.
    world.send("GET", "/api/sessions", &[("authorization", "Bearer iris_mistyped_secret")], "").await;
    world.send("GET", "/api/sessions?token=iris_in_the_url", &[], "").await;
    let shown = [world.get("/api/tokens").await, world.get("/api/events?limit=1000").await];
    let secrets = [token.as_str(), browser.secret(), &browser.word, "iris_mistyped_secret", "iris_in_the_url"];
    for secret in secrets {
        assert!(shown.iter().all(|page| !page.to_string().contains(secret)), "it is shown again");
        assert!(!world.daemon.log().contains(secret), "it is in the log");
    }
    let home = world.path().to_owned();
    let World { daemon, home: kept, .. } = world;
    // The owner's own token is in its own file, and only there.
    let owner = daemon.token.clone();
    daemon.stop().expect("it stops");
    let mut seen = 0;
    each_file(&home, &mut |path, bytes| {
        seen += 1;
        for secret in secrets {
            assert!(!has(bytes, secret.as_bytes()), "a secret is in {}", path.display());
        }
        assert!(path.ends_with("token") || !has(bytes, owner.as_bytes()), "the owner's is in {}", path.display());
    });
    assert!(seen > 3, "there is a database to look at");
    drop(kept);
}

fn has(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

fn each_file(folder: &Path, look: &mut impl FnMut(&Path, &[u8])) {
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir() {
            each_file(&entry.path(), look);
        } else if kind.is_file() {
            look(&entry.path(), &std::fs::read(entry.path()).expect("a file"));
        }
    }
}

#[tokio::test]
async fn a_token_lasts_over_a_restart_and_not_beyond_its_time() {
    let world = World::new(setup().team("alpha", ECHO));
    let lasting = world.token("lasting", &["read"]).await;
    let short = world.make_token(json!({"name": "short", "scopes": ["read"], "expiresIn": 1500})).await;
    assert_eq!(world.with(&short).get("/api/teams").await.expect("an answer").status, 200);
    let mut following = world.with(&short).follow("/api/events").await.expect("a stream");
    let mut socket = Socket::open(&world, "/api/stream", &[("authorization", &bearer(&short))]).await.expect("open");
    // It ends by itself, and what it had open ends with it, and says why.
    let (name, why) = following.next(SOON).await.expect("a last word");
    assert_eq!((name.as_str(), &why["why"]), ("dropped", &json!("the credential is good no longer")));
    assert!(following.next(SOON).await.expect_err("it ends").to_string().contains("ended"));
    socket.closed().await;
    let world = world.crash_and_restart();
    assert_eq!(world.with(&lasting).get("/api/teams").await.expect("an answer").status, 200);
    assert_eq!(world.with(&short).get("/api/teams").await.expect("an answer").status, 401);
}

/// Not only is nothing more said: the connection itself is closed.
#[tokio::test]
async fn a_stream_takes_its_connection_with_it() {
    let world = World::new(setup().team("alpha", ECHO));
    let token = world.token("one", &["read"]).await;
    let mut stream = tokio::net::TcpStream::connect(&world.daemon.address).await.expect("connected");
    let head = format!("GET /api/events?after=0 HTTP/1.1\r\nhost: localhost\r\nauthorization: {}\r\n", bearer(&token));
    stream.write_all(format!("{head}accept: text/event-stream\r\n\r\n").as_bytes()).await.expect("sent");
    let mut heard = vec![0; 12];
    stream.read_exact(&mut heard).await.expect("an answer");
    assert_eq!(heard, b"HTTP/1.1 200");
    assert_eq!(world.client().delete("/api/tokens/one").await.expect("an answer").status, 200);
    stream.read_to_end(&mut heard).await.expect("it ends");
    let heard = String::from_utf8_lossy(&heard);
    assert!(heard.contains("connection: close\r\n") && heard.ends_with("0\r\n\r\n"), "in good order: {heard}");
}

#[tokio::test]
async fn a_revoked_token_opens_nothing_and_keeps_nothing_open() {
    let world = World::new(setup().team("alpha", ECHO));
    let tokens = [world.token("one", &["read"]).await, world.token("two", &["read"]).await];
    let listed = world.get("/api/tokens").await;
    let id = listed["items"][1]["id"].as_str().expect("an id").to_owned();
    assert_eq!(listed["items"].as_array().expect("tokens").len(), 2);
    for (token, named) in tokens.iter().zip(["one", id.as_str()]) {
        let mut following = world.with(token).follow("/api/events?after=0").await.expect("a stream");
        following.next(SOON).await.expect("it is open");
        let mut socket = Socket::open(&world, "/api/stream?after=0", &[("authorization", &bearer(token))]).await;
        let socket = socket.as_mut().expect("open");
        socket.next().await.expect("it is open");
        let gone = world.client().delete(&format!("/api/tokens/{named}")).await.expect("an answer");
        assert_eq!(gone.status, 200);
        assert_eq!(world.with(token).get("/api/teams").await.expect("an answer").status, 401);
        let mut last = json!(null);
        while let Ok((name, data)) = following.next(SOON).await {
            last = json!({ "name": name, "data": data });
        }
        let why = json!({ "why": "the credential is good no longer" });
        assert_eq!(last, json!({ "name": "dropped", "data": why }), "it is told why");
        assert_eq!(socket.code().await, Some(1008), "it is told why");
    }
    assert_eq!(world.get("/api/tokens").await["items"], json!([]));
    let again = world.client().delete("/api/tokens/one").await.expect("an answer");
    assert_eq!(is_problem(&again)["hint"], "run `iris token list` to see them");
}

/// Whoever waits for an answer when its token is revoked gets none; what it asked for goes on.
#[tokio::test]
async fn a_revoked_token_hears_no_answer_that_it_waited_for() {
    let script = "default: [{ delay: 3s }, { say: 'the answer' }]\n";
    let world = World::new(setup().team("alpha", script));
    let token = world.token("leaving", &["read", "tell"]).await;
    let mut client = world.with(&token);
    let tell = json!({"toTeam": "alpha", "message": "work", "timeout": 0, "fromTeam": "leaving"});
    let revoked = async {
        while world.events("turn.started").await.is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        assert_eq!(world.client().delete("/api/tokens/leaving").await.expect("an answer").status, 200);
    };
    let (answer, ()) = tokio::join!(client.post("/api/teams/tell", &tell), revoked);
    let answer = answer.expect("an answer");
    assert_eq!(answer.status, 401);
    is_problem(&answer);
    let turn = world.events("turn.started").await[0]["turn"].as_str().expect("a turn").to_owned();
    assert_eq!(world.ended(&turn).await["state"], "completed");
}

#[tokio::test]
async fn what_cannot_be_a_token_is_refused_and_makes_none() {
    let world = World::new(setup().team("alpha", ECHO));
    world.token("taken", &["read"]).await;
    let cases = [
        (json!({"name": "x", "scopes": ["root"]}), 422, "'root' is no scope; there are read, tell, answer and admin"),
        (json!({"name": "x", "scopes": []}), 422, "without any scope"),
        (json!({"name": "x", "kind": "owner"}), 422, "'owner' is no kind of token"),
        (json!({"name": "x", "kind": "browser"}), 422, "'browser' is no kind of token"),
        (json!({"name": "alpha", "kind": "agent", "scopes": ["answer"]}), 422, "agents do not decide"),
        (json!({"name": "alpha", "kind": "agent", "scopes": ["read", "admin"]}), 422, "agents do not decide"),
        (json!({"name": "x", "kind": "agent", "party": "user"}), 422, "there is no team 'user'"),
        (json!({"name": "", "scopes": ["read"]}), 422, "1 to 64 characters"),
        (json!({"name": "a\u{7}b"}), 422, "1 to 64 characters"),
        (json!({"name": "ci\u{202e}nimda"}), 422, "1 to 64 characters that can be printed"),
        (json!({"name": "c\u{200b}i"}), 422, "1 to 64 characters that can be printed"),
        (json!({"name": "x", "party": "u\u{200b}ser"}), 422, "1 to 64 characters that can be printed"),
        (json!({"name": "owner"}), 422, "'owner' has a meaning of its own"),
        (json!({"name": "Iris"}), 422, "'Iris' has a meaning of its own"),
        (json!({"name": "x", "party": "JOB-1"}), 422, "'JOB-1' has a meaning of its own"),
        (json!({"name": "alpha"}), 422, "'alpha' is the name of a team"),
        (json!({"name": "ALPHA"}), 422, "'ALPHA' is the name of a team"),
        (json!({"name": "Taken"}), 409, "there is a token 'taken' already"),
        (json!({"name": "n".repeat(65)}), 422, "1 to 64 characters"),
        (json!({"name": "taken"}), 409, "there is a token 'taken' already"),
        (json!({"name": "x", "expiresIn": 0}), 422, "expired already"),
        (json!({"name": "x", "expiresIn": 8_639_999_999_913_600_000_u64}), 422, "10 years at most"),
        (json!({"name": "x", "expiresIn": -5}), 422, "expiresIn"),
        (json!({"name": "x", "secret": "mine"}), 422, "secret"),
    ];
    for (wanted, status, detail) in cases {
        let (found, problem) = world.post("/api/tokens", wanted.clone()).await;
        assert_eq!(found, status, "{wanted}: {problem}");
        assert!(problem["detail"].as_str().expect("a detail").contains(detail), "{problem}");
        assert!(problem["hint"].is_string(), "{problem}");
    }
    assert_eq!(world.get("/api/tokens").await["items"].as_array().expect("tokens").len(), 1);
}

/// Links wait for somebody to follow them, and there are only so many: of each who makes them.
#[tokio::test]
async fn nobody_s_links_push_out_those_of_another() {
    let world = World::new(setup().team("alpha", ECHO).server("requestsPerSecond: 10000"));
    let (_, mine) = world.post("/api/links", json!({})).await;
    let token = world.token("linker", &["read"]).await;
    let mut links = Vec::new();
    for _ in 0..70 {
        let made = world.with(&token).post("/api/links", &json!({})).await.expect("an answer");
        assert_eq!(made.status, 200, "{made:?}");
        links.push(made.json().expect("JSON"));
    }
    let follow = async |link: &serde_json::Value| {
        let code = json!({"code": super::caller::code_of(link)}).to_string();
        world.send("POST", "/api/login", &[], &code).await.status
    };
    assert_eq!(follow(&mine).await, 200, "it is still there");
    assert_eq!((follow(&links[0]).await, follow(&links[69]).await), (409, 200), "its own oldest went");
    assert_eq!(world.client().delete("/api/tokens/linker").await.expect("an answer").status, 200);
    assert_eq!(follow(&links[68]).await, 409, "they go with their token");
}

#[tokio::test]
async fn a_browser_ends_with_the_token_that_signed_it_in() {
    let world = World::new(setup().team("alpha", ECHO));
    let lender = world.make_token(json!({"name": "lender", "scopes": ["read"], "expiresIn": 3_600_000})).await;
    let link = |token: String| {
        let mut client = world.with(&token);
        async move { client.post("/api/links", &json!({})).await.expect("an answer").json().expect("JSON") }
    };
    let (used, unused) = (link(lender.clone()).await, link(lender.clone()).await);
    let browser = world.sign_in(super::caller::code_of(&used)).await;
    let listed = world.get("/api/tokens").await["items"].clone();
    let of = |kind: &str| listed.as_array().expect("tokens").iter().find(|t| t["kind"] == kind).cloned();
    let (token, signed_in) = (of("human").expect("the token"), of("browser").expect("the browser"));
    assert_eq!(signed_in["scopes"], json!(["read"]), "no more than the token has");
    assert_eq!(signed_in["expiresAt"], token["expiresAt"], "and no longer");
    let headers = [("cookie", browser.cookie.as_str()), ("iris-csrf", browser.word.as_str())];
    assert_eq!(world.send("GET", "/api/teams", &headers, "").await.status, 200);
    assert_eq!(world.client().delete("/api/tokens/lender").await.expect("an answer").status, 200);
    assert_eq!(world.send("GET", "/api/teams", &headers, "").await.status, 401);
    let code = json!({"code": super::caller::code_of(&unused)}).to_string();
    assert_eq!(world.send("POST", "/api/login", &[], &code).await.status, 409, "its links are void too");
    assert_eq!(world.get("/api/tokens").await["items"], json!([]));
}
