//! A transaction as verbs see it: run, one, many, and append to the event log. Nothing else reaches the database.

use std::sync::Arc;

use iris_core::event::Recorded;
use iris_core::id::{JobId, NodeId, Party, QuestionId, RuleId, SessionId, TurnId};
use iris_core::team::TeamName;

use crate::clock::Clock;
use crate::engine::Connection;
use crate::error::StoreError;

/// A value on its way into a statement. Text, numbers and nothing: the types both databases agree on.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Null,
    Int(i64),
    Text(&'a str),
}

/// A value that came out.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Null,
    Int(i64),
    Text(String),
}

#[derive(Debug)]
pub struct Row(pub(crate) Vec<Cell>);

pub struct Tx<'a> {
    connection: &'a mut Connection,
    clock: &'a Clock,
    node: &'a NodeId,
    batch: &'a mut Batch,
}

/// What the transactions that are committed together share.
#[derive(Default)]
pub(crate) struct Batch {
    pub appended: Vec<Arc<Recorded>>,
    /// The last number given out, once the first was wanted and the counter thereby locked.
    pub last_seq: Option<i64>,
}

impl<'a> Tx<'a> {
    pub(crate) fn new(
        connection: &'a mut Connection,
        clock: &'a Clock,
        node: &'a NodeId,
        batch: &'a mut Batch,
    ) -> Self {
        Self { connection, clock, node, batch }
    }

    /// Runs a statement whose effect is all that is wanted of it. On PostgreSQL it is sent along with the next one that is
    /// waited for, so that it costs no round trip; if it fails, that one says so.
    pub fn run(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<(), StoreError> {
        self.connection.run(sql, values)
    }

    pub fn one(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<Option<Row>, StoreError> {
        Ok(self.connection.many(sql, values)?.into_iter().next())
    }

    pub fn many(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        self.connection.many(sql, values)
    }

    /// The suffix that locks a selected row until the commit; SQLite has one writer and needs none.
    pub(crate) fn is_postgres(&self) -> bool {
        matches!(self.connection, Connection::Postgres(_))
    }

    /// Who writes: the owner of the lanes this daemon serves.
    pub fn node(&self) -> &NodeId {
        self.node
    }

    pub fn wall_ms(&self) -> i64 {
        self.clock.wall_ms()
    }

    pub(crate) fn batch(&mut self) -> &mut Batch {
        self.batch
    }
}

impl Row {
    pub fn int(&self, index: usize) -> i64 {
        self.maybe_int(index).unwrap_or_default()
    }

    pub fn maybe_int(&self, index: usize) -> Option<i64> {
        match self.0.get(index) {
            Some(Cell::Int(number)) => Some(*number),
            _ => None,
        }
    }

    pub fn text(&self, index: usize) -> &str {
        self.maybe_text(index).unwrap_or_default()
    }

    pub fn maybe_text(&self, index: usize) -> Option<&str> {
        match self.0.get(index) {
            Some(Cell::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// A column whose text must have a certain form, because only Iris writes it.
    pub fn parsed<T: std::str::FromStr>(&self, index: usize) -> Result<T, StoreError> {
        let text = self.text(index);
        text.parse().map_err(|_| StoreError::Damaged { place: "the database".to_owned(), what: format!("'{text}'") })
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::Int(number)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(text)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Value::Text(text)
    }
}

impl<'a> From<&'a Cell> for Value<'a> {
    fn from(cell: &'a Cell) -> Self {
        match cell {
            Cell::Null => Value::Null,
            Cell::Int(number) => Value::Int(*number),
            Cell::Text(text) => Value::Text(text),
        }
    }
}

impl<'a, T> From<Option<T>> for Value<'a>
where
    T: Into<Value<'a>>,
{
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

macro_rules! id_value {
    ($($id:ty),*) => {
        $(impl<'a> From<&'a $id> for Value<'a> {
            fn from(id: &'a $id) -> Self {
                Value::Text(id.as_str())
            }
        })*
    };
}
id_value!(SessionId, TurnId, QuestionId, JobId, RuleId, NodeId, Party, TeamName);

/// `values![session, 3, "text"]`
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        &[$($crate::tx::Value::from($value)),*]
    };
}
pub(crate) use values;
