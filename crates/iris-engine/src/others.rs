//! Other nodes on the same PostgreSQL: when one of them says that it has written, whoever reads or waits here is woken at
//! once. What a notice is about is read from the log; what a lost one was about is found by upkeep, which looks now and
//! then anyway.

use std::sync::Arc;
use std::time::Duration;

use iris_store::{StoreError, event};
use tokio::sync::Notify;

use crate::engine::Inner;

/// After a notice was followed, the next ones are followed together.
const PAUSE: Duration = Duration::from_millis(20);
/// A turn that ended among more than these is found by whoever waits for it, a second later.
const TURNS_AT_ONCE: i64 = 1000;

/// Ends the following.
#[derive(Default)]
pub(crate) struct Following {
    closed: Notify,
}

impl Following {
    pub fn close(&self) {
        self.closed.notify_one();
    }
}

pub(crate) async fn run(engine: Arc<Inner>) {
    let mut notices = engine.store.notices();
    let mut seen = engine.bus.head();
    loop {
        tokio::select! {
            // The store that would say no more is held by the engine.
            notice = notices.changed() => notice.expect("the store is there for as long as the engine"),
            () = engine.others.closed.notified() => return,
        }
        match follow(&engine, seen).await {
            Ok(newest) => seen = newest,
            Err(error) => tracing::debug!(%error, "a notice of another node could not be followed"),
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Returns the number of the newest event.
async fn follow(engine: &Inner, seen: i64) -> Result<i64, StoreError> {
    let read =
        engine.store.read(move |tx| Ok((event::newest(tx)?, event::list_finished_turns(tx, seen, TURNS_AT_ONCE)?)));
    let (newest, ended) = read.await?;
    engine.bus.grown_to(newest);
    ended.iter().for_each(|turn| engine.waiters.look(turn));
    engine.upkeep.others_wrote();
    Ok(newest)
}
