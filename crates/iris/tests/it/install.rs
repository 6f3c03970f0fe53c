//! `iris install` where there is no agent CLI: the files, as they were and as they become. With the real CLI: tests/mcp.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::daemon::{Place, Ran, mode};

/// With a home of the user's that is empty, and no agent CLI in the PATH.
fn iris(place: &Place, words: &[&str]) -> Command {
    let mut command = place.command(words);
    std::fs::create_dir_all(place.path("user/project")).expect("a folder");
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
        command.env_remove(name);
    }
    command.env("HOME", place.path("user")).env("PATH", "/usr/bin:/bin").current_dir(place.path("user/project"));
    command
}

fn run(place: &Place, words: &[&str]) -> Ran {
    Ran::of(iris(place, words))
}

/// The copies that were made of a file.
fn copies(place: &Place) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place.path("user")).expect("a home").flatten().map(|entry| entry.path());
    entries.filter(|path| path.to_string_lossy().contains("before-iris")).collect()
}

fn entry(place: &Place) -> Value {
    let text = std::fs::read_to_string(place.path("user/.claude.json")).expect("there is one");
    serde_json::from_str::<Value>(&text).expect("JSON")["mcpServers"]["iris"].clone()
}

#[test]
fn a_file_is_made_and_a_second_time_changes_nothing() {
    let place = Place::empty();
    let done = run(&place, &["install", "--json"]).json();
    assert_eq!((&done["outcome"], done.get("backup")), (&json!("added"), None));
    let wanted = json!({
        "type": "stdio",
        "command": env!("CARGO_BIN_EXE_iris"),
        "args": ["mcp"],
        "timeout": 86_400_000,
        "env": { "IRIS_HOME": place.home() },
    });
    assert_eq!(entry(&place), wanted);
    assert_eq!(mode(&place.path("user/.claude.json")), 0o600);
    let before = std::fs::metadata(place.path("user/.claude.json")).expect("it is there").modified().expect("a time");
    assert_eq!(run(&place, &["install", "--json"]).json()["outcome"], "already");
    let after = std::fs::metadata(place.path("user/.claude.json")).expect("it is there").modified().expect("a time");
    assert_eq!((before, copies(&place).len()), (after, 0), "nothing was written");
}

#[test]
fn the_usual_home_is_not_named_and_a_moved_program_is_updated() {
    let place = Place::empty();
    let mut command = iris(&place, &["install"]);
    command.env_remove("IRIS_HOME");
    Ran::of(command).ok();
    assert_eq!(entry(&place).get("env"), None);
    let done = run(&place, &["install", "--json"]).json();
    assert_eq!((&done["outcome"], copies(&place).len()), (&json!("updated"), 1));
}

#[test]
fn what_its_user_put_into_the_entry_stays() {
    let place = Place::empty();
    let file = place.path("user/.claude.json");
    run(&place, &["install"]).ok();
    let mut theirs = entry(&place);
    theirs["timeout"] = json!(5);
    theirs["env"]["IRIS_TOKEN"] = json!("secret");
    let write = |entry: &Value| std::fs::write(&file, json!({ "mcpServers": { "iris": entry } }).to_string());
    write(&theirs).expect("written");
    assert_eq!(run(&place, &["install", "--json"]).json()["outcome"], "already");
    let mut moved = theirs.clone();
    moved["command"] = json!("/old/iris");
    write(&moved).expect("written");
    for words in [&["install", "--dry-run"][..], &["install"]] {
        let said = run(&place, words);
        let all = format!("{}{}", said.stdout, said.stderr);
        assert!(all.contains("command: \"/old/iris\" → ") && !all.contains("secret"), "{all}");
    }
    assert_eq!(entry(&place), theirs);
}

#[test]
fn what_else_is_in_the_file_stays_and_its_copy_is_named() {
    let place = Place::empty();
    let file = place.path("user/.claude.json");
    std::fs::create_dir_all(place.path("user")).expect("a home");
    let before = "{\n   \"odd\" : [1,2,  3],\n   \"mcpServers\": {\n      \"other\": { \"command\": \"x\" }\n   }\n}\n";
    std::fs::write(&file, before).expect("written");
    let said = run(&place, &["install"]).ok();
    let copy = copies(&place).pop().expect("a copy");
    assert!(said.contains(&*copy.file_name().expect("a name").to_string_lossy()), "{said}");
    assert_eq!(std::fs::read_to_string(&copy).expect("a copy"), before);
    let after = std::fs::read_to_string(&file).expect("there");
    assert!(after.starts_with("{\n   \"odd\" : [1,2,  3],\n   \"mcpServers\": {\n      \"other\""), "{after}");
    assert_eq!(run(&place, &["uninstall", "--json"]).json()["outcome"], "removed");
    assert_eq!(std::fs::read_to_string(&file).expect("there"), before);
    assert_eq!(run(&place, &["uninstall", "--json"]).json()["outcome"], "absent");
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = Place::empty();
    let said = run(&place, &["install", "--dry-run"]).ok();
    assert!(said.contains("would add iris to Claude Code: ~/.claude.json") && said.contains("\"mcp\""), "{said}");
    assert!(!place.path("user/.claude.json").exists());
    let mut command = iris(&place, &["install", "codex", "--dry-run"]);
    command.env("CODEX_HOME", place.path("codex"));
    assert!(Ran::of(command).ok().contains("tool_timeout_sec"));
    assert!(!place.path("codex").exists());
}

#[test]
fn what_cannot_be_read_is_not_touched() {
    let place = Place::empty();
    let file = place.path("user/.claude.json");
    std::fs::create_dir_all(place.path("user")).expect("a home");
    let check = |text: &str, code: i32, what: &str| {
        std::fs::write(&file, text).expect("written");
        for word in ["install", "uninstall"] {
            let said = run(&place, &[word]).failed(code);
            assert!(said.contains(what), "{said}");
            assert_eq!(std::fs::read_to_string(&file).expect("there"), text);
        }
    };
    check(
        "{\n  \"mcpServers\": {},\n}\n",
        2,
        "~/.claude.json cannot be read, so it was not touched: trailing comma at line 3",
    );
    check("{\"mcpServers\": {\"iris\": {\"url\": \"http://x\"}}}", 4, "does not start `iris mcp`");
    check(
        "{\"mcpServers\": {\"iris\": {\"url\": \"http://x\"}}}",
        4,
        "it may be Iris MCP's; if you do not need it, run `claude mcp remove --scope user iris`",
    );
    std::fs::remove_file(&file).expect("removed");
    nix::unistd::mkfifo(&file, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    assert!(run(&place, &["install"]).failed(2).contains("it is a named pipe, and has to be a file"));
    assert_eq!(copies(&place).len(), 0);
}

#[test]
fn a_project_and_codex_have_files_of_their_own() {
    let place = Place::empty();
    run(&place, &["install", "--scope", "project"]).ok();
    assert!(place.path("user/project/.mcp.json").exists());
    std::fs::create_dir_all(place.path("user/.codex")).expect("a folder");
    let file = place.path("user/.codex/config.toml");
    let before = "# mine\nmodel = 'x' # best\n";
    std::fs::write(&file, before).expect("written");
    run(&place, &["install", "codex"]).ok();
    let text = std::fs::read_to_string(&file).expect("there");
    assert!(text.starts_with(before) && text.contains("tool_timeout_sec = 86400"), "{text}");
    assert_eq!(run(&place, &["install", "codex", "--json"]).json()["outcome"], "already");
    run(&place, &["uninstall", "codex"]).ok();
    assert_eq!(std::fs::read_to_string(&file).expect("there"), before);
}

#[test]
fn a_file_that_was_made_for_it_goes_with_it() {
    let place = Place::empty();
    let file = place.path("user/project/.mcp.json");
    let (json, toml) = (["--scope", "project"], ["codex"]);
    for (words, file) in [(&json[..], &file), (&toml, &place.path("user/.codex/config.toml"))] {
        run(&place, &[&["install"], words].concat()).ok();
        assert!(file.exists());
        run(&place, &[&["uninstall"], words].concat()).ok();
        let left = std::fs::read_dir(file.parent().expect("a folder")).map_or(0, Iterator::count);
        assert_eq!(left, 0, "neither the file nor a copy of it");
    }
    // One that was there before stays, also with nothing in it.
    std::fs::write(&file, "{}\n").expect("written");
    let done = run(&place, &["install", "--scope", "project", "--json"]).json();
    run(&place, &["uninstall", "--scope", "project"]).ok();
    assert!(file.exists());
    // Its copies are not in the project, where they could be committed.
    let copy = PathBuf::from(done["backup"].as_str().expect("a copy"));
    assert!(copy.starts_with(place.home().join("backups/install")), "{}", copy.display());
    assert_eq!(std::fs::read_to_string(&copy).expect("a copy"), "{}\n");
    assert_eq!(mode(copy.parent().expect("a folder")), 0o700);
    let left: Vec<_> = std::fs::read_dir(place.path("user/project")).expect("there").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_folder_that_was_made_for_it_goes_with_it() {
    let place = Place::empty();
    let folder = place.path("user/project/.codex");
    let words = |verb| [verb, "codex", "--scope", "project"];
    run(&place, &words("install")).ok();
    run(&place, &words("uninstall")).ok();
    assert!(!folder.exists());
    run(&place, &words("install")).ok();
    std::fs::write(folder.join("mine"), "").expect("written");
    run(&place, &words("uninstall")).ok();
    assert!(folder.join("mine").exists() && !folder.join("config.toml").exists());
    // So does that of all projects; one that its user chose stays.
    run(&place, &["install", "codex"]).ok();
    assert!(place.path("user/.codex/config.toml").exists());
    run(&place, &["uninstall", "codex"]).ok();
    assert!(!place.path("user/.codex").exists());
    std::fs::create_dir(place.path("chosen")).expect("a folder");
    for word in ["install", "uninstall"] {
        let mut command = iris(&place, &[word, "codex"]);
        Ran::of({
            command.env("CODEX_HOME", place.path("chosen"));
            command
        })
        .ok();
    }
    assert_eq!(std::fs::read_dir(place.path("chosen")).expect("it is there").count(), 0);
    // As does one that is kept elsewhere and linked to.
    std::os::unix::fs::symlink(place.path("chosen"), place.path("user/.codex")).expect("linked");
    run(&place, &["install", "codex"]).ok();
    run(&place, &["uninstall", "codex"]).ok();
    assert!(place.path("user/.codex").is_dir());
}

#[test]
fn nothing_is_left_where_there_is_no_room() {
    let place = Place::empty();
    for (agent, file) in [("claude", ".claude.json"), ("codex", "config.toml")] {
        let usual = iris(&place, &["install", agent]);
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"]).arg(usual.get_program());
        command.args(usual.get_args()).current_dir(usual.get_current_dir().expect("a folder"));
        command.envs(usual.get_envs().filter_map(|(key, value)| Some((key, value?))));
        let told = Ran::of(command).failed(6);
        assert!(told.contains(&format!("{file} cannot be written")), "{told}");
        let left = std::fs::read_dir(place.path("user")).expect("a home").flatten().map(|entry| entry.file_name());
        assert_eq!(left.collect::<Vec<_>>(), ["project"]);
    }
}

#[test]
fn a_program_by_another_name_is_taken_out_by_itself() {
    let place = Place::empty();
    std::fs::create_dir_all(place.path("user")).expect("a home");
    let other = place.path("my-agents");
    std::fs::copy(env!("CARGO_BIN_EXE_iris"), &other).expect("copied");
    let by_it = |words: &[&str]| {
        let mut command = std::process::Command::new(&other);
        let usual = iris(&place, words);
        command.args(usual.get_args()).current_dir(usual.get_current_dir().expect("a folder"));
        command.envs(usual.get_envs().filter_map(|(key, value)| Some((key, value?))));
        Ran::of(command)
    };
    by_it(&["install"]).ok();
    assert_eq!(entry(&place)["command"], json!(other));
    assert!(by_it(&["uninstall"]).ok().contains("took iris out of"));
}

#[test]
fn a_linked_file_is_changed_where_it_is() {
    let place = Place::empty();
    std::fs::create_dir_all(place.path("user")).expect("a home");
    std::fs::write(place.path("kept.json"), "{}").expect("written");
    std::os::unix::fs::symlink(place.path("kept.json"), place.path("user/.claude.json")).expect("linked");
    run(&place, &["install"]).ok();
    assert!(place.path("user/.claude.json").is_symlink(), "the link stays");
    assert_eq!(entry(&place)["args"], json!(["mcp"]));
}

#[test]
fn a_link_that_leads_to_nothing_yet_is_not_replaced() {
    let place = Place::empty();
    let project = place.path("user/project");
    std::fs::create_dir_all(&project).expect("a folder");
    let link = project.join(".mcp.json");
    std::os::unix::fs::symlink("../kept/mcp.json", &link).expect("linked");
    let told = run(&place, &["install", "--scope", "project"]).failed(2);
    assert!(told.contains(".mcp.json is a link to") && told.contains("../kept/mcp.json"), "{told}");
    assert!(link.is_symlink(), "it was left alone");
    std::fs::create_dir(place.path("user/kept")).expect("a folder");
    run(&place, &["install", "--scope", "project"]).ok();
    assert!(link.is_symlink() && place.path("user/kept/mcp.json").is_file());
}

#[test]
fn an_old_copy_does_not_keep_a_file_that_was_made_for_it() {
    let place = Place::empty();
    let file = place.path("user/project/.mcp.json");
    let words = |verb| [verb, "--scope", "project"];
    std::fs::create_dir_all(place.path("user/project")).expect("a folder");
    std::fs::write(&file, "{ \"mcpServers\": { \"x\": { \"command\": \"y\" } } }").expect("written");
    run(&place, &words("install")).ok();
    std::fs::remove_file(&file).expect("it is there");
    run(&place, &words("install")).ok();
    // It is there to be shared.
    std::fs::write(place.path("usual"), "").expect("written");
    assert_eq!(mode(&file), mode(&place.path("usual")));
    run(&place, &words("uninstall")).ok();
    assert!(!file.exists());
}

/// The CLI keeps of a project's file nothing but the servers, so it is not asked to write it.
#[test]
fn whatever_else_is_in_a_projects_file_stays() {
    let place = Place::empty();
    let bin = place.path("bin");
    std::fs::create_dir_all(&bin).expect("a folder");
    std::fs::write(bin.join("claude"), "#!/bin/sh\necho '{\"mcpServers\":{}}' > .mcp.json\n").expect("written");
    let mut private = std::fs::metadata(bin.join("claude")).expect("it is there").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut private, 0o755);
    std::fs::set_permissions(bin.join("claude"), private).expect("ours");
    let file = place.path("user/project/.mcp.json");
    let mut command = iris(&place, &["install", "--scope", "project", "--json"]);
    std::fs::write(&file, "{\n  \"note\": \"ours\",\n  \"mcpServers\": { \"x\": { \"command\": \"y\" } }\n}\n")
        .expect("written");
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
    assert_eq!(Ran::of(command).json()["outcome"], "added");
    let now: Value = serde_json::from_str(&std::fs::read_to_string(&file).expect("there")).expect("JSON");
    assert_eq!((&now["note"], &now["mcpServers"]["x"]["command"]), (&json!("ours"), &json!("y")), "{now}");
    assert!(now["mcpServers"]["iris"].is_object(), "{now}");
}
