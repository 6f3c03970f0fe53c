//! An answer as server-sent events, whole or broken.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::body::Body;
use futures_util::stream::{self, StreamExt};
use serde_json::{Value, json};

use super::answer::{Answer, Content, SIGNATURE};

/// One event, and how long to wait before it.
struct Frame {
    pause: Duration,
    text: String,
}

/// The whole answer; `pause` is waited before every word.
pub fn whole(answer: &Answer, pause: Option<Duration>) -> Body {
    let frames = frames(answer, pause);
    Body::from_stream(stream::iter(frames).then(|frame| async move {
        if !frame.pause.is_zero() {
            tokio::time::sleep(frame.pause).await;
        }
        Ok::<_, Infallible>(frame.text)
    }))
}

/// The start, and then nothing.
pub fn hanging(answer: &Answer) -> Body {
    let start = start(answer).map(|frame| Ok::<_, Infallible>(frame.text));
    Body::from_stream(stream::iter(start).chain(stream::pending()))
}

/// The start and some words, and then the connection is closed.
pub fn cut(answer: &Answer) -> Body {
    let words = [
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": CUT_TEXT}}),
    ];
    let frames = start(answer).into_iter().chain(words.iter().map(Frame::new)).map(|frame| Ok(frame.text));
    Body::from_stream(stream::iter(frames.collect::<Vec<_>>()).chain(stream::once(async {
        // What is written together with the end of a connection may never leave.
        tokio::time::sleep(Duration::from_millis(20)).await;
        Err(io::Error::from(io::ErrorKind::ConnectionReset))
    })))
}

/// Never part of an answer.
const CUT_TEXT: &str = "these words are cut o";

pub fn garbage() -> Body {
    Body::from("event: message_start\ndata: {this is not JSON\n\nneither an event nor a comment\n\n")
}

fn frames(answer: &Answer, pause: Option<Duration>) -> Vec<Frame> {
    let blocks = answer.content.iter().enumerate().flat_map(|(index, content)| block(index, content, pause));
    let end = [Frame::new(&answer.end()), Frame::new(&json!({"type": "message_stop"}))];
    start(answer).into_iter().chain(blocks).chain(end).collect()
}

fn start(answer: &Answer) -> [Frame; 2] {
    [Frame::new(&json!({"type": "message_start", "message": answer.start()})), Frame::new(&json!({"type": "ping"}))]
}

fn block(index: usize, content: &Content, pause: Option<Duration>) -> Vec<Frame> {
    let (empty, deltas) = match content {
        Content::Thinking(text) => {
            let mut deltas = deltas("thinking", &pieces(text));
            deltas.push(json!({"type": "signature_delta", "signature": SIGNATURE}));
            (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
        }
        Content::Text(text) => {
            let pieces = if pause.is_some() { words(text) } else { pieces(text) };
            (json!({"type": "text", "text": ""}), deltas("text", &pieces))
        }
        Content::ToolUse { id, call } => {
            let input = call.input.to_string();
            let deltas: Vec<Value> =
                pieces(&input).iter().map(|piece| json!({"type": "input_json_delta", "partial_json": piece})).collect();
            (json!({"type": "tool_use", "id": id, "name": call.tool, "input": {}}), deltas)
        }
    };
    let mut frames = vec![Frame::new(&json!({"type": "content_block_start", "index": index, "content_block": empty}))];
    frames.extend(deltas.iter().map(|delta| Frame {
        pause: pause.unwrap_or_default(),
        ..Frame::new(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
    }));
    frames.push(Frame::new(&json!({"type": "content_block_stop", "index": index})));
    frames
}

fn deltas(field: &str, pieces: &[&str]) -> Vec<Value> {
    pieces.iter().map(|piece| json!({"type": format!("{field}_delta"), field: piece})).collect()
}

/// Some pieces, as from a real model, but not so many that a big answer takes long.
fn pieces(text: &str) -> Vec<&str> {
    let size = (text.len() / 64).max(32);
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(rest.ceil_char_boundary(size));
        pieces.push(piece);
        rest = more;
    }
    pieces
}

/// With the spaces after them, so that together they are the text.
fn words(text: &str) -> Vec<&str> {
    text.split_inclusive(char::is_whitespace).collect()
}

impl Frame {
    fn new(event: &Value) -> Self {
        let name = event["type"].as_str().unwrap_or_default();
        Self { pause: Duration::ZERO, text: format!("event: {name}\ndata: {event}\n\n") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_up_the_text() {
        for text in ["", "short", "ä ö ü ß 日本語 ".repeat(100).as_str(), "x".repeat(1_000_000).as_str()] {
            assert_eq!(pieces(text).concat(), text);
            assert_eq!(words(text).concat(), text);
            assert!(pieces(text).len() <= 65);
        }
    }
}
