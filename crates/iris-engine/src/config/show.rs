//! The config in force, as it may be shown.

use serde_json::{Value, json};

use super::Config;
use crate::secret;

impl Config {
    /// Every key with its value, defaults too. What may be a secret is masked.
    pub fn shown(&self) -> Value {
        const MASK: &str = "***";
        // Nobody may have done so yet for a config that was only read.
        secret::mask(self);
        let mut shown = serde_json::to_value(self).expect("a config is plain data");
        if let Some(otlp) = &self.telemetry.otlp {
            shown["telemetry"]["otlp"] = json!(secret::masked(otlp));
        }
        for team in shown["teams"].as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
            for argument in team["args"].as_array_mut().into_iter().flatten() {
                *argument = json!(secret::masked(argument.as_str().unwrap_or_default()));
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
}
