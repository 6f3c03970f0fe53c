//! Reading conversations: the newest first to hand, nothing left out without a word.

use serde_json::{Value, json};

use crate::stage::{Modern, until, world};

fn numbers(read: &Value) -> Vec<i64> {
    read["turns"].as_array().expect("turns").iter().filter_map(|turn| turn["number"].as_i64()).collect()
}

#[tokio::test]
async fn the_newest_turns_are_read_first_and_lead_to_the_older_ones() {
    let world = world();
    let modern = Modern::of(&world);
    for number in 1..=45 {
        modern.done("ask_message", json!({"toTeam": "alpha", "message": format!("number {number}")})).await;
    }
    let read = |arguments: Value| modern.done("team_cache_read", arguments);
    let newest = read(json!({"team": "alpha"})).await;
    assert_eq!((numbers(&newest), &newest["total"]), ((26..=45).collect(), &json!(45)));
    let older = read(json!({"team": "alpha", "before": newest["next"]})).await;
    assert_eq!(numbers(&older), (6..=25).collect::<Vec<_>>());
    let oldest = read(json!({"team": "alpha", "before": older["next"]})).await;
    assert_eq!((numbers(&oldest), &oldest["next"]), ((1..=5).collect(), &Value::Null));
    let forward = read(json!({"team": "alpha", "after": 40, "limit": 3})).await;
    assert_eq!((numbers(&forward), &forward["next"]), (vec![41, 42, 43], &json!(43)));
    assert!(forward["turns"][0]["usage"].is_object(), "{forward}");

    let greedy = modern.refused("team_cache_read", json!({"team": "alpha", "limit": 1000})).await;
    assert_eq!(greedy, "team_cache_read: `limit` is 1 to 100, not 1000; `next` leads on");
    let torn = modern.refused("team_cache_read", json!({"team": "alpha", "before": 9, "after": 1})).await;
    assert!(torn.contains("not both"), "{torn}");
}

#[tokio::test]
async fn what_is_too_long_says_where_all_of_it_is() {
    let world = world();
    let modern = Modern::of(&world);
    let long = "x".repeat(1_000_000);
    let mut told = Value::Null;
    for _ in 0..4 {
        told = modern.done("ask_message", json!({"toTeam": "alpha", "message": long})).await;
    }
    let turn = told["turnId"].as_str().expect("a turn");
    let read = modern.done("team_cache_read", json!({"team": "alpha"})).await;
    assert!(read.to_string().len() < 500_000, "{} bytes", read.to_string().len());
    assert_eq!((numbers(&read), &read["next"], &read["total"]), (vec![3, 4], &json!(3), &json!(4)));
    let message = read["turns"][1]["message"].as_str().expect("text");
    assert!(message.contains("bytes are left out here") && message.contains(turn), "{}", &message[32_000..33_200]);

    let uri = format!("iris://turns/{turn}");
    let shown = modern.request("resources/read", json!({"uri": uri})).await;
    let text = shown["result"]["contents"][0]["text"].as_str().expect("text");
    assert!(text.len() < 500_000 && text.contains("bytes are left out here"), "{} bytes", text.len());
}

#[tokio::test]
async fn the_end_of_long_work_is_shown_and_what_came_before_is_counted() {
    let world = world();
    let modern = Modern::of(&world);
    let told = modern.done("ask_message", json!({"toTeam": "alpha", "message": "talk"})).await;
    let turn = told["turnId"].as_str().expect("a turn");
    let messages = world.get(&format!("/api/turns/{turn}/messages?limit=1000")).await;
    let all = messages["items"].as_array().expect("messages").len();
    let uri = format!("iris://turns/{turn}");
    let shown = modern.request("resources/read", json!({"uri": uri})).await;
    let shown: Value =
        serde_json::from_str(shown["result"]["contents"][0]["text"].as_str().expect("text")).expect("JSON");
    let messages = shown["messages"].as_array().expect("messages");
    assert_eq!(messages.len(), 200);
    let mut said = messages.iter().filter_map(|message| message["text"].as_str());
    assert_eq!(said.next_back(), Some("the end"));
    assert_eq!(shown["leftOut"]["older"], json!(all - 200), "{}", shown["leftOut"]);
    assert!(shown["leftOut"]["how"].as_str().is_some_and(|how| how.contains("/messages")), "{}", shown["leftOut"]);
}

#[tokio::test]
async fn a_tell_can_be_put_off_and_says_how_it_ended() {
    let world = world();
    let modern = Modern::of(&world);
    let later = json!({"toTeam": "alpha", "message": "later", "timeout": 50, "delay": "500ms"});
    let put_off = modern.done("team_tell", later).await;
    assert_eq!(put_off["note"], "waits for the time it was put off to", "{put_off}");
    until("it ran", async || {
        modern.done("team_report", json!({"team": "alpha"})).await["lastTurn"]["state"] == "completed"
    })
    .await;
    let dead = modern.call("team_tell", json!({"toTeam": "alpha", "message": "die"})).await;
    let dead = &dead["structuredContent"];
    assert_eq!((&dead["reason"], &dead["exitCode"]), (&json!("exited"), &json!(7)), "{dead}");
    let far = modern.refused("team_tell", json!({"toTeam": "alpha", "message": "x", "delay": "9999d"})).await;
    assert!(far.contains("; put it off by"), "{far}");
}
