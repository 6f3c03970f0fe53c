//! A link, before somebody's eyes.

use qrcode::QrCode;
use qrcode::render::unicode::Dense1x2;

/// Whether a browser was asked to open it. Without a screen there is none.
pub fn open(link: &str) -> bool {
    let has_screen = cfg!(target_os = "macos")
        || ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    has_screen && webbrowser::open(link).is_ok()
}

/// For a phone that is held before the terminal.
pub fn qr(link: &str) -> String {
    QrCode::new(link).map(|code| code.render::<Dense1x2>().build()).unwrap_or_default()
}
