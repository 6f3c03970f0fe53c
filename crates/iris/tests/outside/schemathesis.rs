//! Requests that schemathesis makes out of the API's own description, good and bad, thousands of them: no server error,
//! and no answer that is not described.

use serde_json::json;
use tokio::process::Command;

use crate::found;
use crate::world::{World, setup};

const SCRIPT: &str = "replies:\n  - match: ask\n    do: [{ permission: { tool: Bash, input: { command: make } } }]\n\
                      default: [{ say: 'You said: {{text}}' }]\n";

/// What is not looked at, and why.
const LEFT_OUT: [(&str, &str); 4] = [
    // A request may fit the description and still be refused: a key that was used before, a team that is at work. A
    // stranger who tries often is told to wait, which is taken for being let in; daemon/doors/route tries every route.
    ("--exclude-checks", "positive_data_acceptance,use_after_free,negative_data_rejection,ignored_auth"),
    // It writes to whatever place it is told.
    ("--exclude-path", "/api/backup"),
    // It ends what the others try.
    ("--exclude-path", "/api/agents/stop"),
    // It goes on for ever, for whoever wants it to.
    ("--exclude-path", "/api/stream"),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_the_api_answers_is_what_its_description_says() {
    let Some(program) = found("IRIS_TEST_SCHEMATHESIS") else { return };
    let seconds = std::env::var("IRIS_TEST_SCHEMATHESIS_SECONDS").unwrap_or_else(|_| "45".to_owned());
    let world = World::new(setup().team("alpha", SCRIPT).team("beta", SCRIPT).team_key("grantPermission: ask"));
    world.tell("hello").await;
    world.tell_async("asker", "ask").await;
    world.open_question().await;
    let (status, made) = world.post("/api/tokens", json!({"name": "ci"})).await;
    assert_eq!(status, 200, "{made}");

    let reports = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(program);
    command
        .args(["run", &format!("http://{}/api/openapi.json", world.daemon.address)])
        .args(["--header", &format!("Authorization: Bearer {}", world.daemon.token)])
        .args(["--phases", "coverage,fuzzing,stateful", "--continue-on-failure", "--request-timeout", "20"])
        .args(["--seed", "1", "--max-time", &seconds])
        .args(LEFT_OUT.iter().flat_map(|(option, value)| [*option, *value]))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", reports.path())
        .current_dir(reports.path())
        .kill_on_drop(true);
    let ended = command.output().await.expect("it runs");
    let said = String::from_utf8_lossy(&ended.stdout);
    let tested = said.lines().find(|line| line.contains("generated")).unwrap_or_default();
    eprintln!("{}", tested.trim());
    assert!(ended.status.success(), "{said}\n{}", String::from_utf8_lossy(&ended.stderr));
    assert!(said.contains("Tested:"), "{said}");
    assert!(!world.daemon.log().contains("panicked"), "{}", world.daemon.log());
    world.tell("still there").await;
}
