//! Reading: teams, sessions, the cache, the log; and waking and putting to sleep.

use crate::daemon::{Daemon, Place};

/// Ids, times and ages are different each time; their shape is not.
fn settings() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"STATE +TURNS", "STATE  TURNS");
    settings.add_filter(r"→ alpha  \w+", "→ alpha  [state]");
    settings.add_filter(r"[0-9a-f]{8}-[0-9a-f-]{27}", "[id]");
    settings.add_filter(r"(?m)^[0-9a-f]{8} ", "[short]  ");
    settings.add_filter(r"\d{4}-\d\d-\d\d \d\d:\d\d", "[date]");
    settings.add_filter(r"\d\d:\d\d:\d\d", "[time]");
    settings.add_filter(r"(\[state\]|idle|stopped) \d+[sm] \(event \d+\)", "$1 [age] (event [n])");
    settings.add_filter(r"  \d+(\.\d)?m?s  ", "  [span]  ");
    settings.add_filter(r"after \d+(\.\d)?m?s", "after [span]");
    settings.add_filter(r"process +\d+", "process [pid]");
    settings.add_filter(r"(?m)^ *\d+  \[time\]", "[n]  [time]");
    settings.add_filter(r"\[time\] +\d+", "[time] [n]");
    settings
}

/// It can be had again, if one knows how.
#[test]
fn who_has_no_token_any_more_is_told_how_to_have_one() {
    let daemon = Daemon::start();
    std::fs::remove_file(daemon.place.home().join("token")).expect("it is there");
    for words in [&["status"][..], &["up", "--no-open"]] {
        let ran = daemon.iris(words);
        assert!(ran.stderr.contains("`iris down` needs none, and `iris up` makes a new one"), "{ran:?}");
    }
    daemon.iris(&["down"]).ok();
}

#[test]
fn teams_and_sessions() {
    let daemon = Daemon::start();
    let show = |words: &[&str]| daemon.place.redact(&daemon.iris(words).ok());
    settings().bind(|| {
        insta::assert_snapshot!("nobody_was_told_yet", show(&["teams", "show", "alpha"]));
        insta::assert_snapshot!("no_sessions", show(&["sessions", "list"]));
        daemon.iris(&["tell", "alpha", "hi"]).ok();
        daemon.iris(&["sleep", "alpha"]).ok();
        insta::assert_snapshot!("teams_list", show(&["teams", "list"]));
        insta::assert_snapshot!("teams_show", show(&["teams", "show", "alpha"]));
        insta::assert_snapshot!("sessions_list", show(&["sessions", "list"]));
        let id = daemon.iris(&["sessions", "list", "--json"]).json()["items"][0]["id"].clone();
        let id = id.as_str().expect("an id").to_owned();
        insta::assert_snapshot!("sessions_show", show(&["sessions", "show", &id[..8]]));
        let other = daemon.iris(&["sessions", "list", "--team", "beta", "--json"]).json();
        assert_eq!(other["items"], serde_json::json!([]));
        let told = daemon.iris(&["sessions", "show", "nothing"]).failed(3);
        assert!(told.contains("iris sessions list"), "{told}");
        let unasked = daemon.iris(&["sessions", "delete", &id[..8]]).failed(2);
        assert!(unasked.contains("nobody can be asked here") && unasked.contains("say --yes"), "{unasked}");
        let gone = daemon.iris(&["sessions", "delete", &id[..8], "--yes"]).ok();
        assert!(gone.starts_with("forgot session"), "{gone}");
        daemon.iris(&["sessions", "show", &id]).failed(3);
    });
}

#[test]
fn the_cache_is_read_by_team_session_or_turn_and_forgotten() {
    let daemon = Daemon::start();
    daemon.iris(&["tell", "alpha", "first"]).ok();
    daemon.iris(&["tell", "alpha", "crash"]).failed(1);
    let kept = daemon.iris(&["cache", "inspect", "alpha", "--json"]).json();
    let (session, turn) = (kept["session"]["id"].as_str(), kept["turns"][0]["id"].as_str());
    let (session, turn) = (session.expect("an id"), turn.expect("an id"));
    settings().bind(|| {
        let by_team = daemon.iris(&["cache", "inspect", "alpha"]).ok();
        insta::assert_snapshot!("cache_of_a_session", by_team);
        let limited = daemon.iris(&["cache", "inspect", &session[..8], "--after", "0", "--limit", "1"]);
        assert_eq!(limited.stderr, format!("more: iris cache inspect {session} --after 1 --limit 1\n"));
        insta::assert_snapshot!("cache_of_a_turn", daemon.iris(&["cache", "inspect", turn]).ok());
    });
    let messages = daemon.iris(&["cache", "inspect", turn, "--json"]).json()["messages"].clone();
    let last = messages.as_array().and_then(|messages| messages.last()).expect("a message");
    assert_eq!((&last["type"], &last["text"]), (&"assistant".into(), &"You said: first (turn 1)".into()));
    let told = daemon.iris(&["cache", "inspect", "alpha", "--from", "bob"]).failed(3);
    assert!(told.contains("--from user"), "{told}");
    daemon.iris(&["cache", "inspect", "nothing"]).failed(3);
    for words in [["cache", "inspect", "alpah"], ["sessions", "show", "alpah"], ["cache", "clear", "alpah"]] {
        let told = daemon.iris(&words).failed(3);
        assert!(told.contains("did you mean 'alpha'?"), "{told}");
    }
    let told = daemon.iris(&["sessions", "show", "alpha"]).failed(3);
    assert!(told.contains("iris sessions list --team alpha"), "{told}");
    let latest = daemon.iris(&["cache", "inspect", "alpha", "--limit", "1"]);
    assert_eq!(latest.stderr, format!("1 earlier: iris cache inspect {session} --after 0 --limit 1\n"));
    let latest = daemon.iris(&["cache", "inspect", "alpha", "--limit", "1", "--json"]).json();
    assert_eq!((&latest["earlier"], &kept["earlier"]), (&1.into(), &0.into()));
    daemon.iris(&["cache", "clear", session, "--json"]).failed(2);
    let gone = daemon.iris(&["cache", "clear", "alpha", "--yes", "--json"]).json();
    assert_eq!(gone["turns"], 2);
}

/// A turn without words of somebody else says why there is one.
#[test]
fn a_turn_that_the_agent_began_itself_is_shown_with_its_origin() {
    let place = Place::empty();
    let script = place.path("script.yaml");
    std::fs::write(&script, OWN_TURN).expect("a script");
    let home = place.home();
    place.configure(&format!(
        "settings: {{ port: 0 }}\nteams:\n  alpha: {{ path: {}, agent: scripted, script: {} }}\n",
        home.display(),
        script.display()
    ));
    let daemon = Daemon::on(place);
    daemon.iris(&["tell", "alpha", "go"]).ok();
    let began = std::time::Instant::now();
    let own = loop {
        let kept = daemon.iris(&["cache", "inspect", "alpha", "--json"]).json();
        match kept["turns"]
            .as_array()
            .expect("turns")
            .iter()
            .find(|turn| turn["state"] == "completed" && turn["number"] == 2)
        {
            Some(own) => break own.clone(),
            None => assert!(began.elapsed().as_secs() < 20, "it begins none: {kept}"),
        }
    };
    let says = format!("> (by itself: {})\n", own["origin"].as_str().expect("an origin"));
    let turn = own["id"].as_str().expect("an id");
    for what in ["alpha", turn] {
        let shown = daemon.iris(&["cache", "inspect", what]).ok();
        assert!(shown.contains(&says), "{shown}");
    }
}

const OWN_TURN: &str = r#"
default:
  - subagent: { type: explorer, prompt: look, background: true, do: [{ say: found }], notify: [{ say: "notified" }] }
  - say: started
"#;

#[test]
fn the_log_is_read_from_any_number() {
    let daemon = Daemon::start();
    daemon.iris(&["tell", "alpha", "hi"]).ok();
    settings().bind(|| {
        insta::assert_snapshot!("events", daemon.iris(&["events", "--after", "0"]).ok());
    });
    let all = daemon.iris(&["events", "--after", "0", "--json"]).ok();
    let seqs: Vec<i64> = all.lines().map(seq).collect();
    assert!(seqs.is_sorted() && seqs.len() > 5, "{all}");
    let after = daemon.iris(&["events", "--after", &seqs[2].to_string(), "--json"]).ok();
    assert_eq!(after.lines().map(seq).collect::<Vec<_>>(), seqs[3..]);
    let last = daemon.iris(&["events", "--limit", "2", "--json"]).ok();
    assert_eq!(last.lines().map(seq).collect::<Vec<_>>(), seqs[seqs.len() - 2..]);
    let finished = daemon.iris(&["events", "--kind", "turn.finished", "--team", "alpha", "--json"]).ok();
    assert_eq!(finished.lines().count(), 1);
}

/// Some numbers are places in a queue and no events.
#[test]
fn as_many_events_are_shown_as_were_asked_for() {
    let daemon = Daemon::start();
    daemon.iris(&["tell", "alpha", "hang", "--async"]).ok();
    for _ in 0..6 {
        daemon.iris(&["tell", "alpha", "hi", "--async"]).ok();
    }
    let all = daemon.iris(&["events", "--after", "0", "--json"]).ok().lines().count();
    for limit in 1..=all {
        let shown = daemon.iris(&["events", "--limit", &limit.to_string(), "--json"]).ok().lines().count();
        assert_eq!(shown, limit);
    }
}

fn seq(line: &str) -> i64 {
    let event: serde_json::Value = serde_json::from_str(line).expect("one event on each line");
    event["seq"].as_i64().expect("a number")
}

#[test]
fn awake_and_asleep() {
    let daemon = Daemon::start();
    let woken = daemon.iris(&["wake", "alpha"]).ok();
    assert!(woken.starts_with("alpha is awake for user (process "), "{woken}");
    let woken = daemon.iris(&["wake", "alpha"]).ok();
    assert!(woken.starts_with("alpha is already awake for user"), "{woken}");
    assert_eq!(daemon.iris(&["sleep", "alpha"]).ok(), "alpha sleeps; its agent was ended\n");
    assert_eq!(daemon.iris(&["sleep", "alpha"]).ok(), "alpha was not awake\n");
    daemon.iris(&["wake", "alpha", "--from", "frontend"]).ok();
    let others = "your session with alpha was not awake; 1 other is (--from <party>, --all)\n";
    assert_eq!(daemon.iris(&["sleep", "alpha"]).ok(), others);
    assert_eq!(daemon.iris(&["sleep", "alpha", "--from", "frontend"]).ok(), "alpha sleeps; its agent was ended\n");
    daemon.iris(&["wake", "nobody"]).failed(3);

    daemon.iris(&["tell", "alpha", "hang", "--json", "--timeout", "200"]).json();
    let told = daemon.iris(&["sleep", "alpha"]).failed(4);
    assert!(told.contains("--force"), "{told}");
    assert_eq!(daemon.iris(&["sleep", "alpha", "--all", "--force", "--json"]).json()["stopped"], 1);
    assert_eq!(daemon.iris(&["cancel", "alpha"]).ok(), "alpha has nothing to cancel\n");
    daemon.iris(&["tell", "alpha", "later", "--in", "10m", "--from", "frontend"]).ok();
    let others = "your session with alpha has nothing to cancel; 1 other has (--from <party>, --all)\n";
    assert_eq!(daemon.iris(&["cancel", "alpha"]).ok(), others);
}

#[test]
fn the_daemon_says_how_it_is() {
    let daemon = Daemon::start();
    let status = daemon.iris(&["status", "--json"]).json();
    assert_eq!((&status["pid"], &status["store"]["state"]), (&daemon.ready["pid"], &"well".into()));
    assert_eq!(status["url"], daemon.ready["url"]);
    let told = daemon.iris(&["status"]).ok();
    let url = daemon.ready["url"].as_str().expect("an address");
    assert!(told.contains("agents        0 of 10") && told.contains(&format!("address       {url}\n")), "{told}");
}

/// What a copy was to begin with is kept for it when its origin goes, and not for longer.
#[test]
fn a_conversation_goes_with_the_last_that_needs_it() {
    let daemon = Daemon::start();
    let kept = || std::fs::read_dir(daemon.place.home().join("data/agents")).map_or(0, Iterator::count);
    daemon.iris(&["tell", "alpha", "hello"]).ok();
    let origin = daemon.iris(&["sessions", "list", "--json"]).json()["items"][0]["id"].clone();
    let copy = daemon.iris(&["fork", "alpha", "--json"]).json()["id"].clone();
    daemon.iris(&["sleep", "alpha"]).ok();
    daemon.iris(&["sessions", "delete", origin.as_str().expect("an id"), "--yes"]).ok();
    assert!(kept() > 0, "the copy has not begun");
    daemon.iris(&["sessions", "delete", copy.as_str().expect("an id"), "--yes"]).ok();
    assert_eq!(kept(), 0);
}

#[test]
fn a_kind_of_event_that_is_not_there_is_refused() {
    let daemon = Daemon::start();
    let told = daemon.iris(&["events", "--kind", "turn.finnished"]).failed(2);
    assert!(told.contains("turn.finished"), "{told}");
    daemon.iris(&["tell", "alpha", "hello"]).ok();
    let events = daemon.iris(&["events", "--kind", "turn.finished,config", "--json"]).ok();
    assert!(events.contains("turn.finished") && !events.contains("session.ready"), "{events}");
}

/// One request looks at so much of the log; the commands go on to its end.
#[test]
fn what_is_rare_is_found_in_a_long_log() {
    let daemon = Daemon::start();
    let script = "default: [{ times: { n: 21000, do: [{ say: x }] } }]\n";
    std::fs::write(daemon.place.path("script.yaml"), script).expect("a script");
    daemon.iris(&["tell", "alpha", "--timeout", "0", "go"]).ok();
    daemon.iris(&["token", "create", "--name", "late"]).ok();
    let found = |words: &[&str], kind: &str| {
        let told = daemon.iris(words).ok();
        assert!(told.contains(kind), "{words:?}: {told}");
    };
    found(&["events", "--kind", "token.created"], "token.created");
    found(&["events", "--kind", "token.created", "--after", "100"], "token.created");
    found(&["audit", "export", "--after", "100"], "token.created");
}
