//! Reading what the state wants, by the API.

mod page;

use std::time::Duration;

use iris_api::Page as ApiPage;
use iris_api::event::Event;
use iris_api::question::Pending;
use iris_api::status::Status;
use iris_api::team::Team;
use iris_api::turn::Turn;

use super::wish::{Got, Read};
use crate::client::{Client, ClientError};

/// A daemon that takes longer than this does not answer.
const PATIENCE: Duration = Duration::from_secs(20);
/// How many of the newest events are looked through for what happened lately.
const LATELY: i64 = 20_000;

pub async fn read(client: &Client, read: &Read) -> Result<Got, ClientError> {
    match tokio::time::timeout(PATIENCE, perform(client, read)).await {
        Ok(got) => got,
        Err(_) => {
            let what = format!("nothing came in {}s", PATIENCE.as_secs());
            Err(ClientError::Unreachable { url: client.base().await?, what })
        }
    }
}

async fn perform(client: &Client, read: &Read) -> Result<Got, ClientError> {
    Ok(match read {
        Read::Questions => Got::Questions(client.get::<Pending>(&["questions", "pending"], &[]).await?.questions),
        Read::Status => {
            let status = client.get::<Box<Status>>(&["status"], &[]).await?;
            Got::Status { status, address: client.base().await? }
        }
        Read::Teams => Got::Teams(client.get::<ApiPage<Team>>(&["teams"], &[]).await?.items),
        Read::Sessions => Got::Sessions(client.sessions(None).await?),
        Read::Session(id) => Got::Session(client.get(&["sessions", id], &[]).await?),
        Read::Told { session, number } => {
            let turn = page::turn(client, session, *number).await?.map(Box::new);
            Got::Told { session: session.clone(), number: *number, turn }
        }
        Read::Turn(id) => Got::Turn(client.get::<Box<Turn>>(&["turns", id], &[]).await?),
        Read::Page { session, page } => {
            let piece = page::read(client, session, page).await?;
            Got::Page { session: session.clone(), page: page.clone(), piece }
        }
        Read::Ends => Got::Ends(lately(client, "turn.finished").await?),
        Read::Decided => Got::Decided(lately(client, "question").await?),
    })
}

/// The events of a kind among the newest ones.
async fn lately(client: &Client, kind: &str) -> Result<Vec<Event>, ClientError> {
    let newest = client.get::<Status>(&["status"], &[]).await?.newest_event;
    let mut after = (newest - LATELY).max(0);
    let mut events = Vec::new();
    loop {
        let query = [("kind", kind.to_owned()), ("after", after.to_string()), ("limit", "1000".to_owned())];
        let page: ApiPage<Event> = client.get(&["events"], &query).await?;
        events.extend(page.items);
        match page.next.and_then(|next| next.parse().ok()) {
            Some(next) => after = next,
            None => return Ok(events),
        }
    }
}
