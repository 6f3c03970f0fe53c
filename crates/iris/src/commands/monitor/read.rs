//! Reading what the state wants, by the API.

mod page;

use std::time::Duration;

use iris_api::Page as ApiPage;
use iris_api::question::{Pending, QuestionFigures};
use iris_api::status::Status;
use iris_api::team::Team;
use iris_api::turn::{Turn, TurnFigures};
use iris_engine::wall_ms;

use super::wish::{Got, Read};
use crate::client::{Client, ClientError};
use crate::moment;

/// A daemon that takes longer than this does not answer.
const PATIENCE: Duration = Duration::from_secs(20);

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
        Read::Question(id) => Got::Question(client.get(&["questions", id], &[]).await?),
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
        Read::Ends => {
            let since = moment::midnight(wall_ms()).to_string();
            Got::Ends(client.get::<Box<TurnFigures>>(&["turns", "figures"], &[("since", since)]).await?)
        }
        Read::Decided => {
            let now = wall_ms();
            let since = moment::midnight(now);
            let within = [("withinMs", (now - since).max(1).to_string())];
            let figures = client.get::<QuestionFigures>(&["questions", "figures"], &within).await?;
            Got::Decided { since, count: figures.closed }
        }
    })
}
