//! The program's own code in memory, of which the start runs much that nothing runs after it.

use std::ffi::c_void;
use std::fs;
use std::num::NonZeroUsize;
use std::ptr::NonNull;
use std::time::Duration;

use nix::sys::mman::{MmapAdvise, madvise};

/// When everything that a start begins has run once.
const STARTED: Duration = Duration::from_secs(1);

/// Lets go of the code that is mapped, once the start is over. What is run again is mapped again, from the system's cache
/// of the file; the rest, about two thirds, was for the start alone.
pub async fn give_back() {
    tokio::time::sleep(STARTED).await;
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for (begin, length) in maps.lines().filter_map(mapped_code) {
        #[expect(unsafe_code, reason = "what is mapped is let go of by its address alone")]
        // SAFETY: the range is code mapped from a file that nothing has written to (a writable mapping is passed over), so
        // that the same bytes come back when it is run.
        let done = unsafe { madvise(begin, length.get(), MmapAdvise::MADV_DONTNEED) };
        if let Err(error) = done {
            tracing::debug!(%error, "code stays mapped");
        }
    }
}

/// A line of the maps: `begin-end r-xp offset device inode path`.
fn mapped_code(line: &str) -> Option<(NonNull<c_void>, NonZeroUsize)> {
    let mut words = line.split_whitespace();
    let (begin, end) = words.next()?.split_once('-')?;
    let is_file = words.next()? == "r-xp" && words.nth(3)?.starts_with('/');
    let (begin, end) = (usize::from_str_radix(begin, 16).ok()?, usize::from_str_radix(end, 16).ok()?);
    let length = NonZeroUsize::new(end.checked_sub(begin)?)?;
    is_file.then_some((NonNull::new(std::ptr::with_exposed_provenance_mut(begin))?, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_of_files_is_let_go_of() {
        let of = |line| mapped_code(line).map(|(begin, length)| (begin.as_ptr().addr(), length.get()));
        assert_eq!(of("1000-3000 r-xp 00010000 08:01 42   /usr/bin/iris"), Some((0x1000, 0x2000)));
        for kept in [
            "1000-3000 r--p 00010000 08:01 42   /usr/bin/iris",
            "1000-3000 rwxp 00010000 08:01 42   /usr/bin/iris",
            "1000-3000 r-xp 00000000 00:00 0    [vdso]",
            "1000-3000 r-xp 00000000 00:00 0",
            "",
        ] {
            assert_eq!(of(kept), None, "{kept}");
        }
    }
}
