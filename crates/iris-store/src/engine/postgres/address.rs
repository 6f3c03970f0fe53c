//! What `database.url` says: where the server is, and how the connection to it is secured.
//!
//! The driver knows neither `sslrootcert` nor the modes that check a certificate, so both words are taken out of the url
//! before the driver reads the rest. They mean what they mean to libpq, except that what libpq lets pass unchecked although
//! a root was named is refused.

use std::path::PathBuf;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::config::SslMode;
use tokio_postgres::{Client, Config, Connection, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::tls;
use crate::error::StoreError;

type Stream = <MakeRustlsConnect as tokio_postgres::tls::MakeTlsConnect<Socket>>::Stream;

pub(crate) struct Address {
    pub config: Config,
    security: Security,
}

/// Whom a connection may be made to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Security {
    /// Anybody: what is sent may be encrypted, who receives it is not asked.
    Anybody,
    /// Whoever has a certificate that one of these roots has signed.
    Signed { by: Roots, names: Names },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Roots {
    System,
    File(PathBuf),
}

/// What the certificate may be made out to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    Any,
    TheHost,
}

const LONGEST_GREETING: Duration = Duration::from_secs(3);

/// Says what is wrong with a url, without connecting.
pub fn check_url(url: &str) -> Result<(), String> {
    match Address::parse(url) {
        Err(StoreError::Url(what)) => Err(what),
        Err(other) => Err(other.to_string()),
        Ok(_) => Ok(()),
    }
}

impl Address {
    pub fn parse(url: &str) -> Result<Self, StoreError> {
        let (rest, words) = take_out(url)?;
        let (mode, security) = secure(words)?;
        let mut config: Config = rest.parse().map_err(|error: tokio_postgres::Error| {
            use std::error::Error as _;
            StoreError::Url(error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}")))
        })?;
        config.ssl_mode(mode).connect_timeout(Duration::from_secs(5)).keepalives_idle(Duration::from_secs(30));
        config.application_name("iris");
        Ok(Self { config, security })
    }

    /// Reads the roots anew, so that a file that was replaced counts from the next connection on.
    pub fn connector(&self) -> Result<MakeRustlsConnect, StoreError> {
        tls::connector(&self.security)
    }

    pub async fn connect(&self) -> Result<(Client, Connection<Socket, Stream>), StoreError> {
        Ok(self.config.connect(self.connector()?).await?)
    }

    /// Whether the server says anything, be it that it takes no more connections.
    pub async fn answers(&self) -> bool {
        let Ok(connector) = self.connector() else { return false };
        match tokio::time::timeout(LONGEST_GREETING, self.config.connect(connector)).await {
            Ok(Ok(_)) => true,
            Ok(Err(refused)) => refused.as_db_error().is_some(),
            Err(_) => false,
        }
    }
}

/// The words of the url that the driver does not read.
#[derive(Debug, Default)]
struct Words {
    mode: Option<String>,
    root: Option<String>,
}

fn take_out(url: &str) -> Result<(String, Words), StoreError> {
    let mut words = Words::default();
    let Some((place, query)) = url.split_once('?') else {
        return Ok((url.to_owned(), words));
    };
    let mut rest = Vec::new();
    for pair in query.split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let word = match key {
            "sslmode" => &mut words.mode,
            "sslrootcert" => &mut words.root,
            _ => {
                rest.push(pair);
                continue;
            }
        };
        let value = percent_decode_str(value).decode_utf8();
        *word = Some(value.map_err(|_| StoreError::Url(format!("{key} is not UTF-8")))?.into_owned());
    }
    let separator = if rest.is_empty() { "" } else { "?" };
    Ok((format!("{place}{separator}{}", rest.join("&")), words))
}

fn secure(words: Words) -> Result<(SslMode, Security), StoreError> {
    let wrong = |what: String| Err(StoreError::Url(what));
    let mode = words.mode.as_deref().unwrap_or("prefer");
    let root = words.root.filter(|root| !root.is_empty()).map(|root| match root.as_str() {
        "system" => Roots::System,
        _ => Roots::File(PathBuf::from(root)),
    });
    if let Some(Roots::File(file)) = &root
        && !file.is_absolute()
    {
        return wrong(format!("sslrootcert={} must be an absolute path, or `system`", file.display()));
    }
    let signed = |by, names| Ok((SslMode::Require, Security::Signed { by, names }));
    match (mode, root) {
        ("disable", None) => Ok((SslMode::Disable, Security::Anybody)),
        ("allow" | "prefer", None) => Ok((SslMode::Prefer, Security::Anybody)),
        ("disable" | "allow" | "prefer", Some(_)) => {
            wrong(format!("sslrootcert is not looked at with sslmode={mode}; say sslmode=verify-full"))
        }
        ("require", None) => Ok((SslMode::Require, Security::Anybody)),
        ("require" | "verify-ca", Some(by @ Roots::File(_))) => signed(by, Names::Any),
        // Anybody can have a certificate that the system trusts; only the name in it says whose it is.
        ("require" | "verify-ca", Some(Roots::System)) => {
            wrong(format!("sslrootcert=system proves nothing with sslmode={mode}; say sslmode=verify-full"))
        }
        ("verify-ca", None) => wrong("sslmode=verify-ca needs sslrootcert=/path/of/the/root.pem".to_owned()),
        ("verify-full", by) => signed(by.unwrap_or(Roots::System), Names::TheHost),
        (unknown, _) => wrong(format!(
            "sslmode={unknown} is not known; there are disable, prefer, require, verify-ca and verify-full"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(query: &str, expected: (SslMode, Security)) {
        let address = Address::parse(&format!("postgres://iris:p%3Fw@db.example:5433/iris{query}")).expect("readable");
        assert_eq!((address.config.get_ssl_mode(), address.security), expected, "{query}");
        assert_eq!((address.config.get_ports(), address.config.get_dbname()), (&[5433][..], Some("iris")), "{query}");
    }

    fn refused(query: &str, expected: &str) {
        let refused = Address::parse(&format!("postgres://db/iris?{query}")).err().expect("it is refused");
        assert_eq!(refused.to_string(), format!("database.url: {expected}"), "{query}");
    }

    #[test]
    fn the_words_about_tls_mean_what_they_mean_to_libpq() {
        let file = || Roots::File("/etc/my roots/db.pem".into());
        let by = |by, names| (SslMode::Require, Security::Signed { by, names });
        check("", (SslMode::Prefer, Security::Anybody));
        check("?sslmode=disable", (SslMode::Disable, Security::Anybody));
        check("?connect_timeout=3&sslmode=prefer", (SslMode::Prefer, Security::Anybody));
        check("?sslmode=require&channel_binding=prefer", (SslMode::Require, Security::Anybody));
        check("?sslmode=require&sslrootcert=/etc/my%20roots/db.pem", by(file(), Names::Any));
        check("?sslrootcert=/etc/my%20roots/db.pem&sslmode=verify-ca", by(file(), Names::Any));
        check("?sslmode=verify-full&sslrootcert=/etc/my%20roots/db.pem", by(file(), Names::TheHost));
        check("?sslmode=verify-full", by(Roots::System, Names::TheHost));
        check("?sslmode=verify-full&sslrootcert=system", by(Roots::System, Names::TheHost));
    }

    #[test]
    fn what_would_only_seem_safe_is_refused() {
        refused("sslrootcert=/r.pem", "sslrootcert is not looked at with sslmode=prefer; say sslmode=verify-full");
        refused(
            "sslmode=require&sslrootcert=system",
            "sslrootcert=system proves nothing with sslmode=require; say sslmode=verify-full",
        );
        refused("sslmode=verify-ca", "sslmode=verify-ca needs sslrootcert=/path/of/the/root.pem");
        refused("sslmode=verify-full&sslrootcert=r.pem", "sslrootcert=r.pem must be an absolute path, or `system`");
        refused("sslmode=on", "sslmode=on is not known; there are disable, prefer, require, verify-ca and verify-full");
        refused("sslfoo=1", "invalid connection string: unknown option `sslfoo`");
    }
}
