//! An edit of the config under agents that are awake: what can be is in force at once, for the rest another agent takes
//! the place of the one that was started with something else.

use std::fs;

use serde_json::{Value, json};

use crate::world::{World, setup};

const SCRIPT: &str = r#"
replies:
  - match: "^who$"
    do: [{ run: "echo FOO is $FOO" }, { say: "{{result}}" }]
  - match: "^permission$"
    do: [{ permission: { tool: Bash, input: { command: "rm" }, then: [{ say: allowed }], denied: [{ say: denied }] } }]
  - match: "^slow permission$"
    do: [{ say: "begun" }, { delay: 2s }, { permission: { tool: Bash, input: { command: "rm" }, then: [{ say: allowed }], denied: [{ say: denied }] } }]
default: [{ say: "You said: {{text}}" }]
"#;

impl World {
    /// Writes the config anew, and waits until it is in force.
    pub async fn edit(&self, from: &str, to: &str) {
        let file = self.path().join("config.yaml");
        let before = self.events("config.applied").await.len();
        let text = fs::read_to_string(&file).expect("a config");
        assert!(text.contains(from), "{text}");
        fs::write(&file, text.replace(from, to)).expect("written");
        self.eventually("it is in force", async || self.events("config.applied").await.len() > before).await;
    }
}

#[tokio::test]
async fn an_agent_that_is_awake_is_replaced_and_its_conversation_goes_on() {
    let world = World::new(setup().team("alpha", SCRIPT).team_key("env: { FOO: one }").team_key("description: x"));
    assert_eq!(world.tell("who").await["response"], "FOO is one");
    let pid = world.session("user").await["pid"].clone();
    world.edit("description: x", "description: y").await;
    assert_eq!(world.tell("who").await["response"], "FOO is one");
    assert_eq!(world.session("user").await["pid"], pid, "nothing that an agent is started with has changed");
    world.edit("FOO: one", "FOO: two").await;
    world.eventually("it makes room", async || world.session("user").await["state"] == "stopped").await;
    let stopped = world.events("session.stopped").await;
    assert_eq!(stopped.last().expect("an event")["data"]["why"], "reconfigured");
    assert_eq!(world.tell("who").await["response"], "FOO is two");
    assert_eq!(world.get("/api/sessions").await["items"].as_array().map(Vec::len), Some(1), "the same conversation");
}

/// Works in the background until there is a file `end`, and on the turn that this leads to until there is a file `speak`.
pub const BEHIND: &str = r#"
replies:
  - match: "^go$"
    do:
      - subagent:
          prompt: dig
          background: true
          do: [{ run: "until [ -e end ]; do sleep 0.02; done" }, { say: dug }]
          gap: 300ms
          notify: [{ run: "until [ -e speak ]; do sleep 0.02; done" }, { say: "own words" }]
      - say: started
default: [{ say: "You said: {{text}}" }]
"#;

impl World {
    pub fn touch(&self, file: &str) {
        fs::write(self.path().join("projects/alpha").join(file), "").expect("written");
    }

    /// The turns of the one session there is with `from`, once there are so many.
    pub async fn turns(&self, from: &str, many: usize) -> Vec<Value> {
        let path = format!("/api/sessions/{}/turns", self.session(from).await["id"].as_str().expect("an id"));
        let list = async || self.get(&path).await["items"].as_array().expect("turns").clone();
        self.eventually("they are as many", async || list().await.len() >= many).await;
        list().await
    }
}

/// Between the end of what it does in the background and the turn that it then begins, an agent is not at rest.
#[tokio::test]
async fn an_agent_that_is_about_to_begin_a_turn_by_itself_does_so_before_it_makes_room() {
    let world = World::new(setup().team("alpha", BEHIND).team_key("env: { FOO: one }"));
    assert_eq!(world.tell("go").await["response"], "started");
    world.edit("FOO: one", "FOO: two").await;
    world.touch("end");
    while world.turns("user", 1).await.len() < 2 {
        let session = world.session("user").await;
        assert_eq!(session["state"], "processing", "{session}");
        let (status, refused) = world.post("/api/teams/alpha/sleep", json!({})).await;
        assert_eq!(status, 409, "it is at work: {refused}");
    }
    world.touch("speak");
    world.eventually("it makes room", async || world.session("user").await["state"] == "stopped").await;
    let own = &world.turns("user", 2).await[1];
    assert_eq!((&own["state"], &own["response"]), (&json!("completed"), &json!("own words")), "{own}");
    assert_eq!(world.events("session.stopped").await[0]["data"]["why"], "reconfigured");
}

#[tokio::test]
async fn leave_that_is_taken_away_is_gone_at_once_also_in_a_running_turn() {
    let world = World::new(setup().team("alpha", SCRIPT).team_key("grantPermission: yes"));
    assert_eq!(world.tell("permission").await["response"], "allowed");
    let pid = world.session("user").await["pid"].clone();
    let turn = world.tell_async("user", "slow permission").await;
    world.eventually("it runs", async || world.session("user").await["state"] == "processing").await;
    world.edit("grantPermission: yes", "grantPermission: no").await;
    let over = world.ended(turn["turnId"].as_str().expect("an id")).await;
    assert_eq!(over["response"], "denied", "{over}");
    assert_eq!(world.session("user").await["pid"], pid, "for this no other agent is needed");
}

#[tokio::test]
async fn what_waits_behind_a_running_turn_is_told_to_the_new_agent() {
    let script = "replies:\n  - match: '^slow$'\n    do: [{ delay: 1500ms }, { say: done }]\n  - match: '^who$'\n    do: [{ run: 'echo $FOO' }, { say: '{{result}}' }]\n";
    let world = World::new(setup().team("alpha", script).team_key("env: { FOO: one }"));
    let slow = world.tell_async("user", "slow").await;
    let who = world.tell_async("user", "who").await;
    world.edit("FOO: one", "FOO: two").await;
    assert_eq!(world.ended(slow["turnId"].as_str().expect("an id")).await["response"], "done");
    assert_eq!(world.ended(who["turnId"].as_str().expect("an id")).await["response"], "two");
}

#[tokio::test]
async fn the_agent_of_a_team_that_is_gone_goes_too() {
    let world = World::new(setup().team("alpha", SCRIPT).team("beta", SCRIPT));
    world.tell("hi").await;
    world.edit("  alpha:\n", "  gamma:\n").await;
    world.eventually("its agent is stopped", async || world.session("user").await["state"] == "stopped").await;
    assert_eq!(world.get("/api/teams").await["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(world.session("user").await["to"], json!("alpha"), "its conversation is kept");
}

/// A config is edited in an editor, and saved more than once.
#[tokio::test]
async fn what_waits_for_a_team_that_is_gone_for_a_moment_waits_on() {
    let script = "replies:\n  - match: '^slow$'\n    do: [{ delay: 2s }, { say: done }]\ndefault: [{ say: 'You said: {{text}}' }]\n";
    let world = World::new(setup().team("alpha", script).team("beta", SCRIPT));
    world.tell_async("user", "slow").await;
    let next = world.tell_async("user", "next").await;
    let id = next["turnId"].as_str().expect("an id");
    world.tell_async("bob", "slow").await;
    let bobs = world.tell_async("bob", "unwanted").await;
    let queued = world.turn(id).await;
    assert_eq!((queued["state"].as_str(), queued["position"].as_i64()), (Some("queued"), Some(1)), "{queued}");
    world.edit("  alpha:\n", "  gamma:\n").await;
    world.eventually("its agent is stopped", async || world.session("user").await["state"] == "stopped").await;
    tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
    let queued = world.turn(id).await;
    assert_eq!(queued["state"], "queued", "it was accepted: {queued}");
    assert!(queued["note"].as_str().is_some_and(|note| note.contains("not in config.yaml")), "{queued}");
    assert_eq!(world.session("user").await["waitsFor"], "team");
    let (status, cancelled) = world.post("/api/teams/alpha/cancel", json!({"fromTeam": "bob"})).await;
    assert_eq!((status, &cancelled["turns"][0]), (200, &bobs["turnId"]), "{cancelled}");
    assert_eq!(world.post("/api/teams/alpha/sleep", json!({})).await.0, 200);
    let (status, unknown) = world.post("/api/teams/alpha/cancel", json!({"fromTeam": "nobody"})).await;
    assert_eq!((status, &unknown["detail"]), (404, &json!("there is no team 'alpha'")));
    world.edit("  gamma:\n", "  alpha:\n").await;
    assert_eq!(world.ended(id).await["response"], "You said: next");
}
