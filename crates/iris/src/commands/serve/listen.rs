//! Where the daemon listens: only where nobody but this machine can reach it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use iris_core::fault::FaultKind;
use iris_engine::config::Settings;
use tokio::net::TcpListener;

use super::ServeArguments;
use crate::failure::Failure;

pub async fn bind(arguments: &ServeArguments, settings: &Settings) -> Result<(TcpListener, String), Failure> {
    let host = arguments.host.as_deref().unwrap_or(&settings.host);
    let port = arguments.port.unwrap_or(settings.port);
    let address = SocketAddr::new(loopback(host)?, port);
    let listener = TcpListener::bind(address).await.map_err(|error| refused(address, &error))?;
    let bound = listener.local_addr().map_err(|error| refused(address, &error))?;
    Ok((listener, format!("http://{bound}")))
}

fn loopback(host: &str) -> Result<IpAddr, Failure> {
    let address = match host {
        "localhost" => Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        host => host.trim_matches(['[', ']']).parse::<IpAddr>(),
    };
    match address {
        Ok(address) if address.is_loopback() => Ok(address),
        _ => Err(Failure::invalid(format!(
            "host '{host}' is refused: binding beyond loopback needs TLS, which is not built yet"
        ))
        .hint("use 127.0.0.1, ::1 or localhost")),
    }
}

fn refused(address: SocketAddr, error: &std::io::Error) -> Failure {
    let port = address.port();
    let (what, hint) = match error.kind() {
        std::io::ErrorKind::AddrInUse => (
            format!("port {port} on {} is in use by another program", address.ip()),
            "choose another with `iris serve --port N` (0 picks a free one), or set settings.port in config.yaml",
        ),
        std::io::ErrorKind::PermissionDenied => {
            (format!("port {port} is not for everyone"), "choose one from 1024 on, or 0 for any: `iris serve --port 0`")
        }
        _ => (format!("cannot listen on {address} ({error})"), "choose another with --host and --port"),
    };
    Failure::fault(FaultKind::Unavailable, what).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_bound() {
        for good in ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost"] {
            assert!(loopback(good).is_ok(), "{good}");
        }
        for bad in ["0.0.0.0", "::", "192.168.1.5", "example.org", "", "localhost.example.org"] {
            let told = loopback(bad).expect_err(bad).message;
            assert!(told.contains("binding beyond loopback needs TLS"), "{told}");
        }
    }
}
