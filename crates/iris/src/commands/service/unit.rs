//! The text of the unit: what the system is told about Iris. Pure, so that both systems' texts can be read on either.

use std::path::{Path, PathBuf};

/// The line by which a unit is known to be ours.
pub const MARK: &str = "Written by `iris service install`";

/// What launchd knows it by.
pub const LABEL: &str = "dev.iris.daemon";

#[derive(Clone, Debug)]
pub struct Unit {
    pub program: PathBuf,
    pub home: PathBuf,
    /// Where agent programs are found. A supervisor starts things with a shorter PATH than a terminal has.
    pub path: String,
    pub stop_seconds: u64,
}

impl Unit {
    pub fn for_systemd(&self) -> String {
        let Self { program, stop_seconds, .. } = self;
        let home = self.systemd_home();
        // Of the program's own path systemd fills in nothing but `%`.
        let (program, path) = (setting(&program.to_string_lossy()), setting(&format!("PATH={}", self.path)));
        format!(
            "\
# {MARK}; run it again instead of editing this.
# To change something: systemctl --user edit iris

[Unit]
Description=Iris, teams of coding agents
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=exec
ExecStart={program} {home} serve
Environment={path}
Restart=on-failure
RestartSec=2
# The config is wrong (2), or another daemon has the home (9): to start again changes nothing.
RestartPreventExitStatus=2 9
# Iris may make a cgroup for each agent, so that whatever an agent starts ends with it.
Delegate=yes
# Only Iris is asked to end, and ends its agents in order; whatever is left after that is killed.
KillMode=mixed
TimeoutStopSec={stop_seconds}
# An agent that takes too much memory is ended alone.
OOMPolicy=continue

[Install]
WantedBy=default.target
"
        )
    }

    /// The words that say which home it is for.
    pub fn systemd_home(&self) -> String {
        format!("--home {}", command_word(&self.home))
    }

    pub fn for_launchd(&self) -> String {
        let (program, home) = (escaped(&self.program.to_string_lossy()), self.launchd_home());
        let (path, log) = (escaped(&self.path), escaped(&self.home.join("logs/daemon.log").to_string_lossy()));
        let stop_seconds = self.stop_seconds;
        format!(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- {MARK}; run it again instead of editing this. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{LABEL}</string>
  <key>ProgramArguments</key>
  <array>
    <string>{program}</string>
    <string>--home</string>
    {home}
    <string>serve</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>PATH</key>
    <string>{path}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>{stop_seconds}</integer>
  <key>StandardErrorPath</key>
  <string>{log}</string>
</dict>
</plist>
"#
        )
    }

    pub fn launchd_home(&self) -> String {
        format!("<string>{}</string>", escaped(&self.home.to_string_lossy()))
    }
}

/// A word of a command line: quoted if need be, and nothing in it filled in from elsewhere.
fn command_word(path: &Path) -> String {
    setting(&path.to_string_lossy()).replace('$', "$$")
}

fn setting(text: &str) -> String {
    let text = text.replace('%', "%%");
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:=%$@+,".contains(c);
    if text.chars().all(plain) {
        return text;
    }
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Unit {
        Unit {
            program: "/usr/local/bin/iris".into(),
            home: "/home/ada/.iris".into(),
            path: "/home/ada/.local/bin:/usr/bin:/bin".to_owned(),
            stop_seconds: 30,
        }
    }

    fn odd() -> Unit {
        let odd = r#"/home/a "b" & $HOME/100%\<x>"#;
        Unit { program: odd.into(), home: odd.into(), path: odd.to_owned(), stop_seconds: 30 }
    }

    #[test]
    fn the_unit_for_systemd() {
        insta::assert_snapshot!(plain().for_systemd());
    }

    #[test]
    fn the_unit_for_launchd() {
        insta::assert_snapshot!(plain().for_launchd());
    }

    #[test]
    fn odd_paths_are_quoted_as_each_system_wants_it() {
        let of = |text: String, words: &[&str]| {
            text.lines().filter(|line| words.iter().any(|word| line.contains(word))).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(of(odd().for_systemd(), &["ExecStart", "Environment"]));
        insta::assert_snapshot!(of(odd().for_launchd(), &["home"]));
    }

    /// systemd itself, where there is one, finds nothing wrong.
    #[test]
    fn systemd_understands_the_unit() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("iris.service");
        let unit = Unit { program: "/bin/true".into(), home: odd().home, path: odd().path, stop_seconds: 30 };
        std::fs::write(&file, unit.for_systemd()).expect("written");
        let mut command = std::process::Command::new("systemd-analyze");
        command.args(["--user", "verify"]).arg(&file).env("XDG_RUNTIME_DIR", folder.path());
        let Ok(ran) = command.output() else {
            eprintln!("there is no systemd-analyze: left out");
            return;
        };
        let said = String::from_utf8_lossy(&ran.stderr);
        let about_it: Vec<_> = said.lines().filter(|line| line.contains("iris.service")).collect();
        assert!(about_it.is_empty(), "{said}");
    }
}
