//! From where a request may come: names by which this daemon is known, and pages that it served itself. Looked at before
//! the body is read, and whatever credential was sent.

use axum::http::{HeaderMap, StatusCode, Uri, header};

use crate::http::problem::{Fault, refused};

/// What is allowed beside loopback, as the config says now. An empty list allows nobody else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowed<'a> {
    pub hosts: &'a [String],
    pub origins: &'a [String],
    /// Pages of our own are then served by this scheme.
    pub tls: bool,
}

impl Allowed<'_> {
    pub fn check(&self, headers: &HeaderMap) -> Result<(), Fault> {
        // A name that a foreign page made point here is refused before anything else is looked at.
        let host = text(headers, header::HOST).unwrap_or_default();
        // Two of them: whoever is in between may have looked at the other.
        let is_one = |name| headers.get_all(name).iter().count() <= 1;
        if !is_one(header::HOST) || !is_one(header::ORIGIN) {
            return Err(forbidden("a request has one Host, and one Origin at most".to_owned())
                .hint("send each once; a proxy in between may have added another"));
        }
        if !self.is_ours(host) {
            return Err(forbidden(format!("host '{host}' is not one of this daemon's"))
                .hint("use the address it listens on, or add the name to server.allowedHosts"));
        }
        if let Some(origin) = headers.get(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            if !self.is_own_page(origin, host) {
                return Err(forbidden(format!("origin '{origin}' is not allowed"))
                    .hint("open the page that this daemon serves, or add the origin to server.allowedOrigins"));
            }
        }
        Ok(())
    }

    /// A request may name its host in its first line as well, as those to a proxy do, and that is then the one that counts.
    pub fn check_target(&self, target: &Uri) -> Result<(), Fault> {
        match target.authority() {
            Some(host) if !self.is_ours(host.as_str()) => {
                Err(forbidden(format!("host '{host}' is not one of this daemon's"))
                    .hint("this is no proxy: use the address it listens on"))
            }
            _ => Ok(()),
        }
    }

    /// Browsers say it also where they send no Origin. Only a page of ours, or a person who typed the address, may ask for
    /// what is locked.
    pub fn check_site(headers: &HeaderMap) -> Result<(), Fault> {
        match text(headers, "sec-fetch-site") {
            Some("cross-site" | "same-site") if !headers.contains_key(header::ORIGIN) => {
                Err(forbidden("a page of another site asked for this".to_owned())
                    .hint("type the address, or ask from a page that this daemon serves"))
            }
            _ => Ok(()),
        }
    }

    fn is_ours(&self, host: &str) -> bool {
        is_loopback(host) || self.hosts.iter().any(|known| same_host(known, host))
    }

    fn is_own_page(&self, origin: &str, host: &str) -> bool {
        let scheme = if self.tls { "https://" } else { "http://" };
        origin.strip_prefix(scheme).is_some_and(|page| page.eq_ignore_ascii_case(host)) || self.names(origin)
    }

    /// Whether the list has this origin.
    pub fn names(&self, origin: &str) -> bool {
        self.origins.iter().any(|known| known.trim_end_matches('/').eq_ignore_ascii_case(origin))
    }
}

fn text(headers: &HeaderMap, name: impl header::AsHeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn forbidden(detail: String) -> Fault {
    refused(StatusCode::FORBIDDEN, "forbidden", detail)
}

/// With its port if one was given, else by name alone.
fn same_host(known: &str, host: &str) -> bool {
    known.eq_ignore_ascii_case(host) || known.eq_ignore_ascii_case(name_of(host))
}

fn name_of(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    }
}

fn is_loopback(host: &str) -> bool {
    // Written out as a number, any loopback address is this machine; a name could be made to mean anything.
    let name = name_of(host);
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for good in
            ["localhost", "LocalHost:1615", "localhost:1615", "127.0.0.1:1615", "[::1]:1615", "[::1]", "127.0.0.2:1615"]
        {
            assert!(is_loopback(good), "{good}");
        }
        for bad in
            ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "0.0.0.0:1615", "10.0.0.1"]
        {
            assert!(!is_loopback(bad), "{bad}");
        }
    }

    #[test]
    fn two_hosts_are_none() {
        assert!(!asked(&NOTHING, &[("host", "127.0.0.1"), ("host", "evil.example")]));
        assert!(!asked(&NOTHING, &[("host", "127.0.0.1"), ("host", "127.0.0.1")]));
    }

    const NOTHING: Allowed<'static> = Allowed { hosts: &[], origins: &[], tls: false };

    fn asked(allowed: &Allowed<'_>, headers: &[(&str, &str)]) -> bool {
        let headers = headers.iter().map(|(name, value)| {
            let name: HeaderName = name.parse().expect("a header's name");
            (name, HeaderValue::from_str(value).expect("a header's value"))
        });
        let headers = headers.collect();
        allowed.check(&headers).and_then(|()| Allowed::check_site(&headers)).is_ok()
    }

    #[test]
    fn only_pages_of_our_own_may_ask() {
        let plain = NOTHING;
        let host = ("host", "127.0.0.1:1615");
        assert!(asked(&plain, &[host]));
        assert!(asked(&plain, &[host, ("origin", "http://127.0.0.1:1615")]));
        for origin in [
            "null",
            "http://evil.example",
            "https://127.0.0.1:1615",
            "http://127.0.0.1",
            "http://127.0.0.1:16155",
            "http://127.0.0.1:1615.evil.example",
            "http://localhost:1615",
            "",
        ] {
            assert!(!asked(&plain, &[host, ("origin", origin)]), "{origin}");
        }
        assert!(!asked(&plain, &[host, ("sec-fetch-site", "cross-site")]));
        assert!(!asked(&plain, &[host, ("sec-fetch-site", "same-site")]), "another port is another page");
        assert!(asked(&plain, &[host, ("sec-fetch-site", "none")]), "a person typed the address");
    }

    #[test]
    fn a_host_in_the_first_line_is_one_of_ours_too() {
        let is_allowed = |target: &str| NOTHING.check_target(&target.parse().expect("a target")).is_ok();
        assert!(is_allowed("/api/teams") && is_allowed("http://127.0.0.1:1615/api/teams"));
        assert!(!is_allowed("http://evil.example/api/teams") && !is_allowed("http://127.0.0.1@evil.example/"));
    }

    #[test]
    fn a_named_host_is_allowed_by_name_and_an_empty_list_is_nobody() {
        let hosts = ["iris.example".to_owned()];
        let named = Allowed { hosts: &hosts, origins: &[], tls: true };
        assert!(asked(&named, &[("host", "iris.example")]));
        assert!(asked(&named, &[("host", "iris.example:8443"), ("origin", "https://iris.example:8443")]));
        assert!(!asked(&named, &[("host", "iris.example"), ("origin", "http://iris.example")]));
        assert!(!asked(&named, &[("host", "xiris.example")]));
        assert!(!asked(&NOTHING, &[("host", "iris.example")]));
    }
}
