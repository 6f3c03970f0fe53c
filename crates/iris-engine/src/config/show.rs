//! The config in force, as it may be shown.

use serde_json::{Value, json};

use super::Config;

impl Config {
    /// Every key with its value, defaults too. What may be a secret is masked.
    pub fn shown(&self) -> Value {
        const MASK: &str = "***";
        let mut shown = serde_json::to_value(self).expect("a config is plain data");
        for team in shown["teams"].as_object_mut().into_iter().flat_map(serde_json::Map::values_mut) {
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
