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

/// What is wrong with a value, as serde says it, without the names of our types.
pub fn in_words(said: &str) -> String {
    let Some((before, wanted)) = said.split_once(", expected ") else { return said.to_owned() };
    let name = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let (wanted, rest) = match wanted.strip_prefix("struct ") {
        Some(named) => ("an object", &named[name(named)..]),
        None => match wanted.split_at(name(wanted)) {
            ("i64" | "u64" | "i32" | "u32" | "usize", rest) => ("a whole number", rest),
            ("f64", rest) => ("a number", rest),
            _ => (wanted, ""),
        },
    };
    format!("{before}, expected {wanted}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_expected_is_said_in_words() {
        for (said, expected) in [
            ("invalid type: string \"x\", expected i64", "invalid type: string \"x\", expected a whole number"),
            (
                "a: invalid type: null, expected struct Tell at line 1",
                "a: invalid type: null, expected an object at line 1",
            ),
            ("invalid type: null, expected a string", "invalid type: null, expected a string"),
            ("unknown field `x`, expected one of `a`, `b`", "unknown field `x`, expected one of `a`, `b`"),
            ("key must be a string", "key must be a string"),
        ] {
            assert_eq!(in_words(said), expected);
        }
    }
}
