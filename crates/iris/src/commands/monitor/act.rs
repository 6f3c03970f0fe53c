//! Doing what was asked for, and what came of it in a sentence.

use std::time::Duration;

use iris_api::question::AnswerRequest;
use iris_api::team::{CancelResponse, PartyRequest, SleepResponse, WakeResponse};
use iris_api::turn::{TellRequest, TellResponse};

use super::wish::Act;
use crate::client::{Client, ClientError};
use crate::commands::answer::describe;
use crate::commands::tell::accept;
use crate::failure::Failure;
use crate::moment;

/// An agent may take its time to start.
const PATIENCE: Duration = Duration::from_secs(120);

pub async fn act(client: &Client, act: &Act) -> Result<String, String> {
    match tokio::time::timeout(PATIENCE, perform(client, act)).await {
        Ok(done) => done.map_err(explain),
        Err(_) => Err(format!("no answer came in {}s; look whether it was done", PATIENCE.as_secs())),
    }
}

async fn perform(client: &Client, act: &Act) -> Result<String, ClientError> {
    match act {
        Act::Answer { id, digest, response, .. } => {
            let (response, digest) = (response.clone(), digest.clone());
            let request = AnswerRequest { response, digest, remember: None, again: false, similar: false };
            // Taken as it comes: the exact bytes of an action do not survive being taken apart and put together.
            Ok(describe(&client.post(&["questions", id, "answer"], &request).await?))
        }
        Act::Wake { team, from } => {
            let woken: WakeResponse = client.post(&["teams", team, "wake"], &party(from)).await?;
            Ok(if woken.was_awake { format!("{team} was awake") } else { format!("{team} is awake") })
        }
        Act::Sleep { team, from } => {
            let slept: SleepResponse = client.post(&["teams", team, "sleep"], &party(from)).await?;
            Ok(if slept.stopped > 0 { format!("{team} sleeps") } else { format!("{team} was asleep") })
        }
        Act::Cancel { team, from } => {
            let cancelled: CancelResponse = client.post(&["teams", team, "cancel"], &party(from)).await?;
            Ok(match cancelled.turns.len() {
                0 => format!("{team} had nothing to cancel"),
                1 => "1 turn is cancelled".to_owned(),
                count => format!("{count} turns are cancelled"),
            })
        }
        Act::Tell { team, from, text } => tell(client, team, from, text).await,
    }
}

async fn tell(client: &Client, team: &str, from: &str, text: &str) -> Result<String, ClientError> {
    let request = TellRequest {
        to_team: team.to_owned(),
        message: text.to_owned(),
        from_team: Some(from.to_owned()),
        timeout: Some(-1),
        key: Some(accept::new_key()),
        delay: None,
    };
    let told: TellResponse = accept::send(client, &request).await?;
    Ok(match told.position {
        0 => format!("{team} is told"),
        ahead => format!("{team} is told after {ahead} others"),
    })
}

fn party(from: &str) -> PartyRequest {
    PartyRequest { from_team: Some(from.to_owned()), ..PartyRequest::default() }
}

fn explain(error: ClientError) -> String {
    if let ClientError::Refused(problem) = &error
        && let Some(closed) = &problem.closed
    {
        let by = closed.by.as_deref().map(|by| format!(" by {by}")).unwrap_or_default();
        let at = closed.at.map(|at| format!(" at {}", moment::zoned(at))).unwrap_or_default();
        return format!("too late: already {}{by}{at}", closed.state);
    }
    // There is one line for it: what to do stands where it is not cut off.
    match &error {
        ClientError::Lost { .. } => format!("it may have been done: look before you try again ({error})"),
        ClientError::Unreachable { .. } => format!("nothing was done: try again when iris is there ({error})"),
        _ => {
            let failure = Failure::from(error);
            failure.hint.map(|hint| format!("{}; {hint}", failure.message)).unwrap_or(failure.message)
        }
    }
}

#[cfg(test)]
mod tests {
    use iris_api::problem::Problem;
    use serde_json::json;

    use super::*;

    #[test]
    fn who_was_first_is_said_with_the_zone() {
        let at = 1_700_000_000_000;
        let problem = json!({
            "type": "about:blank", "title": "Conflict", "status": 409, "kind": "conflict", "detail": "it is closed",
            "closed": {"state": "answered", "by": "ada", "at": at},
        });
        let problem: Problem = serde_json::from_value(problem).expect("a problem");
        let said = explain(ClientError::Refused(Box::new(problem)));
        assert_eq!(said, format!("too late: already answered by ada at {}", moment::zoned(at)));
    }

    /// There are 80 columns.
    #[test]
    fn what_to_do_about_a_lost_connection_is_not_cut_off() {
        let (url, what) = ("http://127.0.0.1:1615".to_owned(), "connection closed before message completed".to_owned());
        let said = explain(ClientError::Lost { url: url.clone(), what: what.clone() });
        assert!(said[..79].contains("look before you try again"), "{said}");
        let said = explain(ClientError::Unreachable { url, what });
        assert!(said[..79].contains("nothing was done: try again"), "{said}");
    }
}
