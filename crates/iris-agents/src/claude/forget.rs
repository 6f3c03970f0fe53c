//! What the CLI keeps of a conversation in a home of a team's own, taken away with it.

use std::io;
use std::path::{Path, PathBuf};

use super::command::CONVERSATIONS;

/// Its files lie in a folder for each project; what its shells wrote lies in one more for each user.
pub(crate) fn forget(home: &Path, id: &str) -> io::Result<()> {
    for project in folders(&home.join(CONVERSATIONS))? {
        remove(&project.join(format!("{id}.jsonl")))?;
        remove(&project.join(id))?;
    }
    for project in folders(&home.join("tmp"))?.iter().flat_map(|user| folders(user).unwrap_or_default()) {
        remove(&project.join(id))?;
    }
    remove(&home.join(".claude/session-env").join(id))
}

fn folders(of: &Path) -> io::Result<Vec<PathBuf>> {
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
