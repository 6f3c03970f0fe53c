//! Where a daemon may listen: on this machine, or beyond it with TLS and a name.

use std::net::{IpAddr, Ipv4Addr};

use super::ServerConfig;

/// Why it may not, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub what: String,
    pub hint: &'static str,
}

/// Everybody who can reach it beyond this machine could read along and pretend to be it, if it were not for TLS.
pub fn listening_address(host: &str, server: &ServerConfig) -> Result<IpAddr, Refused> {
    let refused = |what: String, hint| Err(Refused { what, hint });
    let address = match host {
        "localhost" => Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        host => host.trim_matches(['[', ']']).parse::<IpAddr>(),
    };
    let Ok(address) = address else {
        let hint = "use 127.0.0.1, ::1, localhost or another address of this machine";
        return refused(format!("'{host}' is not an address"), hint);
    };
    if address.is_loopback() {
        return Ok(address);
    }
    if server.tls.is_none() && !server.behind_proxy {
        let hint = "set server.tls (certificate and key) in config.yaml; or server.behindProxy: true if a proxy ends TLS and \
                    nobody else can reach this port";
        return refused(format!("'{host}' is refused: binding beyond loopback needs TLS"), hint);
    }
    if server.allowed_hosts.is_empty() {
        let hint = "set server.allowedHosts in config.yaml to the names by which Iris is reached";
        return refused(format!("'{host}' is refused: no name is allowed, so nobody could ask"), hint);
    }
    Ok(address)
}

/// Names and origins that nothing could ever have: whoever wrote them meant something else. With the key they are under, and
/// which of its items it is.
pub(super) fn check_names(server: &ServerConfig) -> Result<(), (&'static str, usize, Refused)> {
    for (item, host) in server.allowed_hosts.iter().enumerate() {
        if !is_name(host) {
            let hint = "write a name as it is in the address, such as iris.example or iris.example:8443; there are no \
                        wildcards";
            return Err(("allowedHosts", item, Refused { what: format!("'{host}' is no name of a host"), hint }));
        }
    }
    for (item, origin) in server.allowed_origins.iter().enumerate() {
        let page = origin.strip_suffix('/').unwrap_or(origin);
        let is_origin = page.split_once("://").is_some_and(|(scheme, host)| !scheme.is_empty() && is_name(host));
        if !is_origin {
            let hint = "write scheme, host and port and nothing else, such as https://tools.example or \
                        http://127.0.0.1:5173; there are no wildcards";
            return Err(("allowedOrigins", item, Refused { what: format!("'{origin}' is no origin"), hint }));
        }
    }
    Ok(())
}

fn is_name(host: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._[]:".contains(c);
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    !name.is_empty() && name.chars().all(is_plain) && port.is_none_or(|port| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_match_nothing_is_refused() {
        let of = |hosts: &[&str], origins: &[&str]| {
            let owned = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect();
            let server = ServerConfig {
                allowed_hosts: owned(hosts),
                allowed_origins: owned(origins),
                ..ServerConfig::default()
            };
            check_names(&server).map_err(|(key, ..)| key)
        };
        for good in ["iris.example", "iris.example:8443", "10.0.0.7", "[fe80::1]:1615", "[fe80::1]", "box_1"] {
            assert_eq!(of(&[good], &[]), Ok(()), "{good}");
        }
        for bad in ["*", "*.example", "https://iris.example", "iris.example/x", "", "a b", "iris.example:port"] {
            assert_eq!(of(&[bad], &[]), Err("allowedHosts"), "{bad}");
        }
        for good in ["https://tools.example", "http://127.0.0.1:5173/", "http://[::1]:80", "chrome-extension://abc"] {
            assert_eq!(of(&[], &[good]), Ok(()), "{good}");
        }
        for bad in ["*", "null", "tools.example", "https://tools.example/app", "https://*.example", "https://a@b", ""] {
            assert_eq!(of(&[], &[bad]), Err("allowedOrigins"), "{bad}");
        }
    }

    #[test]
    fn only_loopback_is_bound_without_tls() {
        let plain = ServerConfig::default();
        for good in ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost"] {
            assert!(listening_address(good, &plain).is_ok(), "{good}");
        }
        for bad in ["0.0.0.0", "::", "192.168.1.5"] {
            let told = listening_address(bad, &plain).expect_err(bad).what;
            assert!(told.contains("binding beyond loopback needs TLS"), "{told}");
        }
        for bad in ["example.org", "", "localhost.example.org"] {
            assert!(listening_address(bad, &plain).expect_err(bad).what.contains("is not an address"), "{bad}");
        }
    }

    #[test]
    fn behind_a_proxy_it_has_to_be_said_by_which_name() {
        let mut server = ServerConfig { behind_proxy: true, ..ServerConfig::default() };
        assert!(listening_address("0.0.0.0", &server).expect_err("no name").what.contains("no name is allowed"));
        server.allowed_hosts.push("iris.example".to_owned());
        assert!(listening_address("0.0.0.0", &server).is_ok());
    }
}
