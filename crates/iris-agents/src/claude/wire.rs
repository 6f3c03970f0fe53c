//! The shapes of the lines an agent writes, no more of them than is read. Unknown fields and types pass.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::SeqAccessDeserializer;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::usage::Tokens;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Line<'a> {
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub subtype: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub message: Option<Said<'a>>,
    #[serde(borrow, default)]
    pub parent_tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub event: Option<StreamEvent<'a>>,
    #[serde(borrow, default)]
    pub request_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub request: Option<Request<'a>>,
    #[serde(borrow, default)]
    pub response: Option<Response<'a>>,
    #[serde(default, rename = "isReplay")]
    pub is_replay: bool,
    #[serde(borrow, default)]
    pub uuid: Option<Cow<'a, str>>,
    /// The messages that a turn begins with.
    #[serde(default)]
    pub user_message_uuids: Option<Vec<String>>,
}

/// A line of which no more is read than what it is, and what it wants an answer by.
#[derive(Debug, Deserialize)]
pub(crate) struct Bare<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    subtype: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    request_id: Option<Cow<'a, str>>,
}

impl<'a> From<Bare<'a>> for Line<'a> {
    fn from(Bare { kind, subtype, request_id }: Bare<'a>) -> Self {
        Self { kind, subtype, request_id, ..Self::default() }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Said<'a> {
    #[serde(borrow, default)]
    pub content: Content<'a>,
    #[serde(borrow, default)]
    pub model: Option<Cow<'a, str>>,
}

#[derive(Debug)]
pub(crate) enum Content<'a> {
    Blocks(Vec<Block<'a>>),
    Text(Cow<'a, str>),
}

/// By hand, because serde would put every value into a form of its own first, to try one shape after the other.
impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text or a list of blocks")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, blocks: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(blocks)).map(Content::Blocks)
    }
}

impl Default for Content<'_> {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub kind: Cow<'a, str>,
    #[serde(borrow, default)]
    pub text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub thinking: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub name: Option<Cow<'a, str>>,
    /// Of a call: by which its result is known.
    #[serde(borrow, default)]
    pub id: Option<Cow<'a, str>>,
    /// Of a call: what the tool is called with.
    #[serde(borrow, default)]
    pub input: Option<&'a RawValue>,
    /// Of a result: the call.
    #[serde(borrow, default)]
    pub tool_use_id: Option<Cow<'a, str>>,
    #[serde(default)]
    pub is_error: Option<bool>,
    /// What a tool answered: a text, or blocks of their own.
    #[serde(borrow, default)]
    pub content: Option<Content<'a>>,
}

impl<'a> Block<'a> {
    /// What there is to read in it. What a tool gave back that is no text is named: `[image]`.
    pub fn into_text(self) -> Option<Cow<'a, str>> {
        self.text.or(self.thinking).or(self.name).or_else(|| match self.content? {
            Content::Text(text) => Some(text),
            Content::Blocks(blocks) => {
                let texts: Vec<_> = blocks.into_iter().map(Block::into_part).collect();
                (!texts.is_empty()).then(|| Cow::Owned(texts.join("\n")))
            }
        })
    }

    fn into_part(self) -> Cow<'a, str> {
        let name = format!("[{}]", self.kind);
        self.into_text().unwrap_or(Cow::Owned(name))
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct StreamEvent<'a> {
    #[serde(borrow, default)]
    pub delta: Option<Delta<'a>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Delta<'a> {
    #[serde(rename = "type", borrow, default)]
    pub kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub text: Option<Cow<'a, str>>,
}

/// A request of the agent's.
#[derive(Debug, Deserialize)]
pub(crate) struct Request<'a> {
    #[serde(borrow, default)]
    pub subtype: Cow<'a, str>,
    #[serde(borrow, default)]
    pub tool_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub decision_reason: Option<Cow<'a, str>>,
    /// Its own name for the call that waits.
    #[serde(borrow, default)]
    pub tool_use_id: Option<Cow<'a, str>>,
    /// What it says to the in-process MCP server, or what a server of its own wants to know.
    #[serde(borrow, default)]
    pub message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub mcp_server_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub requested_schema: Option<&'a RawValue>,
    /// `form`, or `url`: then somebody is to go there.
    #[serde(borrow, default)]
    pub mode: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub url: Option<Cow<'a, str>>,
}

/// A JSON-RPC message.
#[derive(Debug, Deserialize)]
pub(crate) struct Rpc<'a> {
    #[serde(borrow, default)]
    pub id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub method: Cow<'a, str>,
    #[serde(borrow, default)]
    pub params: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CallParams<'a> {
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    #[serde(borrow, default)]
    pub arguments: Option<&'a RawValue>,
    #[serde(default, rename = "_meta")]
    pub meta: Option<CallMeta>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CallMeta {
    #[serde(default, rename = "claudecode/toolUseId")]
    pub tool_use_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CancelledParams<'a> {
    #[serde(borrow, rename = "requestId")]
    pub request_id: &'a RawValue,
}

#[derive(Debug, Deserialize)]
pub(crate) struct InitializeParams<'a> {
    #[serde(borrow, default, rename = "protocolVersion")]
    pub protocol_version: Option<Cow<'a, str>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Response<'a> {
    #[serde(borrow, default)]
    pub subtype: Option<Cow<'a, str>>,
    /// Instead of an answer, why there is none.
    #[serde(borrow, default)]
    pub error: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub request_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub response: Option<&'a RawValue>,
}

/// What the agent answers to the greeting.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Greeting {
    #[serde(default)]
    pub claude_code_version: Option<String>,
    #[serde(default)]
    pub account: Option<Account>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Account {
    #[serde(default)]
    pub token_source: Option<String>,
    #[serde(default)]
    pub api_key_source: Option<String>,
    #[serde(default)]
    pub api_provider: Option<String>,
}

/// The questions of the tool by which an agent asks a person.
#[derive(Debug, Deserialize)]
pub(crate) struct AskInput {
    pub questions: Vec<AskInputQuestion>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskInputQuestion {
    pub question: String,
    #[serde(default)]
    pub options: Vec<iris_core::agent::AskedOption>,
    #[serde(default)]
    pub multi_select: bool,
}

/// A line of type `system`, with what the subtypes that are understood carry.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct SystemLine<'a> {
    #[serde(default)]
    pub attempt: Option<u32>,
    #[serde(default)]
    pub max_retries: Option<u32>,
    #[serde(default)]
    pub retry_delay_ms: Option<f64>,
    #[serde(default)]
    pub error_status: Option<u16>,
    #[serde(borrow, default)]
    pub error: Option<&'a RawValue>,
    /// What it begins with.
    #[serde(borrow, default)]
    pub model: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub original_model: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub fallback_model: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub description: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub summary: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub status: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub tool_use_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub tool_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub task_id: Option<Cow<'a, str>>,
    #[serde(default)]
    pub tasks: Vec<BackgroundTask>,
    #[serde(default)]
    pub patch: Option<TaskPatch>,
}

/// What has changed of a task.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct TaskPatch {
    #[serde(default)]
    pub end_time: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct BackgroundTask {
    #[serde(default)]
    pub description: Option<String>,
    #[serde(default)]
    pub task_id: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct RateLimitLine {
    #[serde(default)]
    pub rate_limit_info: RateLimit,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RateLimit {
    #[serde(default)]
    pub status: Option<String>,
    /// Seconds since 1970.
    #[serde(default)]
    pub resets_at: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct ResultLine<'a> {
    #[serde(default)]
    pub is_error: bool,
    #[serde(borrow, default)]
    pub result: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub errors: Vec<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub subtype: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub terminal_reason: Option<Cow<'a, str>>,
    #[serde(default)]
    pub api_error_status: Option<u16>,
    #[serde(default)]
    pub total_cost_usd: Option<f64>,
    /// Present when the agent started the turn itself, for instance because background work of its own ended.
    #[serde(default)]
    pub origin: Option<Origin>,
    /// The messages this answers.
    #[serde(default)]
    pub user_message_uuids: Vec<String>,
    #[serde(default)]
    pub usage: Tokens,
    #[serde(default, rename = "modelUsage")]
    pub model_usage: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(default)]
    pub model_usage_since_last_result: Option<serde_json::Map<String, serde_json::Value>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Origin {
    #[serde(default)]
    pub kind: Option<String>,
}
