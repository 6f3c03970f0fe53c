//! Credentials: tokens, browsers, and who one is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    pub id: String,
    pub name: String,
    /// human, agent or browser.
    pub kind: String,
    /// Whom it speaks for.
    pub party: String,
    /// Of read, tell, answer and admin.
    pub scopes: Vec<String>,
    pub created_at: i64,
    /// Absent: it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// When it was used last, to the minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<i64>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TokenRequest {
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// human or agent; human if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Whom it speaks for; by default whoever has its name. An agent speaks for a team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub party: Option<String>,
    /// Of read, tell, answer and admin; read and tell if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// Milliseconds from now; absent: it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<u64>,
}

/// A new token. Its text is shown this once.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenMade {
    pub secret: String,
    pub token: Token,
}

/// Who one is.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Me {
    /// The credential's name.
    pub name: String,
    /// owner, human, browser or agent.
    pub kind: String,
    pub party: String,
    pub scopes: Vec<String>,
    /// For a browser that signs in: what the header `Iris-Csrf` has to be from now on. Said this once; the page keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csrf: Option<String>,
}

/// Whether a browser that asks is signed in.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginState {
    /// It sent the cookie of a browser and the word that belongs to it.
    pub signed_in: bool,
}

/// A link that signs a browser in, once.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkMade {
    /// The path and the code; the code is behind the `#`, so that it is in no log.
    pub path: String,
    pub expires_in_ms: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct LoginRequest {
    /// What is behind the `#` of the link.
    pub code: String,
}
