//! `iris install` in an empty home, and then the real Claude Code CLI: it finds Iris, starts it and calls its tools.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use iris_agents::cli;
use iris_core::team::AgentKind;
use iris_testing::claude;
use iris_testing::model::Model;
use serde_json::{Value, json};

use crate::world::{World, setup};

/// A person's machine: an empty home, and the CLI in the PATH.
struct Desk {
    folder: tempfile::TempDir,
    program: PathBuf,
    model: String,
}

impl Desk {
    fn new(program: &Path, model: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["home/project", "bin"] {
            std::fs::create_dir_all(folder.path().join(name)).expect("a folder");
        }
        std::os::unix::fs::symlink(program, folder.path().join("bin/claude")).expect("linked");
        Self { program: program.to_owned(), model: model.to_owned(), folder }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn claude(&self) -> Command {
        let mut command = claude::command(&self.program, &self.home(), &self.model);
        command.current_dir(self.home().join("project"));
        command
    }

    fn iris(&self, world: &World, words: &[&str]) -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_iris"));
        command.env_clear().envs(claude::environment(&self.home(), &self.model)).env("IRIS_HOME", world.path());
        let path = format!("{}:/usr/bin:/bin", self.folder.path().join("bin").display());
        command.env("PATH", path).args(words).arg("--json").current_dir(self.home().join("project"));
        let ended = command.output().expect("iris runs");
        serde_json::from_str(&said(&ended)).expect("JSON")
    }
}

fn said(ended: &Output) -> String {
    assert!(ended.status.success(), "{ended:?}");
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

/// What the model was told of a tool's answer.
async fn call(desk: &Desk, model: &Model, tool: &str, input: Value, env: &[(&str, &str)]) -> String {
    let script = json!([{ "tool": format!("mcp__iris__{tool}"), "input": input }, { "text": "seen" }]);
    let mut command: tokio::process::Command = desk.claude().into();
    command.args(["-p", &format!("look MODEL{script}"), "--output-format", "json", "--allowedTools", "mcp__iris"]);
    command.envs(env.iter().copied()).kill_on_drop(true);
    let ended = tokio::time::timeout(Duration::from_secs(120), command.output()).await.expect("it ends");
    said(&ended.expect("it runs"));
    let last = model.requests().pop().expect("the model was asked");
    last.messages.last().map(|message| format!("{message:?}")).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_real_cli_finds_iris_after_install_and_calls_it() {
    let script = "replies:\n  - match: '^work'\n    do: [{ delay: 8s }, { say: 'the work is done' }]\n";
    let world = World::new(setup().team("alpha", script));
    for (version, program) in claude::binaries() {
        let tried = cli::find(AgentKind::Claude).expect("a program").tried;
        assert!(tried.contains(&version.as_str()), "`iris doctor` does not know that {version} is tested");
        let model = Model::start().await.expect("a model");
        let desk = Desk::new(&program, &model.url());
        let done = desk.iris(&world, &["install"]);
        assert_eq!(done["outcome"], "added", "{version}: {done}");
        assert_eq!(done["commands"].as_array().map(Vec::len), Some(1), "by the CLI itself ({version}): {done}");
        assert_eq!(desk.iris(&world, &["install"])["outcome"], "already", "{version}");
        let list = said(&desk.claude().args(["mcp", "list"]).output().expect("it runs"));
        assert!(list.contains("iris:") && list.contains("Connected"), "{version}: {list}");
        let teams = call(&desk, &model, "team_teams", json!({}), &[]).await;
        assert!(teams.contains("alpha"), "{version}: {teams}");
        // A limit in the environment that is shorter than the work: the entry's own is the one that counts.
        let tell = json!({ "toTeam": "alpha", "message": format!("work {version}"), "timeout": 0 });
        let told = call(&desk, &model, "team_tell", tell, &[("MCP_TOOL_TIMEOUT", "3000")]).await;
        assert!(told.contains("the work is done"), "{version}: {told}");
        let done = desk.iris(&world, &["uninstall"]);
        assert_eq!(done["outcome"], "removed", "{version}: {done}");
        assert!(Path::new(done["backup"].as_str().expect("a copy")).exists(), "{version}");
        let list = said(&desk.claude().args(["mcp", "list"]).output().expect("it runs"));
        assert!(!list.contains("iris:"), "{version}: {list}");
    }
}
