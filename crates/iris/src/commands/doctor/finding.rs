//! One thing that was looked at: how it is, what that means, what helps.

use serde::Serialize;

use super::fix::Remedy;

#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub check: &'static str,
    pub verdict: Verdict,
    pub what: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// What `--fix` did, or why it could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
    #[serde(skip)]
    pub remedy: Option<Remedy>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Ok,
    /// It was wrong, and `--fix` put it right.
    Fixed,
    Warning,
    Problem,
}

impl Finding {
    pub fn ok(check: &'static str, what: impl Into<String>) -> Self {
        Self { check, verdict: Verdict::Ok, what: what.into(), help: None, done: None, remedy: None }
    }

    pub fn warning(check: &'static str, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { verdict: Verdict::Warning, help: Some(help.into()), ..Self::ok(check, what) }
    }

    pub fn problem(check: &'static str, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { verdict: Verdict::Problem, help: Some(help.into()), ..Self::ok(check, what) }
    }

    /// What `--fix` would do about it.
    pub fn fixed_by(mut self, remedy: Remedy) -> Self {
        self.remedy = Some(remedy);
        self
    }

    pub fn can_be_fixed(&self) -> bool {
        self.remedy.is_some() && matches!(self.verdict, Verdict::Warning | Verdict::Problem)
    }
}
