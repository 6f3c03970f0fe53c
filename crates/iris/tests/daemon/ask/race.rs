//! Many answers at once, and answers against cancels.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{asking_setup, question_id};
use crate::world::{World, id, setup};

/// `IRIS_TEST_ROUNDS=500` for the full count.
fn rounds(usual: usize) -> usize {
    std::env::var("IRIS_TEST_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(usual)
}

/// A hundred people over the API with two tokens, in a browser and on the command line: one wins, each of the others is told
/// who and when. Whoever tells at that moment has no say in it.
#[tokio::test(flavor = "multi_thread")]
async fn of_a_hundred_racing_answers_one_counts_and_has_one_effect() {
    let world = World::new(asking_setup().questions("perMinute: 100000").server("requestsPerSecond: 100000"));
    let (browser, made) = (world.browser().await, world.token("ops", &["read", "answer"]).await);
    for round in 0..rounds(5) {
        let told = world.tell_async("user", "ask").await;
        let question = world.open_question().await;
        let mut racing = tokio::task::JoinSet::new();
        for number in 0..96 {
            let mut client = match number % 3 {
                0 => world.client(),
                1 => world.with(&made),
                _ => world.with(""),
            };
            let path = format!("/api/questions/{}/answer", question_id(&question));
            let value = if number % 2 == 0 { "Red" } else { "Blue" };
            let (cookie, word) = (browser.cookie.clone(), browser.word.clone());
            racing.spawn(async move {
                let body = json!({"response": {"type": "choice", "value": value}});
                let page = [("cookie", cookie.as_str()), ("iris-csrf", &word), ("content-type", "application/json")];
                let answer = match number % 3 {
                    2 => client.ask("POST", &path, &page, body.to_string().as_bytes()).await,
                    _ => client.post(&path, &body).await,
                };
                let answer = answer.expect("an answer");
                (answer.status, answer.json().expect("JSON"))
            });
        }
        let telling = world.tell_async("user", "Blue");
        for value in ["Red", "Blue", "1", "2"] {
            let (home, id) = (world.path().to_owned(), question_id(&question).to_owned());
            racing.spawn_blocking(move || {
                let run = std::process::Command::new(env!("CARGO_BIN_EXE_iris"))
                    .args(["answer", &id, value, "--json"])
                    .env("IRIS_HOME", home)
                    .output()
                    .expect("it runs");
                let status = if run.status.success() { 200 } else { 409 };
                let said = if run.status.success() { run.stdout } else { run.stderr };
                (status, serde_json::from_slice(&said).expect("JSON"))
            });
        }
        let (also_told, answers): (Value, Vec<(u16, Value)>) = tokio::join!(telling, racing.join_all());
        let winners: Vec<_> = answers.iter().filter(|(status, _)| *status == 200).collect();
        assert_eq!(winners.len(), 1, "round {round}");
        let first = format!("answered already by {}", winners[0].1["closedBy"].as_str().expect("who"));
        for (status, said) in &answers {
            let told = said["detail"].as_str().unwrap_or_default();
            assert!(*status == 200 || (*status == 409 && told.contains(&first)), "{status} {said}");
        }
        let counted = winners[0].1["answer"]["value"].as_str().expect("a value").to_owned();
        assert_eq!(world.ended(id(&told)).await["response"], format!("took {counted}"), "round {round}");
        assert_eq!(world.ended(id(&also_told)).await["response"], "You said: Blue", "round {round}");
    }
    let answered = world.events("question.answered").await.len();
    assert_eq!(answered, rounds(5).min(1000), "one effect for each");
}

/// `IRIS_TEST_ROUNDS=10000` for the full count.
#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_and_an_answer_at_the_same_moment_have_one_order() {
    let world = World::new(asking_setup().questions("perMinute: 100000"));
    let mut counts = [0, 0];
    for round in 0..rounds(30) {
        let told = world.tell_async("user", "ask").await;
        let question = world.open_question().await;
        let (mut one, mut other) = (world.client(), world.client());
        let path = format!("/api/questions/{}", question_id(&question));
        let (answer_path, cancel_path) = (format!("{path}/answer"), format!("{path}/cancel"));
        let response = json!({"response": {"value": "Blue"}});
        let (answered, cancelled) =
            tokio::join!(async { one.post(&answer_path, &response).await.expect("an answer").status }, async {
                other.post(&cancel_path, &json!({})).await.expect("an answer").status
            },);
        let state = world.get(&path).await["state"].as_str().expect("a state").to_owned();
        match (answered, cancelled) {
            (200, 409) => assert_eq!(state, "answered", "round {round}"),
            (409, 200) => assert_eq!(state, "cancelled", "round {round}"),
            both => panic!("round {round}: {both:?}"),
        }
        counts[usize::from(answered == 200)] += 1;
        let said = world.ended(id(&told)).await["response"].as_str().expect("a reply").to_owned();
        assert_eq!(said.starts_with("took Blue"), answered == 200, "round {round}: {said}");
    }
    eprintln!("cancelled {}, answered {}", counts[0], counts[1]);
}

/// Who answers and upkeep both look for what is to be passed on: whichever comes first, the agent goes on, and that is said.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_upkeep_passed_on_is_said_to_be() {
    let found = "default: [{ say: \"I found 3 errors.\\n\\nShould I fix them? (y/n)\" }]";
    let world = World::new(setup().team("alpha", found).questions("perMinute: 100000"));
    for round in 0..rounds(6) {
        let parties: Vec<_> = (0..8).map(|party| format!("{round}-{party}")).collect();
        join_all(parties.iter().map(|party| world.tell_async(party, "look"))).await;
        let mut open = Vec::new();
        while open.len() < parties.len() {
            open = world.get("/api/questions/pending").await["questions"].as_array().expect("a list").clone();
        }
        let answers = join_all(open.iter().map(|question| world.answer(question, json!("no")))).await;
        for (status, said) in answers {
            assert_eq!((status, &said["jobResumed"]), (200, &json!(true)), "{said}");
        }
        // Each asks the same again, and is asked nothing more.
        while !open.is_empty() {
            open = world.get("/api/questions/pending").await["questions"].as_array().expect("a list").clone();
            for question in &open {
                world.post(&format!("/api/questions/{}/cancel", question_id(question)), json!({})).await;
            }
        }
    }
}
