//! What a text in a form has to look like: the four formats that MCP knows. Looked at simply; the server that asks knows best.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Email,
    Uri,
    Date,
    DateTime,
}

impl Format {
    /// Nothing for one that is not known here: the server says whether it fits.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "email" => Self::Email,
            "uri" => Self::Uri,
            "date" => Self::Date,
            "date-time" => Self::DateTime,
            _ => return None,
        })
    }

    /// In a few words.
    pub fn takes(self) -> String {
        match self {
            Self::Email => "an e-mail address".to_owned(),
            Self::Uri => format!("an address with its scheme, such as {}", self.example()),
            Self::Date => format!("a date such as {}", self.example()),
            Self::DateTime => format!("a date and time such as {}", self.example()),
        }
    }

    pub fn example(self) -> &'static str {
        match self {
            Self::Email => "ada@example.com",
            Self::Uri => "https://example.com",
            Self::Date => "2026-01-31",
            Self::DateTime => "2026-01-31T09:30:00Z",
        }
    }

    pub fn is_met(self, text: &str) -> bool {
        match self {
            Self::Email => is_email(text),
            Self::Uri => is_uri(text),
            Self::Date => is_date(text),
            Self::DateTime => is_date_time(text),
        }
    }
}

fn is_email(text: &str) -> bool {
    let is_plain = !text.contains(|c: char| c.is_whitespace() || c.is_control());
    is_plain
        && text.rsplit_once('@').is_some_and(|(name, host)| {
            let is_host = !host.is_empty() && !host.split('.').any(str::is_empty);
            !name.is_empty() && !name.contains('@') && is_host
        })
}

fn is_uri(text: &str) -> bool {
    let is_plain = !text.contains(|c: char| c.is_whitespace() || c.is_control());
    is_plain
        && text.split_once(':').is_some_and(|(scheme, rest)| {
            let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
            scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_letter) && !rest.is_empty()
        })
}

/// `2026-01-31`, and a day that there is.
fn is_date(text: &str) -> bool {
    let Some([year, month, day]) = numbers(text, '-', [4, 2, 2]) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// `2026-01-31T09:30:00.5+02:00`, as RFC 3339 has it.
fn is_date_time(text: &str) -> bool {
    let Some((date, rest)) = text.split_once(['T', 't']) else { return false };
    let Some(zone) = rest.find(['Z', 'z', '+', '-']) else { return false };
    let (time, zone) = rest.split_at(zone);
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    // There are leap seconds.
    let is_time =
        numbers(time, ':', [2, 2, 2]).is_some_and(|[hour, minute, second]| hour < 24 && minute < 60 && second <= 60);
    let is_offset = |offset: &str| numbers(offset, ':', [2, 2]).is_some_and(|[hour, minute]| hour < 24 && minute < 60);
    let is_zone = zone.eq_ignore_ascii_case("z") || zone.strip_prefix(['+', '-']).is_some_and(is_offset);
    is_date(date) && is_time && is_fraction && is_zone
}

/// Numbers of so many digits each.
fn numbers<const N: usize>(text: &str, between: char, digits: [usize; N]) -> Option<[u32; N]> {
    let mut parts = text.split(between);
    let mut found = [0; N];
    for (number, digits) in found.iter_mut().zip(digits) {
        let part =
            parts.next().filter(|part| part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit()))?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(format: Format, good: &[&str], bad: &[&str]) {
        assert!(format.is_met(format.example()), "{format:?}");
        for text in good {
            assert!(format.is_met(text), "{format:?} {text}");
        }
        for text in bad {
            assert!(!format.is_met(text), "{format:?} {text}");
        }
    }

    #[test]
    fn a_text_has_the_format_that_is_asked_for() {
        check(
            Format::Email,
            &["a@b", "ü.x+y@münchen.example"],
            &["", "a", "@b", "a@", "a@b@c", "a b@c", "a@b..c", "a@b."],
        );
        check(
            Format::Uri,
            &["urn:isbn:1", "mailto:a@b", "http://[::1]:80/x?y#z"],
            &["", "example.com", "https:", "1a:b", "https://a b"],
        );
        check(
            Format::Date,
            &["2028-02-29", "1999-12-31"],
            &["2026-02-29", "2026-13-01", "2026-1-1", "31.01.2026", "2026-01-00", "2026-01-01-01"],
        );
        check(
            Format::DateTime,
            &["2026-01-31t09:30:00.25z", "2026-12-31T23:59:60-08:00"],
            &[
                "2026-01-31",
                "2026-01-31T09:30Z",
                "2026-01-31T24:00:00Z",
                "2026-01-31T09:30:00",
                "2026-01-31 09:30:00Z",
                "2026-01-31T09:30:00.Z",
                "2026-01-31T09:30:00+2",
            ],
        );
    }
}
