//! Keys are their caller's own: nobody finds, takes or cancels by them what is another's.

use std::time::Duration;

use serde_json::{Value, json};

use crate::http::token;
use crate::stage::{Modern, last_state, until, world};
use crate::world::World;

fn keyed(message: &str, key: &str) -> Value {
    json!({"toTeam": "alpha", "message": message, "timeout": 0, "key": key})
}

async fn job(world: &World, client: &mut iris_testing::client::Client, key: &str) -> String {
    let goal = json!({"team": "alpha", "goal": "work", "key": key});
    let answer = client.post("/api/jobs", &goal).await.expect("an answer");
    assert_eq!(answer.status, 200, "{answer:?}, {}", world.daemon.log());
    answer.json().expect("JSON")["id"].as_str().expect("an id").to_owned()
}

/// The tell by which Iris passes an answer on has a key too, which was once made of what everybody can read.
#[tokio::test]
async fn nobody_takes_the_key_of_an_answer() {
    let world = world();
    let modern = Modern::of(&world);
    let job = job(&world, &mut world.client(), "j").await;
    let question = json!({"question": "Which port?", "type": "clarifying"});
    let (status, asked) = world.post(&format!("/api/jobs/{job}/questions"), question).await;
    assert_eq!(status, 200, "{asked}");
    let id = asked["questionId"].as_str().expect("an id").to_owned();
    for key in ["answer/", "/answer/", "iris/answer/", "again/"].map(|begin| format!("{begin}{id}")) {
        modern.done("team_tell", keyed("mine", &key)).await;
        let (status, told) = world.post("/api/teams/tell", keyed("mine too", &key)).await;
        assert_eq!(status, 200, "{told}");
    }
    let (status, answered) =
        world.post(&format!("/api/questions/{id}/answer"), json!({"response": {"value": "8080"}})).await;
    assert_eq!((status, &answered["jobResumed"]), (200, &json!(true)), "{answered}");
    assert_eq!(world.get(&format!("/api/questions/{id}")).await["passedOn"], true, "and it says so");
}

#[tokio::test]
async fn a_key_is_the_caller_s_own() {
    let world = world();
    let (owner, one) = (Modern::of(&world), token(&world, json!({"name": "one", "scopes": ["read", "tell"]})).await);
    let agent = token(&world, json!({"name": "a", "kind": "agent", "party": "beta"})).await;
    let mut turns = Vec::new();
    for (caller, message) in [(&owner, "owner's"), (&one, "one's"), (&agent, "agent's"), (&owner, "owner's")] {
        turns.push(caller.done("team_tell", keyed(message, "deploy")).await["turnId"].clone());
    }
    assert_eq!(turns[0], turns[3], "what comes again is found");
    assert!(turns[0] != turns[1] && turns[1] != turns[2] && turns[0] != turns[2], "{turns:?}");
    // Two windows of one user, in two folders.
    let inside = Modern::of(&world).in_folder_of(&world, "beta");
    assert_ne!(inside.done("team_tell", keyed("the window's", "deploy")).await["turnId"], turns[0]);
    // The same words and the same key, over HTTP: of another, it is another's.
    let http = async |client: &mut iris_testing::client::Client| {
        let told = client.post("/api/teams/tell", &keyed("the same", "deploy")).await.expect("an answer");
        assert_eq!(told.status, 200, "{told:?}");
        told.json().expect("JSON")["turnId"].clone()
    };
    let (status, made) = world.post("/api/tokens", json!({"name": "two"})).await;
    assert_eq!(status, 200, "{made}");
    let secret = made["secret"].as_str().expect("a secret");
    let mut two = iris_testing::client::Client::new(&world.daemon.address, secret);
    assert_ne!(http(&mut two).await, http(&mut world.client()).await);

    let (mine, theirs) = (job(&world, &mut world.client(), "j").await, job(&world, &mut two, "j").await);
    assert_ne!(mine, theirs);
    assert_eq!(job(&world, &mut world.client(), "j").await, mine, "what comes again is found");
    let path = format!("/api/jobs/{mine}/questions");
    for (client, text) in [(&mut world.client(), "Which one?"), (&mut two, "Which other?")] {
        let ask = json!({"question": text, "type": "clarifying", "key": "q"});
        assert_eq!(client.post(&path, &ask).await.expect("an answer").status, 200, "{text}");
    }
}

/// Whoever speaks for the same party with the same key cancels nothing of another credential's.
#[tokio::test]
async fn only_the_caller_cancels_by_a_key() {
    let world = world();
    let (owner, other) = (Modern::of(&world), token(&world, json!({"name": "o", "party": "ada"})).await);
    let work = json!({"toTeam": "alpha", "message": "work", "timeout": 0, "fromTeam": "ada"});
    let call = owner.begin_call("team_tell", work, json!({"iris/key": "k"}));
    assert!(tokio::time::timeout(Duration::from_millis(500), call).await.is_err(), "it is at work");
    until("it is at work", async || last_state(&world, "ada").await == "running").await;
    let cancel = json!({"key": "k", "fromTeam": "ada"});
    assert_eq!(other.request("iris/cancel", cancel.clone()).await["result"]["cancelled"], 0);
    assert_eq!(owner.request("iris/cancel", cancel).await["result"]["cancelled"], 1);
}

/// In an agent's shell it is the agent who speaks, wherever its folder is; also when it cancels.
#[tokio::test]
async fn an_agent_cancels_from_its_shell_at_once() {
    let world = world();
    let told = world.tell_async("user", "work").await;
    let session = told["sessionId"].as_str().expect("an id");
    until("it is at work", async || last_state(&world, "user").await == "running").await;
    let shell = Modern::of(&world).in_shell_of(session);
    let work = json!({"toTeam": "beta", "message": "work", "timeout": 0});
    let call = shell.begin_call("team_tell", work, json!({"iris/key": "k"}));
    assert!(tokio::time::timeout(Duration::from_millis(500), call).await.is_err(), "it is at work");
    until("it is told", async || {
        let sessions = world.get("/api/sessions").await;
        sessions["items"].as_array().expect("sessions").iter().any(|one| one["from"] == "alpha" && one["to"] == "beta")
    })
    .await;
    let cancelled = shell.request("iris/cancel", json!({"key": "k"})).await;
    assert_eq!(cancelled["result"]["cancelled"], 1, "{cancelled}");
}
