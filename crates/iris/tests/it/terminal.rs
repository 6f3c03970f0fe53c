//! What a person at a terminal sees. `script` of util-linux makes the terminal; without it these tests have nothing to
//! look at, and the printer's own tests stand alone.

use std::process::{Command, Stdio};

use crate::daemon::{Daemon, Place};

/// Runs a command with a terminal for stdout and stderr; gives what came out, with the exit code. None without `script`.
fn on_a_terminal(daemon: &Daemon, words: &[&str], environment: &[(&str, &str)]) -> Option<(String, i32)> {
    let there = Command::new("script").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        return None;
    }
    let line: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let line = format!("'{}' {}", env!("CARGO_BIN_EXE_iris"), line.join(" "));
    let mut script = Command::new("script");
    script.args(["-q", "-e", "-c", &line, "/dev/null"]).stdin(Stdio::null());
    script.env("IRIS_HOME", daemon.place.home()).env("TERM", "xterm").env_remove("NO_COLOR");
    script.envs(environment.iter().copied());
    let output = script.output().expect("script runs");
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap_or(-1)))
}

#[test]
fn hostile_text_is_visible_and_harmless() {
    let daemon = Daemon::start();
    let escaped = "\\u{1b}[31mred\\u{1b}[0m \\u{202e}txt.exe zero\\u{200b}width\r\nnext\tline\r\n";
    let Some((seen, code)) = on_a_terminal(&daemon, &["tell", "alpha", "evil"], &[]) else { return };
    assert_eq!(code, 0);
    assert!(seen.contains(escaped), "{seen:?}");
    assert!(!seen.contains("\u{1b}[31m") && !seen.contains('\u{202e}') && !seen.contains('\u{200b}'), "{seen:?}");

    for words in [&["cache", "inspect", "alpha"][..], &["events", "--after", "0"], &["tell", "alpha", "evil", "--json"]]
    {
        let (seen, _) = on_a_terminal(&daemon, words, &[]).expect("it was there before");
        assert!(seen.contains("txt.exe") || seen.contains("\\u{1b}[31mred"), "{words:?}: {seen:?}");
        assert!(!seen.contains("\u{1b}[31m") && !seen.contains('\u{202e}'), "{words:?}: {seen:?}");
    }
    // Into a pipe it goes as the agent wrote it.
    let raw = daemon.iris(&["tell", "alpha", "evil"]).ok();
    assert_eq!(raw, "\u{1b}[31mred\u{1b}[0m \u{202e}txt.exe zero\u{200b}width\nnext\tline\n");
}

/// Pieces of a message are faster than the message before them, which is written down first.
#[test]
fn what_is_said_and_done_is_shown_in_order_and_once() {
    let place = Place::with_teams();
    let script = "\
replies:
  - match: ^mixed
    do: [{ say: FIRST }, { stream: SECOND in pieces }, { say: THIRD }, { stream: { text: FOURTH, chunk: 2, every: 3ms } }]
  - match: ^tools
    do:
      - stream: I will look.
      - tool: { name: Read, input: { file_path: /x }, result: ok }
      - stream: I looked.
      - tool: { name: Bash, input: { command: ls }, result: a }
      - stream: All done.
";
    std::fs::write(place.path("script.yaml"), script).expect("a script");
    let daemon = Daemon::on(place);
    daemon.iris(&["wake", "alpha"]).ok();
    let check = |what: &str, expected: &[&str]| {
        let Some((seen, code)) = on_a_terminal(&daemon, &["tell", "alpha", what], &[("NO_COLOR", "1")]) else { return };
        assert_eq!(code, 0, "{seen:?}");
        let waits = |line: &&str| line.contains("alpha") || line.trim().is_empty();
        let seen: Vec<String> = seen.split(['\r', '\n']).map(|line| line.replace("\u{1b}[2K", "")).collect();
        let seen: Vec<&str> = seen.iter().map(String::as_str).filter(|line| !waits(line)).collect();
        assert_eq!(seen, expected);
    };
    for _ in 0..3 {
        check("mixed", &["FIRST", "SECOND in pieces", "THIRD", "FOURTH"]);
        check("tools", &["I will look.", "· Read: /x", "I looked.", "· Bash: ls", "All done."]);
    }
}

#[test]
fn colour_only_where_it_is_wanted() {
    let daemon = Daemon::start();
    let words = ["teams", "list"];
    let Some((seen, _)) = on_a_terminal(&daemon, &words, &[]) else { return };
    assert!(seen.contains("\u{1b}["), "{seen:?}");
    let (seen, _) = on_a_terminal(&daemon, &words, &[("NO_COLOR", "1")]).expect("it was there before");
    assert!(!seen.contains("\u{1b}["), "{seen:?}");
    assert!(!daemon.iris(&words).ok().contains('\u{1b}'));
}

/// One that is stopped never answers; meanwhile it is said what is waited for.
#[test]
fn what_takes_its_time_is_said_to() {
    let daemon = Daemon::start();
    daemon.signal(nix::sys::signal::Signal::SIGSTOP);
    let seen = on_a_terminal(&daemon, &["teams", "list"], &[]);
    daemon.signal(nix::sys::signal::Signal::SIGCONT);
    let Some((seen, code)) = seen else { return };
    assert!(code == 6 && seen.contains("waiting for iris"), "{seen:?}");
}
