//! How a turn and a process end, and that the conversation outlives both.

use serde_json::json;

use crate::kind::Deed;
use crate::promise::{Promise, check};
use crate::stage::says;

#[tokio::test]
async fn an_interrupt_ends_a_turn() {
    check(Promise::AnInterruptEndsATurn, &[], async |stage| {
        stage.tell("good morning", Deed::Say("good morning")).await;
        let pid = stage.pid().await;
        let turn = stage.start_running(Deed::Hang).await;
        stage.world.post("/api/teams/alpha/cancel", json!({})).await;
        assert_eq!(stage.world.ended(&turn).await["state"], "cancelled");
        assert_eq!(stage.tell("and now", Deed::Say("something else")).await["response"], "something else");
        assert_eq!(stage.pid().await, pid, "the process lives");
    })
    .await;
}

#[tokio::test]
async fn a_failure_says_why() {
    check(Promise::AFailureSaysWhy, &[], async |stage| {
        let told = stage.tell("try", Deed::Fail).await;
        assert_eq!(told["status"], "failed", "{told}");
        assert!(says(&told["error"], "not for you"), "{told}");
        let pid = stage.pid().await;
        assert_eq!(stage.tell("again", Deed::Say("better")).await["response"], "better");
        assert_eq!(stage.pid().await, pid, "the process lives");
    })
    .await;
}

#[tokio::test]
async fn a_death_is_told() {
    check(Promise::ADeathIsTold, &["grantPermission: yes"], async |stage| {
        stage.tell("good morning", Deed::Say("good morning")).await;
        let died = stage.tell("and now", Deed::Die).await;
        assert_eq!((&died["status"], &died["reason"]), (&json!("terminated"), &json!("exited")), "{died}");
        assert!(died["signal"] == 9 || died["exitCode"].is_i64(), "{died}");
        assert!(says(&died["stderr"], "out of luck"), "its last words: {died}");
        assert_eq!(stage.tell("again", Deed::Say("reborn")).await["response"], "reborn");
    })
    .await;
}

#[tokio::test]
async fn resumed_after_sleep() {
    check(Promise::ResumedAfterSleep, &[], async |stage| {
        stage.tell("remember the number 1615", Deed::Say("noted")).await;
        let pid = stage.pid().await;
        let (status, slept) = stage.world.post("/api/teams/alpha/sleep", json!({})).await;
        assert_eq!((status, &slept["stopped"]), (200, &json!(1)), "{slept}");
        let told = stage.tell("what was it?", Deed::Recall).await;
        assert!(says(&told["response"], "1615"), "{told}");
        assert_ne!(stage.pid().await, pid, "by another process");
    })
    .await;
}

#[tokio::test]
async fn resumed_after_death() {
    check(Promise::ResumedAfterDeath, &["grantPermission: yes"], async |stage| {
        stage.tell("remember the number 1615", Deed::Say("noted")).await;
        assert_eq!(stage.tell("now", Deed::Die).await["status"], "terminated");
        let told = stage.tell("what was it?", Deed::Recall).await;
        assert!(says(&told["response"], "1615"), "{told}");
    })
    .await;
}

#[tokio::test]
async fn resumed_after_the_daemon() {
    check(Promise::ResumedAfterTheDaemon, &[], async |stage| {
        stage.tell("remember the number 1615", Deed::Say("noted")).await;
        let pid = stage.pid().await;
        let stage = stage.crash_and_restart();
        let told = stage.tell("what was it?", Deed::Recall).await;
        assert!(says(&told["response"], "1615"), "{told}");
        stage.until("the old process is gone", async || !is_alive(pid)).await;
    })
    .await;
}

#[tokio::test]
async fn a_fork_goes_its_own_way() {
    check(Promise::AForkGoesItsOwnWay, &[], async |stage| {
        stage.tell("remember the number 1615", Deed::Say("noted")).await;
        let (status, forked) = stage.world.post("/api/teams/alpha/fork", json!({"as": "twin"})).await;
        assert_eq!((status, &forked["from"]), (200, &json!("twin")), "{forked}");
        let again = json!({"fromTeam": "twin", "as": "triplet"});
        let (status, copied) = stage.world.post("/api/teams/alpha/fork", again).await;
        assert_eq!(status, 200, "of a copy that was told nothing yet: {copied}");
        let told = stage.tell_as("triplet", "what was it?", Deed::Recall).await;
        assert!(says(&told["response"], "1615"), "{told}");
        let told = stage.tell_as("twin", "only the twin asks", Deed::Recall).await;
        assert!(says(&told["response"], "1615"), "it has the history: {told}");
        let told = stage.tell("only the first asks", Deed::Recall).await;
        assert!(says(&told["response"], "1615") && !says(&told["response"], "only the twin"), "{told}");
        let told = stage.tell_as("twin", "once more", Deed::Recall).await;
        assert!(says(&told["response"], "only the twin") && !says(&told["response"], "only the first"), "{told}");
    })
    .await;
}

#[tokio::test]
async fn sleep_leaves_nothing() {
    check(Promise::SleepLeavesNothing, &["grantPermission: yes"], async |stage| {
        stage.tell("work", Deed::UseTool).await;
        let pid = stage.pid().await;
        let session = stage.session("user", "alpha").await["id"].as_str().expect("an id").to_owned();
        assert!(processes_of(&session).contains(&pid), "it is marked as the session's");
        stage.world.post("/api/teams/alpha/sleep", json!({})).await;
        assert!(!is_alive(pid), "it was waited for");
        assert_eq!(processes_of(&session), [0_u64; 0]);
        assert!(stage.session("user", "alpha").await["pid"].is_null());
    })
    .await;
}

fn is_alive(pid: u64) -> bool {
    std::path::Path::new(&format!("/proc/{pid}")).exists()
}

/// Every process that carries the session's mark, whoever started it.
fn processes_of(session: &str) -> Vec<u64> {
    let mark = format!("IRIS_SESSION={session}");
    let carries = |pid: &u64| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
    };
    let entries = std::fs::read_dir("/proc").expect("processes");
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(carries).collect()
}
