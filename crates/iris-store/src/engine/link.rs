//! A connection that is opened again after it was lost, and not more often than is of use.

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
}

impl Link {
    pub fn new(connection: Connection) -> Self {
        Self { connection: Some(connection), trouble: None, tried_at: None }
    }

    pub fn is_open(&self) -> bool {
        self.connection.is_some()
    }

    /// Opens it if it was lost.
    pub fn open(&mut self, shared: &Shared) -> Result<&mut Connection, StoreError> {
        if self.connection.is_none() {
            self.connection = Some(self.reopen(shared)?);
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
