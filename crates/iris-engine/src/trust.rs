//! Trust: whether the settings that a project's folder brings along may take effect.
//!
//! An agent CLI that reads a folder's own settings runs the hooks and servers they name. Iris lets it read them only after
//! the user has looked at them, and only as long as they are what they were: trust is in the content, not in the folder.

mod content;

use std::path::{Path, PathBuf};
use std::time::Duration;

use iris_agents::launch::{Standing, brought};
use iris_core::actor::Actor;
use iris_core::fault::FaultKind;
use iris_core::team::TeamName;
use iris_store::{StoreError, trust};

use crate::config::{AgentHome, TeamConfig, UnknownTeam};
use crate::engine::{Engine, Inner};
use content::digest;

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
    #[error(transparent)]
    UnknownTeam(#[from] UnknownTeam),
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
            Self::UnknownTeam(unknown) => Some(unknown.hint()),
            Self::Unreadable { .. } => Some(
                "make the files readable and few, or remove them; until then its agent starts without them".to_owned(),
            ),
            Self::Changed => Some("look at them again with `iris trust <team>`".to_owned()),
            Self::Store(error) => error.hint().map(str::to_owned),
        }
    }
}

impl Engine {
    pub async fn look_at_trust(&self, team: &TeamName) -> Result<Trust, TrustError> {
        let config = self.inner.team(team).ok_or_else(|| self.inner.config().unknown_team(team))?;
        look(&self.inner, &config).await
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

/// Whether an agent of the team that starts now may read its folder's settings.
pub(crate) async fn standing(engine: &Inner, team: &TeamConfig) -> Result<Standing, StoreError> {
    loop {
        match look(engine, team).await {
            Ok(Trust { trusted: true, .. }) => return Ok(Standing::Trusted),
            Ok(Trust { digest: None, .. }) => return Ok(Standing::Bare),
            Ok(_) => return Ok(Standing::Untrusted),
            // No turn is to fail because the database is away for a while.
            Err(TrustError::Store(error)) if error.may_pass() => tokio::time::sleep(AGAIN).await,
            Err(TrustError::Store(error)) => return Err(error),
            Err(error) => {
                tracing::warn!(folder = %team.path.display(), %error, "the folder's settings are not read");
                return Ok(Standing::Untrusted);
            }
        }
    }
}

/// Whether what the folder brings along was trusted once, and has changed since.
pub(crate) async fn has_lapsed(engine: &Inner, team: &TeamConfig) -> bool {
    look(engine, team).await.is_ok_and(|found| found.changed)
}

/// What a team's folder brings along, relative to it: nothing of that takes effect before it is trusted.
pub async fn files(team: &TeamConfig) -> Result<Vec<PathBuf>, TrustError> {
    Ok(look_at_folder(team).await?.1)
}

async fn look_at_folder(team: &TeamConfig) -> Result<(PathBuf, Vec<PathBuf>, Option<String>), TrustError> {
    let folder = team.path.canonicalize().unwrap_or_else(|_| team.path.clone());
    let home = std::env::home_dir().filter(|_| team.home == AgentHome::Shared);
    let (looked_at, brought) = (folder.clone(), brought(team.agent));
    let found = tokio::task::spawn_blocking(move || digest(&looked_at, home.as_deref(), brought)).await;
    let found = found.map_err(|error| error.to_string()).and_then(|found| found);
    let (files, digest) = found.map_err(|why| TrustError::Unreadable { folder: folder.clone(), why })?;
    Ok((folder, files, digest))
}

async fn look(engine: &Inner, team: &TeamConfig) -> Result<Trust, TrustError> {
    let (folder, files, digest) = look_at_folder(team).await?;
    let name = key(&folder);
    let known = engine.store.read(move |tx| trust::find(tx, &name)).await?;
    let trusted = digest.is_some() && known == digest;
    let changed = known.is_some() && !trusted && digest.is_some();
    Ok(Trust { folder, files, digest, trusted, changed })
}

fn key(folder: &Path) -> String {
    folder.display().to_string()
}
