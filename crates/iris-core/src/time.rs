//! Iris's own time: milliseconds that go on while a machine sleeps and that no change of the wall clock can move.
//!
//! Timers and leases are kept in it. The wall clock is for showing people when something was.

use serde::{Deserialize, Serialize};

/// What the machine's clocks say at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// Which start of the machine `since_boot_ms` belongs to.
    pub boot: String,
    /// Goes on during suspend, never jumps, starts anew with the machine.
    pub since_boot_ms: i64,
    /// May jump either way at any time.
    pub wall_ms: i64,
}

/// Iris's time tied to a reading of the machine's clocks; saved, so that it goes on over a restart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockMark {
    pub iris_ms: i64,
    pub boot: String,
    pub since_boot_ms: i64,
    pub wall_ms: i64,
}

impl ClockMark {
    /// The first mark of a new home: Iris's time starts as the wall clock's.
    pub fn first(reading: ClockReading) -> Self {
        let ClockReading { boot, since_boot_ms, wall_ms } = reading;
        Self { iris_ms: wall_ms, boot, since_boot_ms, wall_ms }
    }

    /// Iris's time at a later reading. Within one start of the machine only the clock that cannot jump counts. Over a
    /// restart of the machine the wall clock is all there is; it may then add time, but never take any away.
    pub fn at(&self, reading: &ClockReading) -> i64 {
        let passed = if self.boot == reading.boot {
            reading.since_boot_ms - self.since_boot_ms
        } else {
            (reading.wall_ms - self.wall_ms).max(reading.since_boot_ms)
        };
        self.iris_ms + passed.max(0)
    }

    pub fn renew(&self, reading: ClockReading) -> Self {
        let iris_ms = self.at(&reading);
        let ClockReading { boot, since_boot_ms, wall_ms } = reading;
        Self { iris_ms, boot, since_boot_ms, wall_ms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    fn reading(boot: &str, since_boot_ms: i64, wall_ms: i64) -> ClockReading {
        ClockReading { boot: boot.to_owned(), since_boot_ms, wall_ms }
    }

    fn check(later: ClockReading, passed: i64) {
        let mark = ClockMark::first(reading("a", 1_000, 5_000_000));
        assert_eq!(mark.at(&later) - mark.iris_ms, passed, "{later:?}");
        assert_eq!(mark.renew(later.clone()).iris_ms, mark.at(&later));
    }

    #[test]
    fn only_time_that_passed_counts() {
        check(reading("a", 3_000, 5_002_000), 2_000);
        check(reading("a", 3_000, 5_002_000 + DAY), 2_000);
        check(reading("a", 3_000, 5_002_000 - DAY), 2_000);
        check(reading("b", 500, 5_000_000 + DAY), DAY);
        // The machine restarted and its clock was set back: at least the time since its start has passed.
        check(reading("b", 500, 5_000_000 - DAY), 500);
    }
}
