//! The real Claude Code CLI against the scripted model: that the one understands the other, in every version we test
//! with.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use iris_testing::claude;
use iris_testing::model::{Block, Model, ModelRequest};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

#[tokio::test]
async fn text() -> Result<()> {
    check(r#"MODEL[{"text":"hello"}]"#, |turn| turn.said("hello").calls(1)).await
}

#[tokio::test]
async fn without_a_script() -> Result<()> {
    check("how are you", |turn| turn.said("You said: how are you").calls(1)).await
}

#[tokio::test]
async fn a_tool_call() -> Result<()> {
    check(r#"MODEL[{"text":"look","tool":"Bash","input":{"command":"echo one two"}},{"text":"seen"}]"#, |turn| {
        turn.said("seen").calls(2).got_from_tools("one two")
    })
    .await
}

#[tokio::test]
async fn two_tool_calls_at_once() -> Result<()> {
    let script = r#"MODEL[{"tools":[
        {"tool":"Bash","input":{"command":"echo first"}}, {"tool":"Bash","input":{"command":"echo second"}}
    ]},{"text":"both"}]"#;
    check(script, |turn| turn.said("both").calls(2).got_from_tools("first").got_from_tools("second")).await
}

#[tokio::test]
async fn overloaded_twice() -> Result<()> {
    check(r#"MODEL[{"http":529,"times":2},{"text":"at last"}]"#, |turn| {
        turn.said("at last").calls(3).retried(2, json!(529))
    })
    .await
}

#[tokio::test]
async fn an_error_that_is_not_tried_again() -> Result<()> {
    check(r#"MODEL[{"http":403,"message":"not for you"}]"#, |turn| turn.failed("not for you").calls(1)).await
}

#[tokio::test]
async fn a_header_says_when_to_try_again() -> Result<()> {
    let script = r#"MODEL[{"http":429,"times":1,"headers":{"retry-after":"1"}}]"#;
    check(script, |turn| turn.said("recovered").calls(2).retried(1, json!(429))).await
}

#[tokio::test]
async fn a_stream_that_is_cut() -> Result<()> {
    check(r#"MODEL[{"cut":true,"times":1},{"text":"whole"}]"#, |turn| turn.said("whole").calls(2)).await
}

#[tokio::test]
async fn a_stream_that_makes_no_sense() -> Result<()> {
    check(r#"MODEL[{"bad_sse":true},{"text":"in one piece"}]"#, |turn| {
        turn.said("in one piece").last_call_was_no_stream()
    })
    .await
}

#[tokio::test]
async fn slow_and_late_words() -> Result<()> {
    check(r#"MODEL[{"slow_ms":5,"delay_ms":20,"text":"one word  at a\ntime"}]"#, |turn| {
        turn.said("one word  at a\ntime").calls(1)
    })
    .await
}

#[tokio::test]
async fn a_thought() -> Result<()> {
    check(r#"MODEL[{"thinking":"let me see","text":"so it is"}]"#, |turn| turn.said("so it is").calls(1)).await
}

#[tokio::test]
async fn a_big_answer() -> Result<()> {
    check(r#"MODEL[{"big":1000000}]"#, |turn| turn.said_bytes(1_000_000).calls(1)).await
}

#[tokio::test]
async fn an_answer_that_was_too_long() -> Result<()> {
    check(r#"MODEL[{"stop":"max_tokens"},{"text":"the rest"}]"#, |turn| turn.said("the rest").calls(2)).await
}

#[tokio::test]
async fn a_sub_agent_has_a_script_of_its_own() -> Result<()> {
    let inner = r#"MODEL[{"text":"from below"}]"#;
    let input = json!({
        "description": "look", "prompt": inner, "subagent_type": "general-purpose", "run_in_background": false
    });
    let steps = json!([{"tool": "Agent", "input": input}, {"text": "from above"}]);
    check(&format!("MODEL{steps}"), |turn| turn.said("from above").calls(3).got_from_tools("from below")).await
}

#[tokio::test]
async fn a_resumed_session_knows_what_was_said() -> Result<()> {
    let session = "5f0c1d9e-3c8e-4b57-9d5e-0a4f6b1c2d3e";
    for (version, program) in claude::binaries() {
        let (model, home) = (Model::start().await?, tempfile::tempdir()?);
        let mut first = Cli::start(&program, home.path(), &model, &["--session-id", session])?;
        first.turn("the word is heliotrope").await.with_context(|| version.clone())?;
        first.end().await?;
        let mut second = Cli::start(&program, home.path(), &model, &["--resume", session])?;
        let (_, result) = second.turn(r#"MODEL[{"echo":true}]"#).await.with_context(|| version.clone())?;
        let said = result["result"].as_str().context("a text")?;
        assert!(said.contains("the word is heliotrope"), "{version}: {said}");
        assert!(said.contains("You said: the word is heliotrope"), "{version}: {said}");
        assert!(model.requests().iter().all(|request| request.session.as_deref() == Some(session)), "{version}");
        second.end().await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_model_that_hangs_can_be_interrupted() -> Result<()> {
    for script in [r#"MODEL[{"hang":true}]"#, r#"MODEL[{"hang_before_headers":true}]"#] {
        for (version, program) in claude::binaries() {
            let (model, home) = (Model::start().await?, tempfile::tempdir()?);
            let mut cli = Cli::start(&program, home.path(), &model, &[])?;
            cli.say(script).await?;
            model.wait_for_requests(1, PATIENCE).await.with_context(|| version.clone())?;
            cli.say_line(&json!({"type": "control_request", "request_id": "r", "request": {"subtype": "interrupt"}}))
                .await?;
            let (_, result) = cli.result().await.with_context(|| version.clone())?;
            assert_eq!(result["is_error"], json!(true), "{version}: {result}");
            drop(model);
        }
    }
    Ok(())
}

/// Tells a CLI of every version the message, and looks at the turn.
async fn check(message: &str, look: impl Fn(Turn) -> Turn) -> Result<()> {
    for (version, program) in claude::binaries() {
        let (model, home) = (Model::start().await?, tempfile::tempdir()?);
        let mut cli = Cli::start(&program, home.path(), &model, &[])?;
        let (events, result) = cli.turn(message).await.with_context(|| version.clone())?;
        let requests = model.requests();
        assert!(requests.iter().all(|request| request.api_key.as_deref() == Some("sk-made-up")), "{version}");
        look(Turn { version: version.clone(), events, result, requests });
        assert_eq!(model.strays(), Vec::<String>::new(), "{version}");
        cli.end().await?;
    }
    Ok(())
}

struct Turn {
    version: String,
    events: Vec<Value>,
    result: Value,
    requests: Vec<ModelRequest>,
}

impl Turn {
    fn said(self, text: &str) -> Self {
        assert_eq!(self.result["result"], json!(text), "{}: {}", self.version, self.result);
        assert_eq!(self.result["is_error"], json!(false), "{}: {}", self.version, self.result);
        self
    }

    fn said_bytes(self, count: usize) -> Self {
        assert_eq!(self.result["result"].as_str().map(str::len), Some(count), "{}", self.version);
        self
    }

    fn failed(self, part: &str) -> Self {
        assert_eq!(self.result["is_error"], json!(true), "{}: {}", self.version, self.result);
        assert!(self.result["result"].to_string().contains(part), "{}: {}", self.version, self.result);
        self
    }

    fn calls(self, count: usize) -> Self {
        let heard: Vec<_> = self.requests.iter().map(|request| &request.last_user_text).collect();
        assert_eq!(self.requests.len(), count, "{}: {heard:?}", self.version);
        self
    }

    fn retried(self, count: usize, status: Value) -> Self {
        let retries = self.events.iter().filter(|event| event["subtype"] == "api_retry");
        let statuses: Vec<_> = retries.map(|event| event["error_status"].clone()).collect();
        assert_eq!(statuses, vec![status; count], "{}", self.version);
        self
    }

    fn got_from_tools(self, part: &str) -> Self {
        let blocks = self.requests.iter().flat_map(|request| &request.messages).flat_map(|message| &message.blocks);
        let found = blocks.into_iter().any(|block| match block {
            Block::ToolResult { text, is_error } => text.contains(part) && !is_error,
            _ => false,
        });
        assert!(found, "{}: {:?}", self.version, self.requests.last().map(|request| &request.messages));
        self
    }

    fn last_call_was_no_stream(self) -> Self {
        assert_eq!(self.requests.last().map(|request| request.stream), Some(false), "{}", self.version);
        self
    }
}

const PATIENCE: Duration = Duration::from_secs(60);

struct Cli {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Cli {
    fn start(program: &Path, home: &Path, model: &Model, more: &[&str]) -> Result<Self> {
        let mut command = Command::from(claude::command(program, home, &model.url()));
        let mut child = command
            .args(["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"])
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let input = child.stdin.take().context("a pipe")?;
        let output = BufReader::new(child.stdout.take().context("a pipe")?).lines();
        Ok(Self { child, input, output })
    }

    async fn turn(&mut self, message: &str) -> Result<(Vec<Value>, Value)> {
        self.say(message).await?;
        self.result().await
    }

    async fn say(&mut self, message: &str) -> Result<()> {
        self.say_line(&json!({"type": "user", "message": {"role": "user", "content": message}})).await
    }

    async fn say_line(&mut self, line: &Value) -> Result<()> {
        Ok(self.input.write_all(format!("{line}\n").as_bytes()).await?)
    }

    /// Everything up to the end of the turn, and the end.
    async fn result(&mut self) -> Result<(Vec<Value>, Value)> {
        let mut events = Vec::new();
        loop {
            let line = tokio::time::timeout(PATIENCE, self.output.next_line()).await;
            let line = line.with_context(|| format!("no result after {events:?}"))??;
            let Some(line) = line else { bail!("the CLI ended after {events:?}") };
            let event: Value = serde_json::from_str(&line)?;
            if event["type"] == "result" {
                return Ok((events, event));
            }
            events.push(event);
        }
    }

    async fn end(mut self) -> Result<()> {
        drop(self.input);
        tokio::time::timeout(PATIENCE, self.child.wait()).await.context("the CLI does not end")??;
        Ok(())
    }
}
