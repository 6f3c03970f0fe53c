//! Real situations, and what the doctor says to them. What is well is left out of the snapshots.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::daemon::{Daemon, Place, Ran, mode};

/// In a home of the user's that is empty, with no agent program unless the test puts one there.
fn doctor(place: &Place, words: &[&str]) -> Command {
    let mut command = place.command(&[&["doctor"], words].concat());
    std::fs::create_dir_all(place.path("user")).expect("a folder");
    let path = format!("{}:/usr/bin:/bin", place.path("bin").display());
    command.env("HOME", place.path("user")).env("PATH", path);
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "MCP_TOOL_TIMEOUT", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"] {
        command.env_remove(name);
    }
    for name in ["CLAUDE_CODE_OAUTH_TOKEN", "OPENAI_API_KEY", "CODEX_API_KEY"] {
        command.env_remove(name);
    }
    command
}

/// As a user to whom modes mean something: root may do everything, unless that is taken from it.
fn without_privileges(command: Command) -> Command {
    if !nix::unistd::geteuid().is_root() {
        return command;
    }
    let mut wrapped = Command::new("setpriv");
    wrapped.args(["--inh-caps=-all", "--bounding-set=-all"]).arg(command.get_program()).args(command.get_args());
    command.get_current_dir().map(|folder| wrapped.current_dir(folder));
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => wrapped.env(name, value),
            None => wrapped.env_remove(name),
        };
    }
    wrapped
}

/// What is said of these checks.
fn said(place: &Place, checks: &[&str], words: &[&str]) -> String {
    said_by(doctor(place, words), place, checks)
}

fn said_by(doctor: Command, place: &Place, checks: &[&str]) -> String {
    let ran = Ran::of(doctor);
    let mut shown = Vec::new();
    let mut wanted = false;
    for line in ran.stdout.lines() {
        if !line.starts_with(' ') {
            let mut parts = line.split_whitespace();
            let (verdict, check) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            wanted = verdict != "ok" && checks.contains(&check);
        }
        if wanted {
            shown.push(line);
        }
    }
    format!("{}\n(exit code {})", place.redact(&shown.join("\n")), ran.code)
}

/// A home in which a daemon ran, and ended well.
fn used() -> Place {
    Daemon::start().stop().0
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("ours");
}

macro_rules! snapshot {
    ($said:expr) => {
        insta::with_settings!({ filters => vec![
            (r"process \d+", "process [pid]"),
            (r"session: [\d, ]+", "session: [pids]"),
            (r"127\.0\.0\.1:\d+", "127.0.0.1:[port]"),
            (r"\d{4}-\d\d-\d\d \d\d:\d\d", "[time]"),
            (r"\(iris-[^)]*\)|\(it-[^)]*\)|\(doctor::[^)]*\)", "([name])"),
        ] }, { insta::assert_snapshot!($said); });
    };
}

#[test]
fn others_may_read_the_home() {
    let place = used();
    set_mode(&place.home(), 0o755);
    set_mode(&place.home().join("token"), 0o644);
    set_mode(&place.home().join("data/iris.db"), 0o644);
    std::fs::write(place.home().join("data/iris.db-wal"), "").expect("written");
    set_mode(&place.home().join("data/iris.db-wal"), 0o666);
    snapshot!(said(&place, &["home", "token", "database"], &[]));
    snapshot!(said(&place, &["home", "token", "database"], &["--fix"]));
    let modes = ["", "token", "data/iris.db", "data/iris.db-wal"].map(|name| mode(&place.home().join(name)));
    assert_eq!(modes, [0o700, 0o600, 0o600, 0o600]);
    assert_eq!(Ran::of(doctor(&place, &[])).code, 0, "nothing is left");
}

#[test]
fn others_may_write_to_the_home() {
    let place = used();
    let config = place.home().join("config.yaml");
    set_mode(&place.home(), 0o777);
    set_mode(&config, 0o666);
    snapshot!(said(&place, &["home", "files"], &[]));
    said(&place, &[], &["--fix"]);
    assert_eq!((mode(&place.home()), mode(&config)), (0o700, 0o644));
    // A group that does not get into the home does not get to the file.
    set_mode(&config, 0o664);
    assert_eq!(Ran::of(doctor(&place, &[])).code, 0);
}

#[test]
fn what_is_below_the_home_may_not_be_used() {
    let place = used();
    let names = ["run", "logs", "data/iris.db", "token"];
    names.iter().for_each(|name| set_mode(&place.home().join(name), 0));
    let checks = ["access", "token", "database"];
    snapshot!(said_by(without_privileges(doctor(&place, &[])), &place, &checks));
    let up = Ran::of(without_privileges(place.command(&["serve", "--port", "0"])));
    assert!(up.stderr.contains("Permission denied") && up.stderr.contains("iris doctor"), "{up:?}");
    let fixed = said_by(without_privileges(doctor(&place, &["--fix"])), &place, &checks);
    assert!(fixed.contains("chmod 700 [folder]/home/run"), "{fixed}");
    assert_eq!(names.map(|name| mode(&place.home().join(name))), [0o700, 0o700, 0o600, 0o600]);
    assert_eq!(Ran::of(without_privileges(doctor(&place, &[]))).code, 0, "nothing is left");
}

#[test]
fn a_lock_that_may_not_be_read_says_nothing_of_the_daemon() {
    let place = used();
    set_mode(&place.home().join("run"), 0);
    for command in ["status", "down", "up"] {
        let ran = Ran::of(without_privileges(place.command(&[command])));
        assert!(ran.code != 0 && ran.stderr.contains("whether iris runs for"), "{command}: {ran:?}");
    }
    set_mode(&place.home().join("run"), 0o700);
}

#[test]
fn the_home_belongs_to_another() {
    // Only root can give something away.
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let place = used();
    std::os::unix::fs::chown(place.home(), Some(12345), None).expect("given away");
    let said = said_by(without_privileges(doctor(&place, &["--fix"])), &place, &["home"]);
    assert!(said.contains("[folder]/home belongs to 12345") && said.contains("`sudo chown -R root"), "{said}");
    set_mode(&place.home(), 0o777);
    let said = said_by(without_privileges(doctor(&place, &["--fix"])), &place, &["home"]);
    assert!(said.contains("`sudo chmod 700 [folder]/home`") && !said.contains("repairs"), "{said}");
}

#[test]
fn a_folder_of_ours_is_a_file() {
    let place = used();
    let logs = place.home().join("logs");
    std::fs::remove_dir_all(&logs).expect("removed");
    std::fs::write(&logs, "").expect("written");
    let said = said(&place, &["home", "access"], &["--fix"]);
    assert!(said.contains("home/logs is no folder, and has to be one") && !said.contains("has no logs"), "{said}");
}

#[test]
fn a_database_that_may_not_be_used_is_no_fault_of_the_disk() {
    let place = used();
    for name in ["data/iris.db", "data"] {
        let path = place.home().join(name);
        let before = mode(&path);
        set_mode(&path, 0o500);
        let up = Ran::of(without_privileges(place.command(&["serve", "--port", "0"])));
        assert!(up.stderr.contains("may not be read and written") && !up.stderr.contains("space"), "{up:?}");
        set_mode(&path, before);
    }
}

#[test]
fn what_is_below_the_home_belongs_to_another() {
    // Only root can give something away.
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let place = used();
    std::os::unix::fs::chown(place.home().join("run"), Some(12345), None).expect("given away");
    let said = said_by(without_privileges(doctor(&place, &["--fix"])), &place, &["access"]);
    assert!(said.contains("[folder]/home/run belongs to 12345"), "{said}");
    assert!(said.contains("`sudo chown -R root [folder]/home/run`") && said.contains("(exit code 10)"), "{said}");
}

#[test]
fn the_config_is_wrong() {
    let place = used();
    place.configure("settings:\n  prot: 1616\n");
    snapshot!(said(&place, &["config"], &[]));
}

#[test]
fn the_database_is_damaged() {
    let place = used();
    let file = place.home().join("data/iris.db");
    let mut bytes = std::fs::read(&file).expect("a database");
    // The roots of its tables, but not its head.
    bytes[4096..4096 * 4].fill(0xAA);
    std::fs::write(&file, bytes).expect("written");
    let said = said(&place, &["database"], &[]);
    assert!(said.contains("is damaged") && said.contains("iris restore") && said.contains("(exit code 10)"), "{said}");
    std::fs::write(&file, "not a database at all, but long enough to be read as the head of one, so that it is tried")
        .expect("written");
    snapshot!(self::said(&place, &["database"], &[]));
}

#[test]
fn the_database_is_of_a_newer_iris() {
    let place = used();
    let database = rusqlite::Connection::open(place.home().join("data/iris.db")).expect("a database");
    let sql = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) VALUES (999, 'x', '', '')";
    database.execute(sql, []).expect("written");
    drop(database);
    snapshot!(said(&place, &["database"], &[]));
}

#[test]
fn the_clock_was_set_back() {
    let place = used();
    let database = rusqlite::Connection::open(place.home().join("data/iris.db")).expect("a database");
    database.execute("UPDATE event SET at = at + 3 * 3600 * 1000 + 1800 * 1000", []).expect("written");
    drop(database);
    snapshot!(said(&place, &["clock"], &[]));
}

#[test]
fn somebody_else_has_the_port() {
    let place = Place::empty();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    place.configure(&format!("settings: {{ port: {} }}\n", taken.local_addr().expect("an address").port()));
    snapshot!(said(&place, &["port"], &[]));
}

#[test]
fn teams_lack_what_they_need() {
    let place = Place::empty();
    let there = place.path("there");
    std::fs::create_dir_all(&there).expect("a folder");
    std::fs::write(there.join("script"), "#!/nonexistent/node\n").expect("written");
    set_mode(&there.join("script"), 0o755);
    let there = there.display();
    place.configure(&format!(
        "teams:\n  bare: {{ path: {there}, command: {there}/script }}\n  \
         gone: {{ path: {there}/gone, agent: scripted, script: {there}/none.yaml }}\n  \
         lost: {{ path: {there}, command: {there}/claude }}\n  plain: {{ path: {there} }}\n  \
         later: {{ path: {there}, agent: scripted, script: {there} }}\n"
    ));
    snapshot!(said(&place, &["team", "claude", "login"], &[]));
}

/// A program that says that it is that version.
fn put_claude(place: &Place, version: &str) {
    std::fs::create_dir_all(place.path("bin")).expect("a folder");
    let file = place.path("bin/claude");
    std::fs::write(&file, format!("#!/bin/sh\necho '{version} (Claude Code)'\n")).expect("written");
    set_mode(&file, 0o755);
}

#[test]
fn the_agent_program_is_old() {
    let place = Place::empty();
    put_claude(&place, "1.0.3");
    snapshot!(said(&place, &["claude"], &[]));
    put_claude(&place, "2.1.325");
    assert!(!said(&place, &["claude"], &[]).contains("older"), "a version that was tried is well");
}

#[test]
fn codex_is_looked_at_as_claude_is() {
    let place = Place::empty();
    let all = || Ran::of(doctor(&place, &[])).stdout;
    assert!(all().contains("not in the PATH; no team needs it") && !all().contains("Codex does not know Iris"));
    let file = place.path("bin/codex");
    std::fs::create_dir_all(place.path("bin")).expect("a folder");
    std::fs::write(&file, "#!/bin/sh\necho codex-cli 0.50.0\n").expect("written");
    set_mode(&file, 0o755);
    let said = all();
    assert!(said.contains("codex-cli 0.50.0; it can call Iris"), "{said}");
    assert!(said.contains("Codex does not know Iris (iris install codex)"), "{said}");
}

#[test]
fn a_login_is_looked_for_without_a_team() {
    let place = Place::empty();
    let logins = |with: &[(&str, &str)]| {
        let mut command = doctor(&place, &[]);
        command.envs(with.iter().copied());
        let said = Ran::of(command).stdout;
        let logins: Vec<&str> = said.lines().filter(|line| line.contains(" login ")).collect();
        place.redact(&logins.join("\n"))
    };
    assert_eq!(logins(&[]), "", "no program is there");
    put_claude(&place, "2.1.325");
    std::fs::write(place.path("bin/codex"), "#!/bin/sh\necho codex-cli 0.50.0\n").expect("written");
    set_mode(&place.path("bin/codex"), 0o755);
    let mut all = vec![logins(&[]), logins(&[("ANTHROPIC_API_KEY", "made-up"), ("OPENAI_API_KEY", "made-up")])];
    for file in [".claude/.credentials.json", ".codex/auth.json"] {
        let file = place.path("user").join(file);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, "not looked into").expect("written");
    }
    all.push(logins(&[]));
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn what_is_advised_can_be_run_as_it_is() {
    let place = used();
    let home = place.path("ho me");
    std::fs::rename(place.home(), &home).expect("ours");
    set_mode(&home, 0o755);
    for name in ["config.yaml.new", "token.new"] {
        let file = std::fs::File::create(home.join(name)).expect("made");
        let now = file.metadata().and_then(|found| found.modified()).expect("a time");
        file.set_modified(now - std::time::Duration::from_secs(3600)).expect("ours");
    }
    let told = Ran::of(doctor(&place, &["--home", home.to_str().expect("text")])).stdout;
    let advice = |after: &str| {
        let at = told.find(after).unwrap_or_else(|| panic!("no {after} in {told}"));
        told[at..].lines().next().expect("a line").split('`').next().expect("a command").to_owned()
    };
    for command in [advice("chmod 700 "), advice("rm ")] {
        let ended = Command::new("sh").args(["-c", &command]).env("HOME", place.path("user")).status();
        assert!(ended.expect("a shell").success(), "{command}");
    }
    assert!(mode(&home) == 0o700 && !home.join("token.new").exists() && !home.join("config.yaml.new").exists());
}

#[test]
fn a_folder_has_the_name_of_a_file() {
    let place = used();
    for name in ["token", "data/iris.db"] {
        std::fs::remove_file(place.home().join(name)).expect("ours");
        std::fs::create_dir(place.home().join(name)).expect("made");
        set_mode(&place.home().join(name), 0o755);
    }
    snapshot!(said(&place, &["token", "database"], &["--fix"]));
    assert_eq!(mode(&place.home().join("token")), 0o755, "nothing is repaired by that");
}

#[test]
fn the_token_is_empty() {
    let place = used();
    std::fs::write(place.home().join("token"), "\n").expect("written");
    let said = said(&place, &["token"], &[]);
    assert!(
        said.contains("is empty, so that no command finds its way in") && said.contains("(exit code 10)"),
        "{said}"
    );
}

#[test]
fn the_token_is_too_short() {
    let place = used();
    std::fs::write(place.home().join("token"), "fifteen-letters\n").expect("written");
    let said = said(&place, &["token"], &[]);
    assert!(said.contains("has fewer than 16 characters") && said.contains("run `rm "), "{said}");
    assert!(said.contains("(exit code 10)"), "{said}");
}

#[test]
fn the_first_start_did_not_finish_the_database() {
    let place = Place::empty();
    std::fs::create_dir_all(place.home().join("data")).expect("a folder");
    std::fs::write(place.home().join("data/iris.db"), "").expect("written");
    let said = said(&place, &["database"], &[]);
    assert!(said.contains("holds nothing yet") && !said.contains("damaged"), "{said}");
}

#[test]
fn the_folder_brings_settings_that_nobody_looked_at() {
    let place = Place::with_teams();
    std::fs::create_dir_all(place.path(".claude")).expect("a folder");
    std::fs::write(place.path(".claude/settings.json"), "{}").expect("written");
    let daemon = Daemon::on(place);
    snapshot!(said(&daemon.place, &["team"], &[]));
}

#[test]
fn a_good_config_was_spoilt_while_the_daemon_runs() {
    let daemon = Daemon::start();
    daemon.place.configure("teams: [\n");
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let said = said(&daemon.place, &["daemon"], &[]);
        if said.contains("config of before") {
            assert!(said.contains("(exit code 10)"), "{said}");
            return;
        }
        assert!(std::time::Instant::now() < until, "it is never noticed");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn time_outs_make_no_sense() {
    let place = Place::empty();
    place.configure("settings: { responseTimeout: 5s, shutdownGrace: 2m, sessionInitTimeout: 1s }\n");
    let mut command = doctor(&place, &[]);
    command.env("MCP_TOOL_TIMEOUT", "10000");
    let ran = Ran::of(command);
    assert!(ran.stdout.contains("MCP_TOOL_TIMEOUT is 10s"), "{ran:?}");
    snapshot!(said(&place, &["time-outs"], &[]));
}

#[test]
fn a_cli_starts_an_iris_that_is_gone() {
    let place = Place::empty();
    std::fs::create_dir_all(place.path("user/.codex")).expect("a folder");
    let servers = json!({ "mcpServers": { "iris": { "command": "/opt/gone/iris", "args": ["mcp"] } } });
    std::fs::write(place.path("user/.claude.json"), servers.to_string()).expect("written");
    let codex = format!("[mcp_servers.iris]\ncommand = '{}'\nargs = ['mcp']\n", env!("CARGO_BIN_EXE_iris"));
    std::fs::write(place.path("user/.codex/config.toml"), codex).expect("written");
    snapshot!(said(&place, &["install"], &[]));
}

#[test]
fn the_home_is_where_none_can_be() {
    let place = Place::empty();
    std::fs::write(place.path("home"), "a file").expect("written");
    let home = place.path("home/below");
    let home = home.to_str().expect("text");
    snapshot!(said(&place, &["home"], &["--home", home]));
    let told = place.iris(&["--home", home, "up", "--no-open"]).failed(6);
    assert!(told.contains("choose another home with --home or IRIS_HOME"), "{told}");
}

#[test]
fn a_file_was_left_half_written() {
    let place = used();
    let file = place.home().join("config.yaml.0a1b.new");
    std::fs::write(&file, "teams:\n  al").expect("written");
    assert!(!said(&place, &["files"], &[]).contains(".new"), "it may be being written just now");
    let hour_ago = std::fs::metadata(&file).and_then(|found| found.modified()).expect("a time")
        - std::time::Duration::from_secs(3600);
    std::fs::File::options().write(true).open(&file).and_then(|file| file.set_modified(hour_ago)).expect("ours");
    std::fs::remove_dir(place.home().join("logs")).expect("empty");
    snapshot!(said(&place, &["files", "home"], &[]));
    snapshot!(said(&place, &["files", "home"], &["--fix"]));
    assert!(!file.exists() && place.home().join("logs").is_dir());
}

#[test]
fn what_a_killed_daemon_left_is_ended() {
    let daemon = Daemon::start();
    daemon.iris(&["tell", "alpha", "--timeout", "-1", "deaf"]).ok();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !daemon.iris(&["events"]).stdout.contains("listening no more") {
        assert!(std::time::Instant::now() < until, "it never works");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let place = daemon.kill();
    snapshot!(said(&place, &["leftovers"], &[]));
    snapshot!(said(&place, &["leftovers"], &["--fix"]));
    assert_eq!(said(&place, &["leftovers"], &[]), "\n(exit code 0)");
}

#[test]
fn the_home_is_a_file() {
    let place = Place::empty();
    std::fs::write(place.home(), "not a folder").expect("written");
    set_mode(&place.home(), 0o644);
    let told = said(&place, &["home"], &["--fix"]);
    assert!(told.contains("home is no folder, and has to be one") && !told.contains("chmod"), "{told}");
    assert_eq!(mode(&place.home()), 0o644, "it is somebody else's");
}

#[test]
fn what_was_in_the_database_is_gone() {
    let place = used();
    std::fs::write(place.home().join("data/iris.db"), "").expect("emptied");
    let told = said(&place, &["database"], &[]);
    assert!(told.contains("what was in it is gone") && told.contains("iris restore"), "{told}");
    std::fs::remove_file(place.home().join("data/iris.db")).expect("removed");
    let told = said(&place, &["database"], &[]);
    assert!(told.contains("though a daemon ran here"), "{told}");
}
