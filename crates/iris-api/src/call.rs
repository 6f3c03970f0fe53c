//! Calls of tools: what they mean, in words that hold for every kind of agent, and what came back.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// A call of a tool.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Call {
    /// The agent's own name for it, by which its result is known.
    pub id: String,
    /// The tool, as the agent names it.
    pub name: String,
    /// What it is called with, as the agent wrote it.
    #[schema(value_type = Value)]
    pub input: Box<RawValue>,
    pub meaning: Meaning,
}

/// What came back of a call.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallResult {
    /// The id of the call.
    pub call: String,
    /// Absent where it is the text of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
}

/// What a call comes to, as far as its tool is known.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct Meaning {
    /// What the tool does: shell, looks, reads, lists, finds, searches, fetches, searches_web, changes, writes, plans,
    /// delegates (to a sub-agent), tells (another agent), asks (a person), notes (what is to be done) or unknown.
    pub nature: String,
    /// What it goes by, in the agent's words: the command, the path, the pattern, what is said or asked. Of a tool that is
    /// not known, what of its input says most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// Where it looks, beside what it looks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Whom it speaks to, or what kind of sub-agent it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served: Option<ServedTool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<CallQuestion>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The fields of the input that are told by `changes`, whole, or by `asks` or `notes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub covers: Vec<String>,
}

/// The server of tools that a tool is of, and its name there.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ServedTool {
    pub server: String,
    pub tool: String,
}

/// A change to a file.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Change {
    pub path: String,
    /// What is replaced. Absent where the file is written whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    pub after: String,
}

/// What a call asks of people.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct CallQuestion {
    pub question: String,
    /// What can be chosen, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// A thing to be done.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Note {
    pub text: String,
    /// done, doing or open.
    pub state: String,
}
