//! Commits on threads of callers, watched.
//!
//! Of a runtime's threads one listens for all: to connections, to clocks. What it hears of it does itself if it is one thing,
//! and the others sleep on. If that one thing is a commit and the disk takes its time, nobody listens any more. So whenever a
//! commit lasts, another thread of the runtime is woken: it finds nothing to do but that, and does it. To wake one for every
//! commit would cost what committing on the caller's thread saves.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::store::spawn;

/// For so long nobody may be listening.
const LONGEST_DEAFNESS: Duration = Duration::from_millis(20);

/// The thread that watches. It ends with this.
pub(crate) struct StandIn {
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    /// How many commits have begun and how many are over, together: odd while there is one.
    steps: AtomicU64,
    is_resting: AtomicBool,
    is_over: AtomicBool,
    runtime: OnceLock<Handle>,
}

/// A commit goes on until this is dropped.
pub(crate) struct Watched<'a>(&'a State);

impl StandIn {
    pub fn start() -> Self {
        let state = Arc::new(State::default());
        let watching = Arc::clone(&state);
        Self { state, thread: Some(spawn("iris-store-watch", move || watching.watch())) }
    }

    /// Somebody commits on their own thread; one at a time does.
    pub fn watch(&self) -> Watched<'_> {
        if self.state.runtime.get().is_none()
            && let Ok(runtime) = Handle::try_current()
        {
            self.state.runtime.get_or_init(|| runtime);
        }
        self.state.steps.fetch_add(1, Ordering::SeqCst);
        if self.state.is_resting.swap(false, Ordering::SeqCst) {
            self.wake();
        }
        Watched(&self.state)
    }

    fn wake(&self) {
        self.thread.iter().for_each(|thread| thread.thread().unpark());
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        self.0.steps.fetch_add(1, Ordering::SeqCst);
    }
}

impl State {
    fn watch(&self) {
        while !self.is_over.load(Ordering::SeqCst) {
            let before = self.steps.load(Ordering::SeqCst);
            std::thread::park_timeout(LONGEST_DEAFNESS);
            if self.steps.load(Ordering::SeqCst) != before {
                continue;
            }
            match self.runtime.get() {
                Some(runtime) if before % 2 == 1 => drop(runtime.spawn(async {})),
                _ => self.rest(before),
            }
        }
    }

    /// Until the next commit. Said before it is looked once more, so that the commit sees it or is seen.
    fn rest(&self, before: u64) {
        self.is_resting.store(true, Ordering::SeqCst);
        if self.steps.load(Ordering::SeqCst) == before && !self.is_over.load(Ordering::SeqCst) {
            std::thread::park();
        }
        self.is_resting.store(false, Ordering::SeqCst);
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::SeqCst);
        self.wake();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread that watches commits panicked");
        }
    }
}
