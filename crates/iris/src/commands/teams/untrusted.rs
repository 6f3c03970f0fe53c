//! What a new team's folder brings along and nobody has trusted: its first agent starts without it, and should not do so
//! without a word.

use std::path::PathBuf;

use iris_api::team::Trust;
use iris_core::team::TeamName;
use iris_core::visible::in_line;
use iris_engine::{config, trust};

use super::add::file;
use crate::client::ClientError;
use crate::commands::Context;

/// So many are named; of the rest, how many.
const NAMED: usize = 3;

/// What nobody has trusted.
#[derive(Default)]
pub struct Untrusted {
    pub files: Vec<PathBuf>,
    /// Why they cannot be trusted: which of them cannot be read.
    pub unreadable: Option<String>,
}

/// A daemon knows whether they are trusted already, as by another team in the same folder; where none runs all of them are
/// given.
pub async fn look(name: &TeamName, context: &Context) -> Untrusted {
    let looked_at = async {
        let client = context.client();
        if client.finds_a_daemon() {
            return match client.get::<Trust>(&["teams", name.as_str(), "trust"], &[]).await {
                Ok(found) if found.trusted => Vec::new().into(),
                Ok(found) => found.files.into_iter().map(PathBuf::from).collect::<Vec<_>>().into(),
                Err(ClientError::Refused(problem)) if problem.kind == "invalid" => {
                    Untrusted::unreadable(problem.detail)
                }
                // As of a daemon that is gone meanwhile.
                Err(_) => Untrusted::default(),
            };
        }
        let config = config::load(&file(context)).ok();
        let Some(team) = config.as_ref().and_then(|config| config.teams.get(name)) else { return Untrusted::default() };
        trust::files(team).await.map_or_else(|error| Untrusted::unreadable(error.to_string()), Untrusted::from)
    };
    context.printer.indicator().notice("looking at what the folder brings along", looked_at).await
}

impl From<Vec<PathBuf>> for Untrusted {
    fn from(files: Vec<PathBuf>) -> Self {
        Self { files, unreadable: None }
    }
}

impl Untrusted {
    fn unreadable(why: String) -> Self {
        Self { files: Vec::new(), unreadable: Some(why) }
    }

    pub fn told(&self, name: &TeamName) -> Option<String> {
        let unreadable = |why: &String| format!("{}; until that is put right, none of them takes effect", in_line(why));
        self.unreadable.as_ref().map(unreadable).or_else(|| told(name, &self.files))
    }
}

fn told(name: &TeamName, files: &[PathBuf]) -> Option<String> {
    let named: Vec<_> =
        files.iter().take(NAMED).map(|file| in_line(&file.display().to_string()).into_owned()).collect();
    let listed = match (named.as_slice(), files.len().saturating_sub(NAMED)) {
        ([], _) => return None,
        ([one], _) => return Some(format!("{one} in it takes no effect until you trust it: iris trust {name}")),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (named, more) => format!("{} and {more} more", named.join(", ")),
    };
    Some(format!("{listed} in it take no effect until you trust them: iris trust {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_named() {
        let name: TeamName = "shop".parse().expect("a name");
        let check = |count: usize, expected: Option<&str>| {
            let files: Vec<_> = ["a", "b", "c", "d", "e"].iter().take(count).map(PathBuf::from).collect();
            let expected = expected.map(|expected| format!("{expected}: iris trust shop"));
            assert_eq!(told(&name, &files), expected);
        };
        check(0, None);
        check(1, Some("a in it takes no effect until you trust it"));
        check(2, Some("a and b in it take no effect until you trust them"));
        check(3, Some("a, b and c in it take no effect until you trust them"));
        check(5, Some("a, b, c and 2 more in it take no effect until you trust them"));
        let hostile = told(&name, &[PathBuf::from("a\n\u{1b}[31mb")]).expect("one");
        assert!(hostile.starts_with("a\\n\\u{1b}[31mb in it"), "{hostile:?}");
    }
}
