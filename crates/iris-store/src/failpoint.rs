//! Named points at which a test may have the daemon killed: `IRIS_CRASH_AT=turn.finish.after_commit:3` kills it the third
//! time it gets there. Compiled in only with the `fail-points` feature, which no release has.

/// `write` is the name of a durable step, `moment` is `before_commit` or `after_commit`.
#[cfg(feature = "fail-points")]
pub(crate) fn hit(write: &str, moment: &str) {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{LazyLock, Mutex};

    static ARMED: LazyLock<Option<(String, u64)>> = LazyLock::new(|| {
        let setting = std::env::var("IRIS_CRASH_AT").ok()?;
        let (point, count) = setting.rsplit_once(':')?;
        Some((point.to_owned(), count.parse().ok()?))
    });
    static HITS: AtomicU64 = AtomicU64::new(0);
    static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());

    let point = format!("{write}.{moment}");
    if let Some(file) = std::env::var_os("IRIS_LIST_CRASH_POINTS") {
        let mut seen = SEEN.lock().expect("nothing panics while it holds the list");
        if !seen.contains(&point) {
            seen.push(point.clone());
            std::fs::write(file, seen.join("\n")).expect("the test gave a file that can be written");
        }
    }
    if let Some((armed, count)) = &*ARMED
        && *armed == point
        && HITS.fetch_add(1, Ordering::SeqCst) + 1 == *count
    {
        nix::sys::signal::kill(nix::unistd::Pid::this(), nix::sys::signal::Signal::SIGKILL)
            .expect("a process may kill itself");
    }
}

#[cfg(not(feature = "fail-points"))]
pub(crate) fn hit(_write: &str, _moment: &str) {}
