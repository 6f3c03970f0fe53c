//! The one place where tasks are started: each has a name, and a panic in one is said, never swallowed.

use std::future::Future;

use tokio::task::JoinHandle;

/// Starts a task. Whoever starts it holds the handle and waits for it, or has said why nobody needs to.
pub fn spawn<T: Send + 'static>(name: &'static str, task: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    #[expect(clippy::disallowed_methods, reason = "this is the place")]
    let handle = tokio::spawn(async move {
        let watched = PanicNote(name);
        let value = task.await;
        std::mem::forget(watched);
        value
    });
    handle
}

/// Dropped without being forgotten: the task panicked, or was ended before its time.
struct PanicNote(&'static str);

impl Drop for PanicNote {
    fn drop(&mut self) {
        if std::thread::panicking() {
            tracing::error!(task = self.0, "a task panicked");
        }
    }
}
