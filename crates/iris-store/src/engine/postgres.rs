//! PostgreSQL: for when one machine is not enough. The same tables and the same SQL.

use std::collections::HashMap;
use std::time::Duration;

use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Config, NoTls, Statement};

use super::Access;
use crate::error::StoreError;
use crate::tx::{Cell, Row, Value};

pub(crate) struct Postgres {
    client: Client,
    prepared: HashMap<&'static str, Statement>,
}

impl Postgres {
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let mut config: Config =
            url.parse().map_err(|error| StoreError::Unavailable(format!("database.url cannot be read: {error}")))?;
        config.connect_timeout(Duration::from_secs(5)).keepalives_idle(Duration::from_secs(30));
        config.application_name("iris");
        let mut client = config.connect(NoTls)?;
        // What is acknowledged is on disk, whatever the server's default says.
        client.batch_execute("SET synchronous_commit = on; SET lock_timeout = '10s'")?;
        Ok(Self { client, prepared: HashMap::new() })
    }

    pub fn raw(&mut self) -> &mut Client {
        &mut self.client
    }

    pub fn begin(&mut self, access: Access) -> Result<(), StoreError> {
        Ok(self.client.batch_execute(match access {
            Access::Read => "BEGIN READ ONLY",
            Access::Write => "BEGIN",
        })?)
    }

    pub fn commit(&mut self) -> Result<(), StoreError> {
        self.client.batch_execute("COMMIT").map_err(|error| match StoreError::from(error) {
            // The server may have committed before it went away.
            StoreError::Unavailable(_) => StoreError::InDoubt,
            other => other,
        })
    }

    pub fn rollback(&mut self) -> Result<(), StoreError> {
        Ok(self.client.batch_execute("ROLLBACK")?)
    }

    pub fn run(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<u64, StoreError> {
        let statement = self.prepare(sql)?;
        Ok(self.client.execute(&statement, &parameters(values))?)
    }

    pub fn many(&mut self, sql: &'static str, values: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        let statement = self.prepare(sql)?;
        let rows = self.client.query(&statement, &parameters(values))?;
        rows.iter().map(read_row).collect()
    }

    fn prepare(&mut self, sql: &'static str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        // SQLite numbers parameters `?1`, PostgreSQL `$1`. No statement of ours has a question mark in a string.
        let statement = self.client.prepare(&sql.replace('?', "$"))?;
        self.prepared.insert(sql, statement.clone());
        Ok(statement)
    }
}

fn parameters<'a>(values: &'a [Value<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn read_row(row: &postgres::Row) -> Result<Row, StoreError> {
    let cells = row.columns().iter().enumerate().map(|(index, column)| {
        Ok(if *column.type_() == Type::INT8 {
            row.try_get::<_, Option<i64>>(index)?.map_or(Cell::Null, Cell::Int)
        } else {
            row.try_get::<_, Option<String>>(index)?.map_or(Cell::Null, Cell::Text)
        })
    });
    Ok(Row(cells.collect::<Result<_, postgres::Error>>()?))
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut postgres::types::private::BytesMut,
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
