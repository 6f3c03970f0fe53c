//! Telling and answering.

use serde_json::{Value, json};

use crate::kind::Deed;
use crate::promise::{Promise, check};
use crate::stage::says;

#[tokio::test]
async fn a_tell_is_answered() {
    check(Promise::ATellIsAnswered, &[], async |stage| {
        let told = stage.tell("hello", Deed::Say("at your service")).await;
        assert_eq!((&told["status"], &told["response"]), (&json!("completed"), &json!("at your service")), "{told}");
    })
    .await;
}

#[tokio::test]
async fn one_process_serves_many_tells() {
    check(Promise::OneProcessServesManyTells, &[], async |stage| {
        stage.tell("one", Deed::Say("first")).await;
        let pid = stage.pid().await;
        assert_eq!(stage.tell("two", Deed::Say("second")).await["response"], "second");
        assert_eq!(stage.pid().await, pid);
    })
    .await;
}

#[tokio::test]
async fn text_is_seen_while_it_is_written() {
    check(Promise::TextIsSeenWhileItIsWritten, &[], async |stage| {
        let mut stream = stage.world.client().follow("/api/events").await.expect("a stream");
        let turn = stage.start(Deed::Stream).await;
        let (mut pieces, mut text) = (0, String::new());
        loop {
            let (name, frame) = stream.next(crate::world::SOON).await.expect("a frame");
            if name == "delta" && frame["turn"] == turn.as_str() {
                pieces += 1;
                text.push_str(frame["text"].as_str().expect("a text"));
            }
            if frame["kind"] == "turn.finished" && frame["turn"] == turn.as_str() {
                break;
            }
        }
        assert!(pieces >= 3, "it came in {pieces} pieces");
        assert_eq!(text, "one two three four five six");
    })
    .await;
}

#[tokio::test]
async fn figures_are_per_turn() {
    check(Promise::FiguresArePerTurn, &[], async |stage| {
        let first = stage.tell("one", Deed::Say("first")).await;
        let second = stage.tell("two", Deed::Say("second")).await;
        for told in [&first, &second] {
            let usage = &told["usage"];
            assert!(usage["inputTokens"].as_u64() > Some(0) && usage["outputTokens"].as_u64() > Some(0), "{told}");
            assert!(usage["model"].is_string(), "{told}");
        }
        let cost = |told: &Value| told["usage"]["costUsd"].as_f64().expect("a cost");
        assert!(cost(&first) > 0.0 && cost(&second) > 0.0, "{first} {second}");
        // The conversation has grown by a few words, so that what is much dearer is the sum of both.
        assert!(cost(&second) < 1.8 * cost(&first), "{first} {second}");
        stage.world.post("/api/teams/alpha/sleep", json!({})).await;
        let third = stage.tell("three", Deed::Say("third")).await;
        assert!(cost(&third) < 1.8 * cost(&first), "also after a resume: {first} {third}");
    })
    .await;
}

#[tokio::test]
async fn tools_are_kept_as_typed_messages() {
    check(Promise::ToolsAreKeptAsTypedMessages, &["grantPermission: yes"], async |stage| {
        let told = stage.tell("work", Deed::UseTool).await;
        assert_eq!(told["response"], "all done", "{told}");
        let made = std::fs::read_to_string(stage.project("made.txt"));
        assert_eq!(made.expect("it ran in the team's folder").trim(), "made");
        let messages = stage.messages(&told).await;
        let place = |kind: &str, is_meant: &dyn Fn(&Value) -> bool| {
            let found = |message: &Value| message["type"] == kind && is_meant(message);
            messages.iter().position(found).unwrap_or_else(|| panic!("no such {kind}: {messages:#?}"))
        };
        let used = place("tool_use", &|message| message["calls"][0]["meaning"]["nature"] == "shell");
        let call = &messages[used]["calls"][0];
        let gave = place("tool_result", &|message| message["results"][0]["call"] == call["id"]);
        let said = place("assistant", &|message| message["text"] == "all done");
        assert!(used < gave && gave < said, "{messages:#?}");
        assert!(says(&call["meaning"]["about"], "made"), "it says what is run: {call}");
        assert!(says(&messages[gave]["text"], "made") && messages[gave]["results"][0]["isError"].is_null());
    })
    .await;
}

#[tokio::test]
async fn sub_agents_name_their_parent() {
    check(Promise::SubAgentsNameTheirParent, &["grantPermission: yes"], async |stage| {
        let told = stage.tell("work", Deed::Delegate).await;
        assert_eq!(told["response"], "all done", "what a sub-agent says is no answer: {told}");
        let messages = stage.messages(&told).await;
        assert!(messages.iter().any(|message| message["parent"].is_string()), "{messages:#?}");
        assert!(messages.iter().any(|message| message["type"] == "task"), "{messages:#?}");
        let own = messages.iter().find(|message| says(&message["text"], "all done")).expect("its own words");
        assert!(own["parent"].is_null(), "{own}");
    })
    .await;
}

#[tokio::test]
async fn text_is_never_a_command() {
    check(Promise::TextIsNeverACommand, &[], async |stage| {
        for command in ["/clear", "/compact now", "!ls", "# remember"] {
            let told = stage.tell(command, Deed::Say("read it")).await;
            assert_eq!(told["response"], "read it", "{command}: {told}");
            let heard = stage.heard().await;
            assert!(heard.contains(command), "{command}: {heard}");
        }
    })
    .await;
}

#[tokio::test]
async fn long_messages_arrive_whole() {
    check(Promise::LongMessagesArriveWhole, &[], async |stage| {
        let long: String = (0..2 * 1024 * 1024 / 8).map(|number| format!("{number:07} ")).collect();
        let told = stage.tell(&long, Deed::Say("read it")).await;
        assert_eq!(told["response"], "read it", "{told}");
        let heard = stage.heard().await;
        assert!(heard.contains(long.trim_end()), "{} of {} bytes arrived", heard.len(), long.len());
    })
    .await;
}
