//! One connection to either database, with the few operations a transaction needs.

pub(crate) mod link;
mod log_file;
pub(crate) mod postgres;
pub(crate) mod sqlite;

use crate::error::StoreError;
use crate::tx::{Row, Value};

pub(crate) enum Connection {
    Sqlite(sqlite::Sqlite),
    Postgres(Box<postgres::Postgres>),
}

/// What a transaction is for. Writers take the lock when they begin, so that no statement inside can be refused it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// As `Write`, and refused at once where another program has the lock. PostgreSQL knows no such lock.
    WriteAtOnce,
}

impl Connection {
    pub fn begin(&mut self, access: Access) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.begin(access),
            Self::Postgres(postgres) => postgres.begin(access),
        }
    }

    pub fn commit(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.commit(),
            Self::Postgres(postgres) => postgres.commit(),
        }
    }

    pub fn rollback(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.rollback(),
            Self::Postgres(postgres) => postgres.rollback(),
        }
    }

    /// False if somebody was in the way. PostgreSQL has a log of its own.
    pub fn empty_log(&mut self) -> Result<bool, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.empty_log(),
            Self::Postgres(_) => Ok(true),
        }
    }

    pub fn run(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.run(sql, values),
            Self::Postgres(postgres) => postgres.run(sql, values),
        }
    }

    pub fn many(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.many(sql, values),
            Self::Postgres(postgres) => postgres.many(sql, values),
        }
    }
}
