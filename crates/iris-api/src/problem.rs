//! Errors as RFC 9457 problem details, with what to do about them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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
    /// For machines: invalid, not_found, conflict, limit, unavailable, unsupported, internal, unauthorized, forbidden.
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}
