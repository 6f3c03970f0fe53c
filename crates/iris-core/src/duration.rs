//! Durations as people write them in the config: `30000` (milliseconds), `30s`, `2m`, `1h30m`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A duration in whole milliseconds; serialised as a number, read from a number or a text such as `2m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Millis(pub u64);

impl Millis {
    pub const fn seconds(seconds: u64) -> Self {
        Self(seconds * 1000)
    }

    pub fn duration(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ms if ms == 0 || !ms.is_multiple_of(1000) => write!(f, "{ms}ms"),
            ms if ms.is_multiple_of(3_600_000) => write!(f, "{}h", ms / 3_600_000),
            ms if ms.is_multiple_of(60_000) => write!(f, "{}m", ms / 60_000),
            ms => write!(f, "{}s", ms / 1000),
        }
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a duration; write milliseconds (30000) or a number with a unit (500ms, 30s, 2m, 1h30m)")]
pub struct DurationError(String);

impl FromStr for Millis {
    type Err = DurationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || DurationError(text.to_owned());
        let trimmed = text.trim();
        if let Ok(ms) = trimmed.parse::<u64>() {
            return Ok(Self(ms));
        }
        let mut rest = trimmed;
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(bad)?;
            let amount: u64 = rest[..digits].parse().map_err(|_| bad())?;
            let unit_end = rest[digits..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |n| digits + n);
            let factor = match rest[digits..unit_end].trim() {
                "ms" => 1,
                "s" => 1000,
                "m" => 60_000,
                "h" => 3_600_000,
                "d" => 86_400_000,
                _ => return Err(bad()),
            };
            total = amount.checked_mul(factor).and_then(|ms| total.checked_add(ms)).ok_or_else(bad)?;
            rest = &rest[unit_end..];
        }
        if trimmed.is_empty() { Err(bad()) } else { Ok(Self(total)) }
    }
}

impl JsonSchema for Millis {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Milliseconds, or a duration such as 30s, 2m or 1h30m",
            "anyOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": "^\\s*([0-9]+\\s*(ms|s|m|h|d)?\\s*)+$" },
            ],
        })
    }
}

impl Serialize for Millis {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Millis {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MillisVisitor;
        impl Visitor<'_> for MillisVisitor {
            type Value = Millis;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("milliseconds (30000) or a duration such as 30s or 2m")
            }

            fn visit_u64<E: de::Error>(self, ms: u64) -> Result<Millis, E> {
                Ok(Millis(ms))
            }

            fn visit_i64<E: de::Error>(self, ms: i64) -> Result<Millis, E> {
                u64::try_from(ms).map(Millis).map_err(|_| E::custom("a duration cannot be negative"))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Millis, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_any(MillisVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<u64>) {
        assert_eq!(text.parse::<Millis>().ok().map(|m| m.0), expected, "{text}");
    }

    #[test]
    fn reads_what_people_write() {
        check("30000", Some(30_000));
        check("500ms", Some(500));
        check("30s", Some(30_000));
        check("2m", Some(120_000));
        check("1h30m", Some(5_400_000));
        check("1d", Some(86_400_000));
        check("", None);
        check("soon", None);
        check("-1s", None);
        check("5 parsecs", None);
        check("99999999999999999999d", None);
    }

    #[test]
    fn prints_the_shortest_exact_form() {
        assert_eq!(Millis(120_000).to_string(), "2m");
        assert_eq!(Millis(1_500).to_string(), "1500ms");
        assert_eq!(Millis(3_600_000).to_string(), "1h");
    }
}
