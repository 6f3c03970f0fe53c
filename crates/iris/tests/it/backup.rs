//! Backup and restore.

use crate::daemon::{Daemon, Place, mode};

#[test]
fn what_was_said_comes_back_in_another_home() {
    let daemon = Daemon::start();
    daemon.iris(&["tell", "alpha", "remember this"]).ok();
    // While it runs, and again when it does not.
    let made = daemon.iris(&["backup", "live.tar", "--json"]).json();
    assert_eq!(made["path"], daemon.place.path("live.tar").display().to_string());
    let (place, _) = daemon.stop();
    let told = place.iris(&["backup", "live.tar"]).failed(4);
    assert!(told.contains("exists already"), "{told}");
    let told = place.iris(&["backup"]).ok();
    assert!(told.contains("iris-backup-20"), "{told}");

    let other = Place::empty();
    let file = place.path("live.tar");
    let told = other.iris(&["restore", file.to_str().expect("text")]).ok();
    assert!(told.contains("start it with `iris up`"), "{told}");
    assert_eq!(mode(&other.home().join("data/iris.db")), 0o600);
    let daemon = Daemon::on(other);
    let kept = daemon.iris(&["cache", "inspect", "alpha", "--json"]).json();
    assert_eq!(kept["turns"][0]["response"], "You said: remember this (turn 1)");
    // Not into a home that is in use.
    let told = daemon.iris(&["restore", file.to_str().expect("text"), "--yes"]).failed(9);
    assert!(told.contains("stop it first"), "{told}");

    let (other, _) = daemon.stop();
    let told = other.iris(&["restore", file.to_str().expect("text"), "--yes", "--json"]).json();
    assert_eq!(told["kept"].as_array().map(Vec::len), Some(3), "{told}");
    let databases = std::fs::read_dir(other.home().join("data")).expect("a folder").flatten().map(|entry| entry.path());
    let databases: Vec<_> = databases.filter(|path| path.extension().is_some_and(|end| end == "db")).collect();
    assert!(databases.len() == 2 && databases.iter().all(|path| mode(path) == 0o600), "{databases:?}");
}

#[test]
fn what_is_no_backup_is_refused() {
    let place = Place::empty();
    let told = place.iris(&["restore", "nothing.tar"]).failed(3);
    assert!(told.contains("nothing.tar"), "{told}");
    std::fs::write(place.path("text.tar"), "not a backup").expect("written");
    let told = place.iris(&["restore", "text.tar"]).failed(2);
    assert!(told.contains("is not a backup of Iris"), "{told}");
    let told = Place::empty().iris(&["backup"]).failed(3);
    assert!(told.contains("there is no Iris in"), "{told}");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let daemon = Daemon::start();
    let told = daemon.iris(&["backup", "/nonexist/x.tar"]).failed(3);
    assert!(told.contains("there is no folder /nonexist") && told.contains("make it first"), "{told}");
    let place = daemon.stop().0;
    assert!(place.iris(&["backup", "/nonexist/x.tar"]).failed(3).contains("there is no folder /nonexist"));
}
