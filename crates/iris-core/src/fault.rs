//! What kind of thing went wrong, for machines. People get the message and the hint.
//!
//! Exactly three places turn a kind into something else: the HTTP status, the MCP code and the exit code.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The request itself cannot be right.
    Invalid,
    /// The request is well formed, but what it gives is not what is wanted.
    Unfit,
    /// The thing named does not exist.
    NotFound,
    /// The thing exists, but its state does not allow this now.
    Conflict,
    /// It is too late: the time for it is over.
    Gone,
    /// A bound was reached: a queue is full, a message too long.
    Limit,
    /// Nothing can be written down just now, so nothing is accepted.
    Unavailable,
    /// Iris is built without it, or the set-up lacks it.
    Unsupported,
    /// A fault of Iris itself.
    Internal,
}
