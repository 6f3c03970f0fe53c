//! A name that no team has, and which may be meant.

use iris_core::team::TeamName;

use super::Config;
use super::explain::closest;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no team '{name}'")]
pub struct UnknownTeam {
    name: String,
    known: Vec<String>,
}

impl UnknownTeam {
    pub fn hint(&self) -> String {
        let known: Vec<&str> = self.known.iter().map(String::as_str).collect();
        if known.is_empty() {
            return "no team is configured; make the project you are in one: `iris teams add .`".to_owned();
        }
        let meant = closest(&self.name, &known).map(|meant| format!("did you mean '{meant}'? "));
        format!("{}known teams: {}", meant.unwrap_or_default(), known.join(", "))
    }
}

impl Config {
    pub fn unknown_team(&self, name: &TeamName) -> UnknownTeam {
        UnknownTeam { name: name.to_string(), known: self.teams.keys().map(ToString::to_string).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_is_said() {
        let check = |name: &str, known: &[&str], expected: &str| {
            let known = known.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(UnknownTeam { name: name.to_owned(), known }.hint(), expected);
        };
        let known = ["backend", "frontend"];
        check("fronted", &known, "did you mean 'frontend'? known teams: backend, frontend");
        check("nobody", &known, "known teams: backend, frontend");
        check("fronted", &[], "no team is configured; make the project you are in one: `iris teams add .`");
    }
}
