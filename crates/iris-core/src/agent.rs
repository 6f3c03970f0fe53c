//! What an agent process can say, in words that hold for every kind of agent, and how it can end.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::call::Meaning;
use crate::duration::Millis;
use crate::message::Heard;

/// One thing that came out of an agent, parsed and typed by the adapter of its kind.
#[derive(Debug)]
pub enum AgentOutput {
    /// It is up and takes messages.
    Ready(Introduction),
    /// It has begun a turn that nobody told it, for this reason.
    BeganOwn(&'static str),
    /// Something worth keeping.
    Message(Heard),
    /// A piece of text of a message that is still being written. Shown, never stored.
    Delta(String),
    /// It asks leave to use a tool, and waits.
    PermissionAsked(PermissionRequest),
    /// It asks a person something, and waits.
    Asked(Asking),
    /// A tool server of its own wants something filled in by a person, and waits.
    FormAsked(FormRequest),
    /// It calls one of the tools that Iris gives its agents, and waits.
    ToolCalled(ToolCall),
    /// It no longer waits for the answer to one of these.
    Withdrawn { request: String },
    /// The work it does between turns: all of it, each time it changes.
    Background(Vec<String>),
    /// It is alive and has nothing to say.
    Heartbeat,
    /// It says that it will be silent for so long, and why that is no fault of its own: its model keeps it waiting.
    Rests(Millis),
    /// The turn is over, one way or the other.
    TurnEnded(TurnEnd),
}

/// What an agent says of itself when it is ready.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Introduction {
    pub version: Option<String>,
    /// Why it will not be able to work, if it knows: for instance that nobody is logged in.
    pub obstacle: Option<String>,
}

#[derive(Debug)]
pub struct PermissionRequest {
    pub request: String,
    pub tool: String,
    pub meaning: Box<Meaning>,
    /// The exact input the tool would be called with.
    pub input: Box<RawValue>,
    /// What the agent says about why it asks.
    pub reason: Option<String>,
    /// The plan as the agent wrote it in its call. The input may hold none, or an older one from a file.
    pub plan: Option<String>,
    /// The agent's own name for the call, by which its result is known.
    pub call: Option<String>,
}

/// Questions an agent puts to a person, answered together.
#[derive(Debug)]
pub struct Asking {
    pub request: String,
    pub questions: Vec<AskedQuestion>,
    pub call: Option<String>,
}

/// What a tool server wants of a person.
#[derive(Debug)]
pub struct FormRequest {
    pub request: String,
    pub server: String,
    pub message: String,
    pub wanted: Wanted,
}

#[derive(Debug)]
pub enum Wanted {
    /// Fields, by this JSON Schema.
    Fields(Box<RawValue>),
    /// That a person goes to this address.
    Visit { url: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AskedQuestion {
    pub question: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<AskedOption>,
    /// Several options may be chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub several: bool,
}

impl AskedQuestion {
    /// One without options.
    pub fn plain(question: &str) -> Self {
        Self { question: question.to_owned(), options: Vec::new(), several: false }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedOption {
    /// By which it may be answered, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub label: String,
    /// What is answered when it is chosen, if not its label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What the agent would choose.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recommended: bool,
}

impl AskedOption {
    pub fn of(label: &str) -> Self {
        Self { id: None, label: label.to_owned(), value: None, description: String::new(), recommended: false }
    }

    pub fn value(&self) -> &str {
        self.value.as_deref().unwrap_or(&self.label)
    }
}

/// Iris's answer to a request for permission, or a person's to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    Allow,
    /// What was approved, byte by byte: this is what runs.
    AllowExactly {
        input: String,
    },
    Deny {
        message: String,
    },
    /// Each question with its answer.
    Answers(Vec<(String, String)>),
    /// The fields of a form.
    Form {
        content: serde_json::Map<String, serde_json::Value>,
    },
}

#[derive(Debug)]
pub struct ToolCall {
    pub request: String,
    pub tool: String,
    pub arguments: Box<RawValue>,
    /// The agent's own name for the call, by which its result is known.
    pub call: Option<String>,
}

/// What came of a tool call: JSON for the agent, or what went wrong in words it can act on.
pub type ToolAnswer = Result<serde_json::Value, String>;

/// A tool that Iris gives its agents and other clients.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Written for a model.
    pub description: &'static str,
    /// JSON Schema of the arguments.
    pub input: serde_json::Value,
    /// JSON Schema of the answer.
    pub output: serde_json::Value,
    pub effect: ToolEffect,
}

/// What a call of a tool does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolEffect {
    /// Nothing.
    Reads,
    /// Something inside Iris, and no more than that when it is called again.
    Settles,
    /// Something inside Iris, each time.
    Makes,
    /// An agent is told something, and may do anything.
    Tells,
    /// Something is lost that cannot be had again.
    Destroys,
}

/// What the agent said at the end of a turn.
#[derive(Clone, Debug, Default)]
pub struct TurnEnd {
    pub error: Option<String>,
    /// It ended because it was interrupted.
    pub aborted: bool,
    pub text: Option<String>,
    pub usage: Usage,
    /// Why the agent started the turn by itself, if it did: background work of its own ended, say.
    pub own: Option<String>,
    /// The turns whose messages this answers, where the agent says so.
    pub answers: Vec<String>,
    /// It could not go on because a limit was reached; the same turn may succeed later.
    pub limit: Option<Limit>,
}

/// A limit of use or rate that the agent ran into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Wall-clock milliseconds at which it is lifted, if the agent knows.
    pub resets_at: Option<i64>,
    pub what: String,
}

/// What a turn cost. Figures of this turn, not running totals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
    #[serde(default)]
    pub cache_read_tokens: u64,
    #[serde(default)]
    pub cache_write_tokens: u64,
    #[serde(default)]
    pub cost_usd: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent never said what it came to: these are the tokens that are known of, and the cost is not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

impl std::ops::AddAssign<&Usage> for Usage {
    fn add_assign(&mut self, other: &Usage) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cache_read_tokens += other.cache_read_tokens;
        self.cache_write_tokens += other.cache_write_tokens;
        self.cost_usd += other.cost_usd;
        self.incomplete |= other.incomplete;
        self.model = self.model.take().or_else(|| other.model.clone());
    }
}

/// How a process ended, with its last words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentExit {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The tail of what it wrote to stderr; behind `CUT`, if there was more.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr: String,
}

impl AgentExit {
    pub const CUT: char = '…';

    pub fn describe(&self) -> String {
        let how = match (self.code, self.signal) {
            (_, Some(signal)) => format!("killed by signal {signal}"),
            (Some(code), None) => format!("exit code {code}"),
            (None, None) => "ended for an unknown reason".to_owned(),
        };
        match self.stderr.trim() {
            "" => how,
            tail => format!("{how}; it last said: {tail}"),
        }
    }
}
