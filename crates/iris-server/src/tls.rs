//! TLS with a certificate of the user's own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::connection::outflow::Watched;

#[derive(Clone)]
pub struct Tls(TlsAcceptor);

#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("{what} {} cannot be used: {why}", .path.display())]
    Unusable { what: &'static str, path: PathBuf, why: String },
    #[error("the certificate and the key do not fit together: {0}")]
    Mismatch(String),
}

impl Tls {
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let unusable = |what, path: &Path, why: String| TlsError::Unusable { what, path: path.to_owned(), why };
        let chain: Vec<_> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .map_err(|error| unusable("the certificate", certificate, error.to_string()))?;
        if chain.is_empty() {
            return Err(unusable("the certificate", certificate, "there is none in it".to_owned()));
        }
        let key = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable("the key", key, error.to_string()))?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key))
            .map_err(|error| TlsError::Mismatch(error.to_string()))?;
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    pub(crate) async fn accept(&self, stream: Watched) -> std::io::Result<TlsStream<Watched>> {
        self.0.accept(stream).await
    }
}
