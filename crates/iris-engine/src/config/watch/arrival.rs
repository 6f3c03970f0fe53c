//! How the file came to be in its place, as Linux tells it of the folder that it is in. What was moved there is whole; what
//! is written there may be half of it.

#[cfg(target_os = "linux")]
pub(super) use linux::Arrivals;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    Moved,
    Written,
    /// It is the same file as before; who may read it has changed, or its times.
    Touched,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::{Path, PathBuf};

    use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

    use super::Arrival;

    #[derive(Default)]
    pub struct Arrivals {
        watch: Option<(PathBuf, Inotify)>,
    }

    impl Arrivals {
        /// The last thing that was told of the file since it was asked before. Of some disks nothing is.
        pub fn told(&mut self, path: &Path) -> Option<Arrival> {
            // A link is followed to the file that is really written, and may lead to another one day.
            if let Ok(file) = path.canonicalize()
                && self.watch.as_ref().is_none_or(|(watched, _)| *watched != file)
            {
                self.watch = watch(&file).map(|watch| (file, watch));
            }
            let (file, watch) = self.watch.as_ref()?;
            let mut told = None;
            while let Ok(events) = watch.read_events() {
                for event in events {
                    if event.mask.contains(AddWatchFlags::IN_Q_OVERFLOW) {
                        told = None;
                    } else if event.name.as_deref() == file.file_name() {
                        told = latest(told, event.mask);
                    }
                }
            }
            told
        }
    }

    fn latest(told: Option<Arrival>, event: AddWatchFlags) -> Option<Arrival> {
        match event {
            event if event.contains(AddWatchFlags::IN_MOVED_TO) => Some(Arrival::Moved),
            event if event.contains(AddWatchFlags::IN_ATTRIB) => told.or(Some(Arrival::Touched)),
            _ => Some(Arrival::Written),
        }
    }

    /// None where the system has no watch left to give.
    fn watch(file: &Path) -> Option<Inotify> {
        let watch = Inotify::init(InitFlags::IN_NONBLOCK | InitFlags::IN_CLOEXEC).ok()?;
        let events = AddWatchFlags::IN_MOVED_TO
            | AddWatchFlags::IN_CREATE
            | AddWatchFlags::IN_MODIFY
            | AddWatchFlags::IN_ATTRIB
            | AddWatchFlags::IN_ONLYDIR;
        watch.add_watch(file.parent()?, events).ok()?;
        Some(watch)
    }
}

/// Nobody tells.
#[cfg(not(target_os = "linux"))]
#[derive(Default)]
pub(super) struct Arrivals;

#[cfg(not(target_os = "linux"))]
impl Arrivals {
    pub fn told(&mut self, _: &std::path::Path) -> Option<Arrival> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use super::*;

    #[test]
    fn what_is_moved_is_told_from_what_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, beside) = (folder.path().join("config.yaml"), folder.path().join("beside"));
        fs::write(&path, "a").expect("written");
        let mut arrivals = Arrivals::default();
        let mut check = |path: &Path, expected| assert_eq!(arrivals.told(path), expected);
        let moved = || fs::write(&beside, "c").and_then(|()| fs::rename(&beside, &path)).expect("moved");
        let touched = |mode| fs::set_permissions(&path, Permissions::from_mode(mode)).expect("set");
        check(&path, None);
        fs::write(&path, "b").expect("written");
        check(&path, Some(Arrival::Written));
        // As quickly as `sed -i` does it, which no time of the file tells.
        moved();
        check(&path, Some(Arrival::Moved));
        check(&path, None);
        touched(0o600);
        check(&path, Some(Arrival::Touched));
        moved();
        fs::write(&path, "d").expect("written");
        check(&path, Some(Arrival::Written));
        fs::remove_file(&path).and_then(|()| fs::write(&path, "e")).expect("written");
        touched(0o644);
        check(&path, Some(Arrival::Written));
        // By a link it is the file behind it that counts.
        let link = folder.path().join("link.yaml");
        symlink(&path, &link).expect("a link");
        moved();
        check(&link, Some(Arrival::Moved));
    }
}
