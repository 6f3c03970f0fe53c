//! The monitor on a terminal of its own: what a person sees and presses, against a real daemon and scripted agents.

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::daemon::{Daemon, Place};

const SCRIPT: &str = r#"
replies:
  - match: "^colour"
    do:
      - tool: { name: Bash, input: { command: "cargo test" }, result: "12 passed" }
      - ask: { question: "Which colour?", header: Colour, options: [Red, Blue], then: [{ say: "{{answer}} it is" }] }
  - match: "^push"
    do:
      - permission:
          tool: Bash
          input: { command: "git push origin main" }
          result: done
          then: [{ say: "pushed" }]
          denied: [{ say: "kept, because {{message}}" }]
  - match: "^flood"
    do: [{ flood: { messages: 3000, size: 30 } }]
  - match: "^hang"
    do: [{ hang: true }]
default: [{ say: "You said: {{text}}" }]
"#;

/// A monitor, and what its terminal shows.
struct Monitor {
    child: Box<dyn Child + Send + Sync>,
    master: Option<Box<dyn MasterPty + Send>>,
    keys: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
    /// Nobody looks any more.
    is_gone: Arc<AtomicBool>,
    reader: Option<std::thread::JoinHandle<()>>,
}

/// For hangs, not for slow machines.
const PATIENCE: Duration = Duration::from_secs(60);

impl Monitor {
    fn open(place: &Place, columns: u16, rows: u16) -> Self {
        let (lines, width) = (NonZero::new(rows).expect("some lines"), NonZero::new(columns).expect("some columns"));
        let size = PtySize { rows, cols: columns, ..PtySize::default() };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_iris"));
        command.arg("monitor");
        command.env("IRIS_HOME", place.home());
        command.env("TERM", "xterm");
        command.env("TZ", "UTC");
        for name in ["IRIS_URL", "IRIS_TOKEN", "IRIS_LOG", "NO_COLOR"] {
            command.env_remove(name);
        }
        let child = pair.slave.spawn_command(command).expect("iris runs");
        drop(pair.slave);
        let keys = pair.master.take_writer().expect("a way to type");
        let mut output = pair.master.try_clone_reader().expect("a way to look");
        let screen = Arc::new(Mutex::new(vt100::Parser::new(lines, width, 0)));
        let is_gone = Arc::new(AtomicBool::new(false));
        let (shown, left) = (Arc::clone(&screen), Arc::clone(&is_gone));
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                if left.load(Ordering::Relaxed) {
                    return;
                }
                shown.lock().expect("nobody panics with it").process(&bytes[..count]);
            }
        });
        Self { child, master: Some(pair.master), keys, screen, is_gone, reader: Some(reader) }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("it can be typed");
    }

    /// Presses until this is on the screen. Keys are deaf for a moment after a question has moved up, so that one that
    /// was meant for another is no answer; and one that comes again at once is held down.
    fn press_until(&mut self, keys: &str, what: &str) {
        let began = Instant::now();
        while !self.seen().contains(what) {
            assert!(began.elapsed() < PATIENCE, "never seen: {what}\n{}", self.seen());
            self.press(keys);
            std::thread::sleep(Duration::from_millis(1500));
        }
    }

    fn seen(&self) -> String {
        self.screen.lock().expect("nobody panics with it").screen().contents()
    }

    /// Waits until this is on the screen.
    fn see(&self, what: &str) -> String {
        self.see_that(what, |screen| screen.contains(what))
    }

    fn see_that(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let screen = self.seen();
            if is_so(&screen) {
                return screen;
            }
            assert!(began.elapsed() < PATIENCE, "never seen: {what}\n{screen}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The terminal goes. Whoever reads it sees that with the next thing that is drawn, which is every second.
    fn close(&mut self) {
        self.is_gone.store(true, Ordering::Relaxed);
        self.keys = Box::new(std::io::sink());
        drop(self.master.take());
        self.reader.take().map(std::thread::JoinHandle::join).transpose().expect("it only reads");
    }

    fn signal(&self, signal: Signal) {
        let pid = self.child.process_id().and_then(|pid| i32::try_from(pid).ok()).expect("it runs");
        kill(Pid::from_raw(pid), signal).expect("it is ours");
    }

    /// How it ended; the terminal is then as it was.
    fn ended(&mut self) -> u32 {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it is ours") {
                break status;
            }
            assert!(began.elapsed() < PATIENCE, "it does not end\n{}", self.seen());
            std::thread::sleep(Duration::from_millis(20));
        };
        // What it wrote last is looked at too.
        if let Some(reader) = self.reader.take() {
            reader.join().expect("it only reads");
            let parser = self.screen.lock().expect("nobody panics with it");
            let screen = parser.screen();
            assert!(!screen.alternate_screen(), "it has left its own screen");
            assert!(!screen.hide_cursor(), "the cursor is there again");
            assert!(!screen.bracketed_paste(), "pasting is as it was");
        }
        assert_eq!(status.signal(), None, "it ends by itself");
        status.exit_code()
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            self.child.kill().ok();
        }
    }
}

fn daemon() -> Daemon {
    let place = Place::with_teams();
    std::fs::write(place.path("script.yaml"), SCRIPT).expect("a script");
    Daemon::on(place)
}

/// What was said in the newest turn of a team.
fn reply(daemon: &Daemon, team: &str) -> String {
    let began = Instant::now();
    loop {
        let kept = daemon.iris(&["cache", "inspect", team, "--json"]).json();
        let last = kept["turns"].as_array().and_then(|turns| turns.last().cloned()).unwrap_or_default();
        if last["state"] == "completed" {
            return last["response"].as_str().unwrap_or_default().to_owned();
        }
        assert!(began.elapsed() < PATIENCE, "the turn does not end: {kept}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn await_questions(daemon: &Daemon, count: usize) {
    let began = Instant::now();
    while daemon.iris(&["inbox", "--json"]).json()["questions"].as_array().map(Vec::len) != Some(count) {
        assert!(began.elapsed() < PATIENCE, "there are never {count} questions");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_number_key_answers_and_the_agent_goes_on() {
    let daemon = daemon();
    let mut monitor = Monitor::open(&daemon.place, 80, 24);
    monitor.see("Nobody needs you.");
    // Asked while somebody looks: it comes in by itself.
    daemon.iris(&["tell", "alpha", "colour", "--async"]).ok();
    let screen = monitor.see("2. Blue");
    assert!(screen.contains("1 needs you") && screen.contains("Which colour?"), "{screen}");
    monitor.press_until("2", "answered; alpha goes on");
    monitor.see("Nobody needs you.");
    assert_eq!(reply(&daemon, "alpha"), "Blue it is");

    monitor.press("fj\r");
    let screen = monitor.see("Blue it is");
    assert!(screen.contains("* Bash: cargo test  = 12 passed"), "{screen}");
    monitor.press("thello there\r");
    monitor.see("You said: hello there");
    monitor.see("turn 2 completed");
    monitor.press("q");
    assert_eq!(monitor.ended(), 0);
}

#[test]
fn a_risky_yes_takes_two_keys_and_a_reply_refuses() {
    let daemon = daemon();
    daemon.iris(&["tell", "alpha", "push", "--async"]).ok();
    daemon.iris(&["tell", "beta", "push", "--async"]).ok();
    await_questions(&daemon, 2);
    let mut monitor = Monitor::open(&daemon.place, 140, 40);
    monitor
        .see_that("both questions", |screen| screen.contains("2 need you") && screen.contains("git push origin main"));
    monitor.press("y");
    monitor.see("the risk is high");
    monitor.press("\u{1b}");
    monitor.see("nothing was done");
    let first = if monitor.seen().contains("alpha for user asks") { ("alpha", "beta") } else { ("beta", "alpha") };
    monitor.press("y");
    monitor.see("the risk is high");
    monitor.press("\r");
    monitor.see(&format!("answered; {} goes on", first.0));
    assert_eq!(reply(&daemon, first.0), "pushed");
    monitor.see_that("the other one", |screen| screen.contains(&format!("{} for user asks", first.1)));
    monitor.press("rnot before the release\r");
    monitor.see(&format!("answered; {} goes on", first.1));
    assert!(reply(&daemon, first.1).contains("not before the release"));
    monitor.press("\u{3}");
    assert_eq!(monitor.ended(), 130);
}

/// The screen never shows another question above the words than the one they are for.
#[test]
fn words_to_a_question_that_another_answers_reach_nobody_and_are_printed_at_the_end() {
    let daemon = daemon();
    daemon.iris(&["tell", "alpha", "colour", "--async"]).ok();
    daemon.iris(&["tell", "beta", "push", "--async"]).ok();
    await_questions(&daemon, 2);
    let questions = daemon.iris(&["inbox", "--json"]).json()["questions"].clone();
    let of_alpha = questions.as_array().and_then(|all| all.iter().find(|one| one["team"] == "alpha")).cloned();
    let id = of_alpha.as_ref().and_then(|one| one["id"].as_str()).expect("alpha asks");
    let mut monitor = Monitor::open(&daemon.place, 80, 24);
    monitor.see_that("both questions", |screen| screen.contains("2 need you"));
    monitor.press_until("j", "alpha for user asks");
    monitor.press("rneither of these");
    monitor.see("answer alpha: neither of these");
    daemon.iris(&["answer", id, "Blue"]).ok();
    let screen = monitor.see("already answered by user (cli, owner) at");
    assert!(screen.contains("UTC") && screen.contains("answer alpha: neither of these"), "{screen}");
    assert!(screen.contains("Which colour?") && screen.contains("alpha for user asks"), "{screen}");
    assert!(!screen.contains("beta for user asks") && !screen.contains("Enter sends"), "{screen}");
    monitor.press("\r");
    monitor.press("\u{1b}");
    monitor.see("Ctrl-Y has your words");
    monitor.see("beta for user asks");
    monitor.press("q");
    assert_eq!(monitor.ended(), 0);
    assert!(monitor.seen().contains("not sent, as far as is known: neither of these"), "{}", monitor.seen());
    assert_eq!(reply(&daemon, "alpha"), "Blue it is");
    await_questions(&daemon, 1);
}

/// A daemon that takes what is sent and says nothing. It goes on when this is dropped, also after a failure.
struct Halted(Pid);

impl Halted {
    fn of(daemon: &Daemon) -> Self {
        let pid = daemon.ready["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).expect("it runs");
        let pid = Pid::from_raw(pid);
        kill(pid, Signal::SIGSTOP).expect("it is ours");
        // A signal is sent, not heeded: until every thread has stopped, one may still answer.
        waitpid(pid, Some(WaitPidFlag::WUNTRACED)).expect("it is our child");
        Self(pid)
    }
}

impl Drop for Halted {
    fn drop(&mut self) {
        kill(self.0, Signal::SIGCONT).ok();
    }
}

#[test]
fn whoever_leaves_while_an_answer_is_under_way_hears_what_came_of_it() {
    let daemon = daemon();
    for (team, key, last) in [("alpha", "", "answered; alpha goes on"), ("beta", "\u{3}", "no answer came yet")] {
        daemon.iris(&["tell", team, "colour", "--async"]).ok();
        await_questions(&daemon, 1);
        let mut monitor = Monitor::open(&daemon.place, 80, 24);
        monitor.see("2. Blue");
        let halted = Halted::of(&daemon);
        monitor.press_until("2", "answering…");
        monitor.press("q");
        monitor.see("waiting for what comes of what you did");
        monitor.press(key);
        if !key.is_empty() {
            monitor.ended();
        }
        drop(halted);
        assert_eq!(monitor.ended(), 0);
        assert!(monitor.seen().contains(last), "{}", monitor.seen());
    }
}

#[test]
fn a_killed_daemon_is_seen_and_so_is_the_next_one() {
    let daemon = daemon();
    daemon.iris(&["tell", "alpha", "hello"]).ok();
    let mut monitor = Monitor::open(&daemon.place, 80, 24);
    monitor.press("f");
    monitor.see("idle");
    monitor.press("j\r");
    monitor.see("You said: hello");
    let place = daemon.kill();
    let screen = monitor.see("CONNECTION LOST");
    assert!(!screen.contains("  live"), "{screen}");
    let daemon = Daemon::on(place);
    monitor.see("  live");
    daemon.iris(&["tell", "alpha", "again", "--async"]).ok();
    monitor.see("You said: again");
    daemon.iris(&["tell", "alpha", "colour", "--async"]).ok();
    monitor.see("1. Red");
    monitor.press_until("1", "Red it is");
    monitor.press("q");
    assert_eq!(monitor.ended(), 0);
}

#[test]
fn a_long_turn_is_followed_and_paged_back_to_its_beginning() {
    let daemon = daemon();
    daemon.iris(&["tell", "alpha", "hello"]).ok();
    daemon.iris(&["tell", "alpha", "flood"]).ok();
    let mut monitor = Monitor::open(&daemon.place, 80, 24);
    monitor.press("f");
    monitor.see("idle");
    monitor.press("j\r");
    monitor.see("3000 x");
    monitor.press_until("g", "You said: hello");
    monitor.press_until("G", "3000 x");
    monitor.see("following");
}

#[test]
fn the_terminal_is_given_back_whatever_happens() {
    let daemon = daemon();
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let mut monitor = Monitor::open(&daemon.place, 80, 24);
        monitor.see("Nobody needs you.");
        monitor.signal(signal);
        assert_eq!(monitor.ended(), 130, "{signal}");
    }
    let mut monitor = Monitor::open(&daemon.place, 80, 24);
    monitor.see("Nobody needs you.");
    monitor.close();
    assert_eq!(monitor.ended(), 130, "its terminal is gone");
}

#[test]
fn without_a_terminal_it_is_printed_or_refused() {
    let daemon = daemon();
    daemon.iris(&["tell", "alpha", "push", "--async"]).ok();
    await_questions(&daemon, 1);
    let told = daemon.iris(&["monitor"]).failed(2);
    assert!(told.contains("iris monitor --once"), "{told}");
    let page = daemon.iris(&["monitor", "--once"]).ok();
    for part in ["NEEDS YOU", "alpha  scripted", "| command: git push origin main", "risk high", "needs you: 1"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains('\u{1b}'), "{page:?}");
    let now = daemon.iris(&["monitor", "--once", "--json"]).json();
    assert_eq!((&now["status"]["pid"], &now["teams"][0]["name"]), (&daemon.ready["pid"], &"alpha".into()));
    assert_eq!((&now["sessions"][0]["to"], &now["questions"][0]["risk"]), (&"alpha".into(), &"high".into()));
    let (place, _) = daemon.stop();
    place.iris(&["monitor", "--once"]).failed(6);
}
