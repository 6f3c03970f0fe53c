//! The log: structured JSON on stderr, as much of it as IRIS_LOG asks for, without secrets. Output for people is the
//! printer's.

use std::io::{self, Write};

use iris_engine::secret::masked;
use tracing_subscriber::EnvFilter;

/// The library of the protocol writes down whole requests, the one of telemetry how it is set up. Whoever wants that names it.
const TALKATIVE: [(&str, &str); 2] = [
    // An answer that nobody waits for any more is an error to its loop; here it is an ordinary cancel.
    ("rmcp", ",rmcp=warn,rmcp::service=off"),
    ("opentelemetry", ",opentelemetry=warn"),
];

pub fn start(default_level: &str) {
    let asked = std::env::var("IRIS_LOG").unwrap_or_default();
    let wanted = if asked.trim().is_empty() { default_level } else { asked.trim() };
    let quiet = TALKATIVE.iter().filter(|(library, _)| !wanted.contains(library)).map(|(_, quiet)| *quiet);
    let wanted = wanted.to_owned() + &quiet.collect::<String>();
    let (filter, mistaken) = match EnvFilter::try_new(wanted) {
        Ok(filter) => (filter, None),
        Err(error) => (EnvFilter::new(default_level), Some(error)),
    };
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
    if let Some(error) = mistaken {
        tracing::warn!(%error, "IRIS_LOG is not understood; using {default_level}");
    }
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
}
