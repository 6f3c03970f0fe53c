//! The scripted model as any client sees it. That the real CLI understands it is shown in `claude.rs`.

use std::time::Duration;

use anyhow::{Context, Result};
use iris_testing::client::Client;
use iris_testing::model::Model;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn an_answer_in_one_piece() -> Result<()> {
    let model = Model::start().await?;
    let message = post(&model, "/v1/messages?beta=true", &call(r#"MODEL[{"text":"a","tool":"Bash"}]"#), 200).await?;
    assert_eq!(message["content"][0], json!({"type": "text", "text": "a"}));
    assert_eq!(message["content"][1]["name"], json!("Bash"));
    assert_eq!(message["content"][1]["input"], json!({}));
    assert_eq!(message["stop_reason"], json!("tool_use"));
    Ok(())
}

#[tokio::test]
async fn what_is_counted_is_what_is_used() -> Result<()> {
    let model = Model::start().await?;
    let call = call("hello");
    let counted = post(&model, "/v1/messages/count_tokens?beta=true", &call, 200).await?;
    let answered = post(&model, "/v1/messages", &call, 200).await?;
    assert_eq!(counted["input_tokens"], answered["usage"]["input_tokens"]);
    assert_eq!(model.requests().len(), 1, "counting is no call of the model");
    Ok(())
}

#[tokio::test]
async fn it_fails_as_often_as_it_was_told() -> Result<()> {
    let model = Model::start().await?;
    let call = call(r#"MODEL[{"http":529,"times":1},{"http":500,"times":2,"message":"oh"},{"text":"well"}]"#);
    for (status, kind) in [(529, "overloaded_error"), (500, "api_error"), (500, "api_error")] {
        let error = post(&model, "/v1/messages", &call, status).await?;
        assert_eq!((&error["type"], &error["error"]["type"]), (&json!("error"), &json!(kind)));
    }
    assert_eq!(post(&model, "/v1/messages", &call, 200).await?["content"][0]["text"], json!("well"));
    Ok(())
}

#[tokio::test]
async fn what_it_does_not_know_it_refuses_as_the_api_does() -> Result<()> {
    let model = Model::start().await?;
    assert_eq!(post(&model, "/v1/other", &json!({}), 404).await?["error"]["type"], json!("not_found_error"));
    assert_eq!(post(&model, "/v1/messages", &json!({}), 400).await?["error"]["type"], json!("invalid_request_error"));
    assert_eq!(model.strays(), ["POST /v1/other"]);
    Ok(())
}

#[tokio::test]
async fn a_call_beyond_the_limit_is_refused() -> Result<()> {
    let model = Model::start().await?;
    let body = json!(" ".repeat(65 * 1024 * 1024));
    // The refusal may be lost when the connection ends before all was sent.
    if let Ok(answer) = Client::new(&address(&model), "made-up").post("/v1/messages", &body).await {
        assert_eq!(answer.status, 413, "{}", String::from_utf8_lossy(&answer.body));
        assert_eq!(answer.json()?["error"]["type"], json!("request_too_large"));
    }
    assert!(model.requests().is_empty());
    Ok(())
}

#[tokio::test]
async fn a_whole_stream_has_an_end() -> Result<()> {
    let model = Model::start().await?;
    let text = stream(&model, r#"MODEL[{"text":"hello"}]"#).await?;
    let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    let expected = "message_start ping content_block_start content_block_delta content_block_stop message_delta";
    assert_eq!(names.join(" "), format!("{expected} message_stop"), "{text}");
    assert!(text.ends_with("\r\n0\r\n\r\n"), "{text}");
    Ok(())
}

#[tokio::test]
async fn a_cut_stream_has_none() -> Result<()> {
    let model = Model::start().await?;
    let text = stream(&model, r#"MODEL[{"cut":true}]"#).await?;
    assert!(text.contains("event: content_block_delta"), "{text}");
    assert!(!text.contains("message_stop") && !text.ends_with("\r\n0\r\n\r\n"), "{text}");
    Ok(())
}

#[tokio::test]
async fn a_dropped_model_lets_go_of_those_it_kept_waiting() -> Result<()> {
    for script in [r#"MODEL[{"hang":true}]"#, r#"MODEL[{"hang_before_headers":true}]"#] {
        let model = Model::start().await?;
        let mut stream = open(&model, script).await?;
        model.wait_for_requests(1, PATIENCE).await?;
        drop(model);
        let mut rest = Vec::new();
        // A reset is an end too.
        let end = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await.context("no end came")?;
        assert!(!String::from_utf8_lossy(&rest).contains("message_stop"), "{end:?}");
    }
    Ok(())
}

const PATIENCE: Duration = Duration::from_secs(30);

fn call(text: &str) -> Value {
    json!({"model": "made-up", "max_tokens": 100, "messages": [{"role": "user", "content": text}]})
}

fn address(model: &Model) -> String {
    model.url().trim_start_matches("http://").to_owned()
}

async fn post(model: &Model, path: &str, body: &Value, status: u16) -> Result<Value> {
    let answer = Client::new(&address(model), "made-up").post(path, body).await?;
    assert_eq!(answer.status, status, "{}", String::from_utf8_lossy(&answer.body));
    answer.json()
}

/// Everything up to the end of the connection.
async fn stream(model: &Model, script: &str) -> Result<String> {
    let mut stream = open(model, script).await?;
    let mut text = Vec::new();
    tokio::time::timeout(PATIENCE, stream.read_to_end(&mut text)).await.context("no end came")??;
    Ok(String::from_utf8(text)?)
}

async fn open(model: &Model, script: &str) -> Result<TcpStream> {
    let mut call = call(script);
    call["stream"] = json!(true);
    let body = call.to_string();
    let mut stream = TcpStream::connect(address(model)).await?;
    let head = "POST /v1/messages HTTP/1.1\r\nhost: model\r\nconnection: close\r\ncontent-length";
    stream.write_all(format!("{head}: {}\r\n\r\n{body}", body.len()).as_bytes()).await?;
    Ok(stream)
}
