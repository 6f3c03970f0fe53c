//! A length of time on the command line. A number alone would be milliseconds, as in the API, which nobody means who says 5.

use iris_core::duration::{DurationError, Millis};

pub fn read(text: &str) -> Result<Millis, String> {
    match text.trim().parse::<u64>() {
        Ok(number) => Err(format!("{number} of what? give a unit: {number}s, {number}m, {number}h or {number}d")),
        Err(_) => text.parse().map_err(|_: DurationError| {
            format!("'{text}' is no length of time; write whole numbers with their units: 90s, 1h30m, 30d")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_of_time_has_a_unit() {
        assert_eq!(read("90s"), Ok(Millis(90_000)));
        assert_eq!(read("1h 30m"), Ok(Millis(5_400_000)));
        assert_eq!(read("5"), Err("5 of what? give a unit: 5s, 5m, 5h or 5d".to_owned()));
        assert!(read("5 weeks").is_err() && read("").is_err() && read("-5").is_err());
    }
}
