//! Who did something, and how they came in: for the log, where a party alone does not say by which credential it acted.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::Party;

/// A party, and what it came through. In an event they are `by` and `through`, beside each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Actor {
    #[serde(rename = "by")]
    pub party: Party,
    /// Events that were written before this was known have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Through>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Through {
    pub surface: Surface,
    /// The id of the credential that was shown, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// What it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// For a browser: the token that signed it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_in_by: Option<String>,
}

/// Where something was said or done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Surface {
    Api,
    /// `iris` on a command line. It says so itself, as the monitor does.
    Cli,
    Monitor,
    /// A browser that was signed in.
    Dashboard,
    Mcp,
    /// An agent's own pipe, where no credential is shown.
    Pipe,
    /// Nobody said anything: a rule that a person made did.
    Rule,
    /// Nobody said anything in time.
    Deadline,
}

impl Surface {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Cli => "cli",
            Self::Monitor => "monitor",
            Self::Dashboard => "dashboard",
            Self::Mcp => "mcp",
            Self::Pipe => "pipe",
            Self::Rule => "rule",
            Self::Deadline => "deadline",
        }
    }
}

impl From<Party> for Actor {
    fn from(party: Party) -> Self {
        Self { party, through: None }
    }
}

impl From<Surface> for Through {
    fn from(surface: Surface) -> Self {
        Self { surface, credential: None, name: None, signed_in_by: None }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.party.fmt(f)
    }
}

/// `dashboard, browser-1a2b3c of ci`
impl fmt::Display for Through {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.surface.as_str())?;
        if let Some(name) = &self.name {
            write!(f, ", {name}")?;
        }
        match &self.signed_in_by {
            Some(token) => write!(f, " of {token}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_is_read_back_also_from_before_it_was_known_through_what_it_came() {
        let browser = Through {
            surface: Surface::Dashboard,
            credential: Some("9f2c.1a2b3c".to_owned()),
            name: Some("browser-1a2b3c".to_owned()),
            signed_in_by: Some("ci".to_owned()),
        };
        let check = |through: Option<Through>, json: &str| {
            let actor = Actor { party: Party::new("ada"), through };
            assert_eq!(serde_json::to_string(&actor).expect("plain data"), json);
            assert_eq!(serde_json::from_str::<Actor>(json).expect("an actor"), actor);
        };
        check(None, r#"{"by":"ada"}"#);
        check(Some(Surface::Pipe.into()), r#"{"by":"ada","through":{"surface":"pipe"}}"#);
        check(
            Some(browser.clone()),
            r#"{"by":"ada","through":{"surface":"dashboard","credential":"9f2c.1a2b3c","name":"browser-1a2b3c","signedInBy":"ci"}}"#,
        );
        assert_eq!(browser.to_string(), "dashboard, browser-1a2b3c of ci");
    }
}
