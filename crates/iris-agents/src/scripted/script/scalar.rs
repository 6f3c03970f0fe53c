//! Values a script may write in more than one way: delays, patterns, text or a map.

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use regex::Regex;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A time: a number of milliseconds, or `50ms`, `2s`, `1m`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delay(pub Duration);

impl<'de> Deserialize<'de> for Delay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Delay;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a delay: milliseconds, or a text like 50ms, 2s, 1m")
            }

            fn visit_u64<E: Error>(self, milliseconds: u64) -> Result<Delay, E> {
                Ok(Delay(Duration::from_millis(milliseconds)))
            }

            fn visit_i64<E: Error>(self, milliseconds: i64) -> Result<Delay, E> {
                u64::try_from(milliseconds)
                    .map_err(|_| E::custom("a delay cannot be negative"))
                    .and_then(|milliseconds| self.visit_u64(milliseconds))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Delay, E> {
                parse_delay(text).map(Delay).ok_or_else(|| {
                    E::custom(format_args!("`{text}` is no delay: give milliseconds, or a text like 50ms, 2s, 1m"))
                })
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

fn parse_delay(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    Some(match unit.trim() {
        "" | "ms" => Duration::from_millis(number),
        "s" => Duration::from_secs(number),
        "m" => Duration::from_secs(number.checked_mul(60)?),
        _ => return None,
    })
}

/// A regular expression, compiled when the script is loaded so that a turn only runs it.
#[derive(Debug)]
pub struct Pattern(pub Regex);

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Regex::new(&text).map(Pattern).map_err(|error| {
            // The crate draws the pattern over several lines; its last line says what is wrong.
            let told = error.to_string();
            let reason = told.lines().last().unwrap_or_default();
            let reason = reason.trim_start_matches("error: ");
            D::Error::custom(format_args!("`{text}` is no regular expression: {reason}"))
        })
    }
}

/// How deep the agent sleeps in a `hang`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hang {
    Not,
    /// An interrupt ends it.
    Interruptible,
    /// Nothing is read and nothing answered any more; only a signal ends it.
    Deaf,
}

impl<'de> Deserialize<'de> for Hang {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl Visitor<'_> for Reader {
            type Value = Hang;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("true, false or deaf")
            }

            fn visit_bool<E: Error>(self, hang: bool) -> Result<Hang, E> {
                Ok(if hang { Hang::Interruptible } else { Hang::Not })
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Hang, E> {
                match text {
                    "deaf" => Ok(Hang::Deaf),
                    _ => Err(E::custom(format_args!("`{text}` is no hang: true, false or deaf"))),
                }
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

/// A bare text as the short form of a map. An untagged enum would do the same, but would answer every mistake inside
/// the map with "matches no variant".
pub enum TextOr<T> {
    Text(String),
    Full(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for TextOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = TextOr<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a text or a map")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(TextOr::Text(text.to_owned()))
            }

            // What has no quotes is still what was written.
            fn visit_bool<E: Error>(self, word: bool) -> Result<Self::Value, E> {
                Ok(TextOr::Text(word.to_string()))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
                Ok(TextOr::Text(number.to_string()))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
                Ok(TextOr::Text(number.to_string()))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
                Ok(TextOr::Text(number.to_string()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(TextOr::Full)
            }
        }
        deserializer.deserialize_any(Reader(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_read_as_people_write_them() {
        for (text, milliseconds) in [("50", 50), ("50ms", 50), ("2s", 2_000), ("1 m", 60_000)] {
            assert_eq!(parse_delay(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "ms", "5 parsecs", "-1", "1.5s"] {
            assert_eq!(parse_delay(text), None, "{text}");
        }
    }
}
