//! Backup and restore of a home: one file with the database, the config and a note of what it is.

use std::path::{Path, PathBuf};

use iris_agents::launch::CONVERSATIONS;
use iris_store::{Store, StoreError, backup as copies};
use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::home::{Home, HomeError};

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
    #[error("a PostgreSQL database is backed up with its own tools")]
    Postgres,
    #[error("there is no database in {} yet", .0.display())]
    NoDatabase(PathBuf),
    #[error(transparent)]
    Home(#[from] HomeError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BackupError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Exists(_) => Some("name another file, or remove that one".to_owned()),
            Self::NoFolder(_) => Some("make it first, or name a file in a folder that is there".to_owned()),
            Self::Postgres => Some("use pg_dump and pg_restore on the database of database.url".to_owned()),
            Self::Home(HomeError::AlreadyRunning { .. }) => Some("stop Iris first, then restore".to_owned()),
            Self::Store(error) => error.hint().map(str::to_owned),
            _ => None,
        }
    }
}

/// What a backup says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub version: String,
    pub schema: u32,
    pub made_at: i64,
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
    /// Where what was there before is kept.
    pub kept: Vec<PathBuf>,
}

const DATABASE: &str = "iris.db";
const CONFIG: &str = "config.yaml";
const MANIFEST: &str = "manifest.json";
/// The memory of agents that keep none of their own, so that a restored conversation goes on.
const AGENTS: &str = "agents";
/// The conversations of agents that live in homes of their own, and nothing else of these: an agent's login is not copied.
const HOMES: &str = "homes";

impl Engine {
    /// Backs the home up while it is in use.
    pub async fn back_up(&self, target: PathBuf) -> Result<BackedUp, BackupError> {
        let home = self.home().clone();
        back_up_with(&home, target, Some(self.store())).await
    }
}

/// Backs a home up that no daemon holds.
pub async fn back_up(home: &Home, target: PathBuf) -> Result<BackedUp, BackupError> {
    let _held = home.lock()?;
    back_up_with(home, target, None).await
}

async fn back_up_with(home: &Home, target: PathBuf, store: Option<&Store>) -> Result<BackedUp, BackupError> {
    if target.exists() {
        return Err(BackupError::Exists(target));
    }
    if let Some(folder) = target.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        return Err(BackupError::NoFolder(folder.to_owned()));
    }
    let staged = target.with_extension("db.partial");
    let copied = match store {
        Some(store) if matches!(store.location(), iris_store::Location::Postgres(_)) => {
            return Err(BackupError::Postgres);
        }
        Some(store) => store.copy_to(staged.clone()).await.map_err(BackupError::from),
        None if !home.database().exists() => Err(BackupError::NoDatabase(home.root().to_owned())),
        None => copies::copy_file(&home.database(), &staged).map_err(BackupError::from),
    };
    let packed = copied.and_then(|()| pack(home, &staged, &target));
    // The copy is inside the backup now, or of no use.
    std::fs::remove_file(&staged).ok();
    packed
}

fn pack(home: &Home, database: &Path, target: &Path) -> Result<BackedUp, BackupError> {
    let schema = copies::inspect(database)?;
    let manifest = Manifest { version: env!("CARGO_PKG_VERSION").to_owned(), schema, made_at: iris_store::wall_ms() };
    let partial = target.with_extension("partial");
    let write = || -> std::io::Result<u64> {
        let file = open_private(&partial)?;
        let mut archive = tar::Builder::new(file);
        let note = serde_json::to_vec_pretty(&manifest)?;
        let mut header = tar::Header::new_gnu();
        header.set_size(note.len() as u64);
        header.set_mode(0o600);
        header.set_cksum();
        archive.append_data(&mut header, MANIFEST, note.as_slice())?;
        archive.append_path_with_name(database, DATABASE)?;
        if home.config().exists() {
            archive.append_path_with_name(home.config(), CONFIG)?;
        }
        if home.agent_state().is_dir() {
            archive.append_dir_all(AGENTS, home.agent_state())?;
        }
        for (name, folder) in conversations(&home.agent_homes()) {
            archive.append_dir_all(Path::new(HOMES).join(name), folder)?;
        }
        let file = archive.into_inner()?;
        file.sync_all()?;
        std::fs::rename(&partial, target)?;
        Ok(file.metadata()?.len())
    };
    let bytes = write().map_err(|source| BackupError::Io { path: target.to_owned(), source })?;
    Ok(BackedUp { path: target.to_owned(), bytes, manifest })
}

/// The folders with conversations below the homes of teams, each with its place there.
fn conversations(homes: &Path) -> Vec<(PathBuf, PathBuf)> {
    let teams = std::fs::read_dir(homes).into_iter().flatten().flatten().map(|entry| PathBuf::from(entry.file_name()));
    let places = teams.flat_map(|team| CONVERSATIONS.map(|folder| team.join(folder)));
    places.map(|place| (place.clone(), homes.join(place))).filter(|(_, folder)| folder.is_dir()).collect()
}

fn open_private(path: &Path) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

/// Puts a backup back into a home that no daemon holds. What was there is kept beside it.
pub fn restore(home: &Home, source: &Path) -> Result<Restored, BackupError> {
    let _held = home.lock()?;
    let failed = |error| BackupError::Io { path: source.to_owned(), source: error };
    let folder = home.root().join("data/restoring");
    std::fs::remove_dir_all(&folder).ok();
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let restored = unpack(source, &folder).and_then(|manifest| put_back(home, &folder, manifest));
    std::fs::remove_dir_all(&folder).ok();
    restored
}

fn unpack(source: &Path, folder: &Path) -> Result<Manifest, BackupError> {
    // What a file that is no backup makes of an error may hold anything.
    let not_one = |what: String| {
        let what = what.escape_debug().take(120).collect();
        BackupError::NotABackup { path: source.to_owned(), what }
    };
    let file =
        std::fs::File::open(source).map_err(|error| BackupError::Io { path: source.to_owned(), source: error })?;
    let mut archive = tar::Archive::new(file);
    for entry in archive.entries().map_err(|error| not_one(error.to_string()))? {
        let mut entry = entry.map_err(|error| not_one(error.to_string()))?;
        let name = entry.path().map_err(|error| not_one(error.to_string()))?.into_owned();
        // Only what a backup is made of, under its own names: whatever else an archive holds is not written anywhere.
        if belongs(&name) && entry.header().entry_type().is_file() {
            let file = folder.join(&name);
            let made = file.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.and_then(|()| entry.unpack(&file).map(drop)).map_err(|error| not_one(error.to_string()))?;
        }
    }
    let note = std::fs::read(folder.join(MANIFEST)).map_err(|_| not_one(format!("it has no {MANIFEST}")))?;
    if !folder.join(DATABASE).exists() {
        return Err(not_one(format!("it has no {DATABASE}")));
    }
    serde_json::from_slice(&note).map_err(|error| not_one(error.to_string()))
}

fn belongs(name: &Path) -> bool {
    let parts: Vec<_> = name.components().collect();
    let plain = parts.iter().all(|part| matches!(part, std::path::Component::Normal(_)));
    match parts.as_slice() {
        [only] => plain && [DATABASE, CONFIG, MANIFEST].iter().any(|known| only.as_os_str() == *known),
        [first, _] if first.as_os_str() == AGENTS => plain,
        [first, team, ..] if first.as_os_str() == HOMES => {
            let inside = |folder: &str| name.starts_with(Path::new(HOMES).join(team).join(folder));
            plain && CONVERSATIONS.into_iter().any(inside)
        }
        _ => false,
    }
}

fn put_back(home: &Home, folder: &Path, manifest: Manifest) -> Result<Restored, BackupError> {
    let mut kept: Vec<PathBuf> = copies::put_back(&folder.join(DATABASE), &home.database())?.into_iter().collect();
    let agents = folder.join(AGENTS);
    if agents.exists() {
        kept.extend(replace(&agents, &home.agent_state(), "")?);
    }
    let homes = folder.join(HOMES);
    for (place, conversations) in conversations(&homes) {
        kept.extend(replace(&conversations, &home.agent_homes().join(place), "")?);
    }
    let config = folder.join(CONFIG);
    if config.exists() {
        kept.extend(replace(&config, &home.config(), ".yaml")?);
    }
    Ok(Restored { manifest, kept })
}

/// Moves a file or folder to its place. What was there is kept beside it, under a name with this ending.
fn replace(from: &Path, to: &Path, ending: &str) -> Result<Option<PathBuf>, BackupError> {
    let io = |source| BackupError::Io { path: to.to_owned(), source };
    let mut kept = None;
    if to.exists() {
        let name = to.file_stem().unwrap_or_default().to_string_lossy();
        let aside = to.with_file_name(format!("{name}-before-restore-{}{ending}", iris_store::wall_ms()));
        std::fs::rename(to, &aside).map_err(io)?;
        kept = Some(aside);
    }
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    std::fs::rename(from, to).map_err(io)?;
    Ok(kept)
}
