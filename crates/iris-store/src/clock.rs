//! The machine's clocks, read in one place, and Iris's own time made from them (the rule is in iris-core/src/time.rs).

use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use iris_core::time::{ClockMark, ClockReading};
use nix::time::{ClockId, clock_gettime};

#[derive(Debug)]
pub struct Clock {
    mark: Mutex<ClockMark>,
}

impl Clock {
    pub fn start() -> Self {
        Self { mark: Mutex::new(ClockMark::first(read())) }
    }

    /// Goes on from a mark that an earlier daemon saved.
    pub(crate) fn resume(&self, saved: &ClockMark) {
        *self.lock() = saved.renew(read());
    }

    pub fn mark(&self) -> ClockMark {
        let mut mark = self.lock();
        *mark = mark.renew(read());
        mark.clone()
    }

    pub fn iris_ms(&self) -> i64 {
        let mark = self.lock();
        // Within one start of the machine only this clock counts, so the others need not be read here.
        mark.iris_ms + (since_boot_ms() - mark.since_boot_ms).max(0)
    }

    pub fn wall_ms(&self) -> i64 {
        wall_ms()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, ClockMark> {
        self.mark.lock().expect("nothing panics while it holds the clock")
    }
}

fn read() -> ClockReading {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    ClockReading { boot: boot.trim().to_owned(), since_boot_ms: since_boot_ms(), wall_ms: wall_ms() }
}

fn since_boot_ms() -> i64 {
    let now = clock_gettime(ClockId::CLOCK_BOOTTIME).expect("every Linux since 2.6.39 has this clock");
    i64::try_from(Duration::from(now).as_millis()).expect("a machine is not up for 292 million years")
}

/// Milliseconds of the wall clock, for showing people when something was. Never for deciding when something is due.
pub fn wall_ms() -> i64 {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    let now = SystemTime::now();
    now.duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// For how long something has been so: by Iris's time, or by the wall clock if it was so before that was written down.
pub(crate) fn age_ms(by_iris: Option<i64>, since: i64) -> i64 {
    by_iris.unwrap_or_else(|| wall_ms() - since).max(0)
}
