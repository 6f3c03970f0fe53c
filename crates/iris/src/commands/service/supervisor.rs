//! Whoever starts Iris and keeps it running: where the unit goes, and the commands for it.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use iris_agents::cli;
use iris_core::fault::FaultKind;
use serde::Serialize;
use tokio::process::Command;
use tokio::time::timeout;

use super::unit::{LABEL, Unit};
use crate::failure::Failure;

const UNIT: &str = "iris.service";
/// Stopping may take as long as the unit says, and a little.
const LIMIT: Duration = Duration::from_secs(120);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Supervisor {
    Systemd,
    Launchd,
}

/// How the service is, as far as the supervisor says.
#[derive(Clone, Debug, Default, Serialize)]
pub struct State {
    /// Whether it answers.
    pub manager: bool,
    pub enabled: bool,
    pub active: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Its own word for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
}

pub type Words = Vec<String>;

impl Supervisor {
    pub fn of_this_system() -> Self {
        if cfg!(target_os = "macos") { Self::Launchd } else { Self::Systemd }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Systemd => "the systemd of your login",
            Self::Launchd => "launchd",
        }
    }

    pub fn file(self) -> PathBuf {
        let own = || std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
        match self {
            Self::Systemd => config_folder().unwrap_or_else(|| own().join(".config")).join("systemd/user").join(UNIT),
            Self::Launchd => own().join(format!("Library/LaunchAgents/{LABEL}.plist")),
        }
    }

    /// What else leads to the unit.
    pub fn links(self) -> Vec<PathBuf> {
        match self {
            Self::Systemd => vec![self.file().with_file_name("default.target.wants").join(UNIT)],
            Self::Launchd => Vec::new(),
        }
    }

    pub fn text(self, unit: &Unit) -> String {
        match self {
            Self::Systemd => unit.for_systemd(),
            Self::Launchd => unit.for_launchd(),
        }
    }

    pub fn home_line(self, unit: &Unit) -> String {
        match self {
            Self::Systemd => format!(" {} serve\n", unit.systemd_home()),
            Self::Launchd => unit.launchd_home(),
        }
    }

    pub fn start_commands(self, now: bool) -> Vec<Words> {
        match (self, now) {
            (Self::Systemd, true) => vec![systemctl(&["daemon-reload"]), systemctl(&["enable", "--now", UNIT])],
            (Self::Systemd, false) => vec![systemctl(&["daemon-reload"]), systemctl(&["enable", UNIT])],
            // It starts what it is given; it is given it again at every login.
            (Self::Launchd, true) => vec![launchctl(&["bootstrap", &domain(), &self.file().to_string_lossy()])],
            (Self::Launchd, false) => Vec::new(),
        }
    }

    pub fn stop_commands(self) -> Vec<Words> {
        match self {
            Self::Systemd => vec![systemctl(&["disable", "--now", UNIT])],
            Self::Launchd => vec![launchctl(&["bootout", &format!("{}/{LABEL}", domain())])],
        }
    }

    /// Once the unit is gone.
    pub fn forget_commands(self) -> Vec<Words> {
        match self {
            Self::Systemd => vec![systemctl(&["daemon-reload"])],
            Self::Launchd => Vec::new(),
        }
    }

    pub fn restart_command(self) -> String {
        match self {
            Self::Systemd => "systemctl --user restart iris".to_owned(),
            Self::Launchd => {
                let (file, domain) = (self.file(), domain());
                format!("launchctl bootout {domain}/{LABEL}; launchctl bootstrap {domain} {}", file.display())
            }
        }
    }

    /// What is good to know and cannot be done for the user.
    pub fn advice(self) -> Vec<String> {
        let mut advice = Vec::new();
        let needed = cli::kinds().flat_map(|(_, cli)| cli.access);
        let set: Vec<_> = needed.copied().filter(|name| std::env::var_os(name).is_some()).collect();
        if !set.is_empty() {
            advice.push(format!("a service does not see {} of this terminal; teams have `env` for it", set.join(", ")));
        }
        if self == Self::Systemd {
            advice.push("it runs while you are logged in; `loginctl enable-linger` lets it run always".to_owned());
        }
        advice
    }

    pub async fn state(self) -> State {
        match self {
            Self::Systemd => {
                let words = systemctl(&["show", UNIT, "--property=UnitFileState,ActiveState,SubState,MainPID"]);
                output(&words).await.map(|said| read_systemd(&said)).unwrap_or_default()
            }
            Self::Launchd => match output(&launchctl(&["print", &format!("{}/{LABEL}", domain())])).await {
                Ok(said) => read_launchd(&said),
                // It answers, and knows no such thing.
                Err(_) => State { manager: true, ..State::default() },
            },
        }
    }

    pub async fn run(self, words: &Words) -> Result<(), Failure> {
        let failed = |why: String| {
            Failure::fault(FaultKind::Unavailable, format!("`{}` failed: {why}", words.join(" ")))
                .hint("the unit is written; see `journalctl --user -u iris`, and run the command again")
        };
        output(words).await.map(drop).map_err(failed)
    }

    pub fn shown(self, commands: &[Words]) -> Vec<String> {
        commands.iter().map(|words| words.join(" ")).collect()
    }
}

fn config_folder() -> Option<PathBuf> {
    std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute())
}

fn systemctl(words: &[&str]) -> Words {
    ["systemctl", "--user"].iter().chain(words).map(|&word| word.to_owned()).collect()
}

fn launchctl(words: &[&str]) -> Words {
    ["launchctl"].iter().chain(words).map(|&word| word.to_owned()).collect()
}

fn domain() -> String {
    format!("gui/{}", nix::unistd::getuid())
}

async fn output(words: &Words) -> Result<String, String> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).kill_on_drop(true);
    match timeout(LIMIT, command.output()).await {
        Err(_) => Err(format!("no answer within {} s", LIMIT.as_secs())),
        Ok(Err(error)) => Err(error.to_string()),
        Ok(Ok(output)) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        Ok(Ok(output)) => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

fn read_systemd(said: &str) -> State {
    let value = |name: &str| {
        said.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default().to_owned()
    };
    let word = format!("{} ({})", value("ActiveState"), value("SubState"));
    State {
        manager: true,
        enabled: value("UnitFileState") == "enabled",
        active: matches!(value("ActiveState").as_str(), "active" | "reloading" | "activating"),
        pid: value("MainPID").parse().ok().filter(|pid| *pid != 0),
        word: Some(word),
    }
}

fn read_launchd(said: &str) -> State {
    let value = |name: &str| {
        said.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(" = ")).map(str::to_owned)
    };
    let word = value("state");
    let active = word.as_deref() == Some("running");
    State { manager: true, enabled: true, active, pid: value("pid").and_then(|pid| pid.parse().ok()), word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_supervisors_say_is_understood() {
        let state = read_systemd("MainPID=42\nActiveState=active\nSubState=running\nUnitFileState=enabled\n");
        assert!(state.enabled && state.active && state.pid == Some(42), "{state:?}");
        let state = read_systemd("MainPID=0\nActiveState=failed\nSubState=failed\nUnitFileState=disabled\n");
        assert!(!state.enabled && !state.active && state.pid.is_none(), "{state:?}");
        assert_eq!(state.word.as_deref(), Some("failed (failed)"));
        let state = read_launchd("gui/501/dev.iris.daemon = {\n\tactive count = 1\n\tstate = running\n\tpid = 42\n}\n");
        assert!(state.active && state.pid == Some(42), "{state:?}");
    }
}
