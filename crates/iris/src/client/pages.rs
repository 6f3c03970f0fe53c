//! Lists that come in pages, read to their end.

use iris_api::Page;
use iris_api::event::Event;
use iris_api::session::Session;
use serde::de::DeserializeOwned;

use super::{Client, ClientError, Query};

const LARGEST_PAGE: &str = "1000";

impl Client {
    pub async fn all<T: DeserializeOwned>(&self, path: &[&str], query: Query<'_>) -> Result<Vec<T>, ClientError> {
        let mut items = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let mut query = query.to_vec();
            query.push(("limit", LARGEST_PAGE.to_owned()));
            query.extend(after.map(|after| ("after", after)));
            let page: Page<T> = self.get(path, &query).await?;
            items.extend(page.items);
            match page.next {
                Some(next) => after = Some(next),
                None => return Ok(items),
            }
        }
    }

    /// A page of the log, and where the next one begins, if there is one. A page on which nothing is need not be the last.
    pub async fn events(&self, filter: Query<'_>, after: i64) -> Result<(Vec<Event>, Option<i64>), ClientError> {
        let mut query = filter.to_vec();
        query.extend([("after", after.to_string()), ("limit", LARGEST_PAGE.to_owned())]);
        let page: Page<Event> = self.get(&["events"], &query).await?;
        Ok((page.items, page.next.and_then(|next| next.parse().ok())))
    }

    pub async fn sessions(&self, team: Option<&str>) -> Result<Vec<Session>, ClientError> {
        let query: Vec<_> = team.map(|team| ("team", team.to_owned())).into_iter().collect();
        self.all(&["sessions"], &query).await
    }
}
