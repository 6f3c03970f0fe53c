//! Ctrl-C for commands that have something to say before they end. Heard from the moment it is listened for.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::failure::Failure;

pub struct CtrlC(Signal);

impl CtrlC {
    pub fn listen() -> Result<Self, Failure> {
        let failed = |error| Failure::internal(format!("Ctrl-C cannot be listened for ({error})"));
        signal(SignalKind::interrupt()).map(Self).map_err(failed)
    }

    pub async fn pressed(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}
