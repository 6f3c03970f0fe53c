//! The stronger way: a cgroup (v2) for each agent. Whatever an agent starts is in it, however it was started, and the
//! kernel ends all of it at once.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::process::Process;

/// Where cgroups are, and which one this process is in.
#[derive(Clone, Debug)]
pub(super) struct Hierarchy {
    mount: PathBuf,
    own: PathBuf,
}

impl Hierarchy {
    pub fn find() -> Result<Self, String> {
        let read = |path| fs::read_to_string(path).map_err(|error| format!("{path} cannot be read ({error})"));
        locate(&read("/proc/self/mountinfo")?, &read("/proc/self/cgroup")?)
    }

    /// The group of this process, in which it may make others if it is allowed to.
    pub fn own(&self) -> &Path {
        &self.own
    }

    /// All groups of such a name, wherever they are: an earlier daemon may have run in another place.
    pub fn named(&self, names: &[String]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        search(&self.mount, names, DEEPEST, &mut found);
        found
    }
}

const DEEPEST: u32 = 16;

fn search(folder: &Path, names: &[String], depth: u32, found: &mut Vec<PathBuf>) {
    for group in groups_in(folder) {
        if group.file_name().is_some_and(|last| names.iter().any(|name| last == name.as_str())) {
            found.push(group);
        } else if depth > 0 {
            search(&group, names, depth - 1, found);
        }
    }
}

fn groups_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}

/// `mountinfo` says where the hierarchy is mounted and which part of it; `cgroup` which group of it is ours.
fn locate(mountinfo: &str, cgroup: &str) -> Result<Hierarchy, String> {
    let own = cgroup.lines().find_map(|line| line.strip_prefix("0::")).ok_or("there is no cgroup v2 here")?;
    let mut mounts = mountinfo.lines().filter_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let fields: Vec<&str> = before.split(' ').collect();
        (after.split(' ').next()? == "cgroup2").then_some((*fields.get(3)?, *fields.get(4)?))
    });
    let (root, mount) = mounts.next().ok_or("cgroup v2 is not mounted")?;
    let inside = Path::new(own).strip_prefix(root).map_err(|_| "this process is in no cgroup that can be seen")?;
    if inside.components().any(|part| part == std::path::Component::ParentDir) {
        return Err("this process is in no cgroup that can be seen".to_owned());
    }
    Ok(Hierarchy { mount: mount.into(), own: Path::new(mount).join(inside) })
}

/// One group.
#[derive(Debug)]
pub(super) struct Group {
    path: PathBuf,
}

/// How long the kernel is given to end what is in a group.
const LIMIT: Duration = Duration::from_secs(2);
/// How long it is given where somebody waits for the end of the daemon.
const MOMENT: Duration = Duration::from_millis(300);
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);

impl Group {
    pub fn make(path: PathBuf) -> io::Result<Self> {
        // The one above may be taken away just then by a daemon that was here before and is still ending.
        fs::create_dir_all(&path).or_else(|_| fs::create_dir_all(&path))?;
        Ok(Self { path })
    }

    pub fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// The groups in it.
    pub fn children(&self) -> Vec<Self> {
        groups_in(&self.path).into_iter().map(Self::at).collect()
    }

    /// Makes a command begin its life in the group: it is inside before its program is, so nothing it starts can be
    /// outside.
    pub fn hold(&self, command: &mut std::process::Command) -> io::Result<()> {
        use std::os::unix::process::CommandExt;
        let entrance: File = OpenOptions::new().write(true).open(self.path.join("cgroup.procs"))?;
        let enter = move || rustix::io::write(&entrance, b"0").map(drop).map_err(io::Error::from);
        #[expect(unsafe_code, reason = "a child can enter its cgroup before anything else only between fork and exec")]
        // SAFETY: the closure makes one system call on an open file, and nothing else: no allocation, no lock.
        unsafe {
            command.pre_exec(enter);
        }
        Ok(())
    }

    /// Who is in it, and in the groups in it.
    pub fn members(&self) -> Vec<i32> {
        let own = fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default();
        let mut members: Vec<i32> = own.lines().filter_map(|line| line.parse().ok()).collect();
        self.children().iter().for_each(|group| members.extend(group.members()));
        members
    }

    /// Sends KILL to everybody in it. The group of this very process is never ended whole: whoever started us in it may
    /// be gone, but we are not.
    pub fn kill(&self) {
        let own = i32::try_from(std::process::id()).unwrap_or_default();
        let holds_us = self.members().contains(&own);
        if holds_us || fs::write(self.path.join("cgroup.kill"), "1").is_err() {
            // A kernel before 5.14, or we are in it: one by one, and each only if it is still in here.
            for process in self.members().into_iter().filter(|pid| *pid != own).filter_map(Process::find) {
                if self.members().contains(&process.pid) {
                    process.kill();
                }
            }
        }
    }

    /// Ends everybody in it and takes the group away. Returns who was in it.
    pub fn end(self) -> Vec<i32> {
        let mut ended = self.members();
        let until = Instant::now() + LIMIT;
        while !self.members().is_empty() && Instant::now() < until {
            self.kill();
            std::thread::sleep(BETWEEN_LOOKS);
            ended.extend(self.members());
        }
        ended.sort_unstable();
        ended.dedup();
        self.remove();
        ended
    }

    /// As `remove`, once those who were told to end have.
    pub fn remove_when_empty(&self) {
        let until = Instant::now() + MOMENT;
        while !self.members().is_empty() && Instant::now() < until {
            std::thread::sleep(BETWEEN_LOOKS);
        }
        self.remove();
    }

    /// Takes the group away if nobody is in it.
    pub fn remove(&self) {
        self.children().iter().for_each(Self::remove);
        if let Err(error) = fs::remove_dir(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::debug!(group = %self.path.display(), %error, "a cgroup stays");
        }
    }
}

/// Does once what will be done for every agent: makes a group, starts a process in it, ends it.
pub(super) fn try_out(parent: &Path) -> Result<(), String> {
    let cannot = |what: &str, error: io::Error| format!("{what} {} ({error})", parent.display());
    let path = parent.join(format!("probe-{}", std::process::id()));
    let group = Group::make(path).map_err(|error| cannot("no cgroup can be made in", error))?;
    let outcome = try_in(&group).map_err(|error| cannot("no process can be held in a cgroup of", error));
    group.end();
    outcome
}

fn try_in(group: &Group) -> io::Result<()> {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "read line"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    group.hold(&mut command)?;
    let mut child = command.spawn()?;
    let inside = group.members().iter().any(|pid| u32::try_from(*pid) == Ok(child.id()));
    group.kill();
    // Ended by the group, or by the end of its input.
    drop(child.stdin.take());
    let status = child.wait()?;
    use std::os::unix::process::ExitStatusExt;
    if inside && status.signal() == Some(9) { Ok(()) } else { Err(io::Error::other("the group did not end it")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mountinfo: &str, cgroup: &str, expected: Result<&str, &str>) {
        let found = locate(mountinfo, cgroup);
        let found = found.as_ref().map(|found| found.own.to_str().expect("UTF-8")).map_err(String::as_str);
        assert_eq!(found, expected);
    }

    #[test]
    fn the_own_group_is_found_wherever_the_hierarchy_is_mounted() {
        let only = "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate";
        check(only, "0::/user.slice/a.scope\n", Ok("/sys/fs/cgroup/user.slice/a.scope"));
        let both = "40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n\
                    41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw";
        check(both, "1:cpu:/\n0::/\n", Ok("/sys/fs/cgroup/unified/"));
        let part = "41 31 0:38 /docker/x /sys/fs/cgroup ro - cgroup2 cgroup2 rw";
        check(part, "0::/docker/x/y\n", Ok("/sys/fs/cgroup/y"));
        check(part, "0::/elsewhere\n", Err("this process is in no cgroup that can be seen"));
        check(only, "0::/../a\n", Err("this process is in no cgroup that can be seen"));
        check("", "0::/\n", Err("cgroup v2 is not mounted"));
        check(only, "1:cpu:/\n", Err("there is no cgroup v2 here"));
    }
}
