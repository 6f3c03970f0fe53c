//! The programs of agents: are they there, and is the version one that was tried?

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use iris_agents::claude::TRIED;
use iris_agents::launch::find_program;
use iris_agents::process::Process;
use iris_api::status::Status;
use iris_core::team::AgentKind;
use iris_engine::config::Config;
use tokio::process::Command;
use tokio::time::timeout;

use super::finding::Finding;

const CLAUDE: &str = "claude";
const LIMIT: Duration = Duration::from_secs(10);

/// The one in the PATH, which teams use that name no other.
pub(super) async fn look(config: &Config, status: Option<&Status>) -> Finding {
    let needed = config.teams.values().any(|team| team.agent == AgentKind::Claude && team.command.is_none());
    let found = match find_program(AgentKind::Claude, None, daemons(status, "PATH")) {
        Ok(program) => version(&program).await,
        Err(error) => Err(error.to_string()),
    };
    match found {
        Ok(said) => judge(CLAUDE, &said),
        Err(what) => {
            let help = "install Claude Code (`npm install -g @anthropic-ai/claude-code`), or name it: `command:` of \
                        the team; `iris up --demo` needs none";
            let finding = if needed { Finding::problem } else { Finding::warning };
            finding(CLAUDE, what, help.to_owned())
        }
    }
}

/// The agent programs there are, each with what it says of itself.
pub async fn found() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for name in [CLAUDE, "codex"] {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let file = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
        if let Some(Ok(said)) = async { Some(version(&file?).await) }.await {
            found.push((name.to_owned(), said));
        }
    }
    found
}

/// A variable of the daemon's environment: that, and not ours, is what agents get.
pub(super) fn daemons(status: Option<&Status>, name: &str) -> Option<String> {
    let pid = i32::try_from(status?.pid).ok()?;
    Process::find(pid)?.variable(name)
}

pub(super) fn judge(check: &'static str, said: &str) -> Finding {
    let numbers = |text: &str| text.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u64>>>();
    let version = said.split_whitespace().find_map(numbers).filter(|numbers| numbers.len() == 3);
    let (oldest, newest) = (TRIED[0], TRIED[TRIED.len() - 1]);
    match version {
        None => {
            let what = format!("it says '{said}', which is no version we know");
            Finding::warning(check, what, format!("versions {oldest} to {newest} were tried"))
        }
        Some(version) if Some(&version) < numbers(oldest).as_ref() => {
            let what = format!("{said} is older than {oldest}, the oldest that was tried; it may not understand Iris");
            Finding::warning(check, what, "update it: `claude update`, or `npm install -g @anthropic-ai/claude-code`")
        }
        Some(version) if Some(&version) > numbers(newest).as_ref() => {
            Finding::ok(check, format!("{said}; newer than {newest}, the newest that was tried"))
        }
        Some(_) => Finding::ok(check, format!("{said}; versions {oldest} to {newest} were tried")),
    }
}

/// Run with what an agent would get of the environment to find itself, and nothing else.
pub(super) async fn version(program: &Path) -> Result<String, String> {
    let shown = program.display();
    let mut command = Command::new(program);
    command.arg("--version").env_clear().stdin(Stdio::null()).kill_on_drop(true);
    for name in ["PATH", "HOME"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    match timeout(LIMIT, command.output()).await {
        Err(_) => Err(format!("`{shown} --version` did not answer within {}s", LIMIT.as_secs())),
        Ok(Err(error)) => Err(format!("{shown} cannot be run ({error})")),
        Ok(Ok(output)) if !output.status.success() => Err(format!("`{shown} --version` failed ({})", output.status)),
        Ok(Ok(output)) => Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let check = |said: &str, verdict: Verdict, word: &str| {
            let found = judge(CLAUDE, said);
            assert!(found.verdict == verdict && found.what.contains(word), "{found:?}");
        };
        check("2.1.197 (Claude Code)", Verdict::Ok, "were tried");
        check("2.1.1000 (Claude Code)", Verdict::Ok, "newer than");
        check("2.1.30 (Claude Code)", Verdict::Warning, "older than");
        check("1.99.999", Verdict::Warning, "older than");
        check("hello", Verdict::Warning, "no version we know");
    }
}
