//! The pool: who gets an agent, who waits, who has to go.

use serde_json::json;

use iris_testing::daemon::eventually;

use crate::reconfigure::BEHIND;
use crate::world::{ECHO, World, id, setup};

const SLOW: &str = "replies:\n  - match: '^slow'\n    do: [{ delay: 500ms }, { say: done }]\n";

#[tokio::test]
async fn an_idle_agent_makes_room_and_its_conversation_is_kept() {
    let script = "default: [{ say: 'turn {{turn}}' }]\n";
    let world = World::new(setup().team("alpha", script).setting("maxProcesses: 2"));
    let mut client = world.client();
    for party in ["a", "b", "c"] {
        assert_eq!(client.tell(party, "alpha", "hello").await.expect("told")["response"], "turn 1", "{party}");
    }
    assert_eq!(world.session("a").await["state"], "stopped", "the least recently used went");
    assert_eq!(world.session("b").await["state"], "idle");
    assert_eq!(world.session("c").await["state"], "idle");
    let evicted = world.events("session.stopped").await;
    assert_eq!(evicted[0]["data"]["why"], "evicted");
    assert_eq!(client.tell("a", "alpha", "again").await.expect("told")["response"], "turn 2", "it remembers");
    assert_eq!(world.session("b").await["state"], "stopped", "now b was used least recently");
}

#[tokio::test]
async fn a_busy_agent_is_never_evicted_and_the_wait_is_visible() {
    let world = World::new(setup().team("alpha", &SLOW.replace("500ms", "2s")).setting("maxProcesses: 1"));
    let slow = world.tell_async("a", "slow").await;
    eventually("the first runs", async || Ok(world.turn(id(&slow)).await["state"] == "running")).await.expect("runs");
    let waiting = world.tell_async("b", "hello").await;
    eventually("the wait is told", async || Ok(!world.events("session.waiting").await.is_empty())).await.expect("told");
    assert_eq!(world.events("session.waiting").await[0]["data"]["reason"], "pool_busy");
    assert_eq!(world.get("/api/status").await["waitingSessions"], 1);
    assert_eq!(world.turn(id(&waiting)).await["note"], "waits for a place: all agents are at work");
    assert_eq!(world.ended(id(&slow)).await["state"], "completed");
    assert_eq!(world.ended(id(&waiting)).await["state"], "completed");
    assert_eq!(world.get("/api/status").await["waitingSessions"], 0);
}

#[tokio::test]
async fn an_agent_that_is_about_to_begin_a_turn_by_itself_is_not_evicted() {
    let world = World::new(setup().team("alpha", BEHIND).setting("maxProcesses: 1"));
    assert_eq!(world.tell("go").await["response"], "started");
    let waiting = world.tell_async("b", "hello").await;
    world.eventually("the wait is told", async || !world.events("session.waiting").await.is_empty()).await;
    world.touch("end");
    world.touch("speak");
    assert_eq!(world.ended(id(&waiting)).await["state"], "completed");
    let turns = world.turns("user", 1).await;
    assert_eq!(turns.get(1).map(|own| &own["response"]), Some(&json!("own words")), "{turns:?}");
}

/// Each has more to do than its time: an agent is not started anew for every turn.
#[tokio::test]
async fn sessions_that_take_turns_keep_their_agents_for_a_while() {
    let script = "default: [{ delay: 500ms }, { say: 'turn {{turn}}' }]\n";
    let world = World::new(setup().team("alpha", script).setting("maxProcesses: 1"));
    let mut all = Vec::new();
    for _ in 0..12 {
        for party in ["a", "b", "c"] {
            all.push(world.tell_async(party, "more").await);
        }
    }
    for turn in &all {
        assert_eq!(world.ended(id(turn)).await["state"], "completed");
    }
    let starts = world.events("session.spawning").await.len();
    assert!(starts <= 9, "{starts} starts for {} turns", all.len());
}

/// As many hang at their start as may start at once; there are places for more.
#[tokio::test]
async fn agents_that_hang_at_their_start_hold_no_others_up() {
    let hung = "start: { silent: true }\n";
    let world = World::new(
        setup().team("alpha", hung).team("beta", ECHO).setting("maxSpawning: 1").setting("sessionInitTimeout: 60s"),
    );
    world.tell_async("user", "hello").await;
    let mut client = world.client();
    let told = client.tell("other", "beta", "hello").await.expect("told");
    assert_eq!(told["status"], "completed", "{told}");
    let spawning = world.session("user").await;
    assert_eq!(spawning["state"], "spawning", "the other is still being waited for: {spawning}");
}

/// The only agent always has a next turn. It makes way between two of them, and its session goes on where it was.
#[tokio::test]
async fn a_session_that_always_has_more_to_do_does_not_keep_others_out() {
    let script = "default: [{ delay: 500ms }, { say: 'turn {{turn}}' }]\n";
    let world = World::new(setup().team("alpha", script).setting("maxProcesses: 1"));
    let mut many = Vec::new();
    for _ in 0..20 {
        many.push(world.tell_async("a", "more").await);
    }
    let other = world.tell_async("b", "hello").await;
    assert_eq!(world.ended(id(&other)).await["state"], "completed");
    assert_eq!(world.turn(id(&many[19])).await["state"], "queued", "b did not wait for all of them");
    for (number, turn) in many.iter().enumerate() {
        let ended = world.ended(id(turn)).await;
        assert_eq!(ended["response"], format!("turn {}", number + 1), "in order, in one conversation: {ended}");
        assert_eq!(ended["attempts"], 1, "none was told twice: {ended}");
    }
    let causes: Vec<_> =
        world.events("session.stopped").await.iter().map(|event| event["data"]["why"].clone()).collect();
    assert_eq!(causes, ["evicted", "evicted"], "a for b, and b, which was idle, for a");
}

/// Long enough for the pool to have looked again.
const A_LOOK: std::time::Duration = std::time::Duration::from_millis(2500);

/// Nobody has to go for work that was withdrawn while it waited for a place; somebody who was woken has one all the same.
#[tokio::test]
async fn what_is_cancelled_while_it_waits_takes_no_place() {
    let world = World::new(setup().team("alpha", SLOW).setting("maxProcesses: 1"));
    let slow = world.tell_async("a", "slow").await;
    eventually("the first runs", async || Ok(world.turn(id(&slow)).await["state"] == "running")).await.expect("runs");
    let waiting = world.tell_async("b", "hello").await;
    eventually("it waits", async || Ok(world.get("/api/status").await["waitingSessions"] == 1)).await.expect("waits");
    assert_eq!(world.post(&format!("/api/turns/{}/cancel", id(&waiting)), json!({})).await.0, 200);
    assert_eq!(world.ended(id(&slow)).await["state"], "completed");
    tokio::time::sleep(A_LOOK).await;
    assert_eq!(world.events("session.spawning").await.len(), 1, "none is started with nothing to do");
    assert_eq!(world.session("a").await["state"], "idle", "and none had to go for it");
    assert_eq!(world.get("/api/status").await["waitingSessions"], 0);
    let (status, woken) = world.post("/api/teams/alpha/wake", json!({"fromTeam": "b"})).await;
    assert_eq!((status, &woken["session"]["state"]), (200, &json!("idle")), "{woken}");
}

/// The only place is taken by an agent that waits for the one that waits for the place.
#[tokio::test]
async fn what_is_refused_while_it_waits_takes_no_place() {
    let world = World::new(setup().team("alpha", ASKS).team("beta", ASKS).setting("maxProcesses: 1"));
    let told = world.tell("ask beta hello").await;
    assert!(told["response"].as_str().expect("text").contains("wait for each other"), "{told}");
    tokio::time::sleep(A_LOOK).await;
    assert_eq!(world.events("session.spawning").await.len(), 1, "none is started with nothing to do");
    assert_eq!(world.session("user").await["state"], "idle", "and none had to go for it");
}

const ASKS: &str = r#"
replies:
  - match: '^ask (\w+) (.*)$'
    do: [{ mcp: { server: iris, tool: team_tell, arguments: { toTeam: "$1", message: "$2" } } }, { say: "{{result}}" }]
"#;

/// alpha asks beta, who asks alpha, who asks beta: the last is told who waits for whom, each once.
#[tokio::test]
async fn a_circle_is_told_link_by_link() {
    let world = World::new(setup().team("alpha", ASKS).team("beta", ASKS));
    let told = world.tell("ask beta ask alpha ask beta hello").await;
    let said = told["response"].as_str().expect("text");
    assert!(said.contains("next: beta (asked by alpha) -> alpha (asked by beta)"), "{told}");
}

/// The same by the command line in their shells, which does not wait by its request but follows by the events.
fn asks_by_shell() -> String {
    let iris = env!("CARGO_BIN_EXE_iris");
    format!(
        "replies:\n  - match: '^ask (\\w+) (.*)$'\n    do: [{{ run: \"{iris} --home ../.. tell $1 '$2' 2>&1\" }}, {{ say: '{{{{result}}}}' }}]\n"
    )
}

#[tokio::test]
async fn a_circle_is_found_in_tells_from_shells() {
    let world = World::new(setup().team("alpha", &asks_by_shell()).team("beta", &asks_by_shell()));
    let told = world.tell("ask beta ask alpha ask beta hello").await;
    let said = told["response"].as_str().expect("text");
    assert!(said.contains("next: beta (asked by alpha) -> alpha (asked by beta)"), "{told}");
    let turns = world.events("turn.queued").await;
    assert_eq!(world.turn(turns[3]["turn"].as_str().expect("a turn")).await["state"], "cancelled", "it is withdrawn");
}

#[tokio::test]
async fn a_pool_full_of_shells_that_wait_is_found() {
    let world =
        World::new(setup().team("alpha", &asks_by_shell()).team("beta", &asks_by_shell()).setting("maxProcesses: 1"));
    let told = world.tell("ask beta hello").await;
    assert!(told["response"].as_str().expect("text").contains("wait for each other"), "{told}");
}

/// Nobody waits any more who has broken off: what is told back then is no circle.
#[tokio::test]
async fn a_shell_that_does_not_wait_any_more_is_in_no_circle() {
    let tell = |words: &str| format!("{{ run: '{} --home ../.. tell {words} 2>&1' }}", env!("CARGO_BIN_EXE_iris"));
    let (start, slow) = (tell("beta go --async"), tell("beta hello"));
    let alpha = format!(
        "replies:\n  - match: '^start$'\n    do: [{start}]\n  - match: '^slow$'\n    do: [{{ delay: 2s }}, {slow}, {{ say: '{{{{result}}}}' }}]\n"
    );
    let go = tell("alpha slow --timeout 500ms");
    let beta = format!(
        "replies:\n  - match: '^go$'\n    do: [{go}, {{ delay: 4s }}]\ndefault: [{{ say: 'You said: {{{{text}}}}' }}]\n"
    );
    let world = World::new(setup().team("alpha", &alpha).team("beta", &beta));
    world.tell("start").await;
    eventually("it is told", async || Ok(world.events("turn.queued").await.len() == 3)).await.expect("told");
    let slow = world.events("turn.queued").await[2]["turn"].as_str().expect("a turn").to_owned();
    let told = world.ended(&slow).await;
    assert_eq!(told["response"].as_str().map(str::trim), Some("You said: hello"), "{told}");
}

/// The same, though the last tell is one that was told before and is found again by its key: it waits all the same. What
/// was told first is not broken off for it.
#[tokio::test]
async fn a_circle_is_found_in_a_tell_that_is_repeated() {
    let asks = |team: &str, message: &str, key: &str| {
        format!(
            "default: [{{ mcp: {{ server: iris, tool: team_tell, arguments: {{ toTeam: {team}, message: {message}, timeout: 0{key} }} }} }}, {{ say: '{{{{result}}}}' }}]\n"
        )
    };
    let (alpha, beta) = (asks("beta", "go", ", key: once"), asks("alpha", "back", ""));
    let world = World::new(setup().team("alpha", &alpha).team("beta", &beta));
    let told = world.tell("first").await;
    assert_eq!(told["status"], "completed", "{told}");
    let said = told["response"].as_str().expect("text");
    assert!(said.contains("beta cannot be asked") && said.contains("waits for the next"), "{told}");
}

/// Two sessions that wait for a limit to be lifted do not push each other out of the only place.
#[tokio::test]
async fn what_is_held_by_a_limit_takes_no_place() {
    let script =
        "replies:\n  - match: limit\n    do: [{ api_error: { status: 429, retries: 0, message: 'slow down' } }]\n";
    let world = World::new(setup().team("alpha", script).setting("maxProcesses: 1"));
    for party in ["a", "b"] {
        world.tell_async(party, "limit").await;
        let is_held = async || Ok(!world.session(party).await["heldUntil"].is_null());
        eventually("it is held", is_held).await.expect("held");
    }
    assert_eq!(world.tell("hello").await["status"], "completed", "the place is free for whoever can work");
    world.tell_async("a", "more").await;
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(world.session("a").await["state"], "stopped");
    assert_eq!(world.events("session.spawning").await.len(), 3, "each was started once");
}

/// A turn that was paused costs what all its tries cost, and one that meets a limit every time ends.
#[tokio::test]
async fn tries_are_added_up_and_have_an_end() {
    let script = "replies:\n  - match: limit\n    do: [{ cost: 0.25 }, { api_error: { status: 429, retries: 0, message: 'slow down' } }]\n";
    let world = World::new(setup().team("alpha", script).setting("limitPause: 0s"));
    let told = world.tell_async("user", "limit").await;
    let ended = world.ended(id(&told)).await;
    assert_eq!((&ended["state"], &ended["attempts"]), (&json!("failed"), &json!(20)), "{ended}");
    assert_eq!(ended["usage"]["costUsd"], 5.0, "{ended}");
    assert!(ended["error"].to_string().contains("at each of 20 tries"), "{ended}");
    assert_eq!(world.tell("hello").await["status"], "completed", "the session goes on");
}

#[tokio::test]
async fn tells_to_a_busy_session_queue_in_order_and_know_their_place() {
    let world = World::new(setup().team("alpha", SLOW));
    let first = world.tell_async("user", "slow").await;
    let mut later = Vec::new();
    for number in 1..=5 {
        let told = world.tell_async("user", &format!("m{number}")).await;
        assert_eq!(told["position"], number, "{told}");
        later.push(told);
    }
    world.ended(id(later.last().expect("five"))).await;
    let mut ends = Vec::new();
    for told in std::iter::once(&first).chain(&later) {
        let turn = world.turn(id(told)).await;
        assert_eq!(turn["state"], "completed");
        ends.push(turn["number"].as_i64().expect("a number"));
    }
    assert_eq!(ends, [1, 2, 3, 4, 5, 6]);
    let finished = world.events("turn.finished").await;
    let order: Vec<_> = finished.iter().map(|event| event["turn"].as_str().expect("a turn")).collect();
    let told: Vec<_> = std::iter::once(&first).chain(&later).map(id).collect();
    assert_eq!(order, told);
}

#[tokio::test]
async fn a_full_queue_refuses_with_a_reason() {
    let world = World::new(setup().team("alpha", SLOW).setting("maxQueue: 2"));
    world.tell_async("user", "slow").await;
    eventually("it runs", async || Ok(world.session("user").await["state"] == "processing")).await.expect("runs");
    world.tell_async("user", "one").await;
    world.tell_async("user", "two").await;
    let (status, problem) =
        world.post("/api/teams/tell", json!({"toTeam": "alpha", "message": "three", "timeout": -1})).await;
    assert_eq!(status, 429, "{problem}");
    assert_eq!(problem["kind"], "limit");
    assert!(problem["hint"].as_str().expect("a hint").contains("maxQueue"), "{problem}");
}

#[tokio::test]
async fn an_agent_that_is_idle_for_too_long_is_put_to_sleep() {
    let world = World::new(setup().team("alpha", ECHO).team_key("idleTimeout: 100ms"));
    world.tell("hello").await;
    eventually("it sleeps", async || Ok(world.session("user").await["state"] == "stopped")).await.expect("asleep");
    assert_eq!(world.events("session.stopped").await[0]["data"]["why"], "idle");
    assert_eq!(world.tell("again").await["status"], "completed");
}

#[tokio::test]
async fn wake_and_sleep_and_the_states_between() {
    let world = World::new(setup().team("alpha", SLOW));
    let (status, woken) = world.post("/api/teams/alpha/wake", json!({})).await;
    assert_eq!((status, &woken["wasAwake"]), (200, &json!(false)));
    assert_eq!(woken["session"]["state"], "idle");
    assert!(woken["session"]["pid"].as_u64().is_some());
    let again = world.post("/api/teams/alpha/wake", json!({})).await.1;
    assert_eq!((&again["wasAwake"], &again["session"]["pid"]), (&json!(true), &woken["session"]["pid"]));

    let told = world.tell_async("user", "slow").await;
    let (status, busy) = world.post("/api/teams/alpha/sleep", json!({})).await;
    assert_eq!(status, 409, "{busy}");
    let (status, forced) = world.post("/api/teams/alpha/sleep", json!({"force": true})).await;
    assert_eq!((status, &forced["stopped"]), (200, &json!(1)));
    let turn = world.turn(id(&told)).await;
    assert_eq!((&turn["state"], &turn["reason"]), (&json!("terminated"), &json!("stopped")));
    let pid = woken["session"]["pid"].as_u64().expect("a pid");
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "the process is gone");
    assert_eq!(world.post("/api/teams/alpha/sleep", json!({})).await.1["stopped"], 0);
}

#[tokio::test]
async fn a_shutdown_lets_turns_finish_and_leaves_no_process() {
    let world = World::new(setup().team("alpha", SLOW));
    let told = world.tell_async("user", "slow").await;
    eventually("it runs", async || Ok(world.turn(id(&told)).await["state"] == "running")).await.expect("runs");
    let pid = world.session("user").await["pid"].as_u64().expect("a pid");
    let World { daemon, setup, home } = world;
    assert!(daemon.stop().expect("stopped").success());
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "the agent is gone");
    let daemon = iris_testing::daemon::Daemon::start(&setup, home.path()).expect("starts");
    let world = World { daemon, setup, home };
    assert_eq!(world.turn(id(&told)).await["state"], "completed", "the turn was allowed to end");
    assert!(world.events("daemon.recovered").await.is_empty(), "nothing had to be recovered");
}

/// What was accepted is run by the next daemon, though its agent was only starting when this one was asked to end.
#[tokio::test]
async fn a_shutdown_leaves_what_waits_for_an_agent_that_is_starting() {
    let script = "start: { delay: 2s }\ndefault: [{ say: 'You said: {{text}}' }]\n";
    let world = World::new(setup().team("alpha", script));
    let told = [world.tell_async("user", "one").await, world.tell_async("user", "two").await];
    eventually("it starts", async || Ok(world.session("user").await["state"] == "spawning")).await.expect("starts");
    let World { daemon, setup, home } = world;
    assert!(daemon.stop().expect("stopped").success());
    let daemon = iris_testing::daemon::Daemon::start(&setup, home.path()).expect("starts");
    let world = World { daemon, setup, home };
    assert_eq!(world.events("session.stopped").await[0]["data"]["why"], "shutdown");
    for (told, said) in told.iter().zip(["You said: one", "You said: two"]) {
        let ended = world.ended(id(told)).await;
        assert_eq!((&ended["state"], &ended["response"]), (&json!("completed"), &json!(said)), "{ended}");
    }
}

/// Only a stop of everything withdraws it.
#[tokio::test]
async fn a_stop_of_everything_withdraws_what_waits_for_an_agent_that_is_starting() {
    let world = World::new(setup().team("alpha", "start: { delay: 30s }\n"));
    let told = world.tell_async("user", "one").await;
    eventually("it starts", async || Ok(world.session("user").await["pid"].is_u64())).await.expect("starts");
    let (status, stopped) = world.post("/api/agents/stop", json!({})).await;
    assert_eq!(status, 200, "{stopped}");
    assert_eq!(world.ended(id(&told)).await["state"], "cancelled");
    assert_eq!(world.events("session.stopped").await[0]["data"]["why"], "asked");
}

#[tokio::test]
async fn tells_that_are_put_off_count_too_and_cannot_be_put_off_for_ever() {
    let world = World::new(setup().team("alpha", SLOW).setting("maxQueue: 2"));
    let later = |delay: u64| json!({"toTeam": "alpha", "message": "later", "timeout": -1, "delay": delay});
    for _ in 0..2 {
        assert_eq!(world.post("/api/teams/tell", later(60_000)).await.0, 200);
    }
    assert_eq!(world.post("/api/teams/tell", later(60_000)).await.0, 429);
    let (status, problem) = world.post("/api/teams/tell", later(9_223_372_036_854_775_807)).await;
    assert_eq!(status, 400, "{problem}");
    assert!(problem["detail"].as_str().expect("why").contains("put off by at most"), "{problem}");
    assert_eq!(world.client().tell("other", "alpha", "now").await.expect("told")["status"], "completed");
}

#[tokio::test]
async fn a_repeated_tell_is_told_its_true_place() {
    let world = World::new(setup().team("alpha", SLOW));
    world.tell_async("user", "slow").await;
    world.tell_async("user", "one").await;
    let keyed = json!({"toTeam": "alpha", "message": "two", "timeout": -1, "key": "k"});
    let first = world.post("/api/teams/tell", keyed.clone()).await.1;
    let again = world.post("/api/teams/tell", keyed).await.1;
    assert_eq!((&first["position"], &again["position"]), (&json!(2), &json!(2)), "{again}");
}
