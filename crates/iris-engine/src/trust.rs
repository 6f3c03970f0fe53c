//! Trust: whether the settings that a project's folder brings along may take effect.
//!
//! An agent CLI that reads a folder's own settings runs the hooks and servers they name. Iris lets it read them only after
//! the user has looked at them, and only as long as they are what they were: trust is in the content, not in the folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use iris_agents::launch::{Brought, brought};
use iris_core::actor::Actor;
use iris_core::fault::FaultKind;
use iris_core::hex::hex;
use iris_core::team::{AgentKind, TeamName};
use iris_store::{StoreError, trust};
use sha2::{Digest, Sha256};

use crate::engine::{Engine, Inner};

/// More than any project has; a folder with more is not trusted.
const MOST_FILES: usize = 2000;
const LARGEST_FILE: u64 = 4 * 1024 * 1024;
const AGAIN: Duration = Duration::from_millis(250);

/// What there is to trust in a team's folder.
#[derive(Clone, Debug)]
pub struct Trust {
    pub folder: PathBuf,
    /// The files that would take effect, relative to the folder. Nothing to trust if there is none.
    pub files: Vec<PathBuf>,
    pub digest: Option<String>,
    pub trusted: bool,
    /// It was trusted before, and has changed since.
    pub changed: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error("there is no team '{0}'")]
    UnknownTeam(String),
    #[error("the settings in {folder} cannot be read ({why})", folder = .folder.display())]
    Unreadable { folder: PathBuf, why: String },
    #[error("the settings have changed since you looked at them")]
    Changed,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TrustError {
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::UnknownTeam(_) => FaultKind::NotFound,
            Self::Unreadable { .. } => FaultKind::Invalid,
            Self::Changed => FaultKind::Conflict,
            Self::Store(error) => error.kind(),
        }
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownTeam(_) => Some("run `iris teams list` to see the names".to_owned()),
            Self::Unreadable { .. } => Some("make the files readable and few, or remove them".to_owned()),
            Self::Changed => Some("look at them again with `iris trust <team>`".to_owned()),
            Self::Store(error) => error.hint().map(str::to_owned),
        }
    }
}

impl Engine {
    pub async fn look_at_trust(&self, team: &TeamName) -> Result<Trust, TrustError> {
        let config = self.inner.team(team).ok_or_else(|| TrustError::UnknownTeam(team.to_string()))?;
        look(&self.inner, &config.path, config.agent).await
    }

    /// Trusts what is in the folder now. `seen` is the digest of what the user looked at.
    pub async fn trust(&self, team: &TeamName, seen: &str, by: &Actor) -> Result<Trust, TrustError> {
        let found = self.look_at_trust(team).await?;
        if found.digest.as_deref() != Some(seen) {
            return Err(TrustError::Changed);
        }
        let (folder, digest, name, by) = (key(&found.folder), seen.to_owned(), team.clone(), by.clone());
        self.inner.store.write("trust.grant", move |tx| trust::grant(tx, &name, &folder, &digest, &by)).await?;
        self.look_at_trust(team).await
    }

    pub async fn distrust(&self, team: &TeamName, by: &Actor) -> Result<Trust, TrustError> {
        let found = self.look_at_trust(team).await?;
        let (folder, name, by) = (key(&found.folder), team.clone(), by.clone());
        self.inner.store.write("trust.revoke", move |tx| trust::revoke(tx, &name, &folder, &by)).await?;
        self.look_at_trust(team).await
    }
}

/// Whether an agent that starts in the folder now may read its settings.
pub(crate) async fn is_trusted(engine: &Inner, folder: &Path, kind: AgentKind) -> Result<bool, StoreError> {
    loop {
        match look(engine, folder, kind).await {
            Ok(found) => return Ok(found.trusted),
            // No turn is to fail because the database is away for a while.
            Err(TrustError::Store(error)) if error.may_pass() => tokio::time::sleep(AGAIN).await,
            Err(TrustError::Store(error)) => return Err(error),
            Err(error) => {
                tracing::warn!(folder = %folder.display(), %error, "the folder's settings are not read");
                return Ok(false);
            }
        }
    }
}

async fn look(engine: &Inner, folder: &Path, kind: AgentKind) -> Result<Trust, TrustError> {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let looked_at = folder.clone();
    let found = tokio::task::spawn_blocking(move || digest(&looked_at, brought(kind))).await;
    let found = found.map_err(|error| error.to_string()).and_then(|found| found);
    let (files, digest) = found.map_err(|why| TrustError::Unreadable { folder: folder.clone(), why })?;
    let name = key(&folder);
    let known = engine.store.read(move |tx| trust::find(tx, &name)).await?;
    let trusted = digest.is_some() && known == digest;
    let changed = known.is_some() && !trusted && digest.is_some();
    Ok(Trust { folder, files, digest, trusted, changed })
}

fn key(folder: &Path) -> String {
    folder.display().to_string()
}

/// The files that matter and one number for their names and contents. No number if there are none.
fn digest(folder: &Path, brought: Brought) -> Result<(Vec<PathBuf>, Option<String>), String> {
    let mut files = Vec::new();
    for name in brought.here {
        collect(&folder.join(name), &mut files)?;
    }
    // What is in the user's own home is the user's.
    let home = std::env::home_dir();
    for above in folder.ancestors().skip(1).filter(|above| Some(*above) != home.as_deref()) {
        for name in brought.above {
            collect(&above.join(name), &mut files)?;
        }
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in &files {
        let content = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let name = file.strip_prefix(folder).unwrap_or(file).as_os_str().as_encoded_bytes().to_owned();
        // Lengths first, so that no two folders can be told apart by nothing.
        for part in [name.as_slice(), content.as_slice()] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
    }
    let digest = (!files.is_empty()).then(|| hex(&hash.finalize()));
    let files = files.into_iter().map(|file| file.strip_prefix(folder).map(Path::to_owned).unwrap_or(file));
    Ok((files.collect(), digest))
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let Ok(about) = std::fs::symlink_metadata(path) else { return Ok(()) };
    if about.is_symlink() {
        return Err(format!("{} is a link", path.display()));
    }
    if about.is_dir() {
        for entry in std::fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))? {
            collect(&entry.map_err(|error| error.to_string())?.path(), files)?;
        }
        return Ok(());
    }
    if !about.is_file() {
        // To read a pipe is to wait for whoever writes to it.
        return Err(format!("{} is not a file", path.display()));
    }
    if about.len() > LARGEST_FILE || files.len() >= MOST_FILES {
        return Err(format!("{} is too large, or there are too many files", path.display()));
    }
    files.push(path.to_owned());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_change_changes_the_digest() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = folder.path().join(".claude/settings.json");
        assert_eq!(
            digest(folder.path(), brought(AgentKind::Claude)).expect("readable"),
            (Vec::new(), None),
            "nothing to trust"
        );
        std::fs::create_dir(folder.path().join(".claude")).expect("made");
        std::fs::write(&settings, "{}").expect("written");
        let (files, first) = digest(folder.path(), brought(AgentKind::Claude)).expect("readable");
        assert_eq!(files, [PathBuf::from(".claude/settings.json")]);
        std::fs::write(&settings, r#"{"hooks":{}}"#).expect("written");
        let (_, second) = digest(folder.path(), brought(AgentKind::Claude)).expect("readable");
        assert_ne!(first, second);
        std::fs::write(folder.path().join(".mcp.json"), "{}").expect("written");
        let (files, third) = digest(folder.path(), brought(AgentKind::Claude)).expect("readable");
        assert_eq!(files.len(), 2);
        assert_ne!(second, third);
        // From a folder below, what may bring hooks along is found above.
        let below = folder.path().join("below");
        std::fs::create_dir_all(folder.path().join(".claude/skills/s")).expect("made");
        std::fs::create_dir(&below).expect("made");
        std::fs::write(folder.path().join(".claude/skills/s/SKILL.md"), "hooks").expect("written");
        let (files, _) = digest(&below, brought(AgentKind::Claude)).expect("readable");
        let above = [".claude/skills/s/SKILL.md", ".mcp.json"].map(|name| folder.path().join(name));
        assert_eq!(files, above, "the settings of another folder are not read, its skills are");
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join(".claude/link")).expect("linked");
        assert!(digest(folder.path(), brought(AgentKind::Claude)).is_err(), "what a link leads to can change unseen");
    }
}
