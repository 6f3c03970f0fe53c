//! Files of Iris MCP, which has its config at the same place and partly in the same words.

use std::path::Path;

use serde_json::Value;

/// Keys that only its files have.
const THEIRS: [(&str, &[&str]); 3] = [
    ("settings", &["spawnTimeout", "httpPort", "defaultTransport", "wonderLoggerConfig", "hotReloadConfig"]),
    ("dashboard", &["enabled", "host", "http", "https"]),
    ("database", &["path", "inMemory"]),
];
const OF_A_TEAM: [&str; 5] = ["remote", "claudePath", "enableReverseMcp", "sessionMcpEnabled", "sessionMcpPath"];

/// What to do about a file that is no config of ours, if it is one of theirs.
pub(super) fn hint(path: &Path, yaml: &str) -> Option<String> {
    let file: Value = serde_saphyr::from_str(yaml).ok()?;
    let has = |part: &Value, keys: &[&str]| keys.iter().any(|key| part.get(key).is_some());
    let mut teams = file["teams"].as_object().into_iter().flatten();
    let is_theirs =
        THEIRS.iter().any(|(part, keys)| has(&file[*part], keys)) || teams.any(|(_, team)| has(team, &OF_A_TEAM));
    let command = format!("iris teams import {}", path.display());
    is_theirs.then(|| format!("this looks like a config of Iris MCP; take its teams over: `{command}`"))
}
