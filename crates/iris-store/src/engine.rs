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

/// Whoever reads everything, one row after the other.
pub(crate) type TakeRow<'a> = &'a mut dyn FnMut(Row) -> Result<(), StoreError>;

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

    pub fn is_postgres(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// What is no part of any verb: a copy of everything, and back.
    pub fn plain(&mut self, sql: &str) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.plain(sql),
            Self::Postgres(postgres) => postgres.plain(sql),
        }
    }

    /// One row after the other, however many there are.
    pub fn each_row(&mut self, sql: &str, take: TakeRow<'_>) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.each_row(sql, take),
            Self::Postgres(postgres) => postgres.each_row(sql, take),
        }
    }

    /// The same statement for each of these rows.
    pub fn run_each(&mut self, sql: &str, rows: Vec<Row>) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.run_each(sql, rows),
            Self::Postgres(postgres) => postgres.run_each(sql, rows),
        }
    }
}
