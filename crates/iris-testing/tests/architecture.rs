//! The arrows of ARCHITECTURE.md, kept by a test: which crate may depend on which, what iris-core may use, which file
//! names say nothing, and that what an agent writes is read in the folder of its kind. Reads the manifests through `cargo metadata`; builds nothing.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Each crate, and the crates of ours that it may depend on. Dev-dependencies are free.
const ARROWS: &[(&str, &[&str])] = &[
    ("iris-core", &[]),
    ("iris-store", &["iris-core"]),
    ("iris-agents", &["iris-core"]),
    ("iris-api", &[]),
    ("iris-engine", &["iris-core", "iris-store", "iris-agents"]),
    ("iris-server", &["iris-api", "iris-engine", "iris-core"]),
    // The binary is also the scripted agent, which lives in iris-agents.
    ("iris", &["iris-api", "iris-server", "iris-engine", "iris-core", "iris-agents"]),
    // Never part of a program: it may use everything, nothing may use it.
    ("iris-testing", &["iris-core", "iris-store", "iris-agents", "iris-api", "iris-engine", "iris-server"]),
    // Built before everything else, so it waits for nothing of ours.
    ("xtask", &[]),
];

/// What iris-core may use from outside: pure computation. No runtime, database, clock, network or environment.
const PURE: &[&str] = &[
    "aho-corasick",
    "jsonc-parser",
    "memchr",
    "petgraph",
    "regex",
    "schemars",
    "serde",
    "serde_json",
    "sha2",
    "shlex",
    "thiserror",
];

/// File names that fit any content, and so attract it.
const EMPTY_NAMES: &[&str] =
    &["common.rs", "helper.rs", "helpers.rs", "imp.rs", "manager.rs", "types.rs", "util.rs", "utils.rs"];

/// What only the folder of an agent's kind knows: names of its tools, and fields of its lines. A message says the same in
/// words that hold for every kind (`iris-core/src/call.rs`); its `data` is for others.
const AGENTS_WORDS: &[&str] = &[
    "tool_use_id",
    "old_string",
    "new_string",
    "file_path",
    "subagent_type",
    "mcp__",
    "ExitPlanMode",
    "AskUserQuestion",
    "TodoWrite",
    "MultiEdit",
    "\"Bash\"",
    "[\"subtype\"]",
    "?.subtype",
    "[\"message\"][\"content\"]",
    "message?.content",
    "said.data",
    "message.data",
    "[\"data\"]",
];

#[test]
fn crates_depend_along_the_arrows() {
    assert_none(find_broken_arrows(&load_packages()));
}

#[test]
fn core_stays_pure() {
    assert_none(find_impure_dependencies(&load_packages()));
}

#[test]
fn file_names_say_what_is_inside() {
    let files = list_source_files();
    assert!(files.len() > ARROWS.len(), "found only {} source files", files.len());
    assert_none(find_empty_names(&files));
}

#[test]
fn what_an_agent_writes_is_read_in_its_folder_alone() {
    let files = list_outside_files();
    assert!(files.iter().any(|file| file.ends_with("session/fold.ts")), "the dashboard is among {} files", files.len());
    let read =
        |file: &PathBuf| std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    assert_none(files.iter().flat_map(|file| find_agents_words(file, &read(file))).collect());
}

#[test]
fn a_broken_arrow_is_found() {
    check_arrow("iris-core", "iris-store", Verdict::Broken);
    check_arrow("iris-api", "iris-core", Verdict::Broken);
    check_arrow("iris-store", "iris-agents", Verdict::Broken);
    check_arrow("iris-engine", "iris-server", Verdict::Broken);
    check_arrow("iris-server", "iris-store", Verdict::Broken);
    check_arrow("iris", "iris-store", Verdict::Broken);
    check_arrow("iris-engine", "iris-testing", Verdict::Broken);
    check_arrow("iris-engine", "iris-store", Verdict::Fine);
    check_arrow("iris-engine", "tokio", Verdict::Fine);
}

#[test]
fn a_crate_without_a_place_is_found() {
    let found = find_broken_arrows(&[package("iris-new", &[])]);
    assert!(found.concat().contains("iris-new has no place"), "{found:?}");
}

#[test]
fn an_impure_core_is_found() {
    for name in ["tokio", "rusqlite", "postgres", "jiff", "uuid", "reqwest"] {
        let found = find_impure_dependencies(&[package("iris-core", &["serde", name])]);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
    }
}

#[test]
fn an_empty_name_is_found() {
    let files = ["src/utils.rs", "src/turn/mod.rs", "src/turn.rs"].map(PathBuf::from);
    assert_eq!(find_empty_names(&files).len(), 2);
}

#[test]
fn an_agents_word_is_found() {
    let check =
        |text: &str, expected: usize| assert_eq!(find_agents_words(Path::new("a.rs"), text).len(), expected, "{text}");
    check(r#"let id = &part["tool_use_id"];"#, 1);
    check("const name = input.file_path ?? input.old_string;", 2);
    check("// as `mcp__iris__team_tell`\nfn main() {}", 0);
    check("fn main() {}\n#[cfg(test)]\nmod tests { const TOOL: &str = \"Bash\"; }", 0);
    check(r#"json!({"type": "tool_use"})"#, 0);
}

#[derive(PartialEq, Eq, Debug)]
enum Verdict {
    Fine,
    Broken,
}

fn check_arrow(from: &str, to: &str, expected: Verdict) {
    let found = find_broken_arrows(&[package(from, &[to])]);
    let verdict = if found.is_empty() { Verdict::Fine } else { Verdict::Broken };
    assert_eq!(verdict, expected, "{from} -> {to}: {found:?}");
}

fn assert_none(problems: Vec<String>) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

fn find_broken_arrows(packages: &[Package]) -> Vec<String> {
    let mut found = Vec::new();
    for package in packages {
        let name = &package.name;
        let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| known == name) else {
            found.push(format!("{name} has no place in the arrows: give it one here and in ARCHITECTURE.md"));
            continue;
        };
        let ours = package.dependencies.iter().filter(|dependency| is_ours(dependency));
        for to in ours.filter(|dependency| !allowed.contains(&dependency.as_str())) {
            found.push(format!("{name} must not depend on {to}: {name} -> {to} is no arrow of ARCHITECTURE.md"));
        }
    }
    found
}

fn find_impure_dependencies(packages: &[Package]) -> Vec<String> {
    let core = packages.iter().find(|package| package.name == "iris-core").expect("iris-core is a crate of ours");
    let impure = core.dependencies.iter().filter(|name| !is_ours(name) && !PURE.contains(&name.as_str()));
    impure
        .map(|name| {
            format!(
                "iris-core must not depend on {name}: the rules are pure (ARCHITECTURE.md); let a layer above do it, \
                 or add it to PURE here if it only computes"
            )
        })
        .collect()
}

fn find_empty_names(files: &[PathBuf]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if EMPTY_NAMES.contains(&name) {
            found.push(format!("{}: name the file after the one thing it is about (STYLE.md)", file.display()));
        }
        if name == "mod.rs" {
            found.push(format!("{}: the module goes into `<folder>.rs` beside its folder (STYLE.md)", file.display()));
        }
    }
    found
}

/// Comments may name what they like, and so may tests.
fn find_agents_words(file: &Path, text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().map(str::trim_start).filter(|line| !line.starts_with("//") && !line.starts_with("* "));
    let found = lines.flat_map(|line| AGENTS_WORDS.iter().filter(move |word| line.contains(**word)));
    found
        .map(|word| {
            format!(
                "{}: `{word}` is a word of one kind of agent; let iris-agents say it in a field of the message",
                file.display()
            )
        })
        .collect()
}

fn is_ours(name: &str) -> bool {
    ARROWS.iter().any(|(known, _)| *known == name)
}

/// A crate of the workspace and what it needs to be built; what only its tests need is left out.
struct Package {
    name: String,
    dependencies: BTreeSet<String>,
}

fn package(name: &str, dependencies: &[&str]) -> Package {
    Package { name: name.to_owned(), dependencies: dependencies.iter().map(|&name| name.to_owned()).collect() }
}

fn load_packages() -> Vec<Package> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(repository())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    let packages = metadata["packages"].as_array().expect("metadata lists packages");
    let packages: Vec<Package> = packages.iter().map(read_package).collect();
    for (name, _) in ARROWS {
        assert!(packages.iter().any(|package| package.name == *name), "there is no crate {name} any more");
    }
    packages
}

fn read_package(package: &Value) -> Package {
    let dependencies = package["dependencies"].as_array().expect("a package lists its dependencies");
    Package {
        name: text(&package["name"]),
        dependencies: dependencies
            .iter()
            .filter(|dependency| dependency["kind"] != "dev")
            .map(|dependency| text(&dependency["name"]))
            .collect(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a name is a string").to_owned()
}

fn list_source_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in ["crates", "xtask"] {
        collect_files(&repository().join(folder), &["rs"], &mut files);
    }
    files
}

/// The code that knows no kind of agent, without its tests.
fn list_outside_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for name in ["iris-core", "iris-api", "iris-store", "iris-engine", "iris-server", "iris"] {
        collect_files(&repository().join("crates").join(name).join("src"), &["rs"], &mut files);
    }
    collect_files(&repository().join("dashboard/src"), &["ts", "tsx"], &mut files);
    let is_test = |file: &PathBuf| {
        let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
        name.ends_with("_tests.rs") || name.ends_with(".test.ts") || file.ends_with("monitor/stage.rs")
    };
    files.retain(|file| !is_test(file));
    files
}

fn collect_files(folder: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) {
    let entries = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder can be listed to its end").path();
        let is_build_output = path.file_name().is_some_and(|name| name == "target" || name == "node_modules");
        if path.is_dir() && !is_build_output {
            collect_files(&path, extensions, files);
        } else if path.extension().and_then(OsStr::to_str).is_some_and(|extension| extensions.contains(&extension)) {
            files.push(path);
        }
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}
