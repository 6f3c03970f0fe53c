//! `iris service`, in a home of the user's that is empty. Nothing here reaches the systemd of whoever runs the tests.

mod systemd;

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::daemon::{Daemon, Place, Ran};

fn iris(place: &Place, words: &[&str]) -> Command {
    let mut command = place.command(words);
    std::fs::create_dir_all(place.path("user")).expect("a folder");
    // Where there is no manager of a login to be found.
    command.env("HOME", place.path("user")).env("XDG_RUNTIME_DIR", place.path("nowhere"));
    command.env_remove("DBUS_SESSION_BUS_ADDRESS").env_remove("XDG_CONFIG_HOME").env("PATH", "/usr/bin:/bin");
    command
}

fn run(place: &Place, words: &[&str]) -> Ran {
    Ran::of(iris(place, words))
}

/// A stand-in for systemctl: it writes down what it is asked, and says that the service is as the file `state` says.
fn with_systemctl(place: &Place, words: &[&str]) -> Ran {
    let bin = place.path("bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    let (file, log) = (bin.join("systemctl"), place.path("asked"));
    let script = format!(
        "#!/bin/sh\necho \"$*\" >> {}\n[ \"$2\" = show ] && cat {} 2>/dev/null\nexit 0\n",
        log.display(),
        place.path("state").display()
    );
    std::fs::write(&file, script).expect("written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("ours");
    let mut command = iris(place, words);
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    Ran::of(command)
}

fn asked(place: &Place) -> Vec<String> {
    let text = std::fs::read_to_string(place.path("asked")).unwrap_or_default();
    std::fs::remove_file(place.path("asked")).ok();
    text.lines().filter(|line| !line.starts_with("--user show")).map(str::to_owned).collect()
}

const UNIT: &str = "user/.config/systemd/user/iris.service";

#[test]
fn without_a_manager_the_unit_is_written_and_the_rest_is_said() {
    let place = Place::empty();
    let printed = run(&place, &["service", "install", "--dry-run"]).ok();
    assert!(!place.path(UNIT).exists(), "a dry run writes nothing");
    let said = run(&place, &["service", "install"]).ok();
    assert!(said.contains("systemctl --user enable --now iris.service"), "{said}");
    assert_eq!(std::fs::read_to_string(place.path(UNIT)).expect("a unit"), printed);
    assert!(printed.contains(&format!("--home {} serve", place.home().display())), "{printed}");
    let again = run(&place, &["service", "install", "--json"]).json();
    assert_eq!(again["outcome"], "already");
    let status = run(&place, &["service", "status", "--json"]).json();
    assert_eq!(
        (&status["installed"], &status["current"], &status["manager"]),
        (&true.into(), &true.into(), &false.into())
    );
    assert_eq!(run(&place, &["service", "uninstall", "--json"]).json()["outcome"], "removed");
    assert!(!place.path(UNIT).exists());
    assert_eq!(run(&place, &["service", "uninstall", "--json"]).json()["outcome"], "absent");
    assert!(run(&place, &["service", "status"]).ok().contains("there is no service"));
}

#[test]
fn a_manager_is_asked_in_order_and_only_when_there_is_something_to_do() {
    let place = Place::empty();
    with_systemctl(&place, &["service", "install"]).ok();
    assert_eq!(asked(&place), ["--user daemon-reload", "--user enable --now iris.service"]);
    std::fs::write(place.path("state"), "UnitFileState=enabled\nActiveState=active\nSubState=running\nMainPID=42\n")
        .expect("written");
    let again = with_systemctl(&place, &["service", "install", "--json"]).json();
    assert_eq!((again["outcome"].as_str(), asked(&place).len()), (Some("already"), 0));
    assert!(with_systemctl(&place, &["service", "status"]).ok().contains("yes, process 42"));
    with_systemctl(&place, &["service", "uninstall"]).ok();
    assert_eq!(asked(&place), ["--user disable --now iris.service", "--user daemon-reload"]);
}

#[test]
fn a_daemon_that_runs_already_is_not_given_a_rival() {
    let daemon = Daemon::start();
    let done = with_systemctl(&daemon.place, &["service", "install", "--json"]).json();
    assert_eq!(asked(&daemon.place), ["--user daemon-reload", "--user enable iris.service"]);
    assert_eq!(done["toRun"][0], "iris down");
    std::fs::write(
        daemon.place.path("state"),
        "UnitFileState=enabled\nActiveState=inactive\nSubState=dead\nMainPID=0\n",
    )
    .expect("written");
    let again = with_systemctl(&daemon.place, &["service", "install", "--json"]).json();
    assert_eq!((again["outcome"].as_str(), again["toRun"][0].as_str()), (Some("already"), Some("iris down")));
    assert!(asked(&daemon.place).is_empty());
}

#[test]
fn nor_is_it_where_the_manager_cannot_be_reached() {
    let daemon = Daemon::start();
    let expected = ["iris down", "systemctl --user daemon-reload", "systemctl --user enable --now iris.service"];
    for outcome in ["installed", "already"] {
        let done = run(&daemon.place, &["service", "install", "--json"]).json();
        assert_eq!(done["outcome"], outcome);
        assert_eq!(done["toRun"], serde_json::json!(expected), "{done}");
        let notes = done["notes"].to_string();
        assert!(notes.contains("cannot be reached") && notes.contains("iris runs already"), "{done}");
    }
}

#[test]
fn what_somebody_else_wrote_stays() {
    let place = Place::empty();
    std::fs::create_dir_all(place.path(UNIT).parent().expect("a folder")).expect("made");
    std::fs::write(place.path(UNIT), "[Service]\nExecStart=/bin/true\n").expect("written");
    for word in ["install", "uninstall"] {
        assert!(run(&place, &["service", word]).failed(4).contains("was not written by"));
    }
    std::fs::remove_file(place.path(UNIT)).expect("ours");
    run(&place, &["service", "install"]).ok();
    let other = place.path("other").display().to_string();
    for word in ["install", "uninstall"] {
        assert!(run(&place, &["--home", &other, "service", word]).failed(4).contains("another home"));
    }
}
