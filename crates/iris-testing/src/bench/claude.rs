//! The real CLI: what a warm process saves against a fresh one for each tell, and what Iris adds to a turn.
//!
//! The ways take turns, so that whatever else the machine does hits all of them. The model answers at once, which shows what
//! Iris adds, and again after as long as no hosted model is faster, which is what its share is a share of.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::load::Latencies;
use super::measure::{setup, world};
use super::{Figure, Plan};
use crate::claude;
use crate::model::Model;

const AT_ONCE: &str = r#"hello MODEL[{"text": "hello yourself"}]"#;
const AFTER_HALF_A_SECOND: &str = r#"hello MODEL[{"text": "hello yourself", "delay_ms": 500}]"#;

pub fn measure(plan: &Plan, runtime: &Runtime) -> Result<Vec<Figure>> {
    let Some(program) = claude::binary() else { return Ok(Vec::new()) };
    let model = runtime.block_on(Model::start())?;
    let world = world(plan, setup(plan).claude_team("real", &program, &model.url(), &[]))?;
    let home = tempfile::tempdir()?;
    let mut direct = Direct::start(&program, home.path(), &model.url())?;
    let mut client = world.daemon.client();
    let mut tell = |words: &str| -> Result<Duration> {
        let began = Instant::now();
        let told = runtime.block_on(client.tell("user", "real", words))?;
        ensure!(told["response"] == "hello yourself", "{told}");
        Ok(began.elapsed())
    };
    // Both warm: a process grows slower with its conversation, so both have had as many turns.
    for _ in 0..5 {
        tell(AT_ONCE)?;
        direct.tell(AT_ONCE)?;
    }
    let (mut fresh, mut through_iris, mut alone) = (Latencies::default(), Latencies::default(), Latencies::default());
    for round in 0..plan.rounds(120).max(20) {
        through_iris.add(tell(AT_ONCE)?);
        alone.add(direct.tell(AT_ONCE)?);
        if round % 10 == 0 {
            fresh.add(one_shot(&program, home.path(), &model.url())?);
        }
    }
    let (mut slow_through_iris, mut slow_alone) = (Latencies::default(), Latencies::default());
    for _ in 0..plan.rounds(60).max(10) {
        slow_through_iris.add(tell(AFTER_HALF_A_SECOND)?);
        slow_alone.add(direct.tell(AFTER_HALF_A_SECOND)?);
    }
    drop(direct);
    world.daemon.stop()?;
    let saved = 100.0 * (1.0 - through_iris.p50() / fresh.p50());
    let share = |through: &Latencies, alone: &Latencies| 100.0 * (through.p50() - alone.p50()) / through.p50();
    Ok(vec![
        Figure::new("real CLI: a fresh process for a tell, p50", fresh.p50(), "ms"),
        Figure::new("real CLI: a second tell through Iris, p50", through_iris.p50(), "ms"),
        Figure::new("real CLI: saved by the warm process", saved, "%").at_least(52.0),
        Figure::new("real CLI: the same turn without Iris, p50", alone.p50(), "ms"),
        Figure::new("real CLI: Iris's share if the model took no time", share(&through_iris, &alone), "%"),
        Figure::new("real CLI: Iris's share, a model of 0.5 s", share(&slow_through_iris, &slow_alone), "%")
            .at_most(2.0),
    ])
}

fn one_shot(program: &Path, home: &Path, model: &str) -> Result<Duration> {
    let began = Instant::now();
    let output = claude::command(program, home, model).args(["-p", AT_ONCE]).stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(said.contains("hello yourself"), "{said}");
    Ok(began.elapsed())
}

/// The CLI with nothing between it and us, spoken to as Iris does.
struct Direct {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Direct {
    fn start(program: &Path, home: &Path, model: &str) -> Result<Self> {
        let mut child = claude::command(program, home, model)
            .args(["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"])
            .args(["--include-partial-messages", "--permission-prompt-tool", "stdio", "--setting-sources", "user"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let stdin = child.stdin.take().context("a pipe")?;
        let stdout = BufReader::new(child.stdout.take().context("a pipe")?);
        let mut direct = Self { child, stdin, stdout };
        // The same tools as Iris brings: what they cost the CLI is not what Iris costs.
        let greeting = json!({"subtype": "initialize", "sdkMcpServers": ["iris"]});
        direct.write(&json!({"type": "control_request", "request_id": "greeting", "request": greeting}))?;
        Ok(direct)
    }

    fn write(&mut self, line: &Value) -> Result<()> {
        Ok(writeln!(self.stdin, "{line}")?)
    }

    /// What the CLI asks of the server with the tools.
    fn serve(&mut self, request: &Value) -> Result<()> {
        let message = &request["request"]["message"];
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => {
                json!({"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                                   "serverInfo": {"name": "iris", "version": "0"}})
            }
            "tools/list" => {
                let tools = iris_engine::tool::specs();
                let tool = |spec: &iris_core::agent::ToolSpec| {
                    json!({"name": spec.name, "description": spec.description, "inputSchema": spec.input,
                           "_meta": {"anthropic/alwaysLoad": true}})
                };
                json!({"tools": tools.iter().map(tool).collect::<Vec<_>>()})
            }
            _ => json!({}),
        };
        let answer = json!({"mcp_response": {"jsonrpc": "2.0", "id": message["id"], "result": result}});
        self.write(&json!({"type": "control_response", "response": {
            "subtype": "success", "request_id": request["request_id"], "response": answer}}))
    }

    fn tell(&mut self, words: &str) -> Result<Duration> {
        let began = Instant::now();
        let line = json!({"type": "user", "message": {"role": "user", "content": words},
                          "uuid": uuid::Uuid::new_v4().to_string()});
        self.write(&line)?;
        let mut line = String::new();
        loop {
            line.clear();
            ensure!(self.stdout.read_line(&mut line)? > 0, "the CLI ended");
            let said: Value = serde_json::from_str(&line)?;
            match said["type"].as_str() {
                Some("result") => return Ok(began.elapsed()),
                Some("control_request") => self.serve(&said)?,
                _ => {}
            }
        }
    }
}

impl Drop for Direct {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
