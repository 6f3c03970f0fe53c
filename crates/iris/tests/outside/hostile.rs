//! A real browser, signed in to Iris, on pages of others that try hundreds of ways in: nothing is read, nothing is changed.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::found;
use crate::world::{World, setup};

const SCRIPT: &str = "replies:\n  - match: ask\n    do: [{ permission: { tool: Bash, input: { command: make } } }]\n\
                      default: [{ say: 'You said: {{text}}' }]\n";

/// What can be known about Iris from inside, without what time alone changes.
async fn state(world: &World) -> Value {
    let mut tokens = world.get("/api/tokens").await["items"].clone();
    for token in tokens.as_array_mut().expect("tokens") {
        token.as_object_mut().expect("a token").remove("usedAt");
    }
    let status = world.get("/api/status").await;
    let sessions = world.get("/api/sessions").await["items"].as_array().map(Vec::len);
    let open = world.get("/api/questions/pending").await["questions"].clone();
    json!({"tokens": tokens, "newest": status["newestEvent"], "agents": status["agents"], "sessions": sessions, "open": open})
}

/// Once the consequences of what the test did itself are over.
async fn settled(world: &World) -> Value {
    loop {
        let before = state(world).await;
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        if state(world).await == before {
            return before;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_of_another_origin_reads_or_changes_anything() {
    let (Some(chromium), Some(modules)) = (found("IRIS_TEST_CHROMIUM"), found("IRIS_TEST_PLAYWRIGHT")) else { return };
    let world = World::new(setup().team("alpha", SCRIPT).team_key("grantPermission: ask"));
    world.tell("hello").await;
    world.tell_async("asker", "ask").await;
    let question = world.open_question().await["id"].as_str().expect("an id").to_owned();
    let (_, link) = world.post("/api/links", json!({})).await;
    let code = link["path"].as_str().and_then(|path| path.strip_prefix("/login#")).expect("a code");
    let backup = world.path().join("stolen.tar");
    let job = json!({
        "chromium": chromium,
        "modules": modules,
        "iris": format!("http://{}", world.daemon.address),
        "code": code,
        "probes": Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outside/hostile/probes.js"),
        "reads": ["/api/me", "/api/sessions", "/api/events?after=0", "/api/openapi.json", "/metrics"],
        "writes": [
            {"path": "/api/teams/tell", "body": r#"{"toTeam":"alpha","message":"from a hostile page"}"#},
            {"path": "/api/tokens", "body": r#"{"name":"stolen","scopes":["admin"]}"#},
            {"path": format!("/api/questions/{question}/answer"), "body": r#"{"response":{"value":true}}"#},
            {"path": "/api/backup", "body": json!({"path": backup}).to_string()},
            {"path": "/api/agents/stop", "body": "{}"},
            {"path": "/api/logout", "body": "{}"},
            {"path": "/mcp", "body": r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#},
        ],
    });
    // Signing in changes something, so it is looked at from the outside: everything but the one browser.
    let before = settled(&world).await;
    let found = run("hostile/attack.mjs", &job).await;

    assert_eq!(
        (&found["before"], &found["after"]),
        (&json!(200), &json!(200)),
        "the browser itself is signed in, and stays"
    );
    let tries = found["tries"].as_array().expect("tries");
    let control = &found["control"];
    eprintln!("{} tries; against a careless server: {control}", tries.len());
    assert!(tries.len() >= 200, "{}", tries.len());
    let read: Vec<_> = tries.iter().filter(|tried| was_read(tried)).collect();
    assert!(read.is_empty(), "{} could read something: {read:#?}", read.len());
    assert!(
        control["read"].as_u64() > Some(40) && control["effects"].as_u64() > Some(60),
        "the probes are blind: {control}"
    );

    let mut after = state(&world).await;
    let tokens = after["tokens"].as_array_mut().expect("tokens");
    let browser = tokens.iter().position(|token| token["kind"] == "browser").expect("the browser is there");
    tokens.remove(browser);
    // The one event is that the browser was signed in.
    let happened = world.get(&format!("/api/events?after={}", before["newest"])).await["items"].clone();
    assert_eq!(happened.as_array().map(Vec::len), Some(1), "something happened: {happened:#}");
    after["newest"] = before["newest"].clone();
    assert_eq!(after, before, "something was changed");
    assert!(!backup.exists());

    what_the_other_port_learnt_is_worth_nothing(&world, &found["cookies"], &question).await;
}

/// A refusal may be seen by a page whose own name points here; what it says is nobody's secret.
fn was_read(tried: &Value) -> bool {
    let read = tried["read"].as_str().expect("text");
    let is_refusal = ["401 ", "403 "].iter().any(|status| read.starts_with(status)) || read.contains(r#""status":403"#);
    !read.is_empty() && !is_refusal
}

/// A browser sends its cookies to every port of a host, so a server on another port has seen ours.
async fn what_the_other_port_learnt_is_worth_nothing(world: &World, cookies: &Value, question: &str) {
    let cookie =
        cookies.as_array().expect("cookies").iter().filter_map(Value::as_str).find(|c| c.contains("__Host-iris="));
    let cookie = cookie.expect("the other port was sent the cookie, or this proves nothing");
    let origin = format!("http://{}", world.daemon.address);
    let headers = [("cookie", cookie), ("origin", &origin), ("content-type", "application/json")];
    let before = state(world).await;
    let mut client = world.client();
    for path in ["/api/sessions", "/api/events", "/api/tokens", "/api/questions/pending", "/api/teams", "/metrics"] {
        assert_eq!(client.ask("GET", path, &headers, b"").await.expect("an answer").status, 403, "{path}");
    }
    let answer = format!("/api/questions/{question}/answer");
    for (path, body) in [
        (answer.as_str(), r#"{"response":{"value":true}}"#),
        ("/api/teams/tell", r#"{"toTeam":"alpha","message":"x"}"#),
        ("/api/links", "{}"),
        ("/api/logout", "{}"),
        ("/mcp", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#),
    ] {
        assert_eq!(client.ask("POST", path, &headers, body.as_bytes()).await.expect("an answer").status, 403, "{path}");
    }
    assert_eq!(state(world).await, before);
}

/// What a script says that drives the browser.
pub async fn run(script: &str, job: &Value) -> Value {
    let home = tempfile::tempdir().expect("a folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outside").join(script);
    let mut command = Command::new("node");
    command
        .arg(script)
        .arg(job.to_string())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home.path())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let ended = tokio::time::timeout(std::time::Duration::from_secs(420), command.output()).await;
    let ended = ended.expect("it ends").expect("node runs");
    let (said, complained) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success(), "{complained}");
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}\n{complained}"))
}
