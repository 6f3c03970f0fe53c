//! PostgreSQL: for when one machine is not enough. The same tables and the same SQL.
//!
//! A statement whose result nobody needs is not waited for: it is kept and sent along with the next one whose result
//! somebody does need, or with the commit. A transaction of ten statements is then three round trips.

pub(crate) mod address;
pub(crate) mod tls;

use std::collections::HashMap;
use std::pin::pin;
use std::time::Duration;

use futures_util::TryStreamExt;
use futures_util::future::{join, join_all};
use tokio::runtime::Runtime;
use tokio::time::{Instant, timeout};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Statement};

use self::address::Address;
use super::{Access, TakeRow};
use crate::error::StoreError;
use crate::tx::{Cell, Row, Value};

pub(crate) struct Postgres {
    /// The connection lives on this thread and moves only while it is waited for.
    runtime: Runtime,
    client: Client,
    address: Address,
    prepared: HashMap<&'static str, Statement>,
    unsent: Vec<Unsent>,
}

/// Something that is sent with the next statement.
enum Unsent {
    Plain(&'static str),
    Prepared(Statement, Vec<Cell>),
}

/// After so long without an answer it is asked whether the server answers anybody.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long it may take to make a connection.
const LONGEST_CONNECTING: Duration = Duration::from_secs(5);
/// No statement of a transaction takes as long as this where a server answers others but not us.
const LONGEST_STATEMENT: Duration = Duration::from_secs(60);

impl Postgres {
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let address = Address::parse(url)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let opening = async {
            let (client, connection) = address.connect().await?;
            #[expect(clippy::disallowed_methods, reason = "ends with this runtime, which owns it")]
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "a connection to PostgreSQL ended");
                }
            });
            // What is acknowledged is on disk, whatever the server's default says.
            // A node that is frozen in the middle of a transaction must not hold the others up until it wakes.
            let settings = "SET synchronous_commit = on; SET lock_timeout = '10s'; \
                            SET idle_in_transaction_session_timeout = '5s'";
            client.batch_execute(settings).await?;
            Ok::<_, StoreError>(client)
        };
        let opened = runtime.block_on(async { timeout(LONGEST_CONNECTING, opening).await });
        let client = opened.map_err(|_| no_answer(LONGEST_CONNECTING))??;
        Ok(Self { runtime, client, address, prepared: HashMap::new(), unsent: Vec::new() })
    }

    /// What may take as long as it takes.
    pub fn plain(&mut self, sql: &str) -> Result<(), StoreError> {
        Ok(self.wait(self.client.batch_execute(sql), Duration::MAX)??)
    }

    pub fn begin(&mut self, access: Access) -> Result<(), StoreError> {
        self.unsent.clear();
        self.unsent.push(Unsent::Plain(match access {
            Access::Read => "BEGIN READ ONLY",
            Access::Write | Access::WriteAtOnce => "BEGIN",
        }));
        Ok(())
    }

    pub fn commit(&mut self) -> Result<(), StoreError> {
        // If one of them fails the server turns the commit into a rollback, and the failure is what is reported.
        self.unsent.push(Unsent::Plain("COMMIT"));
        let unsent = std::mem::take(&mut self.unsent);
        let client = &self.client;
        let sent = self.wait(join_all(unsent.iter().map(|one| one.send(client))), LONGEST_STATEMENT);
        let results = sent.map_err(|_| StoreError::InDoubt)?;
        results.into_iter().collect::<Result<(), _>>().map_err(|error| match StoreError::from(error) {
            // The server may have committed before it went away.
            StoreError::Unavailable(_) | StoreError::Insecure(_) | StoreError::Refused(_) => StoreError::InDoubt,
            other => other,
        })
    }

    pub fn rollback(&mut self) -> Result<(), StoreError> {
        self.unsent.clear();
        self.plain("ROLLBACK")
    }

    pub fn run(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<(), StoreError> {
        let statement = self.prepare(sql)?;
        self.unsent.push(Unsent::Prepared(statement, values.iter().map(own).collect()));
        Ok(())
    }

    pub fn many(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        let statement = self.prepare(sql)?;
        let unsent = std::mem::take(&mut self.unsent);
        let client = &self.client;
        let parameters: Vec<_> = values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let sending = join_all(unsent.iter().map(|one| one.send(client)));
        let (sent, rows) = self.wait(join(sending, client.query(&statement, &parameters)), LONGEST_STATEMENT)?;
        sent.into_iter().collect::<Result<(), _>>()?;
        rows?.iter().map(read_row).collect()
    }

    /// No more of them are here than are on their way.
    pub fn each_row(&mut self, sql: &str, take: TakeRow<'_>) -> Result<(), StoreError> {
        let asked = self.client.query_raw(sql, std::iter::empty::<&str>());
        let mut rows = pin!(self.wait(asked, LONGEST_STATEMENT)??);
        while let Some(row) = self.wait(rows.try_next(), LONGEST_STATEMENT)?? {
            take(read_row(&row)?)?;
        }
        Ok(())
    }

    /// Sent together, and waited for once.
    pub fn run_each(&mut self, sql: &str, rows: Vec<Row>) -> Result<(), StoreError> {
        let statement = self.wait(self.client.prepare(&sql.replace('?', "$")), LONGEST_STATEMENT)??;
        let all: Vec<_> = rows.into_iter().map(|row| Unsent::Prepared(statement.clone(), row.0)).collect();
        let client = &self.client;
        let sent = self.wait(join_all(all.iter().map(|one| one.send(client))), LONGEST_STATEMENT)?;
        Ok(sent.into_iter().collect::<Result<(), _>>()?)
    }

    fn prepare(&mut self, sql: &'static str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        // SQLite numbers parameters `?1`, PostgreSQL `$1`. No statement of ours has a question mark in a string.
        let statement = self.wait(self.client.prepare(&sql.replace('?', "$")), LONGEST_STATEMENT)??;
        self.prepared.insert(sql, statement.clone());
        Ok(statement)
    }

    /// Waits for an answer as long as one can be hoped for. A server that is frozen, and a network that swallows what it is
    /// given, take everything and say nothing; a slow statement is told from that by asking for another connection.
    fn wait<T>(&self, asked: impl Future<Output = T>, longest: Duration) -> Result<T, StoreError> {
        self.runtime.block_on(async {
            let (began, mut asked) = (Instant::now(), pin!(asked));
            loop {
                match timeout(PATIENCE, &mut asked).await {
                    Ok(answer) => return Ok(answer),
                    Err(_) if began.elapsed() < longest && self.address.answers().await => {}
                    Err(_) => return Err(no_answer(began.elapsed())),
                }
            }
        })
    }
}

fn no_answer(waited: Duration) -> StoreError {
    StoreError::Unavailable(format!("no answer for {} s", waited.as_secs()))
}

impl Unsent {
    async fn send(&self, client: &Client) -> Result<(), tokio_postgres::Error> {
        match self {
            Self::Plain(sql) => client.batch_execute(sql).await,
            Self::Prepared(statement, cells) => {
                let values: Vec<_> = cells.iter().map(Value::from).collect();
                let parameters: Vec<_> = values.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
                client.execute(statement, &parameters).await.map(drop)
            }
        }
    }
}

fn own(value: &Value<'_>) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Int(number) => Cell::Int(*number),
        Value::Text(text) => Cell::Text((*text).to_owned()),
    }
}

fn read_row(row: &tokio_postgres::Row) -> Result<Row, StoreError> {
    let cells = row.columns().iter().enumerate().map(|(index, column)| {
        Ok(if *column.type_() == Type::INT8 {
            row.try_get::<_, Option<i64>>(index)?.map_or(Cell::Null, Cell::Int)
        } else {
            row.try_get::<_, Option<String>>(index)?.map_or(Cell::Null, Cell::Text)
        })
    });
    Ok(Row(cells.collect::<Result<_, tokio_postgres::Error>>()?))
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut tokio_postgres::types::private::BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Int(number) => number.to_sql(ty, out),
            // The one character PostgreSQL cannot hold. An agent may say it; the rest of what it said is kept.
            Value::Text(text) if text.contains('\0') => text.replace('\0', "\u{fffd}").to_sql(ty, out),
            Value::Text(text) => text.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
