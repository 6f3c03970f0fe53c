//! What commands that change config.yaml say when the daemon does not take the change up.

use std::fs;

use nix::sys::signal::Signal;

use crate::daemon::{Daemon, Place, Ran};

fn folder(place: &Place, name: &str) -> String {
    let folder = place.path(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder.to_str().expect("text").to_owned()
}

/// A variable that this shell has and the daemon has not: the command could read what it has written, and the daemon not.
#[test]
fn what_only_the_command_can_read_is_not_said_to_be_in_force() {
    let daemon = Daemon::start();
    let theirs = daemon.place.path("theirs.yaml");
    fs::write(&theirs, "teams:\n  gamma: { path: /tmp, env: { A: '${ONLY_HERE}' } }\n").expect("written");
    let mut command = daemon.place.command(&["teams", "import", theirs.to_str().expect("text")]);
    command.env("ONLY_HERE", "here");
    let told = Ran::of(command).failed(6);
    assert!(told.contains("config.yaml, but the daemon has not taken it up: "), "{told}");
    assert!(told.contains("the environment has no ONLY_HERE"), "{told}");
    let config = fs::read_to_string(daemon.place.home().join("config.yaml")).expect("a config");
    assert!(config.contains("gamma"), "it is written all the same: {config}");
}

/// And one that the daemon has and this shell has not.
#[test]
fn what_only_the_daemon_can_read_is_in_force() {
    let place = Place::empty();
    place.configure("teams:\n  gamma: { path: /tmp, env: { A: '${ONLY_THERE}' } }\n");
    let mut serve = place.command(&["serve", "--port", "0", "--json"]);
    serve.env("ONLY_THERE", "there");
    let daemon = Daemon::by(serve, place);
    let up = daemon.iris(&["up", "--no-open"]);
    assert!(up.code == 0 && up.stderr.contains("this shell has no ONLY_THERE"), "{up:?}");
    assert!(!up.stderr.contains("what was in force before"), "{up:?}");
    let found = daemon.iris(&["doctor"]).stdout;
    assert!(found.contains("warning  config       this shell has no ONLY_THERE"), "{found}");
    let told = daemon.iris(&["teams", "add", &folder(&daemon.place, "shop")]).failed(2);
    assert!(told.contains("`export ONLY_THERE=…` in this shell"), "{told}");
}

#[test]
fn while_the_daemon_is_stopped_nothing_is_changed() {
    let daemon = Daemon::start();
    let shop = folder(&daemon.place, "shop");
    let file = daemon.place.home().join("config.yaml");
    let before = fs::read_to_string(&file).expect("a config");
    daemon.signal(Signal::SIGSTOP);
    let told = daemon.iris(&["teams", "add", &shop]);
    daemon.signal(Signal::SIGCONT);
    let told = told.failed(6);
    assert!(told.contains("nothing was changed: ") && told.contains("kill -CONT"), "{told}");
    assert_eq!(fs::read_to_string(&file).expect("a config"), before);
    daemon.iris(&["teams", "add", &shop]).ok();
}

#[test]
fn the_daemon_of_another_home_does_not_read_this_config() {
    let (daemon, place) = (Daemon::start(), Place::with_teams());
    let before = fs::read_to_string(place.home().join("config.yaml")).expect("a config");
    let shop = folder(&place, "shop");
    let url = daemon.ready["url"].as_str().expect("an address");
    let token = fs::read_to_string(daemon.place.home().join("token")).expect("a token");
    for words in [
        &["teams", "add", shop.as_str()][..],
        &["teams", "remove", "alpha"],
        &["up", "--demo", "--no-open"],
        &["demo", "clean"],
    ] {
        let mut command = place.command(words);
        command.env("IRIS_URL", url).env("IRIS_TOKEN", token.trim());
        let told = Ran::of(command).failed(4);
        assert!(told.contains("IRIS_URL leads to the iris of") && told.contains("leave IRIS_URL out"), "{told}");
    }
    assert_eq!(fs::read_to_string(place.home().join("config.yaml")).expect("a config"), before);
}

/// A key of several lines whose text looks like a comment is data, and secret: a change beside it keeps every byte.
#[test]
fn a_secret_of_several_lines_is_kept_whole() {
    let place = Place::empty();
    let text = "teams:\n  a:\n    path: /a\n    env:\n      KEY: |\n        one\n        # two\n        three\n";
    place.configure(text);
    place.iris(&["teams", "add", &folder(&place, "shop")]).ok();
    let now = fs::read_to_string(place.home().join("config.yaml")).expect("a config");
    assert!(now.starts_with(text) && now.contains("\n  shop:\n"), "{now}");
    place.iris(&["teams", "remove", "shop"]).ok();
    assert_eq!(fs::read_to_string(place.home().join("config.yaml")).expect("a config"), text);
}

#[test]
fn a_team_that_is_left_out_is_named_nowhere_and_a_mistake_is_told_of_their_file() {
    let place = Place::empty();
    let theirs = place.path("theirs.yaml");
    let analysis = |of: &str| {
        format!(
            "settings:\n  agent:\n    completionAnalysis:\n      enabled: true\n      {of}\nteams:\n  here: {{ path: /tmp }}\n  \
             far: {{ path: /tmp, remote: ssh host }}\n"
        )
    };
    let import = |text: String| {
        fs::write(&theirs, text).expect("written");
        place.iris(&["teams", "import", theirs.to_str().expect("text")])
    };
    let told = import(analysis("minConfidence: 2")).failed(2);
    assert!(told.contains("theirs.yaml:5:22: settings.agent.completionAnalysis.minConfidence: must be"), "{told}");
    let told = import(analysis("enabledFor: [heer]")).failed(2);
    assert!(told.contains("theirs.yaml:5:") && told.contains("did you mean `here`?"), "{told}");
    let ran = import(analysis("enabledFor: [here, far]"));
    assert!(ran.stderr.contains("taken out, because that team is left out: settings.agent"), "{ran:?}");
    ran.ok();
    let config = fs::read_to_string(place.home().join("config.yaml")).expect("a config");
    assert!(config.contains("here") && !config.contains("far"), "{config}");
    place.iris(&["config", "check"]).ok();
}

#[test]
fn teams_are_imported_into_a_config_that_says_nothing() {
    let place = Place::empty();
    place.configure("# nothing yet\n");
    let theirs = place.path("theirs.yaml");
    fs::write(&theirs, "teams:\n  here: { path: /tmp }\n").expect("written");
    assert!(place.iris(&["teams", "import", theirs.to_str().expect("text")]).ok().contains("added: here"));
    let config = fs::read_to_string(place.home().join("config.yaml")).expect("a config");
    assert!(config.starts_with("# nothing yet\n") && config.contains("here"), "{config}");
}
