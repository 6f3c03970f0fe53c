//! What a config must be beyond its form: values that go together, names that exist.

use iris_core::team::{AgentKind, GrantPermission};

use super::color::is_color;
use super::listen::{check_names, listening_address};
use super::load::has_key;
use super::place::{Spot, locate, locate_item, locate_name};
use super::{AnalysisError, Config, TeamConfig};

/// What a check found: the key, as a path, and what is wrong with it.
pub(super) struct Wrong {
    pub key: String,
    pub what: String,
    pub hint: Option<&'static str>,
    /// Which item it is of what is under the key.
    item: Option<usize>,
    /// Which name it is of what is under the key.
    name: Option<String>,
    /// Where it is, in a text with such a key.
    find: fn(&str, &str) -> Option<Spot>,
}

impl Wrong {
    pub fn place(&self, yaml: &str) -> Option<Spot> {
        let item = self.item.and_then(|item| locate_item(yaml, &self.key, item));
        let name = || locate_name(yaml, &format!("{}.{}", self.key, self.name.as_ref()?));
        item.or_else(name).or_else(|| (self.find)(yaml, &self.key))
    }

    fn new(key: impl Into<String>, what: impl Into<String>) -> Self {
        Self { key: key.into(), what: what.into(), hint: None, item: None, name: None, find: locate }
    }
}

/// What is wrong with a config that could be read. `yaml` is what it was read from.
pub(super) fn check(config: &Config, yaml: &str) -> Result<(), Wrong> {
    check_settings(config)?;
    config.questions.check().map_err(|(key, what)| Wrong::new(format!("questions.{key}"), what))?;
    let patterns = &config.settings.agent.completion_analysis.question_patterns;
    let analysis = config.settings.agent.completion_analysis.check(config.teams.keys());
    analysis.map_err(|error| {
        let mut keys = error.keys().iter().map(|key| format!("settings.agent.completionAnalysis.{key}"));
        let first = keys.next().unwrap_or_default();
        let written = if has_key(yaml, &first) { None } else { keys.find(|key| has_key(yaml, key)) };
        let item = match &error {
            AnalysisError::Team { item, .. } => Some(*item),
            AnalysisError::Pattern(error) => patterns.iter().position(|pattern| *pattern == error.pattern),
            _ => None,
        };
        Wrong { item, ..Wrong::new(written.unwrap_or(first), error.to_string()) }
    })?;
    for (name, team) in &config.teams {
        if let Some(who) = name.is_taken_by() {
            let what = format!("'{name}' is the name of {who}, so no team can have it; give the team another");
            return Err(Wrong { hint: Some(RENAMED), find: locate_name, ..Wrong::new(format!("teams.{name}"), what) });
        }
        check_team(team).map_err(|wrong| Wrong { key: format!("teams.{name}{}", wrong.key), ..wrong })?;
    }
    Ok(())
}

const RENAMED: &str =
    "change the name in that line; what was said with it before is kept, and `iris sessions list` shows it";

fn check_settings(config: &Config) -> Result<(), Wrong> {
    let settings = &config.settings;
    for (key, value) in [
        ("settings.maxProcesses", settings.max_processes as u64),
        ("settings.maxQueue", u64::from(settings.max_queue)),
        ("settings.maxSpawning", settings.max_spawning.map_or(1, |count| count as u64)),
        ("settings.sessionInitTimeout", settings.session_init_timeout.0),
        ("settings.responseTimeout", settings.response_timeout.0),
        ("telemetry.interval", config.telemetry.interval.0),
        ("database.pollInterval", config.database.poll_interval.0),
    ] {
        if value == 0 {
            return Err(Wrong::new(key, "must be at least 1"));
        }
    }
    listening_address(&settings.host, &config.server)
        .map_err(|refused| Wrong { hint: Some(refused.hint), ..Wrong::new("settings.host", refused.what) })?;
    check_names(&config.server).map_err(|(key, item, refused)| Wrong {
        hint: Some(refused.hint),
        item: Some(item),
        ..Wrong::new(format!("server.{key}"), refused.what)
    })?;
    let known = |url: &String| url.starts_with("postgres://") || url.starts_with("postgresql://");
    if config.database.url.as_ref().is_some_and(|url| !known(url)) {
        let what = "must begin with postgres://; leave it out for the embedded SQLite";
        return Err(Wrong::new("database.url", what));
    }
    if let Some(Err(what)) = config.database.url.as_deref().map(iris_store::check_url) {
        return Err(Wrong::new("database.url", what));
    }
    if config.telemetry.otlp.as_ref().is_some_and(|url| !url.starts_with("http://") && !url.starts_with("https://")) {
        return Err(Wrong::new("telemetry.otlp", "must be an address such as http://127.0.0.1:4318"));
    }
    Ok(())
}

/// What is wrong by its key within the team, with a dot before it.
fn check_team(team: &TeamConfig) -> Result<(), Wrong> {
    if !team.path.is_absolute() {
        return Err(Wrong::new(".path", format!("'{}' must be absolute", team.path.display())));
    }
    if team.max_budget_usd.is_some_and(|budget| !budget.is_finite() || budget <= 0.0) {
        return Err(Wrong::new(".maxBudgetUsd", "must be more than 0"));
    }
    // No program can be started with such a thing.
    if let Some(name) = team.env.keys().find(|name| name.is_empty() || name.contains(['=', '\0'])) {
        let what = format!("'{}' is no name of a variable", name.escape_debug());
        return Err(Wrong { name: Some(name.clone()), ..Wrong::new(".env", what) });
    }
    if let Some((name, _)) = team.env.iter().find(|(_, value)| value.contains('\0')) {
        let what = format!("there is a NUL character in {name}, which no variable can have");
        return Err(Wrong { name: Some(name.clone()), ..Wrong::new(".env", what) });
    }
    if let Some(item) = team.args.iter().position(|word| word.contains('\0')) {
        let what = "there is a NUL character in it, which no argument can have";
        return Err(Wrong { item: Some(item), ..Wrong::new(".args", what) });
    }
    if !iris_agents::launch::is_built(team.agent) {
        let kind = team.agent.as_str();
        return Err(Wrong::new(
            ".agent",
            format!("agents of kind '{kind}' are not built into this version of Iris; there are claude and scripted"),
        ));
    }
    if let Some(color) = team.color.as_ref().filter(|color| !is_color(color)) {
        let what = format!("'{color}' is no colour; write one such as '#3366ff', in quotes, or a name such as teal");
        return Err(Wrong::new(".color", what));
    }
    if team.skip_permissions && team.grant() != GrantPermission::Yes {
        let what = "true means `grantPermission: yes`, and `grantPermission` says something else; take one of them out";
        return Err(Wrong::new(".skipPermissions", what));
    }
    match (&team.agent, &team.script) {
        (kind, Some(_)) if *kind != AgentKind::Scripted => {
            let what = format!("only a scripted agent plays one, and this one is {}", kind.as_str());
            Err(Wrong::new(".script", format!("{what}; take it out, or write `agent: scripted`")))
        }
        (AgentKind::Scripted, None) => Err(Wrong::new("", "agent is scripted, so `script` must name a script file")),
        (AgentKind::Scripted, Some(script)) if !script.is_absolute() => {
            Err(Wrong::new(".script", format!("'{}' must be absolute", script.display())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    fn check(text: &str, expected: &str) {
        let found = match super::super::parse(Path::new("config.yaml"), text, |_| None) {
            Ok(config) => format!("{} teams", config.teams.len()),
            Err(error) => error.to_string(),
        };
        assert!(found.contains(expected), "{text}\nfound: {found}");
    }

    #[test]
    fn the_very_key_and_item_is_pointed_at() {
        let questions = |text: &str| format!("questions:\n  {}", text.replace('\n', "\n  "));
        check(&questions("perMinute: 5\nopenPerSession: 0"), "3:19: questions.openPerSession: must be at least 1");
        let deadlines = "deadlines:\n  blocking: 30m\n  approval: 1m";
        check(&questions(deadlines), "4:15: questions.deadlines.approval: must be between shortestDeadline (5m) and");
        let narrow = "shortestDeadline: 1m\nlongestDeadline: 10m\ndeadlines: { approval: 30s }";
        check(&questions(narrow), "between shortestDeadline (1m) and longestDeadline (10m)");
        check(&questions("longestDeadline: 1m"), "2:20: questions.longestDeadline: must not be less than shortest");
        check(&questions("shortestDeadline: 2d"), "2:21: questions.shortestDeadline: must not be more than longest");
        let analysis = |line: &str| {
            format!(
                "settings:\n  agent:\n    completionAnalysis:\n      enabled: true\n      useQuickCheck: true\n      {line}\n"
            )
        };
        check(&analysis("minConfidence: 2"), "6:22: settings.agent.completionAnalysis.minConfidence: must be from 0");
        check(
            &analysis("questionPatterns:\n        - fine\n        - '(open'"),
            "8:11: settings.agent.completionAnalysis.",
        );
        check(&analysis("patterns: ['(open']"), "6:18: settings.agent.completionAnalysis.patterns: '(open' is not");
        let named = analysis("enabledFor: [alpha, alpa]") + "teams: { alpha: { path: /a } }\n";
        check(
            &named,
            "6:27: settings.agent.completionAnalysis.enabledFor: there is no team 'alpa'; did you mean `alpha`?",
        );
        check("server:\n  allowedHosts:\n    - a.example\n    - '*'\n", "4:7: server.allowedHosts: '*' is no name");
        check("server:\n  allowedOrigins: [{}, x]\n", "config.yaml:2:");
    }
}
