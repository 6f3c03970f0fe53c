//! Who is here. A connection is a stranger's until a good credential came over it, and strangers never take the room of
//! those who are known: when there are too many, the one that has been here longest has to go.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::{OwnedSemaphorePermit, oneshot};

const MOST_STRANGERS: usize = 256;

#[derive(Clone, Debug, Default)]
pub(super) struct Visitors(Arc<Strangers>);

#[derive(Debug, Default)]
struct Strangers {
    next: AtomicU64,
    /// In the order in which they came.
    waiting: Mutex<BTreeMap<u64, oneshot::Sender<()>>>,
}

/// One connection. Whatever goes on with it, a socket for instance, holds this, and with it the connection's place.
#[derive(Debug)]
pub(crate) struct Visit {
    number: u64,
    strangers: Arc<Strangers>,
    _place: OwnedSemaphorePermit,
}

impl Visitors {
    /// The receiver is told when the connection has to make room.
    pub fn come_in(&self, place: OwnedSemaphorePermit) -> (Arc<Visit>, oneshot::Receiver<()>) {
        let number = self.0.next.fetch_add(1, Ordering::Relaxed);
        let (turn_out, turned_out) = oneshot::channel();
        let mut waiting = self.0.waiting.lock().expect("nothing panics while it holds these");
        if waiting.len() >= MOST_STRANGERS
            && let Some((_, oldest)) = waiting.pop_first()
        {
            // It may be leaving by itself.
            oldest.send(()).ok();
        }
        waiting.insert(number, turn_out);
        (Arc::new(Visit { number, strangers: Arc::clone(&self.0), _place: place }), turned_out)
    }
}

impl Visit {
    /// A good credential came over it.
    pub fn is_known(&self) {
        self.strangers.waiting.lock().expect("nothing panics while it holds these").remove(&self.number);
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        self.is_known();
    }
}
