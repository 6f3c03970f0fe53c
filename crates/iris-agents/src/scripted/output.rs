//! Standard output: lines gathered in a buffer and written in one go, and the ids and times they carry.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Serialize, Serializer};

/// Written out when it is full, before every wait, and at the end of a turn. A turn without a delay is one write.
const FULL: usize = 64 * 1024;

pub struct Output {
    buffer: Vec<u8>,
    broken: bool,
}

impl Output {
    pub fn new() -> Self {
        Self { buffer: Vec::with_capacity(4 * 1024), broken: false }
    }

    pub fn line(&mut self, line: &impl Serialize) {
        serde_json::to_writer(&mut self.buffer, line).expect("our lines have string keys, and a Vec takes every byte");
        self.buffer.push(b'\n');
        self.spill();
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
        self.spill();
    }

    fn spill(&mut self) {
        if self.buffer.len() >= FULL {
            self.flush();
        }
    }

    /// A reader that went away does not stop the real CLI, so it does not stop us: the end of input will.
    pub fn flush(&mut self) {
        if !self.broken && !self.buffer.is_empty() {
            let mut stdout = io::stdout().lock();
            self.broken = stdout.write_all(&self.buffer).and_then(|()| stdout.flush()).is_err();
        }
        self.buffer.clear();
        // One huge line must not keep its memory for the rest of a long life.
        self.buffer.shrink_to(2 * FULL);
    }
}

/// Makes ids that differ between processes and lines. They name things and protect nothing, so a fast generator does.
pub struct Ids(u64);

impl Ids {
    pub fn new() -> Self {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u32(std::process::id());
        Self(hasher.finish())
    }

    pub fn uuid(&mut self) -> Uuid {
        let (high, low) = (self.next(), self.next());
        let high = high & 0xffff_ffff_ffff_0fff | 0x4000;
        let low = low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
        let mut text = [b'-'; 36];
        let mut place = 0;
        for digit in 0..32 {
            if matches!(digit, 8 | 12 | 16 | 20) {
                place += 1;
            }
            let word = if digit < 16 { high } else { low };
            text[place] = HEX[(word >> (60 - 4 * (digit % 16)) & 0xf) as usize];
            place += 1;
        }
        Uuid(text)
    }

    /// An id like `toolu_0123456789abcdef0123`.
    pub fn named(&mut self, prefix: &str) -> String {
        let (high, low) = (self.next(), self.next());
        format!("{prefix}{high:016x}{:04x}", low & 0xffff)
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

pub struct Uuid([u8; 36]);

impl Uuid {
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("hexadecimal digits and dashes")
    }
}

impl Serialize for Uuid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A moment as the real CLI writes it: `2026-11-15T19:20:00.321Z`.
pub struct Timestamp(u64);

impl Timestamp {
    #[expect(clippy::disallowed_methods, reason = "a process of its own, which no test's clock reaches")]
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self(since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)))
    }
}

impl Timestamp {
    pub fn milliseconds(&self) -> u64 {
        self.0
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, milliseconds) = (self.0 / 1000, self.0 % 1000);
        let (days, second) = (seconds / 86_400, seconds % 86_400);
        // Days to a date, counting years from March so that the leap day is the last of its year (Hinnant's method).
        let day = days + 719_468;
        let (era, day) = (day / 146_097, day % 146_097);
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + era * 400 + u64::from(month <= 2);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(formatter, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_know_the_calendar() {
        for (milliseconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_794_770_400_321, "2026-11-15T19:20:00.321Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp(milliseconds).to_string(), text);
        }
    }

    #[test]
    fn uuids_are_version_four() {
        let mut ids = Ids(7);
        let (first, second) = (ids.uuid(), ids.uuid());
        assert_ne!(first.as_str(), second.as_str());
        assert_eq!(first.as_str().len(), 36);
        assert_eq!(&first.as_str()[14..15], "4");
        assert!("89ab".contains(&first.as_str()[19..20]));
    }
}
