//! The service under a real systemd: one of the test's own, with a /run of its own that nobody else sees. Only root can make
//! that, and only where no other systemd is at work; elsewhere this says that it was left out.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::daemon::{Place, Ran};

const SYSTEMD: &str = "/lib/systemd/systemd";
const RUNTIME: &str = "/run/user/0";
/// It takes for its own whatever is in its cgroup, so it gets one that nobody else is in.
const START: &str = "for group in $GROUPS; do mkdir $group && echo $$ > $group/cgroup.procs || exit 1; done; \
                     mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system /run/user/0 && chmod 700 /run/user/0 \
                     && exec /lib/systemd/systemd --user";
const HIERARCHIES: [&str; 3] = ["/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"];

struct Systemd<'a> {
    place: &'a Place,
    manager: Child,
    groups: Vec<PathBuf>,
}

impl<'a> Systemd<'a> {
    fn start(place: &'a Place) -> Option<Self> {
        let is_alone = nix::unistd::geteuid().is_root() && !Path::new("/run/systemd/system").exists();
        if !is_alone || !Path::new(SYSTEMD).exists() {
            eprintln!("no systemd of our own can be had here: left out");
            return None;
        }
        std::fs::create_dir_all(place.path("user")).expect("a folder");
        let roots = HIERARCHIES.iter().map(Path::new).filter(|root| root.join("cgroup.procs").exists());
        let groups: Vec<_> = roots.map(|root| root.join(format!("iris-test-{}", std::process::id()))).collect();
        let named: Vec<_> = groups.iter().map(|group| group.display().to_string()).collect();
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", START]).stdout(Stdio::null()).stderr(Stdio::null());
        surrounded(place, &mut command).env("GROUPS", named.join(" "));
        let systemd = Self { place, manager: command.spawn().ok()?, groups };
        systemd
            .until("it runs", || systemd.run(&["systemctl", "--user", "is-system-running"]).stdout.contains("running"));
        Some(systemd)
    }

    /// A command of somebody who is logged in there.
    fn run(&self, words: &[&str]) -> Ran {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.manager.id().to_string(), "--mount"]).args(words);
        surrounded(self.place, &mut command);
        Ran::of(command)
    }

    fn iris(&self, words: &[&str]) -> Ran {
        self.run(&[&[env!("CARGO_BIN_EXE_iris"), "--json"], words].concat())
    }

    fn main_process(&self) -> i32 {
        let shown = self.run(&["systemctl", "--user", "show", "-p", "MainPID", "--value", "iris"]).ok();
        shown.trim().parse().expect("a number")
    }

    fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let until = Instant::now() + Duration::from_secs(60);
        while !is_so() {
            assert!(Instant::now() < until, "waited too long until {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Systemd<'_> {
    fn drop(&mut self) {
        // Asked to end, it ends what it started.
        kill(Pid::from_raw(i32::try_from(self.manager.id()).expect("a number")), Signal::SIGTERM).ok();
        self.manager.wait().ok();
        self.groups.iter().for_each(|group| remove(group));
    }
}

/// With those in it; a group that still holds a process stays.
fn remove(group: &Path) {
    let within = std::fs::read_dir(group).into_iter().flatten().flatten().map(|entry| entry.path());
    within.filter(|path| path.is_dir()).for_each(|path| remove(&path));
    std::fs::remove_dir(group).ok();
}

fn surrounded<'a>(place: &Place, command: &'a mut Command) -> &'a mut Command {
    command.env_clear().env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin").env("HOME", place.path("user"));
    command.env("XDG_RUNTIME_DIR", RUNTIME).env("IRIS_HOME", place.home())
}

#[test]
fn it_is_started_started_again_when_killed_and_taken_away() {
    let place = Place::empty();
    place.configure("settings: { port: 0 }\n");
    let Some(systemd) = Systemd::start(&place) else { return };
    assert_eq!(systemd.iris(&["service", "install"]).json()["outcome"], "installed");
    systemd.until("it serves", || systemd.iris(&["status"]).code == 0);
    let first = systemd.main_process();
    assert_eq!(systemd.iris(&["status"]).json()["pid"], first);
    let status = systemd.iris(&["service", "status"]).json();
    assert_eq!((&status["enabled"], &status["active"]), (&true.into(), &true.into()), "{status}");

    kill(Pid::from_raw(first), Signal::SIGKILL).expect("it runs");
    systemd.until("another serves", || {
        let now = systemd.main_process();
        now != 0 && now != first && systemd.iris(&["status"]).code == 0
    });

    assert_eq!(systemd.iris(&["service", "uninstall"]).json()["outcome"], "removed");
    assert_eq!(systemd.main_process(), 0);
    assert_ne!(systemd.iris(&["status"]).code, 0, "it is stopped");
}
