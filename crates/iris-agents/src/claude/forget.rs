//! What the CLI keeps of a conversation in a home of a team's own, taken away with it.

use std::io;
use std::path::{Path, PathBuf};

use super::command::CONVERSATIONS;

/// What was said lies in a folder for each project, what its shells wrote in one more for each user, and its tasks and the
/// like beside them, by its name.
pub(crate) fn forget(home: &Path, id: &str) -> io::Result<()> {
    let below = |folders: Vec<PathBuf>| folders.iter().flat_map(|folder| entries(folder).unwrap_or_default()).collect();
    let kinds: Vec<PathBuf> = entries(&home.join(".claude"))?;
    let projects: Vec<PathBuf> = entries(&home.join(CONVERSATIONS))?;
    let shells: Vec<PathBuf> = below(entries(&home.join("tmp"))?);
    for folder in kinds.iter().chain(&projects).chain(&shells) {
        remove(&folder.join(id))?;
        remove(&folder.join(format!("{id}.jsonl")))?;
    }
    Ok(())
}

fn entries(of: &Path) -> io::Result<Vec<PathBuf>> {
    match std::fs::read_dir(of) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// A link is taken away, and not what it leads to.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match std::fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(()),
        removed => removed,
    }
}
