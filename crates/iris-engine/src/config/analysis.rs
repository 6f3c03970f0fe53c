//! `settings.agent.completionAnalysis`: whether what an agent says at the end of a turn is looked at for questions, and
//! how.

use iris_core::detect::{DetectSettings, PatternError, STANDARD_PATTERNS};
use iris_core::duration::Millis;
use iris_core::team::TeamName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::explain::closest;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct AgentSettings {
    pub completion_analysis: CompletionAnalysis,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct CompletionAnalysis {
    /// Whether the replies of agents are read for questions.
    pub enabled: bool,
    /// The teams whose replies are looked at; `*` is all of them.
    pub enabled_for: Vec<String>,
    /// Regular expressions for a sentence that asks, beside what Iris knows by itself.
    #[serde(alias = "patterns")]
    pub question_patterns: Vec<String>,
    /// Below this a reply is not taken to need an answer.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_confidence: f64,
    /// Replies without a question mark are read only at their beginning and end.
    pub use_quick_check: bool,
    /// How long a detected question waits for the party that told the agent, before a human is asked.
    pub response_timeout: Millis,
}

impl Default for CompletionAnalysis {
    fn default() -> Self {
        let standard = DetectSettings::default();
        Self {
            enabled: true,
            enabled_for: vec!["*".to_owned()],
            question_patterns: STANDARD_PATTERNS.iter().map(|&pattern| pattern.to_owned()).collect(),
            min_confidence: standard.min_confidence,
            use_quick_check: standard.quick_check,
            response_timeout: Millis::seconds(30),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    #[error("{0}")]
    Pattern(#[from] PatternError),
    #[error("must be from 0 to 1, not {0}")]
    Confidence(f64),
    #[error("there is no team '{name}'; {}", meant(.closest))]
    Team { name: String, item: usize, closest: Option<String> },
    #[error("must be more than 0")]
    Timeout,
}

impl AnalysisError {
    /// The key that is wrong, by each of its names.
    pub(super) fn keys(&self) -> &'static [&'static str] {
        match self {
            Self::Pattern(_) => &["questionPatterns", "patterns"],
            Self::Confidence(_) => &["minConfidence"],
            Self::Team { .. } => &["enabledFor"],
            Self::Timeout => &["responseTimeout"],
        }
    }
}

fn meant(closest: &Option<String>) -> String {
    match closest {
        Some(name) => format!("did you mean `{name}`?"),
        None => "write a team's name, or \"*\" for all".to_owned(),
    }
}

impl CompletionAnalysis {
    pub fn applies_to(&self, team: &TeamName) -> bool {
        self.enabled && self.enabled_for.iter().any(|name| name == "*" || name == team.as_str())
    }

    /// Ready for use by `iris_core::detect::detect`.
    pub fn detect_settings(&self) -> Result<DetectSettings, PatternError> {
        let settings = DetectSettings::new(self.min_confidence, self.use_quick_check);
        settings.with_patterns(self.question_patterns.iter().map(String::as_str))
    }

    pub(super) fn check<'a>(&self, teams: impl Iterator<Item = &'a TeamName>) -> Result<(), AnalysisError> {
        self.detect_settings()?;
        if !(0.0..=1.0).contains(&self.min_confidence) {
            return Err(AnalysisError::Confidence(self.min_confidence));
        }
        if self.response_timeout.0 == 0 {
            return Err(AnalysisError::Timeout);
        }
        let teams: Vec<&str> = teams.map(TeamName::as_str).collect();
        let mut named = self.enabled_for.iter().enumerate();
        match named.find(|(_, name)| *name != "*" && !teams.contains(&name.as_str())) {
            None => Ok(()),
            Some((item, name)) => {
                let closest = closest(name, &teams).map(str::to_owned);
                Err(AnalysisError::Team { name: name.clone(), item, closest })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_teams_or_those_that_are_named() {
        let team: TeamName = "alpha".parse().expect("a name");
        let named = |names: &[&str]| CompletionAnalysis {
            enabled_for: names.iter().map(|&name| name.to_owned()).collect(),
            ..CompletionAnalysis::default()
        };
        assert!(CompletionAnalysis::default().applies_to(&team));
        assert!(named(&["beta", "alpha"]).applies_to(&team));
        assert!(!named(&["beta"]).applies_to(&team));
        assert!(!CompletionAnalysis { enabled: false, ..CompletionAnalysis::default() }.applies_to(&team));
    }
}
