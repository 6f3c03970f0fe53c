//! Below an agent that Iris runs: it has its tools on its own pipe, under the same name. A server of its user's that is this
//! bridge offers nothing there, or the agent would also have what is only for people's own clients.

use iris_agents::contain::SESSION_MARK;
use iris_api::session::Session;
use iris_core::fault::FaultKind;
use serde_json::{Value, json};

use super::message::{Message, error};
use crate::client::Client;
use crate::failure::{Failure, Why};

const WHY: &str = "this is in a session of an agent that Iris runs, which has its tools on its own pipe";

/// Whether that is where this runs. The mark of a session that the daemon does not know is of another daemon's.
pub async fn an_agent(client: &Client) -> bool {
    let Ok(session) = std::env::var(SESSION_MARK) else { return false };
    let found = client.get::<Session>(&["sessions", &session], &[]).await.map_err(Failure::from);
    found.map_or_else(|failure| failure.why != Why::Fault(FaultKind::NotFound), |_| true)
}

pub fn answer(request: &Message) -> Value {
    let result = match request.method() {
        "initialize" => json!({
            "protocolVersion": request.params()["protocolVersion"],
            "capabilities": {},
            "serverInfo": { "name": "iris", "title": "Iris", "version": env!("CARGO_PKG_VERSION") },
        }),
        "ping" => json!({}),
        "tools/list" => json!({ "tools": [] }),
        _ => return error(request.id(), -32601, WHY),
    };
    json!({ "jsonrpc": "2.0", "id": request.id(), "result": result })
}
