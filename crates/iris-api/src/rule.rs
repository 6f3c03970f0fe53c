//! Rules that people made from their answers.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::question::Given;

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    pub id: String,
    pub team: String,
    /// deed, tool or question.
    pub scope: String,
    /// What it was made from.
    pub about: String,
    /// The most an action may risk, for a rule about a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
    pub answer: Given,
    pub made_by: String,
    pub made_at: i64,
    pub expires_at: i64,
    /// How often it has answered.
    pub uses: i64,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Rules {
    pub rules: Vec<Rule>,
}
