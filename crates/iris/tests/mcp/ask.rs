//! Asking a person from outside: a call that is cut and made again is one question. `IRIS_TEST_ROUNDS=1000` for the full
//! count.

use std::time::Duration;

use serde_json::{Value, json};

use crate::stage::{Modern, world};

#[tokio::test]
async fn a_call_that_is_cut_and_made_again_is_one_question() {
    let world = world();
    let client = Modern::of(&world).in_folder_of(&world, "alpha");
    let rounds = std::env::var("IRIS_TEST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(10);
    let ask = json!({"question": "Which port?", "type": "blocking"});
    for _ in 0..rounds {
        let call = client.call("ask_question", ask.clone());
        tokio::time::timeout(Duration::from_millis(30), call).await.ok();
    }
    world.open_question().await;
    let pending = world.get("/api/questions/pending").await;
    let [question] = pending["questions"].as_array().expect("a list").as_slice() else { panic!("one: {pending}") };
    assert_eq!((&question["way"], &question["team"]), (&json!("api"), &json!("alpha")));
    let answering = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
        world.post(&path, json!({"response": {"value": "1615"}})).await
    };
    let (called, (status, _)) = tokio::join!(client.call("ask_question", ask), answering);
    assert_eq!(status, 200);
    assert_eq!(called["structuredContent"]["response"]["value"], "1615", "{called}");
    assert_eq!(world.events("question.opened").await.len(), 1);
    assert!(world.events("turn.started").await.is_empty(), "no agent of Iris's was told anything");
}

/// Whoever waits has the answer from its call; the job's agent did not ask.
#[tokio::test]
async fn what_is_asked_in_a_job_from_outside_is_answered_once() {
    let world = world();
    let client = Modern::of(&world).in_folder_of(&world, "alpha");
    let (_, job) = world.post("/api/jobs", json!({"team": "alpha", "goal": "work"})).await;
    let ask = json!({"question": "Which port?", "type": "blocking", "job": job["id"]});
    let answering = async {
        let question = world.open_question().await;
        assert_eq!(question["job"], job["id"], "{question}");
        let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
        world.post(&path, json!({"response": {"value": "1615"}})).await
    };
    let (called, (status, answered)) = tokio::join!(client.call("ask_question", ask), answering);
    assert_eq!(called["structuredContent"]["response"]["value"], "1615", "{called}");
    assert_eq!((status, &answered["jobResumed"]), (200, &json!(false)), "{answered}");
    assert!(world.events("question.resumed").await.is_empty());
    assert!(world.events("turn.queued").await.len() <= 1, "its agent is told its goal and nothing else");
}

/// The same words, in every kind of question and both revisions: what was delivered is used up, what was cut is found.
#[tokio::test]
async fn an_answer_that_was_delivered_is_used_up() {
    let world = world();
    let modern = Client::Modern(Modern::of(&world).in_folder_of(&world, "alpha"));
    let older = Client::Older(Older::of(&world).await);
    let asks = [
        json!({"question": "Proceed with the next batch?", "type": "blocking", "responseType": "boolean"}),
        json!({"question": "Deploy to prod?", "type": "approval", "responseType": "approval"}),
    ];
    let mut opened = 0;
    for (client, ask) in [&modern, &older].into_iter().flat_map(|client| asks.iter().map(move |ask| (client, ask))) {
        for value in [true, true, true] {
            let (called, ()) = tokio::join!(client.ask(ask), answer(&world, value));
            assert_eq!(called["structuredContent"]["response"]["value"], value, "{called}");
            opened += 1;
            assert_eq!(world.events("question.opened").await.len(), opened, "each is asked for: {ask}");
        }
        // Cut while a person thinks; answered when nobody listens. Found, then used up.
        tokio::time::timeout(Duration::from_millis(300), client.ask(ask)).await.expect_err("nobody answers");
        opened += 1;
        answer(&world, true).await;
        let found = tokio::time::timeout(Duration::from_secs(10), client.ask(ask)).await.expect("it is there");
        assert_eq!(found["structuredContent"]["response"]["value"], true, "{found}");
        assert_eq!(world.events("question.opened").await.len(), opened, "it found its own: {ask}");
        let (called, ()) = tokio::join!(client.ask(ask), answer(&world, true));
        opened += 1;
        assert_eq!(called["structuredContent"]["status"], "answered", "{called}");
        assert_eq!(world.events("question.opened").await.len(), opened, "the one after is another: {ask}");
    }
}

async fn answer(world: &crate::world::World, value: bool) {
    let question = world.open_question().await;
    let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
    let yes = json!({"response": {"value": value}, "digest": question["digest"]});
    assert_eq!(world.post(&path, yes).await.0, 200);
}

enum Client {
    Modern(Modern),
    Older(Older),
}

impl Client {
    async fn ask(&self, ask: &Value) -> Value {
        match self {
            Self::Modern(client) => client.call("ask_question", ask.clone()).await,
            Self::Older(client) => client.ask(ask).await,
        }
    }
}

/// Of the older revision, in a session.
struct Older {
    client: Modern,
    session: String,
}

impl Older {
    async fn of(world: &crate::world::World) -> Self {
        let client = Modern::of(world).in_folder_of(world, "alpha");
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let response = client.post().body(hello.to_string()).send().await.expect("an answer");
        let session = response.headers()["mcp-session-id"].to_str().expect("a name").to_owned();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let older = Self { client, session };
        older.post(&ready).await;
        older
    }

    async fn post(&self, message: &Value) -> String {
        let request = self.client.post().header("mcp-session-id", &self.session);
        let request = request.header("mcp-protocol-version", "2025-11-25").body(message.to_string());
        request.send().await.expect("an answer").text().await.expect("words")
    }

    async fn ask(&self, ask: &Value) -> Value {
        let params = json!({"name": "ask_question", "arguments": ask});
        let said = self.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).await;
        let messages = said.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
        let mut answers = messages.filter_map(|message| serde_json::from_str::<Value>(message).ok());
        answers.find(|answer| answer["result"].is_object()).unwrap_or_else(|| panic!("a result: {said}"))["result"]
            .clone()
    }
}
