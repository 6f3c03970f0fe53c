//! The demo comes and goes, and touches nothing that is not its own.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::daemon::{Place, Ran, mode};

/// A home in which nothing is; its daemon is ended when the test is.
struct Stage(Place);

impl Stage {
    fn new() -> Self {
        Self(Place::empty())
    }

    fn iris(&self, words: &[&str]) -> Ran {
        let mut command = self.0.command(words);
        command.env("IRIS_PORT", "0").env("HOME", self.0.path("user"));
        Ran::of(command)
    }

    fn up(&self) -> Ran {
        self.iris(&["up", "--demo", "--no-open"])
    }

    /// Until the demo waits for an answer.
    fn wait_for_its_question(&self) {
        let began = Instant::now();
        while self.iris(&["inbox", "--json"]).json()["questions"].as_array().is_none_or(Vec::is_empty) {
            assert!(began.elapsed() < Duration::from_secs(60), "no question came");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Answers what the demo asks, when it asks.
    fn answer(&self, answer: &str) {
        self.wait_for_its_question();
        let question = self.iris(&["inbox", "--json"]).json()["questions"][0]["id"].take();
        self.iris(&["answer", question.as_str().expect("an id"), answer]).ok();
    }

    fn rules(&self) -> Value {
        self.iris(&["rules", "list", "--json"]).json()["rules"].take()
    }

    fn events(&self) -> String {
        self.iris(&["events", "--json"]).ok()
    }

    /// The files of the home in which this stands.
    fn files_with(&self, text: &str) -> Vec<PathBuf> {
        let (mut found, mut folders) = (Vec::new(), vec![self.0.home()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                let (path, kind) = (entry.path(), entry.file_type().expect("it is there"));
                if kind.is_dir() {
                    folders.push(path);
                } else if kind.is_file() {
                    let holds = |bytes: Vec<u8>| bytes.windows(text.len()).any(|found| found == text.as_bytes());
                    found.extend(fs::read(&path).is_ok_and(holds).then_some(path));
                }
            }
        }
        found
    }

    fn conversations(&self) -> usize {
        fs::read_dir(self.0.home().join("data/agents")).map_or(0, Iterator::count)
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.iris(&["down"]);
    }
}

const CODER: &str = "price.py has a discount now";

#[test]
fn it_goes_with_all_that_was_said() {
    let stage = Stage::new();
    stage.up().ok();
    assert_eq!(mode(&stage.0.home()), 0o700);
    stage.wait_for_its_question();
    let inbox = stage.iris(&["inbox", "--once"]).ok();
    assert!(inbox.contains("DEMO"), "who is asked sees by whom: {inbox}");
    assert!(stage.events().contains(CODER) && stage.conversations() > 0);
    assert_eq!(stage.iris(&["demo", "clean"]).ok(), "the demo is gone\n");
    for said in [CODER, "discount", "question.opened"] {
        assert_eq!(stage.files_with(said), Vec::<PathBuf>::new(), "{said}, while the daemon runs");
    }
    assert!(!stage.events().contains("question") && !stage.events().contains(CODER), "{}", stage.events());
    assert_eq!(stage.conversations(), 0);
    assert!(!stage.0.home().join("demo").exists());
    let run = fs::read_dir(stage.0.home().join("run")).expect("a folder").map(|entry| entry.expect("readable"));
    let left: Vec<_> =
        run.map(|entry| entry.file_name()).filter(|name| name.to_string_lossy().contains("demo")).collect();
    assert!(left.is_empty(), "{left:?}");
    stage.iris(&["down"]).ok();
    let database = fs::read(stage.0.home().join("data/iris.db")).expect("a database");
    let is_in = |text: &str| database.windows(text.len()).any(|found| found == text.as_bytes());
    assert!(is_in("session.deleted") && !is_in("question.opened"), "what was said is overwritten");
    assert!(!is_in(CODER) && !is_in("discount"), "and so are copies of it");
    assert_eq!(stage.iris(&["demo", "clean"]).ok(), "there is no demo\n");
}

fn clean_at_once(stage: &Stage) {
    let mut said: Vec<String> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..3).map(|_| scope.spawn(|| stage.iris(&["demo", "clean"]).ok())).collect();
        all.into_iter().map(|one| one.join().expect("it ended")).collect()
    });
    said.sort();
    assert_eq!(said, ["the demo is gone\n", "there is no demo\n", "there is no demo\n"]);
    assert!(!stage.0.home().join("demo").exists());
    let config = fs::read_to_string(stage.0.home().join("config.yaml")).unwrap_or_default();
    assert!(!config.contains("demo-"), "{config}");
    assert_eq!(stage.conversations(), 0);
}

#[test]
fn of_several_at_once_one_takes_it_away() {
    let stage = Stage::new();
    stage.up().ok();
    stage.wait_for_its_question();
    clean_at_once(&stage);
}

/// The first starts a daemon and ends it, and the others may not have that one taken away.
#[test]
fn of_several_at_once_one_takes_it_away_also_without_a_daemon() {
    let stage = Stage::new();
    stage.up().ok();
    stage.wait_for_its_question();
    stage.iris(&["down", "--now"]).ok();
    clean_at_once(&stage);
    assert!(stage.iris(&["status"]).failed(6).contains("not running"), "none is left running");
}

/// A refusal holds for a day, and would answer in the next demo before anybody is asked.
#[test]
fn of_several_at_once_one_begins_it() {
    let stage = Stage::new();
    let said: Vec<String> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..4).map(|_| scope.spawn(|| stage.up().ok())).collect();
        all.into_iter().map(|one| one.join().expect("it ended")).collect()
    });
    let begun = said.iter().filter(|said| said.contains("the demo is at work; soon")).count();
    assert_eq!(begun, 1, "{said:?}");
    let kept = stage.iris(&["cache", "inspect", "demo-lead", "--after", "0", "--json"]).json();
    let turns = kept["turns"].as_array().expect("turns");
    let told = turns.iter().filter(|turn| turn["message"] == "Please give the shop a discount.").count();
    assert_eq!(told, 1, "{kept}");
}

#[test]
fn what_was_decided_goes_with_it() {
    let stage = Stage::new();
    stage.up().ok();
    stage.answer("10 percent");
    stage.wait_for_its_question();
    let inbox = stage.iris(&["inbox", "--once"]).ok();
    assert!(inbox.contains("git commit") && inbox.contains("DEMO"), "also of the approval: {inbox}");
    stage.answer("no");
    assert_ne!(stage.rules(), Value::Array(Vec::new()));
    stage.iris(&["demo", "clean"]).ok();
    assert_eq!(stage.rules(), Value::Array(Vec::new()));
}

/// What was asked is not asked again, and what was allowed is done.
#[test]
fn an_approval_holds_over_a_restart() {
    let stage = Stage::new();
    stage.up().ok();
    stage.answer("10 percent");
    stage.wait_for_its_question();
    stage.iris(&["down", "--now"]).ok();
    stage.iris(&["up", "--no-open"]).ok();
    stage.answer("yes");
    let began = Instant::now();
    let said = || stage.iris(&["cache", "inspect", "demo-lead"]).ok();
    while !said().contains("That was the demo") {
        let asked = stage.iris(&["inbox", "--json"]).json();
        assert_eq!(asked["questions"], Value::Array(Vec::new()), "{}", said());
        assert!(began.elapsed() < Duration::from_secs(60), "{}", said());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(said().contains("Committed"), "{}", said());
}

/// Git takes the repository from its environment before the one it stands in.
#[test]
fn a_repository_that_the_environment_names_is_somebody_elses() {
    let stage = Stage::new();
    let mine = stage.0.path("mine");
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        let ran = git.arg("-C").arg(&mine).args(words).env_remove("GIT_DIR").output().expect("git runs");
        String::from_utf8_lossy(&ran.stdout).trim().to_owned()
    };
    fs::create_dir(&mine).expect("a folder");
    git(&["init", "-q"]);
    let mut command = stage.0.command(&["up", "--demo", "--no-open"]);
    command.env("IRIS_PORT", "0").env("HOME", stage.0.path("user"));
    command.env("GIT_DIR", mine.join(".git")).env("GIT_WORK_TREE", &mine).env("GIT_INDEX_FILE", mine.join("index"));
    Ran::of(command).ok();
    stage.wait_for_its_question();
    assert_eq!(git(&["rev-list", "--all"]), "", "nothing was committed there");
    assert_eq!(git(&["config", "--local", "user.email"]), "");
    assert!(!mine.join("index").exists() && stage.0.home().join("demo/shop/.git").is_dir());
}

#[test]
fn what_was_put_off_goes_with_it() {
    let stage = Stage::new();
    stage.up().ok();
    stage.iris(&["tell", "demo-coder", "later", "--in", "10m"]).ok();
    assert_eq!(stage.iris(&["demo", "clean"]).ok(), "the demo is gone\n");
    assert_eq!(stage.conversations(), 0);
}

/// The agent of a team that is gone ends with its turn, and the turn waits for an answer.
#[test]
fn it_goes_when_its_teams_are_gone_already() {
    let stage = Stage::new();
    stage.up().ok();
    stage.wait_for_its_question();
    let again = stage.up();
    let told = format!("{}{}", again.stdout, again.stderr);
    assert_eq!(told.matches("the demo is at work").count(), 1, "{told}");
    assert!(told.contains("the demo is at work already; what it asks"), "{told}");
    for team in ["demo-lead", "demo-coder"] {
        stage.iris(&["teams", "remove", team]).ok();
    }
    assert_eq!(stage.iris(&["demo", "clean"]).ok(), "the demo is gone\n");
    assert_eq!(stage.conversations(), 0);
    assert!(!stage.0.home().join("demo").exists());
}

#[test]
fn the_config_is_left_as_it_was_found() {
    for config in ["# mine\nsettings:\n  maxQueue: 9\n", "{ \"settings\": { \"maxQueue\": 9 } }"] {
        let stage = Stage::new();
        stage.0.configure(config);
        let file = stage.0.home().join("config.yaml");
        stage.up().ok();
        assert_ne!(fs::read_to_string(&file).expect("a config"), config);
        assert_eq!(mode(&stage.0.home().join("demo/config.yaml.before")), 0o600);
        stage.iris(&["demo", "clean"]).ok();
        assert_eq!(fs::read_to_string(&file).expect("a config"), config);
        // What its owner changed meanwhile stays.
        stage.up().ok();
        let changed = fs::read_to_string(&file).expect("a config").replace(": 9", ": 8");
        fs::write(&file, changed).expect("written");
        stage.iris(&["demo", "clean"]).ok();
        let left = fs::read_to_string(&file).expect("a config");
        assert!(left.contains(": 8") && !left.contains("demo"), "{left}");
    }
}

/// What people type is text, wherever it ends up.
#[test]
fn an_answer_is_written_and_never_run() {
    let stage = Stage::new();
    stage.up().ok();
    let mark = stage.0.path("pwned");
    let answer = format!("it's \"x\\'; touch {}; echo '$(id)\n\"\"\"", mark.display());
    stage.answer(&answer);
    let file = stage.0.home().join("demo/shop/limits.py");
    let began = Instant::now();
    while !file.exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "nothing was written");
        std::thread::sleep(Duration::from_millis(50));
    }
    stage.wait_for_its_question();
    let expected = format!("LARGEST_DISCOUNT = {}\n", Value::from(answer));
    assert_eq!(fs::read_to_string(&file).expect("a file"), expected);
    assert!(!mark.exists());
}

#[test]
fn it_goes_without_a_daemon_too() {
    let stage = Stage::new();
    stage.up().ok();
    stage.wait_for_its_question();
    stage.iris(&["down", "--now"]).ok();
    assert_eq!(stage.iris(&["demo", "clean"]).ok(), "the demo is gone\n");
    assert!(stage.iris(&["status"]).failed(6).contains("not running"), "none is left running");
    stage.iris(&["up", "--no-open"]).ok();
    let inbox = stage.iris(&["inbox", "--json"]).json();
    assert_eq!(inbox["questions"], Value::Array(Vec::new()));
    assert_eq!(stage.iris(&["sessions", "list", "--json"]).json()["items"], Value::Array(Vec::new()));
    assert_eq!(stage.iris(&["teams", "list", "--json"]).json()["items"], Value::Array(Vec::new()));
}

#[test]
fn a_team_of_the_same_name_is_somebody_elses() {
    let stage = Stage::new();
    let config = format!("teams:\n  demo-lead: {{ path: {} }} # mine\n", stage.0.path("").display());
    stage.0.configure(&config);
    let (mine, file) = (stage.0.home().join("demo/mine.txt"), stage.0.home().join("config.yaml"));
    fs::create_dir_all(mine.parent().expect("a folder")).and_then(|()| fs::write(&mine, "mine")).expect("written");
    let told = stage.up().failed(4);
    assert!(told.contains("there is a team 'demo-lead' that is not the demo's"), "{told}");
    assert_eq!(stage.iris(&["demo", "clean"]).ok(), "there is no demo\n");
    assert_eq!(fs::read_to_string(&file).expect("a config"), config);
    assert!(mine.exists() && !stage.0.home().join("run").exists(), "nothing was touched or started");

    // A file of the user's in the demo's folder outlives the demo.
    fs::write(&file, "teams: {}\n").expect("written");
    stage.up().ok();
    assert!(stage.iris(&["demo", "clean"]).ok().contains("demo stays, because something in it is not the demo's"));
    assert_eq!(fs::read_dir(mine.parent().expect("a folder")).expect("readable").count(), 1);
    assert!(mine.exists());
}
