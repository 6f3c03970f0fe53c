//! What a deployment may set about detection, ready for use.

use regex::{Regex, RegexBuilder};

/// The patterns Iris has always listed. The rules cover them and more, so by themselves they prove nothing: "ends with
/// a question mark" is true of most polite closings too.
pub const STANDARD_PATTERNS: &[&str] =
    &[r"\?$", r"\b(y/n|yes/no)\b", "ready to proceed", "should I continue", "may I proceed"];

/// Larger patterns take more memory than a phrase is worth.
const PATTERN_LIMIT: usize = 1 << 20;

#[derive(Clone, Debug)]
pub struct DetectSettings {
    /// Below this a reply is not said to need an answer.
    pub min_confidence: f64,
    /// Replies without a question mark are read only at their beginning and end.
    pub quick_check: bool,
    /// Patterns of this deployment's own; a sentence that matches one asks.
    pub(super) patterns: Vec<Regex>,
}

impl Default for DetectSettings {
    fn default() -> Self {
        Self::new(0.70, true)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("'{pattern}' is not a pattern ({source})")]
pub struct PatternError {
    pub pattern: String,
    pub source: Box<regex::Error>,
}

impl DetectSettings {
    pub fn new(min_confidence: f64, quick_check: bool) -> Self {
        Self { min_confidence, quick_check, patterns: Vec::new() }
    }

    /// With patterns of one's own, which are matched without regard to case and line by line.
    pub fn with_patterns<'a>(mut self, patterns: impl IntoIterator<Item = &'a str>) -> Result<Self, PatternError> {
        for pattern in patterns.into_iter().filter(|pattern| !STANDARD_PATTERNS.contains(pattern)) {
            let built = RegexBuilder::new(pattern)
                .case_insensitive(true)
                .multi_line(true)
                .size_limit(PATTERN_LIMIT)
                .build()
                .map_err(|source| PatternError { pattern: pattern.to_owned(), source: Box::new(source) })?;
            self.patterns.push(built);
        }
        Ok(self)
    }
}
