//! Telling, and what comes back.

use std::io::{Read, Write};
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::daemon::{Daemon, Place, Ran};

#[test]
fn the_reply_is_on_stdout_and_nothing_else_anywhere() {
    let daemon = Daemon::start();
    let ran = daemon.iris(&["tell", "alpha", "hello", "there"]);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "You said: hello there (turn 1)\n", ""));
    assert_eq!(daemon.iris(&["tell", "alpha", "again", "--from", "bob"]).ok(), "You said: again (turn 1)\n");
}

#[test]
fn a_message_may_come_from_stdin() {
    let daemon = Daemon::start();
    let mut tell = daemon.place.command(&["tell", "alpha", "-"]);
    let mut child = tell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("iris runs");
    child.stdin.take().expect("piped").write_all(b"from a pipe").expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "You said: from a pipe (turn 1)\n");
}

#[test]
fn json_is_the_answer_of_the_api() {
    let daemon = Daemon::start();
    let mut told = daemon.iris(&["tell", "alpha", "hi", "--json"]).json();
    for different in ["sessionId", "turnId", "seq", "durationMs"] {
        assert!(!told[different].is_null(), "{told}");
        told[different] = format!("[{different}]").into();
    }
    // What an agent reports of its use is the agent's affair.
    assert!(told["usage"]["costUsd"].is_number(), "{told}");
    told["usage"] = "[usage]".into();
    insta::assert_json_snapshot!(told);
    let failed = daemon.iris(&["tell", "alpha", "fail", "--json"]);
    assert_eq!(failed.code, 1);
    let told: serde_json::Value = serde_json::from_str(&failed.stdout).expect("JSON");
    assert_eq!((&told["status"], &told["error"]), (&"failed".into(), &"the model is tired".into()));
}

#[test]
fn pieces_come_in_order_and_once() {
    let daemon = Daemon::start();
    for _ in 0..5 {
        let told = daemon.iris(&["tell", "alpha", "stream"]).ok();
        assert_eq!(told, "The quick brown fox jumps over the lazy dog.\n");
        let told = daemon.iris(&["tell", "alpha", "burst"]).ok();
        assert_eq!(told, "abcdefghijklmnopqrstuvwxyz\nThe end.\n");
    }
}

#[test]
fn the_reply_streams_while_the_turn_runs() {
    let daemon = Daemon::start();
    let mut tell = daemon.place.command(&["tell", "alpha", "hang"]);
    let mut child = tell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("iris runs");
    // The turn never ends by itself, so what is read here came while it ran.
    let mut said = [0; 7];
    child.stdout.as_mut().expect("piped").read_exact(&mut said).expect("the first line");
    assert_eq!(&said, b"before\n");
    assert_eq!(daemon.iris(&["cancel", "alpha"]).ok().lines().count(), 1);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("the turn of alpha was cancelled before it ended"), "{told}");
}

#[test]
fn ctrl_c_leaves_the_turn_running_and_says_how_to_go_on() {
    let daemon = Daemon::start();
    let mut tell = daemon.place.command(&["tell", "alpha", "hang"]);
    let mut child = tell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("iris runs");
    child.stdout.as_mut().expect("piped").read_exact(&mut [0; 7]).expect("the first line");
    kill(Pid::from_raw(child.id().try_into().expect("a process id")), Signal::SIGINT).expect("it is ours");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("iris cache inspect ") && told.contains("iris cancel --turn "), "{told}");
    let team = daemon.iris(&["teams", "show", "alpha", "--json"]).json();
    assert_eq!(team["sessions"][0]["state"], "processing");
    daemon.iris(&["cancel", "alpha"]).ok();
}

#[test]
fn patience_that_ends_is_not_a_failure() {
    let daemon = Daemon::start();
    // Awake, so that it has said something by then on any machine.
    daemon.iris(&["tell", "alpha", "hi"]).ok();
    let ran = daemon.iris(&["tell", "alpha", "hang", "--timeout", "1s"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "before\n"));
    let session = daemon.iris(&["sessions", "list", "--json"]).json()["items"][0]["id"].clone();
    let session = session.as_str().expect("an id");
    assert_eq!(ran.stderr, format!("still working; read it later with: iris cache inspect {session}\n"));
    daemon.iris(&["cancel", "alpha"]).ok();
}

#[test]
fn without_waiting_the_ids_are_printed() {
    let daemon = Daemon::start();
    let told = daemon.iris(&["tell", "alpha", "hi", "--async"]).ok();
    let names: Vec<&str> = told.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["turn", "session", "position"]);
    let told = daemon.iris(&["tell", "beta", "hi", "--timeout", "-1", "--json"]).json();
    assert_eq!(told["status"], "async");
    let told = daemon.iris(&["tell", "beta", "later", "--in", "10m", "--json"]).json();
    assert_eq!(told["status"], "async");
    let cancelled = daemon.iris(&["cancel", "--turn", told["turnId"].as_str().expect("an id")]).ok();
    assert!(cancelled.contains("withdrawn; it never ran"), "{cancelled}");
}

#[test]
fn what_is_put_off_can_be_withdrawn_by_the_teams_name() {
    let daemon = Daemon::start();
    let told = daemon.iris(&["tell", "alpha", "later", "--in", "10m", "--json"]).json();
    let (session, turn) = (told["sessionId"].as_str().expect("an id"), told["turnId"].as_str().expect("an id"));
    let refused = daemon.iris(&["sessions", "delete", session, "--yes"]).failed(4);
    assert!(refused.contains("`iris cancel alpha --from user`"), "{refused}");
    let listed = daemon.iris(&["sessions", "list"]).ok();
    assert!(listed.contains("1 put off"), "{listed}");
    assert_eq!(daemon.iris(&["cancel", "alpha"]).ok(), format!("cancelled turn {turn}\n"));
    let listed = daemon.iris(&["sessions", "list"]).ok();
    assert!(!listed.contains("put off"), "{listed}");
    daemon.iris(&["sessions", "delete", session, "--yes"]).ok();
}

#[test]
fn the_same_key_tells_once() {
    let daemon = Daemon::start();
    for _ in 0..2 {
        let told = daemon.iris(&["tell", "alpha", "once", "--key", "k1"]).ok();
        assert_eq!(told, "You said: once (turn 1)\n");
    }
    assert_eq!(daemon.iris(&["tell", "alpha", "more"]).ok(), "You said: more (turn 2)\n");
    // Also when more has happened since.
    assert_eq!(daemon.iris(&["tell", "alpha", "once", "--key", "k1"]).ok(), "You said: once (turn 1)\n");
    // One that still runs is watched from its beginning, whatever else happened meanwhile.
    let mut tell = daemon.place.command(&["tell", "alpha", "hang", "--key", "k2"]);
    let mut first = tell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("iris runs");
    first.stdout.as_mut().expect("piped").read_exact(&mut [0; 7]).expect("the first line");
    daemon.iris(&["tell", "beta", "meanwhile"]).ok();
    let mut second = tell.spawn().expect("iris runs");
    let mut said = [0; 7];
    second.stdout.as_mut().expect("piped").read_exact(&mut said).expect("the first line");
    assert_eq!(&said, b"before\n");
    daemon.iris(&["cancel", "alpha"]).ok();
    for child in [first, second] {
        assert_eq!(child.wait_with_output().expect("it ends").status.code(), Some(1));
    }
}

#[test]
fn how_a_turn_ends_is_an_exit_code_and_a_sentence() {
    let daemon = Daemon::start();
    let check = |words: &[&str], code: i32, parts: &[&str]| {
        let told = daemon.iris(words).failed(code);
        for part in parts {
            assert!(told.contains(part), "{words:?}: {told}");
        }
    };
    check(&["tell", "alpha", "fail"], 1, &["error: the turn of alpha failed: the model is tired", "hint: "]);
    check(&["tell", "alpha", "crash"], 1, &["was terminated", "exit code 3", "out of cheese", "iris cache inspect"]);
    let meant = &["error: there is no team 'alpa'", "hint: did you mean 'alpha'? known teams: alpha, beta"];
    for words in [&["tell", "alpa", "hi"][..], &["teams", "show", "alpa"], &["wake", "alpa"], &["cancel", "alpa"]] {
        check(words, 3, meant);
    }
    check(&["tell", "nobody", "hi"], 3, &["error: there is no team 'nobody'", "hint: known teams: alpha, beta"]);
    check(&["tell", "alpha", ""], 2, &["the message is empty"]);
    check(&["tell", "alpha", "hi", "--timeout", "soon"], 2, &["use -1 (not at all)"]);
    check(&["tell"], 2, &["Usage: iris tell"]);
}

#[test]
fn a_watcher_survives_the_daemon() {
    let daemon = Daemon::start();
    let mut tell = daemon.place.command(&["tell", "alpha", "hang"]);
    let mut child = tell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("iris runs");
    child.stdout.as_mut().expect("piped").read_exact(&mut [0; 7]).expect("the first line");
    let agent = daemon.iris(&["teams", "show", "alpha", "--json"]).json()["sessions"][0]["pid"].as_i64();
    let again = Daemon::on(daemon.kill());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("Iris ended while the turn ran; its outcome is unknown"), "{told}");
    assert_eq!(again.iris(&["tell", "alpha", "hi"]).ok(), "You said: hi (turn 2)\n");
    // The hanging agent of the killed daemon: it reads nothing any more, so only a signal ends it.
    if let Some(pid) = agent.and_then(|pid| i32::try_from(pid).ok()) {
        kill(Pid::from_raw(pid), Signal::SIGKILL).ok();
    }
}

/// What is forgotten has no events any more, not even the end of the turn that is watched.
#[test]
fn a_watcher_hears_that_the_conversation_was_deleted() {
    for record in ["", "?record=forget"] {
        let daemon = Daemon::start();
        let mut tell = daemon.place.command(&["tell", "alpha", "hang"]);
        let mut child = tell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("iris runs");
        child.stdout.as_mut().expect("piped").read_exact(&mut [0; 7]).expect("the first line");
        let session = daemon.iris(&["teams", "show", "alpha", "--json"]).json()["sessions"][0].clone();
        let watcher = Pid::from_raw(child.id().try_into().expect("a process id"));
        // It sees nothing of what happens until all of it is over.
        kill(watcher, Signal::SIGSTOP).expect("it is ours");
        let again = Daemon::on(daemon.kill());
        kill(
            Pid::from_raw(session["pid"].as_i64().and_then(|pid| pid.try_into().ok()).expect("a pid")),
            Signal::SIGKILL,
        )
        .ok();
        delete(&again, &format!("/api/sessions/{}{record}", session["id"].as_str().expect("an id")));
        kill(watcher, Signal::SIGCONT).expect("it is ours");
        let output = child.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.ends_with("the conversation with alpha was deleted, and this turn with it\n"), "{told}");
        assert_eq!(output.status.code(), Some(1));
    }
}

fn delete(daemon: &Daemon, path: &str) {
    let url = daemon.ready["url"].as_str().expect("an address");
    let address = url.strip_prefix("http://").expect("it is plain");
    let token = std::fs::read_to_string(daemon.place.home().join("token")).expect("a token");
    let mut stream = std::net::TcpStream::connect(address).expect("it listens");
    let head = format!("Host: {address}\r\nAuthorization: Bearer {}\r\nConnection: close", token.trim());
    write!(stream, "DELETE {path} HTTP/1.1\r\n{head}\r\n\r\n").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// One that is asked to stop lets the turn finish, and whoever watches hears of it as its last word.
#[test]
fn a_watcher_hears_the_end_from_a_daemon_that_is_stopping() {
    let place = Place::with_teams();
    let script = "default: [{ say: working }, { delay: 1500ms }, { stream: done }]\n";
    std::fs::write(place.path("script.yaml"), script).expect("a script");
    let daemon = Daemon::on(place);
    let mut tell = daemon.place.command(&["tell", "alpha", "hi"]);
    let mut child = tell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("iris runs");
    child.stdout.as_mut().expect("piped").read_exact(&mut [0; 8]).expect("the first line");
    let (_place, code) = daemon.stop();
    assert_eq!(code, Some(0));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"done\n"[..]), "{output:?}");
}

/// Also one that comes while its session waits already, and also into a pipe.
#[test]
fn who_waits_for_a_limit_is_told_until_when() {
    let place = Place::with_teams();
    let script = "default: [{ api_error: { status: 429, retries: 0, message: 'slow down' } }]\n";
    std::fs::write(place.path("script.yaml"), script).expect("a script");
    let daemon = Daemon::on(place);
    for what in ["first", "second"] {
        let ran = daemon.iris(&["tell", "alpha", what, "--timeout", "3s"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let (wait, left) = ran.stderr.split_once('\n').expect("two lines");
        assert!(wait.starts_with("alpha waits until ") && wait.ends_with(": a limit was reached"), "{what}: {ran:?}");
        assert!(left.starts_with("a limit was reached, it goes on at "), "{what}: {ran:?}");
    }
    daemon.iris(&["cancel", "alpha"]).ok();
}

/// Once for each agent that starts without them, whether it took the place of one that read them or was asleep.
#[test]
fn settings_that_changed_since_they_were_trusted_are_asked_about_again() {
    let daemon = Daemon::start();
    let brought = daemon.place.path("CLAUDE.md");
    std::fs::write(&brought, "be brief").expect("written");
    let tell = || daemon.iris(&["tell", "alpha", "hi"]).stderr;
    assert_eq!(tell(), "", "nobody has trusted anything");
    daemon.iris(&["trust", "alpha", "--yes"]).ok();
    daemon.iris(&["sleep", "alpha"]).ok();
    assert_eq!(tell(), "");
    std::fs::write(&brought, "be long").expect("written");
    let asks = "the folder's settings have changed since they were trusted and take no effect; look at them: `iris trust alpha`\n";
    assert_eq!((tell().as_str(), tell().as_str()), (asks, ""));
    daemon.iris(&["sleep", "alpha"]).ok();
    assert_eq!(tell(), asks);
}

#[test]
fn a_reader_that_had_enough_is_no_error() {
    let daemon = Daemon::start();
    daemon.iris(&["tell", "alpha", "hi"]).ok();
    let mut events = daemon.place.command(&["events", "--after", "0", "--follow"]);
    let mut child = events.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("iris runs");
    child.stdout.as_mut().expect("piped").read_exact(&mut [0; 10]).expect("the first event");
    drop(child.stdout.take());
    daemon.iris(&["tell", "alpha", "hi"]).ok();
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn a_home_named_on_the_command_line_is_the_one() {
    let daemon = Daemon::start();
    let elsewhere = Place::empty();
    let home = daemon.place.home();
    let words = ["--home", home.to_str().expect("text"), "tell", "alpha", "hi"];
    assert_eq!(Ran::of(elsewhere.command(&words)).ok(), "You said: hi (turn 1)\n");
}

/// The shell of an agent is no place to decide in.
#[test]
fn an_agent_s_shell_does_not_decide() {
    let daemon = Daemon::start();
    let refused = |words: &[&str], why: &str| {
        let mut command = daemon.place.command(words);
        command.env("IRIS_SESSION", "some-session");
        let told = Ran::of(command).failed(4);
        assert!(told.contains(why), "{words:?}: {told}");
    };
    for words in [
        &["answer", "01", "yes"][..],
        &["link"],
        // Its link signs its reader in as the user.
        &["up", "--no-open"],
        &["up", "--no-open", "--json"],
        &["up", "--demo", "--no-open"],
    ] {
        refused(words, "only people decide");
    }
    for words in [
        &["teams", "add", "."][..],
        &["teams", "remove", "alpha"],
        &["teams", "import", "config.yaml"],
        &["install"],
        &["uninstall"],
        &["service", "install"],
        &["doctor", "--fix"],
    ] {
        refused(words, "only people change which teams there are");
    }
    for words in [
        &["jobs", "stop", "01"][..],
        &["down"],
        &["stop", "--all"],
        &["sleep", "alpha"],
        &["cancel", "alpha"],
        &["sessions", "delete", "01", "--yes"],
        &["cache", "clear", "01", "--yes"],
        &["demo", "clean"],
    ] {
        refused(words, "only people end the work of others");
    }
    refused(&["backup", "copy.tar"], "only people copy");
    refused(&["audit", "export"], "only people copy");
    for words in [&["teams", "list"][..], &["inbox", "--once"], &["status"], &["events"]] {
        let mut command = daemon.place.command(words);
        command.env("IRIS_SESSION", "some-session");
        Ran::of(command).ok();
    }
    let events = daemon.place.iris(&["events"]).ok();
    assert!(!events.contains("link.made"), "{events}");
    assert!(daemon.place.iris(&["tell", "alpha", "hi"]).ok().contains("hi"), "nothing of it was done");
}

/// What a turn asks in plain words is left first to whoever waits for its reply.
#[test]
fn who_watches_the_reply_has_its_question_first() {
    let place = Place::with_teams();
    let script = place.path("script.yaml");
    std::fs::write(&script, "default: [{ say: \"I found 3 errors.\\n\\nShould I fix them? (y/n)\" }]\n")
        .expect("a script");
    let daemon = Daemon::on(place);
    let open = || daemon.iris(&["inbox", "--json"]).json()["questions"].as_array().map_or(0, Vec::len);
    assert!(daemon.iris(&["tell", "alpha", "look"]).ok().contains("Should I fix them?"));
    assert_eq!(open(), 0, "it was read where it was told");
    daemon.iris(&["tell", "beta", "look", "--async"]).ok();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while open() == 0 && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(open(), 1, "nobody waits for it");
}

/// Into a pipe a message comes when it is whole, and one that is never whole with the end of the waiting.
#[test]
fn what_was_begun_is_not_lost_to_a_pipe() {
    let place = Place::with_teams();
    let script = "\
replies:
  - match: ^long
    do: [{ say: FIRST }, { stream: { text: one two three four five, chunk: 4, every: 1s } }]
  - match: ^only
    do: [{ stream: { text: one two three four five, chunk: 4, every: 1s } }]
";
    std::fs::write(place.path("script.yaml"), script).expect("a script");
    let daemon = Daemon::on(place);
    let left = daemon.iris(&["tell", "alpha", "long", "--timeout", "2500"]).ok();
    assert!(left.starts_with("FIRST\none ") && !left.contains("five"), "{left:?}");
    daemon.iris(&["cancel", "alpha"]).ok();
    for (message, expected) in [("long", "FIRST\none "), ("only", "one ")] {
        let told = std::thread::scope(|scope| {
            let told = scope.spawn(|| daemon.iris(&["tell", "alpha", message]));
            std::thread::sleep(std::time::Duration::from_millis(2500));
            daemon.iris(&["cancel", "alpha"]).ok();
            told.join().expect("it ends")
        });
        assert_eq!(told.code, 1, "{told:?}");
        assert!(told.stdout.starts_with(expected) && told.stdout.matches("one").count() == 1, "{told:?}");
    }
}
