//! The program of the real agent: is it there, and which version?

use std::process::Stdio;
use std::time::Duration;

use iris_core::team::AgentKind;
use iris_engine::config::Config;
use tokio::process::Command;
use tokio::time::timeout;

use super::Finding;

const CLAUDE: &str = "claude";
const LIMIT: Duration = Duration::from_secs(5);

pub(super) async fn look(config: &Config) -> Finding {
    let needed = config.teams.values().any(|team| team.agent == AgentKind::Claude && team.command.is_none());
    match version().await {
        Ok(version) => Finding::ok(CLAUDE, version),
        Err(what) => {
            let help =
                "install Claude Code and see that `claude --version` answers, or name it: `command:` of the team";
            let finding = if needed { Finding::problem } else { Finding::warning };
            finding(CLAUDE, what, help.to_owned())
        }
    }
}

/// The agent programs there are, each with what it says of itself.
pub async fn found() -> Vec<(String, String)> {
    version().await.ok().map(|version| (CLAUDE.to_owned(), version)).into_iter().collect()
}

/// Run with what an agent would get of the environment to find itself, and nothing else.
async fn version() -> Result<String, String> {
    let mut command = Command::new(CLAUDE);
    command.arg("--version").env_clear().stdin(Stdio::null()).kill_on_drop(true);
    for name in ["PATH", "HOME"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    match timeout(LIMIT, command.output()).await {
        Err(_) => Err(format!("`{CLAUDE} --version` did not answer within {}s", LIMIT.as_secs())),
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => Err(format!("no `{CLAUDE}` in PATH")),
        Ok(Err(error)) => Err(format!("`{CLAUDE}` cannot be run ({error})")),
        Ok(Ok(output)) if !output.status.success() => Err(format!("`{CLAUDE} --version` failed ({})", output.status)),
        Ok(Ok(output)) => Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned()),
    }
}
