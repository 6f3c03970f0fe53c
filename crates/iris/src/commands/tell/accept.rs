//! Getting a tell accepted once: it has a key, so it may be sent again when nobody knows whether it arrived.

use std::time::Duration;

use iris_api::turn::{TellRequest, TellResponse};

use crate::client::{Client, ClientError};
use crate::failure::{Failure, Why};
use crate::interrupt::CtrlC;

pub fn new_key() -> String {
    format!("cli-{}", uuid::Uuid::new_v4().simple())
}

/// How long a daemon whose connection was lost may take to come back.
const RETURNING: Duration = Duration::from_secs(10);

pub async fn accept(client: &Client, request: &TellRequest, ctrl_c: &mut CtrlC) -> Result<TellResponse, Failure> {
    let key = request.key.clone().unwrap_or_default();
    let sending = send(client, request);
    tokio::select! {
        sent = sending => sent.map_err(|error| explain(error, &key)),
        () = ctrl_c.pressed() => {
            Err(Failure::new(Why::BrokenOff, "broken off before the tell was acknowledged")
                .hint(format!("it may have been accepted; the same command with --key {key} never tells it twice")))
        }
    }
}

/// Sent again if nobody knows whether it arrived.
pub async fn send(client: &Client, request: &TellRequest) -> Result<TellResponse, ClientError> {
    let first = client.post(&["teams", "tell"], request).await;
    let Err(ClientError::Lost { .. }) = first else { return first };
    let began = tokio::time::Instant::now();
    loop {
        match client.post(&["teams", "tell"], request).await {
            // Nobody heard it, so this was not yet the second time.
            Err(ClientError::Unreachable { .. } | ClientError::NotRunning(_)) if began.elapsed() < RETURNING => {
                tokio::time::sleep(Duration::from_millis(250)).await;
            }
            // What matters to the caller is that the first one is in doubt, not that iris is away now.
            Err(ClientError::Unreachable { .. } | ClientError::NotRunning(_)) => return first,
            second => return second,
        }
    }
}

fn explain(error: ClientError, key: &str) -> Failure {
    let in_doubt = match &error {
        ClientError::Lost { .. } => true,
        ClientError::Refused(problem) => problem.kind == "unavailable",
        _ => false,
    };
    let failure = Failure::from(error);
    if !in_doubt {
        return failure;
    }
    let before = failure.hint.as_ref().map(|hint| format!("{hint}; ")).unwrap_or_default();
    let hint = format!("{before}send it again with --key {key}: the same key never makes a second turn");
    failure.hint(hint)
}
