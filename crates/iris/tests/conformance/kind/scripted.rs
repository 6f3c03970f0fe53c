//! The scripted agent: `DO …` at the end of a message names the reply.

use iris_testing::daemon::Setup;

use super::{Deed, Kind};
use crate::promise::Promise;
use crate::world::World;

pub struct Scripted;

/// The first that matches is played, and `tell` has another deed inside.
const SCRIPT: &str = r#"
replies:
  - match: "(?s)DO tell (\\w+): (.*)$"
    do: [{ mcp: { server: iris, tool: team_tell, arguments: { toTeam: "$1", message: "$2" } } }, { say: "{{result}}" }]
  - match: "DO say (.+)$"
    do: [{ cost: 0.25 }, { usage: { input: 100, output: 10 } }, { say: "$1" }]
  - match: "DO stream$"
    do: [{ stream: { text: "one two three four five six", chunk: 5, every: 60ms } }]
  - match: "DO recall$"
    do: [{ say: "{{history}}" }]
  - match: "DO use a tool$"
    do: [{ run: "echo made > made.txt && cat made.txt" }, { say: "all done" }]
  - match: "DO touch (\\S+)$"
    do:
      - permission:
          tool: Bash
          input: { command: "touch $1" }
          run: true
          then: [{ say: "touched $1" }]
          denied: [{ say: "refused: {{message}}" }]
  - match: "DO ask$"
    do:
      - ask: { question: "Which colour?", header: Colour, options: [Red, { label: Blue, description: cold }] }
      - say: "{{answer}} it is"
  - match: "DO delegate$"
    do:
      - subagent: { prompt: report, do: [{ tool: { name: Read } }, { say: "sub report" }] }
      - say: all done
  - match: "DO work behind$"
    do:
      - subagent: { prompt: dig, background: true, do: [{ delay: 2s }, { say: dug }], notify: [{ say: "{{result}}" }] }
      - say: it is running
  - match: "DO hang$"
    do: [{ hang: true }]
  - match: "DO fail$"
    do: [{ fail: "not for you" }]
  - match: "DO die$"
    do: [{ stderr: "out of luck" }, { crash: { signal: 9 } }]
  - match: "DO name yourself$"
    do: [{ mcp: { server: iris, tool: team_getTeamName } }, { say: "{{result}}" }]
default: [{ fail: "no deed" }]
"#;

impl Kind for Scripted {
    fn name(&self) -> String {
        "scripted".to_owned()
    }

    fn configure(&self, setup: Setup, teams: &[&str], keys: &[&str]) -> Setup {
        let setup = teams.iter().fold(setup, |setup, team| setup.team(team, SCRIPT));
        keys.iter().fold(setup, |setup, key| setup.team_key(key))
    }

    fn words(&self, deed: &Deed<'_>) -> String {
        match deed {
            Deed::Say(text) => format!("DO say {text}"),
            Deed::Stream => "DO stream".to_owned(),
            Deed::Recall => "DO recall".to_owned(),
            Deed::UseTool => "DO use a tool".to_owned(),
            Deed::Touch(file) => format!("DO touch {file}"),
            Deed::Ask => "DO ask".to_owned(),
            Deed::Delegate => "DO delegate".to_owned(),
            Deed::WorkBehind => "DO work behind".to_owned(),
            Deed::Hang => "DO hang".to_owned(),
            Deed::Fail => "DO fail".to_owned(),
            Deed::Die => "DO die".to_owned(),
            Deed::NameItself => "DO name yourself".to_owned(),
            Deed::Tell { team, message } => format!("DO tell {team}: {message}"),
        }
    }

    fn heard(&self, world: &World, session: &str) -> String {
        let journal = world.path().join("data/agents").join(format!("{session}.jsonl"));
        let journal =
            std::fs::read_to_string(&journal).unwrap_or_else(|error| panic!("{}: {error}", journal.display()));
        let last = journal.lines().last().expect("it was told something");
        let entry: serde_json::Value = serde_json::from_str(last).expect("JSON");
        entry["text"].as_str().expect("a text").to_owned()
    }

    fn exception(&self, _promise: Promise) -> Option<&'static str> {
        None
    }
}
