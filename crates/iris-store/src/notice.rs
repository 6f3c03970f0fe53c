//! Notices between nodes on one PostgreSQL: whoever has committed events tells the others that there is something to read.
//!
//! A notice carries no facts: the table is the truth, and a notice only says "look now". So one may be lost, late, or come
//! twice, and none is ever waited for. They have a thread and a connection of their own. The writer does no more than leave
//! word that it has committed; word that was left before it was passed on is one notice with it.
//!
//! If the thread panicked, the other nodes would still find everything by looking now and then; the panic is said when the
//! store is closed.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio_postgres::{AsyncMessage, Client, Connection, Socket};

use crate::engine::postgres::address::Address;
use crate::error::StoreError;
use crate::store::{Location, Shared, spawn};

const CHANNEL: &str = "iris_log";
/// The most often that others are told. The first after a while of silence goes out at once.
const AT_MOST_EVERY: Duration = Duration::from_millis(10);
const LONGEST_ANSWER: Duration = Duration::from_secs(5);
const LONGEST_CONNECTING: Duration = Duration::from_secs(15);
const PAUSE_BEFORE_RECONNECTING: Duration = Duration::from_millis(500);

/// Where word of a commit is left. When it is dropped, what was left is passed on if there is a connection, and the thread
/// ends.
pub(crate) struct Notices(watch::Sender<()>);

impl Notices {
    /// Never blocks and never fails.
    pub fn committed(&self) {
        self.0.send_replace(());
    }
}

/// Nothing on SQLite, where nobody else can write.
pub(crate) fn start(shared: &Arc<Shared>) -> Result<Option<(Notices, JoinHandle<()>)>, StoreError> {
    let Location::Postgres(url) = &shared.location else { return Ok(None) };
    let mut address = Address::parse(url)?;
    // A network that swallows everything is noticed within this, not after the quarter of an hour TCP allows.
    address.config.application_name("iris notices").tcp_user_timeout(Duration::from_secs(30));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| StoreError::Unavailable(error.to_string()))?;
    let (sender, committed) = watch::channel(());
    let shared = Arc::clone(shared);
    let body = move || runtime.block_on(stay_in_touch(&shared, &address, committed));
    Ok(Some((Notices(sender), spawn("iris-store-notices", body))))
}

/// Connects again for as long as the store is open.
async fn stay_in_touch(shared: &Shared, address: &Address, mut committed: watch::Receiver<()>) {
    let mut is_told = false;
    loop {
        let connecting = tokio::time::timeout(LONGEST_CONNECTING, address.connect());
        let Some(connected) = unless_closed(&committed, connecting).await else { return };
        let broken = match connected {
            Ok(Ok((client, connection))) => {
                let mut link = Link { shared, client, committed: &mut committed, is_up: false };
                let Err(broken) = link.keep(connection).await else { return };
                is_told &= !link.is_up;
                broken
            }
            Ok(Err(broken)) => broken,
            Err(_) => StoreError::Unavailable("no connection in time".to_owned()),
        };
        if !is_told {
            tracing::warn!(error = %broken, "other nodes cannot be heard at once; Iris looks now and then, and reconnects");
            is_told = true;
        }
        if unless_closed(&committed, tokio::time::sleep(PAUSE_BEFORE_RECONNECTING)).await.is_none() {
            return;
        }
    }
}

async fn unless_closed<T>(committed: &watch::Receiver<()>, doing: impl Future<Output = T>) -> Option<T> {
    // A copy, so that word of a commit is kept until it can be passed on.
    let mut committed = committed.clone();
    tokio::select! {
        done = doing => Some(done),
        () = async { while committed.changed().await.is_ok() {} } => None,
    }
}

/// One connection that listens and tells. That it is one means that our own notices come back to us with the answer to
/// the telling, and wake nobody.
struct Link<'a> {
    shared: &'a Shared,
    client: Client,
    committed: &'a mut watch::Receiver<()>,
    is_up: bool,
}

impl Link<'_> {
    /// Returns when the store is closed, or with what broke the connection.
    async fn keep<T>(&mut self, mut connection: Connection<Socket, T>) -> Result<(), StoreError>
    where
        T: AsyncRead + AsyncWrite + Unpin,
    {
        let shared = self.shared;
        let hearing = async {
            loop {
                match poll_fn(|context| connection.poll_message(context)).await {
                    Some(Ok(AsyncMessage::Notification(notice))) if notice.payload() != shared.node.as_str() => {
                        shared.note_heard();
                    }
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return StoreError::from(error),
                    None => return StoreError::Unavailable("the connection was closed".to_owned()),
                }
            }
        };
        let end = tokio::select! {
            broken = hearing => Err(broken),
            told = self.tell() => told,
        };
        // A notice that was on its way may not have arrived. One too many does no harm.
        end.inspect_err(|_| self.committed.mark_changed())
    }

    async fn tell(&mut self) -> Result<(), StoreError> {
        // Nobody waits for a notice to be on disk, and a sync for it would be one that the writer waits behind.
        self.ask(&format!("SET synchronous_commit = off; LISTEN {CHANNEL}")).await?;
        self.is_up = true;
        // Others may have written while nobody listened here.
        self.shared.note_heard();
        let notice = format!("NOTIFY {CHANNEL}, '{}'", self.shared.node.as_str().replace('\'', "''"));
        while self.committed.changed().await.is_ok() {
            self.ask(&notice).await?;
            tokio::time::sleep(AT_MOST_EVERY).await;
        }
        Ok(())
    }

    async fn ask(&self, sql: &str) -> Result<(), StoreError> {
        match tokio::time::timeout(LONGEST_ANSWER, self.client.batch_execute(sql)).await {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(StoreError::Unavailable("no answer in time".to_owned())),
        }
    }
}
