//! A connection that breaks while a call runs, in a session of the older revision: whoever comes back gets the answer.

use serde_json::{Value, json};

use crate::http::token;
use crate::stage::{Modern, SCRIPT, last_state, until, world};
use crate::world::{SOON, World, setup};

/// A session, and the name by which it is asked for.
pub async fn begin(modern: &Modern) -> reqwest::header::HeaderValue {
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string();
    let session = modern.post().body(hello).send().await.expect("an answer").headers()["mcp-session-id"].clone();
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    modern.post().header("mcp-session-id", session.clone()).body(ready).send().await.expect("taken");
    session
}

/// The id of the first event, after which the connection is cut.
pub async fn cut_off(modern: &Modern, session: &reqwest::header::HeaderValue, message: &str) -> String {
    let arguments = json!({"toTeam": "alpha", "message": message, "timeout": 0});
    let params = json!({"name": "team_tell", "arguments": arguments, "_meta": {"progressToken": 1}});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}).to_string();
    let request = modern.post().header("mcp-session-id", session.clone()).body(call);
    let mut response = request.send().await.expect("an answer");
    let mut text = String::new();
    loop {
        let chunk = response.chunk().await.expect("it holds").expect("it goes on");
        text.push_str(&String::from_utf8_lossy(&chunk));
        if let Some(id) = text.split("\n\n").find_map(|frame| frame.lines().find_map(|line| line.strip_prefix("id:"))) {
            return id.trim().to_owned();
        }
    }
}

pub async fn go_on(modern: &Modern, session: &reqwest::header::HeaderValue, last: &str) -> reqwest::Response {
    let request = modern.get().header("mcp-session-id", session.clone()).header("last-event-id", last);
    request.header("accept", "text/event-stream").send().await.expect("an answer")
}

/// What comes after an event, to the end.
async fn rest(modern: &Modern, session: &reqwest::header::HeaderValue, last: &str) -> Vec<Value> {
    let response = go_on(modern, session, last).await;
    assert_eq!(response.status(), 200);
    let text = response.text().await.expect("it ends");
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
}

/// Clients know 200, 204 and 405, and complain about anything else.
#[tokio::test]
async fn a_session_that_is_ended_is_gone_when_that_is_answered() {
    let world = world();
    let modern = Modern::of(&world);
    let session = begin(&modern).await;
    let ended = modern.delete().header("mcp-session-id", session.clone()).send().await.expect("an answer");
    assert_eq!((ended.status().as_u16(), ended.text().await.expect("nothing")), (204, String::new()));
    assert_eq!(go_on(&modern, &session, "0").await.status(), 404);
}

#[tokio::test]
async fn whoever_comes_back_gets_the_answer_while_it_runs_and_after() {
    let world = world();
    let modern = Modern::of(&world);
    let session = begin(&modern).await;
    for comes_late in [false, true] {
        let last = cut_off(&modern, &session, "write").await;
        if comes_late {
            until("it is done", async || last_state(&world, "user").await == "completed").await;
        }
        let heard = rest(&modern, &session, &last).await;
        let answer = heard.last().unwrap_or_else(|| panic!("nothing was said, late: {comes_late}"));
        let response = &answer["result"]["structuredContent"]["response"];
        assert_eq!(response, "one two three four five six seven eight", "{heard:?}");
        // Who had everything hears nothing again, and in another session nothing is heard of it.
        let other = begin(&modern).await;
        assert_eq!(go_on(&modern, &other, &last).await.status(), 410);
    }
}

/// What was sent with a call counts for its token as long as the call runs, whether anybody listens to it or not.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_cut_still_counts_for_its_token() {
    let world = world();
    let modern = token(&world, json!({"name": "gone", "scopes": ["read", "tell"]})).await;
    let session = begin(&modern).await;
    let call = |number: usize, message: &str, spaces: usize| {
        let arguments = json!({"toTeam": "alpha", "message": message, "timeout": 0, "fromTeam": message});
        let params = json!({"name": "team_tell", "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params});
        let body = call.to_string() + &" ".repeat(spaces);
        modern.post().header("mcp-session-id", session.clone()).body(body).send()
    };
    for number in 2..4 {
        assert_eq!(call(number, "work", 58_000_000).await.expect("an answer").status(), 200);
    }
    assert_eq!(call(4, "hello", 20_000_000).await.expect("an answer").status(), 429);
    assert_eq!(call(5, "hello", 1_000).await.expect("an answer").status(), 200, "a little is taken");
    for number in 2..4 {
        let params = json!({"requestId": number});
        let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        let request = modern.post().header("mcp-session-id", session.clone());
        request.body(cancelled.to_string()).send().await.expect("taken");
    }
    let given_back = async || call(6, "hello", 20_000_000).await.is_ok_and(|answer| answer.status() == 200);
    until("it is given back when the call is over", given_back).await;
}

/// However many things changed while nobody listened, each of them is told, once.
#[tokio::test]
async fn whoever_listens_again_hears_of_everything_that_changed() {
    let world = world();
    let modern = Modern::of(&world);
    let session = begin(&modern).await;
    let tell = async |number: usize| {
        let arguments = json!({"fromTeam": format!("n{number}"), "toTeam": "alpha", "message": "hello"});
        modern.done("team_tell", arguments).await["sessionId"].as_str().expect("an id").to_owned()
    };
    let mut watched = std::collections::BTreeSet::new();
    for number in 0..20 {
        let uri = format!("iris://sessions/{}", tell(number).await);
        let params = json!({"uri": uri});
        let call = json!({"jsonrpc": "2.0", "id": 10 + number, "method": "resources/subscribe", "params": params});
        let request = modern.post().header("mcp-session-id", session.clone()).body(call.to_string());
        assert_eq!(request.send().await.expect("an answer").status(), 200);
        watched.insert(uri);
    }
    for number in (0..20).chain(0..20) {
        tell(number).await;
    }
    // What changed last is told, too, before anybody listens.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let request = modern.get().header("mcp-session-id", session).header("accept", "text/event-stream");
    let mut response = request.send().await.expect("an answer");
    let (mut text, mut heard) = (String::new(), Vec::new());
    let until = tokio::time::Instant::now() + SOON;
    while heard.len() < watched.len() {
        let chunk = tokio::time::timeout_at(until, response.chunk()).await.unwrap_or_else(|_| panic!("only {heard:?}"));
        text.push_str(&String::from_utf8_lossy(&chunk.expect("it holds").expect("it goes on")));
        let notices = text.lines().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data:")?).ok());
        heard = notices.filter_map(|notice| Some(notice["params"]["uri"].as_str()?.to_owned())).collect();
    }
    assert_eq!(heard.iter().cloned().collect::<std::collections::BTreeSet<_>>(), watched, "{heard:?}");
}

/// An answer that is kept no longer is not an empty one.
#[tokio::test]
async fn nobody_wipes_out_the_answer_of_another_and_what_is_gone_is_said_to_be() {
    let world = World::new(setup().team("alpha", SCRIPT).server("requestsPerSecond: 10000"));
    let (owner, weak) = (Modern::of(&world), token(&world, json!({"name": "weak", "scopes": ["read"]})).await);
    let session = begin(&owner).await;
    let last = cut_off(&owner, &session, "write").await;
    until("it is done", async || last_state(&world, "user").await == "completed").await;
    let weaks = begin(&weak).await;
    for number in 10..150 {
        let params = json!({"name": "team_teams", "arguments": {}});
        let call = json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).to_string();
        let request = weak.post().header("mcp-session-id", weaks.clone()).body(call);
        request.send().await.expect("an answer").text().await.expect("it ends");
    }
    let heard = rest(&owner, &session, &last).await;
    assert!(heard.last().is_some_and(|answer| answer["result"].is_object()), "{heard:?}");
    let gone = go_on(&owner, &session, "never/1").await;
    assert_eq!(gone.status(), 410);
    let problem: Value = gone.json().await.expect("a problem");
    assert!(problem["hint"].as_str().is_some_and(|hint| hint.contains("team_report")), "{problem}");
}

/// Nor is one that was too long to be kept: the call has an end, which says where the answer is.
#[tokio::test]
async fn an_answer_that_was_too_long_to_be_kept_says_where_it_is() {
    let world = world();
    let modern = Modern::of(&world);
    let session = begin(&modern).await;
    // Each sign of it is one of six in the answer, which has it twice.
    let last = cut_off(&modern, &session, &"\"".repeat(6_000_000)).await;
    until("it is done", async || last_state(&world, "user").await == "completed").await;
    let heard = rest(&modern, &session, &last).await;
    let end = heard.last().expect("something is said");
    let said = end["error"]["message"].as_str().unwrap_or_else(|| panic!("{:.300}", end.to_string()));
    let turn = said.split_once("/api/turns/").and_then(|(_, turn)| turn.split_once(',')).expect("it names the turn").0;
    assert_eq!(end["id"], 2, "{said}");
    assert_eq!(world.get(&format!("/api/turns/{turn}")).await["state"], "completed");
}

/// Many programs of one token: none of them breaks off what another's call has told, though nobody listens to it just now.
#[tokio::test]
async fn a_call_that_was_cut_keeps_its_session_when_others_begin_theirs() {
    let teams = setup().team("alpha", SCRIPT).server("requestsPerSecond: 10000");
    let world = World::new(teams);
    let modern = token(&world, json!({"name": "many", "scopes": ["read", "tell"]})).await;
    let session = begin(&modern).await;
    let last = cut_off(&modern, &session, "write slowly").await;
    for _ in 0..101 {
        begin(&modern).await;
    }
    let heard = rest(&modern, &session, &last).await;
    let answer = heard.last().expect("something is said");
    let response = &answer["result"]["structuredContent"]["response"];
    assert_eq!(response, "one two three four five six seven eight nine ten", "{heard:?}");
}
