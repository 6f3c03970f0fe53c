//! Reading the config file: all of it is right, or none of it is used.

use std::fmt;
use std::path::{Path, PathBuf};

use iris_core::team::AgentKind;

use super::expand::expand;
use super::place::{Place, locate};
use super::{Config, TeamConfig};

/// What is wrong with a config, and where.
#[derive(Debug)]
pub struct ConfigError {
    path: PathBuf,
    place: Option<Place>,
    what: String,
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    /// In the form that editors and terminals make a link of, with the line itself below.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, what) = (self.path.display(), &self.what);
        let Some(Place { line, column, text }) = &self.place else { return write!(f, "{path}: {what}") };
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let caret = " ".repeat(column.saturating_sub(1));
        write!(f, "{path}:{line}:{column}: {what}\n {margin} |\n {number} | {text}\n {margin} | {caret}^")
    }
}

/// What a check found: the key, as a path, and what is wrong with it.
pub(super) struct Wrong {
    pub key: String,
    pub what: String,
}

impl Wrong {
    fn new(key: impl Into<String>, what: impl Into<String>) -> Self {
        Self { key: key.into(), what: what.into() }
    }
}

/// Reads the config; a file that is not there is an empty config.
pub fn load(path: &Path) -> Result<Config, ConfigError> {
    match std::fs::read_to_string(path) {
        Ok(text) => parse(path, &text, |name| std::env::var(name).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Config::default()),
        Err(error) => {
            Err(ConfigError { path: path.to_owned(), place: None, what: format!("it cannot be read ({error})") })
        }
    }
}

pub fn parse(path: &Path, text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Config, ConfigError> {
    let wrong = |place, what| ConfigError { path: path.to_owned(), place, what };
    // Lines are shown as they are in the file: filled in, they may hold secrets.
    let at = |line: usize, column: usize| Place::new(text, line, column);
    let filled =
        expand(text, variable).map_err(|error| wrong(Some(at(error.line, error.column)), error.to_string()))?;
    if says_nothing(&filled) {
        return Ok(Config::default());
    }
    let config: Config = serde_saphyr::from_str(&filled).map_err(|error| {
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let place = error.location().map(|found| at(number(found.line()), number(found.column())));
        wrong(place, explain(error.without_snippet()))
    })?;
    check(&config).map_err(|found| {
        let place = locate(&filled, &found.key).map(|(line, column)| at(line, column));
        wrong(place, format!("{}: {}", found.key, found.what))
    })?;
    Ok(config)
}

/// In our words, with a guess at what was meant.
fn explain(error: &serde_saphyr::Error) -> String {
    let said = error.to_string();
    let said = said.rfind(" at line ").map_or(said.as_str(), |end| &said[..end]);
    let said = said.split(", set DuplicateKeyPolicy").next().unwrap_or(said);
    let quoted = |text: &str| text.split('`').nth(1).map(str::to_owned);
    for (begin, noun) in [("unknown field ", "key"), ("unknown variant ", "value")] {
        let Some(rest) = said.strip_prefix(begin) else { continue };
        let (Some(given), Some((_, known))) = (quoted(rest), rest.split_once("expected ")) else { continue };
        let known = known.trim_start_matches("one of ");
        let known: Vec<_> = known.split(", ").map(|name| name.trim_matches('`')).collect();
        return match closest(&given, &known) {
            Some(meant) => format!("`{given}` is no {noun} here; did you mean `{meant}`?"),
            None => format!("`{given}` is no {noun} here; there are {}", known.join(", ")),
        };
    }
    match said {
        "expected mapping start" => "here must be keys with values, such as `name: value`".to_owned(),
        "expected sequence start" => "here must be a list, such as [one, two]".to_owned(),
        said if said.starts_with("tabs disallowed") => "YAML is indented with spaces, and this is a tab".to_owned(),
        "invalid u16" | "invalid u32" | "invalid u64" | "invalid usize" => {
            "here must be a whole number that is not negative and not too large".to_owned()
        }
        said => match (said.strip_prefix("missing field "), said.strip_prefix("duplicate mapping key: ")) {
            (Some(field), _) => format!("the key {field} is missing"),
            (_, Some(key)) => format!("the key `{key}` is here a second time"),
            (None, None) => said.to_owned(),
        },
    }
}

fn closest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    const ALIKE: f64 = 0.8;
    let alike = |name: &&str| strsim::jaro_winkler(&given.to_lowercase(), &name.to_lowercase());
    let best = known.iter().max_by(|a, b| alike(a).total_cmp(&alike(b)))?;
    (alike(best) >= ALIKE).then_some(best)
}

pub(super) fn says_nothing(text: &str) -> bool {
    text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
}

fn check(config: &Config) -> Result<(), Wrong> {
    check_settings(config)?;
    config.questions.check().map_err(|(key, what)| Wrong::new(format!("questions.{key}"), what))?;
    let analysis = config.settings.agent.completion_analysis.check(config.teams.keys());
    analysis.map_err(|error| Wrong::new("settings.agent.completionAnalysis", error.to_string()))?;
    for (name, team) in &config.teams {
        check_team(team).map_err(|(key, what)| Wrong::new(format!("teams.{name}{key}"), what))?;
    }
    Ok(())
}

fn check_settings(config: &Config) -> Result<(), Wrong> {
    let settings = &config.settings;
    for (key, value) in [
        ("settings.maxProcesses", settings.max_processes as u64),
        ("settings.maxQueue", u64::from(settings.max_queue)),
        ("settings.maxSpawning", settings.max_spawning.map_or(1, |count| count as u64)),
        ("settings.responseTimeout", settings.response_timeout.0),
        ("telemetry.interval", config.telemetry.interval.0),
    ] {
        if value == 0 {
            return Err(Wrong::new(key, "must be at least 1"));
        }
    }
    let known = |url: &String| url.starts_with("postgres://") || url.starts_with("postgresql://");
    if config.database.url.as_ref().is_some_and(|url| !known(url)) {
        let what = "must begin with postgres://; leave it out for the embedded SQLite";
        return Err(Wrong::new("database.url", what));
    }
    if config.telemetry.otlp.as_ref().is_some_and(|url| !url.starts_with("http://") && !url.starts_with("https://")) {
        return Err(Wrong::new("telemetry.otlp", "must be an address such as http://127.0.0.1:4318"));
    }
    Ok(())
}

/// The key within the team, with a dot before it, and what is wrong.
fn check_team(team: &TeamConfig) -> Result<(), (&'static str, String)> {
    if !team.path.is_absolute() {
        return Err((".path", format!("'{}' must be absolute", team.path.display())));
    }
    if team.max_budget_usd.is_some_and(|budget| !budget.is_finite() || budget <= 0.0) {
        return Err((".maxBudgetUsd", "must be more than 0".to_owned()));
    }
    match (&team.agent, &team.script) {
        (AgentKind::Scripted, None) => Err(("", "agent is scripted, so `script` must name a script file".to_owned())),
        (AgentKind::Scripted, Some(script)) if !script.is_absolute() => {
            Err((".script", format!("'{}' must be absolute", script.display())))
        }
        _ => Ok(()),
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
        check("", "0 teams");
        check("# only a comment", "0 teams");
        check("teams:\n  alpha:\n    path: /tmp\n    agent: scripted\n    script: /tmp/s.yaml", "1 teams");
        check("settings:\n  responseTimeout: 2m", "0 teams");
        check("settings:\n  responseTimeout: soon", "config.yaml:2:20: 'soon' is not a duration");
        check("settings:\n  maxProcesses: 0", "config.yaml:2:17: settings.maxProcesses: must be at least 1");
        check(
            "settings:\n  maxProcess: 3",
            "config.yaml:2:3: `maxProcess` is no key here; did you mean `maxProcesses`?",
        );
        check("setings: {}", "config.yaml:1:1: `setings` is no key here; did you mean `settings`?");
        check("settings: { colour: 1 }", "`colour` is no key here; there are sessionInitTimeout");
        check("settings:\n  port: 99999", "config.yaml:2:9: here must be a whole number");
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
        check("questions:\n  deadlines:\n    approval: 0", "questions.deadlines: must be more than 0");
        check("questions:\n  onDeadline: default", "questions.onDeadline: must be fail or wait");
        check("questions:\n  onDeadline: wait\n  deadlines: { blocking: 1h }", "0 teams");
        check("teams: [", "config.yaml:1:8: here must be keys with values");
        check("teams:\n  a:\n    path: ${NOWHERE}", "config.yaml:3:11: the environment has no NOWHERE");
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
            "completionAnalysis: questionPatterns: '(open' is not a pattern",
        );
        check(&analysis("minConfidence: 1.5"), "completionAnalysis: minConfidence must be from 0 to 1, not 1.5");
        check(&analysis("enabledFor: [nobody]"), "enabledFor names 'nobody', and there is no such team");
        check(&analysis("responseTimeout: 0"), "responseTimeout must be more than 0");
        check(&analysis("minConfidenc: 0.5"), "did you mean `minConfidence`?");
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
