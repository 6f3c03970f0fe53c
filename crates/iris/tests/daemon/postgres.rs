//! PostgreSQL under the daemon: the same behaviour, two nodes on one database, and a server that goes away.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use iris_testing::daemon::{Daemon, eventually};
use iris_testing::postgres::fresh_database;
use iris_testing::postgres::server::Server;
use nix::sys::signal::Signal;
use serde_json::json;

use crate::world::{ECHO, SOON, World, id, setup};

#[tokio::test]
async fn tells_run_and_survive_a_kill() {
    let Some(url) = fresh_database() else { return };
    let world = World::new(setup().team("alpha", "default: [{ say: 'turn {{turn}}' }]\n").database(&url));
    assert_eq!(world.get("/api/status").await["database"], "postgres");
    assert_eq!(world.tell("one").await["response"], "turn 1");
    let world = world.crash_and_restart();
    assert_eq!(world.tell("two").await["response"], "turn 2");
    assert_eq!(world.events("turn.finished").await.len(), 2);
}

#[tokio::test]
async fn what_one_node_is_told_the_other_sees_and_may_not_disturb() {
    let Some(url) = fresh_database() else { return };
    let first = World::new(setup().team("alpha", ECHO).database(&url));
    let second = World::new(setup().team("alpha", ECHO).database(&url));
    let mut stream = second.client().follow("/api/events?kind=turn.finished&after=0").await.expect("a stream");
    let told = first.tell("hello").await;
    let (_, event) = stream.next(SOON).await.expect("the other node hears of it");
    assert_eq!(event["turn"], told["turnId"]);
    // The first node serves the session: a tell that comes in through the second is run there.
    let through_second = second.tell("again").await;
    assert_eq!((&through_second["sessionId"], &through_second["status"]), (&told["sessionId"], &json!("completed")));
    let starts = first.events("session.spawning").await;
    assert_eq!(starts.len(), 1, "one agent for one session: {starts:?}");
}

/// Nobody looks by themselves for longer than this test waits: what one node knows of the other it was told.
#[tokio::test]
async fn readers_and_idle_agents_are_woken_by_what_another_node_writes() {
    let Some(url) = fresh_database() else { return };
    let never_looks = || {
        let setup = setup().team("alpha", ECHO).setting("healthCheckInterval: 1h");
        World::new(setup.database(&url).database_key("pollInterval: 1h"))
    };
    let (first, second) = (never_looks(), never_looks());
    let mut stream = second.client().follow("/api/events?kind=turn.finished&after=0").await.expect("a stream");
    for text in ["one", "two", "three"] {
        let told = first.tell(text).await;
        let (_, event) = stream.next(SOON).await.expect("the reader at the other node is woken");
        assert_eq!(event["turn"], told["turnId"]);
    }
    // The agent is idle at the first node, and the tell is taken in by the second.
    let told = second.tell_async("user", "four").await;
    let (_, event) = stream.next(SOON).await.expect("the agent is woken, and the reader again");
    assert_eq!(event["turn"], told["turnId"]);
}

/// The agent's program keeps the conversation on its machine: another node would begin anew.
#[tokio::test]
async fn a_conversation_stays_with_the_node_that_has_it_until_that_is_gone() {
    let Some(url) = fresh_database() else { return };
    let counting = || setup().team("alpha", "default: [{ say: 'turn {{turn}}' }]\n").database(&url);
    let first = World::new(counting());
    assert_eq!(first.tell("one").await["response"], "turn 1");
    let second = World::new(counting());
    first.post("/api/teams/alpha/sleep", json!({})).await;
    let (status, problem) = second.post("/api/teams/alpha/wake", json!({})).await;
    assert_eq!((status, problem["detail"].to_string().contains("another node")), (503, true), "{problem}");
    assert_eq!(second.tell("two").await["response"], "turn 2", "told here, run there");
    let World { daemon, setup, home } = first;
    daemon.kill().expect("killed");
    let told = second.tell_async("user", "three").await;
    let ended = second.ended(id(&told)).await;
    assert_eq!(ended["response"], "turn 1", "nobody else is left: {ended}");
    assert_eq!(second.events("session.began_anew").await.len(), 1, "which is said");

    // The way back: the program of the first node still has what was said there, and no more than that.
    let node = second.get("/api/status").await["node"].clone();
    let World { daemon, .. } = second;
    daemon.kill().expect("killed");
    let daemon = Daemon::start(&setup, home.path()).expect("the daemon starts again");
    let first = World { daemon, setup, home };
    let told = first.tell_async("user", "four").await;
    let ended = first.ended(id(&told)).await;
    assert_eq!(ended["response"], "turn 3", "the third was said elsewhere: {ended}");
    let said = first.events("session.fell_behind").await;
    assert_eq!((said.len(), &said[0]["data"]), (1, &json!({"turns": 1, "nodes": [node]})), "{said:?}");
    let messages = first.get(&format!("/api/turns/{}/messages", id(&told))).await;
    let is_said = messages.to_string().contains("the agent may know nothing of the turn before this one");
    assert!(is_said, "{messages}");
    let World { daemon, setup, home } = first;
    daemon.stop().expect("stopped");
    let daemon = Daemon::start(&setup, home.path()).expect("the daemon starts again");
    let first = World { daemon, setup, home };
    assert_eq!(first.tell("five").await["response"], "turn 4");
    assert_eq!(first.events("session.fell_behind").await.len(), 1, "it is not said twice");
}

/// It hears nothing from its agent that it could not write down, and still must not let it work beside the other's.
#[tokio::test]
async fn a_node_that_was_given_up_on_ends_an_agent_that_says_nothing() {
    let Some(url) = fresh_database() else { return };
    let quiet = || setup().team("alpha", "replies:\n  - match: hang\n    do: [{ hang: true }]\n").database(&url);
    let first = World::new(quiet());
    let told = first.tell_async("user", "hang").await;
    eventually("it runs", async || Ok(first.turn(id(&told)).await["state"] == "running")).await.expect("runs");
    // Not before: a node that is up may be quicker to take what another was told.
    let second = World::new(quiet());
    let pid = first.session("user").await["pid"].as_u64().expect("a pid");
    let is_there = || std::path::Path::new(&format!("/proc/{pid}")).exists();
    // What it had to write down about the start is written: stopped in the middle of that, it would hold locks.
    tokio::time::sleep(Duration::from_millis(500)).await;
    first.daemon.signal(Signal::SIGSTOP).expect("stopped");
    let next = second.tell_async("user", "hello").await;
    // Not before the lease has run out, which is half of what is waited for something at most; so it is waited twice.
    let goes_on = async || Ok(second.turn(id(&next)).await["state"] == "completed");
    if eventually("the other goes on with the session", &goes_on).await.is_err() {
        eventually("the other goes on with the session", &goes_on).await.expect("it does");
    }
    assert_eq!(second.turn(id(&told)).await["reason"], "interrupted");
    assert!(is_there(), "nobody has ended the agent so far");
    first.daemon.signal(Signal::SIGCONT).expect("goes on");
    eventually("the agent is ended", async || Ok(!is_there())).await.expect("ended");
    assert!(first.daemon.log().contains("another node serves this session"), "{}", first.daemon.log());
    assert_eq!(second.tell("again").await["status"], "completed", "the other is not disturbed");
}

/// Where the team says who serves it, nobody else does.
#[tokio::test]
async fn a_team_is_served_by_its_node_only() {
    let Some(url) = fresh_database() else { return };
    let first = World::new(setup().team("alpha", ECHO).database(&url));
    let node = first.get("/api/status").await["node"].as_str().expect("a name").to_owned();
    let second = World::new(setup().team("alpha", ECHO).team_key(&format!("node: {node}")).database(&url));
    assert_eq!(second.tell("hello").await["status"], "completed");
    let agents = async |world: &World| world.get("/api/status").await["agents"].clone();
    assert_eq!((agents(&first).await, agents(&second).await), (json!(1), json!(0)));

    let alone = World::new(setup().team("alpha", ECHO).team_key("node: elsewhere"));
    let refused = alone.tell("hello").await["error"].to_string();
    assert!(refused.contains("bound to the node 'elsewhere'") && refused.contains("remove `node`"), "{refused}");
}

/// Whoever is not told of the turn tells it again, and has the work done twice.
#[tokio::test(flavor = "multi_thread")]
async fn a_caller_whose_patience_ends_while_the_server_is_away_is_told_its_turn() {
    let Some(server) = Server::new() else { return };
    let script = "default: [{ say: 'so far' }, { delay: 4s }, { say: done }]\n";
    let world = World::new(setup().team("alpha", script).database(&server.url()));
    let body = json!({"toTeam": "alpha", "message": "work", "timeout": 3000});
    let stop = async {
        eventually("it speaks", async || Ok(!world.events("message").await.is_empty())).await.expect("speaks");
        server.stop();
    };
    let ((status, told), ()) = tokio::join!(world.post("/api/teams/tell", body), stop);
    assert_eq!((status, &told["status"]), (200, &json!("mcp_timeout")), "{told}");
    assert_eq!(told["partialResponse"], "so far");
    // What it has said so far is known without a database; that there are no messages is not because it said nothing.
    assert!(told["note"].as_str().is_some_and(|note| note.contains("database does not answer")), "{told}");
    server.start();
    let is_over = async || {
        let turn = world.client().get(&format!("/api/turns/{}", id(&told))).await?;
        Ok(turn.status == 200 && turn.json()?["state"] == "completed")
    };
    eventually("it goes on", is_over).await.expect("it does");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_stopped_under_load_and_comes_back_loses_nothing() {
    loses_nothing(3, Server::stop, Server::start).await;
}

/// What was sent to it before it froze it may still do when it goes on: also commits that were given up on.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_freezes_under_load_and_goes_on_loses_nothing() {
    loses_nothing(2, Server::freeze, Server::thaw).await;
}

/// Its processes are there, and the system takes for them what they are sent: only time tells that nobody answers.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_frozen_is_said_to_be_away_and_nobody_waits_for_it_for_ever() {
    let Some(server) = Server::new() else { return };
    let world = World::new(setup().team("alpha", ECHO).database(&server.url()));
    assert_eq!(world.tell("hello").await["status"], "completed");
    server.freeze();
    let mut client = world.client();
    let read = tokio::time::timeout(SOON, client.get("/api/sessions")).await.expect("an answer").expect("an answer");
    assert_eq!(read.status, 503, "{}", String::from_utf8_lossy(&read.body));
    assert_eq!(world.get("/api/status").await["store"]["state"], "troubled", "also if nobody writes");
    let body = json!({"toTeam": "alpha", "message": "held up", "timeout": 0, "key": "once"});
    for path in ["tell", "tell again"] {
        let told = tokio::time::timeout(SOON, world.post("/api/teams/tell", body.clone())).await;
        let (status, problem) = told.unwrap_or_else(|_| panic!("{path}: no answer"));
        assert_eq!((status, problem["kind"].as_str()), (503, Some("unavailable")), "{path}: {problem}");
        assert!(problem["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{problem}");
    }
    let status = world.get("/api/status").await;
    assert_eq!(status["store"]["state"], "troubled", "{status}");
    server.thaw();
    eventually("it reconnects by itself", async || Ok(world.get("/api/status").await["store"]["state"] == "well"))
        .await
        .expect("reconnected");
    for _ in 0..2 {
        let (_, told) = world.post("/api/teams/tell", body.clone()).await;
        assert_eq!(told["response"], "You said: held up", "{told}");
    }
    assert_eq!(world.events("turn.finished").await.len(), 2, "hello, and once what was held up");
}

async fn loses_nothing(rounds: usize, leave: fn(&Server), come_back: fn(&Server)) {
    let Some(server) = Server::new() else { return };
    let world = World::new(setup().team("alpha", "default: [{ delay: 2ms }, { say: done }]\n").database(&server.url()));
    let accepted: Arc<Mutex<Vec<String>>> = Arc::default();
    let stop = Arc::new(AtomicBool::new(false));
    let mut talking = tokio::task::JoinSet::new();
    for party in 0..3 {
        let (accepted, stop, mut client) = (Arc::clone(&accepted), Arc::clone(&stop), world.client());
        talking.spawn(async move {
            let mut number = 0;
            while !stop.load(Ordering::SeqCst) {
                let key = format!("p{party}-{number}");
                let body = json!({"toTeam": "alpha", "fromTeam": format!("p{party}"), "message": key, "timeout": -1, "key": key});
                match client.post("/api/teams/tell", &body).await.ok().filter(|answer| answer.status == 200) {
                    Some(answer) => {
                        let turn = answer.json().expect("JSON")["turnId"].as_str().expect("a turn").to_owned();
                        accepted.lock().expect("not poisoned").push(turn);
                        number += 1;
                    }
                    // Refused, or in doubt: the same key again.
                    None => tokio::time::sleep(Duration::from_millis(20)).await,
                }
            }
        });
    }
    for _ in 0..rounds {
        tokio::time::sleep(Duration::from_millis(300)).await;
        leave(&server);
        eventually("the trouble is shown", async || Ok(world.get("/api/status").await["store"]["state"] == "troubled"))
            .await
            .expect("shown");
        come_back(&server);
        eventually("it reconnects by itself", async || Ok(world.get("/api/status").await["store"]["state"] == "well"))
            .await
            .expect("reconnected");
    }
    stop.store(true, Ordering::SeqCst);
    talking.join_all().await;
    let accepted = accepted.lock().expect("not poisoned").clone();
    assert!(accepted.len() > 20, "{}", accepted.len());
    for turn in &accepted {
        let ended = world.ended(turn).await;
        assert_eq!((ended["state"].as_str(), ended["attempts"].as_i64()), (Some("completed"), Some(1)), "{ended}");
    }
    // The daemon goes before its database does.
    let told = world.tell_async("user", "last").await;
    world.ended(id(&told)).await;
    assert!(world.daemon.stop().expect("stopped").success());
}
