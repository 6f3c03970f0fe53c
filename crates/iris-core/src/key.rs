//! Keys by which a tell, a job or a question that comes again is known. Everybody has keys of their own: what one caller
//! names is never found, nor taken away, by another, and never by what Iris does itself.

use crate::id::{Party, SessionId};

/// Whose keys. The first word says of what kind, so that no two kinds ever meet, and what follows cannot be continued by
/// a key: ids have no slash in them, and a party's length stands before it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyHolder(String);

impl KeyHolder {
    /// Whoever shows the credential.
    pub fn credential(id: &str) -> Self {
        Self(format!("credential/{id}"))
    }

    /// Whoever shows the credential and speaks for the party. Two windows of one user in the folders of two teams are two.
    pub fn speaker(credential: &str, party: &Party) -> Self {
        Self(format!("speaker/{credential}/{}/{party}", party.as_str().len()))
    }

    /// An agent on its own pipe.
    pub fn agent(session: &SessionId) -> Self {
        Self(format!("agent/{session}"))
    }

    /// Iris itself.
    pub fn iris() -> Self {
        Self("iris".to_owned())
    }

    pub fn key(&self, given: &str) -> Key {
        Key { kept: format!("{}/{given}", self.0), given: given.len() }
    }
}

/// A key as it is kept, with whose it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    kept: String,
    given: usize,
}

impl Key {
    pub fn as_str(&self) -> &str {
        &self.kept
    }

    /// How long it was when it was given.
    pub fn given_bytes(&self) -> usize {
        self.given
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Whatever is given as a key, and whatever party is named, it is nobody else's.
    #[test]
    fn nobody_can_give_the_key_of_another() {
        let speaker = |credential: &str, party: &str| KeyHolder::speaker(credential, &Party::new(party));
        let holders = [
            KeyHolder::iris(),
            KeyHolder::credential("owner"),
            KeyHolder::credential("owner.1a2b"),
            KeyHolder::agent(&SessionId::new("s")),
            speaker("owner", "alpha"),
            speaker("owner", "a"),
            speaker("owner", "a/b"),
            speaker("1a2b", "alpha"),
        ];
        let given = ["", "answer/1", "/answer/1", "b", "b/c", "iris/answer/1", "owner/5/alpha/k", "/1/a/b", "5/alpha"];
        let mut seen = HashSet::new();
        for holder in &holders {
            for given in given {
                assert!(seen.insert(holder.key(given)), "{holder:?} {given}");
            }
        }
        assert_eq!(KeyHolder::iris().key("answer/1").as_str(), "iris/answer/1");
    }
}
