//! How the daemon is connected to: plainly on this machine, or by TLS.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use iris_agents::contain::SESSION_MARK;
use iris_engine::config;
use iris_engine::home::Home;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, ClientBuilder};
use rustls::{ClientConfig, RootCertStore};

const CONNECTING: Duration = Duration::from_secs(5);

/// In the shell of an agent it is the agent who speaks.
fn whose_shell() -> HeaderMap {
    let session = std::env::var(SESSION_MARK).ok().and_then(|session| HeaderValue::from_str(&session).ok());
    session.map(|session| (HeaderName::from_static("iris-session"), session)).into_iter().collect()
}

fn builder() -> ClientBuilder {
    reqwest::Client::builder()
        .default_headers(whose_shell())
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECTING)
        .tcp_nodelay(true)
}

/// For http. Whom the system trusts is not looked up, which takes longer than most commands.
pub fn plainly() -> reqwest::Client {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let nobody = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has the usual protocols")
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let client = builder().tls_backend_preconfigured(nobody).build();
    client.expect("a client that trusts nobody needs nothing that could be missing")
}

/// For https: whom the system trusts, and the certificate of this home's own daemon. That is on this machine, whatever
/// its names mean elsewhere.
pub fn securely(home: &Home, is_here: bool) -> Result<reqwest::Client, String> {
    // Somebody else may have chosen already, which is as good.
    rustls::crypto::ring::default_provider().install_default().ok();
    let Ok(config) = config::load(&home.config()) else {
        return builder().build().map_err(|error| error.to_string());
    };
    let own = config.server.tls.and_then(|tls| std::fs::read(tls.certificate).ok()).unwrap_or_default();
    let own = Certificate::from_pem_bundle(&own).unwrap_or_default();
    let mut client = builder().tls_certs_merge(own);
    if is_here {
        let listening = config.settings.host.parse().unwrap_or(Ipv4Addr::LOCALHOST.into());
        // The port is that of the address that is asked.
        let here = SocketAddr::new(reached_by(listening), 0);
        for name in &config.server.allowed_hosts {
            client = client.resolve(name.split(':').next().unwrap_or(name), here);
        }
    }
    client.build().map_err(|error| error.to_string())
}

fn reached_by(listening: IpAddr) -> IpAddr {
    match listening {
        IpAddr::V4(address) if address.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) if address.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        address => address,
    }
}
