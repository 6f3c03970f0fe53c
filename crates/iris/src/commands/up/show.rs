//! A link, before somebody's eyes.

use std::net::IpAddr;

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

/// For a phone that is held before the terminal.
pub fn qr(link: &str) -> String {
    QrCode::new(link).map(|code| code.render::<Dense1x2>().build()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

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
