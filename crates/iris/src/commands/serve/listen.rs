//! Where the daemon listens. Beyond this machine only with TLS, or behind a proxy that has it.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use iris_core::fault::FaultKind;
use iris_engine::config::Config;
use iris_server::tls::Tls;
use tokio::net::TcpListener;

use super::ServeArguments;
use crate::failure::Failure;

/// An open ear, and what is spoken there.
pub struct Bound {
    pub listener: TcpListener,
    pub tls: Option<Tls>,
    pub url: String,
}

pub async fn bind(arguments: &ServeArguments, config: &Config) -> Result<Bound, Failure> {
    let host = arguments.host.as_deref().unwrap_or(&config.settings.host);
    let port = arguments.port.unwrap_or(config.settings.port);
    let address = SocketAddr::new(allowed(host, config)?, port);
    let tls = match &config.server.tls {
        None => None,
        Some(tls) => Some(Tls::load(&tls.certificate, &tls.key).map_err(|error| {
            Failure::invalid(error.to_string()).hint("server.tls in config.yaml names two PEM files")
        })?),
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
    Ok(Bound { listener, tls, url })
}

/// Everybody who can reach it beyond this machine could read along and pretend to be it, if it were not for TLS.
fn allowed(host: &str, config: &Config) -> Result<IpAddr, Failure> {
    let address = match host {
        "localhost" => Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        host => host.trim_matches(['[', ']']).parse::<IpAddr>(),
    };
    let address = address.map_err(|_| {
        Failure::invalid(format!("host '{host}' is not an address"))
            .hint("use 127.0.0.1, ::1, localhost or another address of this machine")
    })?;
    let server = &config.server;
    if address.is_loopback() {
        return Ok(address);
    }
    if server.tls.is_none() && !server.behind_proxy {
        return Err(Failure::invalid(format!("host '{host}' is refused: binding beyond loopback needs TLS")).hint(
            "set server.tls (certificate and key) in config.yaml; or server.behindProxy: true if a proxy ends TLS and \
             nobody else can reach this port",
        ));
    }
    if server.allowed_hosts.is_empty() {
        return Err(Failure::invalid(format!("host '{host}' is refused: no name is allowed, so nobody could ask"))
            .hint("set server.allowedHosts in config.yaml to the names by which Iris is reached"));
    }
    Ok(address)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_bound_without_tls() {
        let plain = Config::default();
        for good in ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost"] {
            assert!(allowed(good, &plain).is_ok(), "{good}");
        }
        for bad in ["0.0.0.0", "::", "192.168.1.5"] {
            let told = allowed(bad, &plain).expect_err(bad).message;
            assert!(told.contains("binding beyond loopback needs TLS"), "{told}");
        }
        for bad in ["example.org", "", "localhost.example.org"] {
            assert!(allowed(bad, &plain).expect_err(bad).message.contains("is not an address"), "{bad}");
        }
    }

    #[test]
    fn behind_a_proxy_it_has_to_be_said_by_which_name() {
        let mut config = Config::default();
        config.server.behind_proxy = true;
        assert!(allowed("0.0.0.0", &config).expect_err("no name").message.contains("no name is allowed"));
        config.server.allowed_hosts.push("iris.example".to_owned());
        assert!(allowed("0.0.0.0", &config).is_ok());
    }
}
