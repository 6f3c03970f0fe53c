//! The program that a script's first line names: without it the system says that the script itself is not there.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// As much of the first line as Linux reads.
const LONGEST: u64 = 256;

/// The interpreter that is missing, if that is why the program could not be started.
pub fn find_missing(program: &Path, why: &std::io::Error) -> Option<PathBuf> {
    if why.kind() != ErrorKind::NotFound {
        return None;
    }
    let mut head = Vec::new();
    File::open(program).ok()?.take(LONGEST).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let named = line.trim_ascii_start().split(|byte| matches!(byte, b' ' | b'\t')).next()?;
    let interpreter = PathBuf::from(std::ffi::OsStr::from_bytes(named));
    (!named.is_empty() && !interpreter.exists()).then_some(interpreter)
}

#[cfg(test)]
mod tests {
    use std::io::Error;

    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("claude");
        let check = |script: &str, expected: Option<&str>| {
            std::fs::write(&program, script).expect("written");
            let found = find_missing(&program, &Error::from(ErrorKind::NotFound));
            assert_eq!(found, expected.map(PathBuf::from), "{script:?}");
        };
        check("#!/nonexistent/node\n", Some("/nonexistent/node"));
        check("#! /nonexistent/node --flag\n", Some("/nonexistent/node"));
        // As an editor on Windows leaves it.
        check("#!/bin/sh\r\n", Some("/bin/sh\r"));
        check("#!/bin/sh -e\n", None);
        check("no script", None);
        assert_eq!(find_missing(&program, &Error::from(ErrorKind::PermissionDenied)), None);
        assert_eq!(find_missing(&folder.path().join("none"), &Error::from(ErrorKind::NotFound)), None);
    }
}
