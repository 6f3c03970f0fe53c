//! Faults that need no privilege: a small library, loaded before libc, that fails or holds syncs, fills the disk or moves the wall
//! clock when a file says so. Everything else goes through to the real system.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const SOURCE: &str = include_str!("shim.c");

/// What the faults are told through: a folder whose files switch them on.
pub struct Faults {
    folder: tempfile::TempDir,
}

impl Faults {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// Variables for the daemon.
    pub fn env(&self) -> [(String, String); 2] {
        let library = library().to_str().expect("a path").to_owned();
        let folder = self.folder.path().to_str().expect("a path").to_owned();
        [("LD_PRELOAD".to_owned(), library), ("IRIS_TEST_FAULTS".to_owned(), folder)]
    }

    /// `sync`, `hold`, `full`, `clock` or `asleep` with a number of seconds, or `kill` with the number of the sync to die at.
    pub fn set(&self, fault: &str, value: &str) {
        let beside = self.folder.path().join("next");
        std::fs::write(&beside, value).expect("writable");
        std::fs::rename(beside, self.folder.path().join(fault)).expect("renamed");
    }

    pub fn clear(&self, fault: &str) {
        std::fs::remove_file(self.folder.path().join(fault)).expect("it was set");
    }
}

/// Built once, with the C compiler that SQLite needs anyway. Tests may run in processes of their own, so it is put in its
/// place in one step, under a name that changes with the source.
fn library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let mut hasher = std::hash::DefaultHasher::new();
        SOURCE.hash(&mut hasher);
        let library = folder.join(format!("shim-{:016x}.so", hasher.finish()));
        if library.exists() {
            return library;
        }
        let own = std::process::id();
        let (source, beside) = (folder.join(format!("shim-{own}.c")), folder.join(format!("shim-{own}.so")));
        std::fs::write(&source, SOURCE).expect("writable");
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(&beside)
            .arg(&source)
            .arg("-ldl")
            .output()
            .expect("a C compiler");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        std::fs::rename(&beside, &library).expect("renamed");
        std::fs::remove_file(&source).expect("removed");
        library
    })
}
