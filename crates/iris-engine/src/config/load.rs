//! Reading the config file: all of it is right, or none of it is used.

use std::fmt;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nix::fcntl::OFlag;

use super::check::check;
use super::expand::{Filled, expand};
use super::explain::{explain, explain_said};
use super::place::{Place, Spot, locate, locate_name};
use super::{Config, older};

/// What is wrong with a config, and where.
#[derive(Debug)]
pub struct ConfigError {
    path: PathBuf,
    place: Option<Box<Place>>,
    what: String,
    hint: Option<String>,
    missing: Option<String>,
}

/// More than all the keys there are, which some mistakes are answered with.
const LONGEST: usize = 2000;

impl std::error::Error for ConfigError {}

impl ConfigError {
    fn new(path: &Path, what: impl Into<String>) -> Self {
        let what = what.into();
        // It may repeat what somebody wrote, which has no bounds.
        let what = match what.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &what[..end]),
            None => what,
        };
        Self { path: path.to_owned(), place: None, what, hint: None, missing: None }
    }

    /// The line is shown as it is in the file: filled in, it may hold secrets.
    fn at(mut self, text: &str, spot: Option<Spot>) -> Self {
        self.place = spot.map(|(line, column)| Box::new(Place::new(text, line, column)));
        self
    }

    /// About a key of a file that was read with `parse_values`.
    pub fn of_key(path: &Path, text: &str, key: &str, what: &str) -> Self {
        Self::new(path, format!("{key}: {what}")).at(text, locate(text, key))
    }

    /// What is wrong, without where: for a text that nobody else has seen.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// What to do about it, where there is more to say than to correct the line.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The variable that whoever read it does not have, if it is that: others may have it.
    pub fn missing_variable(&self) -> Option<&str> {
        self.missing.as_deref()
    }
}

impl fmt::Display for ConfigError {
    /// In the form that editors and terminals make a link of, with the line itself below.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, what) = (self.path.display(), &self.what);
        let Some(Place { line, column, text, before }) = self.place.as_deref() else {
            return write!(f, "{path}: {what}");
        };
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let caret = " ".repeat(*before);
        write!(f, "{path}:{line}:{column}: {what}\n {margin} |\n {number} | {text}\n {margin} | {caret}^")
    }
}

/// Reads the config; a file that is not there is an empty config.
pub fn load(path: &Path) -> Result<Config, ConfigError> {
    match read_text(path)? {
        Some(text) => parse(path, &text, |name| std::env::var(name).ok()),
        None => Ok(Config::default()),
    }
}

/// The text of a file, if there is one.
pub fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let bytes = match read_regular(path) {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(kind)) => return Err(ConfigError::new(path, format!("it is {kind}, and has to be a file"))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let denied = error.kind() == std::io::ErrorKind::PermissionDenied;
            // In single quotes everything is as it is, but for those themselves.
            let word = path.display().to_string().replace('\'', r"'\''");
            let hint = denied.then(|| match std::fs::metadata(path).map(|found| found.uid()) {
                Ok(owner) if owner == nix::unistd::geteuid().as_raw() => {
                    format!("let yourself read it: `chmod u+rw '{word}'`")
                }
                Ok(_) => format!("let yourself read it: `sudo chown \"$(id -un)\" '{word}'`"),
                Err(_) => "its folder may not be looked into: `iris doctor` says whose it is".to_owned(),
            });
            return Err(ConfigError { hint, ..ConfigError::new(path, format!("it cannot be read ({error})")) });
        }
    };
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let (bytes, end) = (error.as_bytes(), error.utf8_error().valid_up_to());
        let before = String::from_utf8_lossy(&bytes[..end]);
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let spot = (before.matches('\n').count() + 1, column);
        let what = format!("the byte 0x{:02x} here is not UTF-8; save the file as UTF-8", bytes[end]);
        ConfigError::new(path, what).at(&String::from_utf8_lossy(bytes), Some(spot))
    })
}

/// What is in a file, or what is there instead of one. Whoever reads a pipe waits until somebody writes to it, and a device
/// may never end: neither is read, nor waited for when it is opened.
pub fn read_regular(path: &Path) -> std::io::Result<Result<Vec<u8>, &'static str>> {
    let mut file = std::fs::OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path)?;
    let kind = file.metadata()?.file_type();
    if !kind.is_file() {
        return Ok(Err(match kind {
            kind if kind.is_dir() => "a folder",
            kind if kind.is_fifo() => "a named pipe",
            _ => "a device",
        }));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Ok(bytes))
}

/// Whether another program's value could be one of ours; if not, what it must be.
pub fn check_value<T: serde::de::DeserializeOwned>(value: &serde_json::Value) -> Result<(), String> {
    // JSON is YAML, and so it is judged as if it were in our own file.
    let read = serde_saphyr::from_str::<T>(&value.to_string());
    read.map(drop).map_err(|error| explain_said(&error))
}

pub fn parse(path: &Path, text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Config, ConfigError> {
    parse_whole(path, text, variable).map_err(|error| find_conflict(path, text).unwrap_or(error))
}

/// What git leaves where two changed the same is no YAML, and what is wrong with it as such helps nobody.
fn find_conflict(path: &Path, text: &str) -> Option<ConfigError> {
    let is_mark = |line: &str| ["<<<<<<< ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark));
    let line = text.lines().position(is_mark)?;
    let what = "git conflict markers are in it; keep one of the two sides, and take the markers out";
    Some(ConfigError::new(path, what).at(text, Some((line + 1, 1))))
}

fn parse_whole(path: &Path, text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Config, ConfigError> {
    let own = variable("HOME");
    let filled = fill_in(path, text, variable)?;
    // It was emptied, or is about to be written: that nobody is a team any more has to be said.
    if says_nothing(&filled.text) {
        return Err(ConfigError::new(path, format!("it {}", nothing_said(&filled.text))));
    }
    let mut config: Config =
        read(path, text, &filled).map_err(|error| ConfigError { hint: older::hint(path, &filled.text), ..error })?;
    find_own_folders(&mut config, own.as_deref());
    check(&config, &filled.text).map_err(|found| ConfigError {
        hint: found.hint.map(str::to_owned),
        ..ConfigError::new(path, format!("{}: {}", found.key, found.what))
            .at(text, found.place(&filled.text).map(|spot| filled.place_before(spot)))
    })?;
    Ok(config)
}

/// Reads any YAML as a config is read, with variables filled in: for those who take over another program's file.
pub fn parse_values(
    path: &Path,
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<serde_json::Value, ConfigError> {
    let filled = fill_in(path, text, variable)?;
    // As YAML 1.2 has it, `yes` and `no` are words.
    let options = serde_saphyr::options! { strict_booleans: true };
    let read = serde_saphyr::from_str_with_options(&filled.text, options);
    read.map_err(|error| unreadable(path, text, &filled, &error)).and_then(|read| whole(path, &filled, read))
}

/// As `parse_values`, with the variables as they are written.
pub fn parse_unfilled(text: &str) -> Option<serde_json::Value> {
    serde_saphyr::from_str_with_options(text, serde_saphyr::options! { strict_booleans: true }).ok()
}

/// Whether `teams:` has nothing behind it, as when the rest of the file was not written yet.
pub(super) fn is_left_open(filled: &str) -> bool {
    let values = parse_unfilled(filled).unwrap_or_default();
    values.get("teams").is_some_and(serde_json::Value::is_null)
}

/// Where a text has a key, by line and column.
pub fn place_of(yaml: &str, key: &str) -> Option<(usize, usize)> {
    locate_name(yaml, key)
}

/// As `place_of`, of the value. No key at all is the whole of it.
pub fn value_place_of(yaml: &str, key: &str) -> Option<(usize, usize)> {
    locate(yaml, key)
}

/// Whether a text sets a key such as `settings.port`.
pub fn has_key(yaml: &str, key: &str) -> bool {
    locate(yaml, key).is_some()
}

fn fill_in(path: &Path, text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Filled, ConfigError> {
    expand(text, variable).map_err(|error| {
        let missing = error.missing().map(str::to_owned);
        let export = |name: &String| {
            format!("`export {name}=…` in this shell; a daemon has the environment that it was started with")
        };
        let wrong = ConfigError::new(path, error.to_string()).at(text, Some((error.line, error.column)));
        ConfigError { hint: missing.as_ref().map(export), missing, ..wrong }
    })
}

fn read<T: serde::de::DeserializeOwned>(path: &Path, text: &str, filled: &Filled) -> Result<T, ConfigError> {
    let read = serde_saphyr::from_str(&filled.text);
    read.map_err(|error| unreadable(path, text, filled, &error)).and_then(|read| whole(path, filled, read))
}

/// Two readers of YAML look at it, one for the variables and one for the rest. If only the second can read it, there may be
/// variables in it that were not filled in.
fn whole<T>(path: &Path, filled: &Filled, read: T) -> Result<T, ConfigError> {
    match filled.is_whole {
        true => Ok(read),
        false => Err(ConfigError::new(path, "its variables cannot be filled in, because it is not plainly YAML")),
    }
}

fn unreadable(path: &Path, text: &str, filled: &Filled, error: &serde_saphyr::Error) -> ConfigError {
    let (spot, what) = explain(&filled.text, error);
    ConfigError::new(path, what).at(text, spot.map(|spot| filled.place_before(spot)))
}

/// Whether there are only comments in it, marks of where a document begins or ends, and names with nothing behind them.
pub fn says_nothing(text: &str) -> bool {
    let is_mark = |line: &str| matches!(line.split(" #").next().unwrap_or_default().trim_end(), "---" | "...");
    if text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#') || is_mark(line)) {
        return true;
    }
    match parse_unfilled(text) {
        Some(serde_json::Value::Null) => true,
        // Nothing behind `teams:` is told as such, with its place.
        Some(serde_json::Value::Object(parts)) => {
            !parts.is_empty() && !parts.contains_key("teams") && parts.values().all(serde_json::Value::is_null)
        }
        _ => false,
    }
}

/// In which way a text says nothing, and what to write.
pub(super) fn nothing_said(text: &str) -> String {
    let values = parse_unfilled(text).unwrap_or_default();
    let parts: Vec<_> = values.as_object().into_iter().flatten().map(|(part, _)| format!("`{part}:`")).collect();
    let how =
        if parts.is_empty() { "is empty".to_owned() } else { format!("has nothing behind {}", parts.join(" and ")) };
    format!("{how}; to have no team, write `teams: {{}}`")
}

/// `~/` is the user's own folder, as in a shell.
fn find_own_folders(config: &mut Config, own: Option<&str>) {
    let Some(own) = own.filter(|own| !own.is_empty()) else { return };
    for team in config.teams.values_mut().map(Arc::make_mut) {
        let paths = [Some(&mut team.path), team.script.as_mut(), team.command.as_mut()];
        for path in paths.into_iter().flatten() {
            if let Ok(rest) = path.strip_prefix("~") {
                *path = Path::new(own).join(rest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let found = match parse(Path::new("config.yaml"), text, |_| None) {
            Ok(config) => format!("{} teams", config.teams.len()),
            Err(error) => error.to_string(),
        };
        assert!(found.contains(expected), "{text}\nfound: {found}");
    }

    #[test]
    fn a_config_is_right_as_a_whole_or_says_what_is_wrong() {
        check("", "config.yaml: it is empty; to have no team, write `teams: {}`");
        for nothing in ["# only a comment", "---\n", "...\n", "null\n", "--- # x\n...\n"] {
            check(nothing, "it is empty");
        }
        check("---\nsettings:\n", "config.yaml: it has nothing behind `settings:`; to have no team, write `teams: {}`");
        check("teams:\n  alpha:\n    path: /tmp\n    agent: scripted\n    script: /tmp/s.yaml", "1 teams");
        check("settings:\n  responseTimeout: 2m", "0 teams");
        check("settings:\n  responseTimeout: soon", "config.yaml:2:20: 'soon' is not a duration");
        check(
            "settings:\n  sessionInitTimeout: 0",
            "config.yaml:2:23: settings.sessionInitTimeout: must be at least 1",
        );
        check("settings:\n  maxProcesses: 0", "config.yaml:2:17: settings.maxProcesses: must be at least 1");
        check(
            "settings:\n  maxProcess: 3",
            "config.yaml:2:3: `maxProcess` is no key here; did you mean `maxProcesses`?",
        );
        check("setings: {}", "config.yaml:1:1: `setings` is no key here; did you mean `settings`?");
        check("server: { port: 0 }", "config.yaml:1:11: `port` is no key here; there is `settings.port`");
        check("port: 0", "config.yaml:1:1: `port` is no key here; there is `settings.port`");
        check("settings: { colour: 1 }", "`colour` is no key here; there are sessionInitTimeout");
        check("settings:\n  port: 99999", "config.yaml:2:9: settings.port: must be a whole number from 0 to 65535");
        check("settings:\n  host: 0.0.0.0", "config.yaml:2:9: settings.host: '0.0.0.0' is refused: binding beyond");
        check("settings:\n  host: example.org", "config.yaml:2:9: settings.host: 'example.org' is not an address");
        check("teams:\n  a/b:\n    path: /tmp", "is not a team name");
        check("teams:\n  alpha:\n    path: here", "config.yaml:3:11: teams.alpha.path: 'here' must be absolute");
        check("teams:\n  alpha:\n    agent: claude", "config.yaml:3:5: the key `path` is missing");
        check("teams:\n  a: { path: /tmp, agent: claud }", "`claud` is no value here; did you mean `claude`?");
        check(
            "teams:\n  alpha:\n    path: /tmp\n    agent: scripted",
            "config.yaml:3:5: teams.alpha: agent is scripted",
        );
        check("teams:\n  a: { path: /x }\n  a: { path: /y }", "config.yaml:3:3: the key `a` is here a second time");
        check("database:\n  url: mysql://x", "config.yaml:2:8: database.url: must begin with postgres://");
        check("database:\n  url: postgres://x/y?sslmode=on", "config.yaml:2:8: database.url: sslmode=on is not known");
        check("database:\n  pollInterval: 0", "config.yaml:2:17: database.pollInterval: must be at least 1");
        check("questions:\n  deadlines:\n    approval: 0", "3:15: questions.deadlines.approval: must be more than 0");
        check("questions:\n  deadlines: { approval: 15 }", "2:26: questions.deadlines.approval: must be between");
        check("questions:\n  shortestDeadline: 1\n  deadlines: { approval: 15 }", "0 teams");
        check("questions:\n  onDeadline: default", "`default` is no value here; there are fail, wait");
        check("questions:\n  onDeadline: wait\n  deadlines: { blocking: 1h }", "0 teams");
        check("teams:\n  user: { path: /x }", "config.yaml:2:3: teams.user: 'user' is the name of the person at Iris");
        let team = |keys: &str| format!("teams:\n  a:\n    path: /tmp\n    {keys}\n");
        check(&team("script: /s.yaml"), "config.yaml:4:13: teams.a.script: only a scripted agent plays one, and this");
        check(&team("color: blurple"), "config.yaml:4:12: teams.a.color: 'blurple' is no colour; write one such as");
        check(&team("color: '#36f'"), "1 teams");
        check(&team("env: { 'B=': 1 }"), "config.yaml:4:12: teams.a.env: 'B=' is no name of a variable");
        check(&team("env:\n      A: 1\n      'B=': 1"), "config.yaml:6:7: teams.a.env: 'B=' is no name of a variable");
        check(&team("env: { B: \"a\\0\" }"), "config.yaml:4:12: teams.a.env: there is a NUL character in B");
        check(&team("args: [b, \"a\\0\"]"), "config.yaml:4:15: teams.a.args: there is a NUL character");
        let both = |grant: &str| team(&format!("skipPermissions: true\n    grantPermission: {grant}"));
        check(&both("ask"), "config.yaml:4:22: teams.a.skipPermissions: true means `grantPermission: yes`, and");
        check(&both("yes"), "1 teams");
        check("\u{feff}teams: {}\n", "0 teams");
        check("\u{feff}teams:\n  a: 1\n", "config.yaml:2:6: ");
        check("teams: [", "config.yaml:1:8: here must be keys with values");
        check(
            "settings: { host: \"${NONE:-127.0.0.1}\", maxProces: 3 }",
            "config.yaml:1:41: `maxProces` is no key here",
        );
        check("settings: { host: \"${NONE:-127.0.0.1}\", maxProcesses: 0 }", "config.yaml:1:55: settings.maxProcesses");
        check("teams:\n  a:\n    path: ${NOWHERE}", "config.yaml:3:11: the environment has no NOWHERE");
    }

    #[test]
    fn what_cannot_be_read_is_told_in_our_words_and_at_its_place() {
        let torn = "teams:\n<<<<<<< HEAD\n  a: { path: /a }\n=======\n  b: { path: /b }\n>>>>>>> theirs\n";
        check(torn, "config.yaml:2:1: git conflict markers are in it");
        check("teams:\n  a: { path: /a, description: '<<<<<<< HEAD' }\n", "1 teams");
        check("teams: {}\n---\nteams: {}\n", "config.yaml:3:1: a second document begins here, after `---`");
        let team = |line: &str| format!("teams:\n  a:\n    path: /tmp\n    {line}\n");
        check(&team("env: { C: null }"), "config.yaml:4:15: teams.a.env.C: must be a text; an empty one is written");
        check(&team("args: [a, null]"), "config.yaml:4:15: teams.a.args: must be a text");
        check(&team("grantPermission: [yes]"), "config.yaml:4:22: teams.a.grantPermission: must be one word");
        check(&team("grantPermission: aks"), "`aks` is no value here; did you mean `ask`?");
        check(&team("grantPermission: on"), "`on` is no value here; there are ");
        check(&team("maxBudgetUsd: much"), "teams.a.maxBudgetUsd: must be a number");
        check(&team("skipPermissions: maybe"), "teams.a.skipPermissions: must be true or false");
        check(&team("agent:"), "the value is missing here; there are claude, codex, acp, scripted");
        check(
            "server:\n  behindProxy: true\n  requestsPerSecond: 0",
            "config.yaml:3:22: server.requestsPerSecond: must be a whole number from 1 to 4294967295",
        );
        check("settings:\n  idleTimeout: 99999999999999999999", "config.yaml:2:16: settings.idleTimeout: must be");
        for wrong in ["-1", "1.5", "99999999999999999999", "${NONE:-}"] {
            let what = "config.yaml:2:17: settings.maxProcesses: must be a whole number, and at least 1";
            check(&format!("settings:\n  maxProcesses: {wrong}"), what);
        }
        let long = format!("settings: {{ {:-<60000}: 1, host: x }}", "a");
        check(&long, "config.yaml:1:13: `a--");
        let told = parse(Path::new("config.yaml"), &long, |_| None).expect_err("no such key").to_string();
        assert!(told.len() < 5000, "{} bytes", told.len());
        let far = format!("settings: {{ host: \"{:60000}\", prot: 1 }}", "a");
        let told = parse(Path::new("config.yaml"), &far, |_| None).expect_err("no such key").to_string();
        let caret = told.lines().last().and_then(|line| line.find('^')).expect("a caret");
        assert!(
            told.len() < 1000
                && told.lines().nth(2).expect("the line").chars().skip(caret).collect::<String>().starts_with("prot"),
            "{told}"
        );
        check("settings:\n  idleTimeout: null", "settings.idleTimeout: must be milliseconds (30000) or a duration");
        check("teams:\n  a:\n    path: '/tmp\n", "config.yaml:3:11: this quote is never closed");
        check("teams:\n  a:\n    path: \"/tmp\n    env: {}\n", "config.yaml:3:11: this quote is never closed");
        check("settings: { host: 'x }\nteams: {}\n", "config.yaml:1:19: this quote is never closed");
    }

    #[test]
    fn a_path_may_begin_at_home() {
        let text = "teams:\n  a: { path: ~/code, agent: scripted, script: ~/s.yaml }\n  b: { path: '~' }\n";
        let home = |name: &str| (name == "HOME").then(|| "/home/her".to_owned());
        let config = parse(Path::new("c.yaml"), text, home).expect("a config");
        let teams: Vec<_> = config.teams.values().map(|team| (team.path.as_path(), team.script.as_deref())).collect();
        let script = Some(Path::new("/home/her/s.yaml"));
        assert_eq!(teams, [(Path::new("/home/her/code"), script), (Path::new("/home/her/"), None)]);
        check(text, "teams.a.path: '~/code' must be absolute");
        check("teams:\n  a: { path: ~her/code }", "teams.a.path: '~her/code' must be absolute");
    }

    #[test]
    fn what_is_not_utf8_is_told_with_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("c.yaml");
        std::fs::write(&file, b"teams:\n  \xc3\xa4\xe4: { path: /x }\n").expect("written");
        let told = load(&file).expect_err("no text").to_string();
        assert!(told.contains("c.yaml:2:4: the byte 0xe4 here is not UTF-8"), "{told}");
    }

    #[test]
    fn what_is_no_file_is_refused_and_not_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe.yaml");
        nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        for (path, expected) in [
            (pipe.as_path(), "pipe.yaml: it is a named pipe, and has to be a file"),
            (folder.path(), "it is a folder, and has to be a file"),
            (Path::new("/dev/zero"), "/dev/zero: it is a device, and has to be a file"),
        ] {
            let told = load(path).expect_err("no file").to_string();
            assert!(told.contains(expected), "{told}");
        }
    }

    #[test]
    fn a_config_of_iris_mcp_is_recognised() {
        let hint = |text: &str| {
            let error = parse(Path::new("/h/config.yaml"), text, |_| None).expect_err("not one of ours");
            error.hint().map(str::to_owned)
        };
        let expected =
            Some("this looks like a config of Iris MCP; take its teams over: `iris teams import /h/config.yaml`");
        for theirs in
            ["settings: { spawnTimeout: 20000 }", "dashboard: { enabled: true }", "database: { inMemory: true }"]
        {
            assert_eq!(hint(theirs).as_deref(), expected, "{theirs}");
        }
        assert_eq!(hint("teams: { a: { path: /x, remote: ssh host } }").as_deref(), expected);
        assert_eq!(hint("settings: { colour: blue }"), None);
    }

    #[test]
    fn what_is_set_about_questions_is_right_or_said_to_be_wrong() {
        let analysis = |text: &str| format!("settings:\n  agent:\n    completionAnalysis:\n      {text}");
        check(&analysis("minConfidence: 0.5"), "0 teams");
        check(&analysis("questionPatterns: ['ready to ship']"), "0 teams");
        check(&analysis("patterns: ['ready to ship']"), "0 teams");
        check(&analysis("responseTimeout: 45s"), "0 teams");
        check(
            &analysis("questionPatterns: ['(open']"),
            "completionAnalysis.questionPatterns: '(open' is not a pattern",
        );
        check(&analysis("minConfidence: 1.5"), "completionAnalysis.minConfidence: must be from 0 to 1, not 1.5");
        check(
            &analysis("enabledFor: [nobody]"),
            "enabledFor: there is no team 'nobody'; write a team's name, or \"*\" for all",
        );
        check(&analysis("responseTimeout: 0"), "completionAnalysis.responseTimeout: must be more than 0");
        check(&analysis("minConfidenc: 0.5"), "did you mean `minConfidence`?");
    }

    #[test]
    fn other_names_of_a_thing_are_known_and_so_is_a_comment_that_was_meant_to_be_none() {
        check("settings: { maxAgents: 3 }", "`maxAgents` is no key here; did you mean `maxProcesses`?");
        check("teams:\n  a: { path: /a, color: #36f }\n", "write such a value in quotes");
        check("teams:\n  a: { path: /a\n", "this bracket is never closed");
    }

    #[test]
    fn the_line_is_shown_as_it_is_in_the_file_and_no_secret_with_it() {
        let text = "database:\n  url: ${URL}";
        let error = parse(Path::new("c.yaml"), text, |_| Some("mysql://me:secret@x".to_owned())).expect_err("wrong");
        let shown = error.to_string();
        assert_eq!(
            shown,
            "c.yaml:2:8: database.url: must begin with postgres://; leave it out for the embedded SQLite\n   |\n 2 |   url: ${URL}\n   |        ^"
        );
    }
}
