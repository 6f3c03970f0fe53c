//! Pages of what is large: whoever may only read does not have the daemon hold all of it.

use serde_json::Value;

use crate::world::{World, id, setup};

const MESSAGES: usize = 40;
const SIZE: usize = 500_000;
/// What a page may hold, and one message more.
const MOST: usize = 9 * 1024 * 1024;

/// How many there are in all, page by page.
async fn read_all(world: &World, path: &str) -> (usize, usize) {
    let (mut pages, mut count, mut after) = (0, 0, String::from("0"));
    loop {
        let answer = world.client().get(&format!("{path}limit=1000&after={after}")).await.expect("an answer");
        assert!(answer.body.len() <= MOST, "{path}: {} bytes", answer.body.len());
        let page: Value = answer.json().expect("JSON");
        let items = page["items"].as_array().expect("a page");
        count += items.len();
        pages += 1;
        match page["next"].as_str() {
            Some(next) => after = next.to_owned(),
            None => return (pages, count),
        }
    }
}

#[tokio::test]
async fn a_page_ends_when_it_is_large_and_says_where_the_next_begins() {
    let script =
        format!("replies:\n  - match: much\n    do: [{{ flood: {{ messages: {MESSAGES}, size: {SIZE} }} }}]\n");
    let world = World::new(setup().team("alpha", &script));
    let told = world.tell("much").await;
    let (pages, count) = read_all(&world, "/api/events?kind=message&").await;
    assert!(pages >= 3 && count >= MESSAGES, "{count} on {pages}");
    let (pages, of_turn) = read_all(&world, &format!("/api/turns/{}/messages?", id(&told))).await;
    assert!(pages >= 3, "{pages}");
    assert_eq!(of_turn, count);
    let session = told["sessionId"].as_str().expect("an id");
    assert_eq!(read_all(&world, &format!("/api/sessions/{session}/turns?")).await.1, 1);
    // From the end towards the beginning, too.
    let (mut before, mut backwards) = (i64::MAX.to_string(), 0);
    loop {
        let path = format!("/api/turns/{}/messages?limit=1000&before={before}", id(&told));
        let page = world.get(&path).await;
        backwards += page["items"].as_array().expect("a page").len();
        let Some(next) = page["next"].as_str() else { break };
        before = next.to_owned();
    }
    assert_eq!(backwards, count);
}
