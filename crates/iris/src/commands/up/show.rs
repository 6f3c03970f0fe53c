//! A link, before somebody's eyes.

use std::io::IsTerminal;
use std::net::IpAddr;

use iris_engine::config::ServerConfig;
use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;
use reqwest::Url;

/// Whether a browser was asked to open it. Without a screen there is none.
pub fn open(link: &str) -> bool {
    let has_screen = cfg!(target_os = "macos")
        || ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    has_screen && webbrowser::open(link).is_ok()
}

/// Whether the address means this machine also to others.
pub fn can_be_reached_by_a_phone(link: &str) -> bool {
    let Ok(url) = link.parse::<Url>() else { return false };
    match url.host_str().map(|host| host.trim_matches(['[', ']'])) {
        None | Some("localhost") => false,
        Some(host) => host.parse::<IpAddr>().map_or(true, |address| !address.is_loopback()),
    }
}

/// What leads a browser to this machine, for somebody who is here by ssh: the address means another one at theirs. The
/// variable has the address and port of both ends, theirs first.
pub fn tunnel(link: &str, connection: &str, user: Option<&str>) -> Option<String> {
    let url = link.parse::<Url>().ok().filter(|_| !can_be_reached_by_a_phone(link))?;
    let port = url.port_or_known_default()?;
    let mut ends = connection.split(' ').skip(2);
    let (here, ssh) = (ends.next().filter(|here| here.parse::<IpAddr>().is_ok())?, ends.next().unwrap_or("22"));
    let ssh = if ssh == "22" { String::new() } else { format!("-p {ssh} ") };
    let user = user.map(|user| format!("{user}@")).unwrap_or_default();
    let host = url.host_str().unwrap_or("127.0.0.1");
    Some(format!("ssh {ssh}-L {port}:{host}:{port} {user}{here}"))
}

/// For a phone that is held before the terminal. A link that leads nowhere from there has none.
pub fn qr(link: &str) -> Option<String> {
    let is_seen = std::io::stdout().is_terminal() && can_be_reached_by_a_phone(link);
    is_seen.then(|| QrCode::new(link).ok().map(|code| code.render::<Dense1x2>().build()))?
}

/// By which address a browser finds Iris. A proxy in front of it is known to the config only, and goes before.
pub fn address(base: String, server: &ServerConfig) -> String {
    match server.allowed_hosts.first().filter(|_| server.behind_proxy && !can_be_reached_by_a_phone(&base)) {
        Some(name) => format!("https://{name}"),
        None => base,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_here_by_ssh_is_told_the_way_through_it() {
        let way = |link: &str, connection: &str| tunnel(link, connection, Some("me"));
        let expected = Some("ssh -L 1615:127.0.0.1:1615 me@10.0.0.2".to_owned());
        assert_eq!(way("http://127.0.0.1:1615/x#y", "10.0.0.9 50000 10.0.0.2 22"), expected);
        let expected = Some("ssh -p 2222 -L 1615:127.0.0.1:1615 me@fd00::2".to_owned());
        assert_eq!(way("http://127.0.0.1:1615/", "fd00::9 50000 fd00::2 2222"), expected);
        assert_eq!(way("https://iris.example:1615/", "10.0.0.9 50000 10.0.0.2 22"), None);
        assert_eq!(way("http://127.0.0.1:1615/", ""), None);
        assert_eq!(way("http://127.0.0.1:1615/", "a b $(c) d"), None);
    }

    #[test]
    fn behind_a_proxy_iris_is_known_by_the_proxys_name() {
        let check = |base: &str, server: serde_json::Value, expected: &str| {
            let server = serde_json::from_value(server).expect("a part of a config");
            assert_eq!(address(base.to_owned(), &server), expected);
        };
        let near = "http://127.0.0.1:1615";
        let names = serde_json::json!(["iris.example", "other.example"]);
        check(near, serde_json::json!({ "behindProxy": true, "allowedHosts": names }), "https://iris.example");
        check(near, serde_json::json!({ "allowedHosts": names }), near);
        check(near, serde_json::json!({ "behindProxy": true }), near);
        let far = "https://far.example";
        check(far, serde_json::json!({ "behindProxy": true, "allowedHosts": names }), far);
    }

    #[test]
    fn a_phone_cannot_reach_what_is_only_this_machine() {
        for near in ["http://127.0.0.1:1615/x#y", "http://[::1]:1/", "http://localhost:1615/", "nonsense"] {
            assert!(!can_be_reached_by_a_phone(near), "{near}");
        }
        for far in ["https://iris.example:1615/login#x", "https://192.168.1.5:1615/", "https://[fd00::1]/"] {
            assert!(can_be_reached_by_a_phone(far), "{far}");
        }
    }
}
