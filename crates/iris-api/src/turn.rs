//! Tells, turns and messages.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::call::{Call, CallResult};

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TellRequest {
    #[schema(pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    pub to_team: String,
    #[schema(min_length = 1)]
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_team: Option<String>,
    /// -1: return at once; 0: wait until the end; N: return what there is after N milliseconds. Default 30000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = -1)]
    pub timeout: Option<i64>,
    /// A repeated key finds the turn of the first tell with it. The `Idempotency-Key` header is the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Queue it only after this many milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<u64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TellResponse {
    /// completed, async, mcp_timeout, failed, terminated or cancelled.
    pub status: String,
    pub from: String,
    pub to: String,
    pub session_id: String,
    pub turn_id: String,
    /// What comes of the tell has event numbers after this one.
    pub seq: i64,
    /// How many turns came before it when it was accepted, or come before it still if it is `mcp_timeout`.
    pub position: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partial_response: Option<String>,
    /// For whom or what the turn waits, if it does and the patience is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_messages: Option<Vec<Message>>,
    pub duration_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What went wrong, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why a turn was terminated: exited, response_timeout, stopped, not_started or interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_write_tokens: u64,
    pub cost_usd: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent never said what the turn came to: these are the tokens that are known of, and the cost is not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    pub id: String,
    pub session_id: String,
    pub number: i64,
    /// scheduled, queued, running, completed, failed, terminated or cancelled.
    pub state: String,
    pub message: String,
    /// How often it was given to an agent. More than 1: it was resumed after its daemon died.
    pub attempts: i64,
    pub accepted_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<i64>,
    /// How long it took, once it is over. The times above are by the wall clock, which may have been set in between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<i64>,
    /// How many turns come before it, if it is queued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<i64>,
    /// For whom or what it waits, in a few words, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Why the agent started it by itself, if it did: nobody told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The turn in which an agent made this tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// One thing an agent said or did.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    pub seq: i64,
    pub at: i64,
    /// assistant, thinking, tool_use, tool_result, system, retry, compaction, model_fallback, task, unknown or garbage.
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The calls of tools it makes. Messages that were kept before calls were told have only their text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// What came back of calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<CallResult>,
    /// What the agent program says of itself, and nobody needs to read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub noise: bool,
    /// Said in a turn that the agent had begun by itself, before it came to what it was told: no part of the reply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    /// What the agent thinks with from now on, if it names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's own line, as it came. Its form is that of its kind of agent, and may be another with its next version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>)]
    pub data: Option<Box<RawValue>>,
}

/// How a cancelled turn was found.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnCancelled {
    /// withdrawn (it never ran) or interrupted (its agent was asked to break off).
    pub cancelled: String,
}

/// What came of the turns that ended since a time.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnFigures {
    /// In milliseconds since 1970.
    pub since: i64,
    /// Everything up to this event is counted in: whoever follows events adds what comes after it.
    pub event: i64,
    pub ended: i64,
    /// How many of them failed or were terminated.
    pub bad: i64,
    pub cost_usd: f64,
    /// How long they took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_ms: Option<i64>,
    /// Those of which a turn ended in that time or within a day, or whose process has a budget. Some may be deleted.
    pub sessions: Vec<SessionFigures>,
    /// The time in equal pieces, if they were asked for: from the first turn on, an hour at least.
    pub slots: Vec<TurnSlot>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionFigures {
    pub session: String,
    pub team: String,
    pub ended: i64,
    pub bad: i64,
    pub cost_usd: f64,
    /// What its process has spent, if it has one and its team has a `maxBudgetUsd`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent_usd: Option<f64>,
    /// How its newest turn ended, if that was in that time or within a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<TurnEnd>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnEnd {
    pub turn: String,
    pub at: i64,
    /// completed, failed, terminated or cancelled.
    pub ending: String,
    /// What to tell people, if it is not completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why it was terminated: exited, response_timeout, stopped, not_started or interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnSlot {
    /// When it begins.
    pub at: i64,
    pub ended: i64,
    pub bad: i64,
    pub cost_usd: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<i64>,
    /// The slowest twentieth took at least so long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slow_ms: Option<i64>,
}
