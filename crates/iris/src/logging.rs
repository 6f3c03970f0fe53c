//! The log: structured JSON on stderr, as much of it as IRIS_LOG asks for. Output for people is the printer's.

use tracing_subscriber::EnvFilter;

pub fn start(default_level: &str) {
    let asked = std::env::var("IRIS_LOG").unwrap_or_default();
    let wanted = if asked.trim().is_empty() { default_level } else { asked.trim() };
    let (filter, mistaken) = match EnvFilter::try_new(wanted) {
        Ok(filter) => (filter, None),
        Err(error) => (EnvFilter::new(default_level), Some(error)),
    };
    tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_writer(std::io::stderr)
        .with_env_filter(filter)
        .init();
    if let Some(error) = mistaken {
        tracing::warn!(%error, "IRIS_LOG is not understood; using {default_level}");
    }
}
