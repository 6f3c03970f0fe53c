//! What wakes the agent: lines from the host, the end of input, a command that ended.
//!
//! The agent reads standard input itself while nothing else can happen, which spares the warm path a thread and a hop.
//! The first time it has to wait for a clock or a command as well, a reader thread takes over and stays.

use std::borrow::Cow;
use std::io::{self, BufRead, StdinLock};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Instant;

use nix::sys::signal::{SigSet, Signal};
use serde::Deserialize;
use serde_json::Value;

/// Everything that can wake the agent.
#[derive(Debug)]
pub enum Event {
    User(UserMessage),
    Request {
        id: String,
        request: Value,
    },
    Response {
        id: String,
        response: Response,
    },
    /// The host sent something the real CLI dies of.
    Fatal(String),
    Closed,
    CommandEnded(CommandEnd),
}

#[derive(Debug, Clone)]
pub struct UserMessage {
    pub uuid: Option<String>,
    pub text: String,
}

#[derive(Debug)]
pub enum Response {
    Success(Value),
    Error(String),
}

/// How a command of a `run` step ended. The serial tells it from a command that was given up on.
#[derive(Debug)]
pub struct CommandEnd {
    pub serial: u64,
    pub output: String,
    /// None when a signal ended it.
    pub code: Option<i32>,
}

pub enum Inbox {
    Direct(StdinLock<'static>, Vec<u8>),
    Watched(Receiver<Event>, Sender<Event>),
}

impl Inbox {
    pub fn open() -> Self {
        Self::Direct(io::stdin().lock(), Vec::new())
    }

    /// The next event; None when the deadline came first.
    pub fn next(&mut self, deadline: Option<Instant>) -> Option<Event> {
        if deadline.is_some() {
            self.watch();
        }
        match self {
            Self::Direct(stdin, line) => Some(read(stdin, line)),
            Self::Watched(events, _) => match deadline {
                None => Some(events.recv().expect("we hold a sender ourselves")),
                Some(deadline) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    match events.recv_timeout(left) {
                        Ok(event) => Some(event),
                        Err(RecvTimeoutError::Timeout) => None,
                        Err(RecvTimeoutError::Disconnected) => {
                            unreachable!("we hold a sender ourselves")
                        }
                    }
                }
            },
        }
    }

    /// An event that is already here.
    pub fn poll(&mut self) -> Option<Event> {
        self.watch();
        match self {
            Self::Direct(..) => None,
            Self::Watched(events, _) => events.try_recv().ok(),
        }
    }

    /// Hands standard input to a thread of its own and gives back a sender into the same queue.
    pub fn watch(&mut self) -> Sender<Event> {
        if let Self::Watched(_, sender) = self {
            return sender.clone();
        }
        // The channel is unbounded: the host keeps one message in flight, and a bounded one would hide an interrupt
        // behind whatever it was full of.
        let (sender, events) = mpsc::channel();
        // Assigning drops our lock; what it had buffered is in the process-wide buffer that the thread locks next.
        *self = Self::Watched(events, sender.clone());
        let reader = sender.clone();
        without_termination(|| {
            thread::Builder::new()
                .name("stdin".to_owned())
                .stack_size(256 * 1024)
                .spawn(move || forward(&reader))
                .expect("the system gives us one thread");
        });
        sender
    }
}

/// Spawned threads inherit the signal mask. With SIGTERM blocked in every thread but the main one, `ignore_term` has
/// only the main thread left to block.
pub fn without_termination(spawn: impl FnOnce()) {
    let mut termination = SigSet::empty();
    termination.add(Signal::SIGTERM);
    let before = SigSet::thread_get_mask().expect("a thread may read its own mask");
    termination.thread_block().expect("a thread may block a signal");
    spawn();
    before.thread_set_mask().expect("a thread may restore its own mask");
}

fn forward(sender: &Sender<Event>) {
    let mut stdin = io::stdin().lock();
    let mut line = Vec::new();
    loop {
        let event = read(&mut stdin, &mut line);
        let last = matches!(event, Event::Closed | Event::Fatal(_));
        if sender.send(event).is_err() || last {
            return;
        }
    }
}

/// Reads up to the next line that means something.
fn read(stdin: &mut StdinLock<'_>, line: &mut Vec<u8>) -> Event {
    loop {
        line.clear();
        match stdin.read_until(b'\n', line) {
            Ok(0) => return Event::Closed,
            Ok(_) => {}
            Err(error) => return Event::Fatal(format!("Error reading input: {error}")),
        }
        if let Some(event) = parse(line.trim_ascii()) {
            return event;
        }
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    message: Option<Message>,
    uuid: Option<String>,
    request_id: Option<String>,
    request: Option<Value>,
    response: Option<Value>,
}

#[derive(Deserialize)]
struct Message {
    role: Option<String>,
    content: Option<Content>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Blocks(Vec<Value>),
}

/// None for what the real CLI passes over: empty lines and unknown types.
fn parse(line: &[u8]) -> Option<Event> {
    if line.is_empty() {
        return None;
    }
    let envelope: Envelope<'_> = match serde_json::from_slice(line) {
        Ok(envelope) => envelope,
        Err(_) => return complain(line),
    };
    match envelope.kind.as_deref() {
        Some("user") => Some(user(envelope)),
        Some("control_request") => Some(Event::Request {
            id: envelope.request_id.unwrap_or_default(),
            request: envelope.request.unwrap_or_default(),
        }),
        Some("control_response") => Some(response(envelope.response.unwrap_or_default())),
        _ => None,
    }
}

fn complain(line: &[u8]) -> Option<Event> {
    let kind = match serde_json::from_slice::<Value>(line) {
        Err(_) => None,
        Ok(value) => match value.get("type").and_then(Value::as_str) {
            Some(kind @ ("user" | "control_request" | "control_response")) => Some(kind.to_owned()),
            _ => return None,
        },
    };
    let length = String::from_utf8_lossy(line).chars().count();
    Some(Event::Fatal(match kind {
        None => {
            format!("Error parsing streaming input line (type=unknown, {length} chars): SyntaxError")
        }
        Some(kind) => {
            format!("Error parsing streaming input line (type={kind}, {length} chars): TypeError")
        }
    }))
}

fn user(envelope: Envelope<'_>) -> Event {
    let message = envelope.message;
    let role = message.as_ref().and_then(|message| message.role.as_deref());
    if role != Some("user") {
        let got = role.unwrap_or("undefined");
        return Event::Fatal(format!("Error: Expected message role 'user', got '{got}'"));
    }
    let text = match message.and_then(|message| message.content) {
        None => String::new(),
        Some(Content::Text(text)) => text,
        Some(Content::Blocks(blocks)) => {
            let texts: Vec<&str> =
                blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str)).collect();
            texts.join("\n")
        }
    };
    Event::User(UserMessage { uuid: envelope.uuid, text })
}

fn response(mut response: Value) -> Event {
    let id = text_of(&response, "request_id");
    let response = if response.get("subtype").and_then(Value::as_str) == Some("error") {
        Response::Error(text_of(&response, "error"))
    } else {
        Response::Success(response.get_mut("response").map(Value::take).unwrap_or_default())
    };
    Event::Response { id, response }
}

/// A text field of a JSON object, empty when it is missing.
pub fn text_of(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_the_real_cli_passes_over() {
        for line in ["", r#"{"type":"keep_alive"}"#, r#"{"type":"x","message":5}"#, "[]", "{}"] {
            assert!(parse(line.as_bytes()).is_none(), "{line}");
        }
    }

    #[test]
    fn lines_the_real_cli_dies_of() {
        for (line, told) in [
            ("this is not json", "Error parsing streaming input line (type=unknown, 16 chars): SyntaxError"),
            (r#"{"type":"user","message":{}}"#, "Error: Expected message role 'user', got 'undefined'"),
            (r#"{"type":"user","uuid":5}"#, "Error parsing streaming input line (type=user, 24 chars): TypeError"),
        ] {
            match parse(line.as_bytes()) {
                Some(Event::Fatal(message)) => assert_eq!(message, told),
                other => panic!("{line} gave {other:?}"),
            }
        }
    }
}
