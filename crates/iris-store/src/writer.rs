//! The writer: one connection, used by one thread at a time. Transactions that are waiting are committed together, so that
//! durability costs one sync for all of them and not one each.

use std::sync::{Arc, Mutex};

use tokio::sync::mpsc;

use crate::engine::link::Link;
use crate::engine::{Access, Connection};
use crate::error::StoreError;
use crate::event;
use crate::failpoint;
use crate::notice::Notices;
use crate::store::{Location, Shared, StoreHealth};
use crate::tx::{Batch, Tx};

/// One transaction. It may be run more than once (never committed more than once): when another transaction of its batch
/// fails, all are rolled back and each is run alone.
pub(crate) trait Step {
    fn name(&self) -> &'static str;
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), StoreError>;
}

/// A transaction somebody waits for elsewhere.
pub(crate) trait Job: Step + Send {
    fn done(self: Box<Self>, result: Result<(), StoreError>);
}

impl Step for Box<dyn Job> {
    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        (**self).run(tx)
    }
}

struct Lone<'a> {
    name: &'static str,
    transaction: &'a mut dyn FnMut(&mut Tx<'_>) -> Result<(), StoreError>,
}

impl Step for Lone<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        (self.transaction)(tx)
    }
}

/// What the writer is told to do.
pub(crate) enum Order {
    Run(Box<dyn Job>),
    /// End, when everything before this is done.
    Close,
}

const LARGEST_BATCH: usize = 128;

pub(crate) struct Writer {
    shared: Arc<Shared>,
    link: Link,
    closed: bool,
    /// The last number given out, if this is the only writer there can be.
    last_seq: Option<i64>,
    /// Tells the other nodes, if there can be any.
    notices: Option<Notices>,
}

/// The writer's thread: takes what is waiting, all of it at once.
pub(crate) fn serve(writer: &Mutex<Writer>, mut orders: mpsc::Receiver<Order>) {
    while let Some(Order::Run(first)) = orders.blocking_recv() {
        // Whoever writes on their own thread is done in a moment; what comes until then is taken along.
        let mut writer = writer.lock().expect("a transaction that panics takes the daemon with it");
        let mut batch = vec![first];
        let mut closing = false;
        while batch.len() < LARGEST_BATCH && !closing {
            match orders.try_recv() {
                Ok(Order::Run(next)) => batch.push(next),
                Ok(Order::Close) => closing = true,
                Err(_) => break,
            }
        }
        if batch.len() > 1 {
            writer.shared.note_crowd();
        }
        writer.perform(batch);
        if closing {
            return;
        }
    }
}

impl Writer {
    pub fn new(shared: Arc<Shared>, connection: Connection, notices: Option<Notices>) -> Self {
        Self { shared, link: Link::new(connection), closed: false, last_seq: None, notices }
    }

    /// From now on nothing is written any more.
    pub fn close(&mut self) {
        self.notices = None;
        self.link.close();
        self.closed = true;
    }

    /// One transaction by itself, on the thread of whoever wants it. Nothing was done if that thread would have to wait:
    /// for the database to be opened, or for another program to unlock it.
    pub fn commit_one(
        &mut self,
        name: &'static str,
        transaction: &mut dyn FnMut(&mut Tx<'_>) -> Result<(), StoreError>,
    ) -> Option<Result<(), StoreError>> {
        if !self.link.is_open(&self.shared) {
            return None;
        }
        let mut alone = [Lone { name, transaction }];
        match self.transact(&mut alone, Access::WriteAtOnce) {
            Err(StoreError::Locked) => None,
            result => Some(self.settle(&alone, result)),
        }
    }

    /// False if somebody was in the way.
    pub fn empty_log(&mut self) -> Result<bool, StoreError> {
        if self.closed {
            return Err(StoreError::Closed);
        }
        let emptied = self.link.open(&self.shared)?.empty_log();
        emptied.map_err(|error| {
            self.link.note(&error);
            self.shared.explained(error)
        })
    }

    fn perform(&mut self, mut batch: Vec<Box<dyn Job>>) {
        let shared = Arc::clone(&self.shared);
        let answer = |job: Box<dyn Job>, result| {
            // Counted before the answer, so that whoever is answered finds the writer free.
            shared.done(1);
            job.done(result);
        };
        match self.commit_together(&mut batch) {
            Ok(()) => batch.into_iter().for_each(|job| answer(job, Ok(()))),
            // One of several was refused. Which one is found by running each alone.
            Err(error) if batch.len() > 1 && !error.needs_reopen() => {
                batch.into_iter().for_each(|job| self.perform(vec![job]));
            }
            Err(error) => batch.into_iter().for_each(|job| answer(job, Err(error.clone()))),
        }
    }

    fn commit_together<S: Step>(&mut self, batch: &mut [S]) -> Result<(), StoreError> {
        let result = self.transact(batch, Access::Write);
        self.settle(batch, result)
    }

    /// What comes of a commit for those who were not part of it.
    fn settle<S: Step>(&mut self, batch: &[S], result: Result<Batch, StoreError>) -> Result<(), StoreError> {
        let result = result.map_err(|error| {
            self.link.note(&error);
            self.last_seq = None;
            self.shared.explained(error)
        });
        match &result {
            Ok(_) => self.shared.set_health(StoreHealth::Well),
            Err(error) if error.may_pass() => self.shared.set_health(StoreHealth::troubled(error)),
            Err(_) => {}
        }
        let Batch { appended, last_seq } = result?;
        self.last_seq = last_seq.filter(|_| matches!(self.shared.location, Location::Sqlite(_)));
        for job in batch {
            failpoint::hit(job.name(), "after_commit");
        }
        if !appended.is_empty() {
            (self.shared.on_commit)(&appended);
            self.notices.as_ref().inspect(|notices| notices.committed());
        }
        Ok(())
    }

    fn transact<S: Step>(&mut self, batch: &mut [S], access: Access) -> Result<Batch, StoreError> {
        if self.closed {
            return Err(StoreError::Closed);
        }
        let connection = self.link.open(&self.shared)?;
        connection.begin(access)?;
        let together = Batch { appended: Vec::new(), last_seq: self.last_seq };
        // A fault in one transaction must not take the store with it: it is rolled back like any other that failed.
        let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            run_all(&self.shared, connection, batch, together)
        }));
        let ran = run.unwrap_or_else(|_| Err(StoreError::Sql("a transaction panicked; see the log".to_owned())));
        let outcome = ran.and_then(|together| {
            for job in batch.iter() {
                failpoint::hit(job.name(), "before_commit");
            }
            connection.commit().map(|()| together)
        });
        if outcome.as_ref().is_err_and(|error| !error.needs_reopen()) {
            connection.rollback()?;
        }
        outcome
    }
}

fn run_all<S: Step>(
    shared: &Shared,
    connection: &mut Connection,
    batch: &mut [S],
    mut together: Batch,
) -> Result<Batch, StoreError> {
    event::lock_number(&mut Tx::new(connection, &shared.clock, &shared.node, &mut together))?;
    for job in batch {
        job.run(&mut Tx::new(connection, &shared.clock, &shared.node, &mut together))?;
    }
    event::write_back_number(&mut Tx::new(connection, &shared.clock, &shared.node, &mut together))?;
    Ok(together)
}
