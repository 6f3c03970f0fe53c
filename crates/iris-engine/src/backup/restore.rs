//! A backup is unpacked aside, looked at whole, and then put in place. What was there is kept beside it.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use iris_agents::launch::CONVERSATIONS;
use iris_store::Location;
use iris_store::backup::{self as copies, BreakOff};
use sha2::{Digest, Sha256};

use super::{
    AGENTS, BackupError, CONFIG, DATABASE, Entry, HOMES, MANIFEST, Manifest, Proof, Restored, conversations,
    digest_text, files_below, is_on_postgres, location,
};
use crate::home::Home;

/// Puts a backup back into a home that no daemon holds: a file of `iris backup`, or a database by itself.
pub fn restore(home: &Home, source: &Path) -> Result<Restored, BackupError> {
    let location = location(home)?;
    let _held = home.lock()?;
    finish(home)?;
    let folder = unfinished(home);
    std::fs::create_dir_all(&folder).map_err(failed(&folder))?;
    let unpacked = match is_a_database(source).map_err(failed(source))? {
        true => take_database(source, &folder).map(|manifest| (manifest, Proof::DatabaseOnly)),
        false => unpack(source, &folder),
    };
    let prepared = unpacked.and_then(|(manifest, proof)| {
        let (copy, config) = (folder.join(DATABASE), folder.join(CONFIG));
        let (prepared, config) = match &location {
            Location::Sqlite(_) if is_on_postgres(&config) => return Err(BackupError::NoUrl(home.root().to_owned())),
            Location::Sqlite(database) => (copies::prepare(&copy, database)?, None),
            Location::Postgres(url) => {
                let prepared = copies::put_into_postgres(&copy, url, &home.database(), home.node().ok().as_ref())?;
                (prepared, leave_out(home, &copy, &config)?)
            }
        };
        let copies::PutBack { kept, damage, waiting_turns } = prepared;
        decide(&folder).map_err(failed(&folder))?;
        Ok(Restored { manifest, proof, kept, damage, waiting_turns, config })
    });
    // Or takes away what came to nothing.
    let kept = finish(home);
    let mut restored = prepared?;
    restored.kept.extend(kept?.unwrap_or_default());
    Ok(restored)
}

/// What has no place in a home on PostgreSQL: the database is where it belongs, and the home's own config says where that is.
/// The one of the backup is put beside it.
fn leave_out(home: &Home, copy: &Path, config: &Path) -> Result<Option<PathBuf>, BackupError> {
    std::fs::remove_file(copy).map_err(failed(copy))?;
    if !config.exists() {
        return Ok(None);
    }
    let beside = home.config().with_file_name(format!("config-of-backup-{}.yaml", iris_store::wall_ms()));
    std::fs::rename(config, &beside).map_err(failed(&beside))?;
    Ok(Some(beside))
}

/// Everything that is not yet in its place.
fn unfinished(home: &Home) -> PathBuf {
    home.root().join("data/restoring")
}

/// Everything is there to be put in its place: from here on a restore is finished, though it be killed at every step.
const DECIDED: &str = "decided";

fn decide(folder: &Path) -> std::io::Result<()> {
    File::create(folder.join(DECIDED))?.sync_all()?;
    File::open(folder)?.sync_all()
}

/// For whoever holds the home: puts in its place what a restore that was broken off had made ready, and says where what was
/// there before is kept; or takes away what it had not.
pub fn finish(home: &Home) -> Result<Option<Vec<PathBuf>>, BackupError> {
    let folder = unfinished(home);
    let is_decided = folder.join(DECIDED).exists();
    let kept = if is_decided { put_back(home, &folder)? } else { Vec::new() };
    match std::fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(&folder)(error)),
        _ => Ok(is_decided.then_some(kept)),
    }
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> BackupError + Copy {
    move |source| BackupError::Io { path: path.to_owned(), source }
}

/// As every file of SQLite begins.
fn is_a_database(source: &Path) -> std::io::Result<bool> {
    let mut head = Vec::new();
    File::open(source)?.take(16).read_to_end(&mut head)?;
    Ok(head == b"SQLite format 3\0")
}

/// Through SQLite: what stands in a log beside it belongs to it.
fn take_database(source: &Path, folder: &Path) -> Result<Manifest, BackupError> {
    let database = folder.join(DATABASE);
    copies::copy_file(source, &database, &BreakOff::default())?;
    let changed = source.metadata().map_err(failed(source))?.mtime();
    Ok(Manifest { version: String::new(), schema: copies::inspect(&database)?, made_at: changed * 1000, files: None })
}

fn unpack(source: &Path, folder: &Path) -> Result<(Manifest, Proof), BackupError> {
    // What a file that is no backup makes of an error may hold anything.
    let not_one = |what: String| {
        let what = what.escape_debug().take(120).collect();
        BackupError::NotABackup { path: source.to_owned(), what }
    };
    let file = File::open(source).map_err(failed(source))?;
    let mut archive = tar::Archive::new(file);
    for entry in archive.entries().map_err(|error| not_one(error.to_string()))? {
        let mut entry = entry.map_err(|error| not_one(error.to_string()))?;
        let name = entry.path().map_err(|error| not_one(error.to_string()))?.into_owned();
        // Only what a backup is made of, under its own names: whatever else an archive holds is not written anywhere.
        if belongs(&name) && entry.header().entry_type().is_file() {
            let file = folder.join(&name);
            let made = file.parent().map_or(Ok(()), std::fs::create_dir_all);
            made.and_then(|()| entry.unpack(&file).map(drop)).map_err(|error| match super::is_no_room(&error) {
                true => failed(folder)(error),
                false => not_one(error.to_string()),
            })?;
        }
    }
    let note = std::fs::read(folder.join(MANIFEST)).map_err(|_| not_one(format!("it has no {MANIFEST}")))?;
    if !folder.join(DATABASE).exists() {
        return Err(not_one(format!("it has no {DATABASE}")));
    }
    let manifest: Manifest = serde_json::from_slice(&note).map_err(|error| not_one(error.to_string()))?;
    let Some(listed) = &manifest.files else { return Ok((manifest, Proof::Unlisted)) };
    match differs(folder, listed).map_err(failed(folder))? {
        Some(what) => Err(BackupError::NotWhole { path: source.to_owned(), what }),
        None => Ok((manifest, Proof::Listed)),
    }
}

/// What of the unpacked files is not as their list says.
fn differs(folder: &Path, listed: &[Entry]) -> std::io::Result<Option<String>> {
    let mut unpacked = files_below(folder)?;
    unpacked.retain(|(place, _)| place != Path::new(MANIFEST));
    for entry in listed {
        let Some(at) = unpacked.iter().position(|(place, _)| place == Path::new(&entry.name)) else {
            return Ok(Some(format!("{} is not in it", entry.name)));
        };
        let (_, file) = unpacked.swap_remove(at);
        let mut file = File::open(file)?;
        let mut digest = Sha256::new();
        let size = std::io::copy(&mut file, &mut Digester(&mut digest))?;
        if size != entry.size || digest_text(digest) != entry.sha256 {
            return Ok(Some(format!("{} is not as it was written", entry.name)));
        }
    }
    Ok(unpacked.first().map(|(place, _)| format!("{} is not in its list", place.display())))
}

struct Digester<'a>(&'a mut Sha256);

impl std::io::Write for Digester<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
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

fn put_back(home: &Home, folder: &Path) -> Result<Vec<PathBuf>, BackupError> {
    let mut kept = Vec::new();
    let database = folder.join(DATABASE);
    if database.exists() {
        copies::put_back(&database, &home.database())?;
    }
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
    Ok(kept)
}

/// Moves a file or folder to its place. What was there is kept beside it, under a name with this ending.
fn replace(from: &Path, to: &Path, ending: &str) -> Result<Option<PathBuf>, BackupError> {
    let io = failed(to);
    let Some(folder) = to.parent() else { return Ok(None) };
    let mut kept = None;
    if to.exists() {
        let name = to.file_stem().unwrap_or_default().to_string_lossy();
        let aside = to.with_file_name(format!("{name}-before-restore-{}{ending}", iris_store::wall_ms()));
        std::fs::rename(to, &aside).map_err(io)?;
        kept = Some(aside);
    }
    std::fs::create_dir_all(folder).map_err(io)?;
    std::fs::rename(from, to).map_err(io)?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)?;
    Ok(kept)
}
