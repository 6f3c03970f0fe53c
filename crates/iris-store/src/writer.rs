//! The writer: one thread, one connection. Transactions that are waiting are committed together, so that durability
//! costs one sync for all of them and not one each.

use std::sync::Arc;
use std::time::{Duration, Instant};

use iris_core::event::Recorded;
use tokio::sync::mpsc;

use crate::engine::{Access, Connection};
use crate::error::StoreError;
use crate::failpoint;
use crate::store::{Shared, StoreHealth};
use crate::tx::Tx;

/// One transaction that waits to be run. It may be run more than once (never committed more than once): when another
/// transaction of its batch fails, all are rolled back and each is run alone.
pub(crate) trait Job: Send {
    fn name(&self) -> &'static str;
    fn run(&mut self, tx: &mut Tx<'_>) -> Result<(), StoreError>;
    fn done(self: Box<Self>, result: Result<(), StoreError>);
}

/// What the writer is told to do.
pub(crate) enum Order {
    Run(Box<dyn Job>),
    /// End, when everything before this is done.
    Close,
}

const LARGEST_BATCH: usize = 128;
const PAUSE_BEFORE_REOPENING: Duration = Duration::from_millis(200);

pub(crate) struct Writer {
    shared: Arc<Shared>,
    connection: Option<Connection>,
    reopened_at: Option<Instant>,
}

impl Writer {
    pub fn new(shared: Arc<Shared>, connection: Connection) -> Self {
        Self { shared, connection: Some(connection), reopened_at: None }
    }

    pub fn serve(mut self, mut orders: mpsc::Receiver<Order>) {
        while let Some(Order::Run(first)) = orders.blocking_recv() {
            let mut batch = vec![first];
            let mut closing = false;
            while batch.len() < LARGEST_BATCH && !closing {
                match orders.try_recv() {
                    Ok(Order::Run(next)) => batch.push(next),
                    Ok(Order::Close) => closing = true,
                    Err(_) => break,
                }
            }
            self.perform(batch);
            if closing {
                return;
            }
        }
    }

    fn perform(&mut self, mut batch: Vec<Box<dyn Job>>) {
        match self.commit_together(&mut batch) {
            Ok(()) => batch.into_iter().for_each(|job| job.done(Ok(()))),
            // One of several was refused. Which one is found by running each alone.
            Err(error) if batch.len() > 1 && !error.needs_reopen() => {
                batch.into_iter().for_each(|job| self.perform(vec![job]));
            }
            Err(error) => batch.into_iter().for_each(|job| job.done(Err(error.clone()))),
        }
    }

    fn commit_together(&mut self, batch: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
        let result = self.connected().and_then(|()| self.transact(batch));
        match &result {
            Ok(_) => self.shared.set_health(StoreHealth::Well),
            Err(error) if error.may_pass() => self.shared.set_health(StoreHealth::troubled(error)),
            Err(_) => {}
        }
        if result.as_ref().is_err_and(StoreError::needs_reopen) {
            self.connection = None;
        }
        let appended = result?;
        for job in batch.iter() {
            failpoint::hit(job.name(), "after_commit");
        }
        if !appended.is_empty() {
            (self.shared.on_commit)(&appended);
        }
        Ok(())
    }

    fn transact(&mut self, batch: &mut [Box<dyn Job>]) -> Result<Vec<Arc<Recorded>>, StoreError> {
        let connection = self.connection.as_mut().ok_or(StoreError::Closed)?;
        connection.begin(Access::Write)?;
        let outcome = run_all(&self.shared, connection, batch).and_then(|appended| {
            for job in batch.iter() {
                failpoint::hit(job.name(), "before_commit");
            }
            connection.commit().map(|()| appended)
        });
        if outcome.as_ref().is_err_and(|error| !error.needs_reopen()) {
            connection.rollback()?;
        }
        outcome
    }

    fn connected(&mut self) -> Result<(), StoreError> {
        if self.connection.is_some() {
            return Ok(());
        }
        if self.reopened_at.is_some_and(|at| at.elapsed() < PAUSE_BEFORE_REOPENING) {
            return Err(self.shared.trouble());
        }
        self.reopened_at = Some(Instant::now());
        // Opening reads the write-ahead log anew and the next checkpoint writes every page of it again, which is what
        // makes a disk that failed once trustworthy again.
        self.connection = Some(self.shared.connect()?);
        Ok(())
    }
}

fn run_all(
    shared: &Shared,
    connection: &mut Connection,
    batch: &mut [Box<dyn Job>],
) -> Result<Vec<Arc<Recorded>>, StoreError> {
    let mut appended = Vec::new();
    for job in batch {
        let mut tx = Tx::new(connection, &shared.clock, &shared.node);
        job.run(&mut tx)?;
        appended.append(&mut tx.into_appended());
    }
    Ok(appended)
}
