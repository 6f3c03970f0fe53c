//! The log: structured JSON on stderr, as much of it as IRIS_LOG asks for, without secrets. Output for people is the
//! printer's.

use std::io::{self, Write};

use iris_engine::secret::masked;
use tracing_subscriber::EnvFilter;

use crate::failure::Failure;

/// The library of the protocol writes down whole requests, the one of telemetry how it is set up. Whoever wants that names it.
const TALKATIVE: [(&str, &str); 2] = [
    // An answer that nobody waits for any more is an error to its loop; here it is an ordinary cancel.
    ("rmcp", ",rmcp=warn,rmcp::service=off"),
    ("opentelemetry", ",opentelemetry=warn"),
];

pub fn start(default_level: &str) -> Result<(), Failure> {
    let asked = std::env::var("IRIS_LOG").unwrap_or_default();
    check(&asked)?;
    let wanted = if asked.trim().is_empty() { default_level } else { asked.trim() };
    let quiet = TALKATIVE.iter().filter(|(library, _)| !wanted.contains(library)).map(|(_, quiet)| *quiet);
    let filter = EnvFilter::try_new(wanted.to_owned() + &quiet.collect::<String>()).map_err(|_| unknown(&asked))?;
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        // What is said about a line that could not be written goes to the same place, by a macro that panics there.
        .log_internal_errors(false)
        .with_writer(|| Masked(io::stderr()))
        .with_env_filter(filter)
        .init();
    Ok(())
}

/// A word that is no level would be taken for the name of a part of the program, and nothing else would be logged.
fn check(asked: &str) -> Result<(), Failure> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    let mut parts = asked.split(',').map(str::trim).filter(|part| !part.is_empty());
    let is_level = |word: &str| LEVELS.contains(&word.to_ascii_lowercase().as_str());
    if parts.all(|part| part.contains('=') || is_level(part)) { Ok(()) } else { Err(unknown(asked)) }
}

fn unknown(asked: &str) -> Failure {
    Failure::invalid(format!("IRIS_LOG '{asked}' is not understood"))
        .hint("say off, error, warn, info, debug or trace; or of a part: info,iris_engine=debug")
}

/// Writes lines as they come, each in one piece, with the secrets in them masked. A line that finds no room, or nobody who
/// reads it, is lost: a log that fails is no reason to stop serving.
struct Masked<W>(W);

impl<W: Write> Write for Masked<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(line) {
            Ok(text) => self.0.write_all(masked(text).as_bytes()).ok(),
            Err(_) => self.0.write_all(line).ok(),
        };
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().ok();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_cannot_be_written_is_lost_and_nothing_else() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let mut log = Masked(full.expect("a device that is always full"));
        assert_eq!(log.write(b"a line\n").expect("said to be written"), 7);
        log.flush().expect("said to be written");
    }

    #[test]
    fn a_level_is_known_or_refused() {
        for good in ["", " ", "debug", "INFO", "info,iris_engine=debug", "iris_server=trace"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in ["verbose", "1x", "info,loud"] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
