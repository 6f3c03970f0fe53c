//! The command line that starts Claude Code.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::launch::{AgentSpec, Conversation, Launch, LaunchError, Standing, environment, find_in_path};

const INSTALL: &str = "install it with `npm install -g @anthropic-ai/claude-code`, or set the team's `command`";
pub(super) const PROGRAM: &str = "claude";
/// Where it keeps what was said, below its home.
pub(crate) const CONVERSATIONS: &str = ".claude/projects";

/// Of the daemon's environment, what Claude Code needs to reach its model. Anything else goes into the team's `env`.
const PASSED_ON: [&str; 14] = [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    CONFIG_FOLDER,
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
];

/// Where the user's own CLI keeps its settings, login and conversations, if not in the user's home.
pub(super) const CONFIG_FOLDER: &str = "CLAUDE_CONFIG_DIR";

/// Set unless the team says otherwise. A CLI that replaces itself while it runs is not the one that was started; with its
/// ten tries it takes three minutes to say that a key is wrong.
const DEFAULTS: [(&str, &str); 2] = [("DISABLE_AUTOUPDATER", "1"), ("CLAUDE_CODE_MAX_RETRIES", "3")];

/// Settings for git that go before those of the folder. A team that has some of its own keeps them instead.
const GIT_COUNT: &str = "GIT_CONFIG_COUNT";
const GIT_WITHOUT_MONITOR: [(&str, &str); 3] =
    [(GIT_COUNT, "1"), ("GIT_CONFIG_KEY_0", "core.fsmonitor"), ("GIT_CONFIG_VALUE_0", "false")];
/// Without it the CLI runs `git status` and `git log` for its first turn. Filters, signature programs and the like have names
/// of the folder's choice, in its config, in what that includes and in submodules, so no setting takes them all away.
const WITHOUT_GIT_STATUS: (&str, &str) = ("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", "1");

/// Every `claude` process of one user can wake every other by the first two; agents talk to each other through Iris. The
/// next put work off to a time at which the process may be asleep: nobody would wake it. By the last it would go on in another
/// folder, whose settings nobody has looked at, when its conversation is resumed.
const TAKEN_AWAY: &str = "SendMessage,ListAgents,ScheduleWakeup,CronCreate,EnterWorktree";
pub(super) const INBOUND: &str = "crossSessionInbound";
pub(super) const REFUSED: &str = "refuse";
const SETTINGS: &str = "--settings";

pub(crate) fn launch(spec: &AgentSpec) -> Result<Launch, LaunchError> {
    let program = find(spec.command.as_deref(), spec.env.get("PATH").cloned())?;
    let mut args: Vec<String> = [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--include-partial-messages",
        // By the echo of a message it is known when it has come into the conversation.
        "--replay-user-messages",
        "--permission-prompt-tool",
        "stdio",
    ]
    .map(str::to_owned)
    .into();
    let mut option = |name: &str, value: &str| args.extend([name.to_owned(), value.to_owned()]);
    match &spec.conversation {
        Conversation::New => option("--session-id", spec.session.as_str()),
        Conversation::Resumed => option("--resume", spec.session.as_str()),
        Conversation::ForkOf(origin) => {
            option("--resume", origin.as_str());
            option("--session-id", spec.session.as_str());
        }
    }
    // The settings of a folder can name commands that are run; nobody has read them until the user says so.
    option("--setting-sources", if spec.folder == Standing::Trusted { "user,project,local" } else { "user" });
    if let Some(model) = &spec.model {
        option("--model", model);
    }
    if let Some(budget) = spec.max_budget_usd {
        option("--max-budget-usd", &budget.to_string());
    }
    if !spec.allowed_tools.is_empty() {
        option("--allowedTools", &spec.allowed_tools.join(","));
    }
    let mut disallowed = spec.disallowed_tools.clone();
    disallowed.push(TAKEN_AWAY.to_owned());
    option("--disallowedTools", &disallowed.join(","));
    if matches!(spec.conversation, Conversation::ForkOf(_)) {
        args.push("--fork-session".to_owned());
    }
    if spec.folder == Standing::Untrusted {
        // Servers that the folder's own config names are programs, too. The user's own are left out with them.
        args.push("--strict-mcp-config".to_owned());
    }
    args.extend(settings(&spec.args));
    let mut env = environment(spec, &PASSED_ON);
    if let Some(home) = &spec.own_home {
        // The user's own is not the team's, unless the team says so.
        if !spec.env.contains_key(CONFIG_FOLDER) {
            env.remove(CONFIG_FOLDER);
        }
        // Else it leaves sockets in a folder that the CLIs of every home share, by which they find each other.
        env.entry("CLAUDE_CODE_TMPDIR".to_owned()).or_insert_with(|| home.join("tmp").display().to_string());
    }
    // The CLI asks git how things are when it starts, and git runs what the folder's own config names for that. A folder
    // that brings no settings along may have such a config, too, and nobody is asked to trust that.
    if spec.folder != Standing::Trusted {
        let (name, value) = WITHOUT_GIT_STATUS;
        env.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        if !env.contains_key(GIT_COUNT) {
            env.extend(GIT_WITHOUT_MONITOR.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
    }
    for (name, value) in DEFAULTS {
        env.entry(name.to_owned()).or_insert_with(|| value.to_owned());
    }
    Ok(Launch {
        kind: spec.kind,
        program,
        args,
        env,
        folder: spec.path.clone(),
        instructions: spec.instructions.clone(),
    })
}

/// The team's arguments, with its settings made such that no other process of the CLI is listened to. Until it has read its
/// first line it goes by these; from then on by what it is told there (`write::refuse_peers`), which also holds for settings
/// that are in a file. Their content is not put here: it may hold what nobody should read in a list of processes.
fn settings(args: &[String]) -> Vec<String> {
    let is_named = |arg: &String| arg == SETTINGS || arg.starts_with("--settings=");
    let mut args = args.to_vec();
    if !args.iter().any(is_named) {
        args.splice(0..0, [SETTINGS.to_owned(), json!({INBOUND: REFUSED}).to_string()]);
        return args;
    }
    let mut before = String::new();
    for arg in &mut args {
        let text = if before == SETTINGS { Some(arg.as_str()) } else { arg.strip_prefix("--settings=") };
        let object = text.and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
        let prefix = if before == SETTINGS { "" } else { "--settings=" };
        before.clone_from(arg);
        if let Some(mut object) = object {
            object.insert(INBOUND.to_owned(), REFUSED.into());
            *arg = format!("{prefix}{}", Value::Object(object));
        }
    }
    args
}

/// The program: where the team says, or in the PATH it will run with.
pub(crate) fn find(command: Option<&Path>, path: Option<String>) -> Result<PathBuf, LaunchError> {
    let named = command.unwrap_or(Path::new(PROGRAM));
    let missing = || LaunchError::NotInstalled { program: named.display().to_string(), hint: INSTALL };
    if named.components().count() > 1 {
        if named.is_dir() {
            return Err(LaunchError::IsFolder { program: named.display().to_string() });
        }
        return if named.is_file() { Ok(named.to_owned()) } else { Err(missing()) };
    }
    let path = path.or_else(|| std::env::var("PATH").ok()).unwrap_or_default();
    find_in_path(named, path.as_ref()).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_runs_nothing_for_a_folder_that_nobody_trusts() {
        let git = |folder: Standing, env: &[(&str, &str)]| {
            let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let env = launch(&AgentSpec { folder, env, ..spec() }).expect("a command").env;
            let names = GIT_WITHOUT_MONITOR.map(|(name, _)| name).into_iter().chain([WITHOUT_GIT_STATUS.0]);
            names.map(|name| env.get(name).map_or("-", String::as_str)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(git(Standing::Untrusted, &[]), "1 core.fsmonitor false 1");
        // What git itself is told by a folder is among what nobody has looked at.
        assert_eq!(git(Standing::Bare, &[]), "1 core.fsmonitor false 1");
        assert_eq!(git(Standing::Trusted, &[]), "- - - -");
        assert_eq!(git(Standing::Untrusted, &[("GIT_CONFIG_COUNT", "0")]), "0 - - 1");
        assert_eq!(git(Standing::Bare, &[(WITHOUT_GIT_STATUS.0, "0")]), "1 core.fsmonitor false 0");
    }

    fn spec() -> AgentSpec {
        AgentSpec {
            team: "alpha".parse().expect("a name"),
            kind: iris_core::team::AgentKind::Claude,
            path: "/".into(),
            script: None,
            command: Some("/bin/sh".into()),
            args: Vec::new(),
            env: std::collections::BTreeMap::new(),
            model: None,
            allowed_tools: Vec::new(),
            disallowed_tools: Vec::new(),
            instructions: None,
            max_budget_usd: None,
            own_home: None,
            folder: Standing::Bare,
            session: iris_core::id::SessionId::new("s".to_owned()),
            conversation: Conversation::New,
            state_folder: "/".into(),
        }
    }

    #[test]
    fn whatever_settings_a_team_names_no_peer_is_listened_to() {
        fn check(args: &[&str], expected: &[&str]) {
            let args: Vec<_> = args.iter().map(|&arg| arg.to_owned()).collect();
            assert_eq!(settings(&args), expected, "{args:?}");
        }
        let refused = r#"{"crossSessionInbound":"refuse"}"#;
        check(&[], &["--settings", refused]);
        check(&["--name", "x"], &["--settings", refused, "--name", "x"]);
        check(&["--settings", r#"{"crossSessionInbound":"accept"}"#], &["--settings", refused]);
        check(&[r#"--settings={"a":1}"#, "-x"], &[r#"--settings={"a":1,"crossSessionInbound":"refuse"}"#, "-x"]);
        check(&["--settings", "mine.json"], &["--settings", "mine.json"]);
    }
}
