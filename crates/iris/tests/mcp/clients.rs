//! Clients that we did not write: the Inspector and the official packages, over HTTP and over stdio.
//! `cargo xtask test` fetches them; without them these tests are left out, and say so.

use std::time::Duration;

use iris_testing::outside::{self, Node};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::pipe::Place;
use crate::stage::{last_state, until};
use crate::world::World;

/// Ours and their aliases: an assistant that is shown fewer has lost some, one that is shown more needs a look here.
const TOOLS: usize = 23;
const PATIENCE: Duration = Duration::from_secs(60);
const SCRIPT: &str = include_str!("clients/client.mjs");
const PYTHON: &str = include_str!("clients/client.py");

/// A way in: what a script is told of it.
enum Way {
    Http(Box<World>),
    Stdio(Place),
}

impl Way {
    fn all() -> [Self; 2] {
        [Self::Http(Box::new(crate::stage::world())), Self::Stdio(Place::new())]
    }

    fn tell(&self, command: &mut Command) {
        match self {
            Self::Http(world) => {
                let url = format!("http://{}/mcp", world.daemon.address);
                command.args(["http", &url, &world.daemon.token]);
            }
            Self::Stdio(place) => {
                command.args(["stdio", env!("CARGO_BIN_EXE_iris")]).arg(place.path());
            }
        }
    }

    /// What the client gave up on was broken off in the agent, too.
    async fn is_cancelled(&self) {
        if let Self::Http(world) = self {
            until("its turn is cancelled", async || last_state(world, "user").await == "cancelled").await;
        }
    }
}

async fn run(command: Command) -> Value {
    let said = outside::output(command, PATIENCE).await.expect("it ends well");
    let last = said.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|_| panic!("not what was expected: {said}"))
}

fn check(name: &str, seen: &Value) {
    let expected = [
        ("tools", json!(TOOLS)),
        ("response", json!("one two three four five six seven eight nine ten")),
        ("refused", json!(true)),
        ("cancelled", json!(true)),
        ("teams", json!(2)),
        ("prompt", json!(1)),
    ];
    for (what, value) in expected {
        assert_eq!(seen[what], value, "{name}: {what} in {seen}");
    }
    assert!(seen["progress"].as_u64().is_some_and(|count| count >= 2), "{name}: {seen}");
    assert!(seen["resources"].as_u64().is_some_and(|count| count >= 3), "{name}: {seen}");
}

#[tokio::test]
async fn the_typescript_client_of_the_older_revision() {
    typescript("sdk").await;
}

#[tokio::test]
async fn the_typescript_client_of_the_newer_revision() {
    typescript("client").await;
}

async fn typescript(package: &str) {
    let Some(node) = Node::find() else { return };
    for way in Way::all() {
        let mut command = node.run("client.mjs", SCRIPT).expect("a script");
        command.arg(package);
        way.tell(&mut command);
        check(package, &run(command).await);
        way.is_cancelled().await;
    }
}

#[tokio::test]
async fn the_python_client_in_the_older_revision() {
    python("legacy", "2025-11-25").await;
}

#[tokio::test]
async fn the_python_client_in_the_newer_revision() {
    python("auto", "2026-07-28").await;
}

async fn python(mode: &str, version: &str) {
    for way in Way::all() {
        let Some(mut command) = outside::python() else { return };
        command.args(["-c", PYTHON, mode]);
        way.tell(&mut command);
        let seen = run(command).await;
        assert_eq!(seen["version"], version, "{seen}");
        check(mode, &seen);
        way.is_cancelled().await;
    }
}

#[tokio::test]
async fn the_inspector() {
    let Some(node) = Node::find() else { return };
    for way in Way::all() {
        let inspect = |method: &[&str]| {
            let mut command = node.script("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
            command.arg("--cli");
            match &way {
                Way::Http(world) => {
                    let token = format!("Authorization: Bearer {}", world.daemon.token);
                    command.arg(format!("http://{}/mcp", world.daemon.address)).args(["--transport", "http"]);
                    command.args(["--header", &token, "--method"]).args(method);
                }
                Way::Stdio(place) => {
                    command.arg("--method").args(method).args(["--", env!("CARGO_BIN_EXE_iris"), "--home"]);
                    command.arg(place.path()).arg("mcp");
                }
            }
            outside::output(command, PATIENCE)
        };
        let listed: Value = serde_json::from_str(&inspect(&["tools/list"]).await.expect("listed")).expect("JSON");
        assert_eq!(listed["tools"].as_array().map(Vec::len), Some(TOOLS));
        let call = ["tools/call", "--tool-name", "team_tell", "--tool-arg", "toTeam=alpha", "--tool-arg", "message=hi"];
        let told: Value = serde_json::from_str(&inspect(&call).await.expect("told")).expect("JSON");
        assert_eq!(told["structuredContent"]["response"], "You said: hi", "{told}");
    }
}
