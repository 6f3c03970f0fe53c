//! The steps a reply is made of. One variant a key; `docs/scripted-agent.md` shows each in use.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::scalar::{Delay, Hang, Pattern, TextOr};
use crate::scripted::text::Template;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    Say(Template),
    Think(Template),
    Stream(Stream),
    Delay(Delay),
    Tool(Tool),
    Run(Run),
    Write(WriteFile),
    Permission(Permission),
    Ask(Ask),
    Mcp(McpCall),
    Subagent(Subagent),
    ApiError(ApiError),
    Retry(Retry),
    Fail(Template),
    Flood(Flood),
    Line(usize),
    Garbage(Garbage),
    Stderr(Template),
    Crash(Crash),
    Hang(Hang),
    IgnoreTerm(bool),
    Fork(Fork),
    Cost(f64),
    Usage(Usage),
    Times(Times),
    When(When),
}

/// Text that arrives in pieces. `chunk` counts characters.
#[derive(Debug, Deserialize)]
#[serde(from = "TextOr<StreamFields>")]
pub struct Stream {
    pub text: Template,
    pub chunk: usize,
    pub every: Delay,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StreamFields {
    text: Template,
    #[serde(default = "default_chunk")]
    chunk: usize,
    #[serde(default)]
    every: Delay,
}

impl From<TextOr<StreamFields>> for Stream {
    fn from(written: TextOr<StreamFields>) -> Self {
        let fields = match written {
            TextOr::Full(fields) => fields,
            TextOr::Text(text) => {
                StreamFields { text: Template::new(text), chunk: default_chunk(), every: Delay::default() }
            }
        };
        Self { text: fields.text, chunk: fields.chunk.max(1), every: fields.every }
    }
}

/// A tool call that only looks like one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    pub name: String,
    #[serde(default = "empty_object")]
    pub input: Value,
    #[serde(default = "done")]
    pub result: Template,
    #[serde(default)]
    pub error: bool,
    #[serde(default)]
    pub delay: Delay,
}

/// A command that really runs, by `sh -c` in the working directory.
#[derive(Debug, Deserialize)]
#[serde(from = "TextOr<RunFields>")]
pub struct Run {
    pub command: Template,
    pub timeout: Delay,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunFields {
    command: Template,
    #[serde(default = "two_minutes")]
    timeout: Delay,
}

impl From<TextOr<RunFields>> for Run {
    fn from(written: TextOr<RunFields>) -> Self {
        match written {
            TextOr::Full(RunFields { command, timeout }) => Self { command, timeout },
            TextOr::Text(text) => Self { command: Template::new(text), timeout: two_minutes() },
        }
    }
}

/// A file that is really written, below the working directory.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WriteFile {
    pub path: Template,
    pub content: Template,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Permission {
    pub tool: String,
    #[serde(default = "empty_object")]
    pub input: Value,
    #[serde(default = "done")]
    pub result: Template,
    /// Really runs `input.command` when it is permitted.
    #[serde(default)]
    pub run: bool,
    #[serde(default)]
    pub then: Vec<Step>,
    #[serde(default)]
    pub denied: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    pub question: Template,
    #[serde(default)]
    pub header: Template,
    #[serde(default)]
    pub options: Vec<Choice>,
    #[serde(default)]
    pub multi: bool,
    /// More questions in the same call.
    #[serde(default)]
    pub and: Vec<Ask>,
    #[serde(default)]
    pub then: Vec<Step>,
    #[serde(default)]
    pub denied: Vec<Step>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(from = "TextOr<ChoiceFields>")]
pub struct Choice {
    pub label: Template,
    pub description: Template,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceFields {
    label: Template,
    #[serde(default)]
    description: Template,
}

impl From<TextOr<ChoiceFields>> for Choice {
    fn from(written: TextOr<ChoiceFields>) -> Self {
        match written {
            TextOr::Full(ChoiceFields { label, description }) => Self { label, description },
            TextOr::Text(text) => Self { label: Template::new(text), description: Template::default() },
        }
    }
}

/// A call of a tool that the host itself serves over the same pipe.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpCall {
    pub server: String,
    pub tool: String,
    #[serde(default = "empty_object")]
    pub arguments: Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subagent {
    #[serde(rename = "type", default = "general_purpose")]
    pub kind: String,
    pub prompt: Template,
    #[serde(default)]
    pub description: Option<Template>,
    #[serde(rename = "do", default)]
    pub steps: Vec<Step>,
    #[serde(default)]
    pub background: bool,
    /// How long after the end of a background sub-agent the turn begins that it leads to.
    #[serde(default = "a_moment")]
    pub gap: Delay,
    /// What the turn does that a background sub-agent starts when it ends.
    #[serde(default = "report")]
    pub notify: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiError {
    #[serde(default)]
    pub status: Option<u16>,
    #[serde(default)]
    pub retries: u32,
    #[serde(default = "overloaded")]
    pub message: Template,
    #[serde(default)]
    pub delay: Delay,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    #[serde(default)]
    pub status: Option<u16>,
    #[serde(default = "once")]
    pub times: u32,
    #[serde(default)]
    pub delay: Delay,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flood {
    pub messages: u64,
    #[serde(default = "flood_size")]
    pub size: usize,
}

/// Bytes that are no protocol at all.
#[derive(Debug, Deserialize)]
#[serde(try_from = "TextOr<GarbageFields>")]
pub struct Garbage(pub Vec<u8>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GarbageFields {
    #[serde(default)]
    text: String,
    #[serde(default)]
    bytes: String,
    #[serde(default = "yes")]
    newline: bool,
}

impl TryFrom<TextOr<GarbageFields>> for Garbage {
    type Error = String;

    fn try_from(written: TextOr<GarbageFields>) -> Result<Self, String> {
        let (mut raw, hex, newline) = match written {
            TextOr::Text(text) => (text.into_bytes(), String::new(), true),
            TextOr::Full(fields) => (fields.text.into_bytes(), fields.bytes, fields.newline),
        };
        let digits: Vec<char> = hex.chars().filter(|c| !c.is_whitespace()).collect();
        for pair in digits.chunks(2) {
            let text: String = pair.iter().collect();
            match u8::from_str_radix(&text, 16) {
                Ok(byte) if pair.len() == 2 => raw.push(byte),
                _ => return Err(format!("`{hex}` is no list of hexadecimal bytes")),
            }
        }
        if newline {
            raw.push(b'\n');
        }
        Ok(Self(raw))
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crash {
    #[serde(default)]
    pub signal: Option<i32>,
    #[serde(default)]
    pub code: Option<u8>,
    /// Leaves half of a line behind.
    #[serde(default)]
    pub half: bool,
    /// How many bytes that half line has.
    #[serde(default)]
    pub after: Option<usize>,
}

/// A process that outlives the turn.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fork {
    /// In a session of its own, out of reach of a signal to the process group.
    #[serde(default)]
    pub daemonise: bool,
    #[serde(default = "a_minute")]
    pub sleep: u64,
    /// Keeps our end of the pipe open, so that the host sees no end of output when we die.
    #[serde(default)]
    pub keep_stdout: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    #[serde(default)]
    pub input: u64,
    #[serde(default)]
    pub output: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    pub n: u64,
    #[serde(rename = "do")]
    pub steps: Vec<Step>,
}

/// A fork in the script: does the text match?
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    pub text: Template,
    pub matches: Pattern,
    #[serde(default)]
    pub then: Vec<Step>,
    #[serde(default, rename = "else")]
    pub otherwise: Vec<Step>,
}

fn default_chunk() -> usize {
    12
}

fn empty_object() -> Value {
    Value::Object(serde_json::Map::new())
}

fn done() -> Template {
    Template::new("done".to_owned())
}

fn two_minutes() -> Delay {
    Delay(std::time::Duration::from_secs(120))
}

fn general_purpose() -> String {
    "general-purpose".to_owned()
}

fn report() -> Vec<Step> {
    vec![Step::Say(Template::new("Background agent finished: {{result}}".to_owned()))]
}

/// As the real CLI takes it.
fn a_moment() -> Delay {
    Delay(std::time::Duration::from_millis(20))
}

fn overloaded() -> Template {
    Template::new("Overloaded".to_owned())
}

fn once() -> u32 {
    1
}

fn flood_size() -> usize {
    200
}

fn a_minute() -> u64 {
    60
}

fn yes() -> bool {
    true
}
