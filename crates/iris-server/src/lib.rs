//! The doors of the daemon: HTTP and streams of events. It translates between the wire and the engine's verbs; it runs no
//! SQL and starts no process.

mod accept;
mod auth;
mod connection;
mod dashboard;
mod headers;
mod http;
mod mcp;
mod passage;
mod speaker;
pub mod tls;
mod wire;

pub use dashboard::is_built as has_dashboard;

use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::middleware::from_fn_with_state;
use iris_engine::Engine;
use prometheus::Registry;
use tokio::net::TcpListener;
use tokio::sync::watch;
use utoipa::openapi::OpenApi;

use crate::auth::limit::Limits;
use crate::auth::load::Loads;
use crate::http::event::frame::Frames;
use crate::http::repeat::Running;
use crate::tls::Tls;

/// What every handler has.
#[derive(Clone)]
pub(crate) struct App(Arc<Parts>);

impl Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl App {
    fn new(
        engine: Engine,
        is_secure: bool,
        registry: Registry,
        openapi: &OpenApi,
        closing: watch::Receiver<bool>,
    ) -> Self {
        Self(Arc::new(Parts {
            is_secure,
            limits: Arc::new(Limits::new(engine.config().server.requests_per_second)),
            repeats: Running::default(),
            frames: Frames::default(),
            loads: Loads::default(),
            openapi: http::openapi::describe(openapi).to_string().into(),
            registry,
            started: Instant::now(),
            closing,
            engine,
        }))
    }
}

pub(crate) struct Parts {
    pub engine: Engine,
    /// Our own pages are served by https, here or by a proxy.
    pub is_secure: bool,
    pub limits: Arc<Limits>,
    pub repeats: Running,
    pub frames: Frames,
    pub loads: Loads,
    /// The description of the API, as it is sent.
    pub openapi: Arc<str>,
    pub registry: Registry,
    pub started: Instant,
    /// Becomes true when the daemon is ending, so that conversations by MCP end too. Streams of events go on until the last
    /// turn is over.
    pub closing: watch::Receiver<bool>,
}

/// Routes that are not part of the described API.
#[cfg(test)]
const OTHER_ROUTES: &[(&str, &str)] = &[
    ("GET", "/mcp"),
    ("POST", "/mcp"),
    ("DELETE", "/mcp"),
    ("GET", "/api/docs"),
    ("GET", "/api/docs/"),
    ("GET", "/api/docs/{*rest}"),
];

/// What the daemon is reached by, and the figures it shows.
pub struct Doors {
    pub listener: TcpListener,
    pub tls: Option<Tls>,
    pub registry: Registry,
}

impl Doors {
    /// Without TLS, and with no figures to show.
    pub fn plain(listener: TcpListener) -> Self {
        Self { listener, tls: None, registry: Registry::new() }
    }
}

/// Serves until `shutdown` is done and open requests have been answered.
pub async fn serve(
    engine: Engine,
    doors: Doors,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    serve_with(engine, doors, shutdown, mcp::own_routes).await
}

/// As `serve`, with another's answers at /mcp: for the conformance suite, whose fixtures nobody else has a use for.
pub async fn serve_fixtures<H: rmcp::ServerHandler>(
    engine: Engine,
    doors: Doors,
    shutdown: impl Future<Output = ()> + Send + 'static,
    handler: impl Fn() -> H + Send + Sync + 'static,
) -> std::io::Result<()> {
    serve_with(engine, doors, shutdown, |app| mcp::routes(app, handler)).await
}

async fn serve_with(
    engine: Engine,
    doors: Doors,
    shutdown: impl Future<Output = ()> + Send + 'static,
    mcp: impl FnOnce(&App) -> Router<App>,
) -> std::io::Result<()> {
    let Doors { listener, tls, registry } = doors;
    let (close, closing) = watch::channel(false);
    let (routes, openapi) = http::routes().split_for_parts();
    let is_secure = tls.is_some() || engine.config().server.behind_proxy;
    let app = App::new(engine, is_secure, registry, &openapi, closing);
    let routes = routes.merge(mcp(&app));
    let shutdown = async move {
        shutdown.await;
        close.send_replace(true);
    };
    connection::serve(listener, tls, router(routes, app), shutdown).await
}

/// The description of the API, as `/api/openapi.json` gives it.
pub fn openapi() -> String {
    let (_, openapi) = http::routes().split_for_parts();
    let described = http::openapi::describe(&openapi);
    serde_json::to_string_pretty(&described).expect("a description is plain data") + "\n"
}

fn router(routes: Router<App>, app: App) -> Router {
    dashboard::routes(routes)
        .merge(http::openapi::viewer())
        .layer(from_fn_with_state(app.clone(), passage::pass))
        .with_state(app)
}
