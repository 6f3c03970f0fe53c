//! What is in the log, and by which ids its lines belong together.

use serde_json::{Value, json};

use super::caller::bearer;
use crate::world::{SOON, World, id, setup};

const DYING: &str = "\
replies:
  - match: '^die$'
    do: [{ crash: { code: 7 } }]
default: [{ say: 'You said: {{text}}' }]
";

impl World {
    /// The line that says this, once there is one.
    async fn line(&self, says: &str, of: (&str, &str)) -> Value {
        let until = std::time::Instant::now() + SOON;
        loop {
            let log = self.daemon.log();
            let mut lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            if let Some(line) = lines.find(|line| line["message"] == says && line[of.0] == of.1) {
                return line;
            }
            assert!(std::time::Instant::now() < until, "nothing says '{says}' of {of:?}: {log}");
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test]
async fn a_turn_is_found_by_its_request_and_a_failure_at_any_level() {
    for level in ["info", "debug"] {
        let world = World::new(setup().team("alpha", DYING).env("IRIS_LOG", level));
        let headers = [("authorization", bearer(&world.daemon.token)), ("content-type", "application/json".to_owned())];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        let tell = |message: &str| json!({"toTeam": "alpha", "message": message, "timeout": 0}).to_string();
        let dead = world.send("POST", "/api/teams/tell", &headers, &tell("die")).await;
        let (request, answer) = (dead.header("x-request-id").expect("a request"), dead.json().expect("JSON"));
        let (turn, session) = (id(&answer), &answer["sessionId"]);
        let ended = world.line("a turn ended", ("turn", turn)).await;
        assert_eq!((&ended["level"], &ended["session"], &ended["team"]), (&json!("WARN"), session, &json!("alpha")));
        assert!(ended["why"].as_str().is_some_and(|why| why.contains('7')), "{ended}");
        let crashed = world.line("an agent ended unasked", ("turn", turn)).await;
        assert_eq!((&crashed["code"], &crashed["session"]), (&json!(7), session));
        let caused = world.line("what a request told did not complete", ("request", request)).await;
        assert_eq!((&caused["turn"], &caused["session"]), (&json!(turn), session));

        let well = world.send("POST", "/api/teams/tell", &headers, &tell("hello")).await;
        let (request, answer) = (well.header("x-request-id").expect("a request"), well.json().expect("JSON"));
        if level == "debug" {
            assert_eq!(world.line("told", ("request", request)).await["turn"], id(&answer));
            world.line("a turn began", ("turn", id(&answer))).await;
            world.line("a turn ended", ("turn", id(&answer))).await;
        } else {
            assert!(!world.daemon.log().contains(id(&answer)), "what goes well is not worth a line");
        }
    }
}

#[tokio::test]
async fn a_refusal_says_which_request_of_which_credential() {
    let world = World::new(setup().team("alpha", DYING));
    let reader = world.token("reader", &["read"]).await;
    let headers = [("authorization", bearer(&reader))];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let refused = world.send("POST", "/api/agents/stop", &headers, "").await;
    assert_eq!(refused.status, 403);
    let line = world.line("refused", ("request", refused.header("x-request-id").expect("a request"))).await;
    assert_eq!((&line["name"], &line["what"]), (&json!("reader"), &json!("/api/agents/stop")), "{line}");
    assert!(line["credential"].is_string());
}
