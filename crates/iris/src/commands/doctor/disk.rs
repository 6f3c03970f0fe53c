//! Room on the disk that the home is on.

use std::path::Path;

use iris_engine::home::Home;
use nix::sys::statvfs::statvfs;

use super::finding::Finding;
use crate::place;

const CHECK: &str = "disk";
const MB: u64 = 1024 * 1024;
/// Below this a busy day of agents may fill it.
const LITTLE: u64 = 1024 * MB;
/// Below this the next write may fail.
const ALMOST_NONE: u64 = 64 * MB;

pub(super) fn look(home: &Home) -> Finding {
    // Where nothing is yet, the folder above it is on the same disk.
    let there = home.root().ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    let Ok(found) = statvfs(there) else {
        return Finding::warning(CHECK, "the system does not say how much room there is", "look with `df -h`");
    };
    judge(found.blocks_available() * found.fragment_size(), &place::shown(there))
}

fn judge(free: u64, place: &str) -> Finding {
    let what = format!("{} MB free for {place}", free / MB);
    let help = "free some space: what cannot be written down is not accepted, until there is room again";
    match free {
        0..ALMOST_NONE => Finding::problem(CHECK, what, help),
        ALMOST_NONE..LITTLE => Finding::warning(CHECK, what, help),
        _ => Finding::ok(CHECK, what),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn little_room_is_a_warning_and_none_a_problem() {
        let verdicts = [10 * MB, 500 * MB, 5000 * MB].map(|free| judge(free, "/").verdict);
        assert_eq!(verdicts, [Verdict::Problem, Verdict::Warning, Verdict::Ok]);
    }
}
