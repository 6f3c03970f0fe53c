//! The config in force, as it may be shown.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use super::Config;
use crate::secret;

const MASK: &str = "***";

impl Config {
    /// Every key with its value, defaults too. What may be a secret is masked.
    pub fn shown(&self) -> Value {
        // Nobody may have done so yet for a config that was only read.
        secret::mask(self);
        let mut shown = serde_json::to_value(self).expect("a config is plain data");
        if let Some(otlp) = &self.telemetry.otlp {
            shown["telemetry"]["otlp"] = json!(address(otlp));
        }
        for team in shown["teams"].as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
            let mut is_named = false;
            for argument in team["args"].as_array_mut().into_iter().flatten() {
                let said = argument.as_str().unwrap_or_default();
                let shown = if is_named && !said.starts_with('-') { MASK.to_owned() } else { self::argument(said) };
                is_named = said.starts_with('-') && !said.contains('=') && secret::is_secret(said);
                *argument = json!(shown);
            }
            for value in team["env"].as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
                *value = json!(MASK);
            }
        }
        if self.database.url.is_some() {
            shown["database"]["url"] = json!(MASK);
        }
        if !self.telemetry.headers.is_empty() {
            let masked = self.telemetry.headers.keys().map(|name| (name.clone(), json!(MASK)));
            shown["telemetry"]["headers"] = Value::Object(masked.collect());
        }
        shown
    }
}

/// A name and what stands between it and its value: `--token=`, `TOKEN=`, `X-Key: ` and `"apiKey":`.
static NAMED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"([A-Za-z0-9_.-]+)(?:=|:\s+|"\s*:\s*)"#).expect("it is tested"));
static QUERY: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"(://[^\s?#"']*\?)[^\s#"']+"#).expect("it is tested"));

/// Nothing of what follows a name that is that of a secret.
fn argument(text: &str) -> String {
    let text = address(text);
    let mut names = NAMED.captures_iter(&text).filter(|found| secret::is_secret(&found[1]));
    match names.next().and_then(|found| found.get(0)) {
        Some(name) => format!("{}{MASK}", &text[..name.end()]),
        None => text,
    }
}

/// Many services take their key in the query.
fn address(text: &str) -> String {
    secret::masked(&QUERY.replace_all(text, format!("${{1}}{MASK}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_is_shown_wherever_it_was_written() {
        let config = "\
teams:
  a:
    path: /tmp
    env: { SOME_KEY: quite-a-secret }
    args: [--header, 'x: quite-a-secret', '--proxy=http://me:unspeakable@proxy', --verbose]
database: { url: 'postgres://iris:unspeakable@db/iris' }
telemetry: { otlp: 'http://me:unspeakable@collector:4318', headers: { x-key: unspeakable } }
";
        let config = crate::config::parse("config.yaml".as_ref(), config, |_| None).expect("a config");
        let shown = config.shown();
        assert_eq!(
            shown["teams"]["a"]["args"],
            json!(["--header", "x: ***", "--proxy=http://me:***@proxy", "--verbose"])
        );
        assert_eq!(shown["telemetry"]["otlp"], "http://me:***@collector:4318");
        let text = shown.to_string();
        assert!(!text.contains("unspeakable") && !text.contains("quite-a-secret"), "{text}");
    }

    #[test]
    fn no_secret_is_shown_that_is_an_argument_or_in_a_query() {
        let config = "\
teams:
  a:
    path: /tmp
    args: [--token=abc, --api-key, abc, --token, --model=opus, --env=SOME_TOKEN=abc, 'X-Key: abc', --password, '-',
           '{\"a\":{\"apiKey\": \"abc\"}}', 'https://host/x?y=abc', '--at=https://token/x?y=abc#z', author, abd]
telemetry: { otlp: 'http://collector:4318/v1?key=abc' }
";
        let config = crate::config::parse("config.yaml".as_ref(), config, |_| None).expect("a config");
        let shown = config.shown();
        let args = [
            "--token=***",
            "--api-key",
            "***",
            "--token",
            "--model=opus",
            "--env=SOME_TOKEN=***",
            "X-Key: ***",
            "--password",
            "-",
            "{\"a\":{\"apiKey\": ***",
            "https://host/x?***",
            "--at=https://token/x?***#z",
            "author",
            "abd",
        ];
        assert_eq!(shown["teams"]["a"]["args"], json!(args));
        assert_eq!(shown["telemetry"]["otlp"], "http://collector:4318/v1?***");
    }
}
