//! Where the daemon listens. Beyond this machine only with TLS, or behind a proxy that has it.

use std::net::SocketAddr;

use iris_core::fault::FaultKind;
use iris_engine::config::{self, Config};
use iris_server::tls::Tls;
use tokio::net::TcpListener;

use super::ServeArguments;
use crate::failure::Failure;

/// An open ear, and what is spoken there.
pub struct Bound {
    pub listener: TcpListener,
    pub tls: Option<Tls>,
    pub url: String,
    pub port: u16,
}

pub const TWO_FILES: &str = "server.tls in config.yaml names two PEM files";

pub async fn bind(arguments: &ServeArguments, config: &Config) -> Result<Bound, Failure> {
    let host = arguments.host.as_deref().unwrap_or(&config.settings.host);
    let port = arguments.port.unwrap_or(config.settings.port);
    let allowed = config::listening_address(host, &config.server);
    let allowed = allowed.map_err(|refused| Failure::invalid(format!("host {}", refused.what)).hint(refused.hint))?;
    let address = SocketAddr::new(allowed, port);
    let tls = match &config.server.tls {
        None => None,
        Some(tls) => Some(
            Tls::load(&tls.certificate, &tls.key)
                .map_err(|error| Failure::invalid(error.to_string()).hint(TWO_FILES))?,
        ),
    };
    let listener = TcpListener::bind(address).await.map_err(|error| refused(address, &error))?;
    let bound = listener.local_addr().map_err(|error| refused(address, &error))?;
    let url = match (&tls, config.server.allowed_hosts.first()) {
        (None, _) if bound.ip().is_unspecified() => format!("http://127.0.0.1:{}", bound.port()),
        (None, _) => format!("http://{bound}"),
        // A certificate is for a name.
        (Some(_), Some(name)) => format!("https://{}:{}", name.split(':').next().unwrap_or(name), bound.port()),
        (Some(_), None) => format!("https://{bound}"),
    };
    Ok(Bound { listener, tls, url, port: bound.port() })
}

fn refused(address: SocketAddr, error: &std::io::Error) -> Failure {
    let port = address.port();
    let (what, hint) = match error.kind() {
        std::io::ErrorKind::AddrInUse => (
            format!("port {port} on {} is in use by another program", address.ip()),
            "choose another with --port N (0 picks a free one), or set settings.port in config.yaml",
        ),
        std::io::ErrorKind::PermissionDenied => {
            (format!("port {port} is not for everyone"), "choose one from 1024 on with --port N, or 0 for any")
        }
        _ => (format!("cannot listen on {address} ({error})"), "choose another with --host and --port"),
    };
    Failure::fault(FaultKind::Unavailable, what).hint(hint)
}
