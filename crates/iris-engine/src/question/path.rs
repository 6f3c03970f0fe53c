//! Where a path leads, for judging what an agent wants to do with it.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// As many as Linux follows; what has more cannot be opened.
const MOST_LINKS: usize = 40;

/// An absolute path with every link followed, also one that leads to nothing yet: a file may be made there. What is not
/// there is taken as it is written.
pub(crate) fn follow_links(path: &str) -> String {
    let mut left = parts(Path::new(path));
    let mut real = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = left.pop() {
        if part == ".." {
            real.pop();
            continue;
        }
        real.push(part);
        // Not a link, or not there.
        let Ok(target) = real.read_link() else { continue };
        links += 1;
        if links > MOST_LINKS {
            break;
        }
        real.pop();
        if target.is_absolute() {
            real = PathBuf::from("/");
        }
        left.extend(parts(&target));
    }
    real.to_string_lossy().into_owned()
}

/// The first is last.
fn parts(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_what_is_there_and_to_what_is_not() {
        let place = tempfile::tempdir().expect("a folder");
        let root = place.path().canonicalize().expect("it is there");
        let (team, elsewhere) = (root.join("team"), root.join("elsewhere"));
        std::fs::create_dir_all(team.join("src")).expect("a folder");
        std::fs::create_dir_all(&elsewhere).expect("a folder");
        symlink(&elsewhere, team.join("link")).expect("a link");
        symlink("../link/deep", team.join("src/second")).expect("a link");
        symlink(root.join("nowhere/file"), team.join("dangling")).expect("a link");
        symlink("loop", team.join("loop")).expect("a link");
        let check = |path: &str, expected: PathBuf| {
            let path = team.join(path);
            assert_eq!(follow_links(&path.to_string_lossy()), expected.to_string_lossy(), "{}", path.display());
        };
        check("src/new/file", team.join("src/new/file"));
        check("link/evil.txt", elsewhere.join("evil.txt"));
        check("src/second/a", elsewhere.join("deep/a"));
        check("dangling", root.join("nowhere/file"));
        check("link/../team/src", team.join("src"));
        check("loop/a", team.join("loop"));
    }
}
