//! The real Claude Code CLI with Iris as its MCP server: work that takes longer than the CLI waits without a word.
//! `cargo xtask test` fetches the CLI; without it this is left out, and says so.

use std::path::Path;
use std::time::Duration;

use iris_testing::claude;
use iris_testing::daemon::Setup;
use iris_testing::model::Model;
use serde_json::{Value, json};

use crate::world::{World, setup};

/// How long the agent works, and how long the CLI waits without a word; it looks every 30 seconds. In full with
/// IRIS_TEST_LONG: ten minutes, and as long as the CLI waits by itself, which over HTTP is five.
fn plan() -> (u64, Option<u64>) {
    if std::env::var_os("IRIS_TEST_LONG").is_some() { (600, None) } else { (45, Some(10)) }
}

fn team(work: u64) -> Setup {
    let script =
        format!("replies:\n  - match: '^work'\n    do: [{{ delay: {work}s }}, {{ say: 'the work is done' }}]\n");
    setup().team("alpha", &script).team("beta", &script).team("gamma", &script).setting("responseTimeout: 20m")
}

/// Asks the CLI to have the work done by Iris, and gives what the model was told of the tool's answer.
async fn ask(program: &Path, world: &World, to: &str, server: Value, idle: Option<u64>) -> String {
    let model = Model::start().await.expect("a model");
    let home = tempfile::tempdir().expect("a home");
    let config = home.path().join("mcp.json");
    std::fs::write(&config, json!({ "mcpServers": { "iris": server } }).to_string()).expect("written");
    let input = json!({ "toTeam": to, "message": format!("work from {}", world.path().display()), "timeout": 0 });
    let script = json!([{ "tool": "mcp__iris__team_tell", "input": input }, { "text": "seen" }]);
    let mut command: tokio::process::Command = claude::command(program, home.path(), &model.url()).into();
    command.args(["-p", &format!("have it done MODEL{script}"), "--output-format", "json", "--mcp-config"]).arg(config);
    command.args(["--strict-mcp-config", "--allowedTools", "mcp__iris__team_tell"]).kill_on_drop(true);
    command.envs(idle.map(|idle| ("CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT", (idle * 1000).to_string())));
    let ended = tokio::time::timeout(Duration::from_secs(700), command.output()).await.expect("it ends");
    let ended = ended.expect("it runs");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    let last = model.requests().pop().expect("the model was asked");
    last.messages.last().map(|message| format!("{message:?}")).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn long_work_does_not_time_out_because_progress_is_told() {
    let Some(program) = claude::binary() else { return };
    let (work, idle) = plan();
    let world = World::new(team(work));
    let iris = env!("CARGO_BIN_EXE_iris");
    let home = world.path().display().to_string();
    let token = format!("Bearer {}", world.daemon.token);
    let url = format!("http://{}/mcp", world.daemon.address);
    let over_http = json!({ "type": "http", "url": url, "headers": { "Authorization": token } });
    let over_stdio = json!({ "type": "stdio", "command": iris, "args": ["--home", home, "mcp"] });
    // The same without progress, which shows that it is progress that does it.
    let filter = format!("{iris} --home {home} mcp | grep -v --line-buffered notifications/progress");
    let silent = json!({ "type": "stdio", "command": "sh", "args": ["-c", filter] });
    let (http, stdio, silent) = tokio::join!(
        ask(&program, &world, "alpha", over_http, idle),
        ask(&program, &world, "beta", over_stdio, idle),
        async {
            match idle {
                Some(_) => ask(&program, &world, "gamma", silent, idle).await,
                None => String::new(),
            }
        },
    );
    assert!(http.contains("the work is done"), "over HTTP: {http}");
    assert!(stdio.contains("the work is done"), "over stdio: {stdio}");
    assert!(idle.is_none() || silent.contains("no response or progress"), "without progress: {silent}");
}
