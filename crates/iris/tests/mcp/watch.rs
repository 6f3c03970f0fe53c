//! Resources: read, listed, and watched.

use serde_json::{Value, json};

use crate::http::token;
use crate::stage::{Modern, world};
use crate::world::SOON;

#[tokio::test]
async fn teams_sessions_and_turns_can_be_read() {
    let world = world();
    let modern = Modern::of(&world);
    let told = modern.done("team_tell", json!({"toTeam": "alpha", "message": "hello"})).await;
    let (session, turn) = (&told["sessionId"], &told["turnId"]);
    let listed = modern.request("resources/list", json!({})).await;
    let uris: Vec<_> = listed["result"]["resources"].as_array().expect("resources").iter().map(|r| &r["uri"]).collect();
    let own = format!("iris://sessions/{}", session.as_str().expect("an id"));
    assert_eq!(uris, ["iris://teams", "iris://teams/alpha", "iris://teams/beta", &own]);

    assert_eq!(read(&modern, "iris://teams/alpha").await["sessions"][0]["id"], *session);
    assert_eq!(read(&modern, &own).await["turns"][0]["message"], "hello");
    let turn = read(&modern, &format!("iris://turns/{}", turn.as_str().expect("an id"))).await;
    assert_eq!(turn["turn"]["state"], "completed");
    let said = json!({"type": "assistant", "text": "You said: hello"});
    assert!(turn["messages"].as_array().is_some_and(|messages| messages.contains(&said)), "{turn}");

    let missing = modern.request("resources/read", json!({"uri": "iris://turns/none"})).await;
    assert_eq!(
        (&missing["error"]["code"], &missing["error"]["data"]["uri"]),
        (&json!(-32602), &json!("iris://turns/none"))
    );
    let log = world.daemon.log();
    assert!(!log.contains("rmcp::service"), "what a client asks wrongly is no matter for the log: {log}");
}

async fn read(modern: &Modern, uri: &str) -> Value {
    let answer = modern.request("resources/read", json!({"uri": uri})).await;
    let text = answer["result"]["contents"][0]["text"].as_str().unwrap_or_else(|| panic!("{uri}: {answer}"));
    serde_json::from_str(text).expect("JSON")
}

/// Who watches a team hears of it, and of nothing else.
#[tokio::test]
async fn what_is_watched_is_announced_when_it_changed() {
    let world = world();
    let modern = Modern::of(&world);
    let wanted = json!({"resourceSubscriptions": ["iris://teams/alpha", "file:///etc/passwd"],
                        "resourcesListChanged": true});
    let mut heard = modern.begin("subscriptions/listen", json!({"notifications": wanted})).await;
    let first = heard.next().await.expect("it is acknowledged");
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged", "{first}");
    assert_eq!(first["params"]["notifications"]["resourceSubscriptions"], json!(["iris://teams/alpha"]), "{first}");

    modern.done("team_tell", json!({"toTeam": "beta", "message": "not watched"})).await;
    modern.done("team_tell", json!({"toTeam": "alpha", "message": "watched"})).await;
    let mut methods = std::collections::BTreeSet::new();
    while methods.len() < 2 {
        let notice = heard.next().await.expect("a notice");
        if notice["method"] == "notifications/resources/updated" {
            assert_eq!(notice["params"]["uri"], "iris://teams/alpha");
        }
        methods.insert(notice["method"].as_str().expect("a method").to_owned());
    }
    assert!(methods.contains("notifications/resources/list_changed"), "{methods:?}");
}

/// What is acknowledged is watched: not what is not there, nor what the caller may not read. And a list in which nothing
/// changed for them has not changed.
#[tokio::test]
async fn an_agent_watches_what_is_its_own() {
    let world = world();
    let owner = Modern::of(&world);
    let told = owner.done("team_tell", json!({"toTeam": "alpha", "message": "hello"})).await;
    let foreign = format!("iris://sessions/{}", told["sessionId"].as_str().expect("an id"));
    let agent = token(&world, json!({"name": "b", "kind": "agent", "party": "beta"})).await;
    let uris = ["iris://teams/alpha", "iris://teams/beta", "iris://teams/none", "iris://turns/none", &foreign];
    let wanted = json!({"notifications": {"resourceSubscriptions": uris, "resourcesListChanged": true}});
    let mut heard = agent.begin("subscriptions/listen", wanted).await;
    let first = heard.next().await.expect("it is acknowledged");
    let watched = json!(["iris://teams/alpha", "iris://teams/beta"]);
    assert_eq!(first["params"]["notifications"]["resourceSubscriptions"], watched, "{first}");

    for (from, to) in [("other", "alpha"), ("other", "beta")] {
        owner.done("team_tell", json!({"fromTeam": from, "toTeam": to, "message": "a new conversation"})).await;
        // What is in the list is told after what is watched.
        loop {
            let notice = heard.next().await.expect("a notice");
            assert_eq!(notice["method"], "notifications/resources/updated", "to {to}: {notice}");
            if notice["params"]["uri"] == format!("iris://teams/{to}") {
                break;
            }
        }
    }
    while heard.next().await.expect("a notice")["method"] != "notifications/resources/list_changed" {}
}

/// As one whose token was revoked.
#[tokio::test]
async fn an_agent_whose_team_was_removed_hears_no_more() {
    let world = world();
    let agent = token(&world, json!({"name": "b", "kind": "agent", "party": "beta"})).await;
    let wanted = json!({"notifications": {"resourceSubscriptions": ["iris://teams/alpha"]}});
    let mut heard = agent.begin("subscriptions/listen", wanted).await;
    heard.next().await.expect("it is acknowledged");
    let file = world.path().join("config.yaml");
    let text = std::fs::read_to_string(&file).expect("a config");
    std::fs::write(&file, text.replace("  beta:", "  gamma:")).expect("written");
    let to_the_end = async { while heard.next().await.is_some() {} };
    tokio::time::timeout(SOON, to_the_end).await.expect("it ends");
}
