//! Claude Code, with a model that is scripted by what it is told.

use std::path::PathBuf;

use iris_testing::claude::binaries;
use iris_testing::daemon::Setup;
use iris_testing::model::Model;
use serde_json::{Value, json};

use super::{Deed, Kind};
use crate::promise::Promise;
use crate::world::World;

pub struct Claude {
    version: String,
    program: PathBuf,
    model: Model,
}

/// One for each version that we test with; none, and a word about it, where there is none.
pub async fn all() -> Vec<Claude> {
    let mut all = Vec::new();
    for (version, program) in binaries() {
        all.push(Claude { version, program, model: Model::start().await.expect("a model") });
    }
    all
}

impl Kind for Claude {
    fn name(&self) -> String {
        format!("claude {}", self.version)
    }

    fn configure(&self, setup: Setup, teams: &[&str], keys: &[&str]) -> Setup {
        let setup = setup.setting("responseTimeout: 60s");
        teams.iter().fold(setup, |setup, team| setup.claude_team(team, &self.program, &self.model.url(), keys))
    }

    fn words(&self, deed: &Deed<'_>) -> String {
        format!("MODEL{}", script(deed))
    }

    fn heard(&self, _world: &World, _session: &str) -> String {
        self.model.requests().pop().expect("the model was asked").last_user_text
    }

    fn exception(&self, _promise: Promise) -> Option<&'static str> {
        None
    }
}

fn script(deed: &Deed<'_>) -> Value {
    match deed {
        Deed::Say(text) => json!([{"text": text}]),
        Deed::Stream => json!([{"slow_ms": 60, "text": "one two three four five six"}]),
        Deed::Recall => json!([{"echo": true}]),
        Deed::UseTool => json!([bash("echo made > made.txt && cat made.txt"), {"text": "all done"}]),
        Deed::Touch(file) => json!([bash(&format!("touch {file}")), {"echo": true}]),
        Deed::Ask => json!([ask(), {"echo": true}]),
        Deed::Delegate => json!([delegate(r#"report MODEL[{"text": "sub report"}]"#, false), {"text": "all done"}]),
        Deed::WorkBehind => {
            let dig = json!([bash("python3 -c 'import time; time.sleep(2)'"), {"text": "dug"}]);
            json!([delegate(&format!("dig MODEL{dig}"), true), {"text": "it is running"}])
        }
        Deed::Hang => json!([{"hang": true}]),
        Deed::Fail => json!([{"http": 403, "message": "not for you"}]),
        // Its shell is a child of the CLI's own.
        Deed::Die => json!([bash("echo 'out of luck' > /proc/$PPID/fd/2; kill -9 $PPID"), {"text": "immortal"}]),
        Deed::NameItself => json!([{"tool": "mcp__iris__team_getTeamName", "input": {}}, {"echo": true}]),
        Deed::Tell { team, message } => {
            json!([{"tool": "mcp__iris__team_tell", "input": {"toTeam": team, "message": message}}, {"echo": true}])
        }
    }
}

fn bash(command: &str) -> Value {
    json!({"tool": "Bash", "input": {"command": command}})
}

fn delegate(prompt: &str, in_background: bool) -> Value {
    json!({"tool": "Agent", "input": {"description": "look", "prompt": prompt, "subagent_type": "general-purpose",
                                      "run_in_background": in_background}})
}

fn ask() -> Value {
    json!({"tool": "AskUserQuestion", "input": {"questions": [{
        "question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]
    }]}})
}
