//! Reads run on threads of their own: they never wait for the writer, and the writer never waits for them.

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};

use crate::engine::Access;
use crate::engine::link::Link;
use crate::error::StoreError;
use crate::store::{Shared, StoreHealth, spawn};
use crate::tx::{Batch, Tx};

type Read = Box<dyn FnOnce(&mut Link, &Shared) + Send>;

/// `None` ends one reader.
type Request = Option<Read>;

#[derive(Clone)]
pub(crate) struct Readers(mpsc::Sender<Request>);

const WAITING_READS: usize = 1024;

impl Readers {
    pub fn start(shared: &Arc<Shared>, count: usize, threads: &mut Vec<JoinHandle<()>>) -> Result<Self, StoreError> {
        let (sender, receiver) = mpsc::channel::<Request>(WAITING_READS);
        let receiver = Arc::new(Mutex::new(receiver));
        for number in 0..count {
            let shared = Arc::clone(shared);
            let receiver = Arc::clone(&receiver);
            let mut link = Link::new(shared.connect()?);
            threads.push(spawn(&format!("iris-store-reader-{number}"), move || {
                while let Some(read) = next(&receiver) {
                    read(&mut link, &shared);
                }
            }));
        }
        Ok(Self(sender))
    }

    pub async fn close(&self, readers: usize) {
        for _ in 0..readers {
            self.0.send(None).await.ok();
        }
    }

    pub async fn read<T, F>(&self, transaction: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let (reply, result) = oneshot::channel();
        let read: Read = Box::new(move |link, shared| {
            let answer = perform(link, shared, transaction);
            if let Err(error) = &answer {
                link.note(error);
                if matches!(error, StoreError::Unavailable(_)) {
                    // It is found well again by whoever writes.
                    shared.set_health(StoreHealth::troubled(error));
                }
            }
            if reply.send(answer).is_err() {
                tracing::trace!("the caller of a read has gone");
            }
        });
        self.0.send(Some(read)).await.map_err(|_| StoreError::Closed)?;
        result.await.map_err(|_| StoreError::Closed)?
    }
}

fn next(receiver: &Mutex<mpsc::Receiver<Request>>) -> Option<Read> {
    receiver.lock().expect("a reader does not panic while it waits").blocking_recv().flatten()
}

fn perform<T>(
    link: &mut Link,
    shared: &Shared,
    transaction: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let connection = link.open(shared)?;
    connection.begin(Access::Read)?;
    let answer = transaction(&mut Tx::new(connection, &shared.clock, &shared.node, &mut Batch::default()));
    // One that is lost is not asked for anything more: that would be waited for once again.
    if !answer.as_ref().is_err_and(StoreError::needs_reopen) {
        connection.rollback()?;
    }
    answer
}
