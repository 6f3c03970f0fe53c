//! What goes out by a connection: whether its reader takes anything, and for whom it is. A reader that is behind is asked for
//! nothing, so only here is it seen that it reads slowly, that it does not read at all, or that it may not any more.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;

use iris_engine::token::Credential;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::Instant;

/// A reader that takes nothing for this long has stalled.
pub(crate) const STALLED: Duration = Duration::from_secs(10);
/// Whoever reads hears what is nearly said when its credential ends, and that it ends.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Of one connection. An extension of each of its requests.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outflow(Arc<Parts>);

#[derive(Debug, Default)]
struct Parts {
    state: Mutex<State>,
    /// Whose request came last.
    credential: watch::Sender<Option<Credential>>,
}

#[derive(Debug, Default)]
struct State {
    /// There is something to be taken, and nothing was since then.
    waits_since: Option<Instant>,
    /// How often nothing was taken for so long that the reader has stalled.
    stalls: u64,
    /// What the system holds for the reader goes with the connection.
    is_cut: bool,
}

impl Outflow {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().expect("nothing panics while it holds this")
    }

    /// How often its reader stalled and went on.
    pub fn stalls(&self) -> u64 {
        self.state().stalls
    }

    /// Whether there is something that its reader has to take first.
    pub fn is_behind(&self) -> bool {
        self.state().waits_since.is_some()
    }

    /// Waits until its reader has stalled.
    pub async fn stalled(&self) {
        loop {
            let since = self.state().waits_since;
            match since {
                Some(since) if since.elapsed() >= STALLED => return,
                since => tokio::time::sleep_until(since.unwrap_or_else(Instant::now) + STALLED).await,
            }
        }
    }

    pub fn is_for(&self, credential: &Credential) {
        self.0.credential.send_if_modified(|known| {
            let is_other = known.as_ref().is_none_or(|known| known.id != credential.id);
            is_other.then(|| *known = Some(credential.clone())).is_some()
        });
    }

    /// Waits until the credential is good no longer for which something goes out, and its reader is behind: it would go on
    /// reading what was written for it before. Then it is cut.
    pub async fn forfeited(&self) {
        let mut newest = self.0.credential.subscribe();
        loop {
            let credential = newest.borrow_and_update().clone();
            tokio::select! {
                // The sender is in what we hold, so it cannot be gone.
                _ = newest.changed() => {}
                () = self.is_behind_after(credential) => return self.cut(),
            }
        }
    }

    async fn is_behind_after(&self, credential: Option<Credential>) {
        let Some(credential) = credential else { return std::future::pending().await };
        credential.ended().await;
        loop {
            tokio::time::sleep(LAST_WORDS).await;
            if self.is_behind() {
                return;
            }
        }
    }

    pub fn cut(&self) {
        self.state().is_cut = true;
    }

    fn wrote(&self, written: &Poll<io::Result<usize>>) {
        let mut state = self.state();
        if written.is_pending() {
            state.waits_since.get_or_insert_with(Instant::now);
        } else if state.waits_since.take().is_some_and(|since| since.elapsed() >= STALLED) {
            state.stalls += 1;
        }
    }
}

/// A connection, with a look at what is taken.
#[derive(Debug)]
pub(crate) struct Watched {
    stream: TcpStream,
    outflow: Outflow,
}

impl Watched {
    pub fn new(stream: TcpStream, outflow: Outflow) -> Self {
        Self { stream, outflow }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if self.outflow.state().is_cut
            && let Err(error) = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO))
        {
            tracing::debug!(%error, "what was written for a reader is left to it");
        }
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.outflow.wrote(&written);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.outflow.wrote(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
