//! Backup and restore of a home: one file with the database, the config and a note of what it is.

mod make;
mod restore;

use std::path::{Path, PathBuf};

use iris_agents::launch::CONVERSATIONS;
use iris_core::fault::FaultKind;
use iris_store::{Location, StoreError};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::config::{self, ConfigError};
use crate::home::{Home, HomeError};
pub use iris_store::backup::BreakOff;
pub use make::back_up;
pub use restore::{finish as finish_restore, restore};

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
    #[error("there is no folder {}", .0.display())]
    NoFolder(PathBuf),
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{} is not a backup of Iris ({what})", .path.display())]
    NotABackup { path: PathBuf, what: String },
    #[error("{} is not whole ({what})", .path.display())]
    NotWhole { path: PathBuf, what: String },
    /// The config of the backup would have it on a database that nobody named.
    #[error("this backup is of a PostgreSQL database, and the config of {} names none", .0.display())]
    NoUrl(PathBuf),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("nothing is kept in {} yet: Iris never ran there", .0.display())]
    NoDatabase(PathBuf),
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BackupError {
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::Exists(_) => FaultKind::Conflict,
            Self::NoUrl(_) | Self::Config(_) => FaultKind::Invalid,
            Self::NoDatabase(_) | Self::NoFolder(_) => FaultKind::NotFound,
            Self::Io { source, .. } => match source.kind() {
                std::io::ErrorKind::NotFound => FaultKind::NotFound,
                std::io::ErrorKind::ReadOnlyFilesystem => FaultKind::Unavailable,
                _ if is_no_room(source) => FaultKind::Unavailable,
                _ => FaultKind::Invalid,
            },
            Self::NotABackup { .. } | Self::NotWhole { .. } => FaultKind::Invalid,
            Self::Home(_) => FaultKind::Unavailable,
            Self::Store(error) => error.kind(),
        }
    }

    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Exists(_) => "name another file, or remove that one",
            Self::NoFolder(_) => "make it first, or name a file in a folder that is there",
            Self::Io { source, .. } if is_no_room(source) => "free some space, or name a file on another disk",
            Self::NotWhole { .. } => "take another backup: this one was cut off or changed after it was made",
            Self::NoUrl(_) => {
                "write `database: { url: … }` into its config.yaml first: the database to put it into, which is replaced"
            }
            Self::Config(error) => return error.hint().map(str::to_owned),
            Self::NoDatabase(_) => "start it once with `iris up`, or name another home with --home or IRIS_HOME",
            Self::Home(HomeError::AlreadyRunning { .. }) => "stop Iris first, then restore",
            Self::Store(StoreError::DiskFull) => "free some space, and try again",
            Self::Store(error) => return error.hint().map(str::to_owned),
            _ => return None,
        };
        Some(hint.to_owned())
    }
}

fn is_no_room(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded)
}

/// What a backup says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub version: String,
    pub schema: u32,
    pub made_at: i64,
    /// Everything else that is in it. Backups of Iris 0.1.0 and before have no list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<Entry>>,
}

/// One file in a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub name: String,
    pub size: u64,
    pub sha256: String,
}

#[derive(Clone, Debug)]
pub struct BackedUp {
    pub path: PathBuf,
    pub bytes: u64,
    pub manifest: Manifest,
}

#[derive(Clone, Debug)]
pub struct Restored {
    pub manifest: Manifest,
    pub proof: Proof,
    /// Where what was there before is kept.
    pub kept: Vec<PathBuf>,
    /// Why the database that was there could not be read.
    pub damage: Option<String>,
    /// How many turns wait in it, and run when Iris starts.
    pub waiting_turns: i64,
    /// Where its config is, if that of the home stays: with PostgreSQL it says which database this is.
    pub config: Option<PathBuf>,
}

/// What a backup that was put back could be held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Every file in it is as its list says.
    Listed,
    /// It was made before backups had a list: only the database could be looked at.
    Unlisted,
    /// It is a database and nothing else; the config and what agents keep stay as they are.
    DatabaseOnly,
}

const DATABASE: &str = "iris.db";
const CONFIG: &str = "config.yaml";
const MANIFEST: &str = "manifest.json";
/// The memory of agents that keep none of their own, so that a restored conversation goes on.
const AGENTS: &str = "agents";
/// The conversations of agents that live in homes of their own, and nothing else of these: an agent's login is not copied.
const HOMES: &str = "homes";

/// The folders with conversations below the homes of teams, each with its place there.
fn conversations(homes: &Path) -> Vec<(PathBuf, PathBuf)> {
    let teams = std::fs::read_dir(homes).into_iter().flatten().flatten().map(|entry| PathBuf::from(entry.file_name()));
    let places = teams.flat_map(|team| CONVERSATIONS.map(|folder| team.join(folder)));
    places.map(|place| (place.clone(), homes.join(place))).filter(|(_, folder)| folder.is_dir()).collect()
}

/// The files in a folder and below it, each with its place there.
fn files_below(folder: &Path) -> std::io::Result<Vec<(PathBuf, PathBuf)>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        for entry in std::fs::read_dir(folder.join(&below))? {
            let entry = entry?;
            let place = below.join(entry.file_name());
            // A link to a folder may lead anywhere, also back here.
            if entry.file_type()?.is_dir() {
                folders.push(place);
            } else if entry.path().is_file() {
                found.push((place, entry.path()));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a config names a PostgreSQL server. It is not asked to be right otherwise, nor are its variables asked for: a backup
/// may be wanted because it is not. Unfilled, `{ url: ${NAME} }` is no YAML.
pub fn is_on_postgres(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let filled = config::parse_values(path, &text, |name| std::env::var(name).ok().or(Some(name.to_owned())));
    let config = filled.ok().or_else(|| config::parse_unfilled(&text));
    config.is_some_and(|config| config["database"]["url"].is_string())
}

/// Where a home that no daemon holds keeps what it knows.
fn location(home: &Home) -> Result<Location, BackupError> {
    let path = home.config();
    let text = config::read_text(&path)?.unwrap_or_default();
    if !is_on_postgres(&path) {
        // Of one that cannot be read it is not known which: the embedded one may be a file that nobody looks at.
        if text.lines().any(|line| line.starts_with("database:")) {
            config::parse_values(&path, &text, |name| Some(name.to_owned()))?;
        }
        return Ok(Location::Sqlite(home.database()));
    }
    let config = config::parse_values(&path, &text, |name| std::env::var(name).ok())?;
    Ok(Location::Postgres(config["database"]["url"].as_str().unwrap_or_default().to_owned()))
}

fn digest_text(digest: Sha256) -> String {
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
