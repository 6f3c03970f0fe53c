//! Starting and stopping.

use nix::sys::signal::Signal;

use crate::daemon::{Daemon, Place, mode};

#[test]
fn a_second_start_names_the_first_and_exits_9() {
    let daemon = Daemon::start();
    let told = daemon.iris(&["serve", "--port", "0"]).failed(9);
    let home = daemon.place.home();
    let (pid, url) = (&daemon.ready["pid"], daemon.ready["url"].as_str().expect("a url"));
    assert_eq!(told.trim(), format!("error: iris is already running for {} (process {pid}, {url})", home.display()));
}

#[test]
fn what_it_says_when_it_is_ready() {
    let daemon = Daemon::start();
    let ready = &daemon.ready;
    assert!(ready["url"].as_str().is_some_and(|url| url.starts_with("http://127.0.0.1:")), "{ready}");
    assert_eq!(ready["home"], daemon.place.home().display().to_string());
    assert_eq!(ready["teams"], 2);
}

#[test]
fn somebody_without_a_config_gets_one_that_explains_itself() {
    let daemon = Daemon::on(Place::empty());
    assert_eq!(daemon.ready["teams"], 0);
    let config = daemon.place.home().join("config.yaml");
    assert_eq!(mode(&config), 0o600);
    let told = daemon.iris(&["teams", "list"]).ok();
    insta::assert_snapshot!(daemon.place.redact(&told));
    // A second start leaves it alone.
    std::fs::write(&config, "teams: {} # mine\n").expect("written");
    let (place, code) = daemon.stop();
    assert_eq!(code, Some(0));
    let again = Daemon::on(place);
    assert_eq!(std::fs::read_to_string(&config).expect("read"), "teams: {} # mine\n");
    drop(again);
}

#[test]
fn a_config_that_is_wrong_is_told_and_nothing_starts() {
    let place = Place::empty();
    place.configure("settings: { maxProcesses: 0 }\n");
    let told = place.iris(&["serve", "--port", "0"]).failed(2);
    assert!(told.contains("settings.maxProcesses: must be at least 1"), "{told}");
}

#[test]
fn a_daemon_in_the_background_whose_last_words_find_no_room_is_spoken_for() {
    let place = Place::with_teams();
    std::fs::create_dir_all(place.home().join("logs")).expect("a folder");
    std::os::unix::fs::symlink("/dev/full", place.home().join("logs/daemon.log")).expect("a link");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("bound").port().to_string();
    let told = place.iris(&["serve", "--detached", "--port", &port]).failed(6);
    assert!(told.contains("could not say why") && told.contains("No space left on device"), "{told}");
    assert!(told.contains("free some space"), "{told}");
}

#[test]
fn only_loopback_and_only_a_free_port() {
    let daemon = Daemon::start();
    let other = Place::with_teams();
    let told = other.iris(&["serve", "--host", "0.0.0.0"]).failed(2);
    assert!(told.contains("binding beyond loopback needs TLS"), "{told}");

    let url = daemon.ready["url"].as_str().expect("a url");
    let port = url.rsplit(':').next().expect("a port");
    let told = other.iris(&["serve", "--port", port]).failed(6);
    assert!(told.contains(&format!("port {port} on 127.0.0.1 is in use")), "{told}");
    assert!(told.contains("--port N"), "{told}");
}

#[test]
fn a_second_signal_ends_the_grace() {
    let place = Place::with_teams();
    let config = std::fs::read_to_string(place.home().join("config.yaml")).expect("read");
    place.configure(&format!("settings: {{ shutdownGrace: 10m }}\n{config}"));
    let daemon = Daemon::on(place);
    let told = daemon.iris(&["tell", "alpha", "hang", "--json", "--timeout", "200"]).json();
    assert_eq!(told["status"], "mcp_timeout");
    daemon.signal(Signal::SIGTERM);
    // It no longer takes anything, so it has heard the first.
    while daemon.iris(&["status"]).code == 0 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let (_, code) = daemon.stop();
    assert_eq!(code, Some(130));
}

#[test]
fn without_a_daemon_commands_say_how_to_start_one() {
    let place = Place::with_teams();
    for words in [&["tell", "alpha", "hi"][..], &["teams", "list"], &["status"], &["events"], &["wake", "alpha"]] {
        let told = place.iris(words).failed(6);
        let expected = format!("error: iris is not running for {}; start it with `iris up`\n", place.home().display());
        assert_eq!(told, expected, "{words:?}");
    }
    let told = place.iris(&["status", "--json"]).failed(6);
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON on stderr");
    assert_eq!(told["kind"], "unavailable");
}

#[test]
fn a_wrong_token_or_address_is_a_wrong_value() {
    let daemon = Daemon::start();
    let mut wrong = daemon.place.command(&["status"]);
    wrong.env("IRIS_TOKEN", "nonsense");
    let told = crate::daemon::Ran::of(wrong).failed(2);
    assert!(told.contains("no credential was sent, or one that is not good"), "{told}");
    assert!(told.contains("hint: IRIS_TOKEN, or else the file `token`") && !told.contains("Bearer"), "{told}");
    let mut wrong = daemon.place.command(&["status"]);
    wrong.env("IRIS_URL", "nonsense");
    let told = crate::daemon::Ran::of(wrong).failed(2);
    assert!(told.contains("IRIS_URL 'nonsense' is not an http address"), "{told}");
}

#[test]
fn a_database_that_the_server_does_not_know_is_a_mistake_in_the_config() {
    let Some(url) = iris_testing::postgres::fresh_database() else { return };
    let (_, server) = url.split_once('@').expect("a url with a user");
    let (base, _) = url.rsplit_once('/').expect("a url with a database");
    for (wrong, what) in [
        (format!("postgres://nosuchuser@{server}"), "nosuchuser"),
        (format!("{base}/nosuchdatabase"), "database \"nosuchdatabase\" does not exist"),
    ] {
        let place = crate::backup::on_postgres(&wrong);
        let told = place.iris(&["serve", "--port", "0"]).failed(2);
        assert!(told.contains("the server of database.url refuses") && told.contains(what), "{told}");
        assert!(told.contains("hint: correct the user, password or name"), "{told}");
        let looked = place.iris(&["doctor"]).stdout;
        assert!(looked.contains(what) && !looked.contains("PostgreSQL answers"), "{looked}");
    }
    let looked = crate::backup::on_postgres(&url).iris(&["doctor"]).stdout;
    assert!(looked.contains("PostgreSQL answers, and holds nothing yet"), "{looked}");
}
