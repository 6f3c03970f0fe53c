//! What is wrong with a certificate, in words, and what to do about it.

use rustls::{CertificateError, Error as TlsError};

#[derive(Debug)]
pub struct Flaw {
    pub what: String,
    pub hint: &'static str,
}

const MAKE_ONE: &str = "make one for the name in server.allowedHosts: `openssl req -x509 -newkey rsa:2048 -nodes \
                        -days 365 -subj /CN=iris.example -addext subjectAltName=DNS:iris.example \
                        -addext basicConstraints=critical,CA:FALSE -keyout key.pem -out cert.pem`, \
                        name both in server.tls, and start iris anew";
const TRUST: &str = "server.tls.certificate of this home, or else the system, has to have it or who signed it; is IRIS_URL \
                     the right address?";
const RENEW: &str = "put a new one where server.tls.certificate says, and start iris anew";

/// `None` if the certificate is not why it went wrong.
pub fn flaw(error: &(dyn std::error::Error + 'static)) -> Option<Flaw> {
    let TlsError::InvalidCertificate(why) = find(error)? else { return None };
    let (what, hint) = match why {
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            ("it is for another name, or names none as subjectAltName".to_owned(), MAKE_ONE)
        }
        CertificateError::UnknownIssuer => ("nobody here trusts who signed it".to_owned(), TRUST),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => ("it has expired".to_owned(), RENEW),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            ("it is not valid yet, or the clock of this machine is wrong".to_owned(), RENEW)
        }
        // The library has no name of its own for it.
        other if other.to_string().contains("CaUsedAsEndEntity") => (
            "it is that of an authority (CA:TRUE), with which others are signed, not that of a server".to_owned(),
            MAKE_ONE,
        ),
        other => (other.to_string(), MAKE_ONE),
    };
    Some(Flaw { what, hint })
}

/// An error of input and output may hold another, which is not its source.
fn find<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a TlsError> {
    let inside = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    error.downcast_ref().or_else(|| inside.and_then(|inside| find(inside))).or_else(|| error.source().and_then(find))
}
