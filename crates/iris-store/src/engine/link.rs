//! A connection that is opened again after it was lost, and not more often than is of use.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Connection;
use crate::error::StoreError;
use crate::store::Shared;

const PAUSE_BEFORE_REOPENING: Duration = Duration::from_millis(200);

pub(crate) struct Link {
    connection: Option<Connection>,
    /// Why it was lost or could not be opened, for whoever comes before it is tried again.
    trouble: Option<StoreError>,
    tried_at: Option<Instant>,
    /// How often a connection had been found lost when this one was opened.
    losses: u64,
}

impl Link {
    pub fn new(connection: Connection) -> Self {
        Self { connection: Some(connection), trouble: None, tried_at: None, losses: 0 }
    }

    pub fn is_open(&self, shared: &Shared) -> bool {
        self.connection.is_some() && self.losses == shared.losses.load(Ordering::SeqCst)
    }

    /// Opens it if it was lost, or if another was and is open again: this one went with it, which would be found by the next
    /// who uses it.
    pub fn open(&mut self, shared: &Shared) -> Result<&mut Connection, StoreError> {
        let losses = shared.losses.load(Ordering::SeqCst);
        if self.losses != losses {
            (self.connection, self.trouble, self.losses) = (None, None, losses);
        }
        if self.connection.is_none() {
            self.connection = Some(self.reopen(shared)?);
            if self.trouble.take().is_some() {
                self.losses = shared.losses.fetch_add(1, Ordering::SeqCst) + 1;
            }
        }
        self.connection.as_mut().ok_or(StoreError::Closed)
    }

    fn reopen(&mut self, shared: &Shared) -> Result<Connection, StoreError> {
        if let Some(trouble) = &self.trouble
            && self.tried_at.is_some_and(|at| at.elapsed() < PAUSE_BEFORE_REOPENING)
        {
            return Err(trouble.clone());
        }
        // Opening reads the write-ahead log anew and the next checkpoint writes every page of it again, which is what
        // makes a disk that failed once trustworthy again.
        let opened = shared.connect();
        // When the try is over: to find that nobody answers takes seconds, and those who came meanwhile need not try too.
        self.tried_at = Some(Instant::now());
        opened.inspect_err(|error| self.trouble = Some(error.clone()))
    }

    /// What was said of it when it was used: after some faults it is not used again.
    pub fn note(&mut self, error: &StoreError) {
        if error.needs_reopen() {
            self.connection = None;
            self.trouble = Some(error.clone());
        }
    }

    pub fn close(&mut self) {
        self.connection = None;
    }
}
