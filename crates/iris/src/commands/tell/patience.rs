//! How long a caller waits. It never touches the agent, which works on.

use std::str::FromStr;

use iris_core::duration::Millis;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    None,
    Forever,
    Limit(Millis),
}

impl Patience {
    /// As the API has it.
    pub fn as_millis(self) -> i64 {
        match self {
            Self::None => -1,
            Self::Forever => 0,
            Self::Limit(limit) => i64::try_from(limit.0).unwrap_or(i64::MAX),
        }
    }
}

impl FromStr for Patience {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "-1" {
            return Ok(Self::None);
        }
        match text.parse::<Millis>() {
            Ok(Millis(0)) => Ok(Self::Forever),
            Ok(limit) => Ok(Self::Limit(limit)),
            Err(_) => Err("use -1 (not at all), 0 (until the end), milliseconds (5000) or 30s, 2m".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_is_said_as_in_the_api() {
        for (text, millis) in [("-1", -1), ("0", 0), ("5000", 5000), ("30s", 30_000), ("0s", 0)] {
            assert_eq!(text.parse::<Patience>().map(Patience::as_millis), Ok(millis), "{text}");
        }
        assert!("-2".parse::<Patience>().is_err());
        assert!("soon".parse::<Patience>().is_err());
    }
}
