//! Whether somebody is still writing a file, as Linux tells it of every process that is ours to look at.

use std::path::Path;

/// Whether somebody has the file open to write to: then more may come, however long it takes. Where the system does not
/// say, nobody has.
pub(super) async fn is_at_work(path: &Path) -> bool {
    let path = path.to_owned();
    tokio::task::spawn_blocking(move || find_writer(&path).is_some()).await.unwrap_or(false)
}

fn find_writer(path: &Path) -> Option<u32> {
    let file = path.canonicalize().ok()?;
    let processes = std::fs::read_dir("/proc").ok()?.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let has_open = |pid: &u32| {
        let Ok(open) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
        let of_file = open.flatten().filter(|entry| std::fs::read_link(entry.path()).is_ok_and(|to| to == file));
        let numbers = of_file.filter_map(|entry| entry.file_name().into_string().ok());
        numbers.into_iter().any(|number| may_write(&format!("/proc/{pid}/fdinfo/{number}")))
    };
    processes.into_iter().find(has_open)
}

/// The last two bits of the flags, which are octal, say whether it was opened to be read, written or both.
fn may_write(about: &str) -> bool {
    let about = std::fs::read_to_string(about).unwrap_or_default();
    let flags = about.lines().find_map(|line| line.strip_prefix("flags:"));
    flags.is_some_and(|flags| u32::from_str_radix(flags.trim(), 8).is_ok_and(|flags| flags & 0b11 != 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_open_to_be_written_is_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("config.yaml");
        let written = std::fs::File::create(&path).expect("a file");
        assert_eq!(find_writer(&path), Some(std::process::id()));
        drop(written);
        let _read = std::fs::File::open(&path).expect("a file");
        assert_eq!(find_writer(&path), None);
    }
}
