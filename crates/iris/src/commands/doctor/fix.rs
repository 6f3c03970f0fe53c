//! `--fix`: the repairs that cannot make anything worse.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use iris_agents::contain::end_leftovers;
use iris_engine::home::Home;

use super::finding::{Finding, Verdict};
use crate::place;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Only the owner may use it.
    MakePrivate { path: PathBuf, mode: u32 },
    /// The folders of the home.
    MakeFolders,
    /// What was half-written when its process died.
    RemoveFiles(Vec<PathBuf>),
    /// Processes of this home that no daemon looks after.
    EndLeftovers,
}

pub(super) async fn repair(home: &Home, findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| finding.can_be_fixed()) {
        let Some(remedy) = finding.remedy.clone() else { continue };
        let home = home.clone();
        let done = tokio::task::spawn_blocking(move || apply(&home, &remedy)).await;
        match done.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(done) => {
                (finding.verdict, finding.done, finding.help) = (Verdict::Fixed, Some(done), None);
            }
            Err(why) => finding.done = Some(format!("could not be repaired: {why}")),
        }
    }
}

fn apply(home: &Home, remedy: &Remedy) -> Result<String, String> {
    let said = |error: std::io::Error| error.to_string();
    match remedy {
        Remedy::MakePrivate { path, mode } => {
            std::fs::set_permissions(path, Permissions::from_mode(*mode)).map_err(said)?;
            Ok(format!("chmod {mode:o} {}", place::in_command(path)))
        }
        Remedy::MakeFolders => {
            Home::prepare(home.root()).map_err(|error| error.to_string())?;
            Ok(format!("made the folders in {}", place::shown(home.root())))
        }
        Remedy::RemoveFiles(files) => {
            // A daemon that starts meanwhile may be writing one of them.
            let _held = home.lock().map_err(|error| error.to_string())?;
            files.iter().try_for_each(std::fs::remove_file).map_err(said)?;
            Ok(format!("removed {}", shown(files)))
        }
        Remedy::EndLeftovers => {
            // With the home held, no daemon can start agents that look like leftovers.
            let _held = home.lock().map_err(|error| error.to_string())?;
            let instance = home.instance().ok_or("no daemon ever ran here")?;
            match end_leftovers(&instance) {
                1 => Ok("ended 1 process".to_owned()),
                ended => Ok(format!("ended {ended} processes")),
            }
        }
    }
}

pub(super) fn shown(files: &[PathBuf]) -> String {
    files.iter().map(|file| place::shown(file)).collect::<Vec<_>>().join(", ")
}

/// For a command.
pub(super) fn words(files: &[PathBuf]) -> String {
    files.iter().map(|file| place::in_command(file)).collect::<Vec<_>>().join(" ")
}
