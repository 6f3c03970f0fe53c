//! The shapes on the wire, and nothing else: what clients send and what they get. camelCase JSON.

pub mod call;
pub mod event;
pub mod job;
pub mod problem;
pub mod question;
pub mod rule;
pub mod session;
pub mod status;
pub mod team;
pub mod token;
pub mod turn;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The header by which the command line (`cli`) and the monitor (`monitor`) say what they are, for the log.
pub const CLIENT: &str = "iris-client";

/// The header by which whoever tells says that it follows the turn to its end, though its request does not wait
/// (`timeout` -1). It is a name that nobody else has, and that the stream of events has too by which the turn is followed:
/// while that is open, an agent that tells this way waits. A header, so that a daemon that does not know it takes the tell
/// all the same.
pub const FOLLOWS: &str = "iris-follows";

/// The header by which a page in a browser asks for refusals as 200, so that the browser takes none for an error of the page.
pub const QUIET: &str = "iris-quiet";

/// The header in which such a refusal has its status.
pub const STATUS: &str = "iris-status";

/// A page of a list. `next` is the cursor of the next page; absent on the last.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page<T> {
    pub items: Vec<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}
