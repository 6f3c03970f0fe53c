//! Everything that can go wrong between Iris and its database, as few kinds as callers need to tell apart.

use std::path::{Path, PathBuf};

use iris_core::fault::FaultKind;
use nix::errno::Errno;
use nix::sys::statvfs::statvfs;
use nix::unistd::{AccessFlags, access};

#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the disk is full, so nothing can be written down")]
    DiskFull,
    #[error("the disk refused a write ({0})")]
    Io(String),
    /// Whose it is has to be changed, and nothing about the disk.
    #[error("{0} may not be read and written by the user that Iris runs as (Permission denied)")]
    Denied(String),
    #[error("the database does not answer ({0})")]
    Unavailable(String),
    #[error("another program has locked the database (data/iris.db in IRIS_HOME)")]
    Locked,
    #[error("there is no TLS connection to the database ({0})")]
    Insecure(String),
    #[error("database.url: {0}")]
    Url(String),
    /// It knows no such user, password or database.
    #[error("the server of database.url refuses the connection ({0})")]
    Refused(String),
    /// The commit was sent and the answer never came: it may or may not have happened.
    #[error("the database went away during a commit; whether it took effect is unknown")]
    InDoubt,
    #[error("another node serves this session now")]
    Fenced,
    #[error("the database at {place} is damaged ({what})")]
    Damaged { place: String, what: String },
    #[error("the database has schema {found}, this iris knows up to {known}")]
    TooNew { found: u32, known: u32 },
    #[error("SQLite {found} is linked in, but at least {needed} is required")]
    OldSqlite { found: String, needed: &'static str },
    /// What is to be replaced as a whole may be changed by nobody meanwhile.
    #[error("another daemon is at work on the database (node {0})")]
    InUse(String),
    #[error("the store has been closed")]
    Closed,
    #[error("it was broken off")]
    BrokenOff,
    #[error("{0}")]
    Sql(String),
}

impl StoreError {
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::DiskFull
            | Self::Io(_)
            | Self::Denied(_)
            | Self::Unavailable(_)
            | Self::Locked
            | Self::Insecure(_)
            | Self::Refused(_)
            | Self::InDoubt
            | Self::Closed
            | Self::BrokenOff => FaultKind::Unavailable,
            Self::Url(_) => FaultKind::Invalid,
            Self::Fenced | Self::InUse(_) => FaultKind::Conflict,
            Self::TooNew { .. } | Self::OldSqlite { .. } => FaultKind::Unsupported,
            Self::Damaged { .. } | Self::Sql(_) => FaultKind::Internal,
        }
    }

    /// As `kind`, where no daemon runs that could try again: what the config says is wrong.
    pub fn kind_at_start(&self) -> FaultKind {
        match self {
            Self::Refused(_) => FaultKind::Invalid,
            _ => self.kind(),
        }
    }

    /// Whether the same write may succeed later without anybody changing it.
    pub fn may_pass(&self) -> bool {
        self.needs_reopen() || matches!(self, Self::DiskFull)
    }

    /// Whether the connection can no longer be trusted. After a failed fsync the kernel may have dropped the very pages
    /// it failed to write, so trying again on the same connection could claim success for data that is not there.
    pub(crate) fn needs_reopen(&self) -> bool {
        matches!(
            self,
            Self::Io(_)
                | Self::Denied(_)
                | Self::Unavailable(_)
                | Self::Locked
                | Self::Insecure(_)
                | Self::Refused(_)
                | Self::InDoubt
        )
    }

    /// As `hint`, where no daemon runs that could try again.
    pub fn hint_at_start(&self) -> Option<&'static str> {
        match self {
            Self::DiskFull => Some("free some space, and start Iris again"),
            Self::Io(_) => Some("free some space if the disk is full, else look at it (dmesg); then start Iris again"),
            Self::Unavailable(_) => Some("start the database, and then Iris again"),
            Self::Locked => {
                Some("end that program, or its transaction (`fuser` names who has the file open), and start Iris again")
            }
            Self::Insecure(_) => Some(
                "see that sslmode and sslrootcert in database.url fit the server's certificate, and start Iris again",
            ),
            Self::Refused(_) => Some(
                "correct the user, password or name of the database in it, or create what is missing (CREATE ROLE … LOGIN, \
                 CREATE DATABASE …), and start Iris again",
            ),
            _ => self.hint(),
        }
    }

    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::DiskFull => Some("free some space; Iris goes on by itself as soon as it can write"),
            Self::Denied(_) => Some("`iris doctor`, run as that user, says whose it is and the command that helps"),
            Self::Io(_) => Some("look at the disk (dmesg); Iris tries again by itself"),
            Self::Unavailable(_) => Some("start the database; Iris reconnects by itself"),
            Self::Locked => Some(
                "end that program, or its transaction (`fuser` names who has the file open); Iris goes on by itself",
            ),
            Self::Insecure(_) => {
                Some("see that sslmode and sslrootcert in database.url fit the server's certificate; Iris tries again")
            }
            Self::Refused(_) => Some(
                "see that the user, password and database in it are still the server's; Iris tries again, and reads it anew at a start",
            ),
            Self::InDoubt => Some("send it again with the same key: a repeated key never makes a second turn"),
            Self::TooNew { .. } => Some("use the newer iris, or restore the backup made before the upgrade"),
            Self::Damaged { .. } => Some("stop Iris and run `iris restore <backup>`"),
            Self::InUse(_) => Some("stop every daemon on it; one that ended just now counts as there for 15 s more"),
            Self::Fenced | Self::OldSqlite { .. } | Self::Closed | Self::BrokenOff | Self::Url(_) | Self::Sql(_) => {
                None
            }
        }
    }
}

impl StoreError {
    /// Why a write to an embedded database failed, of which SQLite does not say much.
    pub(crate) fn of_file(path: &Path, why: String) -> Self {
        match find_denied(path) {
            _ if is_full(path) => Self::DiskFull,
            Some(denied) => Self::Denied(denied.display().to_string()),
            None => Self::Io(why),
        }
    }
}

/// Less than this is no room: the log of a database grows by as much at once.
const LEAST_ROOM: u64 = 1024 * 1024;

fn is_full(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(path);
    statvfs(folder).is_ok_and(|found| found.blocks_available() * found.fragment_size() < LEAST_ROOM)
}

/// The first of the folder, the file and those that SQLite puts beside it that may not be used by this user.
fn find_denied(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().unwrap_or(path).to_owned();
    let files = ["db", "db-wal", "db-shm"].map(|end| (path.with_extension(end), AccessFlags::empty()));
    let mut all = std::iter::once((folder, AccessFlags::X_OK)).chain(files);
    let is_denied = |(path, more): &(PathBuf, AccessFlags)| {
        access(path, AccessFlags::R_OK | AccessFlags::W_OK | *more) == Err(Errno::EACCES)
    };
    all.find(is_denied).map(|(path, _)| path)
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::DiskFull,
            _ => Self::Io(error.to_string()),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self::from(&error)
    }
}

impl From<&rusqlite::Error> for StoreError {
    fn from(error: &rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen | ErrorCode::ReadOnly) => {
                Self::Io(error.to_string())
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { place: "IRIS_HOME/data/iris.db".to_owned(), what: error.to_string() }
            }
            _ => Self::Sql(error.to_string()),
        }
    }
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::from(&error)
    }
}

impl From<&tokio_postgres::Error> for StoreError {
    fn from(error: &tokio_postgres::Error) -> Self {
        use std::error::Error as _;
        if let Some(what) = crate::engine::postgres::tls::explain(error) {
            return Self::Insecure(what);
        }
        let because = error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"));
        match error.as_db_error() {
            Some(db) if db.code().code() == "53100" => Self::DiskFull,
            // Class 28: no such user, or not with this password; 3D000: no such database.
            Some(db) if db.code().code().starts_with("28") || db.code().code() == "3D000" => {
                Self::Refused(db.message().to_owned())
            }
            // Class 57P: the server is shutting down or starting; 53: out of resources; 40: another node was first;
            // 25006: the server became a read-only standby; 55P03: another node holds a row for too long.
            Some(db)
                if matches!(&db.code().code()[..2], "57" | "53" | "40")
                    || matches!(db.code().code(), "25006" | "55P03") =>
            {
                Self::Unavailable(because)
            }
            Some(_) => Self::Sql(because),
            None => Self::Unavailable(because),
        }
    }
}
