//! Beyond this machine: with TLS and names, or not at all.

use std::sync::Arc;

use iris_testing::daemon::Daemon;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::world::{ECHO, SOON, setup};

#[test]
fn beyond_loopback_it_does_not_start_without_tls_and_a_name() {
    for (lines, said) in [
        (vec![], "binding beyond loopback needs TLS"),
        (vec!["allowedHosts: [iris.example]"], "binding beyond loopback needs TLS"),
        (vec!["behindProxy: true"], "no name is allowed"),
        (vec!["allowedHosts: [iris.example]", "tls: { certificate: /nowhere.pem, key: /nowhere.key }"], "/nowhere.pem"),
    ] {
        let home = tempfile::tempdir().expect("a folder");
        let setup = lines.iter().fold(setup().team("alpha", ECHO).setting("host: 0.0.0.0"), |s, line| s.server(line));
        setup.write(home.path()).expect("a home");
        let (daemon, _) = Daemon::start_or_exit(&setup, home.path()).expect("it can be started");
        let log = std::fs::read_to_string(home.path().join("daemon.log")).expect("a log");
        assert!(daemon.is_none() && log.contains(said), "{lines:?}: {log}");
    }
}

#[tokio::test]
async fn with_a_certificate_it_speaks_tls_and_nothing_else() {
    let home = tempfile::tempdir().expect("a folder");
    let made = rcgen::generate_simple_self_signed(vec!["iris.example".to_owned()]).expect("a certificate");
    let (certificate, key) = (home.path().join("cert.pem"), home.path().join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).expect("written");
    std::fs::write(&key, made.signing_key.serialize_pem()).expect("written");
    let tls = format!("tls: {{ certificate: {}, key: {} }}", certificate.display(), key.display());
    let setup =
        setup().team("alpha", ECHO).setting("host: 0.0.0.0").server(&tls).server("allowedHosts: [iris.example]");
    setup.write(home.path()).expect("a home");
    let daemon = Daemon::start(&setup, home.path()).expect("it starts");
    let port = daemon.address.rsplit(':').next().expect("a port").to_owned();
    assert_eq!(daemon.address, format!("https://iris.example:{port}"), "it says by which name it is reached");

    let tell = r#"{"toTeam":"alpha","message":"hello","timeout":0}"#;
    let post = |extra: &str| {
        format!(
            "POST /api/teams/tell HTTP/1.1\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n{extra}\r\n{tell}",
            daemon.token,
            tell.len()
        )
    };
    let host = format!("host: iris.example:{port}\r\n");
    let connector = trusting(made.cert.der().clone());
    let told = ask(&connector, &port, &post(&host)).await;
    assert!(told.contains("HTTP/1.1 200") && told.contains("You said: hello"), "{told}");
    let own_page = format!("{host}origin: https://iris.example:{port}\r\n");
    assert!(ask(&connector, &port, &post(&own_page)).await.contains("HTTP/1.1 200"));
    for refused in [
        "host: other.example\r\n".to_owned(),
        format!("{host}origin: http://iris.example:{port}\r\n"),
        format!("{host}origin: https://other.example\r\n"),
    ] {
        assert!(ask(&connector, &port, &post(&refused)).await.contains("HTTP/1.1 403"), "{refused}");
    }
    // Whoever does not speak TLS is not answered.
    let mut plain = TcpStream::connect(format!("127.0.0.1:{port}")).await.expect("connected");
    plain.write_all(post(&host).as_bytes()).await.expect("sent");
    let mut said = Vec::new();
    tokio::time::timeout(SOON, plain.read_to_end(&mut said)).await.expect("it ends").ok();
    assert!(!String::from_utf8_lossy(&said).contains("HTTP"), "{said:?}");
    let mut status = tokio::process::Command::new(env!("CARGO_BIN_EXE_iris"));
    status.arg("status").env_clear().env("IRIS_HOME", home.path()).env("IRIS_URL", format!("http://127.0.0.1:{port}"));
    let ended = status.output().await.expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && said.contains("it may speak TLS: write its address as https://"), "{said}");
}

/// As `openssl req -x509` makes one if it is told nothing else. Whoever has one learns what to do, not the name of an error.
#[tokio::test]
async fn a_certificate_that_cannot_be_used_is_explained() {
    let home = tempfile::tempdir().expect("a folder");
    let mut wanted = rcgen::CertificateParams::new(vec!["iris.example".to_owned()]).expect("a name");
    wanted.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let pair = rcgen::KeyPair::generate().expect("a key");
    let (certificate, key) = (home.path().join("cert.pem"), home.path().join("key.pem"));
    std::fs::write(&certificate, wanted.self_signed(&pair).expect("a certificate").pem()).expect("written");
    std::fs::write(&key, pair.serialize_pem()).expect("written");
    let tls = format!("tls: {{ certificate: {}, key: {} }}", certificate.display(), key.display());
    let setup =
        setup().team("alpha", ECHO).setting("host: 0.0.0.0").server(&tls).server("allowedHosts: [iris.example]");
    setup.write(home.path()).expect("a home");
    let _daemon = Daemon::start(&setup, home.path()).expect("it starts");
    let mut status = tokio::process::Command::new(env!("CARGO_BIN_EXE_iris"));
    let ended = status.arg("status").env_clear().env("IRIS_HOME", home.path()).output().await.expect("it ends");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && said.contains("CA:TRUE") && said.contains("CA:FALSE"), "{said}");
    assert!(!said.contains("iris status"), "{said}");
}

fn trusting(certificate: CertificateDer<'static>) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(certificate).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.expect("versions").with_root_certificates(roots).with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

async fn ask(connector: &TlsConnector, port: &str, request: &str) -> String {
    let stream = TcpStream::connect(format!("127.0.0.1:{port}")).await.expect("connected");
    let name = ServerName::try_from("iris.example").expect("a name");
    let mut stream = connector.connect(name, stream).await.expect("TLS");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut answer = Vec::new();
    // Some clients and servers do not say goodbye.
    tokio::time::timeout(SOON, stream.read_to_end(&mut answer)).await.expect("it ends").ok();
    String::from_utf8_lossy(&answer).into_owned()
}
