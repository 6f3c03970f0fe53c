//! `iris teams add`, `remove` and `import`: what becomes of config.yaml, and what is said.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::daemon::{Daemon, Place, Ran, mode};

fn project(place: &Place, name: &str) -> String {
    let folder = place.path(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder.to_str().expect("text").to_owned()
}

fn config(place: &Place) -> String {
    fs::read_to_string(place.home().join("config.yaml")).expect("a config")
}

#[test]
fn the_first_command_of_all_may_be_the_one_that_adds_a_team() {
    let place = Place::empty();
    let ran = place.iris(&["teams", "add", &project(&place, "shop")]);
    assert!(ran.stderr.contains("start it: iris up"), "{ran:?}");
    assert!(ran.ok().contains("shop is a team"));
    assert!(config(&place).contains("\n  shop:\n"), "{}", config(&place));
    assert_eq!((mode(&place.home()), mode(&place.home().join("config.yaml"))), (0o700, 0o600));
}

#[test]
fn what_a_folder_brings_along_is_named_until_it_is_trusted() {
    let place = Place::with_teams();
    let (shop, bare) = (project(&place, "shop"), project(&place, "bare"));
    let ran = place.iris(&["teams", "add", &bare]);
    assert!(!ran.stderr.contains("trust"), "{ran:?}");
    for name in ["CLAUDE.md", ".mcp.json"] {
        fs::write(place.path("shop").join(name), "{}").expect("written");
    }
    let told = ".mcp.json and CLAUDE.md in it take no effect until you trust them: iris trust";
    let ran = place.iris(&["teams", "add", &shop]);
    assert!(ran.stderr.contains(&format!("{told} shop")), "{ran:?}");
    let daemon = Daemon::on(place);
    let ran = daemon.iris(&["teams", "add", &shop, "--name", "second"]);
    assert!(ran.stderr.contains(&format!("{told} second")), "{ran:?}");
    let added = daemon.iris(&["teams", "add", &shop, "--name", "third", "--json"]).json();
    assert_eq!(added["untrusted"], serde_json::json!([".mcp.json", "CLAUDE.md"]), "{added}");
    daemon.iris(&["trust", "second", "--yes"]).ok();
    let ran = daemon.iris(&["teams", "add", &shop, "--name", "fourth"]);
    assert!(!ran.stderr.contains("trust"), "trust is in the folder: {ran:?}");
}

/// Its agent starts without all of them.
#[test]
fn what_a_folder_brings_along_and_cannot_be_read_is_named() {
    let place = Place::with_teams();
    let pipe = |name: &str| {
        nix::unistd::mkfifo(&place.path(name), nix::sys::stat::Mode::S_IRUSR).expect("a pipe");
    };
    let (gone, waiting, git) = (project(&place, "gone"), project(&place, "waiting"), project(&place, "git"));
    std::os::unix::fs::symlink("nowhere", place.path("gone/CLAUDE.md")).expect("linked");
    pipe("waiting/CLAUDE.md");
    pipe("git/.git");
    let told = place.iris(&["teams", "add", &gone]).stderr;
    assert!(told.contains("gone/CLAUDE.md is a link, and not to a file in the folder"), "{told}");
    assert!(told.contains("until that is put right, none of them takes effect"), "{told}");
    let added = place.iris(&["teams", "add", &waiting, "--json"]).json();
    assert!(added["unreadable"].as_str().is_some_and(|why| why.contains("waiting/CLAUDE.md is not a file")), "{added}");
    place.iris(&["teams", "add", &git]).ok();
    let daemon = Daemon::on(place);
    let told = daemon.iris(&["teams", "add", &waiting, "--name", "second"]).stderr;
    assert!(told.contains("waiting/CLAUDE.md is not a file"), "{told}");
}

#[test]
fn teams_that_are_added_at_the_same_time_are_all_there() {
    const COMMENT: &str = "# mine, and it stays";
    let place = Place::empty();
    place.configure(&format!("{COMMENT}\nteams:\n  # the first\n  first: {{ path: /srv/first }}\n"));
    let names: Vec<String> = (1..=12).map(|number| format!("team-{number}")).collect();
    let adding: Vec<_> = names
        .iter()
        .map(|name| {
            let mut command = place.command(&["teams", "add", &project(&place, name)]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("iris runs")
        })
        .collect();
    for child in adding {
        let ended = child.wait_with_output().expect("it ends");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    let found = config(&place);
    for name in &names {
        assert!(found.contains(&format!("\n  {name}:\n")), "{name} is not in\n{found}");
    }
    assert!(
        found.starts_with(&format!("{COMMENT}\nteams:\n  # the first\n  first: {{ path: /srv/first }}\n")),
        "{found}"
    );
    place.iris(&["config", "check"]).ok();
    let left: Vec<_> = fs::read_dir(place.home()).expect("a home").flatten().map(|entry| entry.file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().ends_with(".new")), "{left:?}");
}

#[test]
fn a_config_that_somebody_else_is_changing_is_waited_for_and_not_for_ever() {
    let place = Place::empty();
    place.configure("teams: {}\n");
    let held = iris_engine::home::Home::prepare(&place.home()).and_then(|home| home.lock_config()).expect("the lock");
    let said = place.iris(&["teams", "add", &project(&place, "shop")]).failed(4);
    assert!(said.contains("another command has been changing"), "{said}");
    assert_eq!(config(&place), "teams: {}\n");
    drop(held);
    place.iris(&["teams", "add", &project(&place, "shop")]).ok();
}

/// As people have it, with what there is here and what is not.
const THEIRS: &str = r#"settings:
  sessionInitTimeout: ${NO_SUCH_TIMEOUT:-31000}
  spawnTimeout: 20000
  idleTimeout: 3600000
  maxProcesses: 7
  httpPort: 1615
dashboard: { enabled: true }
teams:
  near:
    path: ${PROJECTS}/near
    description: "it's near"
    allowedTools: "Read,Bash(git log:*, git diff:*),Edit"
    claudePath: ~/bin/claude
    sessionMcpEnabled: true
    env: { KEY: "${SECRET_KEY}", MODE: "${MODE:-fast}" }
  home: { path: ~/here, skipPermissions: true }
  beside: { path: ./beside }
  far: { path: /srv/far, remote: ssh far.example, claudePath: claude, skipPermissions: true }
"#;

fn import(place: &Place, file: &Path) -> Ran {
    let mut command = place.command(&["teams", "import", file.to_str().expect("text")]);
    command.env("PROJECTS", "/srv/projects").env("HOME", "/home/her").env("SECRET_KEY", "hush");
    Ran::of(command)
}

#[test]
fn the_teams_of_an_iris_mcp_are_taken_over() {
    let place = Place::empty();
    place.configure("settings:\n  idleTimeout: 5m # mine\nteams: {}\n");
    let file = place.path("theirs.yaml");
    fs::write(&file, THEIRS).expect("written");
    let ran = import(&place, &file);
    let left_out = "left out, because Iris has no such key or sets it elsewhere: \
                    teams.near.sessionMcpEnabled, settings.spawnTimeout, dashboard";
    assert!(ran.stderr.contains(left_out), "{ran:?}");
    assert!(ran.stderr.contains("because Iris runs teams on this machine only: far"), "{ran:?}");
    let filled_in =
        "variables were replaced by the value that they have now: teams.near.path, settings.sessionInitTimeout\n";
    assert!(ran.stderr.contains(filled_in), "{ran:?}");
    ran.ok();
    let beside = place.path("beside");
    let expected = format!(
        "settings:
  idleTimeout: 5m # mine
  port: 1615
  maxProcesses: 7
  sessionInitTimeout: 31000
teams:
  near:
    path: /srv/projects/near
    allowedTools: [\"Read\",\"Bash(git log:*, git diff:*)\",\"Edit\"]
    command: /home/her/bin/claude
    description: \"it's near\"
    env: {{\"KEY\":\"${{SECRET_KEY}}\",\"MODE\":\"${{MODE:-fast}}\"}}
  home:
    path: /home/her/here
    skipPermissions: true
  beside:
    path: {}
",
        beside.display()
    );
    assert_eq!(config(&place), expected);
}

/// It may come to be a folder, so the config is taken up; who tells it something hears what is wrong.
#[test]
fn a_path_that_is_a_file_is_said_to_be_one() {
    let place = Place::empty();
    let file = place.path("file");
    fs::create_dir_all(place.path("")).and_then(|()| fs::write(&file, "")).expect("written");
    let told = place.iris(&["teams", "add", file.to_str().expect("text")]).failed(3);
    assert!(told.contains("file is not a folder"), "{told}");
    place.configure(&format!("teams:\n  a: {{ path: {}, agent: scripted, script: /x.yaml }}\n", file.display()));
    let daemon = Daemon::on(place);
    let told = daemon.iris(&["tell", "a", "hello"]);
    assert!(told.stderr.contains("file is not a folder"), "{told:?}");
    let found = daemon.iris(&["doctor"]);
    assert!(found.stdout.contains("a: ") && found.stdout.contains("file is not a folder"), "{found:?}");
}

#[test]
fn an_import_is_whole_or_not_at_all() {
    let place = Place::empty();
    place.configure("teams: {}\n");
    let file = place.path("theirs.yaml");
    fs::write(&file, "teams:\n  a: { path: /a }\n  b:\n    path: /b\n    idleTimeout: soon\n").expect("written");
    let told = import(&place, &file).failed(2);
    assert!(told.contains("theirs.yaml:5:18: teams.b.idleTimeout: 'soon' is not a duration"), "{told}");
    fs::write(&file, "teams:\n  a: { path: /a }\n  b:\n    path: /b\n    color: blurple\n").expect("written");
    let told = import(&place, &file).failed(2);
    assert!(told.contains("theirs.yaml:5:12: teams.b.color: 'blurple' is no colour"), "{told}");
    fs::write(&file, "teams:\n  a: { path: /a }\n  b:\n    path: theirs.yaml\n").expect("written");
    let told = import(&place, &file).failed(2);
    assert!(
        told.contains("theirs.yaml:4:11: teams.b.path: ") && told.contains("theirs.yaml is not a folder"),
        "{told}"
    );
    assert_eq!(config(&place), "teams: {}\n");
}

#[test]
fn a_config_of_iris_mcp_where_ours_has_to_be_shows_the_way_out() {
    let place = Place::empty();
    place.configure(THEIRS);
    let file = place.home().join("config.yaml");
    let mut check = place.command(&["config", "check"]);
    check.env("PROJECTS", "/srv/projects").env("SECRET_KEY", "hush");
    let told = Ran::of(check).failed(2);
    assert!(told.contains(&format!("take its teams over: `iris teams import {}`", file.display())), "{told}");
    let ran = import(&place, &file);
    assert!(ran.stderr.contains("config.yaml.before-import"), "{ran:?}");
    ran.ok();
    assert_eq!(fs::read_to_string(place.home().join("config.yaml.before-import")).expect("kept"), THEIRS);
    let config = config(&place);
    assert!(config.contains("\n  near:\n    path: /srv/projects/near\n") && config.contains("\n  maxProcesses: 7\n"));
    let mut check = place.command(&["config", "check"]);
    check.env("SECRET_KEY", "hush");
    Ran::of(check).ok();
    assert!(import(&place, &file).failed(2).contains("is the config of this Iris already"));
}

/// As their program makes it: there is nobody in it yet.
#[test]
fn a_config_of_iris_mcp_without_a_team_is_taken_over_too() {
    for teams in ["teams:\n", "teams: {}\n", ""] {
        let place = Place::empty();
        place.configure(&format!("settings:\n  httpPort: 1700\n  defaultTransport: http\n  maxProcesses: 7\n{teams}"));
        let file = place.home().join("config.yaml");
        let ran = import(&place, &file);
        assert!(ran.stderr.contains("settings.defaultTransport"), "{ran:?}");
        assert!(ran.ok().contains("added: settings.port, settings.maxProcesses"));
        let config = config(&place);
        assert!(config.contains("\n  port: 1700\n") && config.contains("\n  maxProcesses: 7\n"), "{config}");
        place.iris(&["config", "check"]).ok();
    }
    let place = Place::empty();
    let file = place.path("theirs.yaml");
    fs::write(&file, "settings: { httpPort: 1700 }\nteams: [a]\n").expect("written");
    assert!(import(&place, &file).failed(2).contains("theirs.yaml:2:8: teams: must be teams by their names"));
}

#[test]
fn a_kind_that_does_not_run_is_no_team() {
    let place = Place::empty();
    let folder = project(&place, "shop");
    let told = place.iris(&["teams", "add", &folder, "--agent", "codex"]).failed(7);
    assert!(told.contains("agents of kind 'codex' are not built") && told.contains("claude and scripted"), "{told}");
    let told = place.iris(&["teams", "add", &folder, "--script", "/s.yaml"]).failed(2);
    assert!(told.contains("--script is for a scripted agent"), "{told}");
    let none = place.path("none.yaml").display().to_string();
    let told = place.iris(&["teams", "add", &folder, "--agent", "scripted", "--script", &none]).failed(2);
    assert!(told.contains("cannot read the script") && told.contains("none.yaml"), "{told}");
    assert!(place.iris(&["teams", "add", &folder, "--agent", "clod"]).failed(2).contains("is no kind of agent"));
    assert!(!place.home().join("config.yaml").exists());
}

#[test]
fn whatever_a_folder_is_called_and_wherever_the_config_is() {
    let place = Place::empty();
    fs::create_dir_all(place.home()).expect("a home");
    let real = place.path("dotfiles.yaml");
    fs::write(&real, "teams: # mine\n").expect("written");
    std::os::unix::fs::symlink(&real, place.home().join("config.yaml")).expect("a link");
    for (folder, name) in
        [("null", "null"), ("12", "12"), ("a${HOME}b", "a--home-b"), ("it's # me: {x}", "it-s---me---x-")]
    {
        place.iris(&["teams", "add", &project(&place, folder)]).ok();
        let shown = place.iris(&["config", "show", "--json"]).json();
        assert_eq!(shown["config"]["teams"][name]["path"], place.path(folder).display().to_string(), "{shown}");
    }
    for name in ["null", "12", "a--home-b", "it-s---me---x-"] {
        place.iris(&["teams", "remove", name]).ok();
    }
    assert!(place.home().join("config.yaml").is_symlink(), "a link stays one");
    assert_eq!(fs::read_to_string(&real).expect("readable"), "teams: {} # mine\n");
}

#[test]
fn every_way_to_say_who_grants_permission_is_taken_over() {
    let place = Place::empty();
    place.configure("teams: {}\n");
    let file = place.path("theirs.yaml");
    let ways = ["yes", "no", "ask", "forward", "true", "false", "'yes'", "\"no\""];
    let theirs: String = ways
        .iter()
        .enumerate()
        .map(|(at, way)| {
            format!("  t{at}: {{ path: /a/b/../c, skipPermissions: yes, env: {{ DEBUG: yes, N: 1 }}, grantPermission: {way} }}\n")
        })
        .collect();
    fs::write(&file, format!("teams:\n{theirs}")).expect("written");
    import(&place, &file).ok();
    let teams = place.iris(&["config", "show", "--json"]).json()["config"]["teams"].take();
    for (at, expected) in ["yes", "no", "ask", "forward", "yes", "no", "yes", "no"].into_iter().enumerate() {
        let team = &teams[format!("t{at}")];
        assert_eq!((&team["grantPermission"], &team["path"]), (&expected.into(), &"/a/c".into()), "{}", ways[at]);
    }
    let config = config(&place);
    assert!(config.contains("\"DEBUG\":\"yes\"") && !config.contains("skipPermissions"), "{config}");
    fs::write(&file, "teams:\n  x: { path: /a, grantPermission: maybe }\n").expect("written");
    let told = import(&place, &file).failed(2);
    assert!(told.contains("theirs.yaml:2:35: teams.x.grantPermission: `maybe` is no value here; there are"), "{told}");
    fs::write(&file, "teams:\n  x: { path: /a, grantPermission: [yes] }\n").expect("written");
    let told = import(&place, &file).failed(2);
    assert!(told.contains("teams.x.grantPermission: must be") && !told.contains("invalid type"), "{told}");
}

#[test]
fn the_names_of_other_parties_are_no_teams() {
    let place = Place::empty();
    place.configure("teams: {}\n");
    for words in [&["--name", "outside"][..], &[]] {
        let told = place.iris(&[&["teams", "add", &project(&place, "user")], words].concat()).failed(2);
        assert!(told.contains("so no team can have it") && told.contains("choose another with --name"), "{told}");
    }
    let file = place.path("theirs.yaml");
    fs::write(&file, "teams:\n  user: { path: /x }\n").expect("written");
    assert!(import(&place, &file).failed(2).contains("teams.user: 'user' is the name of the person at Iris"));
    assert_eq!(config(&place), "teams: {}\n");
    place.configure("teams:\n  user: { path: /x }\n");
    let told = place.iris(&["config", "check"]).failed(2);
    assert!(told.contains("config.yaml:2:3: teams.user") && told.contains("change the name in that line"), "{told}");
}

#[test]
fn a_folder_becomes_a_second_team_only_by_a_name() {
    let place = Place::empty();
    place.configure("# nothing yet\n");
    let (shop, other) = (project(&place, "shop"), project(&place, "other/shop"));
    place.iris(&["teams", "add", &shop]).ok();
    let before = config(&place);
    for words in [&[][..], &["--name", "shop"]] {
        let said = place.iris(&[&["teams", "add", &shop], words].concat()).ok();
        assert!(said.contains("is the team shop already; nothing was changed"), "{said}");
    }
    assert_eq!(place.iris(&["teams", "add", &shop, "--json"]).json()["alreadyThere"], true);
    assert_eq!(config(&place), before);
    let told = place.iris(&["teams", "add", &other]).failed(4);
    assert!(told.contains(&format!("there is a team 'shop' already, in {shop}")), "{told}");
    let ran = place.iris(&["teams", "add", &shop, "--name", "second"]);
    assert!(ran.stderr.contains("the same folder is also the team shop"), "{ran:?}");
    ran.ok();
    let told = place.iris(&["teams", "remove", "nope"]).failed(3);
    assert!(told.contains("known teams: second, shop"), "{told}");
}

/// Whatever form a config has, it keeps, and so does the file.
#[test]
fn a_config_in_braces_and_one_with_a_mark_are_changed_as_they_are() {
    use std::os::unix::fs::PermissionsExt;
    for before in [
        "{\n  \"teams\": {\n    \"a\": { \"path\": \"/a\" }\n  }\n}\n",
        "teams: { a: { path: /a } } # mine\n",
        "\u{feff}\"teams\": # mine\n  a: { path: /a }\n",
    ] {
        let place = Place::empty();
        place.configure(before);
        let file = place.home().join("config.yaml");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("a mode");
        place.iris(&["teams", "add", &project(&place, "shop")]).ok();
        let shown = place.iris(&["config", "show", "--json"]).json();
        assert_eq!(shown["config"]["teams"]["shop"]["path"], place.path("shop").display().to_string(), "{before}");
        assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o640, "{before}");
        place.iris(&["teams", "remove", "shop"]).ok();
        assert_eq!(config(&place), before);
    }
}

/// No place in a text that only Iris has seen is told, nor a form that the file does not have.
const THEIR_JSON: &str = r#"// Iris MCP
{
  /* how
     long */
  "settings": {
    "idleTimeout": 3600000, // an hour
    "agent": { "completionAnalysis": { "enabled": false, "minConfidence": 0.5, "odd": 1 }, "other": 1 }
  },
  "teams": { "near": { "path": "/srv/near", "description": "http://x // no comment" } }
}
"#;

#[test]
fn their_json_may_have_comments_and_what_is_known_of_its_settings_is_taken() {
    let place = Place::empty();
    place.configure("teams: {}\n");
    let file = place.path("theirs.json");
    fs::write(&file, THEIR_JSON).expect("written");
    let file = file.to_str().expect("text");
    let ran = place.iris(&["teams", "import", file, "--dry-run"]);
    assert!(ran.stderr.contains("nothing was written"), "{ran:?}");
    assert!(ran.ok().starts_with("would be added: near, settings.agent, settings.idleTimeout"));
    assert_eq!(config(&place), "teams: {}\n");
    let ran = place.iris(&["teams", "import", file, "--json"]);
    assert_eq!(ran.stderr, "");
    let told = ran.json();
    let left_out = serde_json::json!(["settings.agent.completionAnalysis.odd", "settings.agent.other"]);
    assert_eq!((&told["leftOut"], &told["dryRun"]), (&left_out, &serde_json::json!(false)), "{told}");
    let shown = &place.iris(&["config", "show", "--json"]).json()["config"];
    assert_eq!(shown["teams"]["near"]["description"], "http://x // no comment");
    let analysis = &shown["settings"]["agent"]["completionAnalysis"];
    assert_eq!((&analysis["enabled"], &analysis["minConfidence"]), (&false.into(), &0.5.into()), "{shown}");
}

#[test]
fn what_is_no_config_of_theirs_is_refused_and_nothing_is_written() {
    let place = Place::empty();
    for text in ["root:x:0:0:root:/root:/bin/sh\nbin:x:1:1::/:/bin/no\n", "one line of text\n", "[]\n", "{}\n", ""] {
        let file = place.path("theirs");
        fs::write(&file, text).expect("written");
        place.iris(&["teams", "import", file.to_str().expect("text")]).failed(2);
        assert!(!place.home().exists(), "{text}");
    }
}

#[test]
fn for_a_script_a_team_is_added_without_remarks() {
    let place = Place::empty();
    for _ in 0..2 {
        assert_eq!(place.iris(&["teams", "add", &project(&place, "shop"), "--json"]).stderr, "");
    }
}

#[test]
fn what_cannot_be_changed_is_named_where_it_is() {
    let place = Place::empty();
    let folder = project(&place, "shop");
    for (text, expected) in [
        ("teams: &all\n  a: { path: /a }\n", "config.yaml, line 1: `teams` has an anchor (&), which cannot be changed"),
        ("teams: !!map\n  a: { path: /a }\n", "take the word behind `teams:` out"),
        (
            "settings: {}\n? teams\n: a: { path: /a }\n",
            "config.yaml:2:3: `teams` is written in a way that cannot be changed safely",
        ),
    ] {
        place.configure(text);
        let told = place.iris(&["teams", "add", &folder]).failed(2);
        assert!(told.contains(expected), "{told}");
        assert_eq!(config(&place), text);
    }
}

#[test]
fn a_whole_home_is_a_team_only_if_it_is_meant() {
    let place = Place::empty();
    let folder = project(&place, "her");
    let add = |words: &[&str]| {
        let mut command = place.command(&[&["teams", "add", &folder], words].concat());
        command.env("HOME", &folder);
        Ran::of(command)
    };
    assert!(add(&[]).failed(2).contains("is no project: an agent there would work on everything of yours"));
    assert!(add(&["--name", "all"]).ok().contains("all is a team"));
}
