//! The log: structured JSON on stderr, as much of it as IRIS_LOG asks for, without secrets. Output for people is the
//! printer's.

use std::io::{self, Write};
use std::sync::RwLock;

use iris_engine::config::Config;
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
        .with_writer(|| Masked(io::stderr()))
        .with_env_filter(filter)
        .init();
    if let Some(error) = mistaken {
        tracing::warn!(%error, "IRIS_LOG is not understood; using {default_level}");
    }
}

/// What must not be in the log, beside tokens, which are known by their form.
static SECRETS: RwLock<Vec<String>> = RwLock::new(Vec::new());
/// Whatever is shorter is a word, and masking it would tear holes into the log.
const SHORTEST: usize = 6;
const MASK: &str = "***";

/// From now on, what the config holds in secret is masked.
pub fn mask(config: &Config) {
    let of_teams = config.teams.values().flat_map(|team| &team.env).filter(|(name, _)| is_secret(name));
    let sent = config.telemetry.headers.values();
    let password = config.database.url.as_deref().and_then(password_of).map(str::to_owned);
    let secrets = of_teams.map(|(_, value)| value).chain(sent).cloned().chain(password);
    let secrets = secrets.filter(|secret| secret.len() >= SHORTEST).collect();
    *SECRETS.write().expect("nothing panics while it holds the secrets") = secrets;
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL", "AUTH"].iter().any(|part| name.contains(part))
}

fn password_of(url: &str) -> Option<&str> {
    let (login, _) = url.split_once("://")?.1.rsplit_once('@')?;
    Some(login.split_once(':')?.1)
}

/// Writes lines as they come, each in one piece, with the secrets in them masked.
struct Masked<W>(W);

impl<W: Write> Write for Masked<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(line) {
            Ok(text) => self.0.write_all(masked(text).as_bytes())?,
            Err(_) => self.0.write_all(line)?,
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn masked(text: &str) -> String {
    let mut text = mask_tokens(text);
    for secret in SECRETS.read().expect("nothing panics while it holds the secrets").iter() {
        if text.contains(secret) {
            text = text.replace(secret, MASK);
        }
    }
    text
}

/// `iris_` and many hexadecimal digits.
fn mask_tokens(text: &str) -> String {
    const BEGIN: &str = "iris_";
    const DIGITS: usize = 32;
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(BEGIN) {
        let (before, found) = rest.split_at(at + BEGIN.len());
        let digits = found.bytes().take_while(u8::is_ascii_hexdigit).count();
        kept.push_str(before);
        rest = &found[digits..];
        kept.push_str(if digits >= DIGITS { MASK } else { &found[..digits] });
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_known_secrets_are_masked_and_words_are_not() {
        let token = format!("iris_{}", "0a".repeat(32));
        assert_eq!(masked(&format!("{{\"x\":\"{token}\"}} and {token}.")), "{\"x\":\"iris_***\"} and iris_***.");
        assert_eq!(masked("iris_home iris_abc"), "iris_home iris_abc");
        let config = "\
teams:
  a: { path: /tmp, env: { ANTHROPIC_API_KEY: sk-very-secret, MODE: production } }
database: { url: 'postgres://iris:hunter22@db/iris' }
telemetry: { headers: { x-key: collector-key } }
";
        let config = iris_engine::config::parse("config.yaml".as_ref(), config, |_| None).expect("a config");
        mask(&config);
        let line = masked("sk-very-secret production hunter22 collector-key");
        assert_eq!(line, "*** production *** ***");
    }
}
