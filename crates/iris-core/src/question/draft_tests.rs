use super::*;
use crate::call::Meaning;
use serde_json::json;

const POLICY: Policy = Policy {
    blocking: Millis(1_800_000),
    approval: Millis(900_000),
    error_recovery: Millis(600_000),
    shortest: Millis(300_000),
    longest: Millis(86_400_000),
    on_deadline: OnDeadline::Fail,
    real: risk::as_written,
};

fn draft(request: Value) -> Result<Draft, String> {
    let request: AskRequest = serde_json::from_value(request).map_err(|error| error.to_string())?;
    Draft::asked(&request, Way::Tool, &POLICY).map_err(|error| error.to_string())
}

fn check(request: Value, expected: &str) {
    let found = match draft(request.clone()) {
        Ok(draft) => format!(
            "{} {} {} {:?} blocks {}",
            draft.kind,
            draft.detail.response_type(),
            draft.on_deadline,
            draft.deadline.map(|deadline| deadline.to_string()),
            draft.kind.blocks()
        ),
        Err(error) => error,
    };
    assert!(found.contains(expected), "{request}: {found}");
}

#[test]
fn kinds_have_their_deadlines_and_what_happens_then() {
    check(json!({"question": "Which?", "type": "blocking"}), r#"blocking text fail Some("30m") blocks true"#);
    check(json!({"question": "May I?", "type": "approval"}), r#"approval approval fail Some("15m") blocks true"#);
    check(
        json!({"question": "Retry?", "type": "error_recovery", "options": ["retry", "skip"], "defaultResponse": "skip"}),
        r#"error_recovery choice default Some("10m") blocks true"#,
    );
    check(json!({"question": "TS?", "type": "non_blocking"}), "clarifying text wait None blocks false");
    check(
        json!({"question": "TS?", "type": "non_blocking", "timeoutMinutes": 5}),
        r#"clarifying text fail Some("5m") blocks false"#,
    );
    check(json!({"question": "Well done", "type": "celebratory"}), "celebratory text wait None blocks false");
    check(
        json!({"question": "TS?", "type": "preference", "defaultResponse": {"value": "yes"}, "timeoutMinutes": 5}),
        r#"preference text default Some("5m") blocks false"#,
    );
    check(json!({"question": "Which?", "type": "blocking", "onDeadline": "wait"}), "blocking text wait None");
}

#[test]
fn a_question_that_was_found_takes_any_words() {
    let found = Found {
        kind: QuestionKind::Approval,
        text: "Should I fix them?",
        options: &[],
        reply: &format!("{}Should I fix them?", "ü".repeat(70_000)),
        reason: "it ends with a question",
        confidence: 0.93,
        written: None,
    };
    let draft = Draft::found(&found, &POLICY);
    assert_eq!((draft.way, draft.kind), (Way::Detected, QuestionKind::Approval));
    let words = Answer::read(&json!("only the first"), None).and_then(|answer| fit(&draft.detail, answer));
    assert_eq!(words.map(|answer| answer.words()), Ok("only the first".to_owned()));
    let context = draft.context.expect("what it said");
    assert!(context.len() <= LONGEST_CONTEXT && context.contains("Should I fix them?\n(found"), "{}", context.len());
}

#[test]
fn options_go_by_their_numbers_in_the_reply_too() {
    let check = |items: &[&str], labels: &[&str], answers: &[(&str, &str)]| {
        let options: Vec<_> = items.iter().map(|&item| item.to_owned()).collect();
        let found = Found {
            kind: QuestionKind::Choice,
            text: "Which one?",
            options: &options,
            reply: "Which one?",
            reason: "it asks",
            confidence: 0.9,
            written: None,
        };
        let draft = Draft::found(&found, &POLICY);
        let shown: Vec<_> = draft.detail.questions()[0].options.iter().map(|option| option.label.clone()).collect();
        assert_eq!(shown, labels);
        for (given, chosen) in answers {
            let answer = Answer::read(&json!(given), None).and_then(|answer| fit(&draft.detail, answer));
            assert_eq!(answer.map(|answer| answer.words()).as_deref(), Ok(*chosen), "{given}");
        }
    };
    let from_one = [("2", "2. drop"), ("drop", "2. drop"), ("2. drop", "2. drop"), ("3", "3")];
    check(&["1. keep", "2. drop"], &["keep", "drop"], &from_one);
    let labels = ["keep (number 0 of its list)", "drop (number 1 of its list)"];
    check(&["0. keep", "1. drop"], &labels, &[("0", "0. keep"), ("1", "1. drop")]);
    check(&["A) keep", "B) drop"], &["A) keep", "B) drop"], &[("B", "B) drop"), ("B) drop", "B) drop")]);
    check(&["keep", "2. drop"], &["keep", "2. drop"], &[("2", "2")]);
    check(&["1. keep", "1. drop"], &["1. keep", "1. drop"], &[("1", "1")]);
}

/// The block of requirement 3, section 11.
#[test]
fn a_question_that_is_written_as_one_keeps_all_that_is_written() {
    let of = |kind: &str, more: &str| {
        let reply = format!(
            "I looked.\n```json\n{{\"question\": {{\"type\": \"{kind}\", \"text\": \"Gr\\u00f6\\u00dfe?\\n\\\"S\\\"\", \"context\": \"why\"{more}}}}}\n```"
        );
        let found = crate::detect::detect(&reply, &crate::detect::DetectSettings::default());
        assert!(found.is_for_people(), "{kind}: {found:?}");
        let words = Found {
            kind: QuestionKind::Blocking,
            text: "no",
            options: &found.options,
            reply: &reply,
            reason: &found.reason,
            confidence: found.confidence,
            written: found.written.as_deref(),
        };
        Draft::found(&words, &POLICY)
    };
    let options = r#", "options": [{"label": "A", "description": "d", "recommended": true, "implications": "i"}, {"label": "B"}], "default": "B", "allowFreeText": false"#;
    let clarifying = of("clarifying", options);
    assert_eq!((clarifying.kind, clarifying.way), (QuestionKind::Clarifying, Way::Detected));
    assert_eq!(clarifying.text, "Größe?\n\"S\"");
    let offered = &clarifying.detail.questions()[0].options;
    assert!(offered[0].recommended && offered[0].description == "d; i" && offered.len() == 2, "{offered:?}");
    assert_eq!(clarifying.default.as_ref().map(Answer::words).as_deref(), Some("B"));
    assert_eq!((clarifying.on_deadline, clarifying.deadline), (OnDeadline::Default, Some(POLICY.blocking)));
    assert!(clarifying.blocks() && !clarifying.detail.takes_words(), "it wants one of them");
    let context = clarifying.context.expect("what it says");
    assert!(context.starts_with("I looked.\nwhy\n(found"), "{context}");
    for kind in ["educational", "celebratory"] {
        let draft = of(kind, options);
        assert!(!draft.blocks() && draft.kind.as_str() == kind && draft.deadline.is_none(), "{draft:?}");
    }
    let stray = of("BLOCKING", r#", "options": ["A", "B"], "default": "C", "implications": ["slow", "dear"]"#);
    assert_eq!((stray.kind, stray.default.as_ref()), (QuestionKind::Blocking, None));
    assert!(stray.detail.takes_words());
    assert!(stray.context.as_ref().is_some_and(|context| context.contains("slow")), "{:?}", stray.context);
    let confirming = of("confirming", "");
    assert_eq!(confirming.detail.questions()[0].options.len(), 2);
    let preference = of("preference", r#", "default": {"a": 1}"#);
    assert_eq!((preference.kind, preference.default), (QuestionKind::Preference, None));
    let approval = of("approval", r#", "default": true"#);
    assert_eq!((approval.kind, approval.default), (QuestionKind::Approval, None));
    assert_eq!(approval.digest, approval.detail.digest(approval.context.as_deref()));
}

#[test]
fn an_approval_that_is_asked_for_in_words_has_a_digest_and_a_risk() {
    let asked = draft(json!({"question": "Deploy?", "type": "approval"})).expect("it can be asked");
    assert_eq!(asked.risk, Some(Risk::Medium), "{:?}", asked.risk_why);
    let hides = draft(json!({"question": "Deploy?", "type": "approval", "context": "a\u{202e}b"}));
    assert_eq!(hides.expect("it can be asked").risk, Some(Risk::High));
    for (response, options) in [("choice", json!(["Go ahead", "Stop"])), ("text", json!([])), ("boolean", json!(["a"]))]
    {
        let asked = |context: &str, options: &Value| {
            draft(
                json!({"question": "Deploy?", "type": "approval", "responseType": response, "options": options, "context": context, "allowFreeText": true}),
            )
        };
        let staging = asked("staging", &options).expect("it can be asked");
        assert_eq!(staging.risk, Some(Risk::Medium), "{response}: {:?}", staging.risk_why);
        assert_eq!(staging.digest, staging.detail.digest(staging.context.as_deref()), "{response}");
        assert_ne!(staging.digest, asked("production", &options).expect("it can be asked").digest, "{response}");
        assert_ne!(staging.digest, asked("staging", &json!(["other"])).expect("it can be asked").digest, "{response}");
        let words = Answer::read(&json!("maybe tomorrow"), None).and_then(|answer| fit(&staging.detail, answer));
        assert!(words.is_err() && !staging.detail.takes_words(), "{response}: {words:?}");
        let hides = asked("staging", &json!(["a\u{202e}b"])).expect("it can be asked");
        assert_eq!(hides.risk, Some(Risk::High), "{response}");
    }
    let words = draft(json!({"question": "Which?", "type": "blocking"})).expect("it can be asked");
    assert_eq!((words.digest, words.risk), (None, None));
}

/// Its request says nothing of the plan, so each is one of its own, and never harmless.
#[test]
fn a_plan_is_what_is_asked_for() {
    let draft = |input: &str, plan: Option<&str>, call: &str| {
        let about = serde_json::from_str::<Value>(input).expect("JSON")["plan"].as_str().map(str::to_owned);
        let asked = PermissionRequest {
            request: "r".to_owned(),
            tool: "Plan".to_owned(),
            meaning: Box::new(Meaning { about, ..ToolNature::Plans.into() }),
            input: serde_json::value::RawValue::from_string(input.to_owned()).expect("JSON"),
            reason: None,
            plan: plan.map(str::to_owned),
            call: Some(call.to_owned()),
        };
        Draft::of(&Ask::Permission(asked), "/p", &POLICY).expect("it can be asked")
    };
    let known = draft("{}", Some("1. tidy up"), "a");
    assert_eq!((known.way, known.risk), (Way::Plan, Some(Risk::Medium)));
    assert_eq!(known.digest, draft("{}", Some("1. tidy up"), "b").digest);
    assert_ne!(known.deed, draft("{}", Some("1. burn it"), "a").deed);
    assert_ne!(draft(r#"{"plan":"x"}"#, None, "a").digest, draft(r#"{"plan":"y"}"#, None, "a").digest);
    let same = draft(r#"{"plan":"x"}"#, Some("x"), "a");
    assert_eq!(same.digest, draft(r#"{"plan":"x"}"#, None, "a").digest);
    assert_ne!(same.digest, draft(r#"{"plan":"x"}"#, Some("y"), "a").digest, "it wrote another than it hands in");
    let unknown = draft("{}", None, "a");
    assert_eq!(unknown.risk, Some(Risk::High), "{:?}", unknown.risk_why);
    assert_ne!(unknown.digest, draft("{}", None, "b").digest);
}

#[test]
fn a_default_keeps_all_that_was_said_of_it() {
    let default = |response: &str, default: Value| {
        let options = if response == "choice" { json!(["yes", "no"]) } else { json!([]) };
        let request = json!({"question": "x", "type": "clarifying", "responseType": response, "options": options, "defaultResponse": default});
        draft(request).expect("it can be asked").default.map(|answer| answer.words())
    };
    let said = json!({"type": "choice", "value": "yes", "text": "as before"});
    assert_eq!(default("choice", said).as_deref(), Some("yes (as before)"));
    assert_eq!(default("choice", json!(false)).as_deref(), Some("no"));
    assert_eq!(default("boolean", json!({"value": true, "text": "why not"})).as_deref(), Some("yes (why not)"));
    let no = json!({"question": "x", "type": "approval", "responseType": "choice", "options": ["yes", "no"], "defaultResponse": false});
    assert_eq!(draft(no).expect("it can be asked").default, Some(Answer::Refuse { why: None }));
}

#[test]
fn what_cannot_be_asked_says_why() {
    check(json!({"question": " ", "type": "blocking"}), "needs words");
    check(json!({"question": "x", "type": "rhetorical"}), "'rhetorical' is no type of question");
    check(json!({"question": "x", "type": "blocking", "responseType": "smile"}), "'smile' is no responseType");
    check(json!({"question": "x", "type": "blocking", "responseType": "choice"}), "a choice needs options");
    check(json!({"question": "x", "type": "blocking", "timeoutMinutes": 4}), "between 5m and 24h");
    check(json!({"question": "x", "type": "blocking", "timeoutMinutes": 1441}), "between 5m and 24h");
    check(json!({"question": "x", "type": "blocking", "timeoutMinutes": -1}), "between 5m and 24h");
    check(json!({"question": "x", "type": "blocking", "onDeadline": "default"}), "no defaultResponse");
    check(
        json!({"question": "x", "type": "blocking", "onDeadline": "wait", "timeoutMinutes": 5}),
        "timeoutMinutes is given and onDeadline is wait",
    );
    check(json!({"question": "x", "type": "approval", "defaultResponse": true}), "a default cannot approve");
    check(
        json!({"question": "x", "type": "approval", "responseType": "boolean", "defaultResponse": true}),
        "a default cannot approve",
    );
    check(
        json!({"question": "x", "type": "approval", "responseType": "choice", "options": ["yes"], "defaultResponse": "yes"}),
        "a default cannot approve",
    );
    check(json!({"question": "x", "type": "choice", "options": ["a"], "defaultResponse": "b"}), "none of the options");
    let of_two = |default: Value| json!({"question": "x", "type": "choice", "options": ["ts", "js"], "defaultResponse": default});
    check(of_two(json!(false)), "'false' is none of the options: ts, js");
    check(of_two(json!(true)), "'true' is none of the options: ts, js");
    check(of_two(json!({"type": "approval", "value": "ts"})), "this takes choice");
    check(of_two(json!({"value": "ts", "text": 3})), "text 3 is not an answer");
    check(json!({"question": "x".repeat(9000), "type": "blocking"}), "at most 8192");
    check(json!({"question": "x", "type": "blocking", "risk": "low"}), "unknown field");
}

#[test]
fn two_options_that_are_called_alike_are_refused_whatever_the_name_is_to_each() {
    let asked = |options: &Value| draft(json!({"question": "Which?", "type": "choice", "options": options}));
    for alike in [
        json!(["Red", "red"]),
        json!([{"label": "Keep the data", "value": "Delete the data"}, {"label": "Delete the data", "value": "Keep the data"}]),
        json!([{"label": "A", "value": "1"}, {"label": "B", "value": "1"}]),
        json!([{"label": "A", "id": "b"}, "B"]),
        json!(["Red", " red "]),
        json!([{"label": "yes", "value": false}, {"label": "no", "value": true}]),
    ] {
        let refused = asked(&alike).err().unwrap_or_default();
        assert!(refused.starts_with("two options are called"), "{alike}: {refused}");
    }
    asked(&json!([{"label": "A", "value": "a", "id": "a"}, {"label": "B", "value": "b"}])).expect("all differ");
    asked(&json!([{"label": "Yes", "value": true}, {"label": "No", "value": false}])).expect("they are the same");
}

#[test]
fn an_option_that_is_called_like_the_number_of_another_is_refused() {
    let asked = |options: Value| draft(json!({"question": "Which?", "type": "choice", "options": options}));
    for options in [json!(["2", "1"]), json!(["a", " 1 "]), json!([{"label": "a", "value": "2"}, "b"])] {
        let refused = asked(options.clone()).err().unwrap_or_default();
        assert!(refused.ends_with("which is the number of another"), "{options}: {refused}");
    }
    asked(json!(["1", "2"])).expect("each is its own number");
    asked(json!(["10", "20"])).expect("none is a number of an option");
}

#[test]
fn questions_whose_answers_could_not_be_told_apart_are_refused() {
    let of = |texts: &[&str]| {
        let questions = texts.iter().map(|&text| AskedQuestion::plain(text)).collect();
        let asking = crate::agent::Asking { request: "r".to_owned(), questions, call: None };
        Draft::of(&Ask::Questions(asking), "/p", &POLICY).map(|draft| draft.text).map_err(|error| error.to_string())
    };
    assert_eq!(of(&["A?", "B?"]), Ok("A? B?".to_owned()));
    assert_eq!(of(&[]), Err("no question is asked".to_owned()));
    assert!(of(&["A?", "B?", "A?"]).expect_err("twice").starts_with("two questions are worded the same"));
}

#[test]
fn a_visit_shows_its_address_and_is_bound_to_it() {
    let of = |url: &str| {
        let wanted = Wanted::Visit { url: url.to_owned() };
        let (server, message) = ("lab".to_owned(), "Sign in".to_owned());
        let asked = FormRequest { request: "r".to_owned(), server, message, wanted };
        Draft::of(&Ask::Form(asked), "/p", &POLICY).expect("it can be asked")
    };
    let draft = of("https://x.example/in");
    assert_eq!((draft.kind, draft.way, draft.risk), (QuestionKind::Approval, Way::Elicitation, Some(Risk::Medium)));
    assert_eq!(draft.digest, draft.detail.digest(draft.context.as_deref()));
    assert_ne!(draft.digest, of("https://x.example/out").digest);
    assert_ne!(draft.deed, of("https://x.example/out").deed);
}

#[test]
fn a_context_with_fields_is_a_list_for_people() {
    let context =
        json!({"tried": ["mysql 8", "mongo"], "diff": "-a\n+b", "metrics": {"p99": "120ms"}, "file": "db.rs"});
    let draft =
        draft(json!({"question": "Which database?", "type": "blocking", "context": context})).expect("a question");
    let expected = "- diff: \n  ```\n  -a\n  +b\n  ```\n- file: db.rs\n- metrics:\n  - p99: 120ms\n- tried:\n  - mysql 8\n  - mongo";
    assert_eq!(draft.context.as_deref(), Some(expected));
}
