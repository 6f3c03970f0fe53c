use proptest::prelude::*;

use super::*;

fn found(text: &str) -> Detection {
    detect(text, &DetectSettings::default())
}

fn check(text: &str, kind: DetectedKind, question: &str) {
    let found = found(text);
    let asked = found.question.as_ref().map_or("", |span| span.text.as_str());
    assert_eq!((found.kind, asked), (kind, question), "{text}\n{found:?}");
}

#[test]
fn asking_and_offering_are_told_apart() {
    check("Done. Want me to commit this?", DetectedKind::Approval, "Want me to commit this?");
    check("Done. If you want, I can commit this.", DetectedKind::Offer, "If you want, I can commit this.");
    check("Done. Let me know if you want it committed.", DetectedKind::Offer, "Let me know if you want it committed.");
    check("Done. Is there anything else?", DetectedKind::Offer, "Is there anything else?");
    check("Tell me which one you prefer.", DetectedKind::Choice, "Tell me which one you prefer.");
    check("If you want more, tell me which.", DetectedKind::Offer, "If you want more, tell me which.");
    check("All tests pass.", DetectedKind::None, "");
}

#[test]
fn what_is_not_said_to_anybody_is_not_asked() {
    check("It runs `is it ok?` and\n```\nShall I continue?\n```\nends.", DetectedKind::None, "");
    check("The dialog says \"Do you want to quit?\" now.", DetectedKind::None, "");
    check("See https://example.org/?q=should+i for more.", DetectedKind::None, "");
    check("| Should I? | yes |\n|---|---|\n\nThat is the table.", DetectedKind::None, "");
    check("# Why was it slow?\n\nIt read every row.", DetectedKind::None, "");
    check("Why was it slow? Because it read every row.", DetectedKind::None, "");
    check("Should it be a set? I went with a list.", DetectedKind::None, "");
}

#[test]
fn a_question_before_a_long_appendix_is_still_open() {
    let text = format!("Shall I apply it?\n\n## Details\n\n{}", "The file was read and checked. ".repeat(2000));
    check(&text, DetectedKind::Approval, "Shall I apply it?");
    let text = format!("{}\n\nShall I apply it?", "The file was read and checked. ".repeat(40_000));
    check(&text, DetectedKind::Approval, "Shall I apply it?");
}

#[test]
fn spans_count_characters_and_begin_behind_a_colon() {
    let found = found("Größe geprüft ✅. Eins fehlt noch: **welche Version läuft dort?**");
    let span = found.question.expect("a question");
    assert_eq!(span.text, "welche Version läuft dort?");
    assert_eq!((span.start, span.end), (36, 62));
}

#[test]
fn a_picture_among_words_does_not_end_them() {
    check("Should I push 😀 now? ok", DetectedKind::Approval, "Should I push 😀 now?");
    check("All done 🎉 Should I push it?", DetectedKind::Approval, "Should I push it?");
    check("Soll ich 🚀 jetzt deployen?", DetectedKind::Approval, "Soll ich 🚀 jetzt deployen?");
}

#[test]
fn what_is_said_in_passing_is_told_from_what_is_needed() {
    check("Would you believe it was a trailing comma? Fixed.", DetectedKind::None, "");
    let more = "Done. Let me know whether you'd also like the tests.";
    check(more, DetectedKind::Offer, "Let me know whether you'd also like the tests.");
    assert!(found("The token lacks a scope. Once you've granted it, ping me.").needs_answer());
}

#[test]
fn options_are_listed_or_named_in_the_sentence() {
    let options = |text: &str| found(text).options;
    assert_eq!(options("Two ways:\n\n1. **Keep** it\n2. Drop it\n\nWhich one?"), ["1. Keep it", "2. Drop it"]);
    assert_eq!(options("Should I use JSON or YAML?"), ["use JSON", "YAML"]);
    assert_eq!(options("Do you want me to retry, or skip the step?"), ["retry", "skip the step"]);
    assert_eq!(options("Shall I push it, or would you like to change something first?"), [""; 0]);
    assert_eq!(options("Can you send me the log or a screenshot?"), [""; 0]);
}

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

#[test]
fn which_of_them_may_be_asked_for_without_a_mark() {
    let ways = |first: &str, second: &str, ask: &str| format!("{first}:\n\n1. RabbitMQ\n2. Postgres\n\n{second}{ask}");
    for ask in [
        "Sag mir, welchen du willst, dann fange ich an.",
        "Sagen Sie mir, welches Sie möchten, dann fange ich an.",
        "Dis-moi lequel tu veux et je commence.",
        "Dime cuál quieres y empiezo.",
        "Me diz qual você quer e eu começo.",
        "Dimmi quale vuoi e comincio.",
        "Скажи, какую выбираешь, и я начну.",
    ] {
        check(&ways("Two", "", ask), DetectedKind::Choice, ask);
        assert_eq!(found(&ways("Two", "", ask)).options, ["1. RabbitMQ", "2. Postgres"], "{ask}");
    }
}

#[test]
fn more_that_might_be_useful_is_offered() {
    for offer in [
        "Si te parece útil, puedo añadir también la validación del IBAN.",
        "Si cela te semble utile, je peux aussi ajouter la validation.",
        "Se achar útil, posso adicionar também a validação.",
        "Se ti sembra utile, posso aggiungere anche la validazione.",
        "Wenn du es nützlich findest, kann ich auch die Prüfung einbauen.",
        "Если будет полезно, могу добавить и проверку.",
        "如果你觉得有用，我可以再加上校验。",
        "お役に立つようでしたら、検証も追加できます。",
        "도움이 된다면 검증도 추가할 수 있습니다.",
        "If that would be useful, I can add the validation too.",
    ] {
        check(offer, DetectedKind::Offer, offer);
    }
    check("Si te parece bien, borro la tabla.", DetectedKind::Approval, "Si te parece bien, borro la tabla.");
}

#[test]
fn what_the_agent_would_do_said_as_a_question_wants_a_yes() {
    for ask in [
        "Je pousse la branche et j'ouvre la PR ?",
        "Ich pushe den Branch und öffne den PR?",
        "Заливаю в main?",
        "Мержим в main?",
        "旧的 `v1/` 目录可以删掉了吗？",
    ] {
        let text = format!("OK. {ask}");
        let found = found(&text);
        assert_eq!(found.kind, DetectedKind::Approval, "{ask}: {found:?}");
    }
    check("OK. 你可以提供日志吗？", DetectedKind::Blocking, "你可以提供日志吗？");
}

#[test]
fn options_in_the_sentence_are_whole() {
    let options = |text: &str| found(text).options;
    let korean = "빌드가 중단되었습니다. 병렬 작업 수를 줄여서 다시 시도할까요, 아니면 이 단계를 건너뛸까요?";
    assert_eq!(options(korean), ["병렬 작업 수를 줄여서 다시 시도할까요", "이 단계를 건너뛸까요"]);
    let lettered =
        "Dá para fazer de dois jeitos: A) paginação no servidor; B) rolagem infinita no cliente. Qual você prefere?";
    assert_eq!(options(lettered), ["A) paginação no servidor", "B) rolagem infinita no cliente"]);
    let numbered = "We could 1) keep the table, or 2) drop it. Which do you prefer?";
    assert_eq!(options(numbered), ["1) keep the table", "2) drop it"]);
    let german = "Zwei Wege: (a) die Uhr fälschen oder (b) länger warten. Welchen willst du?";
    assert_eq!(options(german), ["(a) die Uhr fälschen", "(b) länger warten"]);
}

#[test]
fn a_yes_or_a_no_may_be_asked_for_by_its_marker() {
    check("Create 5 Linear tickets? (Y/N)", DetectedKind::Approval, "Create 5 Linear tickets?");
    check("Overwrite config.yaml? (yes/no)", DetectedKind::Approval, "Overwrite config.yaml?");
    check("Overwrite it?\n[y/N]", DetectedKind::Approval, "Overwrite it?");
    check("Refactored it. Push to origin (yes/no)", DetectedKind::Approval, "Push to origin (yes/no)");
    check("Fertig. Den Branch löschen (j/n)", DetectedKind::Approval, "Den Branch löschen (j/n)");
    check("The upload failed. Retry? (y/n)", DetectedKind::Approval, "Retry?");
    check("Added a prompt to the installer (y/n).", DetectedKind::None, "");
    check("The table has a column for that (Y/N).", DetectedKind::None, "");
    check("The installer asks: Overwrite? (y/n)\n\nNow it asks once.", DetectedKind::None, "");
    check("It asks first (y/n), and then deletes.", DetectedKind::None, "");
    check("Anything else? (y/n)", DetectedKind::Offer, "Anything else?");
}

#[test]
fn a_failure_that_is_stated_first_is_no_option() {
    let check = |text: &str, kind: DetectedKind, options: &[&str]| {
        let found = found(text);
        assert_eq!((found.kind, found.options), (kind, options.iter().map(|&one| one.to_owned()).collect()), "{text}");
    };
    check("API failed, retry or skip?", DetectedKind::ErrorRecovery, &["retry", "skip"]);
    let file = "File not found, create it or use alternative?";
    check(file, DetectedKind::ErrorRecovery, &["create it", "use alternative"]);
    check("Permission denied: use sudo or stop?", DetectedKind::ErrorRecovery, &["use sudo", "stop"]);
    assert_eq!(found("Error handling, sync or async?").kind, DetectedKind::Choice);
    let when = "When the call failed, should I retry or skip?";
    check(when, DetectedKind::Choice, &["retry", "skip"]);
    let raise = "Two ways: raise the timeout or use a queue. Which one?";
    check(raise, DetectedKind::Choice, &["raise the timeout", "use a queue"]);
}

#[test]
fn the_reason_says_the_same_as_the_kind() {
    let reason = |text: &str| found(text).reason;
    assert_eq!(reason("Which region should I use?"), "\"which\" asks for something");
    assert_eq!(reason("How would you like me to handle it?"), "\"how would you like\" asks for something");
    assert_eq!(reason("Should I use JSON or YAML?"), "\"or\" asks to choose");
    assert_eq!(reason("Should I push it?"), "\"should i\" asks for a yes or a no");
    assert_eq!(reason("The push failed. Should I retry it?"), "\"retry\" asks how to go on");
}

#[test]
fn what_is_said_after_a_question_answers_it_or_says_why_it_is_asked() {
    let open = "What does `legacy_mode` mean? It is set for 12 tenants, and nothing in the code reads it.";
    check(open, DetectedKind::Blocking, "What does `legacy_mode` mean?");
    check("What does the flag mean? It turns the cache off for one request.", DetectedKind::None, "");
    check("I wondered whether to keep it or drop it? In the end I dropped it.", DetectedKind::None, "");
}

#[test]
fn a_pattern_of_the_config_asks() {
    let text = "The cargo is on the quay. Over to the harbour master.";
    assert_eq!(found(text).waiting, Waiting::None);
    let settings = DetectSettings::default().with_patterns(["over to the \\w+"]).expect("a pattern");
    let with = detect(text, &settings);
    assert_eq!(with.waiting, Waiting::Ask);
    assert!(with.reason.contains("over to the harbour"), "{}", with.reason);
    assert!(DetectSettings::default().with_patterns(["(open"]).is_err());
    // What Iris has always listed is covered by the rules and makes no offer a question.
    let standard = DetectSettings::default().with_patterns(STANDARD_PATTERNS.iter().copied()).expect("patterns");
    assert_eq!(detect("Done. Anything else?", &standard).waiting, Waiting::Offer);
}

#[test]
fn below_the_least_confidence_nothing_is_asked() {
    let text = "Shall I push?";
    assert!(found(text).needs_answer());
    let strict = DetectSettings { min_confidence: 1.0, ..DetectSettings::default() };
    let strict = detect(text, &strict);
    assert!(!strict.needs_answer());
    assert!(strict.confidence > 0.9 && strict.reason.contains("not sure enough"), "{strict:?}");
}

/// Pieces that mean something to the detector, and some that only look so.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "Shall I go on?",
        "Let me know if ",
        "please ",
        "?",
        "？",
        "¿",
        "。",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "a) ",
        "# ",
        "> ",
        "```",
        "`",
        "**",
        "_",
        "\"",
        "'",
        "«",
        "»",
        "「",
        "」",
        "(",
        ")",
        "[x](",
        "](",
        "<a ",
        ">",
        "http://",
        "or ",
        " o ",
        "还是",
        "需要我",
        "吗",
        "か",
        "까요",
        "İ",
        "🎉 ",
        "\u{200b}",
        "\u{307}",
        "e\u{301}",
        "1️⃣",
        "①",
        ": ",
        "; ",
        ".",
        "…",
        "which one",
        "|",
        "A: ",
        "т.е. ",
        "\t",
        "\r\n",
        "：",
        "（",
        "）",
        "，",
        "？",
        "。",
        "、",
        "„",
        "“",
        "¿",
        "(",
        ")",
        "\n\n",
        "\n{\"question\": {\"type\": \"blocking\", \"text\": \"",
        "\n```json\n{",
        "\"Question\": ",
        "\"type\": \"choice\", ",
        "“text”: ”",
        "{",
        "}",
        "}}\n",
        "[",
        "]",
        ",",
        "\\",
        "None",
        "//",
        "/*",
        "I asked: ",
        "you said ",
        "the survey has questions:\n",
    ];
    let words = lexicon::list_phrases().into_iter().map(|words| words + " ").collect::<Vec<_>>();
    let known = proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned);
    prop_oneof![3 => known, 3 => proptest::sample::select(words), 1 => "\\PC{0,12}"]
}

#[test]
fn one_word_for_or_may_begin_another() {
    let found = detect("Dois-je corriger les deux failles, ou bien traiter l'ensemble ?", &DetectSettings::default());
    assert_eq!(found.options, ["corriger les deux failles", "traiter l'ensemble"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_text_gets_an_answer_that_fits_it(pieces in proptest::collection::vec(piece(), 0..60)) {
        let text = pieces.concat();
        for settings in [DetectSettings::default(), DetectSettings::new(0.0, false)] {
            let found = detect(&text, &settings);
            prop_assert!((0.0..=1.0).contains(&found.confidence));
            prop_assert!(!found.reason.is_empty());
            prop_assert_eq!(found.question.is_some(), found.waiting != Waiting::None);
            prop_assert!(found.options.is_empty() || found.waiting == Waiting::Ask);
            prop_assert!(found.options.iter().all(|option| !option.trim().is_empty()));
            if let Some(span) = found.question {
                let inside: String = text.chars().skip(span.start).take(span.end - span.start).collect();
                prop_assert_eq!(&inside, &span.text);
                prop_assert!(!inside.trim().is_empty());
            }
        }
    }
}

#[test]
fn the_questions_of_an_faq_are_nobody_s() {
    for (lead, asked) in [
        (
            "I wrote the FAQ:",
            [("Can I use my own domain?", "Explains the CNAME."), ("Do you offer refunds?", "See the terms.")],
        ),
        (
            "Die FAQ steht:",
            [("Kann ich eine eigene Domain nehmen?", "Erklärt den CNAME."), ("Soll ich sichern?", "Rät dazu.")],
        ),
        (
            "La FAQ :",
            [("Puis-je utiliser mon domaine ?", "Explique le CNAME."), ("Dois-je sauvegarder ?", "Le conseille.")],
        ),
        (
            "Preguntas frecuentes:",
            [("¿Puedo usar mi dominio?", "Explica el CNAME."), ("¿Debo hacer una copia?", "La aconseja.")],
        ),
        (
            "Частые вопросы:",
            [("Можно ли взять свой домен?", "Объясняет CNAME."), ("Нужно ли делать копию?", "Советует её.")],
        ),
        ("常见问题：", [("可以使用自己的域名吗？", "说明 CNAME。"), ("要不要先备份？", "建议做快照。")]),
        // Without its name: most of them are not what an agent asks.
        (
            "The help page:",
            [("Can I use my own domain?", "Explains the CNAME."), ("Is there a free tier?", "Lists the limits.")],
        ),
    ] {
        for set_off in [|q: &str, a: &str| format!("- **{q}** {a}\n"), |q: &str, a: &str| format!("**{q}**\n\n{a}\n\n")]
        {
            let list: String = asked.iter().map(|(question, answer)| set_off(question, answer)).collect();
            let reply = format!("{lead}\n\n{list}\nIt is linked from the footer.");
            assert!(!found(&reply).needs_answer(), "{reply}: {:?}", found(&reply));
        }
    }
    for asks in [
        "Before I start:\n\n- **Should I drop the table?** Nothing reads it.\n- **Should I rename it?** The ORM does.",
        "Open:\n\n1. **What is the limit?** I could not find it.\n2. **Should I encrypt it?** It costs 5 %.",
        "The FAQ is written. Should I publish it? It is linked from nowhere yet.",
    ] {
        assert!(found(asks).needs_answer(), "{asks}");
    }
}

#[test]
fn a_search_that_stops_for_a_report_waits_for_it() {
    for asks in [
        "Reload the page and tell me if the menu shows up. That tells me whether it's the bundle or the server.",
        "Lade neu und sag mir, ob das Menü erscheint; dann weiß ich, ob es am Bundle oder am Server liegt.",
        "Recharge la page et dis-moi si le menu apparaît ; je saurai alors si ça vient du bundle ou du serveur.",
        "Recarga la página y dime si el menú aparece; con eso sabré si está en el bundle o en el servidor.",
        "请刷新页面，告诉我菜单是否出现，这样我就知道是打包的问题还是服务器的问题。",
        "That is from a release build. I need one with symbols. Without it I'd just be guessing.",
    ] {
        let found = found(asks);
        assert_eq!((found.needs_answer(), found.kind), (true, DetectedKind::Blocking), "{asks}: {}", found.reason);
    }
    for offers in ["Fixed. Try it and tell me if it works.", "Fertig. Probier es aus und sag mir, ob es klappt."] {
        assert!(!found(offers).needs_answer(), "{offers}");
    }
}

#[test]
fn a_bug_that_was_found_is_no_failure_and_either_of_two_answers_is_no_choice() {
    let kind = |text: &str| found(text).kind;
    for approval in [
        "He encontrado el fallo: la fecha se compara como cadena. ¿Lo aplico?",
        "원인은 캐시 키 충돌이었습니다. 수정안을 적용해도 될까요?",
        "Der Plan steht, geändert ist noch nichts. Ich warte auf deine Freigabe.",
    ] {
        assert_eq!(kind(approval), DetectedKind::Approval, "{approval}");
    }
    assert_eq!(kind("推送被远端拒绝，原因是分支受保护。要改走合并请求，还是先放一放？"), DetectedKind::ErrorRecovery);
    for blocking in [
        "There is no such file. Could you point me to it, or tell me which repo it's in?",
        "Bitte schick mir das Schema oder nenne mir den Pfad, sonst kann ich nicht weitermachen.",
        "请把配置文件发给我，或者告诉我它放在哪个目录。",
    ] {
        assert_eq!(kind(blocking), DetectedKind::Blocking, "{blocking}");
    }
    assert_eq!(kind("Should I use JSON or YAML?"), DetectedKind::Choice);
}

#[test]
fn a_question_that_was_answered_before_is_not_asked_again() {
    for told in [
        "Earlier I asked: which port should I use? You answered 8080, so I've set it in `server.toml`.",
        "I had asked: Shall I delete the old table?\nYou said: yes.\n\nThe table is gone.",
        "My earlier question (which region should be the default?) is settled: eu-west-1, as you said.",
        "You asked: can it run offline? It can; the model is bundled.",
        "- Which port? 8080 (your answer)\n- Which host? localhost (your answer)\n\nBoth are written to the config.",
        "Ich hatte gefragt: Welcher Port? Du hast 8080 gesagt, das ist jetzt eingetragen.",
        "Ich hatte gefragt: Soll ich die Tabelle löschen? Du hast Ja gesagt. Sie ist weg.",
        "之前我问过：用哪个端口？你回答是 8080，已经写入配置。",
        "我之前问过：要不要删除旧表？你说没问题。旧表已经删了。",
        "I had asked: should I keep the cache? You said don't, so it is gone.",
        "J'avais demandé : quel port dois-je utiliser ? Tu as répondu 8080, c'est en place.",
        "Te pregunté antes: ¿qué puerto uso? Respondiste 8080 y ya está en el archivo.",
        "Eu tinha perguntado: qual porta devo usar? Você respondeu 8080, está no arquivo.",
        "Avevo chiesto: quale porta devo usare? Hai risposto 8080, ora è nel file.",
        "Я спрашивал: какой порт использовать? Вы ответили 8080, он записан.",
    ] {
        assert!(!found(told).needs_answer(), "{told}: {:?}", found(told));
    }
    for asks in [
        "Earlier I asked: which port should I use? You haven't answered yet.",
        "I had asked: Shall I delete the old table? You said you'd think about it.",
        "My question: which port should I use? You said 8080 in the ticket, but the config has 9090.",
        "Which port should I use? You said 8080 in the ticket, and the config has 9090.",
        "Earlier I asked: which port should I use? You said 8080. It is taken. Which other one should I use?",
        "Ich hatte gefragt: Welchen Port soll ich nehmen? Du hast noch nichts gesagt.",
        "之前我问过：用哪个端口？你还没回答。",
        "Te pregunté antes: ¿qué puerto uso? Aún no has respondido.",
    ] {
        assert!(found(asks).needs_answer(), "{asks}: {:?}", found(asks));
    }
}

#[test]
fn a_yes_may_be_wanted_in_many_words() {
    for asks in [
        "Before I rewrite git history on a shared branch I want an explicit yes from you. The force-push would drop commits 3fa1c2e..91bd004 from `origin/release`.",
        "Bevor ich die Historie umschreibe, will ich ein ausdrückliches Ja von dir. Der Force-Push würde drei Commits verwerfen.",
        "Avant de réécrire l'historique, je veux un oui explicite de ta part. Le force-push supprimerait trois commits.",
        "Antes de reescribir el historial quiero un sí explícito de tu parte. El force-push borraría tres commits.",
        "Antes de reescrever o histórico, quero um sim explícito seu. O force-push apagaria três commits.",
        "Prima di riscrivere la storia voglio un sì esplicito da parte tua. Il force-push eliminerebbe tre commit.",
        "Прежде чем переписывать историю, мне нужно твоё явное согласие. Force-push удалит три коммита.",
        "在改写历史之前，我需要你明确同意。强制推送会丢掉三个提交。",
        "履歴を書き換える前に、明示的な承認をいただきたいです。強制プッシュで3つのコミットが消えます。",
        "히스토리를 다시 쓰기 전에 명시적인 승인이 필요합니다. 강제 푸시로 커밋 세 개가 사라집니다.",
        "Ready when you are — reply with \"ship it\" and I'll cut the release. Nothing has been tagged yet.",
        "Happy to go ahead — just say \"go\" and I'll start the migration.",
        "Here's the plan:\n\n1. Add the trait\n2. Use it\n\nLet me know if this looks right and I'll get started with phase 1.",
        "Here's the plan:\n\n1. Add the trait\n2. Use it\n\nLet me know if that sounds okay and I'll begin.",
        "Der Plan:\n\n1. Trait anlegen\n2. Benutzen\n\nSag Bescheid, wenn das so passt, dann fange ich mit Phase 1 an.",
        "Le plan :\n\n1. Ajouter le trait\n2. L'utiliser\n\nDis-moi si ça te convient et je commence la phase 1.",
        "El plan:\n\n1. Añadir el trait\n2. Usarlo\n\nDime si te parece bien y empiezo con la fase 1.",
        "O plano:\n\n1. Criar o trait\n2. Usá-lo\n\nMe diga se está tudo certo e eu começo a fase 1.",
        "Il piano:\n\n1. Aggiungere il trait\n2. Usarlo\n\nFammi sapere se ti va bene e comincio con la fase 1.",
        "План:\n\n1. Добавить трейт\n2. Использовать\n\nДай знать, если всё верно, и я начну с первой фазы.",
        "方案：\n\n1. 增加接口\n2. 替换调用\n\n如果没问题告诉我一声，我就开始第一阶段。",
    ] {
        let found = found(asks);
        assert_eq!((found.needs_answer(), found.kind), (true, DetectedKind::Approval), "{asks}: {found:?}");
    }
}

#[test]
fn who_is_to_be_told_and_goes_on_then_waits() {
    for asks in [
        "Preciso do arquivo `service-account.json` para testar o upload. Assim que você colocar na raiz do projeto, me avise e eu continuo.",
        "I need the file `service-account.json` to test the upload. Once you've put it into the project root, let me know and I'll continue.",
        "Ich brauche die Datei `service-account.json`. Sobald du sie abgelegt hast, sag Bescheid, dann mache ich weiter.",
        "Il me faut le fichier `service-account.json`. Dès que tu l'as ajouté, préviens-moi et je continue.",
        "Necesito el archivo `service-account.json`. En cuanto lo pongas en la raíz, avísame y sigo.",
        "Mi serve il file `service-account.json`. Appena l'hai messo nella cartella, avvisami e continuo.",
        "Нужен файл `service-account.json`. Как только положишь его в корень, дай знать, и я продолжу.",
        "测试上传需要 `service-account.json`。放到项目根目录后告诉我，我就继续。",
        "질문이 있습니다: 어떤 포트를 사용할까요?",
    ] {
        assert!(found(asks).needs_answer(), "{asks}: {:?}", found(asks));
    }
    for waits_not in [
        "All 9 review comments are addressed. Ping me once CI is through if anything is red.",
        "Alle Kommentare sind erledigt. Melde dich nach dem CI-Lauf, falls etwas rot ist.",
        "Tous les commentaires sont traités. Préviens-moi après la CI si quelque chose est rouge.",
        "Todos los comentarios están resueltos. Avísame cuando termine la CI si algo sale en rojo.",
        "Todos os comentários foram resolvidos. Me avise quando a CI terminar se algo ficar vermelho.",
        "Tutti i commenti sono risolti. Avvisami quando la CI finisce se qualcosa è rosso.",
        "Все замечания исправлены. Напиши после CI, если что-то упадёт.",
        "评论都处理完了。CI 跑完后如果有什么红的再告诉我。",
        "이슈에 \"왜 로그인이 풀리나요?\"라는 질문이 있어 확인해 보니 쿠키 만료 시간이 잘못 설정되어 있었습니다. 7일로 수정했습니다.",
        "Done. Let me know if this looks right.",
        "Done. Let me know if everything works and I'll be glad.",
        "I'm ready when you are if you want more tests.",
        "If anything fails, the script tries again.",
    ] {
        assert!(!found(waits_not).needs_answer(), "{waits_not}: {:?}", found(waits_not));
    }
}

#[test]
fn the_questions_of_a_survey_that_was_written_are_for_others() {
    for told in [
        "The survey form now has five questions:\n\n1. How did you hear about us?\n2. How satisfied are you with the product?\n3. Would you recommend it to a friend?\n4. What should we improve?\n5. May we contact you?\n\nThey're stored in `survey.json` and validated on the server.",
        "Interview questions for the backend role are in `hiring/backend.md`. Highlights: how would you design a rate limiter? What happens when a primary fails? When would you not use a queue? Each has a rubric with three levels.",
        "新增的问卷包含三道题：\n1. 您是从哪里了解到我们的？\n2. 您对服务是否满意？\n3. 您愿意推荐给朋友吗？\n\n数据写入 `survey` 表。",
        "Die Umfrage enthält jetzt drei Fragen:\n\n1. Wie haben Sie von uns erfahren?\n2. Würden Sie uns empfehlen?\n3. Dürfen wir Sie kontaktieren?\n\nSie stehen in `umfrage.json`.",
        "Le sondage contient trois questions :\n\n1. Comment nous avez-vous connus ?\n2. Nous recommanderiez-vous ?\n3. Pouvons-nous vous contacter ?\n\nElles sont dans `sondage.json`.",
        "La encuesta tiene ahora tres preguntas:\n\n1. ¿Cómo nos conoció?\n2. ¿Nos recomendaría?\n3. ¿Podemos contactarle?\n\nEstán en `encuesta.json`.",
        "O questionário contém três perguntas:\n\n1. Como nos conheceu?\n2. Você nos recomendaria?\n3. Podemos entrar em contato?\n\nEstão em `q.json`.",
        "Il sondaggio contiene tre domande:\n\n1. Come ci ha conosciuti?\n2. Ci consiglierebbe?\n3. Possiamo contattarla?\n\nSono in `s.json`.",
        "Опрос содержит три вопроса:\n\n1. Как вы о нас узнали?\n2. Порекомендуете ли вы нас?\n3. Можем ли мы с вами связаться?\n\nОни лежат в `survey.json`.",
        "アンケートには3つの質問が含まれています：\n1. どこで知りましたか？\n2. 満足していますか？\n3. 友人に勧めますか？\n\n`survey.json` に保存しました。",
        "설문에는 세 가지 질문이 포함되어 있습니다:\n1. 어떻게 알게 되셨나요?\n2. 만족하시나요?\n3. 추천하시겠습니까?\n\n`survey.json`에 저장했습니다.",
    ] {
        assert!(!found(told).needs_answer(), "{told}: {:?}", found(told));
    }
    for asks in [
        "Interview questions are in `hiring/backend.md`. Should I also add a rubric? It takes an hour.",
        "Before I build the survey, a few questions:\n\n1. Which languages should it support?\n2. Is it anonymous?\n\nThe rest is done.",
        "The survey is not finished. Open questions:\n\n1. Should it be anonymous?\n2. May we store the e-mail?",
        "The survey now has five questions. Should I publish it?",
        "The survey has two open points:\n\n1. Should it be anonymous?\n2. Which languages should it have?\n\nThe rest is done.",
        "The survey contains these questions:\n\n1. Are you new?\n2. Are you glad?\n\nShould I publish it?",
    ] {
        assert!(found(asks).needs_answer(), "{asks}: {:?}", found(asks));
    }
}
