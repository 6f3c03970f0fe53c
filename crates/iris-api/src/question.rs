//! Questions: what agents need a human for.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use utoipa::ToSchema;

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    pub id: String,
    /// approval or choice.
    pub kind: String,
    /// open, answered or cancelled.
    pub state: String,
    /// What is asked, in one sentence.
    pub question: String,
    /// What an answer has to be: boolean or choice.
    pub response_type: String,
    /// What can be chosen, if one thing is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// Everything that is asked; several are answered together, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Asked>,
    /// The exact action that is to be approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    pub team: String,
    pub session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The party it is put to; anybody if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_of: Option<String>,
    pub opened_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Action {
    pub tool: String,
    /// The exact input, as the agent gave it.
    #[schema(value_type = Value)]
    pub input: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    pub question: String,
    #[serde(default)]
    pub options: Vec<Choice>,
    /// Several options may be chosen, separated by commas.
    #[serde(default)]
    pub several: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Choice {
    pub value: String,
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Pending {
    pub questions: Vec<Question>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerRequest {
    pub response: Response,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Response {
    /// Not needed: the question says what it wants.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// true or false for an approval; an option or a text of one's own for a choice, or a list of these.
    pub value: Value,
    /// Why, if it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}
