//! Tools over HTTP: what they answer, who is believed, what happens when nobody listens any more.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::stage::{Modern, http, last_state, until, world};
use crate::world::World;

#[tokio::test]
async fn every_tool_says_what_it_takes_answers_and_does() {
    let world = world();
    let listed = Modern::of(&world).request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().expect("tools").clone();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect();
    let wanted = "team_tell team_teams team_getTeamName team_wake team_wake_all team_isAwake team_sleep team_cancel \
                  team_report team_cache_read team_cache_clear team_fork ask_question send_message ask_message \
                  quick_message \
                  list_teams team_status session_report session_cancel session_fork session_reboot session_delete";
    assert_eq!(names.join(" "), wanted.split_whitespace().collect::<Vec<_>>().join(" "));
    for tool in &tools {
        assert!(tool["description"].as_str().is_some_and(|text| text.len() > 20), "{tool}");
        assert_eq!((&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]), (&json!("object"), &json!("object")));
        let said = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
        assert!(said.iter().all(|hint| tool["annotations"][hint].is_boolean()), "{tool}");
    }
}

#[tokio::test]
async fn a_tell_is_answered_with_structure_and_text() {
    let world = world();
    let modern = Modern::of(&world);
    let result = modern.call("team_tell", json!({"toTeam": "alpha", "message": "hello"})).await;
    let answer = &result["structuredContent"];
    assert_eq!((&answer["status"], &answer["response"]), (&json!("completed"), &json!("You said: hello")));
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(&text, answer);

    let quick = modern.done("quick_message", json!({"toTeam": "alpha", "message": "later"})).await;
    assert_eq!(quick["status"], "async");
    let asked = modern.done("ask_message", json!({"toTeam": "alpha", "message": "and now"})).await;
    assert_eq!(asked["response"], "You said: and now");
    let soon = modern.done("send_message", json!({"toTeam": "alpha", "message": "work", "timeout": 50})).await;
    assert_eq!(soon["status"], "mcp_timeout");
    let cancelled = modern.done("session_cancel", json!({"toTeam": "alpha"})).await;
    assert_eq!(cancelled["cancelled"], json!([soon["turnId"]]));
}

#[tokio::test]
async fn what_goes_wrong_is_said_with_what_to_do() {
    let world = world();
    let modern = Modern::of(&world);
    let unknown = modern.refused("team_tell", json!({"toTeam": "nobody", "message": "x"})).await;
    assert_eq!(unknown, "there is no team 'nobody'; known teams: alpha, beta");
    let strange = modern.refused("team_tell", json!({"toTeam": "alpha", "message": "x", "loud": true})).await;
    assert_eq!(
        strange,
        "team_tell: it takes no `loud`; it takes `toTeam`, `message`, `timeout`, `delay`, `key`, `fromTeam`"
    );
    let short = modern.refused("team_tell", json!({"toTeam": "alpha"})).await;
    assert_eq!(short, "team_tell: `message` is missing");
    let wrong = modern.refused("team_tell", json!({"toTeam": "alpha", "message": "x", "timeout": "soon"})).await;
    assert_eq!(wrong, "team_tell: `timeout`: invalid type: string \"soon\", expected a whole number");
    let options = json!({"question": "x", "type": "choice", "options": [{"value": 1}]});
    let wrong = modern.refused("ask_question", options).await;
    assert!(wrong.contains("an option is a text, or an object with a `label`"), "{wrong}");
    let silent = modern.refused("team_report", json!({"team": "alpha"})).await;
    assert_eq!(silent, "you have not spoken to alpha yet; use team_tell");
    let dead = modern.call("team_tell", json!({"toTeam": "alpha", "message": "die"})).await;
    assert_eq!((&dead["isError"], &dead["structuredContent"]["status"]), (&json!(true), &json!("terminated")));
    let words = dead["content"][0]["text"].as_str().expect("words");
    assert!(!words.contains("It had said"), "it said nothing: {words}");

    for params in [json!({"name": "no_such_tool", "arguments": {}}), json!({"name": "team_teams", "arguments": "x"})] {
        let answer = modern.request("tools/call", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let broken = modern.post().body("{").send().await.expect("an answer");
    assert_eq!(broken.status(), 400);
    let broken: Value = serde_json::from_str(&broken.text().await.expect("text")).expect("JSON");
    assert_eq!(broken["error"]["code"], -32700, "{broken}");
    let turns = modern.done("team_report", json!({"team": "alpha"})).await;
    assert_eq!(turns["lastTurn"]["number"], 1, "what was refused was not told: {turns}");
}

#[tokio::test]
async fn a_conversation_belongs_to_whom_the_owner_names() {
    let world = world();
    let modern = Modern::of(&world);
    modern.done("team_tell", json!({"toTeam": "alpha", "message": "mine"})).await;
    modern.done("team_tell", json!({"toTeam": "alpha", "message": "theirs", "fromTeam": "beta"})).await;
    let read = modern.done("team_cache_read", json!({"team": "alpha", "fromTeam": "beta"})).await;
    let said: Vec<_> = read["turns"].as_array().expect("turns").iter().map(|turn| &turn["message"]).collect();
    assert_eq!(said, ["theirs"]);

    let forked = modern.done("team_fork", json!({"team": "alpha", "fromTeam": "beta", "as": "gamma"})).await;
    assert_eq!(forked["fromTeam"], "gamma");
    let taken = modern.refused("team_fork", json!({"team": "alpha", "fromTeam": "beta", "as": "gamma"})).await;
    assert_eq!(taken, "gamma has a session with this team already; name another with `as` (on the command line --as)");
    for odd in ["a\u{202e}b", "owner"] {
        let refused = modern.refused("team_fork", json!({"team": "alpha", "fromTeam": "beta", "as": odd})).await;
        assert!(refused.contains("party"), "{refused}");
    }
    let rebooted = modern.done("session_reboot", json!({"toTeam": "alpha", "fromTeam": "beta"})).await;
    assert_eq!((&rebooted["hadSession"], &rebooted["forgotten"]), (&json!(true), &json!(1)));
    let deleted = modern.done("session_delete", json!({"toTeam": "alpha", "fromTeam": "nobody"})).await;
    assert_eq!(deleted["hadSession"], false);
    let status = modern.done("team_status", json!({"team": "alpha"})).await;
    assert_eq!(status["teams"], json!([{"team": "alpha", "awake": true, "state": "idle", "queued": 0}]));
}

#[tokio::test]
async fn a_tell_that_comes_twice_is_made_once() {
    let world = world();
    let modern = Modern::of(&world);
    let (arguments, meta) = (json!({"toTeam": "alpha", "message": "once"}), json!({"iris/key": "k-1"}));
    let first = modern.begin_call("team_tell", arguments.clone(), meta.clone()).await.last().await;
    let again = modern.begin_call("team_tell", arguments, meta).await.last().await;
    let turn = |answer: &Value| answer["result"]["structuredContent"]["turnId"].clone();
    assert_eq!(turn(&first), turn(&again));
    let keyed = json!({"toTeam": "alpha", "message": "other words", "key": "k-1"});
    let refused = modern.refused("team_tell", keyed).await;
    assert!(refused.contains("key was used before"), "{refused}");
}

#[tokio::test]
async fn progress_tells_what_was_written_so_far() {
    let world = world();
    let modern = Modern::of(&world);
    let arguments = json!({"toTeam": "alpha", "message": "write", "timeout": 0});
    let mut messages = modern.begin_call("team_tell", arguments, json!({"progressToken": "p"})).await;
    let (mut told, mut last) = (Vec::new(), Value::Null);
    while let Some(message) = messages.next().await {
        if message["method"] == "notifications/progress" {
            assert_eq!(message["params"]["progressToken"], "p");
            told.push(message["params"].clone());
        } else {
            last = message;
        }
    }
    let whole = "one two three four five six seven eight";
    assert_eq!(last["result"]["structuredContent"]["response"], whole);
    let texts: Vec<_> = told.iter().map(|progress| progress["message"].as_str().expect("text")).collect();
    assert!(texts.len() >= 2 && texts.iter().all(|text| whole.starts_with(text)), "{texts:?}");
    let rises = told.windows(2).all(|pair| pair[0]["progress"].as_f64() < pair[1]["progress"].as_f64());
    assert!(rises, "{told:?}");
}

/// Clients give up a connection on which nothing comes for five minutes, so an answer that takes long is a stream, whatever
/// the client named first and though it wants no progress.
#[tokio::test]
async fn a_call_that_takes_long_is_answered_by_a_stream_that_begins_soon() {
    let world = world();
    let modern = Modern::of(&world);
    let quick = modern.begin_call("team_tell", json!({"toTeam": "alpha", "message": "hi"}), json!({})).await;
    assert_eq!(quick.kind(), "application/json");
    quick.last().await;

    let began = Instant::now();
    let think = json!({"toTeam": "alpha", "message": "think", "timeout": 0});
    let messages = modern.begin_call("team_tell", think, json!({})).await;
    assert_eq!(messages.kind(), "text/event-stream");
    assert_eq!(last_state(&world, "user").await, "running", "after {:?}", began.elapsed());
    assert_eq!(messages.last().await["result"]["structuredContent"]["response"], "thought");

    let work = json!({"toTeam": "alpha", "message": "work", "timeout": 0});
    drop(modern.begin_call("team_tell", work, json!({})).await);
    until("a stream that is left is a call that is cancelled", async || {
        last_state(&world, "user").await == "cancelled"
    })
    .await;
}

/// Nobody listens any more: the turn is broken off. With a key the call may come again first, and goes on.
#[tokio::test]
async fn a_call_that_is_dropped_is_broken_off_unless_it_comes_again() {
    let world = world();
    let modern = Modern::of(&world);
    let work = json!({"toTeam": "alpha", "message": "work", "timeout": 0});
    let dropped = modern.begin_call("team_tell", work.clone(), json!({"progressToken": 1}));
    assert!(tokio::time::timeout(Duration::from_millis(500), dropped).await.is_err(), "it is at work");
    until("it is cancelled", async || last_state(&world, "user").await == "cancelled").await;

    let mut theirs = work;
    theirs["fromTeam"] = json!("beta");
    let keyed = || modern.begin_call("team_tell", theirs.clone(), json!({"iris/key": "k-2"}));
    assert!(tokio::time::timeout(Duration::from_millis(500), keyed()).await.is_err(), "it is at work");
    assert!(tokio::time::timeout(Duration::from_millis(500), keyed()).await.is_err(), "it still is");
    assert_eq!(last_state(&world, "beta").await, "running");
    let waiting = keyed();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        modern.request("iris/cancel", json!({"key": "k-2", "fromTeam": "beta"})).await
    };
    let (answer, cancelled) = tokio::join!(async { waiting.await.last().await }, cancel);
    assert_eq!(answer["result"]["structuredContent"]["status"], "cancelled", "{answer}");
    assert!(cancelled["result"]["cancelled"].as_u64().is_some_and(|count| count >= 1), "{cancelled}");
}

/// Whoever hung up and then says that it was meant so need not wait until nobody can come again.
#[tokio::test]
async fn a_call_that_was_left_can_be_cancelled_at_once() {
    let world = world();
    let modern = Modern::of(&world);
    let work = json!({"toTeam": "alpha", "message": "work", "timeout": 0});
    let keyed = modern.begin_call("team_tell", work, json!({"iris/key": "k-3"}));
    assert!(tokio::time::timeout(Duration::from_millis(500), keyed).await.is_err(), "it is at work");
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(last_state(&world, "user").await, "running");
    let cancelled = modern.request("iris/cancel", json!({"key": "k-3"})).await;
    assert_eq!(cancelled["result"]["cancelled"], 1, "{cancelled}");
    until("it is cancelled", async || last_state(&world, "user").await == "cancelled").await;
}

#[tokio::test]
async fn foreign_pages_and_strangers_get_nowhere() {
    let world = world();
    let modern = Modern::of(&world);
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let with = |name: &'static str, value: &'static str| modern.post().header(name, value).body(body).send();
    assert_eq!(with("origin", "http://evil.example").await.expect("an answer").status(), 403);
    assert_eq!(with("host", "evil.example").await.expect("an answer").status(), 403);
    let stranger = http().post(format!("http://{}/mcp", world.daemon.address)).body(body);
    assert_eq!(stranger.send().await.expect("an answer").status(), 401);
    assert_eq!(with("mcp-session-id", "made-up").await.expect("an answer").status(), 404);
}

#[tokio::test]
async fn prompts_are_written_and_names_completed() {
    let world = world();
    let modern = Modern::of(&world);
    let arguments = json!({"team": "beta", "question": "Which port?"});
    let asked = modern.request("prompts/get", json!({"name": "ask_team", "arguments": arguments})).await;
    let text = asked["result"]["messages"][0]["content"]["text"].as_str().expect("text").to_owned();
    assert!(text.contains("toTeam \"beta\"") && text.contains("Which port?"), "{text}");
    let unknown = modern.request("prompts/get", json!({"name": "ask_team", "arguments": {"team": "nobody"}})).await;
    assert_eq!(unknown["error"]["message"], "there is no team 'nobody'; known teams: alpha, beta");
    let everyone = modern.request("prompts/get", json!({"name": "what_is_everyone_doing"})).await;
    assert!(everyone.to_string().contains("alpha"), "{everyone}");
    let argument = json!({"name": "team", "value": "be"});
    let reference = json!({"type": "ref/prompt", "name": "ask_team"});
    let completed = modern.request("completion/complete", json!({"ref": reference, "argument": argument})).await;
    assert_eq!(completed["result"]["completion"]["values"], json!(["beta"]), "{completed}");
}

pub async fn token(world: &World, request: Value) -> Modern {
    let (status, made) = world.post("/api/tokens", request).await;
    assert!((200..300).contains(&status), "{made}");
    Modern::with(world, made["secret"].as_str().expect("a secret"))
}

/// An agent's credential speaks for its team, whatever is said, and sees its own conversations.
#[tokio::test]
async fn an_agent_is_who_its_credential_says() {
    let world = world();
    let owner = Modern::of(&world);
    let private = owner.done("team_tell", json!({"toTeam": "alpha", "message": "private"})).await;
    let agent = token(&world, json!({"name": "b", "kind": "agent", "party": "beta"})).await;
    let told = agent.done("team_tell", json!({"toTeam": "alpha", "message": "hello", "fromTeam": "user"})).await;
    assert_eq!(told["from"], "beta");
    // A folder says whose team it is only of a human.
    let agent = agent.in_folder_of(&world, "alpha");
    assert_eq!(agent.done("team_getTeamName", json!({})).await["party"], "beta");
    let human = Modern::of(&world).in_folder_of(&world, "alpha");
    assert_eq!(human.done("team_getTeamName", json!({})).await["party"], "alpha");
    let refused = agent.refused("team_fork", json!({"team": "alpha"})).await;
    assert!(refused.contains("cannot copy"), "{refused}");

    for (uri, seen) in [(&private["sessionId"], false), (&told["sessionId"], true)] {
        let uri = format!("iris://sessions/{}", uri.as_str().expect("an id"));
        let read = agent.request("resources/read", json!({"uri": uri})).await;
        assert_eq!(read["result"].is_object(), seen, "{read}");
        let listed = agent.request("resources/list", json!({})).await;
        assert_eq!(listed.to_string().contains(&uri), seen, "{listed}");
    }
}

/// Two agents outside that tell each other whenever their own team is done: the chain has an end.
#[tokio::test]
async fn two_agents_that_tell_each_other_by_their_tokens_come_to_an_end() {
    let world = world();
    Modern::of(&world).done("team_tell", json!({"toTeam": "alpha", "message": "start"})).await;
    let alpha = token(&world, json!({"name": "a", "kind": "agent", "party": "alpha"})).await;
    let beta = token(&world, json!({"name": "b", "kind": "agent", "party": "beta"})).await;
    let tell = |team: &str| json!({"toTeam": team, "message": "and you?", "timeout": 0});
    for _ in 0..4 {
        alpha.done("team_tell", tell("beta")).await;
        beta.done("team_tell", tell("alpha")).await;
    }
    let refused = alpha.refused("team_tell", tell("beta")).await;
    assert!(refused.contains("number 9 in a chain of tells"), "{refused}");
}

#[tokio::test]
async fn a_credential_that_may_only_read_only_reads() {
    let world = world();
    let reader = token(&world, json!({"name": "r", "scopes": ["read"]})).await;
    assert_eq!(reader.done("team_teams", json!({})).await["teams"].as_array().map(Vec::len), Some(2));
    let refused = reader.refused("team_tell", json!({"toTeam": "alpha", "message": "x"})).await;
    assert!(refused.contains("`iris token create --name <name> --scope tell` makes a token"), "{refused}");
    let teller = token(&world, json!({"name": "t", "scopes": ["tell"]})).await;
    let read = teller.request("resources/read", json!({"uri": "iris://teams"})).await;
    assert!(read["error"]["message"].as_str().is_some_and(|text| text.contains("--scope read`")), "{read}");
}

/// A session of the older revision is no credential: another's cannot be used.
#[tokio::test]
async fn a_session_belongs_to_the_credential_that_made_it() {
    let world = world();
    let (owner, other) = (Modern::of(&world), token(&world, json!({"name": "o"})).await);
    let client = json!({"name": "test", "version": "1"});
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).to_string();
    let response = owner.post().body(hello).send().await.expect("an answer");
    let session = response.headers()["mcp-session-id"].clone();
    let ping = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
    let in_session = |who: &Modern| who.post().header("mcp-session-id", session.clone()).body(ping).send();
    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    owner.post().header("mcp-session-id", session.clone()).body(ready).send().await.expect("taken");
    assert_eq!(in_session(&other).await.expect("an answer").status(), 404);
    assert_eq!(in_session(&owner).await.expect("an answer").status(), 200);
}
