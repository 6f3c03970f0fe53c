//! The description of the API, in a real browser.

use serde_json::json;

use crate::found;
use crate::hostile::run;
use crate::world::{World, setup};

/// All that it is made of is let in by our own rules, so it looks as it should, and says nothing of errors.
#[tokio::test(flavor = "multi_thread")]
async fn the_viewer_of_the_api_shows_it_without_a_word_of_complaint() {
    let (Some(chromium), Some(modules)) = (found("IRIS_TEST_CHROMIUM"), found("IRIS_TEST_PLAYWRIGHT")) else { return };
    let world = World::new(setup().team("alpha", "default: [{ say: hello }]\n"));
    let address = format!("http://{}/api/docs/", world.daemon.address);
    let job = json!({"chromium": chromium, "modules": modules, "address": address, "token": world.daemon.token});
    let shown = run("viewer.mjs", &job).await;
    assert!(shown["operations"].as_u64() > Some(40), "{shown}");
    assert_eq!(shown["said"], json!([]));
}
