//! The files that whoever starts a daemon has open. They are none of its business, and less that of its agents, which would
//! inherit them in turn.

/// Where the system lists the open files of a process.
const LIST: &str = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
const STANDARD: i32 = 2;

/// Closes everything above the standard three. Only for the very beginning, while nothing of our own is open.
pub fn close_inherited() {
    let Ok(open) = std::fs::read_dir(LIST) else { return };
    let names = open.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    // All are known before the first is closed: the list itself is among them, and is closed by then.
    let inherited: Vec<i32> = names.filter(|number| *number > STANDARD).collect();
    for number in inherited {
        nix::unistd::close(number).ok();
    }
}
