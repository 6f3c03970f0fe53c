//! `iris audit export`: what people and agents did here, in order.

use serde_json::Value;

use crate::daemon::{Daemon, mode};

/// Kind and who, of each line.
fn told(text: &str) -> Vec<(String, Option<String>)> {
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON on each line"));
    let lines: Vec<Value> = lines.collect();
    assert!(lines.is_sorted_by_key(|line| line["event"].as_i64()), "in order");
    let who = |line: &Value| line["who"].as_str().map(str::to_owned);
    lines.iter().map(|line| (line["kind"].as_str().expect("a kind").to_owned(), who(line))).collect()
}

#[test]
fn who_did_what_is_told_and_what_agents_said_is_not() {
    let daemon = Daemon::start();
    let folder = daemon.place.path(".claude");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("settings.json"), "{}").expect("written");
    daemon.iris(&["token", "create", "--name", "ci"]).ok();
    daemon.iris(&["token", "revoke", "ci"]).ok();
    daemon.iris(&["link"]).ok();
    daemon.iris(&["trust", "alpha", "--yes"]).ok();
    daemon.iris(&["trust", "alpha", "--revoke"]).ok();
    daemon.iris(&["tell", "alpha", "hello"]).ok();
    daemon.iris(&["tell", "alpha", "--timeout", "-1", "hang"]).ok();
    daemon.iris(&["cancel", "alpha"]).ok();
    daemon.iris(&["stop", "--all", "--yes"]).ok();
    let told = told(&daemon.iris(&["audit", "export"]).ok());
    let user = || Some("user".to_owned());
    for kind in [
        "token.created",
        "token.revoked",
        "link.made",
        "trust.granted",
        "trust.revoked",
        "turn.cancel_asked",
        "daemon.halted",
    ] {
        assert!(told.contains(&(kind.to_owned(), user())), "{kind}: {told:?}");
    }
    assert!(told.contains(&("daemon.started".to_owned(), None)), "{told:?}");
    assert!(told.iter().all(|(kind, _)| kind != "message" && kind != "turn.finished"), "{told:?}");
}

#[test]
fn a_table_goes_into_a_new_file_that_only_the_owner_reads() {
    let daemon = Daemon::start();
    daemon.iris(&["token", "create", "--name", "ci"]).ok();
    let file = daemon.place.path("audit.csv");
    let words = ["audit", "export", "--format", "csv", "-o", file.to_str().expect("UTF-8")];
    let said = daemon.iris(&[&words[..], &["--json"]].concat()).json();
    let text = std::fs::read_to_string(&file).expect("written");
    assert!(text.starts_with("event,time,who,surface,credential,kind,team,session,turn,what,data\n"), "{text}");
    assert!(text.contains(",user,cli,owner,token.created,"), "{text}");
    assert_eq!((said["entries"].as_u64(), mode(&file)), (Some(text.lines().count() as u64 - 1), 0o600));
    assert!(daemon.iris(&words).failed(4).contains("exists already"));
    let newest = said["newestEvent"].to_string();
    let ran = daemon.iris(&["audit", "export", "--after", &newest]);
    assert!(
        ran.stdout.is_empty() && ran.stderr.contains(&format!("nothing was decided since event {newest}")),
        "{ran:?}"
    );
}
