//! The config file: what is wrong with it is said with its place, and an edit of it under a running daemon is in force
//! whole or not at all.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use iris_testing::generated;
use serde_json::{Value, json};

use crate::daemon::{Daemon, Place, Ran};

/// What people get wrong, one at a time.
const MISTAKES: [&str; 26] = [
    "setings: {}",
    "settings:\n  maxProcess: 3",
    "settings:\n  maxProcesses: 0",
    "settings:\n  maxProcesses: many",
    "settings:\n  maxProcesses: -1",
    "settings:\n  responseTimeout: soon",
    "settings:\n  port: 99999",
    "settings:\n  port: ${IRIS_NO_SUCH_PORT}",
    "settings:\n\tport: 1615",
    "teams:\n  alpha:\n   path: /tmp\n    agent: claude",
    "teams:\n  alpha:\n    path: /tmp\n    description: mind: the gap",
    "teams: [",
    "teams: alpha",
    "teams:\n  - path: /tmp",
    "teams:\n  alpha:\n    agent: claude",
    "teams:\n  alpha:\n    path: src/alpha",
    "teams:\n  a/b:\n    path: /tmp",
    "teams:\n  alpha: { path: /tmp, agent: claud }",
    "teams:\n  alpha: { path: /tmp, agent: scripted }",
    "teams:\n  alpha: { path: /tmp, grantPermission: maybe }",
    "teams:\n  alpha: { path: /tmp }\n  alpha: { path: /var }",
    "teams:\n  alpha: { path: /tmp, maxBudgetUsd: -2 }",
    "teams:\n  alpha: { path: /tmp, allowedTools: Bash }",
    "database:\n  url: mysql://localhost/iris",
    "questions:\n  deadlines: { approval: 0 }",
    "settings:\n  agent:\n    completionAnalysis: { questionPatterns: ['(open'] }",
];

#[test]
fn every_mistake_is_told_with_its_place() {
    let place = Place::empty();
    let mut told = String::new();
    for mistake in MISTAKES {
        place.configure(mistake);
        let said = place.iris(&["config", "check"]).failed(2);
        writeln!(told, "{}", place.redact(&said)).expect("text");
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_path_that_is_no_folder_is_told_with_its_place() {
    let place = Place::empty();
    let file = place.path("file");
    fs::create_dir_all(place.path("")).and_then(|()| fs::write(&file, "")).expect("written");
    place.configure(&format!("teams:\n  a: {{ path: {} }}\n", file.display()));
    let told = place.iris(&["config", "check"]).failed(2);
    assert!(told.contains("config.yaml:2:14: ") && told.contains("file is not a folder"), "{told}");
    place.configure("teams:\n  a: { path: /not/there/yet }\n");
    place.iris(&["config", "check"]).ok();
}

#[test]
fn a_script_that_cannot_be_played_is_told_with_its_place() {
    let place = Place::empty();
    let script = place.path("s.yaml");
    fs::create_dir_all(place.path("")).expect("a folder");
    fs::write(&script, "replies: [{match: \"(\", do: []}]\n").expect("written");
    let (folder, file) = (place.path(""), script.display());
    place.configure(&format!("teams:\n  a: {{ path: {}, agent: scripted, script: {file} }}\n", folder.display()));
    let expected = format!("{file}:1:19: `(` is no regular expression");
    let told = place.iris(&["config", "check"]).failed(2);
    assert!(told.contains(&expected) && told.contains("the script of the team a"), "{told}");
    let found = place.iris(&["doctor"]);
    assert!(found.stdout.contains(&expected) && !found.stdout.contains("well: a"), "{found:?}");
    let daemon = Daemon::on(place);
    let told = daemon.iris(&["tell", "a", "hi"]).failed(1);
    assert!(told.contains(&format!("correct the script there: {file}")), "{told}");
    let told = daemon.iris(&["wake", "a"]).failed(2);
    assert!(told.contains(&format!("{file}:1:19")) && told.contains("iris config check"), "{told}");
}

#[test]
fn a_certificate_that_cannot_be_used_is_found_before_a_start() {
    let place = Place::empty();
    let (certificate, key) = (place.path("cert.pem"), place.path("key.pem"));
    let config = format!("server:\n  tls:\n    certificate: {}\n    key: {}\n", certificate.display(), key.display());
    let check = |expected: &str| {
        place.configure(&config);
        let told = place.iris(&["config", "check"]).failed(2);
        assert!(told.contains(expected), "{told}");
        let found = place.iris(&["doctor"]);
        assert!(found.code == 10 && found.stdout.contains(expected), "{found:?}");
    };
    check("config.yaml:3:18: server.tls.certificate: the certificate");
    fs::write(&certificate, "no PEM").expect("written");
    check("config.yaml:3:18: server.tls.certificate: the certificate");
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    fs::write(&certificate, made.cert.pem()).expect("written");
    check("config.yaml:4:10: server.tls.key: the key");
}

#[test]
fn the_reference_of_the_keys_is_what_the_types_say() {
    let place = Place::empty();
    let keys = place.iris(&["config", "schema", "--markdown"]).ok();
    let text = format!(
        "# config.yaml, every key\n\nMade from the types by `cargo xtask generate` (`iris config schema --markdown`); a test \
         fails when it is out of date.\n\nThe file is `config.yaml` in `IRIS_HOME` (`~/.iris`). `${{NAME}}` and \
         `${{NAME:-default}}` stand for variables of the environment, in values of every kind. What is in a variable \
         arrives as it is, as one value, whatever characters it has (in a block of lines, `|`, it has to be one line), and as a \
         list or keys only where such are wanted, if it is written in brackets (`[a, b]`, `{{A: b}}`); a default is read as if it stood there, and may name \
         variables itself (`${{A:-${{B:-c}}}}`). In quotes neither is ever a list or keys: write \
         `${{A:-[b, c]}}` without them. `$${{` is a \
         `${{` as it stands. A duration is a number of milliseconds or a text such as `30s` or `1h30m`. An edit is in force within a second, unless a key says otherwise; \
         one that cannot be used changes nothing, and `iris status` says so. A file that somebody still has open to write to is \
         waited for. One that was closed is taken as it is, unless it was written in place and looks half-written: \
         its last line is not ended, and was, or it ends within what was a line or a team, or before a whole section. (Of \
         whole teams that are gone from its end, nobody can know: they are taken out.) That is refused, however long it stays so: \
         saving it once more, the same, says that it is all that is meant. What an agent is started with (its folder, \
         program, environment, tools) reaches one that is awake by another that takes its place, in the same conversation, \
         as soon as it is at rest; who grants permission, at once.\n\n{}",
        keys.trim_start()
    );
    generated::check(Path::new("docs/configuration.md"), &text);
}

#[test]
fn an_edit_is_in_force_or_said_not_to_be() {
    let daemon = Daemon::on(edited());
    let file = file(&daemon);
    write_anew(&file, &version(&daemon.place, 2));
    wait_for(&daemon, "the edit", |config| config["config"]["settings"]["maxQueue"] == 102);

    for bad in ["", "{ settings: { maxQueue: 7", "settings: { maxQueue: 0 }", "nonsense: 1"] {
        fs::write(&file, bad).expect("written");
        wait_for(&daemon, bad, |config| config["refused"].is_string());
        assert_eq!(shown(&daemon)["config"]["settings"]["maxQueue"], 102, "after {bad:?}");
        fs::write(&file, version(&daemon.place, 2)).expect("written");
        wait_for(&daemon, "it is right again", |config| config["refused"].is_null());
    }

    fs::remove_file(&file).expect("it was there");
    wait_for(&daemon, "it is missed", |config| !config["refused"].is_null());
    let status = daemon.iris(&["status"]);
    assert!(status.stdout.contains("NOT what the file says"), "{status:?}");
    assert!(status.stderr.contains("config.yaml cannot be read"), "{status:?}");
    assert!(daemon.iris(&["tell", "alpha", "hi"]).ok().contains("You said: hi"));

    let later = version(&daemon.place, 3).replace("settings:", "settings:\n  port: 1700");
    write_anew(&file, &later);
    wait_for(&daemon, "it is there again", |config| config["config"]["settings"]["maxQueue"] == 103);
    let pending = &shown(&daemon)["pending"];
    assert_eq!((&pending[0]["key"], &pending[0]["next"]), (&json!("settings.port"), &json!("1700")), "{pending}");
    fs::write(&file, "nonsense: 1").expect("written");
    wait_for(&daemon, "it is refused", |config| config["refused"].is_string());
    assert_eq!(shown(&daemon)["pending"], json!([]), "what is in the file no more comes with no start");
    let events = daemon.iris(&["events"]).ok();
    for told in ["config.applied", "config.refused"] {
        assert!(events.contains(told), "{told} in {events}");
    }
}

/// What a command would write there would take the place of what is in force.
#[test]
fn nothing_is_added_to_a_file_that_was_lost() {
    let daemon = Daemon::on(edited());
    let file = file(&daemon);
    let folder = daemon.place.path("").display().to_string();
    for (how, lose) in
        [("empty", (|file| fs::write(file, "# mine\n")) as fn(&Path) -> _), ("gone", |file| fs::remove_file(file))]
    {
        lose(&file).expect("lost");
        let left = fs::read(&file).ok();
        for words in [
            &["teams", "add", &folder, "--name", "more"][..],
            &["teams", "remove", "alpha"],
            &["up", "--demo", "--no-open"],
        ] {
            let told = daemon.iris(words).failed(4);
            assert!(told.contains(&format!("config.yaml is {how}, and the daemon goes on")), "{words:?}: {told}");
            assert_eq!(fs::read(&file).ok(), left, "{words:?}");
        }
    }
    assert_eq!(version_of(&shown(&daemon)), 101);
}

/// Nobody writes to the pipe: whoever waited for it would never look at the file again.
#[test]
fn what_is_no_file_is_refused_and_what_follows_is_in_force() {
    let daemon = Daemon::on(edited());
    let file = file(&daemon);
    fs::remove_file(&file).expect("it was there");
    nix::unistd::mkfifo(&file, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    wait_for(&daemon, "it is refused", |config| {
        config["refused"].as_str().is_some_and(|why| why.contains("a named pipe, and has to be a file"))
    });
    assert!(daemon.iris(&["config", "check"]).failed(2).contains("a named pipe"));
    fs::remove_file(&file).expect("it was there");
    write_anew(&file, &version(&daemon.place, 4));
    wait_for(&daemon, "a file again", |config| config["config"]["settings"]["maxQueue"] == 104);
}

/// Half a file may be a config, too: one that somebody is still writing, and one that was cut off.
#[test]
fn half_a_file_is_no_config() {
    use std::io::Write;
    let daemon = Daemon::on(edited());
    let file = file(&daemon);
    fs::write(&file, version(&daemon.place, 50)).expect("written");
    wait_for(&daemon, "the first", |config| config["config"]["settings"]["maxQueue"] == 150);

    let whole = version(&daemon.place, 51);
    let (head, tail) = whole.split_at("# 51\nsettings:\n  maxQueue: 15".len());
    let mut writing = fs::File::create(&file).expect("opened");
    writing.write_all(head.as_bytes()).expect("written");
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(shown(&daemon)["config"]["settings"]["maxQueue"], 150, "nothing is taken while it is being written");
    let told = daemon.iris(&["status"]).ok();
    assert!(told.contains("changed, waiting for its writer") && !told.contains("as the file says"), "{told}");
    writing.write_all(tail.as_bytes()).expect("written");
    drop(writing);
    wait_for(&daemon, "all of it", |config| config["config"]["settings"]["maxQueue"] == 151);
    assert!(daemon.iris(&["status"]).ok().contains("as the file says"));

    let cut_at = |number, end: &str| {
        let text = version(&daemon.place, number);
        let end = text.find(end).expect("it is there") + end.len();
        fs::write(&file, &text[..end]).expect("written");
    };
    let restored = || {
        fs::write(&file, &whole).expect("written");
        wait_for(&daemon, "it is right again", |config| config["refused"].is_null() && config["waitingFor"].is_null());
    };
    // The old one and others, cut off.
    for number in 51..55 {
        for end in ["maxQ", "maxQueue: 1", "alpha:\n    path: /", "description: v1"] {
            cut_at(number, end);
            wait_for(&daemon, "it is cut off", |config| config["refused"].is_string());
            assert_eq!(version_of(&shown(&daemon)), 151);
            restored();
        }
    }
    fs::write(&file, "teams:\n").expect("written");
    wait_for(&daemon, "nothing is behind it", |config| {
        config["refused"].as_str().is_some_and(|why| why.contains("nothing stands behind"))
    });
    assert_eq!(version_of(&shown(&daemon)), 151);
}

/// Whole lines of the beginning may be all that is meant, or all that was written so far.
#[test]
fn a_file_that_ends_early_is_taken_once_it_is_saved_again() {
    let daemon = Daemon::on(edited());
    let file = file(&daemon);
    wait_for(&daemon, "it is read", |config| config["waitingFor"].is_null());
    fs::write(&file, beginning(&daemon.place)).expect("written");
    let is_refused = |config: &Value| config["refused"].as_str().is_some_and(|why| why.contains("may be half-written"));
    wait_for(&daemon, "it is refused", is_refused);
    // However long it stays so, and whoever may read it.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("set");
    std::thread::sleep(Duration::from_secs(6));
    let now = shown(&daemon);
    assert!(version_of(&now) == 101 && is_refused(&now), "the old one serves: {now}");
    let status = daemon.iris(&["status"]);
    assert!(format!("{status:?}").contains("if that is all of it, save it once more"), "{status:?}");
    // Another that may be half-written is not the same again, nor is the first after it.
    let told = || daemon.iris(&["events", "--kind", "config.refused"]).ok();
    let other = beginning(&daemon.place).replace("maxQueue: 102", "maxQueue: 103");
    for text in [&other, &beginning(&daemon.place)] {
        let before = told().lines().count();
        fs::write(&file, text).expect("written");
        wait_for(&daemon, "that is told", |_| told().lines().count() > before);
        assert_eq!(version_of(&shown(&daemon)), 101);
    }
    fs::write(&file, beginning(&daemon.place)).expect("written");
    wait_for(&daemon, "it is meant so", |config| config["config"]["settings"]["maxQueue"] == 102);
    let now = shown(&daemon);
    assert!(now["config"]["teams"]["alpha"]["description"].is_null() && now["refused"].is_null(), "{now}");
    let told = told();
    assert!(told.contains("may be half-written: `teams.alpha.description` is not in it any more"), "{told}");
}

/// What was refused is not said of a file that has changed since.
#[test]
fn what_may_be_half_written_is_not_refused_for_what_was_in_it_before() {
    let daemon = Daemon::on(edited());
    let file = file(&daemon);
    wait_for(&daemon, "it is read", |config| config["waitingFor"].is_null());
    let whole = fs::read_to_string(&file).expect("a config");
    fs::write(&file, format!("{whole}bogus: 1\n")).expect("written");
    wait_for(&daemon, "it is refused", |config| config["refused"].is_string());
    fs::write(&file, beginning(&daemon.place)).expect("written");
    wait_for(&daemon, "more may come", |config| {
        config["refused"].as_str().is_some_and(|why| why.contains("may be half-written"))
    });
    let (status, shown) = (daemon.iris(&["status"]), daemon.iris(&["config", "show"]));
    let folder = daemon.place.path("").display().to_string();
    let told = daemon.iris(&["teams", "add", &folder, "--name", "more"]).failed(4);
    assert!(told.contains("may be half-written") && !told.contains("bogus"), "{told}");
    let status = format!("{status:?}");
    assert!(status.contains("may be half-written") && !status.contains("bogus"), "{status}");
    assert!(!shown.stderr.contains("bogus"), "{shown:?}");
    // Then something else is missing: that is said, too, and that all is well again.
    let next = version(&daemon.place, 2);
    fs::write(&file, next.trim_end().trim_end_matches(char::is_numeric)).expect("written");
    let told = || daemon.iris(&["events", "--kind", "config.refused"]).ok();
    wait_for(&daemon, "the other is told", |_| told().contains("may be half-written: its last line is not ended"));
    assert_eq!(told().matches("`teams.alpha.description` is not in it any more").count(), 1, "{}", told());
    fs::write(&file, &whole).expect("written");
    wait_for(&daemon, "all of it", |config| config["waitingFor"].is_null() && config["refused"].is_null());
    assert_eq!(daemon.iris(&["events", "--kind", "config.applied"]).ok().lines().count(), 1);
}

/// Some editors end no last line, and the last team is a team like others.
#[test]
fn what_is_saved_in_place_is_not_waited_for() {
    let daemon = Daemon::on(edited());
    let file = file(&daemon);
    wait_for(&daemon, "it is read", |config| config["waitingFor"].is_null());
    let new = version(&daemon.place, 20);
    fs::write(&file, new.replace("v120", "v101").trim_end()).expect("written");
    wait_for(&daemon, "no last newline", |config| config["config"]["settings"]["maxQueue"] == 120);
    let folder = daemon.place.path("").display().to_string();
    let two =
        format!("settings: {{ maxQueue: 5 }}\nteams:\n  one: {{ path: {folder} }}\n  two: {{ path: {folder} }}\n");
    fs::write(&file, &two).expect("written");
    wait_for(&daemon, "all is another", |config| config["config"]["settings"]["maxQueue"] == 5);
    let one: String = two.lines().take(3).map(|line| format!("{line}\n")).collect();
    fs::write(&file, &one).expect("written");
    wait_for(&daemon, "no last team", |config| config["config"]["teams"]["two"].is_null());
    fs::write(&file, &two).expect("written");
    wait_for(&daemon, "both", |config| !config["config"]["teams"]["two"].is_null());
    fs::write(&file, one.replace(": 5", ": 6")).expect("written");
    wait_for(&daemon, "no last team and another number", |config| config["config"]["teams"]["two"].is_null());
    fs::write(&file, one.replace("settings: { maxQueue: 5 }\n", "").replace("one", "other")).expect("written");
    wait_for(&daemon, "no settings", |config| !config["config"]["teams"]["other"].is_null());
    fs::write(&file, "teams: {}\n").expect("written");
    wait_for(&daemon, "no team", |config| config["config"]["teams"] == json!({}));
    assert_eq!(daemon.iris(&["events", "--kind", "config.refused"]).ok(), "", "nothing was waited for");
    // Of a last line that is new nobody knows whether it is whole.
    fs::write(&file, new.trim_end()).expect("written");
    wait_for(&daemon, "more may come", |config| {
        config["refused"].as_str().is_some_and(|why| why.contains("its last line is not ended"))
    });
}

/// What is moved into place is whole, however quickly it was: also without a last team or the end of its last line.
#[test]
fn what_is_moved_into_place_is_not_waited_for() {
    let daemon = Daemon::on(Place::with_teams());
    let file = file(&daemon);
    wait_for(&daemon, "it is read", |config| config["waitingFor"].is_null());
    let both = fs::read_to_string(&file).expect("a config");
    let edited = Command::new("sed").args(["-i", "/^  beta:/d"]).arg(&file).status().expect("sed runs");
    assert!(edited.success());
    wait_for(&daemon, "it is gone", |config| config["config"]["teams"]["beta"].is_null());
    write_anew(&file, &both);
    wait_for(&daemon, "it is there again", |config| !config["config"]["teams"]["beta"].is_null());
    write_anew(&file, both.lines().take(2).collect::<Vec<_>>().join("\n").as_str());
    wait_for(&daemon, "it is gone again", |config| config["config"]["teams"]["beta"].is_null());
    let told = daemon.iris(&["events", "--kind", "config.refused"]).ok();
    assert!(!told.contains("half-written") && !told.contains("cut off"), "{told}");
}

/// A new file, but written where it is: that who may read it was said after that makes it no more whole.
#[test]
fn a_new_file_that_is_written_in_place_is_waited_for() {
    let daemon = Daemon::on(edited());
    let file = file(&daemon);
    wait_for(&daemon, "it is read", |config| config["waitingFor"].is_null());
    fs::remove_file(&file).and_then(|()| fs::write(&file, beginning(&daemon.place))).expect("written");
    std::thread::sleep(Duration::from_millis(20));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("set");
    wait_for(&daemon, "more may come", |config| {
        config["refused"].is_string() || config["config"]["settings"]["maxQueue"] == 102
    });
    assert_eq!(version_of(&shown(&daemon)), 101, "the old one serves");
}

/// What a command changes is in force with all that is in the file, also with what the daemon does not use or waits for.
#[test]
fn nothing_is_changed_in_a_file_that_is_not_in_force() {
    let daemon = Daemon::on(edited());
    let file = file(&daemon);
    wait_for(&daemon, "it is read", |config| config["waitingFor"].is_null());
    let whole = fs::read_to_string(&file).expect("a config");
    let theirs = daemon.place.path("theirs.yaml");
    let folder = daemon.place.path("").display().to_string();
    fs::write(&theirs, format!("teams:\n  theirs: {{ path: {folder} }}\n")).expect("written");
    let short = beginning(&daemon.place);
    let cut = short.trim_end().to_owned();
    let refused = format!("{whole}  gamma: {{ path: {folder}, env: {{ A: '${{ONLY_HERE}}' }} }}\n");
    for (text, told) in [
        (&cut, "may be half-written"),
        (&short, "may be half-written"),
        (&refused, "as it is, and goes on with what was in it before"),
    ] {
        for words in [
            &["teams", "add", &folder, "--name", "more"][..],
            &["teams", "remove", "alpha"],
            &["teams", "import", theirs.to_str().expect("text")],
            &["up", "--demo", "--no-open"],
            &["demo", "clean"],
        ] {
            // Another each time, since the same again is meant so; and not waited for: the daemon may not have seen it yet.
            let text = format!("# before {}\n{text}", words[0..2].join(" "));
            fs::write(&file, &text).expect("written");
            let mut command = daemon.place.command(words);
            command.env("ONLY_HERE", "here");
            let said = Ran::of(command).failed(4);
            assert!(said.contains("nothing was changed: ") && said.contains(told), "{words:?}: {said}");
            assert!(said.contains("config.yaml"), "{said}");
            assert_eq!(fs::read_to_string(&file).expect("a config"), text, "{words:?}");
        }
    }
    assert_eq!(version_of(&shown(&daemon)), 101, "the old one serves");
    fs::write(&file, &whole).expect("written");
    wait_for(&daemon, "it is right again", |config| config["refused"].is_null() && config["waitingFor"].is_null());
    daemon.iris(&["teams", "add", &folder, "--name", "more"]).ok();
}

/// It is put in the place of the file whole, so that nothing is missing.
#[test]
fn what_a_command_takes_out_is_not_waited_for() {
    let daemon = Daemon::on(Place::with_teams());
    wait_for(&daemon, "it is read", |config| config["waitingFor"].is_null());
    daemon.iris(&["teams", "remove", "beta"]).ok();
    wait_for(&daemon, "it is gone", |config| config["config"]["teams"]["beta"].is_null());
    let told = daemon.iris(&["events", "--kind", "config.refused"]).ok();
    assert!(!told.contains("half-written"), "{told}");
}

/// A daemon could not be started with it, so it is not taken while one runs either.
#[test]
fn a_certificate_that_is_not_there_is_found_out_at_once() {
    let daemon = Daemon::on(edited());
    let file = file(&daemon);
    let tls = "server: { tls: { certificate: /nowhere/c.pem, key: /nowhere/k.pem } }";
    write_anew(&file, &format!("{tls}\n{}", version(&daemon.place, 2)));
    wait_for(&daemon, "it is refused", |config| {
        config["refused"].as_str().is_some_and(|why| why.contains("server.tls.certificate"))
    });
    assert_eq!(version_of(&shown(&daemon)), 101);
}

/// A short form of what `IRIS_TEST_ROUNDS=1000` does: the config in force is always one that was written, whole.
#[test]
fn edited_without_end_under_load() {
    let rounds = std::env::var("IRIS_TEST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(60);
    let daemon = Daemon::on(edited());
    let file = file(&daemon);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let told = scope.spawn(|| {
            let mut told = 0;
            while !done.load(Ordering::SeqCst) {
                daemon.iris(&["tell", "alpha", "hi"]).ok();
                told += 1;
            }
            told
        });
        let seen = scope.spawn(|| {
            let mut seen = std::collections::BTreeSet::new();
            while !done.load(Ordering::SeqCst) {
                seen.insert(version_of(&shown(&daemon)));
            }
            seen
        });
        for round in 0..rounds {
            edit(&daemon.place, &file, round);
            // Some follow each other too fast to be seen, some stay long enough.
            std::thread::sleep(Duration::from_millis(if round % 3 == 0 { 700 } else { 20 }));
        }
        write_anew(&file, &version(&daemon.place, rounds + 1));
        wait_for(&daemon, "the last", |config| config["config"]["settings"]["maxQueue"] == 100 + rounds + 1);
        done.store(true, Ordering::SeqCst);
        let (told, seen) = (told.join().expect("every tell went well"), seen.join().expect("never a mix"));
        assert!(told > 0 && seen.len() > 1, "{told} tells, configs seen: {seen:?}");
    });
}

/// Every fifth is good and renamed into place, the others are what goes wrong.
fn edit(place: &Place, file: &Path, round: usize) {
    let text = version(place, round);
    match round % 8 {
        0 | 4 => write_anew(file, &text),
        1 => fs::write(file, cut(&text, round)).expect("written"),
        2 => fs::write(file, text.replace("maxQueue", "maxQeue")).expect("written"),
        3 => fs::write(file, "").expect("written"),
        5 => fs::write(file, &text).expect("written"),
        // It may be gone already.
        6 => fs::remove_file(file).unwrap_or_default(),
        _ => fs::write(file, text.replace("maxQueue: ", "maxQueue: -")).expect("written"),
    }
}

fn edited() -> Place {
    let place = Place::with_teams();
    let text = version(&place, 1);
    place.configure(&text);
    place
}

fn file(daemon: &Daemon) -> PathBuf {
    daemon.place.home().join("config.yaml")
}

/// Somewhere in a line, or at the end of one.
fn cut(text: &str, round: usize) -> &str {
    let at = (text.len() - 1) * (round * 37 % 97) / 96;
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
    // With its last line, it would be whole.
    let is_whole = end == text.len();
    if round % 16 == 1 || is_whole { &text[..at] } else { &text[..end] }
}

/// A config that says its number in two places, the second at its end. Many a beginning of it is a config, too.
fn version(place: &Place, number: usize) -> String {
    let (folder, script) = (place.path(""), place.path("script.yaml"));
    let (folder, script, queue) = (folder.display(), script.display(), 100 + number);
    format!(
        "# {number}\nsettings:\n  maxQueue: {queue}\nteams:\n  alpha:\n    path: {folder}\n    agent: scripted\n    \
         script: {script}\n    description: v{queue}\n"
    )
}

fn version_of(shown: &Value) -> u64 {
    let queue = shown["config"]["settings"]["maxQueue"].as_u64().expect("a number");
    assert_eq!(shown["config"]["teams"]["alpha"]["description"], format!("v{queue}"), "a mix: {shown}");
    queue
}

fn shown(daemon: &Daemon) -> Value {
    daemon.iris(&["config", "show", "--json"]).json()
}

/// Of the second version: a team that is not all that it was, as if the rest were still to come.
fn beginning(place: &Place) -> String {
    let text = version(place, 2);
    text[..text.find("    description").expect("its last line")].to_owned()
}

/// As editors do: a new file, renamed over the old one.
fn write_anew(file: &Path, text: &str) {
    let beside = file.with_extension("new");
    fs::write(&beside, text).and_then(|()| fs::rename(&beside, file)).expect("written");
}

fn wait_for(daemon: &Daemon, what: &str, holds: impl Fn(&Value) -> bool) {
    let began = Instant::now();
    loop {
        let shown = shown(daemon);
        if holds(&shown) {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{what}: {shown}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
