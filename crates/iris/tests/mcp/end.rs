//! Calls that will not be answered, because the credential ends or the daemon does: whoever waits is told so, and why.

use std::process::Stdio;
use std::time::Duration;

use iris_testing::outside::{self, Node};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};

use crate::http::token;
use crate::pipe::Place;
use crate::resume::{begin, cut_off, go_on};
use crate::stage::{Messages, Modern, last_state, newer, until, world};
use crate::world::World;

const SCRIPT: &str = include_str!("clients/ended.mjs");
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug)]
enum End {
    Revoked,
    Down,
}

impl End {
    const ALL: [Self; 2] = [Self::Revoked, Self::Down];

    async fn comes(self, world: &World) {
        match self {
            Self::Revoked => {
                let revoked = world.client().delete("/api/tokens/ended").await.expect("an answer");
                assert_eq!(revoked.status, 200, "{revoked:?}");
            }
            Self::Down => world.daemon.signal(Signal::SIGTERM).expect("sent"),
        }
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Revoked => {
                ("unauthorized", "the credential is good no longer; what was told goes on, and a question stays open")
            }
            Self::Down => ("unavailable", "Iris is shutting down"),
        }
    }

    /// An answer to the call with this id.
    fn check(self, id: u64, said: &Value) {
        let (kind, words) = self.words();
        assert_eq!((&said["id"], &said["error"]["data"]["kind"]), (&json!(id), &json!(kind)), "{self:?}: {said}");
        assert!(said["error"]["message"].as_str().is_some_and(|said| said.contains(words)), "{self:?}: {said}");
    }
}

async fn place() -> (World, Modern) {
    let world = world();
    let modern = token(&world, json!({"name": "ended", "scopes": ["read", "tell"]})).await;
    (world, modern)
}

fn work() -> Value {
    json!({"toTeam": "alpha", "message": "work", "timeout": 0})
}

async fn is_at_work(world: &World) {
    until("it is at work", async || last_state(world, "ended").await == "running").await;
}

#[tokio::test]
async fn a_stream_ends_with_an_error_that_says_why() {
    for end in End::ALL {
        let (world, modern) = place().await;
        let messages = modern.begin_call("team_tell", work(), json!({})).await;
        assert_eq!(messages.kind(), "text/event-stream");
        end.comes(&world).await;
        end.check(1, &messages.last().await);
        if matches!(end, End::Revoked) {
            assert_eq!(last_state(&world, "ended").await, "running", "the work goes on");
        }
    }
}

/// As one whose token was revoked.
#[tokio::test]
async fn an_agent_whose_team_was_removed_is_told_so() {
    let world = world();
    let agent = token(&world, json!({"name": "ended", "kind": "agent", "party": "beta"})).await;
    let messages = agent.begin_call("team_tell", work(), json!({})).await;
    let file = world.path().join("config.yaml");
    let text = std::fs::read_to_string(&file).expect("a config");
    std::fs::write(&file, text.replace("  beta:", "  gamma:")).expect("written");
    let said = messages.last().await;
    assert_eq!((&said["id"], &said["error"]["data"]["kind"]), (&json!(1), &json!("forbidden")), "{said}");
    assert!(said["error"]["message"].as_str().is_some_and(|said| said.contains("back into config.yaml")), "{said}");
}

/// Sooner than a stream is begun, there is a status. A machine that is busy may have begun one.
#[tokio::test]
async fn what_is_not_a_stream_yet_has_a_status() {
    for (end, status) in [(End::Revoked, 401), (End::Down, 503)] {
        let (world, modern) = place().await;
        let ends = async {
            is_at_work(&world).await;
            end.comes(&world).await;
        };
        let (messages, ()) = tokio::join!(modern.begin_call("team_tell", work(), json!({})), ends);
        let (kind, found) = (messages.kind().to_owned(), messages.status());
        let said = messages.last().await;
        match kind.as_str() {
            "text/event-stream" => end.check(1, &said),
            "application/problem+json" => assert_eq!((found, &said["status"]), (status, &json!(401)), "{said}"),
            _ => {
                assert_eq!(found, status, "{said}");
                end.check(1, &said);
            }
        }
    }
}

/// In a session of the older revision too, and for whoever came back to its call.
#[tokio::test]
async fn a_call_in_a_session_ends_with_an_error_that_says_why() {
    for end in End::ALL {
        let (world, modern) = place().await;
        let session = begin(&modern).await;
        let last = cut_off(&modern, &session, "report").await;
        let again = Messages::of(go_on(&modern, &session, &last).await);
        let params = json!({"name": "team_tell", "arguments": {"toTeam": "beta", "message": "work", "timeout": 0}});
        let call = json!({"jsonrpc": "2.0", "id": "three", "method": "tools/call", "params": params}).to_string();
        let request = modern.post().header("mcp-session-id", session).body(call);
        let called = Messages::of(request.send().await.expect("an answer"));
        is_at_work(&world).await;
        end.comes(&world).await;
        let (called, again) = tokio::join!(called.last(), again.last());
        end.check(2, &again);
        assert_eq!((&called["id"], &called["error"]["data"]["kind"]), (&json!("three"), &json!(end.words().0)));
    }
}

#[tokio::test]
async fn the_typescript_client_of_the_older_revision_is_told() {
    typescript("sdk").await;
}

#[tokio::test]
async fn the_typescript_client_of_the_newer_revision_is_told() {
    typescript("client").await;
}

/// It would wait for longer than this test has patience.
async fn typescript(package: &str) {
    let Some(node) = Node::find() else { return };
    for end in End::ALL {
        let world = world();
        let (status, made) = world.post("/api/tokens", json!({"name": "ended", "scopes": ["read", "tell"]})).await;
        assert_eq!(status, 200, "{made}");
        let mut command = node.run("ended.mjs", SCRIPT).expect("a script");
        let url = format!("http://{}/mcp", world.daemon.address);
        command.args([package, &url, made["secret"].as_str().expect("a secret")]);
        let ends = async {
            is_at_work(&world).await;
            // What is answered by then is a stream.
            tokio::time::sleep(Duration::from_secs(3)).await;
            end.comes(&world).await;
        };
        let (said, ()) = tokio::join!(outside::output(command, PATIENCE), ends);
        let said = said.expect("it has its answer");
        assert!(said.contains(end.words().1), "{package}, {end:?}: {said}");
    }
}

/// The bridge asks again when there is a daemon, so its client notices nothing.
#[tokio::test]
async fn a_daemon_that_is_stopped_is_not_noticed_behind_the_bridge() {
    not_noticed(json!({})).await;
}

/// In the newer revision, where no stream has begun yet.
#[tokio::test]
async fn a_daemon_that_is_stopped_is_not_noticed_in_the_newer_revision() {
    not_noticed(newer().into_iter().map(|(name, value)| (name.to_owned(), value)).collect()).await;
}

/// It starts none by itself: somebody has ended the one that was there.
async fn not_noticed(meta: Value) {
    let place = Place::with(|setup, _| setup.setting("shutdownGrace: 1s"));
    let mut command = place.command(place.path());
    command.env("IRIS_LOG", "info").stderr(Stdio::piped());
    let mut pipe = Place::introduced(command).await;
    let id = pipe.begin("tools/call", json!({"name": "team_tell", "arguments": work(), "_meta": meta})).await;
    let mut other = place.open(place.path()).await;
    let report = json!({"name": "team_report", "arguments": {"team": "alpha"}});
    until("it is at work", async || {
        let reported = other.request("tools/call", report.clone()).await;
        reported["result"]["structuredContent"]["lastTurn"]["state"] == "running"
    })
    .await;
    place.signal_daemon(Signal::SIGTERM);
    let mut log = BufReader::new(pipe.child.stderr.take().expect("a pipe")).lines();
    let mut finds_none = 0;
    while finds_none < 3 {
        let line = tokio::time::timeout(PATIENCE, log.next_line()).await.expect("a line in time");
        finds_none += usize::from(line.expect("readable").expect("it goes on").contains("iris is not running"));
    }
    assert_eq!(place.daemon(), None, "it stays down");
    place.start_daemon().await;
    let answer = pipe.answer(id).await;
    assert_eq!(answer["result"]["structuredContent"]["status"], "terminated", "{answer}");
}
