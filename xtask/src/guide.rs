//! `cargo xtask guide`: does what the README and the first guide tell a newcomer to do, command by command, in an empty
//! home. A command that does not work any more fails the tests.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

use crate::check::Check;
use crate::claude::Claude;
use crate::shell;

const HELP: &str = "\
Runs every command in the `sh` blocks of README.md and docs/getting-started.md, as a newcomer would: `cargo xtask run` in
one terminal, the others beside it, `<id>` for the question that is open. Every way in (a part called `With …`) begins in
an empty home, so that none leans on what another started.

Usage: cargo xtask guide [--show]

  --show   print the script, and run nothing
";

const PAGES: [&str; 2] = ["README.md", "docs/getting-started.md"];

/// What the script of a page begins with. A terminal for `cargo xtask run`, and a person who waits for a question.
const BEGIN: &str = r#"
set -euo pipefail
shopt -s expand_aliases
in_another_terminal() { "$@" >"$HOME/terminal.log" 2>&1 & served=$!; }
until_it_serves() {
  for _ in $(seq 3000); do
    kill -0 "$served" 2>/dev/null || { cat "$HOME/terminal.log" >&2; echo "it ended before it served" >&2; return 1; }
    "$IRIS" status >/dev/null 2>&1 && return
    sleep 0.2
  done
  echo "it never served" >&2; return 1
}
the_question() {
  for _ in $(seq 300); do
    id=$("$IRIS" inbox --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["questions"][0]["id"])' 2>/dev/null) && [ -n "$id" ] && { echo "$id"; return; }
    sleep 0.2
  done
  echo "no question came" >&2; return 1
}
for_a_moment() { local code=0; timeout 2 "$@" || code=$?; [ "$code" -eq 0 ] || [ "$code" -eq 124 ]; }
"#;

pub fn perform(arguments: &[String]) -> Result<ExitCode> {
    if shell::asks_for_help(arguments) {
        return Ok(shell::help(HELP));
    }
    for page in PAGES {
        let text = fs::read_to_string(shell::root().join(page)).with_context(|| format!("cannot read {page}"))?;
        for way in split_into_ways(&text) {
            let script = write_script(way)?;
            if arguments.iter().any(|argument| argument == "--show") {
                eprintln!("# {page}\n{script}");
                continue;
            }
            eprintln!("{page}");
            follow(page, &script)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// As a step of the tests.
pub fn check() -> Check {
    let mut command = shell::cargo();
    command.args(["xtask", "guide"]);
    Check { name: "the first guide", repeat: shell::as_typed(&command), command, component: None }
}

/// What a reader may do without the rest of the page; what stands below the last way belongs to it.
fn split_into_ways(text: &str) -> Vec<&str> {
    let mut ends: Vec<_> = text.match_indices("\n## With ").map(|(at, _)| at).skip(1).collect();
    ends.push(text.len());
    let mut start = 0;
    ends.into_iter().map(|end| &text[std::mem::replace(&mut start, end)..end]).collect()
}

fn write_script(way: &str) -> Result<String> {
    let mut script = BEGIN.to_owned();
    for block in find_blocks(way) {
        for line in block.lines() {
            writeln!(script, "{}", make_runnable(line))?;
        }
    }
    Ok(script)
}

/// What stands in fences that are for a shell.
fn find_blocks(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        match line.trim_end() {
            "```sh" => {
                is_open = true;
                blocks.push(String::new());
            }
            "```" => is_open = false,
            _ if is_open => {
                let block = blocks.last_mut().expect("a block was opened");
                block.push_str(line);
                block.push('\n');
            }
            _ => {}
        }
    }
    blocks
}

/// A line as a script can do it. What blocks a terminal gets one of its own, a place for an id gets the id.
fn make_runnable(line: &str) -> String {
    let command = line.split(" #").next().unwrap_or_default().trim_end();
    match command {
        "cargo xtask run" => "in_another_terminal cargo xtask run\nuntil_it_serves".to_owned(),
        "cargo xtask test" => ": what runs this".to_owned(),
        _ if command.contains("<id>") => {
            format!("id=$(the_question)\n{}", command.replace("<id>", "\"$id\""))
        }
        _ if command.contains("--follow") => format!("for_a_moment \"$IRIS\"{}", command.trim_start_matches("iris")),
        _ => line.to_owned(),
    }
}

/// Runs it in a home with two projects in it, with the real CLI if there is one, which asks a model on this machine.
fn follow(page: &str, script: &str) -> Result<()> {
    let home = std::env::temp_dir().join(format!("iris-guide-{}", std::process::id()));
    let home = home.as_path();
    for project in ["code/backend", "code/frontend", "bin"] {
        fs::create_dir_all(home.join(project))?;
    }
    let path = home.join("guide.sh");
    fs::write(&path, script)?;
    let mut bash = Command::new("bash");
    bash.args(["-v"]).arg(&path).current_dir(shell::root()).stdin(std::process::Stdio::null());
    // Cargo and rustup look for what they have below HOME.
    for (variable, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        if let (None, Some(real)) = (std::env::var_os(variable), std::env::home_dir()) {
            bash.env(variable, real.join(folder));
        }
    }
    let program = shell::built_program("debug", "iris")?;
    bash.env("HOME", home).env("IRIS", &program).env_remove("IRIS_HOME").env("IRIS_PORT", "0");
    let model = Model::start()?;
    let claude = Claude::ensure()?;
    if let Some(program) = claude.newest() {
        std::os::unix::fs::symlink(program, home.join("bin/claude"))?;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([home.join("bin")].into_iter().chain(std::env::split_paths(&path)))?;
    bash.env("PATH", path).env("ANTHROPIC_BASE_URL", &model.url).env("ANTHROPIC_API_KEY", "sk-made-up");
    let ended = shell::status(&mut bash);
    // Whatever was started is stopped, also where the page did not get to its end.
    for home in [home.join(".iris"), PathBuf::from(TOUR)] {
        Command::new(&program).args(["down", "--home"]).arg(home).output().ok();
    }
    // Left-overs below the temporary folder hurt nobody.
    for folder in [home, Path::new(TOUR)] {
        fs::remove_dir_all(folder).ok();
    }
    let ended = ended?;
    if !ended.success() {
        bail!("{page}: a command of it does not work ({ended}); it is the last one above");
    }
    Ok(())
}

/// The home of the tour in the README.
const TOUR: &str = "/tmp/iris-tour";

/// The scripted model, which ends with this.
struct Model {
    child: std::process::Child,
    url: String,
}

impl Model {
    fn start() -> Result<Self> {
        use std::io::{BufRead, BufReader};
        shell::run(shell::cargo().args(["build", "--quiet", "--package", "iris-testing", "--bin", "iris-model"]))?;
        let mut command = Command::new(shell::built_program("debug", "iris-model")?);
        let mut child = command.stderr(std::process::Stdio::piped()).spawn().context("cannot start iris-model")?;
        let stderr = child.stderr.take().context("its stderr is piped")?;
        let mut lines = BufReader::new(stderr).lines();
        let first = lines.next().context("iris-model said nothing")??;
        let url = first.split_whitespace().find_map(|word| word.strip_suffix(';')).context("no address")?.to_owned();
        // Read on, so that it is never held up.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { child, url })
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // Nothing else can be done where it has ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_in_is_a_script_of_its_own() {
        let page = "# Page\n\n## With a\n1\n\n## With b\n2\n\n## Then\n3\n";
        assert_eq!(split_into_ways(page), ["# Page\n\n## With a\n1\n", "\n## With b\n2\n\n## Then\n3\n"]);
        assert_eq!(split_into_ways("# Page\n1\n"), ["# Page\n1\n"]);
    }

    #[test]
    fn what_blocks_gets_a_terminal_and_what_is_left_open_is_filled_in() {
        let text = "a\n```sh\ncargo xtask run     # builds\niris answer <id> 2  # or 1\niris events --follow # live\n```\n```text\nno\n```\n";
        let lines: Vec<_> = find_blocks(text).iter().flat_map(|block| block.lines()).map(make_runnable).collect();
        assert_eq!(
            lines,
            [
                "in_another_terminal cargo xtask run\nuntil_it_serves",
                "id=$(the_question)\niris answer \"$id\" 2",
                "for_a_moment \"$IRIS\" events --follow"
            ]
        );
    }
}
