//! What an agent's token cannot do, whatever it says.

use serde_json::json;

use super::caller::{bearer, is_problem};
use crate::world::{ECHO, World, setup};

const ASKS: &str = "replies:\n  - match: ask\n    do: [{ permission: { tool: Bash, input: { command: make } } }]\n\
                    default: [{ say: 'You said: {{text}}' }]\n";

#[tokio::test]
async fn an_agent_cannot_answer_what_was_asked() {
    let world = World::new(setup().team("alpha", ASKS).team_key("grantPermission: ask"));
    world.tell_async("user", "ask").await;
    let question = world.open_question().await;
    let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
    let agent = bearer(&world.agent_token("alpha").await);
    let answer = json!({"response": {"type": "boolean", "value": true}}).to_string();
    for headers in [
        vec![("authorization", agent.as_str())],
        vec![("authorization", agent.as_str()), ("idempotency-key", "k")],
        vec![("authorization", agent.as_str()), ("x-http-method-override", "GET")],
    ] {
        let refused = world.send("POST", &path, &headers, &answer).await;
        assert_eq!(refused.status, 403);
        assert!(is_problem(&refused)["detail"].as_str().expect("a detail").contains("agent"));
    }
    assert_eq!(world.open_question().await["id"], question["id"], "it is still open");
    assert!(world.daemon.log().contains("an agent's credential does not open this"), "each attempt is in the log");
    // A person's token with that scope, and no other, can.
    let person = bearer(&world.token("decider", &["answer"]).await);
    assert_eq!(world.send("POST", &path, &[("authorization", &person)], &answer).await.status, 200);
}

#[tokio::test]
async fn an_agent_speaks_for_its_own_team_whatever_it_says() {
    let world = World::new(setup().team("alpha", ECHO).team("beta", ECHO));
    let agent = world.agent_token("beta").await;
    let told = json!({"toTeam": "alpha", "fromTeam": "user", "message": "as the user", "timeout": 0});
    let told = world.with(&agent).post("/api/teams/tell", &told).await.expect("an answer");
    assert_eq!(told.json().expect("JSON")["from"], "beta");
    let woken = world.with(&agent).post("/api/teams/alpha/wake", &json!({"fromTeam": "user"})).await;
    assert_eq!(woken.expect("an answer").json().expect("JSON")["session"]["from"], "beta");
    // Nor does it put what it said into another session, its own or somebody else's.
    let forked = world.with(&agent).post("/api/teams/alpha/fork", &json!({"fromTeam": "user", "as": "user"})).await;
    assert_eq!(forked.expect("an answer").status, 403);
    let from: Vec<_> = world.get("/api/sessions").await["items"].as_array().expect("sessions").to_vec();
    assert!(from.iter().all(|session| session["from"] != "user"), "{from:?}");
}

/// On its own pipe, too: what it names there is taken, as with a token, and does not count.
#[tokio::test]
async fn an_agent_on_its_pipe_speaks_for_its_own_team_whatever_it_says() {
    let script = r#"
replies:
  - match: '^tell$'
    do: [{ mcp: { server: iris, tool: team_tell, arguments: { toTeam: beta, message: hi, fromTeam: user } } }, { say: "{{result}}" }]
  - match: '^list$'
    do: [{ mcp: { server: iris, tool: team_teams, arguments: { fromTeam: user } } }, { say: "{{result}}" }]
  - match: '^ask$'
    do: [{ mcp: { server: iris, tool: ask_question, arguments: { question: "Tabs?", type: preference, fromTeam: user } } }, { say: "{{result}}" }]
"#;
    let world = World::new(setup().team("alpha", script).team("beta", ECHO));
    for (told, part) in [("tell", "You said: hi"), ("list", "\"you\": true"), ("ask", "questionId")] {
        let said = world.tell(told).await["response"].as_str().expect("text").to_owned();
        assert!(said.contains(part), "{told}: {said}");
    }
    let sessions = world.get("/api/sessions").await["items"].as_array().expect("sessions").to_vec();
    let with_beta: Vec<_> = sessions.iter().filter(|session| session["to"] == "beta").collect();
    assert!(with_beta.len() == 1 && with_beta[0]["from"] == "alpha", "{with_beta:?}");
}

#[tokio::test]
async fn an_agent_reads_nothing_of_others_and_administers_nothing() {
    let world = World::new(setup().team("alpha", ECHO).team("beta", ECHO));
    let told = world.tell("a secret of the user's").await;
    let (session, turn) = (told["sessionId"].as_str().expect("an id"), told["turnId"].as_str().expect("an id"));
    let agent = world.agent_token("alpha").await;
    let before = world.newest().await;
    for path in [
        format!("/api/sessions/{session}"),
        format!("/api/sessions/{session}/turns"),
        format!("/api/turns/{turn}"),
        format!("/api/turns/{turn}/messages"),
        "/api/sessions".to_owned(),
        "/api/events".to_owned(),
        "/api/stream".to_owned(),
        "/api/teams/alpha/status".to_owned(),
        "/api/questions/pending".to_owned(),
        "/api/tokens".to_owned(),
        "/api/status".to_owned(),
    ] {
        let answer = world.with(&agent).get(&path).await.expect("an answer");
        assert_eq!(answer.status, 403, "{path}");
        assert!(!String::from_utf8_lossy(&answer.body).contains("secret of the user"), "{path}");
    }
    for (path, body) in [
        ("/api/tokens", json!({"name": "more", "scopes": ["admin"]})),
        ("/api/links", json!({})),
        ("/api/agents/stop", json!({})),
        ("/api/backup", json!({"path": "/tmp/never"})),
        ("/api/teams/alpha/trust", json!({"digest": "x"})),
        ("/api/teams/alpha/sleep", json!({"all": true, "force": true})),
        ("/api/teams/alpha/cancel", json!({"all": true})),
    ] {
        assert_eq!(world.with(&agent).post(path, &body).await.expect("an answer").status, 403, "{path}");
    }
    assert_eq!(world.with(&agent).delete(&format!("/api/sessions/{session}")).await.expect("an answer").status, 403);
    assert_eq!(world.newest().await, before, "nothing was changed");
}

#[tokio::test]
async fn an_agent_s_key_is_not_the_user_s() {
    let world = World::new(setup().team("alpha", ECHO).team("beta", ECHO));
    let agent = world.agent_token("beta").await;
    let tell = json!({"toTeam": "alpha", "message": "one", "timeout": 0, "key": "deploy-1"});
    let first = world.with(&agent).post("/api/teams/tell", &tell).await.expect("an answer");
    let mine = world.post("/api/teams/tell", tell).await;
    assert_eq!((first.status, mine.0), (200, 200), "the key is free for everybody else");
    assert_ne!(first.json().expect("JSON")["turnId"], mine.1["turnId"]);
}

/// A token speaks for a team that is there, and again when it is back.
#[tokio::test]
async fn an_agent_s_token_does_not_outlive_its_team() {
    let world = World::new(setup().team("alpha", ECHO).team("beta", ECHO));
    let agent = world.agent_token("beta").await;
    let tell = json!({"toTeam": "alpha", "message": "x"});
    let told = |agent: String| {
        let mut client = world.with(&agent);
        let tell = tell.clone();
        async move { client.post("/api/teams/tell", &tell).await.expect("an answer") }
    };
    assert_eq!(told(agent.clone()).await.status, 200);
    world.edit("beta:", "gamma:").await;
    let refused = told(agent.clone()).await;
    assert_eq!(refused.status, 403);
    let problem = is_problem(&refused);
    assert!(problem["detail"].as_str().is_some_and(|what| what.contains("'beta', which is not there")), "{problem}");
    assert!(problem["hint"].as_str().is_some_and(|hint| hint.contains("iris token revoke")), "{problem}");
    world.edit("gamma:", "beta:").await;
    assert_eq!(told(agent).await.status, 200);
}
