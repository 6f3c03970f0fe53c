//! Questions in plain words at the end of a turn: first the party that told, then a person; and never for ever.

use std::time::Duration;

use serde_json::json;

use super::question_id;
use crate::world::{ECHO, World, id, setup};

const PLAIN: &str = r#"
replies:
  - match: "^look$"
    do: [{ say: "I looked at the logs and found 3 errors.\n\nShould I fix them? (y/n)" }]
  - match: "yes"
    do: [{ say: "Fixed all three." }]
default: [{ say: "All done, the logs are clean." }]
"#;

fn world(patience: &str) -> World {
    let setting = format!("agent: {{ completionAnalysis: {{ responseTimeout: {patience} }} }}");
    World::new(setup().team("alpha", PLAIN).setting(&setting))
}

#[tokio::test]
async fn who_does_not_wait_is_not_waited_for() {
    let world = world("60s");
    let told = world.tell_async("user", "look").await;
    let question = world.open_question().await;
    assert_eq!((&question["way"], &question["turn"]), (&json!("detected"), &told["turnId"]), "{question}");
    assert!(question["question"].as_str().expect("words").contains("Should I fix them?"), "{question}");
    assert!(question["context"].as_str().expect("context").contains("3 errors"), "{question}");
    assert_eq!(world.ended(id(&told)).await["state"], "completed", "the turn is over");
    let (status, answered) = world.answer(&question, json!("yes")).await;
    assert_eq!((status, &answered["jobResumed"]), (200, &json!(true)), "{answered}");
    let last = world.last_turn("user").await;
    assert_eq!((&last["response"], &last["origin"]), (&json!("Fixed all three."), &json!("answer")), "{last}");
    assert_eq!(world.get("/api/questions/pending").await["questions"], json!([]));
}

#[tokio::test]
async fn what_was_found_takes_a_bare_yes_as_an_approval_and_no_other_type() {
    let world = world("60s");
    world.tell_async("user", "look").await;
    let question = world.open_question().await;
    assert_eq!((&question["kind"], &question["allowFreeText"]), (&json!("approval"), &json!(true)), "{question}");
    let path = format!("/api/questions/{}/answer", question_id(&question));
    let (status, refused) = world.post(&path, json!({"response": {"type": "form", "value": true}})).await;
    let why = refused["detail"].as_str().unwrap_or_default();
    assert!(status == 422 && why.contains("takes choice or text or approval or boolean"), "{refused}");
    let (status, answered) = world.post(&path, json!({"response": {"type": "approval", "value": true}})).await;
    assert_eq!((status, &answered["answer"]), (200, &json!({"type": "choice", "value": "yes"})), "{answered}");
    assert_eq!(world.last_turn("user").await["response"], "Fixed all three.");
    assert_eq!(world.events("question.answered").await[0]["data"]["responseType"], "choice");
}

#[tokio::test]
async fn the_party_that_told_answers_by_telling_again() {
    let world = world("60s");
    world.tell("look").await;
    assert_eq!(world.get("/api/questions/pending").await["questions"], json!([]), "it has the party's attention first");
    assert_eq!(world.tell("yes please").await["response"], "Fixed all three.");
    let answered = world.events("question.answered").await;
    assert_eq!(answered.len(), 1);
    assert_eq!(answered[0]["data"]["by"], "user");
    assert_eq!(world.events("question.resumed").await.len(), 0, "the tell itself was the answer");
    assert_eq!(world.session("user").await["state"], "idle");
}

/// The two agents talk on, no person is asked for what they settled, and no record says that an agent answered: on the pipe,
/// by the token of an agent, and whoever else speaks for a team.
#[tokio::test]
async fn what_an_agent_tells_again_is_never_an_answer() {
    let tells = "default: [{ mcp: { server: iris, tool: team_tell, arguments: { toTeam: alpha, message: '{{text}}' } } }, { say: told }]\n";
    let setting = "agent: { completionAnalysis: { responseTimeout: 60s } }";
    let world = World::new(setup().team("alpha", PLAIN).team("beta", tells).setting(setting));
    let beta = world.agent_token("beta").await;
    let to_beta = async |text: &str| {
        let (status, told) = world.post("/api/teams/tell", json!({"toTeam": "beta", "message": text})).await;
        assert_eq!((status, &told["response"]), (200, &json!("told")), "{told}");
    };
    for again in ["pipe", "token", "person"] {
        to_beta("look").await;
        assert_eq!(world.session("beta").await["state"], "waiting_for_approval");
        let yes = json!({"toTeam": "alpha", "message": "yes, fix them", "fromTeam": "beta"});
        match again {
            "pipe" => to_beta("yes, fix them").await,
            "token" => {
                let told = world.with(&beta).post("/api/teams/tell", &yes).await.expect("an answer");
                assert_eq!(told.json().expect("JSON")["response"], "Fixed all three.");
            }
            _ => assert_eq!(world.post("/api/teams/tell", yes).await.1["response"], "Fixed all three."),
        }
        assert_eq!(world.session("beta").await["state"], "idle", "{again}");
        let closed = world.get("/api/questions/decided").await["items"][0].clone();
        let about = (&closed["kind"], &closed["state"], &closed["closedBy"], &closed["answer"], &closed["closedWhy"]);
        let none =
            (&json!("approval"), &json!("superseded"), &json!("beta"), &json!(null), &json!("beta told it more"));
        assert_eq!(about, none, "{again}: {closed}");
        let (status, late) = world.answer(&closed, json!("yes")).await;
        assert_eq!((status, &late["closed"]["state"]), (409, &json!("superseded")), "{late}");
        assert!(late["hint"].as_str().is_some_and(|hint| hint.contains("beta told it more")), "{late}");
        assert_eq!(world.get("/api/questions/pending").await["questions"], json!([]), "nobody is asked for it");
    }
    assert!(world.events("question.answered").await.is_empty());
    let superseded = world.events("question.superseded").await;
    assert_eq!(superseded.len(), 3);
    for event in &superseded {
        assert_eq!((&event["data"]["who"], event["data"]["told"].is_string()), (&json!("beta"), true), "{event}");
    }
    let figures = world.get("/api/questions/figures").await["kinds"][0].clone();
    let counted = (&figures["answered"], &figures["byOthers"], &figures["cancelled"]);
    assert_eq!(counted, (&json!(0), &json!(0), &json!(3)), "{figures}");
}

/// Whoever may tell and not answer is told what the agent says next, and the question is still asked.
#[tokio::test]
async fn a_token_that_may_not_answer_does_not_by_telling() {
    let world = world("300ms");
    let teller = world.make_token(json!({"name": "ci", "scopes": ["read", "tell"]})).await;
    world.tell("look").await;
    let question = world.open_question().await;
    let yes = json!({"toTeam": "alpha", "message": "yes", "fromTeam": "user"});
    let told = world.with(&teller).post("/api/teams/tell", &yes).await.expect("an answer").json().expect("JSON");
    assert_eq!(told["response"], "Fixed all three.", "{told}");
    let still = world.get(&format!("/api/questions/{}", question_id(&question))).await;
    assert_eq!(still["state"], "open", "{still}");
    assert_eq!(world.tell("yes").await["response"], "Fixed all three.");
    let closed = world.get(&format!("/api/questions/{}", question_id(&question))).await;
    assert_eq!((&closed["state"], &closed["closedBy"]), (&json!("answered"), &json!("user")), "{closed}");
}

#[tokio::test]
async fn a_party_that_says_nothing_for_too_long_leaves_it_to_a_person() {
    let world = world("700ms");
    world.tell("look").await;
    let question = world.open_question().await;
    assert_eq!(question["way"], "detected");
    // Whoever follows the events learns of it then, once.
    world.eventually("it is announced", async || !world.events("question.shown").await.is_empty()).await;
    assert_eq!(world.open_question().await["askedOf"], json!(null), "from then on it is put to anybody");
    let world = world.crash_and_restart();
    let shown = world.events("question.shown").await;
    assert_eq!((shown.len(), &shown[0]["data"]["id"]), (1, &question["id"]), "{shown:?}");
    // It can still be answered by telling.
    world.tell("yes").await;
    let closed = world.get(&format!("/api/questions/{}", question_id(&question))).await;
    assert_eq!((&closed["state"], &closed["closedBy"]), (&json!("answered"), &json!("user")));
}

#[tokio::test]
async fn a_job_waits_for_what_its_agent_asks_in_plain_words() {
    let world = world("60s");
    let (_, job) = world.post("/api/jobs", json!({"team": "alpha", "goal": "look"})).await;
    let path = format!("/api/jobs/{}", job["id"].as_str().expect("an id"));
    let question = world.open_question().await;
    let status = world.get(&path).await["status"].clone();
    assert!(status == "waiting_for_approval" || status == "waiting_for_input", "{status}");
    world.answer(&question, json!("yes")).await;
    world.eventually("it is done", async || world.get(&path).await["status"] == "completed").await;
    assert_eq!(world.get(&path).await["result"], "Fixed all three.");
}

/// What was told before the agent asked is no answer, whoever told it; what is told afterwards is.
#[tokio::test]
async fn a_turn_that_waits_already_answers_nothing() {
    let script = r#"
replies:
  - match: "^look$"
    do: [{ delay: 1s }, { say: "Which port should the server use?" }]
  - match: "^tests$"
    do: [{ say: "They pass." }]
"#;
    let world = World::new(setup().team("alpha", script));
    let asking = world.tell_async("user", "look").await;
    let waiting = world.tell_async("user", "tests").await;
    assert_eq!(world.ended(id(&waiting)).await["response"], "They pass.");
    let question = world.open_question().await;
    assert_eq!((&question["turn"], &question["state"]), (&asking["turnId"], &json!("open")), "{question}");
    assert_eq!(world.session("user").await["state"], "waiting_for_input");
    world.tell_async("user", "8080").await;
    let answered = world.get(&format!("/api/questions/{}", question_id(&question))).await;
    assert_eq!((&answered["state"], &answered["closedBy"]), (&json!("answered"), &json!("user")), "{answered}");
}

/// The answer to another question is under way when the agent asks: its job waits all the same.
#[tokio::test]
async fn an_answer_to_another_question_answers_nothing() {
    let script = r#"
replies:
  - match: "^format$"
    do:
      - mcp: { server: iris, tool: ask_question, arguments: { question: "Tabs or spaces?", type: preference, responseType: text } }
      - delay: 1s
      - say: "Formatting is done. Which port should the server use?"
default: [{ say: "Noted." }]
"#;
    let world = World::new(setup().team("alpha", script));
    let job = world.start_job("format").await;
    let path = format!("/api/jobs/{}", job["id"].as_str().expect("an id"));
    let first = world.open_question().await;
    assert_eq!(world.answer(&first, json!("tabs")).await.0, 200);
    world
        .eventually("it has heard the answer", async || {
            world.events("turn.finished").await.len() == 2 && world.get(&path).await["status"] == "waiting_for_input"
        })
        .await;
    let second = world.open_question().await;
    assert!(second["question"].as_str().expect("words").contains("Which port"), "{second}");
    assert_eq!(world.answer(&second, json!("8080")).await.0, 200);
    world.eventually("it is done", async || world.get(&path).await["status"] == "completed").await;
}

/// The same words by a tool and in the reply are one question, and the reply makes it one that is waited for.
#[tokio::test]
async fn what_is_asked_with_a_tool_and_in_the_reply_is_one_question() {
    let script = r#"
replies:
  - match: "^look$"
    do:
      - mcp: { server: iris, tool: ask_question, arguments: { question: "Which port should the server use?", type: clarifying, responseType: text } }
      - say: "I asked. Which port should the server use?"
default: [{ say: "Noted: {{text}}" }]
"#;
    let world = World::new(setup().team("alpha", script));
    let job = world.start_job("look").await;
    let path = format!("/api/jobs/{}", job["id"].as_str().expect("an id"));
    world.eventually("it waits", async || world.get(&path).await["status"] == "waiting_for_input").await;
    let asked = world.get(&format!("{path}/questions")).await["questions"].as_array().expect("a list").clone();
    assert_eq!((asked.len(), &asked[0]["way"], &asked[0]["blocking"]), (1, &json!("tool"), &json!(true)), "{asked:?}");
    assert_eq!(world.answer(&asked[0], json!("8080")).await.0, 200);
    world.eventually("it is done", async || world.get(&path).await["status"] == "completed").await;
    assert!(world.get(&path).await["result"].as_str().expect("a result").contains("answered: 8080"));

    world.tell_async("user", "look").await;
    world.eventually("it waits", async || world.session("user").await["state"] == "waiting_for_input").await;
    let question = world.open_question().await;
    world.tell_async("user", "8081").await;
    let answered = world.get(&format!("/api/questions/{}", question_id(&question))).await;
    assert_eq!(answered["state"], "answered", "{answered}");
}

/// As models write it, and also what is no JSON at all: a job is not over while it asks.
#[tokio::test]
async fn a_job_waits_for_what_is_written_as_json_however_badly() {
    let nearly =
        r#"{"question": {"type": "BLOCKING", "text": "How many replicas?", "options": [3, 5,], "default": 9}}"#;
    let broken = r#"{"question": {"type": "blocking", "text": "How many replicas?", "options": [}"#;
    let bare = r#"{"Question": {"type": "blocking", "prompt": "How many replicas?", "choices": [3, 5]}}"#;
    let quotes = r#"{"question": {"type": "blocking", "text": "Drop the "users" table?"}}"#;
    let fenced = |block: &str| format!("I looked.\n\n```JSON\n{block}\n```");
    let followed = format!("Output:\n\n```\n12 passed\n```\n\n{bare}\n\nI will continue once I have your answer.");
    for (reply, asked, options) in [
        (fenced(nearly), "How many replicas?", 2),
        // Nobody knows where its words end, so all of it is shown.
        (fenced(broken), broken, 0),
        (fenced(quotes), "Drop the \"users\" table?", 0),
        (followed, "How many replicas?", 2),
    ] {
        let reply = serde_json::to_string(&reply).expect("a text");
        let script =
            format!("replies:\n  - match: \"^look$\"\n    do: [{{ say: {reply} }}]\ndefault: [{{ say: Done. }}]\n");
        let world = World::new(setup().team("alpha", &script));
        let job = world.start_job("look").await;
        let question = world.open_question().await;
        assert_eq!(question["question"], asked, "{question}");
        assert_eq!(question["options"].as_array().map_or(0, Vec::len), options, "{question}");
        assert_eq!(question["default"], json!(null), "9 is none of them: {question}");
        let path = format!("/api/jobs/{}", job["id"].as_str().expect("an id"));
        assert_eq!(world.get(&path).await["status"], "waiting_for_input");
    }
}

/// What it did in the background is done, and it has to ask before it can go on: nobody told it that turn.
#[tokio::test]
async fn a_turn_that_an_agent_began_by_itself_is_looked_at_too() {
    let script = r#"
replies:
  - match: "^dig$"
    do:
      - subagent: { prompt: dig, background: true, do: [{ delay: 100ms }, { say: dug }], notify: [{ say: "The digging is done.\n\nShould I fill the hole again? (y/n)" }] }
      - say: "I started to dig."
  - match: "yes"
    do: [{ say: "Filled." }]
"#;
    let setting = "agent: { completionAnalysis: { responseTimeout: 60s } }";
    let world = World::new(setup().team("alpha", script).setting(setting));
    let (_, job) = world.post("/api/jobs", json!({"team": "alpha", "goal": "dig"})).await;
    let path = format!("/api/jobs/{}", job["id"].as_str().expect("an id"));
    let question = world.open_question().await;
    assert!(question["question"].as_str().expect("words").contains("fill the hole"), "{question}");
    assert_eq!(question["askedOf"], json!(null), "a job has nobody to answer for it");
    world.answer(&question, json!("yes")).await;
    world.eventually("it is done", async || world.get(&path).await["status"] == "completed").await;
    assert_eq!(world.get(&path).await["result"], "Filled.");
}

/// The block of requirement 3, section 11, in a reply.
#[tokio::test]
async fn a_question_that_is_written_as_one_keeps_its_type_its_default_and_what_is_recommended() {
    let script = r#"
replies:
  - match: "^clarify$"
    do: [{ say: "I looked.\n```json\n{\"question\": {\"type\": \"clarifying\", \"text\": \"Gr\\u00f6\\u00dfe?\", \"options\": [{\"label\": \"S\", \"recommended\": true}, {\"label\": \"M\"}], \"default\": \"S\"}}\n```" }]
  - match: "^celebrate$"
    do: [{ say: "```json\n{\"question\": {\"type\": \"celebratory\", \"text\": \"Done! Shall we go on?\", \"options\": [{\"label\": \"Yes!\"}]}}\n```" }]
default: [{ say: "{{text}}" }]
"#;
    let world = World::new(setup().team("alpha", script));
    world.tell_async("user", "clarify").await;
    let question = world.open_question().await;
    let about = (&question["kind"], &question["question"], &question["default"]["value"], &question["blocking"]);
    assert_eq!(about, (&json!("clarifying"), &json!("Größe?"), &json!("S"), &json!(true)), "{question}");
    assert_eq!(question["options"][0]["recommended"], json!(true), "{question}");
    assert!(question["context"].as_str().expect("context").starts_with("I looked.\n"), "{question}");
    assert_eq!(world.answer(&question, json!("M")).await.0, 200);
    let told = world.last_turn("user").await["response"].as_str().expect("a reply").to_owned();
    assert!(told.contains("You asked: Größe?") && told.contains("answered: M"), "{told}");
    world.tell_async("user", "celebrate").await;
    let question = world.open_question().await;
    assert_eq!((&question["kind"], &question["blocking"]), (&json!("celebratory"), &json!(false)), "{question}");
    assert_eq!(world.session("user").await["state"], "idle", "nothing waits for it");
}

#[tokio::test]
async fn a_rule_answers_what_was_found_and_says_so() {
    let world = world("60s");
    world.tell_async("user", "look").await;
    let question = world.open_question().await;
    let path = format!("/api/questions/{}/answer", question_id(&question));
    let yes = json!({"response": {"value": "yes"}, "remember": {"scope": "question", "forMs": 600_000}});
    assert_eq!(world.post(&path, yes).await.0, 200);
    world.last_turn("user").await;
    world.tell_async("user", "look").await;
    world
        .eventually("the agent has gone on twice", async || {
            world.events("question.resumed").await.len() == 2 && world.session("user").await["state"] == "idle"
        })
        .await;
    assert_eq!(world.last_turn("user").await["response"], "Fixed all three.");
    let answered = world.events("question.answered").await;
    assert!(answered[1]["data"]["by"].as_str().expect("by whom").starts_with("rule:"), "{answered:?}");
    assert_eq!(world.get("/api/rules").await["rules"][0]["uses"], 1);
    assert_eq!(world.get("/api/questions/pending").await["questions"], json!([]));
}

#[tokio::test]
async fn a_reply_that_asks_nothing_asks_nothing() {
    let world = world("60s");
    world.tell_async("user", "hello").await;
    world.last_turn("user").await;
    assert!(world.events("question.opened").await.is_empty());
}

/// An agent that answers every answer with a question, and a program that answers every question at once: after a few the
/// next is kept back for a while, and is not lost.
#[tokio::test]
async fn an_agent_and_a_script_that_answer_each_other_come_to_an_end() {
    let script = "default: [{ say: 'Which file should I look at next?' }]\n";
    let world = World::new(setup().team("alpha", script));
    world.tell_async("user", "go").await;
    let mut answered = 0;
    for _ in 0..60 {
        let pending = world.get("/api/questions/pending").await;
        for question in pending["questions"].as_array().expect("a list") {
            world.answer(question, json!("the next one")).await;
            answered += 1;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!((1..=5).contains(&answered), "{answered} times");
    assert_eq!(world.session("user").await["state"], "waiting_for_input", "the next one is kept, and shown later");
}

/// An agent that asks the same after every answer, and a rule that answers it: a person is asked before long.
#[tokio::test]
async fn an_agent_and_a_rule_that_answer_each_other_come_to_an_end() {
    let world = World::new(setup().team("alpha", "default: [{ say: 'Should I continue?' }]\n"));
    world.tell_async("user", "go").await;
    let question = world.open_question().await;
    let body = json!({"response": {"value": "yes"}, "remember": {"scope": "question", "forMs": 3_600_000}});
    let path = format!("/api/questions/{}/answer", question["id"].as_str().expect("an id"));
    let (status, told) = world.post(&path, body).await;
    assert_eq!(status, 200, "{told}");
    world
        .eventually("a person is asked", async || {
            let session = world.session("user").await;
            session["state"] == "waiting_for_approval" && session["running"].is_null()
        })
        .await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let turns = world.events("turn.finished").await.len();
    assert_eq!(turns, 7, "told once, answered by a person once and by the rule five times");
    assert_eq!(world.get("/api/rules").await["rules"][0]["uses"], 5);
}

/// Two agents that tell each other for ever: the chain of tells has an end.
#[tokio::test]
async fn two_agents_that_answer_each_other_come_to_an_end() {
    let tell = |team: &str| {
        format!(
            "default: [{{ mcp: {{ server: iris, tool: team_tell, arguments: {{ toTeam: {team}, message: 'and you?', timeout: -1 }} }} }}, \
             {{ say: 'What do you think about it, should we go on?' }}]\n"
        )
    };
    let world = World::new(setup().team("alpha", &tell("beta")).team("beta", &tell("alpha")));
    come_to_an_end(&world).await;
}

/// The same by the command line in their shells, where the token of a person can be read.
#[tokio::test]
async fn two_agents_that_tell_each_other_from_their_shells_come_to_an_end() {
    let tell = |team: &str| {
        let iris = env!("CARGO_BIN_EXE_iris");
        // An agent works in its folder, two below the home.
        format!(
            "default: [{{ run: \"{iris} --home ../.. tell {team} 'and you?' --async --from user\" }}, {{ say: done }}]\n"
        )
    };
    let world = World::new(setup().team("alpha", &tell("beta")).team("beta", &tell("alpha")));
    come_to_an_end(&world).await;
    let sessions = world.get("/api/sessions").await;
    let pairs: Vec<_> =
        sessions["items"].as_array().expect("sessions").iter().map(|one| (&one["from"], &one["to"])).collect();
    assert!(pairs.contains(&(&json!("alpha"), &json!("beta"))), "agents speak as themselves: {pairs:?}");
}

/// The same by tokens of agents, whose programs know no turn: each tells the other team when its own is done.
#[tokio::test]
async fn two_agents_that_tell_each_other_by_their_tokens_come_to_an_end() {
    let world = World::new(setup().team("alpha", ECHO).team("beta", ECHO));
    let (alpha, beta) = (world.agent_token("alpha").await, world.agent_token("beta").await);
    world.tell("start").await;
    let both = [(&alpha, "beta"), (&beta, "alpha")];
    let (mut told, mut refused) = (0, json!(null));
    for (token, team) in both.iter().cycle().take(30) {
        let tell = json!({"toTeam": team, "message": "and you?", "timeout": -1});
        let answer = world.with(token).post("/api/teams/tell", &tell).await.expect("an answer");
        if answer.status != 200 {
            refused = answer.json().expect("JSON");
            break;
        }
        world.ended(id(&answer.json().expect("JSON"))).await;
        told += 1;
    }
    assert_eq!(told, 8, "as many as settings.maxTellDepth: {refused}");
    assert!(refused["detail"].as_str().is_some_and(|why| why.contains("number 9 in a chain of tells")), "{refused}");
    // A person is no part of the chain.
    assert_eq!(world.tell("again").await["status"], "completed");
}

/// What a program says of where it runs makes its token nobody else's.
#[tokio::test]
async fn a_token_of_an_agent_does_not_speak_in_the_session_of_another() {
    let world = World::new(setup().team("alpha", ECHO).team("beta", ECHO));
    let beta = format!("Bearer {}", world.agent_token("beta").await);
    world.tell("start").await;
    let session = world.session("user").await["id"].as_str().expect("an id").to_owned();
    let headers = [("authorization", beta.as_str()), ("iris-session", session.as_str())];
    let told = world.send("POST", "/api/teams/tell", &headers, r#"{"toTeam": "alpha", "message": "hello"}"#).await;
    assert_eq!(told.json().expect("JSON")["from"], "beta");
}

async fn come_to_an_end(world: &World) {
    world.tell_async("user", "start").await;
    let mut finished = 0;
    world
        .eventually("nothing happens any more", async || {
            let now = world.events("turn.finished").await.len();
            let busy = world.get("/api/sessions").await["items"]
                .as_array()
                .expect("sessions")
                .iter()
                .any(|session| !session["running"].is_null() || session["queued"] != 0);
            let still = !busy && now == std::mem::replace(&mut finished, now);
            tokio::time::sleep(Duration::from_millis(300)).await;
            still
        })
        .await;
    assert!(finished <= 10, "{finished} turns");
}

/// A person who answers each time is no loop, however often it asks.
#[tokio::test]
async fn what_a_person_answers_may_be_followed_by_any_number_of_questions() {
    let script = "default: [{ say: 'Step {{turn}} is done. Shall I push step {{turn}} to main?' }]\n";
    let world = World::new(setup().team("alpha", script));
    let (status, job) = world.post("/api/jobs", json!({"team": "alpha", "goal": "push"})).await;
    assert_eq!(status, 200, "{job}");
    let mut seen = std::collections::BTreeSet::new();
    for step in 1..=7 {
        let question = world.open_question().await;
        // As long as a person reads at least.
        tokio::time::sleep(Duration::from_millis(1200)).await;
        assert!(seen.insert(question["id"].to_string()), "step {step}: another one is open");
        let (status, answered) = world.answer(&question, json!("yes")).await;
        assert_eq!(status, 200, "step {step}: {answered}");
        let id = question["id"].as_str().expect("an id").to_owned();
        world
            .eventually("the next is asked", async || {
                let pending = world.get("/api/questions/pending").await;
                pending["questions"].as_array().is_some_and(|open| open.iter().any(|one| one["id"] != id.as_str()))
            })
            .await;
    }
}

/// A tell that is refused has answered nothing.
#[tokio::test]
async fn a_full_queue_answers_no_question() {
    let script = "default: [{ say: 'Shall I push it to main?' }]\n";
    let world = World::new(setup().team("alpha", script).setting("maxQueue: 2"));
    world.tell_async("user", "go").await;
    let question = world.open_question().await;
    for _ in 0..2 {
        let later = json!({"fromTeam": "user", "toTeam": "alpha", "message": "later", "delay": 7_200_000});
        let (status, told) = world.post("/api/teams/tell", later).await;
        assert!(status < 300, "{told}");
    }
    let now = json!({"fromTeam": "user", "toTeam": "alpha", "message": "to develop please", "timeout": -1});
    let (status, told) = world.post("/api/teams/tell", now).await;
    assert!(status >= 400, "{told}");
    let still = world.get(&format!("/api/questions/{}", question_id(&question))).await;
    assert_eq!(still["state"], "open", "{still}");
}
