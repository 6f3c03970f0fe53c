//! What is written as a question.

use super::*;

#[test]
fn a_question_may_be_written_in_the_format_for_questions() {
    let block = |kind: &str, options: &str| {
        format!(
            "Set up the schema.\n\n```json\n{{\n  \"question\": {{\n    \"type\": \"{kind}\",\n    \"text\": \"Größe — which auth?\",\n    \
             \"context\": \"Why?\"{options}\n  }}\n}}\n```\n"
        )
    };
    let choices = r#", "options": [{"label": "JWT", "description": "x", "recommended": true}, {"label": "Cookies"}]"#;
    check(&block("blocking", ""), DetectedKind::Blocking, "Größe — which auth?");
    check(&block("clarifying", ""), DetectedKind::Blocking, "Größe — which auth?");
    check(&block("confirming", ""), DetectedKind::Approval, "Größe — which auth?");
    check(&block("blocking", choices), DetectedKind::Choice, "Größe — which auth?");
    check(&block("celebratory", ""), DetectedKind::Offer, "Größe — which auth?");
    check(&block("blocking|clarifying", choices), DetectedKind::None, "");
    assert_eq!(found(&block("blocking", choices)).options, ["JWT", "Cookies"]);
    let text = block("blocking", choices);
    let span = found(&text).question.expect("a question");
    let same: String = text.chars().skip(span.start).take(span.end - span.start).collect();
    assert_eq!(span.text, same);
    let bare = r#"{"question": {"type": "blocking", "text": "Which port?"}}"#;
    check(bare, DetectedKind::Blocking, "Which port?");
    check(&format!("```rust\n{bare}\n```\nThat is the test."), DetectedKind::None, "");
    check("```json\n{\"question\": {\"type\": \"blocking\"}}\n```\nIt parses now.", DetectedKind::None, "");
}

/// Models write JSON as people do.
#[test]
fn a_block_that_is_nearly_right_is_read_as_it_is_meant() {
    let block = |body: &str| found(&format!("Set up.\n\n```json\n{body}\n```"));
    let options = |options: &str| {
        let found = block(&format!(
            r#"{{"question": {{"type": "blocking", "text": "How many?", "options": {options}, "default": "9"}}}}"#
        ));
        assert_eq!(found.question.expect("a question").text, "How many?");
        found.options
    };
    assert_eq!(options("[2, 4.5, true, null]"), ["2", "4.5", "true"]);
    assert_eq!(options(r#"[{"value": 2, "recommended": null}, {"id": "b"}, {"label": "C"}]"#), ["2", "b", "C"]);
    assert_eq!(options(r#"{"A": "the first", "B": null}"#), ["A", "B"]);
    for body in [
        r#"{"question": {"type": "BLOCKING", "text": "How many?"}}"#,
        r#"{"question": {"type": "Non-Blocking", "text": "How many?",},}"#,
        "{\n  // why\n  question: {type: 'blocking', /* x */ text: \"How many?\"}\n}",
        r#"{"question": {"text": "How many?", "priority": 1}}"#,
        r#"{"question": [{"type": "blocking", "text": "How many?"}]}"#,
        r#"{"questions": [{"type": "blocking", "text": "How many?"}]}"#,
        r#"[{"question": "How many?", "type": "blocking"}]"#,
        r#"{"Question": {"TYPE": "blocking", "Text": "How many?"}}"#,
        r#"{"question": {"type": "blocking", "prompt": "How many?"}}"#,
        r#"{"question": {"type": "blocking", "content": "How many?", "default": None, "allowFreeText": True}}"#,
        "{“question”: {“type”: “blocking”, “text”: “How many?”}}",
        "{”question”: {”type”: ”blocking”, ”text”: ”How many?”}}",
        r#"{"question": {"type": "blocking", "text": `How many?`}}"#,
        r#"{"question": {"type": "blocking", "text": "How many?""#,
    ] {
        let found = block(body);
        assert_eq!(found.kind, DetectedKind::Blocking, "{body}: {found:?}");
        assert_eq!(found.question.expect("a question").text, "How many?", "{body}");
    }
    let good = r#"{"question": {"type": "blocking", "text": "How many?"}}"#;
    for reply in [
        format!("Set up.\n```JSON\n{good}\n```"),
        format!("Set up.\n~~~json5\n{good}\n~~~\n"),
        format!("Set up.\n````json title=ask\n{good}\n````\nI wait."),
        format!("- Set up.\n  ```json\n  {good}\n  ```"),
        format!("Set up.\n```rust\nf()\n```\n```\n{good}"),
        format!("Set up. A question:\n\n{good}\n"),
        format!("Set up. A question:\n\n{good}\n\nThe rest is done."),
        format!("Output:\n\n```\n12 passed\n```\n\n{good}"),
        format!("It is:\n\n```json\n{{\"db\": null}}\n```\n\n{good}"),
        format!("I looked.\n\n{good}\n\nI will continue once I have your answer."),
        format!("{good}\nThanks!"),
        format!("I looked.\n\n  {good}"),
        format!("- {good}"),
        format!("1. {good}"),
        format!("> ```json\n> {good}\n> ```"),
        format!("> {good}"),
        format!("```js\n{good}\n```"),
        format!("```javascript\n{good}\n```"),
        format!("```jsonl\n{good}\n```"),
        format!("```text\n{good}\n```\nI wait."),
        format!("```question\n{good}\n```"),
    ] {
        check(&reply, DetectedKind::Blocking, "How many?");
    }
    for none in [
        r#"{"question": {"type": "blocking" | "approval", "text": "your question"}}"#,
        r#"{"question": {"type": "...", "text": "your question"}}"#,
        r#"{"question": "What is 2 + 2?", "answer": 4}"#,
        r#"{"questions": [{"type": "radio", "text": "How old are you?"}]}"#,
    ] {
        assert!(!block(none).is_for_people(), "{none}");
    }
}

/// Half of a question is another one.
#[test]
fn the_words_of_a_block_are_never_cut() {
    let reply = |body: &str| format!("Set up.\n\n```json\n{body}\n```");
    let inner =
        r#"{"question": {"type": "choice", "text": "Drop the "users" table?", "choices": ["the "old" one", 2]}}"#;
    check(&reply(inner), DetectedKind::Choice, r#"Drop the "users" table?"#);
    let written = found(&reply(inner)).written.expect("it is written");
    assert_eq!(written.request.question, r#"Drop the "users" table?"#);
    assert_eq!(found(&reply(inner)).options, [r#"the "old" one"#, "2"]);
    for broken in [
        r#"{"question": {"type": "blocking", "text": "Drop "users", "orders" and "items"?"}}"#,
        r#"{"question": {"type": "blocking", "text": "How many?", "options": [}}"#,
        r#"{"question": {"type": "blocking", "text": "How many of the"#,
    ] {
        check(&reply(broken), DetectedKind::Blocking, broken);
    }
    check(&format!("```ts\nconst q = {inner};\n```"), DetectedKind::None, "");
}

#[test]
fn a_block_that_is_only_shown_asks_nothing() {
    let one = r#"{"question": {"type": "choice", "text": "Which colour?", "options": ["red", "blue"]}}"#;
    let list = r#"{"questions": [{"type": "choice", "text": "How old are you?", "options": ["<18", "18+"]}]}"#;
    for (lead, block, after) in [
        ("I wrote the fixture `q1.json`:", one, "and the parser test uses it. 14 tests pass."),
        ("Example response of `GET /api/quiz/1`:", one, "Done."),
        ("Added the survey seed:", list, ""),
        ("Here are the survey questions:", list, ""),
        ("Ich habe die Testdaten angelegt:", one, "Alle Tests sind grün."),
        ("已添加测试数据：", one, "全部测试通过。"),
    ] {
        for fence in ["", "```json\n"] {
            let reply = format!("{lead}\n\n{fence}{block}\n{}\n{after}", fence.trim_end_matches("json\n"));
            assert!(!found(&reply).is_for_people(), "{reply}: {:?}", found(&reply));
        }
    }
    for (lead, after) in [
        ("The schema is done; one question:", ""),
        ("The upload failed:", "The rest is done."),
        ("Set up the schema.", "Everything else is done."),
        ("Added the tests:\n\n```\n12 passed\n```", ""),
        ("Here is what I need from you:", "I'll wait for your answer."),
    ] {
        let reply = format!("{lead}\n\n```json\n{one}\n```\n{after}");
        assert!(found(&reply).needs_answer(), "{reply}: {:?}", found(&reply));
    }
}

#[test]
fn several_questions_that_are_written_are_all_asked() {
    let one = r#"{"question": {"type": "blocking", "text": "How many?", "options": [1, 2]}}"#;
    let two = r#"{"question": {"type": "approval", "text": "Deploy?"}}"#;
    let thought = r#"{"question": {"type": "educational", "text": "Why?"}}"#;
    for reply in [
        format!("```json\n{one}\n```\nand\n```json\n{two}\n```"),
        format!("```json\n{one}\n{two}\n{thought}\n```"),
        format!("```json\n[{one}, {two}]\n```\n```json\n{thought}\n```"),
    ] {
        let found = found(&reply);
        assert_eq!((found.kind, found.options.len()), (DetectedKind::Blocking, 0), "{reply}");
        let written = found.written.expect("it is written");
        assert_eq!(written.request.question, "1. How many? (1 / 2)\n2. Deploy?", "{reply}");
    }
}
