//! A disk that is full or fails: no false acknowledgement, a clear state, and recovery without a restart.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use iris_testing::daemon::{Daemon, eventually};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::shim::Faults;
use crate::world::{ECHO, SOON, World, id, setup};

fn world(faults: &Faults) -> World {
    let mut setup = setup().team("alpha", ECHO);
    setup.env.extend(faults.env());
    World::new(setup)
}

/// Tells under a fault: each is either refused or accepted for good.
async fn tell_under_fault(world: &World, round: usize, accepted: &mut BTreeSet<String>) -> (u16, Value) {
    let text = format!("under fault {round}");
    let (status, value) =
        world.post("/api/teams/tell", json!({"toTeam": "alpha", "message": text, "timeout": -1})).await;
    if status == 200 {
        accepted.insert(text);
    }
    (status, value)
}

async fn survives(fault: &str, value: &str, says: &str) {
    let faults = Faults::new();
    let world = world(&faults);
    let mut accepted = BTreeSet::new();
    for round in 0..5 {
        tell_under_fault(&world, round, &mut accepted).await;
    }
    eventually("all have run", async || Ok(world.events("turn.finished").await.len() == 5)).await.expect("ran");

    faults.set(fault, value);
    let mut refused = 0;
    for round in 5..15 {
        let (status, problem) = tell_under_fault(&world, round, &mut accepted).await;
        if status != 200 {
            assert_eq!((status, problem["kind"].as_str()), (503, Some("unavailable")), "{problem}");
            assert!(problem["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{problem}");
            refused += 1;
        }
    }
    assert_eq!(refused, 10, "nothing can be written down, so nothing is accepted");
    let status = world.get("/api/status").await;
    assert_eq!(status["store"]["state"], "troubled", "{status}");
    assert!(status["store"]["what"].as_str().expect("what").contains(says), "{status}");
    // What was written before can still be read.
    assert_eq!(world.events("turn.finished").await.len(), 5);

    faults.clear(fault);
    eventually("it can write again", async || Ok(world.get("/api/status").await["store"]["state"] == "well"))
        .await
        .expect("it recovers by itself");
    let (status, _) = tell_under_fault(&world, 15, &mut accepted).await;
    assert_eq!(status, 200, "accepted again, without a restart");
    eventually("all have run", async || Ok(world.events("turn.finished").await.len() == accepted.len()))
        .await
        .expect("ran");
    assert_eq!(world.events("daemon.store_healed").await.len(), 1, "and the log says that it happened");

    let world = world.crash_and_restart();
    let session = world.session("user").await["id"].as_str().expect("an id").to_owned();
    let turns = world.get(&format!("/api/sessions/{session}/turns?limit=1000")).await;
    let found: BTreeSet<String> = turns["items"]
        .as_array()
        .expect("turns")
        .iter()
        .map(|turn| turn["message"].as_str().expect("text").to_owned())
        .collect();
    assert_eq!(found, accepted, "exactly what was accepted is there");
}

#[tokio::test]
async fn a_failed_sync_is_never_an_acknowledgement() {
    survives("sync", "", "refused a write").await;
}

#[tokio::test]
async fn a_disk_that_says_it_is_full_is_believed() {
    survives("full", "", "disk is full").await;
}

/// SQLite says of what has no room only that it failed, if it is not the file itself that is to grow.
#[tokio::test]
async fn a_write_that_fails_for_want_of_room_is_said_to_be_so() {
    let faults = Faults::new();
    let world = world(&faults);
    world.tell("before").await;
    faults.set("no-room", "");
    faults.set("sync", "");
    let (status, problem) = tell_under_fault(&world, 0, &mut BTreeSet::new()).await;
    let what = problem["detail"].as_str().unwrap_or_default();
    assert!(status == 503 && what.contains("disk is full"), "{problem}");
    assert!(problem["hint"].as_str().is_some_and(|hint| hint.contains("free some space")), "{problem}");
    let status = world.get("/api/status").await;
    assert!(status["store"]["what"].as_str().is_some_and(|what| what.contains("disk is full")), "{status}");
    faults.clear("sync");
    eventually("it can write again", async || Ok(world.get("/api/status").await["store"]["state"] == "well"))
        .await
        .expect("it recovers by itself");
    assert_eq!(world.tell("after").await["status"], "completed");
}

/// Of what is asked while a commit waits nothing waits for it but what has to be written itself.
async fn answers_beside_a_commit(world: &World, told: &mut JoinSet<(u16, Value)>) {
    // Each by a connection of its own, so that new ones are taken, too.
    for round in 0..5 {
        for path in ["/api/teams", "/api/status", "/api/sessions", "/api/events?limit=1"] {
            let answer = tokio::time::timeout(SOON, world.get(path)).await;
            answer.unwrap_or_else(|_| panic!("{path} waits for somebody else's commit, round {round}"));
        }
        // Who wants to write waits, and for no longer than they are willing to.
        let body = json!({"toTeam": "alpha", "fromTeam": "other", "message": "me too", "timeout": -1});
        assert!(tokio::time::timeout(Duration::from_millis(50), world.post("/api/teams/tell", body)).await.is_err());
    }
    assert!(told.try_join_next().is_none(), "what is not on disk is not acknowledged");
}

/// Tells in the background, and returns when the daemon has had the time to take it up.
async fn tell_meanwhile(world: &World) -> JoinSet<(u16, Value)> {
    let mut client = world.client();
    let mut told = JoinSet::new();
    told.spawn(async move {
        let body = json!({"toTeam": "alpha", "message": "held up", "timeout": 0});
        let answer = client.post("/api/teams/tell", &body).await.expect("an answer");
        (answer.status, answer.json().expect("JSON"))
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    told
}

/// A lone tell commits on a thread of the runtime, and that thread may be the one that hears of everything else.
#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_takes_its_time_holds_up_nobody_who_does_not_write() {
    let faults = Faults::new();
    let world = world(&faults);
    for _ in 0..3 {
        assert_eq!(world.tell("hello").await["status"], "completed");
        // Nobody else has written lately, so the tell is alone.
        tokio::time::sleep(Duration::from_millis(200)).await;
        faults.set("hold", "");
        let mut told = tell_meanwhile(&world).await;
        answers_beside_a_commit(&world, &mut told).await;
        faults.clear("hold");
        let (status, told) = told.join_next().await.expect("one").expect("told");
        assert_eq!((status, &told["response"]), (200, &json!("You said: held up")), "{told}");
    }
}

/// Somebody looks into the database with a tool, and leaves a transaction open.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_another_program_has_locked_holds_up_nobody_who_does_not_write() {
    let world = World::new(setup().team("alpha", ECHO));
    assert_eq!(world.tell("hello").await["status"], "completed");
    let other = rusqlite::Connection::open(world.path().join("data/iris.db")).expect("opened");
    other.busy_timeout(SOON).expect("set");
    tokio::time::sleep(Duration::from_millis(200)).await;
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let mut told = tell_meanwhile(&world).await;
    answers_beside_a_commit(&world, &mut told).await;
    other.execute_batch("ROLLBACK").expect("unlocked");
    let (status, told) = told.join_next().await.expect("one").expect("told");
    assert_eq!((status, &told["response"]), (200, &json!("You said: held up")), "{told}");
    assert_eq!(world.get("/api/status").await["store"]["state"], "well");

    // For good, it is said what is wrong and what to do.
    other.execute_batch("BEGIN IMMEDIATE").expect("locked");
    let body = json!({"toTeam": "alpha", "message": "refused", "timeout": -1});
    let (status, problem) =
        tokio::time::timeout(SOON, world.post("/api/teams/tell", body)).await.expect("an answer though it is locked");
    assert_eq!((status, problem["kind"].as_str()), (503, Some("unavailable")), "{problem}");
    assert!(problem["detail"].as_str().is_some_and(|what| what.contains("another program has locked")), "{problem}");
    assert!(problem["hint"].as_str().is_some_and(|hint| hint.contains("end that program")), "{problem}");
    other.execute_batch("ROLLBACK").expect("unlocked");
    eventually("it goes on by itself", async || Ok(world.get("/api/status").await["store"]["state"] == "well"))
        .await
        .expect("it does");
    assert_eq!(world.tell("again").await["status"], "completed");
}

/// Agents go whether or not that can be written down, and whoever stopped them is told both.
#[tokio::test]
async fn the_kill_switch_says_that_agents_were_ended_though_nothing_can_be_written() {
    let faults = Faults::new();
    let world = world(&faults);
    world.tell("hello").await;
    let pid = world.session("user").await["pid"].as_u64().expect("a pid");
    let (_, later) = world
        .post("/api/teams/tell", json!({"toTeam": "alpha", "message": "later", "timeout": -1, "delay": 3_600_000}))
        .await;
    faults.set("full", "");
    let (status, problem) = world.post("/api/agents/stop", json!({})).await;
    assert_eq!((status, problem["kind"].as_str()), (503, Some("unavailable")), "{problem}");
    let detail = problem["detail"].as_str().expect("what");
    assert!(detail.starts_with("1 agent was ended") && detail.contains("the disk is full"), "{problem}");
    assert!(problem["hint"].as_str().is_some_and(|hint| hint.contains("by itself")), "{problem}");
    let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    assert!(command.is_empty(), "it is gone, or dead and not yet asked how it ended");
    let log = world.daemon.log();
    let killed = log.lines().find(|line| line.contains("agents were killed")).expect("it is said");
    assert!(killed.contains("disk is full") && !killed.contains("in time"), "not waited for what cannot be: {killed}");
    faults.clear("full");
    // What waits does not start when the database is back: it is withdrawn then.
    assert_eq!(world.ended(crate::world::id(&later)).await["state"], "cancelled");
}

#[tokio::test]
async fn whoever_puts_an_agent_to_sleep_is_told_that_it_cannot_be_written() {
    let faults = Faults::new();
    let world = world(&faults);
    world.tell("hello").await;
    faults.set("full", "");
    let slept = world.post("/api/teams/alpha/sleep", json!({}));
    let (status, problem) = tokio::time::timeout(SOON, slept).await.expect("an answer though the disk is full");
    assert_eq!((status, problem["kind"].as_str()), (503, Some("unavailable")), "{problem}");
    assert!(problem["detail"].as_str().is_some_and(|what| what.contains("disk is full")), "{problem}");
    faults.clear("full");
    eventually("it ends then", async || Ok(world.session("user").await["state"] == "stopped")).await.expect("it does");
}

#[tokio::test]
async fn whoever_wakes_an_agent_is_told_that_it_cannot_be_written() {
    let faults = Faults::new();
    let world = world(&faults);
    world.tell("hello").await;
    world.post("/api/teams/alpha/sleep", json!({})).await;
    faults.set("full", "");
    let woken = world.post("/api/teams/alpha/wake", json!({}));
    let (status, problem) = tokio::time::timeout(SOON, woken).await.expect("an answer though the disk is full");
    assert_eq!((status, problem["kind"].as_str()), (503, Some("unavailable")), "{problem}");
    assert!(problem["detail"].as_str().is_some_and(|what| what.contains("disk is full")), "{problem}");
    faults.clear("full");
    eventually("it starts then", async || Ok(world.session("user").await["state"] == "idle")).await.expect("it does");
}

/// A turn that runs when the disk fills is not forgotten: its end is written when there is room again.
#[tokio::test]
async fn a_turn_that_ends_while_nothing_can_be_written_is_written_later() {
    let faults = Faults::new();
    let mut setup = setup().team("alpha", "default: [{ delay: 300ms }, { say: 'done {{text}}' }]\n");
    setup.env.extend(faults.env());
    let world = World::new(setup);
    let told = world.tell_async("user", "work").await;
    eventually("it runs", async || Ok(world.turn(id(&told)).await["state"] == "running")).await.expect("runs");
    faults.set("full", "");
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(world.turn(id(&told)).await["state"], "running", "its end is not known to the disk yet");
    faults.clear("full");
    let turn = world.ended(id(&told)).await;
    assert_eq!((turn["state"].as_str(), turn["response"].as_str()), (Some("completed"), Some("done work")));
}

/// The agent's task tries to write the end and hears nobody. Whoever waits is told in time what there is all the same.
#[tokio::test]
async fn a_caller_whose_patience_ends_while_nothing_can_be_written_gets_what_was_said() {
    let faults = Faults::new();
    let mut setup = setup().team("alpha", "default: [{ delay: 300ms }, { say: 'done {{text}}' }]\n");
    setup.env.extend(faults.env());
    let world = World::new(setup);
    let body = json!({"toTeam": "alpha", "message": "work", "timeout": 1500});
    let fill = async {
        eventually("it runs", async || Ok(!world.events("turn.started").await.is_empty())).await.expect("runs");
        faults.set("full", "");
    };
    let began = Instant::now();
    let (told, ()) = tokio::join!(tokio::time::timeout(SOON, world.post("/api/teams/tell", body)), fill);
    let (status, told) = told.expect("an answer though the disk is full");
    assert_eq!((status, &told["status"], &told["partialResponse"]), (200, &json!("mcp_timeout"), &json!("done work")));
    let waited = began.elapsed();
    tokio::time::sleep(waited).await;
    faults.clear("full");
    let turn = world.ended(id(&told)).await;
    assert_eq!((turn["state"].as_str(), turn["response"].as_str()), (Some("completed"), Some("done work")));
    // It was over before the caller was answered, and written long after that.
    let took = turn["durationMs"].as_u64().map(Duration::from_millis);
    assert!(took.is_some_and(|took| took <= waited), "{turn}");
}

/// The real thing: a small file system that is filled to the last byte. Needs the right to mount one.
#[tokio::test]
async fn a_file_system_without_room() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mounted =
        std::process::Command::new("mount").args(["-t", "tmpfs", "-o", "size=6m", "tmpfs"]).arg(folder.path()).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        eprintln!("a file system cannot be mounted here: this test is left out");
        return;
    }
    let outcome = fill_and_free(folder.path()).await;
    let unmounted = std::process::Command::new("umount").arg("-l").arg(folder.path()).status();
    assert!(unmounted.expect("umount runs").success());
    outcome.expect("it survives");
}

/// The daemon serves whether or not anybody takes what it logs. A panic about it would end it in the middle of a turn.
async fn serves_with_stderr(wrapper: &str) {
    let mut setup = setup().team("alpha", ECHO).env("IRIS_LOG", "debug");
    setup.wrapper = ["sh", "-c", wrapper, "sh"].map(str::to_owned).to_vec();
    let mut world = World::new(setup);
    for round in 0..5 {
        assert_eq!(world.tell(&format!("hello {round}")).await["status"], "completed");
    }
    assert!(world.daemon.is_alive());
    let status = world.daemon.stop().expect("it ends");
    assert!(status.success(), "{status}");
}

#[tokio::test]
async fn a_log_on_a_full_disk_stops_nothing() {
    serves_with_stderr(r#"exec "$@" 2>/dev/full"#).await;
}

#[tokio::test]
async fn a_log_that_nobody_reads_any_more_stops_nothing() {
    // `:` ends at once, and the pipe to it has no reader from then on.
    serves_with_stderr(r#"{ "$@" 2>&1 >&3 3>&- | :; } 3>&1"#).await;
}

async fn fill_and_free(folder: &std::path::Path) -> anyhow::Result<()> {
    let home = folder.join("home");
    std::fs::create_dir(&home)?;
    // Its log is on the same disk, as that of a daemon in the background is, and has much to say.
    let setup = setup().team("alpha", ECHO).env("IRIS_LOG", "debug");
    setup.write(&home)?;
    let daemon = Daemon::start(&setup, &home)?;
    let mut client = daemon.client();
    client.tell("user", "alpha", "before").await?;
    let ballast = folder.join("ballast");
    // Until not one more byte fits.
    let mut file = std::fs::File::create(&ballast)?;
    let mut piece = 64 * 1024;
    while piece > 0 {
        if std::io::Write::write_all(&mut file, &vec![0; piece]).is_err() {
            piece /= 2;
        }
    }
    let big = "x".repeat(200_000);
    let body = json!({"toTeam": "alpha", "message": big, "timeout": -1});
    let mut refused = None;
    for _ in 0..50 {
        let answer = client.post("/api/teams/tell", &body).await?;
        if answer.status != 200 {
            refused = Some(answer);
            break;
        }
    }
    let refused = refused.ok_or_else(|| anyhow::anyhow!("the disk never filled"))?;
    anyhow::ensure!(refused.status == 503, "{}", String::from_utf8_lossy(&refused.body));
    drop(file);
    std::fs::remove_file(&ballast)?;
    eventually("it can write again", async || {
        Ok(daemon.client().get("/api/status").await?.json()?["store"]["state"] == "well")
    })
    .await?;
    let told = daemon.client().tell("late", "alpha", "after").await?;
    anyhow::ensure!(told["status"] == "completed", "{told}");
    daemon.stop()?;
    Ok(())
}

/// A database is made at the first start, and every start after a kill finds it made or makes it.
#[tokio::test]
async fn killed_at_any_sync_of_its_first_start_it_starts_the_next_time() {
    const MORE_THAN_THERE_ARE: u32 = 200;
    let faults = Faults::new();
    let mut setup = setup().team("alpha", ECHO);
    setup.env.extend(faults.env());
    for sync in 1.. {
        assert!(sync < MORE_THAN_THERE_ARE, "a start has an end");
        let home = tempfile::tempdir().expect("a temporary folder");
        setup.write(home.path()).expect("a home");
        faults.set("kill", &sync.to_string());
        let lived = Daemon::start(&setup, home.path());
        faults.clear("kill");
        if let Ok(daemon) = lived {
            daemon.stop().expect("it ends");
            assert!(sync > 3, "it was killed at {sync} syncs");
            return;
        }
        let again =
            Daemon::start(&setup, home.path()).unwrap_or_else(|error| panic!("killed at sync {sync}: {error:#}"));
        again.stop().expect("it ends");
    }
}

/// What was there is there, or kept whole and everything is as in the backup; what was only begun is gone with the next start.
#[tokio::test]
async fn a_restore_that_is_killed_at_any_sync_leaves_nothing_half_made() {
    const MORE_THAN_THERE_ARE: u32 = 200;
    let faults = Faults::new();
    let World { daemon, setup, home } = world(&faults);
    daemon.client().tell("user", "alpha", "remember this").await.expect("told");
    let iris = |words: &[&str]| {
        let mut command = std::process::Command::new(&setup.binary);
        command.args(words).env("IRIS_HOME", home.path()).envs(faults.env()).current_dir(home.path());
        command.output().expect("it runs")
    };
    assert!(iris(&["backup", "whole.tar"]).status.success());
    let config = home.path().join("config.yaml");
    let is_later = || std::fs::read_to_string(&config).expect("a config").contains("# later");
    let go_on = async |daemon: Daemon| {
        daemon.client().tell("user", "alpha", "later").await.expect("told");
        daemon.stop().expect("it ends");
        let text = std::fs::read_to_string(&config).expect("a config");
        std::fs::write(&config, text + "# later\n").expect("written");
    };
    go_on(daemon).await;
    let data = home.path().join("data");
    let names = || {
        let entries = std::fs::read_dir(&data).expect("a folder").flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let mut finished = 0;
    for sync in 1.. {
        assert!(sync < MORE_THAN_THERE_ARE, "a restore has an end");
        faults.set("kill", &sync.to_string());
        let restored = iris(&["restore", "whole.tar", "--yes"]);
        faults.clear("kill");
        for name in names().iter().filter(|name| name.starts_with("iris-before-restore") && name.ends_with(".db")) {
            let kept = rusqlite::Connection::open(data.join(name)).expect("a database");
            let said = kept.query_row("SELECT count(*) FROM turn WHERE state = 'completed'", [], |row| row.get(0));
            assert!(matches!(said, Ok(2..)), "{name}, killed at sync {sync}: {said:?}");
        }
        if restored.status.success() {
            assert!(sync > 3 && finished > 1, "it was killed at {sync} syncs, {finished} times after all was decided");
            return;
        }
        let daemon = Daemon::start(&setup, home.path()).unwrap_or_else(|error| panic!("killed at {sync}: {error:#}"));
        let turns = daemon.client().get("/api/events?kind=turn.finished").await.and_then(|answer| answer.json());
        let turns = turns.expect("JSON")["items"].as_array().map(Vec::len);
        assert_eq!(turns, Some(if is_later() { 2 } else { 1 }), "killed at sync {sync}");
        finished += u32::from(!is_later());
        if is_later() {
            daemon.stop().expect("it ends");
        } else {
            go_on(daemon).await
        }
        let is_half = |name: &&String| {
            name.contains("restoring") || name.contains("before-restore.db") || name.ends_with("-journal")
        };
        assert_eq!(names().iter().find(is_half), None, "killed at sync {sync}");
    }
}
