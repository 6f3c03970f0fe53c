//! What one step of a script can say. A step either answers, or hinders the answer that the next step gives.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Fields")]
pub enum Step {
    Answer(AnswerStep),
    Hindrance(Hindrance),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerStep {
    pub thinking: Option<String>,
    pub text: Option<Text>,
    pub tools: Vec<ToolCall>,
    /// `max_tokens`, `refusal`, …; by itself it is `end_turn` or `tool_use`.
    pub stop: Option<String>,
    /// Before the first byte.
    pub delay: Duration,
    /// Between words.
    pub pause: Option<Duration>,
    pub hang: Option<Hang>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Text {
    Given(String),
    /// So many bytes.
    Big(usize),
    /// The conversation in short.
    Echo,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    pub tool: String,
    #[serde(default = "empty_input")]
    pub input: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hang {
    BeforeHeaders,
    AfterStart,
}

/// Something that goes wrong so many times before the answer comes, or always.
#[derive(Clone, Debug, PartialEq)]
pub struct Hindrance {
    pub kind: HindranceKind,
    pub times: Option<u32>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum HindranceKind {
    Http { status: u16, headers: BTreeMap<String, String>, message: String },
    Cut,
    BadEvents,
}

impl HindranceKind {
    /// Whether it can happen to an answer in one piece. What breaks a stream does not: the CLI falls back to that form.
    pub fn needs_stream(&self) -> bool {
        !matches!(self, HindranceKind::Http { .. })
    }
}

const BIG_AT_MOST: usize = 64 * 1024 * 1024;

/// A step as it is written. A word that we do not know is an error, because a script with a slip tests nothing.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Fields {
    text: Option<String>,
    big: Option<usize>,
    echo: bool,
    thinking: Option<String>,
    tool: Option<String>,
    input: Option<Value>,
    tools: Vec<ToolCall>,
    stop: Option<String>,
    delay_ms: u64,
    slow_ms: Option<u64>,
    hang: bool,
    hang_before_headers: bool,
    http: Option<u16>,
    headers: BTreeMap<String, String>,
    message: Option<String>,
    cut: bool,
    bad_sse: bool,
    times: Option<u32>,
}

impl TryFrom<Fields> for Step {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        match (fields.http, fields.cut, fields.bad_sse) {
            (None, false, false) => fields.into_answer().map(Step::Answer),
            (Some(status), false, false) => fields.into_http(status),
            (None, true, false) => Ok(fields.into_hindrance(HindranceKind::Cut)),
            (None, false, true) => Ok(fields.into_hindrance(HindranceKind::BadEvents)),
            _ => Err("a step has one of `http`, `cut` and `bad_sse`".to_owned()),
        }
    }
}

impl Fields {
    fn into_http(mut self, status: u16) -> Result<Step, String> {
        if !(400..600).contains(&status) {
            return Err(format!("`http` is the status of an error, not {status}"));
        }
        let message = self.message.take().unwrap_or_else(|| format!("the script says {status}"));
        let headers = std::mem::take(&mut self.headers);
        Ok(self.into_hindrance(HindranceKind::Http { status, headers, message }))
    }

    fn into_hindrance(self, kind: HindranceKind) -> Step {
        Step::Hindrance(Hindrance { kind, times: self.times })
    }

    fn into_answer(self) -> Result<AnswerStep, String> {
        if self.times.is_some() {
            return Err("`times` goes with `http`, `cut` or `bad_sse`".to_owned());
        }
        let text = self.text()?;
        let hang = match (self.hang_before_headers, self.hang) {
            (true, _) => Some(Hang::BeforeHeaders),
            (false, true) => Some(Hang::AfterStart),
            (false, false) => None,
        };
        let mut tools = self.tools;
        match (self.tool, self.input) {
            (Some(tool), input) => tools.insert(0, ToolCall { tool, input: input.unwrap_or_else(empty_input) }),
            (None, Some(_)) => return Err("`input` goes with `tool`".to_owned()),
            (None, None) => {}
        }
        let says_nothing = text.is_none() && tools.is_empty() && self.thinking.is_none();
        if says_nothing && self.stop.is_none() && hang.is_none() {
            return Err("a step says something: `text`, `tool`, `tools`, `big`, `echo`, `hang`, …".to_owned());
        }
        Ok(AnswerStep {
            thinking: self.thinking,
            text,
            tools,
            stop: self.stop,
            delay: Duration::from_millis(self.delay_ms),
            pause: self.slow_ms.map(Duration::from_millis),
            hang,
        })
    }

    fn text(&self) -> Result<Option<Text>, String> {
        match (&self.text, self.big, self.echo) {
            (None, None, false) => Ok(None),
            (Some(text), None, false) => Ok(Some(Text::Given(text.clone()))),
            (None, Some(size), false) if size <= BIG_AT_MOST => Ok(Some(Text::Big(size))),
            (None, Some(_), false) => Err(format!("`big` is at most {BIG_AT_MOST}")),
            (None, None, true) => Ok(Some(Text::Echo)),
            _ => Err("a step has one of `text`, `big` and `echo`".to_owned()),
        }
    }
}

fn empty_input() -> Value {
    json!({})
}
