//! The programs of agents: are they there, and is the version one that was tried?

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use iris_agents::cli::{self, Cli};
use iris_agents::launch::{find_in_path, find_program, interpreter};
use iris_agents::process::Process;
use iris_api::status::Status;
use iris_core::team::AgentKind;
use iris_engine::config::Config;
use tokio::process::Command;
use tokio::time::timeout;

use super::finding::Finding;
use crate::place;

pub(super) const CODEX: &str = "codex";
/// A program that was just installed may be slow the first time.
const LIMIT: Duration = Duration::from_secs(10);
/// Somebody waits for the dashboard meanwhile.
const SHORT_LIMIT: Duration = Duration::from_secs(3);

/// Those in the PATH, which teams use that name no other.
pub(super) async fn look(config: &Config, status: Option<&Status>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (kind, cli) in cli::kinds() {
        findings.push(look_at(kind, cli, config, status).await);
    }
    findings
}

async fn look_at(kind: AgentKind, cli: &Cli, config: &Config, status: Option<&Status>) -> Finding {
    let check = kind.as_str();
    let served = || config.teams.values().filter(|team| team.agent == kind);
    let needed = served().any(|team| team.command.is_none());
    let finding = if needed { Finding::problem } else { Finding::warning };
    let program = match find_program(kind, None, daemons(status, "PATH")) {
        Ok(program) => program,
        // Whether those are good is said of each team.
        Err(_) if !needed && served().next().is_some() => {
            return Finding::ok(check, "not in the PATH; every team that it serves names its own `command`");
        }
        Err(error) => {
            let help = format!("{}, or name it: `command:` of the team; `iris up --demo` needs none", cli.install);
            return finding(check, error.to_string(), help);
        }
    };
    match version(&program).await {
        Ok(said) => judge(check, cli, &said),
        Err(why) => {
            let shown = place::shown(&program);
            let help = run_it_yourself(&program);
            finding(check, format!("{shown} is there, but it does not say its version ({why})"), help)
        }
    }
}

/// No team is served by it yet, but it may call Iris, so that it is nobody's problem if it is not there.
pub(super) async fn look_at_codex() -> Finding {
    match find(CODEX).await {
        None => Finding::ok(CODEX, "not in the PATH; no team needs it"),
        Some(Program { version: Ok(said), .. }) => {
            Finding::ok(CODEX, format!("{said}; it can call Iris, and serves no team yet"))
        }
        Some(Program { file, version: Err(why), .. }) => {
            let shown = place::shown(&file);
            let help = run_it_yourself(&file);
            Finding::warning(CODEX, format!("{shown} is there, but it does not say its version ({why})"), help)
        }
    }
}

fn run_it_yourself(program: &Path) -> String {
    let program = place::in_command(program);
    format!("run `{program} --version` yourself; if it fails there too, install it anew")
}

/// An agent program, and what it says of itself, or why it says nothing.
#[derive(Debug)]
pub struct Program {
    pub name: &'static str,
    pub file: PathBuf,
    pub version: Result<String, String>,
}

/// The agent programs there are.
pub async fn found() -> Vec<Program> {
    let names = cli::kinds().map(|(_, cli)| cli.program).chain([CODEX]);
    futures_util::future::join_all(names.map(find)).await.into_iter().flatten().collect()
}

async fn find(name: &'static str) -> Option<Program> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let file = find_in_path(Path::new(name), &path)?;
    let version = ask_version(&file, SHORT_LIMIT).await;
    Some(Program { name, file, version })
}

/// A variable of the daemon's environment: that, and not ours, is what agents get.
pub(super) fn daemons(status: Option<&Status>, name: &str) -> Option<String> {
    let pid = i32::try_from(status?.pid).ok()?;
    Process::find(pid)?.variable(name)
}

pub(super) fn judge(check: &'static str, cli: &Cli, said: &str) -> Finding {
    let numbers = |text: &str| text.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u64>>>();
    let version = said.split_whitespace().find_map(numbers).filter(|numbers| numbers.len() == 3);
    let (oldest, newest) = (cli.tried[0], cli.tried[cli.tried.len() - 1]);
    match version {
        None => {
            let what = format!("it says '{said}', which is no version we know");
            Finding::warning(check, what, format!("versions {oldest} to {newest} were tried"))
        }
        Some(version) if Some(&version) < numbers(oldest).as_ref() => {
            let what = format!("{said} is older than {oldest}, the oldest that was tried; it may not understand Iris");
            Finding::warning(check, what, cli.update)
        }
        Some(version) if Some(&version) > numbers(newest).as_ref() => {
            Finding::ok(check, format!("{said}; newer than {newest}, the newest that was tried"))
        }
        Some(_) => Finding::ok(check, format!("{said}; versions {oldest} to {newest} were tried")),
    }
}

/// What it says of itself; else why that is not known.
pub(super) async fn version(program: &Path) -> Result<String, String> {
    ask_version(program, LIMIT).await
}

/// Run with what an agent would get of the environment to find itself, and nothing else.
async fn ask_version(program: &Path, limit: Duration) -> Result<String, String> {
    let mut command = Command::new(program);
    command.arg("--version").env_clear().stdin(Stdio::null()).kill_on_drop(true);
    for name in ["PATH", "HOME"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    let first_line = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().lines().next().unwrap_or_default().to_owned();
    match timeout(limit, command.output()).await {
        Err(_) => Err(format!("no answer to --version within {} s", limit.as_secs())),
        Ok(Err(error)) => Err(match interpreter::find_missing(program, &error) {
            Some(missing) => format!("it cannot be run: {missing:?}, which its first line names, is not there"),
            None => format!("it cannot be run: {error}"),
        }),
        Ok(Ok(output)) if output.status.success() => Ok(first_line(&output.stdout)),
        Ok(Ok(output)) => Err(match first_line(&output.stderr) {
            said if said.is_empty() => format!("it failed: {}", output.status),
            said => format!("it failed: {}: {said}", output.status),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let cli = cli::find(AgentKind::Claude).expect("a program");
        let check = |said: &str, verdict: Verdict, word: &str| {
            let found = judge("claude", cli, said);
            assert!(found.verdict == verdict && found.what.contains(word), "{found:?}");
        };
        check("2.1.197 (Claude Code)", Verdict::Ok, "were tried");
        check("2.1.1000 (Claude Code)", Verdict::Ok, "newer than");
        check("2.1.30 (Claude Code)", Verdict::Warning, "older than");
        check("1.99.999", Verdict::Warning, "older than");
        check("hello", Verdict::Warning, "no version we know");
    }
}
