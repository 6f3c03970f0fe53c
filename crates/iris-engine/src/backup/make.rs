//! A backup is made beside its place, under a name that nobody else uses, and takes its place when it is whole.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use iris_store::backup::{self as copies, BreakOff};
use iris_store::{Location, StoreError};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use super::{
    AGENTS, BackedUp, BackupError, CONFIG, DATABASE, Entry, HOMES, MANIFEST, Manifest, conversations, digest_text,
    files_below, location,
};
use crate::engine::Engine;
use crate::home::Home;

impl Engine {
    /// Backs the home up while it is in use.
    pub async fn back_up(&self, target: PathBuf) -> Result<BackedUp, BackupError> {
        make(self.home().clone(), self.store().location().clone(), target, BreakOff::default()).await
    }
}

/// Backs a home up that no daemon holds. Broken off, it ends when nothing of it is left.
pub async fn back_up(home: &Home, target: PathBuf, break_off: &BreakOff) -> Result<BackedUp, BackupError> {
    let location = location(home)?;
    let has_served = match &location {
        Location::Sqlite(path) => path.try_exists().map_err(|source| BackupError::Io { path: path.clone(), source })?,
        Location::Postgres(_) => home.instance().is_some(),
    };
    if !has_served {
        return Err(BackupError::NoDatabase(home.root().to_owned()));
    }
    let _held = home.lock()?;
    make(home.clone(), location, target, Arc::clone(break_off)).await
}

/// Beside the runtime's threads, which have others to serve meanwhile. If nobody waits for it any more, it is broken off.
async fn make(home: Home, location: Location, target: PathBuf, break_off: BreakOff) -> Result<BackedUp, BackupError> {
    if target.exists() {
        return Err(BackupError::Exists(target));
    }
    let _waited_for = WaitedFor(Arc::clone(&break_off));
    let made = tokio::task::spawn_blocking(move || copy_and_pack(&home, &location, &target, &break_off)).await;
    made.unwrap_or(Err(BackupError::Store(StoreError::Closed)))
}

/// Dropped when the backup is done, or when whoever wanted it is gone.
struct WaitedFor(BreakOff);

impl Drop for WaitedFor {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn copy_and_pack(
    home: &Home,
    location: &Location,
    target: &Path,
    break_off: &BreakOff,
) -> Result<BackedUp, BackupError> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(BackupError::NoFolder(folder.to_owned()));
    }
    let failed = |source| BackupError::Io { path: target.to_owned(), source };
    // Goes with everything in it, however this ends.
    let aside = tempfile::Builder::new().prefix(".iris-backup-").tempdir_in(folder).map_err(failed)?;
    let database = aside.path().join(DATABASE);
    let copied = match location {
        Location::Sqlite(path) => copies::copy_file(path, &database, break_off).map(|()| true),
        Location::Postgres(url) => copies::copy_postgres(url, &database, break_off),
    };
    match copied {
        Ok(true) => {}
        Ok(false) => return Err(BackupError::NoDatabase(home.root().to_owned())),
        // The disk that is full is that of the backup.
        Err(StoreError::DiskFull) => return Err(failed(std::io::ErrorKind::StorageFull.into())),
        Err(error) => return Err(error.into()),
    }
    let schema = copies::inspect(&database)?;
    let file = NamedTempFile::new_in(aside.path()).map_err(failed)?;
    let mut packing = Packing { archive: tar::Builder::new(Watched { file, break_off }), entries: Vec::new() };
    packing.home(home, &database).map_err(failed)?;
    let manifest = Manifest {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        schema,
        made_at: iris_store::wall_ms(),
        files: Some(packing.entries.clone()),
    };
    let file = packing.finish(&manifest).map_err(failed)?;
    let bytes = file.as_file().metadata().map_err(failed)?.len();
    file.persist_noclobber(target).map_err(|error| match error.error.kind() {
        std::io::ErrorKind::AlreadyExists => BackupError::Exists(target.to_owned()),
        _ => failed(error.error),
    })?;
    Ok(BackedUp { path: target.to_owned(), bytes, manifest })
}

struct Packing<'a> {
    archive: tar::Builder<Watched<'a>>,
    entries: Vec<Entry>,
}

impl<'a> Packing<'a> {
    fn home(&mut self, home: &Home, database: &Path) -> std::io::Result<()> {
        self.stream(Path::new(DATABASE), std::fs::File::open(database)?)?;
        if home.config().exists() {
            self.file(Path::new(CONFIG), &home.config())?;
        }
        if home.agent_state().is_dir() {
            self.folder(Path::new(AGENTS), &home.agent_state())?;
        }
        for (name, folder) in conversations(&home.agent_homes()) {
            self.folder(&Path::new(HOMES).join(name), &folder)?;
        }
        Ok(())
    }

    fn folder(&mut self, name: &Path, folder: &Path) -> std::io::Result<()> {
        for (place, file) in files_below(folder)? {
            self.file(&name.join(place), &file)?;
        }
        Ok(())
    }

    fn file(&mut self, name: &Path, path: &Path) -> std::io::Result<()> {
        match std::fs::File::open(path) {
            Ok(file) => self.stream(name, file),
            // An agent took it away since the folder was listed.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// As much of a file as there is now: an agent may be writing more of it.
    fn stream(&mut self, name: &Path, file: std::fs::File) -> std::io::Result<()> {
        let metadata = file.metadata()?;
        let mut header = tar::Header::new_gnu();
        header.set_metadata(&metadata);
        let mut reader = Digesting { file, digest: Sha256::new(), left: metadata.len() };
        self.archive.append_data(&mut header, name, &mut reader)?;
        let sha256 = digest_text(reader.digest);
        self.entries.push(Entry { name: name.display().to_string(), size: metadata.len(), sha256 });
        Ok(())
    }

    /// The note comes last: a backup that was cut off has none.
    fn finish(mut self, manifest: &Manifest) -> std::io::Result<NamedTempFile> {
        let note = serde_json::to_vec_pretty(manifest)?;
        let mut header = tar::Header::new_gnu();
        header.set_size(note.len() as u64);
        header.set_mode(0o600);
        self.archive.append_data(&mut header, MANIFEST, note.as_slice())?;
        let file = self.archive.into_inner()?.file;
        file.as_file().sync_all()?;
        Ok(file)
    }
}

/// Reads exactly as much as the archive was promised, and takes its digest.
struct Digesting {
    file: std::fs::File,
    digest: Sha256,
    left: u64,
}

impl Read for Digesting {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let buffer = &mut buffer[..most];
        let count = match self.file.read(buffer)? {
            // It became shorter since it was measured.
            0 => {
                buffer.fill(0);
                most
            }
            count => count,
        };
        self.left -= count as u64;
        self.digest.update(&buffer[..count]);
        Ok(count)
    }
}

/// Writes as long as somebody waits for it.
struct Watched<'a> {
    file: NamedTempFile,
    break_off: &'a BreakOff,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.break_off.load(Ordering::Relaxed) {
            return Err(std::io::Error::other("nobody waits for it"));
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}
