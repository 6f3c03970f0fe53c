//! What differs between two configs, and what of it takes effect only with the next start.

use serde_json::Value;

use super::Config;

/// Read once, when the daemon starts. Everything else takes effect at once; for what an agent is started with, another
/// takes its place when it is at rest.
const AT_START: [&str; 8] = [
    "settings.host",
    "settings.port",
    "settings.containment",
    "server.tls",
    "server.behindProxy",
    "server.requestsPerSecond",
    "database",
    "telemetry",
];

/// The keys that differ, as paths: `settings.port`, `teams.backend.model`.
pub fn changed(old: &Config, new: &Config) -> Vec<String> {
    let shown = |config: &Config| serde_json::to_value(config).expect("a config is plain data");
    let mut keys = Vec::new();
    compare("", &shown(old), &shown(new), &mut keys);
    // Secrets are not shown, so they are compared by hand.
    if old.database.url != new.database.url {
        keys.push("database.url".to_owned());
    }
    if old.telemetry.headers != new.telemetry.headers {
        keys.push("telemetry.headers".to_owned());
    }
    keys
}

/// Whether a changed key has to wait for the next start.
pub(super) fn needs_restart(key: &str) -> bool {
    AT_START.iter().any(|start| key.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// A key whose new value takes effect with the next start, as both may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    pub key: String,
    pub now: String,
    pub next: String,
}

/// What the daemon was started with and would be started with otherwise now. `port`: the one it listens on, which may have
/// been chosen elsewhere than in the file.
pub fn pending(at_start: &Config, next: &Config, port: Option<u16>) -> Vec<Pending> {
    let keys = changed(at_start, next).into_iter().filter(|key| needs_restart(key));
    let with_values = |key: String| {
        let real = port.filter(|_| key == "settings.port").map(|port| port.to_string());
        Pending { now: real.unwrap_or_else(|| value_at(at_start, &key)), next: value_at(next, &key), key }
    };
    let is_so_already = |pending: &Pending| pending.key == "settings.port" && pending.now == pending.next;
    keys.map(with_values).filter(|pending| !is_so_already(pending)).collect()
}

fn value_at(config: &Config, key: &str) -> String {
    let shown = config.shown();
    let found = key.split('.').try_fold(&shown, |value, name| value.get(name));
    match found {
        None | Some(Value::Null) => "not set".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

fn compare(path: &str, old: &Value, new: &Value, keys: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let names: std::collections::BTreeSet<_> = old.keys().chain(new.keys()).collect();
            for name in names {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                compare(&path, old.get(name).unwrap_or(&Value::Null), new.get(name).unwrap_or(&Value::Null), keys);
            }
        }
        _ if old == new => {}
        _ => keys.push(path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        super::super::parse("config.yaml".as_ref(), text, |_| None).expect("a config")
    }

    #[test]
    fn every_difference_is_named_and_it_is_known_which_have_to_wait() {
        let old = config("settings: { port: 1700, maxProcesses: 3 }\ndatabase: { url: 'postgres://a' }");
        let new = config(
            "settings: { port: 1701, maxProcesses: 4 }\nteams: { a: { path: /tmp } }\ndatabase: { url: 'postgres://b' }",
        );
        let keys = changed(&old, &new);
        assert_eq!(keys, ["settings.maxProcesses", "settings.port", "teams.a", "database.url"]);
        let pending = |key: &str, now: &str, next: &str| Pending {
            key: key.to_owned(),
            now: now.to_owned(),
            next: next.to_owned(),
        };
        let port = pending("settings.port", "1700", "1701");
        let url = pending("database.url", "***", "***");
        assert_eq!(super::pending(&old, &new, None), [port, url.clone()], "no secret is told");
        let elsewhere = pending("settings.port", "40000", "1701");
        assert_eq!(super::pending(&old, &new, Some(40_000)), [elsewhere, url.clone()], "it was chosen by hand");
        assert_eq!(super::pending(&old, &new, Some(1701)), [url], "it listens there already");
        assert!(changed(&old, &old).is_empty());
        assert_eq!(value_at(&old, "telemetry.otlp"), "not set");
    }

    /// A key that is moved or renamed must not silently become one that is said to take effect at once.
    #[test]
    fn what_is_read_at_the_start_are_keys_that_exist() {
        let with = "server: { tls: { certificate: /c, key: /k } }\ntelemetry: { otlp: 'http://x' }";
        let shown = serde_json::to_value(config(with)).expect("plain data");
        for key in AT_START {
            let found = key.split('.').try_fold(&shown, |value, name| value.get(name));
            assert!(found.is_some(), "{key}");
        }
    }
}
