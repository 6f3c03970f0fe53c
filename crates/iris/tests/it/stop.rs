//! The kill switch on the command line.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::daemon::Daemon;

#[test]
fn everything_is_stopped_and_the_next_tell_goes_on() {
    let daemon = Daemon::start();
    assert_eq!(daemon.iris(&["stop", "--all"]).ok(), "no agent was awake; no turn waited\n");
    daemon.iris(&["tell", "alpha", "hello"]).ok();
    daemon.iris(&["tell", "beta", "--timeout", "-1", "hang"]).ok();
    daemon.iris(&["tell", "beta", "--timeout", "-1", "never"]).ok();
    let stopped = daemon.iris(&["stop", "--all", "--yes", "--json"]).json();
    assert_eq!(stopped["agents"], 2, "{stopped}");
    assert!(!stopped["withdrawn"].as_array().expect("turns").is_empty(), "{stopped}");
    assert_eq!(daemon.iris(&["tell", "alpha", "again"]).ok(), "You said: again (turn 2)\n");
}

#[test]
fn it_is_said_that_all_of_them_are_meant() {
    let daemon = Daemon::start();
    assert!(daemon.iris(&["stop"]).failed(2).contains("--all"));
    let told: serde_json::Value = serde_json::from_str(&daemon.iris(&["stop", "--json"]).failed(2)).expect("JSON");
    assert_eq!(told["kind"], "invalid", "{told}");
}

#[test]
fn down_says_what_it_waits_for() {
    let daemon = Daemon::start();
    daemon.iris(&["tell", "alpha", "--async", "hang"]).ok();
    let began = Instant::now();
    while daemon.iris(&["sessions", "list", "--json"]).json()["items"][0]["running"].is_null() {
        assert!(began.elapsed() < Duration::from_secs(30), "it does not begin");
    }
    let ran = daemon.iris(&["down"]);
    assert!(ran.stderr.contains("waiting for 1 running turn to end; `iris down --now` does not wait"), "{ran:?}");
    assert_eq!(ran.ok(), "iris is down\n");
}

/// Its system still takes connections for it, so that whoever asks hears neither an answer nor a refusal.
#[test]
fn a_daemon_that_does_not_answer_is_given_up_on_and_named() {
    let daemon = Daemon::start();
    daemon.iris(&["tell", "alpha", "hi"]).ok();
    let pid = daemon.iris(&["status", "--json"]).json()["pid"].clone();
    daemon.signal(Signal::SIGSTOP);
    let named = format!("process {pid}, the iris of");
    std::thread::scope(|scope| {
        for (words, code) in [(&["status"][..], 6), (&["up", "--no-open"], 6), (&["doctor"], 10)] {
            let (daemon, named, pid) = (&daemon, &named, &pid);
            scope.spawn(move || {
                let ran = daemon.iris(words);
                let said = format!("{}{}", ran.stdout, ran.stderr);
                assert_eq!(ran.code, code, "{words:?}: {said}");
                assert!(said.contains(named) && said.contains("does not answer"), "{words:?}: {said}");
                assert!(said.contains(&format!("`kill -CONT {pid}` lets it go on")), "{words:?}: {said}");
                assert!(!said.contains("of no live session"), "its agents are not left over: {said}");
            });
        }
    });
    assert!(daemon.iris(&["down"]).ok().contains("iris is down"), "one that is stopped can be ended");
}

/// The kill switch is for the day on which things are not as they should be.
#[test]
fn everything_is_stopped_also_past_a_daemon_that_does_not_answer() {
    let daemon = Daemon::start();
    let first = agent_at_work(&daemon, "alpha");
    daemon.signal(Signal::SIGSTOP);
    let said = daemon.iris(&["stop", "--all", "--yes"]).ok();
    assert!(said.contains("does not answer") && said.contains("ended"), "{said}");
    assert!(said.contains("turns that wait were not withdrawn"), "{said}");
    assert!(is_gone(first), "{said}");

    daemon.signal(Signal::SIGCONT);
}

#[test]
fn everything_is_stopped_also_without_a_daemon() {
    let daemon = Daemon::start();
    let agent = agent_at_work(&daemon, "alpha");
    let place = daemon.kill();
    let said = place.iris(&["stop", "--all", "--yes"]).ok();
    assert!(said.contains("iris is not running") && said.contains("ended"), "{said}");
    assert!(is_gone(agent), "{said}");
    let again = place.iris(&["stop", "--all", "--yes", "--json"]).json();
    assert_eq!((&again["processes"], &again["agents"]), (&0.into(), &0.into()), "{again}");
}

/// The process of one that hears nothing.
fn agent_at_work(daemon: &Daemon, team: &str) -> i32 {
    daemon.iris(&["tell", team, "--async", "deaf"]).ok();
    let began = Instant::now();
    loop {
        let page = daemon.iris(&["sessions", "list", "--json"]).json();
        let sessions = page["items"].as_array().expect("sessions");
        let found = sessions.iter().find(|one| one["to"] == team && one["running"].is_string());
        if let Some(pid) = found.and_then(|session| session["pid"].as_i64()) {
            return i32::try_from(pid).expect("a number");
        }
        assert!(began.elapsed() < Duration::from_secs(30), "it does not begin: {page}");
    }
}

/// Or only waits for somebody to ask how it ended.
fn is_gone(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')')
        .next()
        .unwrap_or_default()
        .trim_start()
        .chars()
        .next()
        .is_none_or(|state| matches!(state, 'Z' | 'X'))
}
