//! Connections: taken in, bounded in number and patience, and ended in order.

pub(crate) mod outflow;
mod rest;
pub(crate) mod visit;

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use iris_engine::tasks;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_io_timeout::TimeoutStream;

use crate::tls::Tls;
use outflow::{Outflow, Watched};
use rest::Sent;
use visit::{Visit, Visitors};

/// More than any team has. The next one waits in the system's own queue.
const MOST: u32 = 2048;
/// How long a client may take to say what it wants. It does not bound how long the answer takes.
const HEADERS_WITHIN: Duration = Duration::from_secs(15);
/// A client that takes nothing of what it asked for has stalled, and is dropped. It loses nothing: a stream of events goes
/// on from the number it had.
const STALLED_AFTER: Duration = Duration::from_secs(20);
/// For what comes and for what goes; headers have to fit into it. A reader that has stalled holds this much.
const LARGEST_BUFFER: usize = 64 * 1024;
const GONE_AFTER: Duration = Duration::from_secs(45);
/// What the system holds for a reader that is behind. By itself it takes megabytes for each, and an agent's words are copied
/// for fifty readers that have stalled until all of those are full.
const LARGEST_SENDING: usize = 256 * 1024;
/// Of what was not sent yet. By itself the system says only when a third of all its room is free again that something was
/// taken, which one that reads slowly needs longer for than a reader may pause.
const LARGEST_UNSENT: u32 = 64 * 1024;
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);

pub(crate) async fn serve(
    listener: TcpListener,
    tls: Option<Tls>,
    router: Router,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(MOST as usize));
    let visitors = Visitors::default();
    let (end, ending) = watch::channel(());
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = accept(&listener, &places) => accepted,
        };
        let (stream, place) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of files, most likely: some will be given back.
                tracing::warn!(%error, "a connection could not be taken in");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let (visit, turned_out) = visitors.come_in(place);
        let (router, tls, ending) = (router.clone(), tls.clone(), ending.clone());
        let outflow = Outflow::default();
        let stream = Watched::new(stream, outflow.clone());
        tasks::spawn("connection", async move {
            tokio::select! {
                () = receive(stream, tls, router, (visit, outflow.clone()), ending) => {}
                () = outflow.forfeited() => tracing::debug!("a reader that was behind may not read on"),
                Ok(()) = turned_out => tracing::debug!("a stranger had to make room"),
            }
        });
    }
    drop((listener, end));
    // Every connection holds a place until it has ended.
    let _all = places.acquire_many(MOST).await;
    Ok(())
}

async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.expect("the places are never closed");
    let (stream, _) = listener.accept().await?;
    // Answers are small and wanted at once, so they do not wait to be put into one packet with the next. And a client that
    // has vanished without a word is found out when nothing that is sent to it is taken.
    let socket = SockRef::from(&stream);
    let prepared = stream
        .set_nodelay(true)
        .and_then(|()| socket.set_tcp_user_timeout(Some(GONE_AFTER)))
        .and_then(|()| socket.set_send_buffer_size(LARGEST_SENDING))
        .and_then(|()| socket.set_tcp_notsent_lowat(LARGEST_UNSENT));
    if let Err(error) = prepared {
        tracing::debug!(%error, "a connection keeps the system's habits");
    }
    Ok((stream, place))
}

/// What is known of a connection, for whoever answers its requests.
type About = (Arc<Visit>, Outflow);

async fn receive(stream: Watched, tls: Option<Tls>, router: Router, about: About, ending: watch::Receiver<()>) {
    match tls {
        None => converse(stream, router, about, ending).await,
        Some(tls) => match tokio::time::timeout(HANDSHAKE_WITHIN, tls.accept(stream)).await {
            Ok(Ok(stream)) => converse(stream, router, about, ending).await,
            Ok(Err(error)) => tracing::debug!(%error, "no TLS came about"),
            Err(_) => tracing::debug!("no TLS came about in time"),
        },
    }
}

/// Answers what is asked. When the daemon ends, the request that is being answered is the last.
async fn converse<S>(stream: S, router: Router, (visit, outflow): About, mut ending: watch::Receiver<()>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(STALLED_AFTER));
    let stream = Box::pin(stream);
    let router = TowerToHyperService::new(router);
    let visitor = Arc::downgrade(&visit);
    let answer = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Arc::clone(&visit));
        request.extensions_mut().insert(outflow.clone());
        router.call(Sent::of(request, &visit))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS_WITHIN)
        .max_buf_size(LARGEST_BUFFER)
        .serve_connection(TokioIo::new(stream), answer)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = &mut connection => ended,
        // The other end is dropped: nothing is ever sent.
        _ = ending.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    match ended {
        Ok(()) => {}
        Err(error) if has_stalled(&error) => {
            let credential = visitor.upgrade().and_then(|visit| visit.credential());
            tracing::info!(credential, "a reader took nothing for {} s and was dropped", STALLED_AFTER.as_secs());
        }
        Err(error) => tracing::debug!(%error, "a connection ended early"),
    }
}

fn has_stalled(error: &hyper::Error) -> bool {
    let cause = std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<io::Error>());
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut)
}
