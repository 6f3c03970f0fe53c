//! Where the home is, and how a path is shown.

use std::path::{Path, PathBuf};

/// The home that was named, or `~/.iris`; absolute, since the daemon and its clients stand in different folders.
pub fn home(named: Option<&Path>) -> PathBuf {
    let named = match named.filter(|path| !path.as_os_str().is_empty()) {
        Some(path) => path.to_owned(),
        None => std::env::home_dir().unwrap_or_else(|| PathBuf::from("/")).join(".iris"),
    };
    absolute(&named)
}

pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// With `~` for the user's own folder.
pub fn shown(path: &Path) -> String {
    let own = std::env::home_dir().filter(|own| own.parent().is_some());
    match own.and_then(|own| path.strip_prefix(own).ok().map(Path::to_owned)) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}
