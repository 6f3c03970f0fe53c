//! What the doctor finds, with a daemon and without one.

#[path = "doctor/findings.rs"]
mod findings;

use serde_json::Value;

use crate::daemon::{Daemon, Place, Ran};

/// The verdict on one check.
fn verdict<'a>(report: &'a Value, check: &str) -> &'a Value {
    let findings = report["findings"].as_array().expect("findings");
    &findings.iter().find(|finding| finding["check"] == check).expect("it is looked at")["verdict"]
}

fn report(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).expect("JSON on stdout")
}

#[test]
fn a_running_daemon_is_well() {
    let daemon = Daemon::start();
    daemon.iris(&["tell", "alpha", "hello"]).ok();
    let found = daemon.iris(&["doctor", "--json"]).json();
    for check in ["token", "config", "daemon", "leftovers"] {
        assert_eq!(verdict(&found, check), "ok", "{found}");
    }
    assert_ne!(verdict(&found, "containment"), "problem", "{found}");
    assert_eq!(found["problems"], 0);
    let said = daemon.iris(&["doctor"]).ok();
    assert!(said.contains("containment") && said.contains("iris 0."), "{said}");
}

#[test]
fn it_works_where_nothing_ever_ran_and_changes_nothing() {
    let place = Place::empty();
    let found = place.iris(&["doctor", "--json"]).json();
    assert_eq!(verdict(&found, "daemon"), "warning");
    assert!(!place.home().exists(), "nothing was made");
}

#[test]
fn a_token_that_others_may_read_is_a_problem_and_so_is_a_wrong_config() {
    use std::os::unix::fs::PermissionsExt;
    let (place, _) = Daemon::start().stop();
    let token = place.home().join("token");
    std::fs::set_permissions(&token, std::fs::Permissions::from_mode(0o644)).expect("ours");
    place.configure("settings: { maxProcesses: 0 }\n");
    let ran = place.iris(&["doctor", "--json"]);
    assert_eq!(ran.code, 10, "{ran:?}");
    let found = report(&ran);
    assert_eq!((verdict(&found, "token"), verdict(&found, "config")), (&"problem".into(), &"problem".into()));
    let ran = place.iris(&["doctor"]);
    assert!(ran.stdout.contains("chmod 600") && ran.code == 10, "{ran:?}");
}

#[test]
fn what_a_killed_daemon_left_is_found_and_the_next_start_ends_it() {
    let daemon = Daemon::start();
    daemon.iris(&["tell", "alpha", "--timeout", "-1", "deaf"]).ok();
    let running = || daemon.iris(&["events"]).stdout.contains("listening no more");
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !running() {
        assert!(std::time::Instant::now() < until, "it never works");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let place = daemon.kill();
    let ran = place.iris(&["doctor", "--json"]);
    assert_eq!((ran.code, verdict(&report(&ran), "leftovers").as_str()), (10, Some("problem")), "{ran:?}");
    let daemon = Daemon::on(place);
    assert_eq!(verdict(&daemon.iris(&["doctor", "--json"]).json(), "leftovers"), "ok");
    let events = daemon.iris(&["events"]).ok();
    assert!(events.contains("interrupted turns: 1, queued again: 0, processes ended: 1"), "{events}");
}
