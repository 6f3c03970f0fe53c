//! Backup and restore.

use crate::daemon::{Daemon, Place, mode};

#[test]
fn what_was_said_comes_back_in_another_home() {
    let daemon = Daemon::start();
    daemon.iris(&["tell", "alpha", "remember this"]).ok();
    daemon.iris(&["tell", "alpha", "later", "--in", "2h"]).ok();
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
    assert!(told.contains("1 turn waited then and runs when Iris starts"), "{told}");
    assert_eq!(mode(&other.home().join("data/iris.db")), 0o600);
    let daemon = Daemon::on(other);
    let kept = daemon.iris(&["cache", "inspect", "alpha", "--json"]).json();
    assert_eq!(kept["turns"][0]["response"], "You said: remember this (turn 1)");
    // Not into a home that is in use.
    let told = daemon.iris(&["restore", file.to_str().expect("text"), "--yes"]).failed(9);
    assert!(told.contains("stop it first"), "{told}");

    let (other, _) = daemon.stop();
    let refused = other.iris(&["restore", file.to_str().expect("text")]).failed(2);
    assert!(refused.contains("nobody can be asked") && refused.contains("--yes"), "{refused}");
    let told = other.iris(&["restore", file.to_str().expect("text"), "--yes", "--json"]).json();
    assert_eq!((&told["checked"], &told["waitingTurns"]), (&true.into(), &1.into()), "{told}");
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

fn text(path: &std::path::Path) -> &str {
    path.to_str().expect("text")
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A place with one conversation, and a backup of it.
fn backed_up() -> (Place, std::path::PathBuf) {
    let daemon = Daemon::start();
    daemon.iris(&["tell", "alpha", "remember this"]).ok();
    daemon.iris(&["backup", "whole.tar"]).ok();
    let place = daemon.stop().0;
    let file = place.path("whole.tar");
    (place, file)
}

#[test]
fn a_damaged_database_is_replaced_and_kept_as_it_is() {
    let (place, file) = backed_up();
    let database = place.home().join("data/iris.db");
    std::fs::write(&database, "rubbish").expect("writable");
    let told = place.iris(&["restore", text(&file), "--yes", "--json"]).json();
    assert!(told["damage"].is_string(), "{told}");
    let kept = told["kept"][0].as_str().expect("a path");
    assert_eq!(std::fs::read_to_string(kept).expect("kept"), "rubbish");
    let daemon = Daemon::on(place);
    let kept = daemon.iris(&["cache", "inspect", "alpha", "--json"]).json();
    assert_eq!(kept["turns"][0]["response"], "You said: remember this (turn 1)");
}

#[test]
fn a_backup_that_was_cut_off_or_changed_is_refused_and_nothing_changes() {
    let (place, file) = backed_up();
    let whole = std::fs::read(&file).expect("readable");
    let before = names(&place.home().join("data"));
    let check = |name: &str, bytes: &[u8]| {
        let changed = place.path(name);
        std::fs::write(&changed, bytes).expect("writable");
        let told = place.iris(&["restore", text(&changed), "--yes"]).failed(2);
        assert!(told.contains("is not whole") || told.contains("is not a backup"), "{told}");
        assert_eq!(names(&place.home().join("data")), before);
    };
    for part in [whole.len() / 4, whole.len() / 2, whole.len() - 4096] {
        check("cut.tar", &whole[..part]);
    }
    // One letter of the config, which no database notices.
    let at = whole.windows(6).position(|window| window == b"alpha:").expect("the config is in it");
    let mut changed = whole.clone();
    changed[at] = b'o';
    check("changed.tar", &changed);
}

#[test]
fn a_database_by_itself_is_taken() {
    let (place, _) = backed_up();
    let copy = place.path("before-upgrade.db");
    std::fs::copy(place.home().join("data/iris.db"), &copy).expect("copied");
    let told = place.iris(&["restore", text(&copy), "--yes"]).ok();
    assert!(
        told.contains("the database of") && told.contains("the config and what agents keep are as they were"),
        "{told}"
    );
    let daemon = Daemon::on(place);
    let kept = daemon.iris(&["cache", "inspect", "alpha", "--json"]).json();
    assert_eq!(kept["turns"][0]["response"], "You said: remember this (turn 1)");
}

/// A place whose teams are kept in a database of PostgreSQL.
pub fn on_postgres(url: &str) -> Place {
    let place = Place::with_teams();
    let config = std::fs::read_to_string(place.home().join("config.yaml")).expect("a config");
    place.configure(&format!("database: {{ url: '{url}' }}\n{config}"));
    place
}

/// What alpha was told, and whether the log has gone on.
fn told(place: Place) -> (Place, Vec<String>, i64) {
    let daemon = Daemon::on(place);
    let kept = daemon.iris(&["cache", "inspect", "alpha", "--json"]).json();
    let turns = kept["turns"].as_array().expect("turns").iter();
    let texts = turns.map(|turn| turn["message"].as_str().expect("a text").to_owned()).collect();
    let head = daemon.iris(&["status", "--json"]).json()["newestEvent"].as_i64().expect("a number");
    (daemon.stop().0, texts, head)
}

fn crash_at(place: &Place, words: &[&str], point: &str) {
    let mut command = place.command(words);
    command.env("IRIS_CRASH_AT", point);
    assert_eq!(crate::daemon::Ran::of(command).code, -1, "it was killed");
}

#[test]
fn a_database_of_postgres_is_in_the_backup_and_comes_back_whole_or_not_at_all() {
    let Some(url) = iris_testing::postgres::fresh_database() else { return };
    let place = on_postgres(&url);
    assert!(place.iris(&["backup", "early.tar"]).failed(3).contains("Iris never ran there"));
    let daemon = Daemon::on(place);
    daemon.iris(&["tell", "alpha", "one"]).ok();
    daemon.iris(&["backup", "live.tar"]).ok();
    daemon.iris(&["tell", "alpha", "two"]).ok();
    let place = daemon.stop().0;
    place.iris(&["backup", "stopped.tar"]).ok();
    let config = std::fs::read_to_string(place.home().join("config.yaml")).expect("a config");

    let restore = ["restore", "live.tar", "--yes", "--json"];
    crash_at(&place, &restore, "restore.before_commit:1");
    let (place, texts, head) = told(place);
    assert_eq!(texts, ["one", "two"], "nothing has changed");
    crash_at(&place, &restore, "restore.after_commit:1");
    let (place, texts, after) = told(place);
    assert_eq!(texts, ["one"], "all of it has");
    assert!(after > head, "no number is given twice: {after} after {head}");

    let restored = place.iris(&["restore", "stopped.tar", "--yes", "--json"]).json();
    let (place, texts, _) = told(place);
    assert_eq!(texts, ["one", "two"]);
    assert_eq!(std::fs::read_to_string(place.home().join("config.yaml")).expect("a config"), config);
    let beside = restored["configOfBackup"].as_str().expect("a path");
    assert_eq!(std::fs::read_to_string(beside).expect("there"), config);
    // What was there before.
    let kept = restored["kept"][0].as_str().expect("a path");
    let report = place.iris(&["restore", kept, "--yes"]).ok();
    assert!(report.contains("restored the database of"), "{report}");
    assert_eq!(told(place).1, ["one"]);
}

#[test]
fn a_backup_of_postgres_goes_only_where_a_database_is_named_and_nobody_else_is_at_work() {
    let Some(url) = iris_testing::postgres::fresh_database() else { return };
    let daemon = Daemon::on(on_postgres(&url));
    daemon.iris(&["tell", "alpha", "one"]).ok();
    let file = daemon.place.path("whole.tar");
    daemon.iris(&["backup", text(&file)]).ok();
    let refused = Place::with_teams().iris(&["restore", text(&file)]).failed(2);
    assert!(refused.contains("of a PostgreSQL database") && refused.contains("database: { url"), "{refused}");
    // Another home on the same database, whose daemon works on.
    let refused = on_postgres(&url).iris(&["restore", text(&file), "--yes"]).failed(4);
    assert!(refused.contains("another daemon is at work") && refused.contains("stop every daemon"), "{refused}");
    let (_place, texts, _) = told(daemon.stop().0);
    assert_eq!(texts, ["one"]);
    // Into another database, and from an embedded one.
    let Some(url) = iris_testing::postgres::fresh_database() else { return };
    let place = on_postgres(&url);
    place.iris(&["restore", text(&file), "--yes"]).ok();
    let (place, texts, _) = told(place);
    assert_eq!(texts, ["one"]);
    let (_embedded, file) = backed_up();
    place.iris(&["restore", text(&file), "--yes"]).ok();
    assert_eq!(told(place).1, ["remember this"]);
}

#[test]
fn what_lies_beside_a_backup_is_left_alone_and_nothing_is_left_beside_it() {
    let (place, _) = backed_up();
    let folder = place.path("backups");
    std::fs::create_dir(&folder).expect("a folder");
    for mine in ["mine.partial", "mine.db.partial"] {
        std::fs::write(folder.join(mine), "mine").expect("writable");
    }
    place.iris(&["backup", "backups/mine.tar"]).ok();
    assert_eq!(names(&folder), ["mine.db.partial", "mine.partial", "mine.tar"]);
    for mine in ["mine.partial", "mine.db.partial"] {
        assert_eq!(std::fs::read_to_string(folder.join(mine)).expect("there"), "mine");
    }
    assert_eq!(mode(&folder.join("mine.tar")), 0o600);
}

#[test]
fn a_home_that_never_served_says_so() {
    let place = Place::empty();
    std::fs::create_dir_all(place.home()).expect("a folder");
    let told = place.iris(&["backup", "x.tar"]).failed(3);
    assert!(told.contains("Iris never ran there") && told.contains("iris up"), "{told}");
    // Where it cannot be seen what there is, that is said.
    std::fs::write(place.home().join("data"), "").expect("written");
    let told = place.iris(&["backup", "x.tar"]).failed(2);
    assert!(told.contains("data/iris.db: Not a directory"), "{told}");
}

/// Else a backup would go into an embedded database that nobody looks at.
#[test]
fn a_database_that_a_variable_names_is_known_to_be_one() {
    let (place, file) = backed_up();
    let config = std::fs::read_to_string(place.home().join("config.yaml")).expect("a config");
    for url in ["{ url: ${IRIS_TEST_NO_SUCH} }", "{ url: '${IRIS_TEST_NO_SUCH}' }", "\n  url: ${IRIS_TEST_NO_SUCH}"] {
        place.configure(&format!("database: {url}\n{config}"));
        for words in [&["backup", "x.tar"][..], &["restore", text(&file), "--yes"]] {
            let told = place.iris(words).failed(2);
            assert!(told.contains("the environment has no IRIS_TEST_NO_SUCH"), "{url}: {told}");
        }
    }
    // Which database it is cannot be read: neither is taken.
    place.configure("database: { url: postgres://localhost/iris }\nteams:\n\talpha: 1\n");
    for words in [&["backup", "x.tar"][..], &["restore", text(&file), "--yes"]] {
        let told = place.iris(words).failed(2);
        assert!(told.contains("config.yaml:3:"), "{told}");
    }
}
