//! Reading the config file: all of it is right, or none of it is used.

use std::path::{Path, PathBuf};

use iris_core::team::AgentKind;

use super::analysis::AnalysisError;
use super::expand::{ExpandError, expand};
use super::{Config, TeamConfig};

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{} cannot be read ({source})", .path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{}: {source}", .path.display())]
    Expand { path: PathBuf, source: ExpandError },
    #[error("{}: {what}", .path.display())]
    Yaml { path: PathBuf, what: String },
    #[error("{}: teams.{team}: {what}", .path.display())]
    Team { path: PathBuf, team: String, what: String },
    #[error("{}: database.url must begin with postgres://; leave it out for the embedded SQLite", .path.display())]
    Database { path: PathBuf },
    #[error("{}: settings.agent.completionAnalysis: {source}", .path.display())]
    Analysis { path: PathBuf, source: AnalysisError },
    #[error("{}: settings.{key}: {what}", .path.display())]
    Setting { path: PathBuf, key: &'static str, what: &'static str },
}

/// Reads the config; a file that is not there is an empty config.
pub fn load(path: &Path) -> Result<Config, ConfigError> {
    match std::fs::read_to_string(path) {
        Ok(text) => parse(path, &text, |name| std::env::var(name).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Config::default()),
        Err(source) => Err(ConfigError::Unreadable { path: path.to_owned(), source }),
    }
}

pub fn parse(path: &Path, text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Config, ConfigError> {
    let text = expand(text, variable).map_err(|source| ConfigError::Expand { path: path.to_owned(), source })?;
    let nothing_said = text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
    if nothing_said {
        return Ok(Config::default());
    }
    let config: Config = serde_saphyr::from_str(&text)
        .map_err(|error| ConfigError::Yaml { path: path.to_owned(), what: error.to_string() })?;
    check_settings(path, &config)?;
    let analysis = config.settings.agent.completion_analysis.check(config.teams.keys());
    analysis.map_err(|source| ConfigError::Analysis { path: path.to_owned(), source })?;
    for (name, team) in &config.teams {
        check_team(team).map_err(|what| ConfigError::Team { path: path.to_owned(), team: name.to_string(), what })?;
    }
    Ok(config)
}

fn check_settings(path: &Path, config: &Config) -> Result<(), ConfigError> {
    let wrong = |key, what| Err(ConfigError::Setting { path: path.to_owned(), key, what });
    let settings = &config.settings;
    if settings.max_processes == 0 {
        return wrong("maxProcesses", "must be at least 1");
    }
    if settings.max_queue == 0 {
        return wrong("maxQueue", "must be at least 1");
    }
    if settings.max_spawning == Some(0) {
        return wrong("maxSpawning", "must be at least 1");
    }
    let known = |url: &String| url.starts_with("postgres://") || url.starts_with("postgresql://");
    if config.database.url.as_ref().is_some_and(|url| !known(url)) {
        return Err(ConfigError::Database { path: path.to_owned() });
    }
    if settings.response_timeout.0 == 0 {
        return wrong("responseTimeout", "must be more than 0");
    }
    Ok(())
}

fn check_team(team: &TeamConfig) -> Result<(), String> {
    if !team.path.is_absolute() {
        return Err(format!("path '{}' must be absolute", team.path.display()));
    }
    if team.max_budget_usd.is_some_and(|budget| !budget.is_finite() || budget <= 0.0) {
        return Err("maxBudgetUsd must be more than 0".to_owned());
    }
    match (&team.agent, &team.script) {
        (AgentKind::Scripted, None) => Err("agent is scripted, so `script` must name a script file".to_owned()),
        (AgentKind::Scripted, Some(script)) if !script.is_absolute() => {
            Err(format!("script '{}' must be absolute", script.display()))
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
        check("settings:\n  responseTimeout: soon", "is not a duration");
        check("settings:\n  maxProcesses: 0", "settings.maxProcesses: must be at least 1");
        check("settings:\n  maxProcess: 3", "maxProcess");
        check("teams:\n  a/b:\n    path: /tmp", "is not a team name");
        check("teams:\n  alpha:\n    path: here", "teams.alpha: path 'here' must be absolute");
        check("teams:\n  alpha:\n    path: /tmp\n    agent: scripted", "teams.alpha: agent is scripted");
        check("database:\n  url: mysql://x", "database.url must begin with postgres://");
        check("teams: [", "config.yaml");
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
        check(&analysis("minConfidenc: 0.5"), "minConfidenc");
    }
}
