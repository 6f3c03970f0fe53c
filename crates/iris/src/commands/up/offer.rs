//! Where somebody runs `iris up` is where they work: that folder could be a team.

use std::path::{Path, PathBuf};

use iris_api::team::Team;
use iris_core::team::TeamName;
use serde::Serialize;

use super::Up;
use crate::commands::Context;
use crate::commands::teams::add::{add_folder, name_of};
use crate::confirm;
use crate::failure::Failure;
use crate::place;

#[derive(Debug, Serialize)]
pub struct Offer {
    folder: PathBuf,
    name: TeamName,
    command: String,
}

/// The folder we are in, if it has something to work on and nobody works there yet.
pub fn find(teams: &[Team], home: &Path) -> Option<Offer> {
    let here = std::env::current_dir().ok()?.canonicalize().ok()?;
    let own = std::env::home_dir().and_then(|own| own.canonicalize().ok());
    let is_no_project = here.parent().is_none() || Some(&here) == own.as_ref() || here.starts_with(home);
    let is_taken = teams.iter().any(|team| {
        let path = Path::new(&team.path);
        here.starts_with(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    });
    if is_no_project || is_taken || !has_work(&here) {
        return None;
    }
    let name = name_of(&here).ok()?;
    // A folder elsewhere may have the same name, and some names are not a team's.
    let is_free =
        |name: &TeamName| name.is_taken_by().is_none() && !teams.iter().any(|team| team.name == name.as_str());
    let numbered = (2..100).filter_map(|number| format!("{name}-{number}").parse().ok());
    let free = std::iter::once(name.clone()).chain(numbered).find(is_free)?;
    let command = if free == name { "iris teams add .".to_owned() } else { format!("iris teams add . --name {free}") };
    Some(Offer { folder: here, name: free, command })
}

fn has_work(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// Asks whoever can be asked, and tells everybody else how.
pub async fn make(up: &Up, context: &mut Context) -> Result<(), Failure> {
    let Some(offer) = &up.offer else {
        if up.teams == 0 {
            context.printer.line("make a project a team: go to its folder and run `iris teams add .`")?;
        }
        return Ok(());
    };
    let (folder, name) = (place::shown(&offer.folder), &offer.name);
    let can_be_served = up.agents.iter().any(|(agent, _)| agent == "claude");
    if can_be_served && confirm::can_be_asked(&context.printer) {
        if confirm::offer(&mut context.printer, &format!("make {folder} a team, called {name}?")) {
            add_folder(offer.folder.clone(), offer.name.clone(), context).await?;
        }
        return Ok(());
    }
    let why = if can_be_served { "" } else { " (you are not asked, because there is no claude to serve it)" };
    context.printer.line(format!("make {folder} a team, called {name}: {}{why}", offer.command))
}
