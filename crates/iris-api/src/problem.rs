//! Errors as RFC 9457 problem details, with what to do about them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::question::Through;

pub const CONTENT_TYPE: &str = "application/problem+json";

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// `about:blank`: the kind below says what it is.
    #[serde(rename = "type")]
    pub type_uri: String,
    pub title: String,
    pub status: u16,
    pub detail: String,
    /// For machines: invalid, unfit, not_found, conflict, gone, limit, unavailable, unsupported, internal, unauthorized, forbidden.
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// For an answer that came too late: what became of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Closed>,
    /// For a number that is of another log: the end of this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<i64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Closed {
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// What they came through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Through>,
}
