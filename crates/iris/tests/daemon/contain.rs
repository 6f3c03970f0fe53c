//! Nothing an agent started outlives it, and nothing of a killed daemon outlives the next start. Everything here is true
//! for both ways of containment.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use iris_agents::contain::list_leftovers;
use iris_agents::process::{self, Process, State};
use iris_engine::home::Home;
use iris_testing::daemon::{Daemon, Setup, eventually};
use serde_json::json;

use crate::world::{World, id, setup};

const SCRIPT: &str = r#"
replies:
  - match: "^serve$"
    do: [{ fork: { daemonise: true, sleep: 600 } }, { say: "{{result}}" }]
  - match: "^work$"
    do: [{ fork: { daemonise: true, sleep: 600 } }, { say: "{{result}}" }, { hang: deaf }]
  - match: "^stubborn$"
    do: [{ ignore_term: true }, { fork: { daemonise: true, sleep: 600 } }, { say: "here" }, { hang: deaf }]
  - match: "^unmarked$"
    do: [{ run: "(env -i setsid sleep 600 >/dev/null 2>&1 & echo $!)" }, { say: "{{result}}" }]
  - match: "^unmarked work$"
    do: [{ run: "env -i setsid sleep 600 >/dev/null 2>&1 & echo $!; sleep 5" }, { say: "{{result}}" }]
  - match: "^hang$"
    do: [{ say: "thinking" }, { hang: true }]
  - match: "^die$"
    do: [{ fork: { daemonise: true, sleep: 600, keep_stdout: true } }, { stderr: "no luck" }, { crash: { signal: 6 } }]
default: [{ say: "turn {{turn}}" }]
"#;

const WAYS: [&str; 2] = ["containment: auto", "containment: sweep"];

fn ways() -> impl Iterator<Item = Setup> {
    WAYS.into_iter().map(|way| setup().team("alpha", SCRIPT).setting(way).setting("maxProcesses: 40"))
}

/// Both ways at the same time, for what takes seconds.
async fn side_by_side(check: impl AsyncFn(Setup)) {
    let [auto, sweep] = <[Setup; 2]>::try_from(ways().collect::<Vec<_>>()).expect("two ways");
    tokio::join!(check(auto), check(sweep));
}

impl World {
    /// Everything of this home that runs, the daemon apart.
    fn running(&self) -> Vec<Process> {
        let instance = Home::at(self.path()).instance().expect("a daemon ran here");
        list_leftovers(&instance).into_iter().map(|left| left.process).collect()
    }

    /// Waits for as long as it takes the daemon to see and write down what runs.
    async fn has_looked(&self) {
        tokio::time::sleep(Duration::from_secs(4)).await;
    }

    fn doctor(&self, check: &str) -> (String, String) {
        doctor(self.path(), check)
    }

    /// Waits until the agent of a turn has said something: it is in the trouble it is meant for then.
    async fn speaks(&self, turn: &str) {
        let spoke = eventually("it speaks", async || {
            let said = self.get(&format!("/api/turns/{turn}/messages")).await;
            Ok(said["items"].as_array().is_some_and(|said| said.iter().any(|one| one["type"] == "assistant")))
        });
        spoke.await.expect("it does");
    }

    fn children(&self) -> Vec<Process> {
        process::list().into_iter().filter(|one| u32::try_from(one.parent) == Ok(self.daemon.pid)).collect()
    }

    fn open_files(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.daemon.pid)).expect("it runs").count()
    }
}

/// The verdict of one check, and what is said about it.
fn doctor(home: &Path, check: &str) -> (String, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_iris"));
    let output = command.args(["doctor", "--json"]).env("IRIS_HOME", home).output().expect("it runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("findings");
    let found = findings.iter().find(|finding| finding["check"] == check).expect("it is looked at");
    let text = |name: &str| found[name].as_str().unwrap_or_default().to_owned();
    (text("verdict"), text("what"))
}

fn runs(pid: &str) -> bool {
    Process::find(pid.trim().parse().expect("a number")).is_some_and(|one| one.is_alive())
}

#[tokio::test]
async fn a_server_that_was_daemonised_ends_with_its_agent() {
    for setup in ways() {
        let world = World::new(setup);
        let server = world.tell("serve").await["response"].as_str().expect("a pid").to_owned();
        assert!(runs(&server), "it lives as long as its agent");
        assert_eq!(world.post("/api/teams/alpha/sleep", json!({})).await.1["stopped"], 1);
        assert!(!runs(&server), "and no longer");
        assert_eq!(world.running(), []);
        assert_eq!(world.children(), [], "no zombie either");
    }
}

#[tokio::test]
async fn one_that_threw_its_mark_away_ends_with_the_last_agent_at_the_latest() {
    for setup in ways() {
        let world = World::new(setup);
        let stray = world.tell("unmarked").await["response"].as_str().expect("a pid").to_owned();
        assert!(runs(&stray));
        assert_eq!(world.post("/api/teams/alpha/sleep", json!({})).await.1["stopped"], 1);
        eventually("it is gone", async || Ok(!runs(&stray))).await.expect("gone");
        eventually("no zombie stays", async || Ok(world.children().is_empty())).await.expect("none");
    }
}

#[tokio::test]
async fn one_that_threw_its_mark_away_is_ended_by_the_start_after_a_killed_daemon() {
    for setup in ways() {
        let world = World::new(setup);
        let stray = world.tell("unmarked").await["response"].as_str().expect("a pid").to_owned();
        world.has_looked().await;
        let killed = Instant::now();
        let world = world.crash_and_restart();
        eventually("it is gone", async || Ok(!runs(&stray))).await.expect("gone");
        assert!(killed.elapsed() < Duration::from_secs(15), "{:?}", killed.elapsed());
        // Its agent may have ended by itself, when its pipe broke.
        let ended = world.events("daemon.recovered").await[0]["data"]["processes"].as_i64();
        assert!(matches!(ended, Some(1 | 2)), "{ended:?}");
        assert_eq!(world.doctor("leftovers").0, "ok");
    }
}

/// Its parent was seen beside it, so it is known whose it is.
#[tokio::test]
async fn one_that_threw_its_mark_away_and_lost_its_parent_ends_with_its_own_agent() {
    for setup in ways() {
        let world = World::new(setup);
        world.client().tell("other", "alpha", "hello").await.expect("told");
        let stray = world.tell("unmarked work").await["response"].as_str().expect("a pid").to_owned();
        assert!(runs(&stray));
        world.post("/api/teams/alpha/sleep", json!({ "fromTeam": "user" })).await;
        assert!(!runs(&stray));
        assert_eq!(world.session("other").await["state"], "idle", "which is not the last one");
    }
}

#[tokio::test]
async fn the_doctor_names_what_a_sleeping_agent_left_beside_one_that_is_awake() {
    let world = World::new(setup().team("alpha", SCRIPT).setting("containment: sweep"));
    world.client().tell("other", "alpha", "hello").await.expect("told");
    assert_eq!(world.doctor("leftovers").0, "ok");
    let stray = world.tell("unmarked").await["response"].as_str().expect("a pid").trim().to_owned();
    world.post("/api/teams/alpha/sleep", json!({ "fromTeam": "user" })).await;
    world.has_looked().await;
    assert!(runs(&stray), "it ends with the last agent");
    let (verdict, what) = world.doctor("leftovers");
    assert!(verdict == "warning" && what.contains(&stray), "{verdict}: {what}");
}

#[tokio::test]
async fn an_exit_is_told_within_a_second_though_a_server_holds_the_pipe() {
    for setup in ways() {
        let world = World::new(setup);
        world.tell("hello").await;
        let began = Instant::now();
        let died = world.tell("die").await;
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
        assert_eq!((&died["signal"], &died["stderr"]), (&json!(6), &json!("no luck")));
        eventually("nothing is left", async || Ok(world.running().is_empty())).await.expect("nothing");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_agent_at_work_is_told_as_silent_and_ended() {
    side_by_side(async |setup| {
        let world = World::new(setup.setting("responseTimeout: 2s"));
        let told = world.tell_async("user", "hang").await;
        eventually("it works", async || Ok(!world.events("message").await.is_empty())).await.expect("works");
        let pid = world.session("user").await["pid"].as_i64().expect("a pid").to_string();
        assert!(std::process::Command::new("kill").args(["-STOP", &pid]).status().expect("kill runs").success());
        let is_silent =
            async || Ok(world.session("user").await["silentMs"].as_i64().is_some_and(|silent| silent > 500));
        eventually("it is shown as silent", is_silent).await.expect("silent");
        assert_eq!(world.ended(id(&told)).await["reason"], "response_timeout");
        eventually("it is ended", async || Ok(world.session("user").await["state"] == "stopped")).await.expect("ended");
        assert!(world.session("user").await["silentMs"].is_null(), "nothing is expected of it any more");
        assert!(!runs(&pid));
        assert_eq!(world.running(), []);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_starts_and_stops_leave_nothing() {
    const PARTIES: usize = 10;
    // A thousand the strong way, and as many the weak way as there is patience for.
    for (setup, rounds) in ways().zip([100, 30]) {
        let world = World::new(setup.setting("maxSpawning: 4"));
        let files = world.open_files();
        let mut parties = tokio::task::JoinSet::new();
        for party in 0..PARTIES {
            let mut client = world.client();
            parties.spawn(async move {
                let body = json!({ "fromTeam": format!("p{party}"), "force": true });
                for round in 0..rounds {
                    let woken = client.post("/api/teams/alpha/wake", &body).await.expect("an answer");
                    assert_eq!(woken.status, 200);
                    if round == 0 {
                        client.tell(&format!("p{party}"), "alpha", "serve").await.expect("told");
                    }
                    let slept = client.post("/api/teams/alpha/sleep", &body).await.expect("an answer");
                    assert_eq!(slept.json().expect("JSON")["stopped"], 1);
                }
            });
        }
        while let Some(party) = parties.join_next().await {
            party.expect("no party fails");
        }
        assert_eq!(world.running(), []);
        eventually("no zombie stays", async || Ok(world.children().is_empty())).await.expect("none");
        eventually("no file stays open", async || Ok(world.open_files() <= files + 1)).await.expect("none");
        let stops = world.get("/api/status").await;
        assert_eq!(stops["agents"], 0);
    }
}

#[tokio::test]
async fn twenty_agents_at_work_when_the_daemon_is_killed_are_gone_and_run_once() {
    for setup in ways() {
        let world = World::new(setup);
        let mut told = Vec::new();
        for party in 0..20 {
            told.push(world.tell_async(&format!("p{party}"), "work").await);
        }
        for one in &told {
            world.speaks(id(one)).await;
        }
        let before = world.running();
        assert_eq!(before.len(), 40, "each with a server: {before:?}");
        let killed = Instant::now();
        let world = world.crash_and_restart();
        eventually("all of it is gone", async || Ok(world.running().is_empty())).await.expect("gone");
        assert!(killed.elapsed() < Duration::from_secs(15), "{:?}", killed.elapsed());
        assert!(before.iter().all(|one| {
            Process::find(one.pid).is_none_or(|now| now.started != one.started || now.state == State::Ended)
        }));
        for one in &told {
            let turn = world.ended(id(one)).await;
            assert_eq!((turn["reason"].as_str(), turn["attempts"].as_i64()), (Some("interrupted"), Some(1)), "{turn}");
        }
        let recovered = world.events("daemon.recovered").await;
        assert_eq!(recovered[0]["data"]["sessions"], 20);
        assert_eq!(recovered[0]["data"]["processes"], before.len(), "it says how many it ended");
        assert!(world.daemon.log().contains("ended what had outlived an earlier daemon"));
        let mut starts = BTreeMap::new();
        for event in world.events("session.ready").await {
            *starts.entry(event["session"].to_string()).or_insert(0) += 1;
        }
        assert!(starts.len() == 20 && starts.values().all(|count| *count == 1), "{starts:?}");
        // What an agent was told is in its journal: once.
        let journals = std::fs::read_dir(world.path().join("data/agents")).expect("journals");
        for journal in journals.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
            if journal.extension().is_some_and(|extension| extension == "jsonl") {
                assert_eq!(std::fs::read_to_string(&journal).expect("readable").lines().count(), 1, "{journal:?}");
            }
        }
    }
}

#[tokio::test]
async fn agents_are_known_again_though_the_lock_file_was_taken_away() {
    for setup in ways() {
        let world = World::new(setup);
        let told = world.tell_async("user", "work").await;
        world.speaks(id(&told)).await;
        let before = world.running();
        assert_eq!(before.len(), 2, "with its server: {before:?}");
        let run = world.path().join("run");
        std::fs::remove_file(run.join("daemon.lock")).expect("it is there");
        // The next lock file is another than the one before, whatever the file system gives its number to.
        (0..5).for_each(|n| std::fs::write(run.join(format!("other{n}")), "").expect("writable"));
        let World { daemon, setup, home } = world;
        daemon.kill().expect("killed");
        let (verdict, what) = doctor(home.path(), "leftovers");
        assert!(verdict == "problem" && what.contains(&before[0].pid.to_string()), "{verdict}: {what}");
        let daemon = Daemon::start(&setup, home.path()).expect("the daemon starts again");
        let world = World { daemon, setup, home };
        assert!(before.iter().all(|one| !runs(&one.pid.to_string())));
        assert_eq!(world.ended(id(&told)).await["reason"], "interrupted");
    }
}

#[tokio::test]
async fn a_copy_of_a_home_leaves_the_agents_of_the_original_alone() {
    for setup in ways() {
        let world = World::new(setup);
        let server = world.tell("serve").await["response"].as_str().expect("a pid").to_owned();
        let agent = world.session("user").await["pid"].as_i64().expect("a pid").to_string();
        let copy = tempfile::tempdir().expect("a temporary folder");
        let copied = std::process::Command::new("cp").arg("-a").arg(world.path().join(".")).arg(copy.path()).status();
        assert!(copied.expect("cp runs").success());
        let other = Daemon::start(&world.setup, copy.path()).expect("the copy serves");
        assert!(runs(&agent) && runs(&server));
        drop(other);
        assert!(runs(&agent) && runs(&server));
        assert_eq!(world.tell("hello").await["response"], "turn 2");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_kill_switch_ends_everything_within_ten_seconds() {
    side_by_side(async |setup| {
        let world = World::new(setup.team("slow", "start: { delay: 60s }\n"));
        world.tell("serve").await;
        let mut running = Vec::new();
        for (party, message) in [("a", "work"), ("b", "stubborn"), ("c", "hang")] {
            running.push(world.tell_async(party, message).await);
        }
        let waiting = world.tell_async("a", "never run").await;
        let later = json!({"toTeam": "alpha", "fromTeam": "d", "message": "later", "timeout": -1, "delay": 2000});
        let later = world.post("/api/teams/tell", later).await.1;
        let starting = json!({"toTeam": "slow", "message": "hello", "timeout": -1});
        let starting = world.post("/api/teams/tell", starting).await.1;
        for one in &running {
            world.speaks(id(one)).await;
        }
        eventually("one starts", async || Ok(world.get("/api/status").await["agents"] == 5)).await.expect("it does");

        let began = Instant::now();
        let (status, stopped) = world.post("/api/agents/stop", json!({})).await;
        let took = began.elapsed();
        assert_eq!((status, &stopped["agents"]), (200, &json!(5)), "{stopped}");
        assert!(took < Duration::from_secs(10), "{took:?}");
        assert_eq!(world.running(), [], "nothing runs when it answers");
        assert_eq!(world.get("/api/status").await["agents"], 0);
        for one in &running {
            let turn = world.turn(id(one)).await;
            assert_eq!(
                (turn["state"].as_str(), turn["reason"].as_str()),
                (Some("terminated"), Some("stopped")),
                "{turn}"
            );
        }
        for one in [&waiting, &starting, &later] {
            assert_eq!(world.turn(id(one)).await["state"], "cancelled");
        }
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!(world.running(), [], "and nothing starts again by itself");
        assert_eq!(world.tell("hello").await["response"], "turn 2", "until somebody says so");
    })
    .await;
}
