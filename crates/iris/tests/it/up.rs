//! `iris up` in a project, and the config of somebody who had none.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::daemon::{Daemon, Place, Ran};

/// A project, and a program that says it is Claude Code.
fn desk() -> Place {
    let place = Place::empty();
    place.configure("settings: { port: 0 }\n");
    for name in ["user/Shop Front/src", "user/empty", "bin"] {
        std::fs::create_dir_all(place.path(name)).expect("a folder");
    }
    put_program(&place, "claude", "echo '2.1.325 (Claude Code)'");
    place
}

fn put_program(place: &Place, name: &str, script: &str) {
    let program = place.path("bin").join(name);
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("ours");
}

fn at(place: &Place, command: &mut Command, folder: &str) {
    let path = format!("{}:/usr/bin:/bin", place.path("bin").display());
    command.env("HOME", place.path("user")).env("PATH", path).env("IRIS_HOME", place.home());
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").current_dir(place.path(folder));
}

fn up(place: &Place, folder: &str, words: &[&str]) -> Ran {
    let mut command = place.command(&[&["up", "--no-open"], words].concat());
    at(place, &mut command, folder);
    Ran::of(command)
}

/// Whether `script` of util-linux made a terminal on which that was typed.
fn type_on_a_terminal(place: &Place, folder: &str, typed: &str) -> Option<String> {
    let mut script = Command::new("script");
    let line = format!("'{}' up --no-open", env!("CARGO_BIN_EXE_iris"));
    script.args(["-q", "-e", "-c", &line, "/dev/null"]).env("TERM", "xterm").env("NO_COLOR", "1");
    at(place, &mut script, folder);
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), typed.as_bytes()).expect("typed");
    let output = child.wait_with_output().expect("it ends");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn teams(place: &Place) -> Vec<String> {
    let listed = place.iris(&["teams", "list", "--json"]).json();
    let names = listed["items"].as_array().expect("teams").iter().map(|team| team["name"].as_str());
    names.map(|name| name.expect("a name").to_owned()).collect()
}

#[test]
fn a_project_is_offered_as_a_team_and_a_team_is_not() {
    let daemon = Daemon::on(desk());
    let place = &daemon.place;
    let said = up(place, "user/Shop Front", &[]).ok();
    assert!(said.contains("found claude 2.1.325 (Claude Code)"), "{said}");
    assert!(said.contains("make ~/Shop Front a team, called shop-front: iris teams add ."), "{said}");
    let told = up(place, "user/Shop Front", &["--json"]).json();
    assert_eq!(told["offer"]["name"], "shop-front");
    // A folder with nothing in it, and one's own home, are no projects.
    // A folder may be called as no team can be.
    std::fs::create_dir_all(place.path("user/user/src")).expect("a folder");
    let told = up(place, "user/user", &["--json"]).json();
    assert_eq!(told["offer"]["command"], "iris teams add . --name user-2");
    for folder in ["user/empty", "user"] {
        assert_eq!(up(place, folder, &["--json"]).json()["offer"], Value::Null, "{folder}");
    }
    if type_on_a_terminal(place, "user/Shop Front", "n\n").is_none() {
        return;
    }
    assert!(teams(place).is_empty(), "no is no");
    let seen = type_on_a_terminal(place, "user/Shop Front", "\n").expect("it was there before");
    assert!(seen.contains("make ~/Shop Front a team, called shop-front? [Y/n]"), "{seen}");
    assert_eq!(teams(place), ["shop-front"]);
    // Also in a folder of the team's.
    assert_eq!(up(place, "user/Shop Front/src", &["--json"]).json()["offer"], Value::Null);
}

#[test]
fn without_an_agent_program_it_is_said_why_nobody_is_asked() {
    let daemon = Daemon::on(desk());
    let place = &daemon.place;
    std::fs::remove_file(place.path("bin/claude")).expect("it was there");
    let said = up(place, "user/Shop Front", &[]).ok();
    assert!(said.contains("iris teams add . (you are not asked, because there is no claude to serve it)"), "{said}");
    let Some(seen) = type_on_a_terminal(place, "user/Shop Front", "\n") else { return };
    assert!(seen.contains("because there is no claude to serve it") && !seen.contains("[Y/n]"), "{seen}");
    assert!(teams(place).is_empty());
}

#[test]
fn an_editor_finds_the_schema_beside_the_first_config() {
    let daemon = Daemon::on(Place::empty());
    let home = daemon.place.home();
    let config = std::fs::read_to_string(home.join("config.yaml")).expect("a config");
    let line = config.lines().next().expect("a line");
    let schema = line.strip_prefix("# yaml-language-server: $schema=").expect("it is the first line");
    let schema = std::fs::read_to_string(home.join(Path::new(schema))).expect("it is there");
    let printed = daemon.iris(&["config", "schema"]).json();
    assert_eq!(serde_json::from_str::<Value>(&schema).expect("JSON"), printed);
    // One of an earlier iris is brought up to date.
    std::fs::write(home.join("config.schema.json"), "{}").expect("written");
    let daemon = Daemon::on(daemon.stop().0);
    let now = std::fs::read_to_string(home.join("config.schema.json")).expect("it is there");
    assert_eq!(now, schema);
    drop(daemon);
}

#[test]
fn what_hinders_a_start_is_told_as_serve_tells_it() {
    let place = desk();
    place.configure("settings: { maxProcesses: 0 }\n");
    let told = up(&place, "user", &[]).failed(2);
    assert!(told.starts_with("error: ") && told.contains("settings.maxProcesses: must be at least 1"), "{told}");
    let told: Value = serde_json::from_str(&up(&place, "user", &["--json"]).failed(2)).expect("one object");
    assert_eq!(told["kind"], "invalid");

    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    place.configure("teams: {}\n");
    let told: Value = serde_json::from_str(&up(&place, "user", &["--port", &port, "--json"]).failed(6)).expect("one");
    assert_eq!(told["detail"], format!("port {port} on 127.0.0.1 is in use by another program"));
    assert!(told["hint"].as_str().is_some_and(|hint| hint.contains("--port N")), "{told}");

    std::fs::write(place.home().join("data/iris.db"), "this is no database, whatever its name says").expect("written");
    let told = up(&place, "user", &["--port", "0"]).failed(8);
    assert!(told.contains("home/data/iris.db is damaged") && told.contains("iris restore"), "{told}");
}

fn kill_at_once(pid: &Value) {
    let pid = i32::try_from(pid.as_i64().expect("a process")).expect("a process");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL).expect("it is ours");
}

/// It still holds its home for a moment, and answers nobody.
#[test]
fn a_daemon_that_was_killed_just_now_is_started_again() {
    let place = desk();
    let mut pid = up(&place, "user", &["--json"]).json()["pid"].clone();
    for _ in 0..5 {
        kill_at_once(&pid);
        let told = up(&place, "user", &["--json"]).json();
        assert_eq!(told["started"], true, "{told}");
        pid = told["pid"].clone();
    }
    place.iris(&["down"]).ok();
}

/// What a terminal has open is no business of a daemon and its agents.
#[cfg(target_os = "linux")]
#[test]
fn open_files_of_whoever_starts_it_are_not_passed_on() {
    let place = Place::with_teams();
    let mut shell = Command::new("sh");
    let line = format!("exec 7</etc/hostname; exec '{}' up --no-open --port 0 --json", env!("CARGO_BIN_EXE_iris"));
    shell.args(["-c", &line]).env("IRIS_HOME", place.home()).current_dir("/");
    let daemon = Ran::of(shell).json()["pid"].clone();
    place.iris(&["wake", "alpha"]).ok();
    let sessions = place.iris(&["sessions", "list", "--json"]).json();
    let agent = &sessions["items"][0]["pid"];
    for process in [&daemon, agent] {
        let files = std::fs::read_dir(format!("/proc/{process}/fd")).expect("it runs");
        let files: Vec<_> = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok()).collect();
        assert!(!files.iter().any(|file| file.ends_with("etc/hostname")), "{process}: {files:?}");
    }
    place.iris(&["down"]).ok();
}

#[test]
fn a_wrong_file_does_not_hide_a_daemon_that_serves() {
    let daemon = Daemon::on(desk());
    daemon.place.configure("settings: { maxProcesses: 0 }\n");
    let ran = up(&daemon.place, "user", &[]);
    assert!(ran.stderr.contains("settings.maxProcesses: must be at least 1"), "{ran:?}");
    assert!(ran.ok().contains("open this once"));
}

#[test]
fn a_program_that_does_not_say_what_it_is_was_found_all_the_same() {
    let daemon = Daemon::on(desk());
    let place = &daemon.place;
    put_program(place, "claude", "echo 'no node here' >&2; exit 3");
    put_program(place, "codex", "exec sleep 60");
    let said = up(place, "user", &[]).ok();
    let bin = place.path("bin");
    let claude = format!(
        "found claude at {}/claude, but it does not say its version (it failed: exit status: 3: no node here)",
        bin.display()
    );
    let codex = format!(
        "found codex at {}/codex, but it does not say its version (no answer to --version within 3 s)",
        bin.display()
    );
    assert!(said.contains(&claude) && said.contains(&codex) && !said.contains("found no agent program"), "{said}");
    // A daemon's agents have what was in its own PATH; without one, it is ours that is looked at.
    let (place, _) = daemon.stop();
    let mut doctor = place.command(&["doctor"]);
    at(&place, &mut doctor, "user");
    let found = Ran::of(doctor).stdout;
    assert!(found.contains("no node here") && !found.contains("install Claude Code"), "{found}");
}

#[test]
fn the_link_is_there_whatever_becomes_of_the_browser() {
    let daemon = Daemon::on(desk());
    let place = &daemon.place;
    for name in ["xdg-open", "x-www-browser", "www-browser"] {
        put_program(place, name, "exit 1");
    }
    let mut command = place.command(&["up"]);
    at(place, &mut command, "user");
    command.env("DISPLAY", ":0").env("BROWSER", place.path("bin/x-www-browser"));
    let said = Ran::of(command).ok();
    assert!(said.contains("open this once, within 5 minutes: http://127.0.0.1:"), "{said}");
}

#[test]
fn that_the_database_is_gone_is_said() {
    let place = Daemon::on(desk()).stop().0;
    std::fs::write(place.home().join("data/iris.db"), "").expect("emptied");
    let ran = up(&place, "user", &[]);
    let log = std::fs::read_to_string(place.home().join("logs/daemon.log")).expect("a log");
    place.iris(&["down"]).ok();
    assert!(ran.stderr.contains("iris.db was empty or gone though a daemon ran here"), "{ran:?}");
    assert!(log.contains("was empty or gone though a daemon ran here"), "{log}");
    let again = up(&place, "user", &[]);
    place.iris(&["down"]).ok();
    assert!(!again.stderr.contains("was empty"), "{again:?}");
}
