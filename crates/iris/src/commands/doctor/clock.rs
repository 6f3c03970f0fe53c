//! The clock: what has been written down cannot be from the future.

use iris_api::Page;
use iris_api::event::Event;
use iris_api::status::Status;

use super::finding::Finding;
use crate::client::Client;
use crate::moment;

const CHECK: &str = "clock";
/// Two machines on one database may differ by this much.
const TOLERATED_MS: i64 = 60_000;

pub(super) async fn look(client: &Client, status: Option<&Status>, newest: Option<i64>) -> Finding {
    let newest = match (newest, status) {
        (None, Some(status)) => newest_of_daemon(client, status).await,
        (newest, _) => newest,
    };
    let Some(newest) = newest else { return Finding::ok(CHECK, "nothing was written down yet to compare it with") };
    let ahead = newest - iris_engine::wall_ms();
    if ahead <= TOLERATED_MS {
        return Finding::ok(CHECK, "it has not gone back");
    }
    let what = format!(
        "the newest event is from {}, which is {} from now: the clock was set back. Times that are shown are wrong; \
         deadlines are not, they do not go by this clock",
        moment::date(newest),
        moment::age(ahead)
    );
    Finding::warning(CHECK, what, "set the clock right (`timedatectl` shows whether it is kept in step)")
}

async fn newest_of_daemon(client: &Client, status: &Status) -> Option<i64> {
    let query = [("after", (status.newest_event - 1).max(0).to_string()), ("limit", "1".to_owned())];
    let page: Page<Event> = client.get(&["events"], &query).await.ok()?;
    page.items.last().map(|event| event.at)
}
