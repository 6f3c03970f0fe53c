//! The bridge on stdio: starting the daemon, for whom it speaks, and what a restart of the daemon is to it.

use std::time::Duration;

use iris_engine::home::Home;
use serde_json::json;
use tokio::io::AsyncReadExt;

use crate::pipe::{Pipe, Place};
use crate::stage::{newer, until};

/// Ten windows at once, no daemon: one is started and all have it.
#[tokio::test(flavor = "multi_thread")]
async fn ten_at_once_share_one_daemon_which_stays() {
    let place = Place::new();
    let folder = place.team("alpha");
    let pipes = futures_util::future::join_all((0..10).map(|_| place.open(&folder))).await;
    let daemon = place.daemon().expect("a daemon");
    for pipe in pipes {
        assert!(pipe.close().await.success());
    }
    assert_eq!(place.daemon(), Some(daemon), "it goes on without them");
    let log = std::fs::read_to_string(place.path().join("logs/daemon.log")).expect("a log");
    assert_eq!(log.matches("\"serving\"").count(), 1, "{log}");
}

#[tokio::test]
async fn whoever_is_in_the_folder_of_a_team_speaks_for_it() {
    let place = Place::new();
    let inside = place.team("beta").join("src/deep");
    std::fs::create_dir_all(&inside).expect("a folder");
    let mut pipe = place.open(&inside).await;
    assert_eq!(pipe.done("team_getTeamName", json!({})).await, json!({"team": "beta", "party": "beta"}));
    let told = pipe.done("team_tell", json!({"toTeam": "alpha", "message": "hello"})).await;
    assert_eq!((&told["from"], &told["response"]), (&json!("beta"), &json!("You said: hello")));

    let mut outside = place.open(place.path()).await;
    assert_eq!(outside.done("team_getTeamName", json!({})).await, json!({"team": null, "party": "user"}));
    let asked = outside.done("team_getTeamName", json!({"pwd": inside})).await;
    assert_eq!(asked["team"], "beta");
}

/// An agent has its tools on its own pipe, and may load the bridge too, as a server of its user's.
#[tokio::test]
async fn below_an_agent_it_offers_nothing() {
    let place = Place::new();
    let mut pipe = place.open(place.path()).await;
    let told = pipe.done("team_tell", json!({"toTeam": "alpha", "message": "hello"})).await;
    let within = async |session: &str| {
        let mut command = place.command(place.path());
        command.env("IRIS_SESSION", session);
        Place::introduced(command).await
    };
    let mut agents = within(told["sessionId"].as_str().expect("an id")).await;
    assert_eq!(agents.request("tools/list", json!({})).await["result"], json!({"tools": []}));
    for (method, params) in [
        ("tools/call", json!({"name": "session_delete", "arguments": {"toTeam": "alpha"}})),
        ("prompts/list", json!({})),
        ("resources/list", json!({})),
    ] {
        assert_eq!(agents.request(method, params).await["error"]["code"], -32601, "{method}");
    }
    assert!(agents.close().await.success());
    let mut strangers = within("of-another-daemon").await;
    let tools = strangers.request("tools/list", json!({})).await;
    assert!(tools["result"]["tools"].as_array().is_some_and(|tools| tools.len() > 12), "{tools}");
}

#[tokio::test]
async fn what_is_cancelled_is_broken_off() {
    let place = Place::new();
    let mut pipe = place.open(place.path()).await;
    let arguments = json!({"toTeam": "alpha", "message": "work", "timeout": 0});
    let call = json!({"name": "team_tell", "arguments": arguments});
    let older = pipe.begin("tools/call", call.clone()).await;
    let mut newer_call = call;
    newer_call["arguments"]["fromTeam"] = json!("beta");
    newer_call["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                                 "io.modelcontextprotocol/clientCapabilities": {}});
    let newer = pipe.begin("tools/call", newer_call).await;
    let mut other = place.open(place.path()).await;
    for (from, id) in [("user", older), ("beta", newer)] {
        let report = json!({"team": "alpha", "fromTeam": from});
        let state =
            async |other: &mut Pipe| other.done("team_report", report.clone()).await["lastTurn"]["state"].clone();
        let mut at_work = async || {
            let call = json!({"name": "team_report", "arguments": report});
            other.request("tools/call", call).await["result"]["structuredContent"]["lastTurn"]["state"] == "running"
        };
        until("it is at work", &mut at_work).await;
        pipe.send(json!({"method": "notifications/cancelled", "params": {"requestId": id}})).await;
        until("it is cancelled", async || state(&mut other).await == "cancelled").await;
    }
}

/// The daemon is killed between two requests, and in the midst of one: the client sees nothing but its answers.
#[tokio::test]
async fn a_restart_of_the_daemon_is_not_noticed() {
    let place = Place::new();
    let mut pipe = place.open(place.path()).await;
    let watched = pipe.request("resources/subscribe", json!({"uri": "iris://teams/alpha"})).await;
    assert_eq!(watched["result"], json!({}), "{watched}");
    let first = place.daemon();
    place.kill_daemon();
    let told = pipe.done("team_tell", json!({"toTeam": "alpha", "message": "after it"})).await;
    assert_eq!(told["response"], "You said: after it");
    assert_ne!(place.daemon(), first);
    until("the new one says that the team changed", async || {
        pipe.request("ping", json!({})).await;
        pipe.heard.iter().any(|notice| notice["params"]["uri"] == "iris://teams/alpha")
    })
    .await;

    let arguments = json!({"toTeam": "alpha", "message": "work", "timeout": 0});
    let id = pipe.begin("tools/call", json!({"name": "team_tell", "arguments": arguments})).await;
    let mut other = place.open(place.path()).await;
    until("it is at work", async || {
        other.done("team_report", json!({"team": "alpha"})).await["lastTurn"]["state"] == "running"
    })
    .await;
    place.kill_daemon();
    place.start_daemon().await;
    let answer = pipe.answer(id).await;
    assert_eq!(answer["result"]["structuredContent"]["status"], "terminated", "{answer}");
    let read = pipe.done("team_cache_read", json!({"team": "alpha"})).await;
    assert_eq!(read["turns"].as_array().map(Vec::len), Some(2), "it was not told again: {read}");
}

/// A client that only watches makes no request by which the bridge would find out that its session is gone.
#[tokio::test]
async fn who_only_watches_goes_on_watching_after_a_restart() {
    let place = Place::new();
    let mut watcher = place.open(place.path()).await;
    let watched = watcher.request("resources/subscribe", json!({"uri": "iris://teams/alpha"})).await;
    assert_eq!(watched["result"], json!({}), "{watched}");
    place.kill_daemon();
    let mut other = place.open(place.path()).await;
    // What happened while nobody could tell is not known, so it is said to have changed.
    assert_eq!(watcher.read().await["params"]["uri"], "iris://teams/alpha");
    other.done("team_tell", json!({"toTeam": "alpha", "message": "hello"})).await;
    let notice = watcher.read().await;
    assert_eq!(notice["method"], "notifications/resources/updated", "{notice}");
    assert_eq!(notice["params"]["uri"], "iris://teams/alpha", "{notice}");
}

/// In the newer revision, too: it is acknowledged once, and all of it is said to have changed.
#[tokio::test]
async fn who_listens_goes_on_listening_after_a_restart() {
    let place = Place::new();
    let mut watcher = Pipe::start(place.command(place.path()));
    let wanted = json!({"resourceSubscriptions": ["iris://teams/alpha"], "resourcesListChanged": true});
    let meta: serde_json::Map<_, _> = newer().map(|(name, value)| (name.to_owned(), value)).into_iter().collect();
    watcher.begin("subscriptions/listen", json!({"notifications": wanted, "_meta": meta})).await;
    let first = watcher.read().await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    place.kill_daemon();
    place.start_daemon().await;
    let (updated, listed) = (watcher.read().await, watcher.read().await);
    assert_eq!(updated["method"], "notifications/resources/updated", "{updated}");
    assert_eq!(updated["params"]["uri"], "iris://teams/alpha", "{updated}");
    assert_eq!(listed["method"], "notifications/resources/list_changed", "{listed}");
    assert_eq!(updated["params"]["_meta"], first["params"]["_meta"], "it is of the same subscription");
    let mut other = place.open(place.path()).await;
    other.done("team_tell", json!({"toTeam": "alpha", "message": "hello"})).await;
    assert_eq!(watcher.read().await["params"]["uri"], "iris://teams/alpha");
}

/// The list of resources was read: of its changes one is told, also by the next daemon.
#[tokio::test]
async fn who_read_the_list_goes_on_hearing_of_it_after_a_restart() {
    let place = Place::new();
    let mut watcher = place.open(place.path()).await;
    let listed = watcher.request("resources/list", json!({})).await;
    assert!(listed["result"]["resources"].is_array(), "{listed}");
    place.kill_daemon();
    let mut other = place.open(place.path()).await;
    let changed = "notifications/resources/list_changed";
    assert_eq!(watcher.read().await["method"], changed, "nobody knows what happened in between");
    other.done("team_tell", json!({"toTeam": "alpha", "message": "hello", "fromTeam": "somebody new"})).await;
    assert_eq!(watcher.read().await["method"], changed);
}

#[tokio::test]
async fn what_is_no_message_is_answered_with_an_error() {
    let place = Place::new();
    let mut pipe = place.open(place.path()).await;
    for (line, code) in [("not json", -32700), ("[]", -32600), ("\"text\"", -32600)] {
        pipe.write(line).await;
        assert_eq!(pipe.read().await["error"]["code"], code, "{line}");
    }
    let tell = r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"team_tell","_meta":"x"}}"#;
    pipe.write(tell).await;
    assert_eq!(pipe.read().await["error"]["code"], -32602, "{tell}");
    let answer = pipe.request("no/such/method", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    assert_eq!(answer["error"]["message"], "unknown method 'no/such/method'", "{answer}");
    assert_eq!(pipe.request("ping", json!({})).await["result"], json!({}), "it goes on");
}

/// Each of them once, at once, and by its own id: whoever waits for an answer knows what it is to.
#[tokio::test]
async fn what_is_refused_is_refused_once_and_by_its_id() {
    let place = Place::new();
    let mut pipe = Pipe::start(place.command(place.path()));
    let early = [
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"team_tell","arguments":{"toTeam":"alpha","message":"x"}}}"#,
        r#"{"id":9,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"t","version":"1"}}}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":11,"method":"tools/list","params":"x"}"#,
        r#"{"jsonrpc":"2.0","id":12,"method":"tools/list","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":13,"method":"tools/list","params":{"_meta":"x"}}"#,
    ];
    for line in early {
        pipe.write(line).await;
        let (asked, answer): (serde_json::Value, _) = (serde_json::from_str(line).expect("JSON"), pipe.read().await);
        assert_eq!(answer["id"], asked["id"], "{line}: {answer}");
        assert!(answer["error"]["message"].is_string(), "{line}: {answer}");
    }
    pipe.write(r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#).await;
    // Nothing else was said: the next line is the next answer.
    introduce(&mut pipe, 20).await;
    for line in [
        r#"{"jsonrpc":"2.0","id":21,"method":"tools/call","params":{"name":"team_tell","arguments":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":22,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":23,"method":"resources/read","params":{}}"#,
    ] {
        pipe.write(line).await;
        let answer = pipe.read().await;
        let asked: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert!(answer["id"] == asked["id"] && answer["error"].is_object(), "{line}: {answer}");
    }
}

async fn introduce(pipe: &mut Pipe, id: u64) {
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    pipe.send(json!({"id": id, "method": "initialize", "params": params})).await;
    let answer = pipe.answer(id).await;
    assert_eq!(answer["result"]["serverInfo"]["name"], "iris", "{answer}");
    assert!(pipe.heard.is_empty(), "{:?}", pipe.heard);
    pipe.send(json!({"method": "notifications/initialized"})).await;
}

/// A client counts from one again when it introduces itself again, and some never count. What is sent again is only ever
/// what the bridge itself sends again.
#[tokio::test]
async fn an_id_that_is_used_again_is_another_request() {
    let place = Place::new();
    let mut pipe = place.open(place.path()).await;
    for (number, message) in ["first", "second", "third"].into_iter().enumerate() {
        if number == 2 {
            introduce(&mut pipe, 1).await;
        }
        let arguments = json!({"toTeam": "alpha", "message": message});
        pipe.send(json!({"id": 5, "method": "tools/call", "params": {"name": "team_tell", "arguments": arguments}}))
            .await;
        let answer = pipe.answer(5).await;
        assert_eq!(answer["result"]["structuredContent"]["response"], format!("You said: {message}"), "{answer}");
    }
}

/// The daemon has a certificate for a name that means nothing here; it is on this machine all the same.
#[tokio::test]
async fn a_daemon_with_tls_is_found_and_spoken_to() {
    let place = Place::with(|setup, folder| {
        let made = rcgen::generate_simple_self_signed(vec!["iris.example".to_owned()]).expect("a certificate");
        let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
        std::fs::write(&certificate, made.cert.pem()).expect("written");
        std::fs::write(&key, made.signing_key.serialize_pem()).expect("written");
        let tls = format!("tls: {{ certificate: {}, key: {} }}", certificate.display(), key.display());
        setup.setting("host: 0.0.0.0").server(&tls).server("allowedHosts: [iris.example]")
    });
    let mut pipe = place.open(place.path()).await;
    let told = pipe.done("team_tell", json!({"toTeam": "alpha", "message": "hello"})).await;
    assert_eq!(told["response"], "You said: hello");
}

/// A file of requests, all there at once and then no more.
#[tokio::test]
async fn what_was_asked_is_answered_before_it_ends() {
    let place = Place::new();
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ];
    lines.extend((1..=5).map(|id| {
        let arguments = json!({"toTeam": "alpha", "message": format!("number {id}"), "timeout": 0});
        let call = json!({"name": "team_tell", "arguments": arguments});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call})
    }));
    let file = place.path().join("requests.jsonl");
    std::fs::write(&file, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).expect("written");
    let mut command = place.command(place.path());
    command.stdin(std::fs::File::open(file).expect("a file"));
    let ended = tokio::time::timeout(Duration::from_secs(40), command.output()).await.expect("it ends").expect("ended");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let said = String::from_utf8_lossy(&ended.stdout);
    let said: Vec<serde_json::Value> = said.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    for id in 1..=5 {
        let answer = said.iter().find(|message| message["id"] == id).expect("each has its answer");
        let response = &answer["result"]["structuredContent"]["response"];
        assert_eq!(response, &format!("You said: number {id}"), "{answer}");
    }
    assert_eq!(said[0]["id"], 0, "the introduction comes first");
}

#[tokio::test]
async fn a_daemon_that_cannot_start_is_explained() {
    let place = Place::new();
    std::fs::write(place.path().join("config.yaml"), "teams: [not, a, map]\n").expect("written");
    let mut command = place.command(place.path());
    command.stdin(std::process::Stdio::null());
    let ended = tokio::time::timeout(Duration::from_secs(30), command.output()).await.expect("it ends").expect("ended");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && ended.stdout.is_empty(), "{said}");
    assert!(said.contains("config.yaml") && said.contains("daemon.log"), "{said}");
}

/// Clients show what they are answered: without it, all that is known there is that the connection was closed.
#[tokio::test]
async fn why_there_is_no_daemon_is_the_answer_to_what_is_asked() {
    let place = Place::new();
    let config = place.path().join("config.yaml");
    let usable = std::fs::read_to_string(&config).expect("readable");
    std::fs::write(&config, "settings: { prot: 0 }\n").expect("written");
    let mut command = place.command(place.path());
    command.stderr(std::process::Stdio::piped());
    let mut pipe = Pipe::start(command);
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let newer = json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}});
    for (method, params) in [("server/discover", &newer), ("initialize", &params)] {
        let answer = pipe.request(method, params.clone()).await;
        let said = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(said.contains("config.yaml:1:13: `prot` is no key here") && said.contains("daemon.log"), "{answer}");
        assert!(!said.contains('\n'), "{said}");
    }
    // It need not be started again when that is mended.
    std::fs::write(&config, usable).expect("written");
    let answer = pipe.request("initialize", params).await;
    assert_eq!(answer["result"]["serverInfo"]["name"], "iris", "{answer}");
    pipe.close().await;
}

/// An address that was given and where nobody is, or a token that is not good there: said at once, with what to do.
#[tokio::test]
async fn a_wrong_address_and_a_wrong_token_are_said_on_both_ends() {
    let place = Place::new();
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    place.open(place.path()).await.close().await;
    let here = Home::at(place.path()).holder().and_then(|holder| holder.url).expect("a daemon's address");
    for (url, token, wanted) in [
        (format!("http://{nobody}"), None, "is IRIS_URL right"),
        (here, Some("iris_made_up"), "set IRIS_TOKEN to one that is good there"),
    ] {
        let mut command = place.command(place.path());
        command.env("IRIS_URL", url).stderr(std::process::Stdio::piped());
        token.map(|token| command.env("IRIS_TOKEN", token));
        let mut pipe = Pipe::start(command);
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let answer = pipe.request("initialize", params).await;
        let said = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(said.contains(wanted), "{answer}");
        let mut stderr = pipe.child.stderr.take().expect("a pipe");
        pipe.close().await;
        let mut text = String::new();
        stderr.read_to_string(&mut text).await.expect("readable");
        assert!(text.contains(wanted), "{text}");
    }
}
