//! What somebody may be called who begins a conversation. It stands in the log and on screens, beside others: it is seen
//! whole, and is not one of Iris's own names.

use iris_core::id::Party;
use iris_core::visible::acts;

use crate::engine::Engine;
use crate::token::RESERVED;

const LONGEST: usize = 128;
/// How much of a name that will not do is said.
const SHOWN: usize = 60;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadParty {
    #[error("'{0}' is not a party; use 1 to {LONGEST} printable characters, with no space at either end")]
    Unprintable(String),
    #[error("'{0}' has a meaning of its own in the log, and is not a party")]
    Reserved(String),
}

impl BadParty {
    pub fn hint(&self) -> String {
        "name a team or a person in fromTeam, or leave it out".to_owned()
    }
}

impl Engine {
    /// Whether a conversation may be of this party. A team may be called anything that a team can be called.
    pub(crate) fn check_party(&self, party: &Party) -> Result<(), BadParty> {
        let is_team = |name: &str| self.inner.config().teams.keys().any(|team| team.as_str() == name);
        check(party.as_str(), is_team)
    }
}

fn check(name: &str, is_team: impl Fn(&str) -> bool) -> Result<(), BadParty> {
    if name.is_empty() || name.chars().count() > LONGEST || name.trim() != name || name.chars().any(acts) {
        return Err(BadParty::Unprintable(shown(name)));
    }
    if RESERVED.contains(&name.to_lowercase().as_str()) && !is_team(name) {
        return Err(BadParty::Reserved(name.to_owned()));
    }
    Ok(())
}

fn shown(name: &str) -> String {
    name.chars().take(SHOWN).flat_map(|c| if acts(c) { c.escape_unicode().collect() } else { vec![c] }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_party_is_seen_whole_and_is_nobody_of_iris() {
        let check = |name: &str| check(name, |name| name == "iris");
        let longest = "ä".repeat(LONGEST);
        for good in ["user", "Ada Lovelace", "päule", "job-1", "iris", "ownership", &longest] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let bad = ["", "a\u{202e}b", "a\u{200b}b", "a\u{a0}b", "a\u{2066}b", "a\nb", "owner ", " user", " "];
        for bad in bad.into_iter().chain([format!("{longest}ä").as_str()]) {
            let said = check(bad).expect_err("it is refused").to_string();
            assert!(said.contains("1 to 128 printable characters") && !said.chars().any(acts), "{said}");
        }
        assert_eq!(check("a\u{202e}b"), Err(BadParty::Unprintable("a\\u{202e}b".to_owned())));
        for bad in ["owner", "Owner", "IRIS", "rule", "deadline", "iris-agent"] {
            assert_eq!(check(bad), Err(BadParty::Reserved(bad.to_owned())));
        }
    }
}
