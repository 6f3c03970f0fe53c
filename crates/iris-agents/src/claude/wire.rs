//! The shapes of the lines an agent writes, no more of them than is read. Unknown fields and types pass.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Debug, Deserialize)]
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
}

#[derive(Debug, Deserialize)]
pub(crate) struct Said<'a> {
    #[serde(borrow, default)]
    pub content: Content<'a>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Content<'a> {
    Blocks(#[serde(borrow)] Vec<Block<'a>>),
    Text(Cow<'a, str>),
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

#[derive(Debug, Deserialize)]
pub(crate) struct Request<'a> {
    #[serde(borrow, default)]
    pub subtype: Cow<'a, str>,
    #[serde(borrow, default)]
    pub tool_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub input: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Response<'a> {
    #[serde(borrow, default)]
    pub request_id: Option<Cow<'a, str>>,
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
    pub total_cost_usd: Option<f64>,
    /// Present when the agent started the turn itself, for instance because background work of its own ended.
    #[serde(borrow, default)]
    pub origin: Option<&'a RawValue>,
    #[serde(default)]
    pub usage: TurnUsage,
    #[serde(default, rename = "modelUsage")]
    pub model_usage: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(default)]
    pub model_usage_since_last_result: Option<serde_json::Map<String, serde_json::Value>>,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct TurnUsage {
    #[serde(default)]
    pub input_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
    #[serde(default)]
    pub cache_creation_input_tokens: u64,
    #[serde(default)]
    pub cache_read_input_tokens: u64,
}
