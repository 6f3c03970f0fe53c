//! The shapes of the lines on the plain path: init, assistant, result, lifecycle. They borrow everything and build no
//! tree; rarer lines are written with `json!` where they are sent.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::conversation::Totals;
use super::output::{Timestamp, Uuid};
use super::script::Usage;

#[derive(Serialize)]
#[serde(tag = "type", rename = "system")]
pub struct Init<'a> {
    pub subtype: &'static str,
    pub cwd: &'a str,
    pub session_id: &'a str,
    pub tools: &'static [&'static str],
    pub mcp_servers: &'a [McpServer],
    pub model: &'a str,
    #[serde(rename = "permissionMode")]
    pub permission_mode: &'a str,
    pub slash_commands: [&'static str; 0],
    #[serde(rename = "apiKeySource")]
    pub api_key_source: &'static str,
    pub claude_code_version: &'static str,
    pub output_style: &'static str,
    pub agents: [&'static str; 1],
    pub skills: [&'static str; 0],
    pub plugins: [&'static str; 0],
    pub capabilities: [&'static str; 2],
    pub uuid: Uuid,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub user_message_uuids: &'a [String],
}

/// The `tools` list of the real CLI names the Agent tool `Task`.
pub const TOOLS: &[&str] = &["Task", "AskUserQuestion", "Bash", "Edit", "Read", "Write"];

/// A server of the host's own, reached over the same pipe.
#[derive(Serialize)]
pub struct McpServer {
    pub name: String,
    pub status: &'static str,
    pub source: &'static str,
    #[serde(skip)]
    pub greeted: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "assistant")]
pub struct Assistant<'a> {
    pub message: Message<'a>,
    pub parent_tool_use_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<&'a str>,
    pub session_id: &'a str,
    pub uuid: Uuid,
    pub timestamp: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aborted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_message_uuid: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub user_message_uuids: &'a [String],
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "message")]
pub struct Message<'a> {
    pub id: &'a str,
    pub role: &'static str,
    pub model: &'a str,
    pub content: [Block<'a>; 1],
    pub stop_reason: Option<&'static str>,
    pub stop_sequence: Option<&'static str>,
    pub usage: TurnUsage,
    pub context_management: Option<&'static str>,
}

#[derive(Serialize, Clone, Copy)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block<'a> {
    Text { text: &'a str },
    Thinking { thinking: &'a str, signature: &'a str },
    ToolUse { id: &'a str, name: &'a str, input: &'a Value },
}

/// Usage as the API words it.
#[derive(Serialize, Clone, Copy)]
pub struct TurnUsage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_creation_input_tokens: u64,
    pub cache_read_input_tokens: u64,
}

impl From<Usage> for TurnUsage {
    fn from(usage: Usage) -> Self {
        Self {
            input_tokens: usage.input,
            output_tokens: usage.output,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
        }
    }
}

/// The line that ends a turn. `type` is not its first key, as in the real one: hosts must not parse prefixes.
#[derive(Serialize)]
pub struct TurnResult<'a> {
    pub duration_api_ms: u64,
    pub stop_reason: Option<&'static str>,
    pub session_id: &'a str,
    pub total_cost_usd: f64,
    pub usage: TurnUsage,
    #[serde(rename = "modelUsage")]
    pub model_usage: ModelUsage<'a>,
    pub model_usage_since_last_result: ModelUsage<'a>,
    pub permission_denials: &'a [Value],
    pub terminal_reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<&'a Value>,
    pub is_error: bool,
    pub num_turns: u32,
    pub subtype: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<[&'a str; 1]>,
    pub api_error_status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<&'a str>,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub duration_ms: u64,
    pub uuid: Uuid,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_message_uuid: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub user_message_uuids: &'a [String],
    pub queued_turn_count: usize,
    pub result_index: u64,
}

/// One entry, named after the model; none before anything was spent.
pub struct ModelUsage<'a> {
    pub model: &'a str,
    pub totals: Totals,
}

impl Serialize for ModelUsage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Spent {
            input_tokens: u64,
            output_tokens: u64,
            cache_read_input_tokens: u64,
            cache_creation_input_tokens: u64,
            #[serde(rename = "costUSD")]
            cost: f64,
            context_window: u64,
        }
        let Totals { cost, usage } = self.totals;
        let mut map = serializer.serialize_map(None)?;
        if cost != 0.0 || usage != Usage::default() {
            map.serialize_entry(
                self.model,
                &Spent {
                    input_tokens: usage.input,
                    output_tokens: usage.output,
                    cache_read_input_tokens: 0,
                    cache_creation_input_tokens: 0,
                    cost,
                    context_window: 200_000,
                },
            )?;
        }
        map.end()
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "command_lifecycle")]
pub struct CommandLifecycle<'a> {
    pub command_uuid: &'a str,
    pub state: &'static str,
    pub uuid: Uuid,
    pub session_id: &'a str,
}
