//! A team: a named project folder and how its agent runs.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// The name of a team: letters, digits, `-`, `_` and `.`, starting with a letter or digit. It appears in file names and
/// in URLs, so nothing that means something there is let through.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(with = "String")]
pub struct TeamName(Arc<str>);

/// Parties that are no team and always there.
const PARTIES: [(&str, &str); 2] = [("user", "the person at Iris"), ("outside", "whoever asks and is no team")];

const LONGEST_TEAM_NAME: usize = 64;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a team name; use 1 to 64 letters, digits, '-', '_' or '.', starting with a letter or digit")]
pub struct TeamNameError(String);

impl TeamName {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Who else is called so. What a team of that name says and what they say would be one conversation, so it is no name
    /// for a new team; it is still read where one had it before.
    pub fn is_taken_by(&self) -> Option<&'static str> {
        let taken = PARTIES.iter().find(|(name, _)| self.0.eq_ignore_ascii_case(name));
        taken.map(|(_, who)| *who)
    }
}

impl FromStr for TeamName {
    type Err = TeamNameError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let well_formed = name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.len() <= LONGEST_TEAM_NAME
            && name.chars().all(allowed);
        if well_formed { Ok(Self(name.into())) } else { Err(TeamNameError(name.chars().take(80).collect())) }
    }
}

impl fmt::Display for TeamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for TeamName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Which program serves a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgentKind {
    #[default]
    Claude,
    Codex,
    Acp,
    Scripted,
}

impl AgentKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Acp => "acp",
            Self::Scripted => "scripted",
        }
    }
}

/// Who decides when an agent asks leave to use a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GrantPermission {
    Yes,
    No,
    #[default]
    Ask,
    Forward,
}

/// What happens to a turn that was running when the daemon died, so that its outcome is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnInterrupted {
    /// It ends as terminated, and says that its outcome is unknown.
    #[default]
    Stop,
    /// It is queued again at its old place, and says that it may run a second time.
    Resume,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, valid: bool) {
        assert_eq!(name.parse::<TeamName>().is_ok(), valid, "{name:?}");
    }

    #[test]
    fn a_name_is_safe_in_paths_and_urls() {
        check("alpha", true);
        check("team-iris_2.0", true);
        check("7", true);
        check("", false);
        check("..", false);
        check(".hidden", false);
        check("a/b", false);
        check("a b", false);
        check("ünïcode", false);
        check("a\0", false);
        check(&"x".repeat(64), true);
        check(&"x".repeat(65), false);
    }

    #[test]
    fn parties_that_are_no_team_keep_their_names() {
        for (name, is_taken) in [("user", true), ("User", true), ("outside", true), ("users", false), ("iris", false)] {
            let team: TeamName = name.parse().expect("a name");
            assert_eq!(team.is_taken_by().is_some(), is_taken, "{name}");
        }
    }
}
