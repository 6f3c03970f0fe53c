//! Pages that are made from the code and checked in, so that they can be read without a build and cannot go stale.

use std::path::{Path, PathBuf};

/// Set by `cargo xtask generate`.
const WRITE: &str = "IRIS_GENERATE";

/// Compares a page of the repository with what the code makes of it now, or writes it anew.
pub fn check(page: &Path, text: &str) {
    let root: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", ".."].iter().collect();
    let path = root.join(page);
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&path, text).expect("the page can be written");
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == text, "{} is out of date: run `cargo xtask generate` and commit what it writes", page.display());
}
