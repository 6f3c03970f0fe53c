//! Times as people read them: how long ago, how long it took, when on the clock of this place.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// `4s`, `5m`, `3h`, `2d`: as short as an age can be said.
pub fn age(ms: i64) -> String {
    let seconds = ms.max(0) / 1000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        3600..86_400 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// `320ms`, `1.2s`, `2m 5s`: how long something took.
pub fn span(ms: i64) -> String {
    let ms = ms.max(0);
    match ms {
        0..1000 => format!("{ms}ms"),
        1000..60_000 => format!("{}.{}s", ms / 1000, ms % 1000 / 100),
        60_000..3_600_000 => format!("{}m {}s", ms / 60_000, ms % 60_000 / 1000),
        _ => format!("{}h {}m", ms / 3_600_000, ms % 3_600_000 / 60_000),
    }
}

/// `20:14:05`, in this place's time.
pub fn clock(wall_ms: i64) -> String {
    format(wall_ms, "%H:%M:%S")
}

/// `20:14:05 CET`, with the date where it is not today: what people have to be on time for.
pub fn zoned(wall_ms: i64) -> String {
    let day = |wall_ms| format(wall_ms, "%Y-%m-%d");
    let today = day(Timestamp::now().as_millisecond());
    let pattern = if day(wall_ms) == today { "%H:%M:%S %Z" } else { "%Y-%m-%d %H:%M:%S %Z" };
    format(wall_ms, pattern)
}

/// `2025-11-15 20:14`, in this place's time.
pub fn date(wall_ms: i64) -> String {
    format(wall_ms, "%Y-%m-%d %H:%M")
}

/// `2025-11-15T20-14-05`: a moment in a file name.
pub fn in_file_name(wall_ms: i64) -> String {
    format(wall_ms, "%Y-%m-%dT%H-%M-%S")
}

/// When this day began, in this place.
pub fn midnight(wall_ms: i64) -> i64 {
    let moment = Timestamp::from_millisecond(wall_ms).unwrap_or(Timestamp::UNIX_EPOCH);
    let day = moment.to_zoned(TimeZone::system()).start_of_day();
    day.map_or(wall_ms, |start| start.timestamp().as_millisecond())
}

fn format(wall_ms: i64, pattern: &str) -> String {
    match Timestamp::from_millisecond(wall_ms) {
        Ok(moment) => moment.to_zoned(TimeZone::system()).strftime(pattern).to_string(),
        // Another time than the one that is meant would be worse than none.
        Err(_) => "beyond the calendar".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_cannot_be_shown_is_not_shown_as_another() {
        assert_eq!(
            (date(i64::MAX), clock(i64::MIN)),
            ("beyond the calendar".to_owned(), "beyond the calendar".to_owned())
        );
    }

    #[test]
    fn ages_and_spans_are_short() {
        let ages = [-5, 900, 59_999, 60_000, 3_600_000, 90_000_000].map(age);
        assert_eq!(ages, ["0s", "0s", "59s", "1m", "1h", "1d"]);
        let spans = [7, 1_234, 65_000, 3_700_000].map(span);
        assert_eq!(spans, ["7ms", "1.2s", "1m 5s", "1h 1m"]);
    }
}
