//! The write-ahead log's file, written in one piece per commit.
//!
//! SQLite writes a log page by page, and each page as a head and a body: a commit of six pages is twelve writes. Here they
//! are gathered and handed to the system in one, just before SQLite syncs, reads or measures the file. Nobody can see the
//! difference, because other connections look at a page only after the sync that made it valid; so this needs
//! `synchronous = full`, where every commit ends in one. Measured with ten sessions:
//! docs/design/0006. Every other file, and everything but reading and writing, is left to SQLite's own code.

#![allow(unsafe_code, reason = "SQLite's file layer is a table of C functions")]

use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;

use rusqlite::ffi;

/// The name connections are opened with.
pub(crate) const NAME: &CStr = c"iris-log";

/// A larger commit is written in several pieces: SQLite's own layer takes less than 128 KiB at once.
const MOST_GATHERED: usize = 120 * 1024;

/// A log that must grow grows by this much, of zeros, and is then overwritten: a sync that also has to write down a file's
/// new length takes twice as long. SQLite takes what follows its last commit for the rest of an older log.
const GROWTH: i64 = 1024 * 1024;
static ZEROS: [u8; 64 * 1024] = [0; 64 * 1024];

/// What SQLite holds for an open log. The file of SQLite's own layer lies behind it in the same memory.
#[repr(C)]
struct LogFile {
    base: ffi::sqlite3_file,
    gathered: Vec<u8>,
    /// Where the gathered bytes belong.
    offset: i64,
    /// How long the file is, as far as this connection has made it.
    length: i64,
}

/// Makes the layer known to SQLite, once. False if the system's own is missing or it cannot be added.
pub(crate) fn register() -> bool {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    *REGISTERED.get_or_init(|| {
        // SAFETY: the default layer lives as long as the process; the copy is leaked, so it does too.
        unsafe {
            let system = ffi::sqlite3_vfs_find(std::ptr::null());
            if system.is_null() || (*system).xOpen.is_none() {
                return false;
            }
            let mut layer = *system;
            layer.pNext = std::ptr::null_mut();
            layer.zName = NAME.as_ptr();
            layer.szOsFile += inner_offset();
            layer.xOpen = Some(open);
            ffi::sqlite3_vfs_register(Box::leak(Box::new(layer)), 0) == ffi::SQLITE_OK
        }
    })
}

fn inner_offset() -> c_int {
    c_int::try_from(size_of::<LogFile>().next_multiple_of(16)).expect("a small struct")
}

/// SQLite's own file behind ours.
unsafe fn inner(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    // SAFETY: `szOsFile` made room for both, and the offset keeps the alignment of the allocation.
    unsafe { file.byte_offset(inner_offset() as isize) }
}

/// Calls a method of SQLite's own file, which `open` has checked to be open.
macro_rules! pass {
    ($file:expr, $method:ident $(, $argument:expr)*) => {{
        let inner = inner($file);
        match (*(*inner).pMethods).$method {
            Some(method) => method(inner $(, $argument)*),
            None => ffi::SQLITE_IOERR,
        }
    }};
}

unsafe extern "C" fn open(
    _layer: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite gives memory of `szOsFile` bytes, which is enough for either kind of file.
    unsafe {
        let system = ffi::sqlite3_vfs_find(std::ptr::null());
        let Some(open_system) = (*system).xOpen else { return ffi::SQLITE_CANTOPEN };
        if flags & ffi::SQLITE_OPEN_WAL == 0 {
            return open_system(system, name, file, flags, flags_out);
        }
        (*file).pMethods = std::ptr::null();
        let inner = inner(file);
        (*inner).pMethods = std::ptr::null();
        let opened = open_system(system, name, inner, flags, flags_out);
        if opened == ffi::SQLITE_OK {
            let base = ffi::sqlite3_file { pMethods: &raw const METHODS };
            file.cast::<LogFile>().write(LogFile { base, gathered: Vec::new(), offset: 0, length: 0 });
        }
        opened
    }
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

/// Hands what was gathered to the system. What cannot be written is forgotten: SQLite undoes that commit, and the next one
/// writes the same place again.
unsafe fn flush(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: only called by the methods below, with a file that `open` has made.
    unsafe {
        let log = &mut *file.cast::<LogFile>();
        if log.gathered.is_empty() {
            return ffi::SQLITE_OK;
        }
        let length = c_int::try_from(log.gathered.len()).expect("bounded");
        let written = pass!(file, xWrite, log.gathered.as_ptr().cast::<c_void>(), length, log.offset);
        log.gathered.clear();
        if written == ffi::SQLITE_OK {
            grow(file, log.offset + i64::from(length));
        }
        written
    }
}

/// Makes room behind `end` if the file stops there. A disk without room for it is no fault: the log then grows commit by
/// commit, until that fails.
unsafe fn grow(file: *mut ffi::sqlite3_file, end: i64) {
    // SAFETY: as for `flush`.
    unsafe {
        let log = &mut *file.cast::<LogFile>();
        if end <= log.length {
            return;
        }
        if pass!(file, xFileSize, &raw mut log.length) != ffi::SQLITE_OK || end < log.length {
            return;
        }
        let target = end + GROWTH;
        while log.length < target {
            let count = c_int::try_from(ZEROS.len()).expect("small");
            if pass!(file, xWrite, ZEROS.as_ptr().cast::<c_void>(), count, log.length) != ffi::SQLITE_OK {
                return;
            }
            log.length += i64::from(count);
        }
    }
}

unsafe extern "C" fn write(file: *mut ffi::sqlite3_file, bytes: *const c_void, count: c_int, offset: i64) -> c_int {
    // SAFETY: SQLite passes a file of ours and `count` readable bytes.
    unsafe {
        let Ok(length) = usize::try_from(count) else { return ffi::SQLITE_MISUSE };
        let log = &mut *file.cast::<LogFile>();
        let end = log.offset + i64::try_from(log.gathered.len()).expect("bounded");
        if !log.gathered.is_empty() && (offset != end || log.gathered.len() + length > MOST_GATHERED) {
            let flushed = flush(file);
            if flushed != ffi::SQLITE_OK {
                return flushed;
            }
        }
        let log = &mut *file.cast::<LogFile>();
        if log.gathered.is_empty() {
            log.offset = offset;
        }
        log.gathered.extend_from_slice(std::slice::from_raw_parts(bytes.cast::<u8>(), length));
        ffi::SQLITE_OK
    }
}

/// A method that first hands over what was gathered.
macro_rules! after_flush {
    ($name:ident, $method:ident $(, $argument:ident: $type:ty)*) => {
        unsafe extern "C" fn $name(file: *mut ffi::sqlite3_file $(, $argument: $type)*) -> c_int {
            // SAFETY: SQLite passes a file of ours, and arguments as its own layer wants them.
            unsafe {
                match flush(file) {
                    ffi::SQLITE_OK => pass!(file, $method $(, $argument)*),
                    failed => failed,
                }
            }
        }
    };
}

/// A method that is left to SQLite's own file.
macro_rules! handed_on {
    ($name:ident, $method:ident $(, $argument:ident: $type:ty)*) => {
        unsafe extern "C" fn $name(file: *mut ffi::sqlite3_file $(, $argument: $type)*) -> c_int {
            // SAFETY: SQLite passes a file of ours, and arguments as its own layer wants them.
            unsafe { pass!(file, $method $(, $argument)*) }
        }
    };
}

after_flush!(read, xRead, into: *mut c_void, count: c_int, offset: i64);
after_flush!(sync, xSync, flags: c_int);
after_flush!(file_size, xFileSize, size: *mut i64);

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: i64) -> c_int {
    // SAFETY: SQLite passes a file of ours.
    unsafe {
        let flushed = flush(file);
        // Measured again before the next growth.
        (*file.cast::<LogFile>()).length = 0;
        if flushed == ffi::SQLITE_OK { pass!(file, xTruncate, size) } else { flushed }
    }
}

handed_on!(lock, xLock, level: c_int);
handed_on!(unlock, xUnlock, level: c_int);
handed_on!(check_reserved_lock, xCheckReservedLock, out: *mut c_int);
handed_on!(file_control, xFileControl, operation: c_int, argument: *mut c_void);
handed_on!(sector_size, xSectorSize);
handed_on!(device_characteristics, xDeviceCharacteristics);

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: the last call for this file; what it holds is given back once.
    unsafe {
        let flushed = flush(file);
        let closed = pass!(file, xClose);
        std::ptr::drop_in_place(&raw mut (*file.cast::<LogFile>()).gathered);
        if flushed == ffi::SQLITE_OK { closed } else { flushed }
    }
}
