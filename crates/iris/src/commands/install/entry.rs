//! The entry of Iris among a CLI's servers: what it says, and whether one that is found is ours.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::place;

/// The name under which Iris is registered; tools are then called `mcp__iris__team_tell`.
pub const NAME: &str = "iris";

/// The one variable that an entry of ours has.
const HOME: &str = "IRIS_HOME";

/// A tell may wait for a person, and a person may sleep on it. Without a limit of the server's own a CLI takes one from
/// its environment, which no progress moves (Claude Code), or a minute (Codex).
const LONGEST_CALL_SECONDS: u64 = 24 * 60 * 60;
/// The daemon may have to be started first, and may have a database to bring up to date.
const LONGEST_START_SECONDS: u64 = 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    program: PathBuf,
    /// Said only if it is not the one that would be taken anyway.
    home: Option<PathBuf>,
}

impl Entry {
    /// For this program and this home.
    pub fn of_this_program(home: &Path) -> Result<Self, Failure> {
        let program = std::env::current_exe();
        let program = program.map_err(|error| Failure::internal(format!("iris cannot find itself ({error})")))?;
        Ok(Self { program, home: (home != place::home(None)).then(|| home.to_owned()) })
    }

    /// As Claude Code has it.
    pub fn for_claude(&self) -> Value {
        let mut entry = json!({
            "type": "stdio",
            "command": self.program,
            "args": ["mcp"],
            "timeout": LONGEST_CALL_SECONDS * 1000,
        });
        if let Some(home) = &self.home {
            entry["env"] = json!({ "IRIS_HOME": home });
        }
        entry
    }

    /// As Codex has it.
    pub fn for_codex(&self) -> Value {
        let mut entry = json!({
            "command": self.program,
            "args": ["mcp"],
            "startup_timeout_sec": LONGEST_START_SECONDS,
            "tool_timeout_sec": LONGEST_CALL_SECONDS,
        });
        if let Some(home) = &self.home {
            entry["env"] = json!({ "IRIS_HOME": home });
        }
        entry
    }
}

/// An entry of ours that starts this program, in this home. Whatever else is in it is its user's, and stays; so does a home
/// where none but the usual is asked for, since who runs this again in another shell asks for no other.
pub fn updated(found: &Value, usual: &Value) -> Value {
    let mut entry = found.clone();
    for (key, value) in usual.as_object().into_iter().flatten() {
        let is_owned = match key.as_str() {
            "command" => true,
            // Words before `mcp` are options.
            "args" => last_word(found) != Some("mcp"),
            _ => found.get(key).is_none(),
        };
        if is_owned {
            entry[key] = value.clone();
        }
    }
    if let Some(home) = usual["env"].get(HOME) {
        match entry["env"].as_object_mut() {
            Some(env) => drop(env.insert(HOME.to_owned(), home.clone())),
            None => entry["env"] = usual["env"].clone(),
        }
    }
    entry
}

/// What is said of an entry that stays with another home than would be written.
pub fn kept_home(entry: &Value, usual: &Value) -> Option<String> {
    let home = entry["env"].get(HOME).filter(|home| usual["env"].get(HOME) != Some(home))?;
    Some(format!("env.{HOME} stays {home}; for the usual home: `iris uninstall`, then `iris install`"))
}

/// What differs between an entry and what becomes of it, a line for each key. None of it is a secret: of `env`, only the
/// home changes.
pub fn changes(old: &Value, new: &Value) -> Vec<String> {
    let keys: BTreeSet<_> = [old, new].into_iter().filter_map(Value::as_object).flat_map(Map::keys).collect();
    let parts = keys.into_iter().map(|key| match key.as_str() {
        "env" => (format!("env.{HOME}"), &old[key][HOME], &new[key][HOME]),
        _ => (key.clone(), &old[key], &new[key]),
    });
    let told = |value: &Value| if value.is_null() { "not set".to_owned() } else { value.to_string() };
    let changed = parts.filter(|(_, old, new)| old != new);
    changed.map(|(key, old, new)| format!("{key}: {} → {}", told(old), told(new))).collect()
}

/// As it may be shown: what somebody put into its environment may be a secret.
pub fn shown_entry(entry: &Value) -> Value {
    let mut entry = entry.clone();
    let env = entry.get_mut("env").and_then(Value::as_object_mut);
    env.into_iter().flatten().filter(|(name, _)| *name != HOME).for_each(|(_, value)| *value = json!("***"));
    entry
}

/// Whether it starts an `iris mcp`, wherever that iris is.
pub fn is_ours(entry: &Value) -> bool {
    let program = entry["command"].as_str().map(Path::new);
    program.is_some_and(is_iris) && matches!(last_word(entry), Some("mcp" | "start"))
}

fn last_word(entry: &Value) -> Option<&str> {
    entry["args"].as_array()?.last()?.as_str()
}

/// Somebody may keep it under a name that tells one from another (`iris-0.4`), or under any: then it is this very one.
fn is_iris(program: &Path) -> bool {
    let name = program.file_name().map(|name| name.to_string_lossy());
    let is_called_so = name.is_some_and(|name| name == "iris" || name.starts_with("iris-"));
    is_called_so || std::env::current_exe().is_ok_and(|own| own == program)
}

/// Whether it leads to a server by an address, as Iris MCP registers itself.
pub fn is_address(entry: &Value) -> bool {
    entry["url"].is_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_starts_iris_mcp_is_ours() {
        let check = |entry: Value, ours: bool| assert_eq!(is_ours(&entry), ours, "{entry}");
        check(json!({ "command": "/opt/iris", "args": ["mcp"] }), true);
        check(json!({ "command": "iris", "args": ["--home", "/srv", "start"] }), true);
        check(json!({ "command": "/opt/iris-0.4", "args": ["mcp"] }), true);
        check(json!({ "command": std::env::current_exe().expect("a path"), "args": ["mcp"] }), true);
        check(json!({ "command": "/opt/irishman", "args": ["mcp"] }), false);
        check(json!({ "command": "/opt/iris", "args": [] }), false);
        check(json!({ "command": "npx", "args": ["-y", "iris", "mcp"] }), false);
        check(json!({ "type": "http", "url": "http://localhost:1615/mcp" }), false);
        check(json!("iris mcp"), false);
    }

    #[test]
    fn what_its_user_put_into_an_entry_stays() {
        let usual =
            |home: Option<&str>| Entry { program: "/bin/iris".into(), home: home.map(PathBuf::from) }.for_claude();
        let theirs = json!({
            "command": "/old/iris", "args": ["--home", "/x", "mcp"], "timeout": 5, "mine": [1.5, true],
            "env": { "IRIS_URL": "http://far", "IRIS_TOKEN": "secret" },
        });
        let mut expected = theirs.clone();
        expected["command"] = json!("/bin/iris");
        expected["type"] = json!("stdio");
        assert_eq!(updated(&theirs, &usual(None)), expected);
        assert_eq!(
            changes(&theirs, &expected),
            [r#"command: "/old/iris" → "/bin/iris""#, r#"type: not set → "stdio""#]
        );
        assert_eq!(updated(&expected, &usual(None)), expected, "a second time changes nothing");
        expected["env"]["IRIS_HOME"] = json!("/srv");
        assert_eq!(updated(&theirs, &usual(Some("/srv"))), expected);
        assert!(!shown_entry(&expected).to_string().contains("secret"));
        assert_eq!(updated(&expected, &usual(None)), expected, "a home that was chosen stays");
        assert!(kept_home(&expected, &usual(None)).is_some_and(|kept| kept.contains(r#"stays "/srv";"#)));
        assert_eq!(kept_home(&expected, &usual(Some("/srv"))), None);
        let other = updated(&expected, &usual(Some("/other")));
        assert_eq!(changes(&expected, &other), [r#"env.IRIS_HOME: "/srv" → "/other""#]);
        let older = json!({ "command": "iris", "args": ["start"] });
        assert_eq!(updated(&older, &usual(Some("/srv"))), usual(Some("/srv")));
    }

    #[test]
    fn another_home_is_said_and_the_usual_one_is_not() {
        let entry = |home: Option<&str>| Entry { program: "/bin/iris".into(), home: home.map(PathBuf::from) };
        assert_eq!(entry(None).for_claude().get("env"), None);
        assert_eq!(entry(Some("/srv")).for_claude()["env"], json!({ "IRIS_HOME": "/srv" }));
        assert_eq!(entry(Some("/srv")).for_codex()["env"], json!({ "IRIS_HOME": "/srv" }));
        assert!(is_ours(&entry(None).for_claude()) && is_ours(&entry(None).for_codex()));
    }
}
