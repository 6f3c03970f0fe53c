//! Credentials: who holds one and what it opens. People and agents hold different kinds; nothing makes one the other.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a credential was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CredentialKind {
    /// The token in IRIS_HOME: whoever can read it owns Iris.
    Owner,
    /// A token that a person or a person's program uses.
    Human,
    /// A browser that was signed in by a one-time link.
    Browser,
    /// A token for an agent outside of Iris's own pipes. It speaks for one team and can never decide anything.
    Agent,
}

impl CredentialKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Human => "human",
            Self::Browser => "browser",
            Self::Agent => "agent",
        }
    }

    pub fn is_human(self) -> bool {
        self != Self::Agent
    }
}

impl FromStr for CredentialKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Owner, Self::Human, Self::Browser, Self::Agent]
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| format!("'{text}' is no kind of credential"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// See everything.
    Read,
    /// Tell teams, wake them, break off what they do, run jobs.
    Tell,
    /// Answer questions.
    Answer,
    /// Everything that changes who may do what: tokens, trust, backups, the kill switch.
    Admin,
}

const SCOPES: [Scope; 4] = [Scope::Read, Scope::Tell, Scope::Answer, Scope::Admin];

impl Scope {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Tell => "tell",
            Self::Answer => "answer",
            Self::Admin => "admin",
        }
    }
}

/// A set of scopes, written `read,tell`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    pub const ALL: Self = Self(0b1111);

    pub fn contains(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u8) != 0
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        SCOPES.into_iter().filter(move |scope| self.contains(*scope))
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<T: IntoIterator<Item = Scope>>(scopes: T) -> Self {
        Self(scopes.into_iter().fold(0, |set, scope| set | 1 << scope as u8))
    }
}

impl FromStr for Scopes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = |name: &str| {
            SCOPES
                .into_iter()
                .find(|scope| scope.as_str() == name)
                .ok_or_else(|| format!("'{name}' is no scope; there are read, tell, answer and admin"))
        };
        text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(named).collect()
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(Scope::as_str).collect();
        f.write_str(&names.join(","))
    }
}

/// What a door asks of whoever wants to go through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Door {
    /// `None`: every credential will do.
    pub scope: Option<Scope>,
    pub agents: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("an agent's credential does not open this")]
    NotForAgents,
    #[error("this credential lacks the scope '{}'", .0.as_str())]
    LacksScope(Scope),
}

pub fn opens(door: Door, kind: CredentialKind, scopes: Scopes) -> Result<(), Refusal> {
    if kind == CredentialKind::Agent && !door.agents {
        return Err(Refusal::NotForAgents);
    }
    match door.scope {
        Some(scope) if !scopes.contains(scope) => Err(Refusal::LacksScope(scope)),
        _ => Ok(()),
    }
}

/// What a credential of a kind may be given at most.
pub fn may_be_given(kind: CredentialKind, scopes: Scopes) -> Result<(), String> {
    let beyond = [Scope::Answer, Scope::Admin].into_iter().find(|scope| scopes.contains(*scope));
    match beyond {
        _ if scopes == Scopes::default() => Err("a token without any scope opens nothing".to_owned()),
        Some(scope) if kind == CredentialKind::Agent => {
            Err(format!("an agent's token never gets the scope '{}': agents do not decide", scope.as_str()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_and_written() {
        let scopes: Scopes = "tell, read".parse().expect("two scopes");
        assert_eq!(scopes.to_string(), "read,tell");
        assert!(scopes.contains(Scope::Read) && !scopes.contains(Scope::Admin));
        assert_eq!(Scopes::ALL.iter().count(), SCOPES.len());
        assert!("root".parse::<Scopes>().expect_err("no such scope").contains("there are read"));
    }

    #[test]
    fn no_agent_gets_through_a_door_for_people_whatever_its_scopes() {
        for scope in SCOPES {
            let door = Door { scope: Some(scope), agents: false };
            assert_eq!(opens(door, CredentialKind::Agent, Scopes::ALL), Err(Refusal::NotForAgents));
            assert_eq!(opens(door, CredentialKind::Human, Scopes::ALL), Ok(()));
            assert_eq!(opens(door, CredentialKind::Human, Scopes::default()), Err(Refusal::LacksScope(scope)));
        }
    }

    #[test]
    fn no_agent_is_given_the_right_to_decide() {
        for scope in SCOPES {
            let scopes = Scopes::from_iter([scope]);
            let decides = matches!(scope, Scope::Answer | Scope::Admin);
            assert_eq!(may_be_given(CredentialKind::Agent, scopes).is_err(), decides);
            assert!(may_be_given(CredentialKind::Human, scopes).is_ok());
        }
        assert!(may_be_given(CredentialKind::Human, Scopes::default()).is_err());
    }
}
