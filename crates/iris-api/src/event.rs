//! Events and deltas as readers get them.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// A numbered fact. Read on from any number; numbers may have holes.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    pub seq: i64,
    /// Wall-clock milliseconds.
    pub at: i64,
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    #[schema(value_type = Value)]
    pub data: Box<RawValue>,
}

/// A piece of text an agent is writing just now; SSE event `delta`. Not stored, not numbered.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delta {
    pub team: String,
    pub session: String,
    pub turn: String,
    pub text: String,
    /// What was shown of this message is void, and it is begun anew: the model had to be asked once more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub anew: bool,
}

/// A frame of a stream of server-sent events.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Frame {
    /// `event`, `delta` or what the stream says it has beside them; `reset` first, if the number that was asked for is not
    /// of this log: read anew what you know, and go on from its `id`.
    pub event: String,
    /// JSON, in one line.
    pub data: String,
    /// Where a reader that comes back goes on. What is not kept has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}
