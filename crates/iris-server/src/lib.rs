//! The doors of the daemon: HTTP and server-sent events. It translates between the wire and the engine's verbs; it runs
//! no SQL and starts no process.

mod auth;
mod http;
mod mcp;
mod wire;

use std::future::Future;
use std::sync::Arc;

use axum::Router;
use iris_engine::Engine;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What every handler has.
#[derive(Clone)]
pub(crate) struct App {
    pub engine: Engine,
    pub token: Arc<str>,
    /// The description of the API, as it is sent.
    pub openapi: Arc<str>,
    pub started: std::time::Instant,
    /// Becomes true when the daemon is ending, so that streams that would go on for ever end too.
    pub closing: watch::Receiver<bool>,
}

/// Serves until `shutdown` is done and open requests have been answered.
pub async fn serve(
    engine: Engine,
    listener: TcpListener,
    token: String,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let mcp = |app: &App| mcp::routes(app, mcp::Door::maker(app));
    serve_with(engine, listener, token, shutdown, mcp).await
}

/// As `serve`, with another's answers at /mcp: for the conformance suite, whose fixtures nobody else has a use for.
pub async fn serve_fixtures<H: rmcp::ServerHandler>(
    engine: Engine,
    listener: TcpListener,
    token: String,
    shutdown: impl Future<Output = ()> + Send + 'static,
    handler: impl Fn() -> H + Send + Sync + 'static,
) -> std::io::Result<()> {
    serve_with(engine, listener, token, shutdown, |app| mcp::routes(app, handler)).await
}

async fn serve_with(
    engine: Engine,
    listener: TcpListener,
    token: String,
    shutdown: impl Future<Output = ()> + Send + 'static,
    mcp: impl FnOnce(&App) -> Router<App>,
) -> std::io::Result<()> {
    let (close, closing) = watch::channel(false);
    let (routes, openapi) = http::routes().split_for_parts();
    let app = App {
        engine,
        token: token.into(),
        openapi: http::openapi::describe(&openapi).to_string().into(),
        started: std::time::Instant::now(),
        closing,
    };
    let routes = routes.merge(mcp(&app));
    axum::serve(NoDelay(listener), router(routes, app))
        .with_graceful_shutdown(async move {
            shutdown.await;
            close.send_replace(true);
        })
        .await
}

/// The description of the API, as `/api/openapi.json` gives it.
pub fn openapi() -> String {
    let (_, openapi) = http::routes().split_for_parts();
    let described = http::openapi::describe(&openapi);
    serde_json::to_string_pretty(&described).expect("a description is plain data") + "\n"
}

fn router(routes: Router<App>, app: App) -> Router {
    let protected = routes.layer(axum::middleware::from_fn_with_state(app.clone(), auth::require));
    Router::new().merge(protected).route("/health", axum::routing::get(http::health)).with_state(app)
}

/// Answers are small and wanted at once, so they do not wait to be put into one packet with the next.
struct NoDelay(TcpListener);

impl axum::serve::Listener for NoDelay {
    type Io = tokio::net::TcpStream;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (stream, address) = axum::serve::Listener::accept(&mut self.0).await;
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps its delay");
        }
        (stream, address)
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.0.local_addr()
    }
}
