//! A scripted model: a loopback server that speaks Anthropic's Messages API well enough for the real Claude Code CLI.
//!
//! A user message scripts the answers to it: `MODEL[{"tool": "Bash", "input": {"command": "ls"}}, {"text": "done"}]`.
//! The n-th step answers the n-th call of the model after that message, so that one message scripts a whole tool loop.
//! What a step can say is in `model/step.rs`. Without a script the model answers `You said: …`.

mod answer;
mod attempts;
mod history;
mod http;
mod log;
mod script;
mod step;
mod stream;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub use history::{Block, Message};
pub use log::ModelRequest;

use log::Log;

/// Serves until it is dropped; then every connection ends, also one that hangs.
pub struct Model {
    address: SocketAddr,
    log: Arc<Log>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Model {
    pub async fn start() -> Result<Self> {
        Self::start_on(0).await
    }

    /// On a port of one's choice, for a person.
    pub async fn start_on(port: u16) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.context("the model gets a port")?;
        let address = listener.local_addr()?;
        let listener = listener.into_std()?;
        let log = Arc::new(Log::default());
        let (stop, stopped) = oneshot::channel();
        let router = http::router(log.clone());
        // A loop of its own: it answers also while a test blocks its loop or holds its clock still, and it takes every
        // connection with it when it ends.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("model".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = http::serve(listener, router) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self { address, log, stop: Some(stop), thread: Some(thread) })
    }

    /// What goes into `ANTHROPIC_BASE_URL`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The calls of the model so far, the oldest first. Only so much is kept; see `log.rs`.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.log.requests()
    }

    /// Whatever else was asked for, as `GET /path`: nothing, from a CLI that is told to keep quiet.
    pub fn strays(&self) -> Vec<String> {
        self.log.strays()
    }

    /// Waits until there were that many calls since the start, and returns them.
    pub async fn wait_for_requests(&self, count: usize, patience: Duration) -> Result<Vec<ModelRequest>> {
        match tokio::time::timeout(patience, self.log.wait_for(count)).await {
            Ok(()) => Ok(self.requests()),
            Err(_) => Err(anyhow!("the model was called {} times, not {count}", self.log.count())),
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            eprintln!("the model's thread panicked; what it said is above");
        }
    }
}
