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

/// As a word of a command that somebody may copy into a shell, which knows `~` only outside of quotes.
pub fn in_command(path: &Path) -> String {
    let quoted = |word: &str| shlex::try_quote(word).map_or_else(|_| "…".to_owned(), |word| word.into_owned());
    let shown = shown(path);
    match shown.strip_prefix("~/") {
        _ if shown == "~" => shown,
        Some(rest) => format!("~/{}", quoted(rest)),
        None => quoted(&shown),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_a_command_is_one_word() {
        let own = std::env::home_dir().expect("a home");
        for (path, expected) in [
            (PathBuf::from("/a/b.new"), "/a/b.new"),
            (PathBuf::from("/a b/it's"), "\"/a b/it's\""),
            (PathBuf::from("/a/$(b)"), "'/a/$(b)'"),
            (own.join("ho me/.iris"), "~/'ho me/.iris'"),
            (own.join(".iris"), "~/.iris"),
            (own, "~"),
        ] {
            assert_eq!(in_command(&path), expected);
        }
    }
}
