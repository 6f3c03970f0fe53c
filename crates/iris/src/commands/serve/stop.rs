//! The end of the daemon: the signals that ask for it, and the order in which things end.

use std::time::Duration;

use iris_core::fault::FaultKind;
use iris_engine::Engine;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::failure::Failure;

/// SIGINT and SIGTERM. SIGHUP keeps its own meaning, so that `nohup` has it too.
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    pub fn listen() -> Result<Self, Failure> {
        let failed = |error| Failure::fault(FaultKind::Internal, format!("signals cannot be listened for ({error})"));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(failed)?,
            terminate: signal(SignalKind::terminate()).map_err(failed)?,
        })
    }

    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// How long open connections may take once everything else has ended.
const CONNECTIONS: Duration = Duration::from_secs(2);
/// How long everything else may take after the grace: agents that have to be killed, a disk that is slow.
const BEYOND_GRACE: Duration = Duration::from_secs(20);

/// Closes the doors first, which ends the streams; whoever waits for a turn hears of its end within the grace.
pub async fn politely(
    engine: Engine,
    close: oneshot::Sender<()>,
    server: &mut JoinHandle<std::io::Result<()>>,
) -> Result<(), Failure> {
    // The server may have ended by itself, and then hears nothing.
    close.send(()).ok();
    let longest = engine.config().settings.shutdown_grace.duration() + BEYOND_GRACE;
    if tokio::time::timeout(longest, engine.shut_down()).await.is_err() {
        return Err(Failure::internal(format!("it did not stop within {}s and was given up on", longest.as_secs())));
    }
    match tokio::time::timeout(CONNECTIONS, &mut *server).await {
        Ok(Ok(Ok(()))) => {}
        Ok(ended) => tracing::warn!(?ended, "the server did not end well"),
        Err(_) => {
            tracing::info!("closing connections that are still open");
            server.abort();
        }
    }
    tracing::info!("stopped");
    Ok(())
}
