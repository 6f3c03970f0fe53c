//! TLS to PostgreSQL: whose certificate is accepted, and what is said when it is not.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::{Names, Roots, Security};
use crate::error::StoreError;

pub(super) fn connector(security: &Security) -> Result<MakeRustlsConnect, StoreError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier: Arc<dyn ServerCertVerifier> = match security {
        Security::Anybody => Arc::new(Anybody(Arc::clone(&provider))),
        Security::Signed { by, names } => Arc::new(Signed::load(by, *names, Arc::clone(&provider))?),
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider has the usual protocols")
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// What went wrong with TLS, if that is what went wrong.
pub(crate) fn explain(error: &tokio_postgres::Error) -> Option<String> {
    // The driver does not say of which kind its error is, except to people.
    let of_driver = error.to_string() == "error performing TLS handshake";
    let cause = error.source()?;
    let inner = cause.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    match inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
            Some("the server's certificate is signed by none of the roots that are trusted".to_owned())
        }
        Some(tls) => Some(tls.to_string()),
        None => of_driver.then(|| cause.to_string()),
    }
}

/// Encrypts and asks nobody who they are. It also takes a certificate that it could not read.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

/// Wants to see a certificate that is in order.
#[derive(Debug)]
struct Signed {
    roots: RootCertStore,
    /// The certificates of the file that was named. A server that shows one of them has no need of a signature: the usual
    /// way to make a certificate for a server of one's own gives one that has signed itself, as an authority.
    given: Vec<CertificateDer<'static>>,
    names: Names,
    provider: Arc<CryptoProvider>,
}

impl Signed {
    fn load(by: &Roots, names: Names, provider: Arc<CryptoProvider>) -> Result<Self, StoreError> {
        let mut roots = RootCertStore::empty();
        let given = match by {
            Roots::System => {
                roots.add_parsable_certificates(load_system()?);
                Vec::new()
            }
            Roots::File(path) => {
                let given = load_file(path)?;
                roots.add_parsable_certificates(given.iter().cloned());
                given
            }
        };
        Ok(Self { roots, given, names, provider })
    }
}

fn load_system() -> Result<Vec<CertificateDer<'static>>, StoreError> {
    let found = rustls_native_certs::load_native_certs();
    if found.certs.is_empty() {
        let why = found.errors.first().map_or_else(|| "there are none".to_owned(), ToString::to_string);
        return Err(StoreError::Insecure(format!(
            "the roots that this system trusts cannot be read: {why}; name a file with sslrootcert"
        )));
    }
    Ok(found.certs)
}

fn load_file(path: &Path) -> Result<Vec<CertificateDer<'static>>, StoreError> {
    let wrong = |why: String| StoreError::Insecure(format!("sslrootcert={} cannot be used: {why}", path.display()));
    let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let given: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let given = given.map_err(|error| wrong(error.to_string()))?;
    if given.is_empty() {
        return Err(wrong("there is no certificate in it (it must be PEM)".to_owned()));
    }
    Ok(given)
}

impl ServerCertVerifier for Signed {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let certificate = ParsedCertificate::try_from(end_entity)?;
        if !self.given.contains(end_entity) {
            let algorithms = self.provider.signature_verification_algorithms.all;
            verify_server_cert_signed_by_trust_anchor(&certificate, &self.roots, intermediates, now, algorithms)?;
        }
        if self.names == Names::TheHost {
            verify_server_name(&certificate, server_name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, signature, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, signature, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
